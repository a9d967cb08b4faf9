# The public names of `linkwright.control`.

__all__: list[str]

from linkwright.control.feedback import PD as PD
from linkwright.control.feedback import ComputedTorque as ComputedTorque
from linkwright.control.feedback import FeedforwardFeedback as FeedforwardFeedback
from linkwright.control.feedback import PDGravity as PDGravity
from linkwright.control.feedback import feedforward as feedforward
from linkwright.control.interaction import Admittance as Admittance
from linkwright.control.interaction import GravityCompensation as GravityCompensation
from linkwright.control.interaction import Impedance as Impedance
from linkwright.control.laws import Constant as Constant
from linkwright.control.laws import Effort as Effort
from linkwright.control.laws import Law as Law
from linkwright.control.laws import Sampled as Sampled
from linkwright.control.laws import Sines as Sines
from linkwright.control.laws import StatefulLaw as StatefulLaw
from linkwright.control.laws import Sum as Sum
from linkwright.control.laws import Table as Table
from linkwright.control.observer import DisturbanceObserver as DisturbanceObserver
from linkwright.control.platform_control import PlatformComputedTorque as PlatformComputedTorque
from linkwright.control.platform_paths import Circle as Circle
from linkwright.control.platform_paths import PlatformMotion as PlatformMotion
from linkwright.control.pose_references import EulerMotion as EulerMotion
from linkwright.control.pose_references import PickAndPlace as PickAndPlace
from linkwright.control.pose_references import PoseReference as PoseReference
from linkwright.control.pose_references import SumOfSines as SumOfSines
from linkwright.control.references import Cycloidal as Cycloidal
from linkwright.control.references import Delayed as Delayed
from linkwright.control.references import Quintic as Quintic
from linkwright.control.references import Reference as Reference
from linkwright.control.references import Steady as Steady
from linkwright.control.references import Trapezoid as Trapezoid
from linkwright.control.splines import Spline as Spline
