"""Disturbances of a mechanism observed from its momentum (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import checks
from linkwright.compiler import inline_program, tangent, trace
from linkwright.control.control_checks import (
    Array,
    controller_states,
    finite_row,
    one_state,
    require_law,
    set_frozen_fields,
)
from linkwright.control.laws import Law
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.programs import (
    coordinate_rates_of_model,
    evaluate_named_function,
    independent_map_of_model,
    independent_order,
)
from linkwright.results.result import Result


@dataclass(frozen=True, eq=False)
class DisturbanceObserver:
    """A law whose efforts are corrected by the disturbance that the mechanism's momentum shows.

    With p = R^T M v the momentum along the actuators, the estimate r = gain (p - integral of what the model expects of
    p') obeys r' = gain (d - r): it follows every disturbance d (friction, payloads, contact, as efforts of the
    actuators) with the time constant 1 / gain, without accelerations and without inverting the inertia. The integrals
    are states of the law, zero at the start; a mechanism that starts in motion has to lose its first momentum from the
    estimate.

    Attributes:
        model: the mechanism as it is believed to be, with one actuator for each degree of freedom.
        law: the efforts without the correction.
        gain: (na,) or one for all, [1/s].
        correct: whether the estimate is subtracted from the efforts; False observes only.
    """

    model: Model
    law: Law
    gain: Array
    correct: bool = True

    def __post_init__(self) -> None:
        checks.require_instance("model", self.model, Model, "a Model from linkwright.build")
        require_law("law", self.law)
        if self.law.na != self.na or hasattr(self.law, "n_states"):
            raise ArgumentError(f"law is {self.law!r:.60}, expected one of {self.na} efforts without states")
        order = independent_order(self.model)
        gain = finite_row("gain", self.gain, self.na)
        if np.any(gain <= 0.0):
            raise ArgumentError(f"gain is {gain.tolist()}, expected numbers above zero")
        momentum = trace(self._momentum, {"q": self.model.nq, "v": self.model.nv})
        set_frozen_fields(self, gain=gain, correct=checks.require_flag("correct", self.correct), _order=order)
        set_frozen_fields(self, _p=momentum, _p_rate=tangent(momentum, ["q"]), _back=np.argsort(order))

    @property
    def na(self) -> int:
        return self.model.na

    @property
    def n_states(self) -> int:
        """Numbers that the law keeps."""
        return self.model.na

    def tau(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        t, q, v = one_state(self.model, t, q, v)
        plain = self.law.tau(t, q, v)
        return plain - self.disturbance(q, v, z) if self.correct else plain

    def disturbance(self, q: Any, v: Any, z: Any) -> Any:
        """The estimate of the disturbance, as efforts of the actuators (na,), in a state."""
        _, q, v = one_state(self.model, 0.0, q, v)
        p = inline_program(self._p, q, v)  # type: ignore[attr-defined]
        return self.gain * (p[self._back] - controller_states(self, z))  # type: ignore[attr-defined]

    def rates(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        """Rates of the states: what the model expects of the momentum's, and the estimate, (na,)."""
        t, q, v = one_state(self.model, t, q, v)
        R, h = independent_map_of_model(self.model, q), evaluate_named_function(self.model, "bias_forces", q, v)
        moving = inline_program(self._p_rate, q, v, coordinate_rates_of_model(self.model, q, v))  # type: ignore[attr-defined]
        expected = (moving - R.T @ h)[self._back]  # type: ignore[attr-defined]
        return expected + self.tau(t, q, v, z) + self.disturbance(q, v, z)

    def estimate(self, run: Result) -> Array:
        """The estimates along a run that this law drove, (rows, na), [N m or N]."""
        states = checks.require_instance("run", run, Result, "a Result of simulate").group("controller")
        if states.shape[1:] != (self.na,):
            raise ArgumentError(f"the run has {states.shape[-1]} states of a controller, expected {self.na}")
        return np.array([self.disturbance(*row) for row in zip(run.q, run.v, states, strict=True)])

    def _momentum(self, q: Any, v: Any) -> Any:
        """R^T M v, (mobility,)."""
        return independent_map_of_model(self.model, q).T @ (evaluate_named_function(self.model, "mass_matrix", q) @ v)
