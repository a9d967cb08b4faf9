"""Analyses of a model: faults, solution step by step, indices of a design, agreement of two methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.analysis.names import CHARTS, MODULES, RESULTS
from linkwright.lazy import lazy

if TYPE_CHECKING:
    from linkwright.analysis.check.records import Actuation, ActuatorSet
    from linkwright.analysis.comparison import Agreement, agreement
    from linkwright.analysis.designs import DesignStudy
    from linkwright.analysis.deviations.calibration import Calibration, calibrate, suggest_poses
    from linkwright.analysis.deviations.tolerance import Tolerance, tolerance
    from linkwright.analysis.explanation.explain import explain
    from linkwright.analysis.explanation.records import Explanation, ExplanationStep
    from linkwright.analysis.identification.actuator_limits import ActuatorLimits
    from linkwright.analysis.identification.base import BaseParameters, base_parameters
    from linkwright.analysis.identification.estimation import Identification, identify
    from linkwright.analysis.identification.excitation import Excitation, excite
    from linkwright.analysis.identification.filtering import LowPass
    from linkwright.analysis.identification.measurements import MeasuredMotion
    from linkwright.analysis.identification.validation import Validation
    from linkwright.analysis.interference.clearance import Clearance, clearance
    from linkwright.analysis.neglected import NeglectedInertia, SpeedRow, neglect_inertia, speed_study
    from linkwright.analysis.optimization.following import MeasureValue, WarmStartedMeasure
    from linkwright.analysis.optimization.local import SearchStart
    from linkwright.analysis.optimization.measures import JacobianMeasure, Measure, PeakEffort, WeightedSum
    from linkwright.analysis.optimization.search import Optimum, optimize, pareto
    from linkwright.analysis.optimization.study_measure import StudyMeasure
    from linkwright.analysis.paths.route import GeometricPath
    from linkwright.analysis.paths.time_optimal import TimedPath, time_optimal
    from linkwright.analysis.paths.timing import PathTiming, TimedActuators, TimedPoses
    from linkwright.analysis.performance.capability import Polytope
    from linkwright.analysis.performance.compliance import beam_compliance
    from linkwright.analysis.performance.indices import indices, transmission_angles
    from linkwright.analysis.performance.record import Indices
    from linkwright.analysis.region.levels import LevelSet
    from linkwright.analysis.region.record import Workspace
    from linkwright.analysis.region.workspace import workspace
    from linkwright.analysis.registry import register_study
    from linkwright.analysis.self_test import Check, selftest
    from linkwright.analysis.sizing.motors import Motor, load_motors
    from linkwright.analysis.sizing.sets import ActuatorSets, RankedSet, actuator_sets
    from linkwright.analysis.sizing.size import ActuatorLoad, MotorChoice, Sizing, size
    from linkwright.analysis.springs import SpringAdvice, StiffnessStudy, advise_springs, stiffness_study
    from linkwright.results.charts import Band, Bars, Curve, Map, Panel, Strip, Surface
    from linkwright.results.study_result import SavedStudy, StudyContent, StudyResult, StudyTable, data_schema

__all__ = [
    "Actuation",
    "ActuatorLimits",
    "ActuatorLoad",
    "ActuatorSet",
    "ActuatorSets",
    "Agreement",
    "Band",
    "Bars",
    "BaseParameters",
    "Calibration",
    "Check",
    "Clearance",
    "Curve",
    "DesignStudy",
    "Excitation",
    "Explanation",
    "ExplanationStep",
    "GeometricPath",
    "Identification",
    "Indices",
    "JacobianMeasure",
    "LevelSet",
    "LowPass",
    "Map",
    "Measure",
    "MeasureValue",
    "MeasuredMotion",
    "Motor",
    "MotorChoice",
    "NeglectedInertia",
    "Optimum",
    "Panel",
    "PathTiming",
    "PeakEffort",
    "Polytope",
    "RankedSet",
    "SavedStudy",
    "SearchStart",
    "Sizing",
    "SpeedRow",
    "SpringAdvice",
    "StiffnessStudy",
    "Strip",
    "StudyContent",
    "StudyMeasure",
    "StudyResult",
    "StudyTable",
    "Surface",
    "TimedActuators",
    "TimedPath",
    "TimedPoses",
    "Tolerance",
    "Validation",
    "WarmStartedMeasure",
    "WeightedSum",
    "Workspace",
    "actuator_sets",
    "advise_springs",
    "agreement",
    "base_parameters",
    "beam_compliance",
    "calibrate",
    "clearance",
    "data_schema",
    "excite",
    "explain",
    "identify",
    "indices",
    "load_motors",
    "neglect_inertia",
    "optimize",
    "pareto",
    "register_study",
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
    _own_name = lazy(__name__, MODULES)

    def __getattr__(name: str):
        """A name of the library, or a study that was registered."""
        if name in (*RESULTS, *CHARTS):
            from linkwright.results import charts, study_result

            return getattr(charts if name in CHARTS else study_result, name)
        try:
            return _own_name(name)
        except AttributeError:
            if name.startswith("_") or name in ("registry", "registered_studies"):
                raise
            from linkwright.analysis.registry import registered_studies

            if name not in registered_studies():
                raise
            return registered_studies()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
