"""Analyses of a model: faults, solution step by step, indices of a design, agreement of two methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.lazy import lazy

if TYPE_CHECKING:
    from linkwright.analysis.check.records import Actuation, ActuatorSet
    from linkwright.analysis.comparison import Agreement, agreement
    from linkwright.analysis.designs import DesignStudy
    from linkwright.analysis.deviations.calibration import Calibration, calibrate, suggest_poses
    from linkwright.analysis.deviations.tolerance import Tolerance, tolerance
    from linkwright.analysis.explain.explain import explanation
    from linkwright.analysis.explain.records import Explanation, ExplanationStep
    from linkwright.analysis.identification.actuator_limits import ActuatorLimits
    from linkwright.analysis.identification.base import BaseParameters, base_parameters
    from linkwright.analysis.identification.estimation import Identification, identify
    from linkwright.analysis.identification.excitation import Excitation, excite
    from linkwright.analysis.identification.filtering import LowPass
    from linkwright.analysis.identification.measurements import MeasuredMotion
    from linkwright.analysis.identification.validation import Validation
    from linkwright.analysis.interference.clearance import Clearance, clearance
    from linkwright.analysis.neglected import Neglect, SpeedRow, neglect, speed_study
    from linkwright.analysis.optimization.following import Evaluated, Following
    from linkwright.analysis.optimization.local import SearchStart
    from linkwright.analysis.optimization.measures import Measure, OverPoses, PeakEffort, WeightedSum
    from linkwright.analysis.optimization.search import Optimum, optimize, pareto
    from linkwright.analysis.paths.route import Route
    from linkwright.analysis.paths.time_optimal import TimedPath, time_optimal
    from linkwright.analysis.paths.timing import PathTiming, TimedActuators, TimedPoses
    from linkwright.analysis.performance.capability import Polytope
    from linkwright.analysis.performance.compliance import beam_compliance
    from linkwright.analysis.performance.indices import indices, transmission_angles
    from linkwright.analysis.performance.record import Indices
    from linkwright.analysis.region.levels import LevelSet
    from linkwright.analysis.region.record import Workspace
    from linkwright.analysis.region.workspace import workspace
    from linkwright.analysis.self_test import Check, selftest
    from linkwright.analysis.sizing.motors import Motor, load_motors
    from linkwright.analysis.sizing.sets import ActuatorSets, RankedSet, actuator_sets
    from linkwright.analysis.sizing.size import ActuatorLoad, MotorChoice, Sizing, size
    from linkwright.analysis.springs import SpringAdvice, StiffnessStudy, advise_springs, stiffness_study

_MODULES = {
    "check.records": "Actuation ActuatorSet",
    "comparison": "Agreement agreement",
    "designs": "DesignStudy",
    "deviations.calibration": "Calibration calibrate suggest_poses",
    "deviations.tolerance": "Tolerance tolerance",
    "interference.clearance": "Clearance clearance",
    "paths.time_optimal": "TimedPath time_optimal",
    "paths.route": "Route",
    "paths.timing": "PathTiming TimedActuators TimedPoses",
    "explain.explain": "explanation",
    "explain.records": "Explanation ExplanationStep",
    "performance.capability": "Polytope",
    "performance.compliance": "beam_compliance",
    "performance.indices": "indices transmission_angles",
    "performance.record": "Indices",
    "identification.base": "BaseParameters base_parameters",
    "identification.estimation": "Identification identify",
    "identification.filtering": "LowPass",
    "identification.actuator_limits": "ActuatorLimits",
    "identification.excitation": "Excitation excite",
    "identification.measurements": "MeasuredMotion",
    "identification.validation": "Validation",
    "neglected": "Neglect SpeedRow neglect speed_study",
    "region.levels": "LevelSet",
    "region.record": "Workspace",
    "region.workspace": "workspace",
    "optimization.following": "Evaluated Following",
    "optimization.measures": "Measure OverPoses PeakEffort WeightedSum",
    "optimization.local": "SearchStart",
    "optimization.search": "Optimum optimize pareto",
    "self_test": "Check selftest",
    "sizing.motors": "Motor load_motors",
    "sizing.sets": "ActuatorSets RankedSet actuator_sets",
    "sizing.size": "ActuatorLoad MotorChoice Sizing size",
    "springs": "SpringAdvice StiffnessStudy advise_springs stiffness_study",
}

__all__ = [
    "Actuation",
    "ActuatorLimits",
    "ActuatorLoad",
    "ActuatorSet",
    "ActuatorSets",
    "Agreement",
    "BaseParameters",
    "Calibration",
    "Check",
    "Clearance",
    "DesignStudy",
    "Evaluated",
    "Excitation",
    "Explanation",
    "ExplanationStep",
    "Following",
    "Identification",
    "Indices",
    "LevelSet",
    "LowPass",
    "Measure",
    "MeasuredMotion",
    "Motor",
    "MotorChoice",
    "Neglect",
    "Optimum",
    "OverPoses",
    "PathTiming",
    "PeakEffort",
    "Polytope",
    "RankedSet",
    "Route",
    "SearchStart",
    "Sizing",
    "SpeedRow",
    "SpringAdvice",
    "StiffnessStudy",
    "TimedActuators",
    "TimedPath",
    "TimedPoses",
    "Tolerance",
    "Validation",
    "WeightedSum",
    "Workspace",
    "actuator_sets",
    "advise_springs",
    "agreement",
    "base_parameters",
    "beam_compliance",
    "calibrate",
    "clearance",
    "excite",
    "explanation",
    "identify",
    "indices",
    "load_motors",
    "neglect",
    "optimize",
    "pareto",
    "selftest",
    "size",
    "speed_study",
    "stiffness_study",
    "suggest_poses",
    "time_optimal",
    "tolerance",
    "transmission_angles",
    "workspace",
]

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
