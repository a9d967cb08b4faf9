"""Analyses of a model: its faults, its solution step by step, what could be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.lazy import lazy

if TYPE_CHECKING:
    from linkwright.analysis.check.records import Actuation, ActuatorSet
    from linkwright.analysis.springs import SpringAdvice, StiffnessStudy, advise_springs, stiffness_study

_MODULES = {
    "check.records": "Actuation ActuatorSet",
    "springs": "SpringAdvice StiffnessStudy advise_springs stiffness_study",
}

__all__ = [
    "Actuation",
    "ActuatorSet",
    "SpringAdvice",
    "StiffnessStudy",
    "advise_springs",
    "stiffness_study",
]

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
