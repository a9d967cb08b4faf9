"""Laws that compare the actuators with a reference (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.control.control_checks import (
    Array,
    compatible_states,
    nonnegative_gains,
    require_law,
    require_reference,
    set_frozen_fields,
)
from linkwright.control.laws import Law, Table
from linkwright.control.references import Reference
from linkwright.control.splines import Spline
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.model import Model
from linkwright.model.programs import (
    actuator_coordinates,
    consistent_accelerations,
    evaluate_named_function,
    independent_order,
)
from linkwright.results.result import Result


@dataclass(frozen=True, eq=False)
class _Feedback:
    """A law of the actuators' error: model, reference of na numbers, gains (na,) or one for all."""

    model: Model
    reference: Reference
    stiffness: Array
    damping: Array

    def __post_init__(self) -> None:
        checks.require_instance("model", self.model, Model, "a Model from linkwright.build")
        require_reference("reference", self.reference)
        actuator_coordinates(self.model)
        if self.reference.size != self.na:
            raise ArgumentError(
                f"the reference has {self.reference.size} numbers for {self.na} actuators; give one for each"
            )
        set_frozen_fields(self, **nonnegative_gains(self, self.na, "stiffness", "damping"))

    @property
    def na(self) -> int:
        return self.model.na

    def actuators(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Positions and velocities of the actuators, (na,) and (na,)."""
        coordinates, velocities = actuator_coordinates(self.model)
        _, q, v = compatible_states(self.model, 0.0, q, v)
        return q[..., coordinates], v[..., velocities]

    def correction(self, t: Any, q: Any, v: Any) -> Any:
        """stiffness (x - q_act) + damping (x_dot - v_act), (na,)."""
        t, q, v = compatible_states(self.model, t, q, v)
        x, x_dot, _ = self.reference.at(t)
        q_act, v_act = self.actuators(q, v)
        return self.stiffness * (x - q_act) + self.damping * (x_dot - v_act)


@dataclass(frozen=True, eq=False)
class PD(_Feedback):
    """stiffness (x - q_act) + damping (x_dot - v_act): springs and dampers between the actuators and their reference.

    Attributes:
        model: the mechanism.
        reference: motion of the actuators, na numbers.
        stiffness: (na,) or one for all, [N m/rad or N/m].
        damping: (na,) or one for all, [N m s/rad or N s/m].
    """

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return self.correction(t, q, v)


@dataclass(frozen=True, eq=False)
class PDGravity(_Feedback):
    """`PD` plus the efforts that hold the mechanism still where it is: gravity, springs and loops included."""

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        t, q, v = compatible_states(self.model, t, q, v)
        still = np.zeros(self.model.nv)
        return self.correction(t, q, v) + evaluate_named_function(self.model, "inverse_dynamics", q, still, still)


@dataclass(frozen=True, eq=False)
class ComputedTorque(_Feedback):
    """Efforts that make the actuators' error e obey e_ddot + damping e_dot + stiffness e = 0, loops included.

    Attributes:
        model: the mechanism, with one actuator for each degree of freedom.
        reference: motion of the actuators, na numbers.
        stiffness: (na,) or one for all, [1/s^2].
        damping: (na,) or one for all, [1/s]; 2 sqrt(stiffness) is critical.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        set_frozen_fields(self, _order=independent_order(self.model))

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        t, q, v = compatible_states(self.model, t, q, v)
        x, x_dot, x_ddot = self.reference.at(t)
        q_act, v_act = self.actuators(q, v)
        wanted = x_ddot + self.damping * (x_dot - v_act) + self.stiffness * (x - q_act)
        a = consistent_accelerations(self.model, q, v, wanted[..., self._order])  # type: ignore[attr-defined]
        return evaluate_named_function(self.model, "inverse_dynamics", q, v, a)


@dataclass(frozen=True, eq=False)
class FeedforwardFeedback:
    """A precomputed effort plus a `PD` correction, as in Khan et al., Fig. 8; `correction` is the second part alone."""

    feedforward: Law
    correction: PD

    def __post_init__(self) -> None:
        require_law("feedforward", self.feedforward)
        checks.require_instance("correction", self.correction, PD, "control.PD(...)")
        if self.feedforward.na != self.correction.na:
            raise ArgumentError(
                f"the feedforward is for {self.feedforward.na} actuators and the correction for {self.correction.na}"
            )

    @classmethod
    def of_motion(cls, model: Model, motion: Result, stiffness: Any = 0.0, damping: Any = 0.0) -> FeedforwardFeedback:
        """The efforts of a motion (`lw.motion`) beforehand, and a `PD` correction towards its actuator positions."""
        checks.require_instance("motion", motion, Result, "a Result of linkwright.motion")
        checks.require_instance("model", model, Model, "a Model from linkwright.build")
        if motion.tau.shape[1:] != (model.na,) or motion.q.shape[1:] != (model.nq,):
            raise ArgumentError(
                f"the motion has {motion.q.shape[-1]} coordinates and {motion.tau.shape[-1]} efforts, and "
                f"'{model.mechanism.name}' has {model.nq} and {model.na}; give a motion of this model"
            )
        positions = Spline(motion.t, model.actuator_positions(motion.q), "smooth")
        return cls(Table(motion.t, motion.tau), PD(model, positions, stiffness, damping))

    @property
    def na(self) -> int:
        return self.correction.na

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return self.feedforward.tau(t, q, v) + self.correction.tau(t, q, v)


def feedforward(model: Model, reference: Reference, times: Sequence[float] | Array, near: Array | None = None) -> Table:
    """Efforts that move the mechanism along a reference of its actuators, by inverse dynamics at the given times."""
    checks.require_instance("model", model, Model, "a Model from linkwright.build")
    at = checks.require_finite_array("times", times)
    motion = require_reference("reference", reference, model.na).at(at)
    q, v, a = model.forward_kinematics(*motion, near=near)
    lost = np.flatnonzero(~np.isfinite(a).all(axis=-1))
    if len(lost):
        raise AssemblyError(
            f"the reference cannot be followed by '{model.mechanism.name}' at {len(lost)} of {len(a)} times (the first "
            f"is t = {at[lost[0]]:g} s): it is out of reach, or a singularity lies on the way"
        )
    return Table(at, model.inverse_dynamics(q, v, a))
