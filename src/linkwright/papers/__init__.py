"""The five papers as they were written: their formulations, the quantities they name, their claims and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.lazy import lazy

if TYPE_CHECKING:
    from linkwright.papers.hanzaki.equations import Hanzaki
    from linkwright.papers.hanzaki.quantities import HanzakiQuantities, hanzaki_quantities
    from linkwright.papers.khan.equations import Khan
    from linkwright.papers.khan.quantities import KhanQuantities, khan_quantities
    from linkwright.papers.leg_division.division import LegProcesses, PerLegFunction, leg_by_leg
    from linkwright.papers.rao.equations import Rao
    from linkwright.papers.rao.numerical_noc import NumericalNOC, numerical_noc
    from linkwright.papers.rao.quantities import RaoQuantities, rao_quantities

_MODULES = {
    "hanzaki.equations": "Hanzaki",
    "hanzaki.quantities": "HanzakiQuantities hanzaki_quantities",
    "khan.equations": "Khan",
    "khan.quantities": "KhanQuantities khan_quantities",
    "leg_division.division": "LegProcesses PerLegFunction leg_by_leg",
    "rao.equations": "Rao",
    "rao.numerical_noc": "NumericalNOC numerical_noc",
    "rao.quantities": "RaoQuantities rao_quantities",
}

__all__ = [
    "Hanzaki",
    "HanzakiQuantities",
    "Khan",
    "KhanQuantities",
    "LegProcesses",
    "NumericalNOC",
    "PerLegFunction",
    "Rao",
    "RaoQuantities",
    "hanzaki_quantities",
    "khan_quantities",
    "leg_by_leg",
    "numerical_noc",
    "rao_quantities",
]

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
