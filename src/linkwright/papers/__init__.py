"""The five papers as they were written: their formulations, the quantities they name, their claims and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.lazy import lazy_getattr

if TYPE_CHECKING:
    from linkwright.papers.hanzaki.hanzaki_equations import Hanzaki
    from linkwright.papers.hanzaki.hanzaki_functions import HanzakiQuantities, hanzaki_quantities
    from linkwright.papers.khan.khan_equations import Khan
    from linkwright.papers.khan.khan_functions import KhanQuantities, khan_quantities
    from linkwright.papers.leg_division import LegProcesses, PerLegFunction, leg_by_leg
    from linkwright.papers.rao.numerical_noc import NumericalNOC, numerical_noc
    from linkwright.papers.rao.rao_equations import Rao
    from linkwright.papers.rao.rao_functions import RaoQuantities, rao_quantities

_MODULES = {
    "hanzaki.hanzaki_equations": "Hanzaki",
    "hanzaki.hanzaki_quantity_record": "HanzakiQuantities hanzaki_quantities",
    "khan.khan_equations": "Khan",
    "khan.khan_quantity_record": "KhanQuantities khan_quantities",
    "leg_division.division": "LegProcesses PerLegFunction leg_by_leg",
    "rao.rao_equations": "Rao",
    "rao.numerical_noc": "NumericalNOC numerical_noc",
    "rao.rao_quantity_record": "RaoQuantities rao_quantities",
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
    __getattr__ = lazy_getattr(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
