# The public names of `linkwright.analysis`.

from typing import Any

__all__: list[str]

from linkwright.analysis.comparison import agreement as agreement
from linkwright.analysis.designs import DesignStudy as DesignStudy
from linkwright.analysis.deviations.calibration import calibrate as calibrate
from linkwright.analysis.deviations.calibration import suggest_poses as suggest_poses
from linkwright.analysis.deviations.tolerance import tolerance as tolerance
from linkwright.analysis.explanation.explain import explain as explain
from linkwright.analysis.identification.base_parameters import base_parameters as base_parameters
from linkwright.analysis.identification.estimation import identify as identify
from linkwright.analysis.identification.excitation import excite as excite
from linkwright.analysis.identification.measured_motion import LowPass as LowPass
from linkwright.analysis.identification.measured_motion import MeasuredMotion as MeasuredMotion
from linkwright.analysis.identification.sine_search import ActuatorLimits as ActuatorLimits
from linkwright.analysis.interference.clearance import clearance as clearance
from linkwright.analysis.neglected_inertia import neglect_inertia as neglect_inertia
from linkwright.analysis.neglected_inertia import speed_study as speed_study
from linkwright.analysis.optimization.local_search import SearchStart as SearchStart
from linkwright.analysis.optimization.measures import JacobianMeasure as JacobianMeasure
from linkwright.analysis.optimization.measures import Measure as Measure
from linkwright.analysis.optimization.measures import PeakEffort as PeakEffort
from linkwright.analysis.optimization.measures import StudyMeasure as StudyMeasure
from linkwright.analysis.optimization.measures import WeightedSum as WeightedSum
from linkwright.analysis.optimization.search import optimize as optimize
from linkwright.analysis.optimization.search import pareto as pareto
from linkwright.analysis.paths.route import GeometricPath as GeometricPath
from linkwright.analysis.paths.time_optimal import TimedActuators as TimedActuators
from linkwright.analysis.paths.time_optimal import TimedPoses as TimedPoses
from linkwright.analysis.paths.time_optimal import time_optimal as time_optimal
from linkwright.analysis.performance.indices import indices as indices
from linkwright.analysis.performance.indices import transmission_angles as transmission_angles
from linkwright.analysis.performance.output_components import beam_compliance as beam_compliance
from linkwright.analysis.region.workspace import workspace as workspace
from linkwright.analysis.self_test import selftest as selftest
from linkwright.analysis.sizing.motors import Motor as Motor
from linkwright.analysis.sizing.motors import load_motors as load_motors
from linkwright.analysis.sizing.sets import actuator_sets as actuator_sets
from linkwright.analysis.sizing.size import size as size
from linkwright.analysis.spring_advice import advise_springs as advise_springs
from linkwright.analysis.spring_advice import stiffness_study as stiffness_study
from linkwright.analysis.study_registry import register_study as register_study
from linkwright.results.study_result import StudyContent as StudyContent
from linkwright.results.study_result import StudyResult as StudyResult
from linkwright.results.study_result import StudyTable as StudyTable
from linkwright.results.study_result import data_schema as data_schema

def __getattr__(name: str) -> Any: ...  # studies that were registered
