"""Laws of efforts and wrenches that give numbers that are not finite, by name."""

from __future__ import annotations

import numpy as np

from linkwright.functions.tree.tree_functions import WRENCH_PARTS
from linkwright.simulation.drivers.status import EXTRAS
from linkwright.simulation.running.run import Runner

# Times the numbers of the last good state, beyond which those of a step are out of bounds.
_BEYOND = 1e6


def left_all_bounds(runner: Runner) -> bool:
    """Return True if an unstable step has brought the state out of all bounds."""
    d = runner.workspace.driver
    moving = d.shape.nq + d.shape.ns
    accepted, state = (float(np.abs(x.flat[:moving]).max()) for x in (d.y, d.y_new))
    return not state < _BEYOND * (1.0 + accepted)


def not_finite_message(runner: Runner) -> str:
    """Message about the law whose last value is not finite, with actuator or body, value and time; "" without one.

    Where an unstable step has brought the state out of all bounds the law is not at fault.
    """
    d, actuation, model = runner.workspace.driver, runner.spec.actuation, runner.problem.model
    if left_all_bounds(runner):
        return ""
    when, given = f"at t = {d.clock.flat[0]:.9g} s", runner.workspace.tau
    for name, value in zip(model.actuated, given[: d.shape.na], strict=False):
        if not np.isfinite(value):
            return f"{actuation.title} gave {value} for actuator '{name}' {when}; the run ends there"
    for k, value in enumerate(given[d.shape.na :]):
        if not np.isfinite(value) and actuation.loads.wrenches:
            on = actuation.loads.wrenches[k // 6].on
            part = WRENCH_PARTS[k % 6]
            return f"the law of the wrench on '{on}' gave {value} for its {part} {when}; the run ends there"
    return _states_not_finite(runner, when) if actuation.states else ""


def _states_not_finite(runner: Runner, when: str) -> str:
    """The same for states of a controller and their rates."""
    d, n = runner.workspace.driver, runner.spec.actuation.states
    own = d.shape.nq + d.shape.ns + EXTRAS
    rates = d.k.flat.reshape(-1, d.shape.stride)[:, own : own + n]
    for i in np.flatnonzero(~np.isfinite(rates).all(axis=0)):
        return (
            f"{runner.spec.actuation.title} gave a rate of its state {i} that is not finite {when}; the run ends there"
        )
    return ""
