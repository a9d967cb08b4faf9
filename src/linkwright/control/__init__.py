"""Reference motions and effort laws, written for any scalar so that they are traced into the equations of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.lazy import lazy_getattr

if TYPE_CHECKING:
    from linkwright.control.feedback import PD, ComputedTorque, FeedforwardFeedback, PDGravity, feedforward
    from linkwright.control.interaction import Admittance, GravityCompensation, Impedance
    from linkwright.control.laws import Constant, Effort, Law, Sampled, Sines, StatefulLaw, Sum, Table
    from linkwright.control.observer import DisturbanceObserver
    from linkwright.control.platform_control import PlatformComputedTorque
    from linkwright.control.platform_paths import Circle, PlatformMotion
    from linkwright.control.pose_references import EulerMotion, PickAndPlace, PoseReference, SumOfSines
    from linkwright.control.references import Cycloidal, Delayed, Quintic, Reference, Steady, Trapezoid
    from linkwright.control.splines import Spline

_MODULES = {
    "feedback": "ComputedTorque FeedforwardFeedback PD PDGravity feedforward",
    "interaction": "Admittance GravityCompensation Impedance",
    "laws": "Constant Effort Law Sampled Sines StatefulLaw Sum Table",
    "observer": "DisturbanceObserver",
    "platform_paths": "Circle PlatformMotion",
    "platform_control": "PlatformComputedTorque",
    "pose_references": "EulerMotion PickAndPlace PoseReference SumOfSines",
    "references": "Cycloidal Delayed Quintic Reference Steady Trapezoid",
    "splines": "Spline",
}

__all__ = [
    "PD",
    "Admittance",
    "Circle",
    "ComputedTorque",
    "Constant",
    "Cycloidal",
    "Delayed",
    "DisturbanceObserver",
    "Effort",
    "EulerMotion",
    "FeedforwardFeedback",
    "GravityCompensation",
    "Impedance",
    "Law",
    "PDGravity",
    "PickAndPlace",
    "PlatformComputedTorque",
    "PlatformMotion",
    "PoseReference",
    "Quintic",
    "Reference",
    "Sampled",
    "Sines",
    "Spline",
    "StatefulLaw",
    "Steady",
    "Sum",
    "SumOfSines",
    "Table",
    "Trapezoid",
    "feedforward",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_getattr(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
