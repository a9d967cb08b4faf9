"""Analyses of a model: its faults, its solution step by step, what could be left out, whether two methods agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.lazy import lazy

if TYPE_CHECKING:
    from linkwright.analysis.check.records import Actuation, ActuatorSet
    from linkwright.analysis.comparison import Agreement, agreement
    from linkwright.analysis.legs.division import LegProcesses, PerLegFunction, leg_by_leg
    from linkwright.analysis.neglected import Neglect, SpeedRow, neglect, speed_study
    from linkwright.analysis.noc import NumericalNOC, numerical_noc
    from linkwright.analysis.self_test import Check, selftest
    from linkwright.analysis.springs import SpringAdvice, StiffnessStudy, advise_springs, stiffness_study

_MODULES = {
    "check.records": "Actuation ActuatorSet",
    "comparison": "Agreement agreement",
    "legs.division": "LegProcesses PerLegFunction leg_by_leg",
    "neglected": "Neglect SpeedRow neglect speed_study",
    "noc": "NumericalNOC numerical_noc",
    "self_test": "Check selftest",
    "springs": "SpringAdvice StiffnessStudy advise_springs stiffness_study",
}

__all__ = [
    "Actuation",
    "ActuatorSet",
    "Agreement",
    "Check",
    "LegProcesses",
    "Neglect",
    "NumericalNOC",
    "PerLegFunction",
    "SpeedRow",
    "SpringAdvice",
    "StiffnessStudy",
    "advise_springs",
    "agreement",
    "leg_by_leg",
    "neglect",
    "numerical_noc",
    "selftest",
    "speed_study",
    "stiffness_study",
]

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
