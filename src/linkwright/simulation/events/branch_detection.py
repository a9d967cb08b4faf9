"""Branch of a motion after it has passed a singular position (theory 8.16).

Where the loops' equations lose rank several motions meet. The test is geometric and uses no velocity: from the
last regular configuration before the passage and from the first one after it the loops are followed towards the
singular configuration; near it the two must lie on one smooth sheet.
"""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import CLOSED, NO_EFFECT, ROUNDED_AWAY, TINY
from linkwright.results.series import Event
from linkwright.simulation.problem.scaled_closure import ScaledClosure

Array = np.ndarray
BRANCH = "branch"

# How near to the singular configuration sheets are compared, [rad] or shares of the mechanism's length.
NEAR = 0.01

# Angle between sheets that is one; curvature explains a few times what the sheet before the passage shows itself.
SAME = 0.03
CURVED = 5.0

# Equations with a singular value below this share of the largest are lost at the singular configuration.
_LOST = 1e-3
_STRIDE = 0.1
_ROUNDS = 100
_SHIFT = 1e-4

# A branch that was regular before is regular again at this distance, [rad] or shares of the mechanism's length.
_BEHIND = 0.3


@dataclass(frozen=True, eq=False)
class PassedSingularity:
    """A singular state passed at a time, and the last regular configuration before it."""

    t: float
    q: Array
    before: Array
    v: Array | None = None


def branch_jump_event(t: float) -> Event:
    """A determinant that changed its sign in a step up to time t and was not seen to pass zero."""
    text = "the sense of the loops' equations changed within a step without a singular position: another branch"
    return Event(t, BRANCH, "jump", text)


def left_branch(model: Model, passed: PassedSingularity, after: Array) -> Event | None:
    """The event of a motion that goes on along another branch than the one it came on."""
    angle = angle_between_sheets(model.kinematics, passed.q, passed.before, after)
    return None if angle is None else _left_branch_event(passed, f"at an angle of {angle:.2f} to the one it came on")


def stays_singular(model: Model, passed: PassedSingularity, q: Array) -> Event | None:
    """The event of a motion that is as far behind a singular position as it was regular before, and not regular yet."""
    kinematics = model.kinematics
    far, before = (float(np.linalg.norm(scaled_difference(kinematics, x, passed.q))) for x in (q, passed.before))
    return _left_branch_event(passed, "on which loops stay singular") if far > max(_BEHIND, 2.0 * before) else None


def _left_branch_event(passed: PassedSingularity, how: str) -> Event:
    text = (
        f"after the singular position at t = {passed.t:.9g} s the motion goes on along another branch, {how}: "
        "this formulation does not tell the branches apart there; take the default one, Multipliers()"
    )
    return Event(passed.t, BRANCH, "left", text)


def angle_between_sheets(kinematics: Kinematics, q: Array, before: Array, after: Array) -> float | None:
    """Sine of the angle between the sheets on which two configurations meet the singular one q; None when they are one.

    Lost equations of the singular configuration bend away from zero along all sheets but their own.
    """
    ends = [approach_configuration(kinematics, end, q) for end in (before, after)]
    if ends[0] is None or ends[1] is None:
        return None
    came, goes = (scaled_difference(kinematics, end, q) for end in ends if end is not None)
    found = decompose_scaled(_jacobian_by_length(kinematics, q), complete=True)
    n = int(found.rank(_LOST))
    lost, left = found.null_space(n), found.U[:, n:]
    unit = came / np.linalg.norm(came)
    move, scale = kinematics.all_rows.function(closure_functions.advanced), kinematics.scales.speeds
    far, near = (_jacobian_by_length(kinematics, move(q, x * unit * scale)) for x in (_SHIFT, -_SHIFT))
    B = left.T @ ((far - near) / (2.0 * _SHIFT)) @ lost
    size = np.linalg.norm(B, 2)
    if not size > 0.0:
        return None
    own, other = (float(np.linalg.norm(B @ (lost.T @ x)) / (size * np.linalg.norm(x))) for x in (came, goes))
    return other if other > SAME + CURVED * own else None


def approach_configuration(kinematics: Kinematics, q: Array, target: Array) -> Array | None:
    """A closed configuration near the target, reached from q along the loops; None when they do not lead there."""
    left = np.inf
    for _ in range(_ROUNDS):
        d = scaled_difference(kinematics, target, q)
        size = float(np.linalg.norm(d))
        if size <= NEAR:
            return q
        if not size < left:
            return None
        left = size
        free = decompose_scaled(_jacobian_by_length(kinematics, q), complete=True).null_space(kinematics.rank.rank)
        step = free @ (free.T @ d)
        step *= min(1.0, min(_STRIDE, 0.6 * size) / max(float(np.linalg.norm(step)), TINY))
        q = _close_configuration(
            kinematics, kinematics.all_rows.function(closure_functions.advanced)(q, step * kinematics.scales.speeds)
        )
    return None


def _close_configuration(kinematics: Kinematics, q: Array) -> Array:
    rank, closure = kinematics.rank.rank, ScaledClosure(kinematics)
    for _ in range(4):
        gap = closure.gap(q)
        if np.abs(gap).max() < CLOSED:
            break
        q = closure.moved(q, -least_norm(_jacobian_by_length(kinematics, q), gap, NO_EFFECT, rank))
    return q


def _jacobian_by_length(kinematics: Kinematics, q: Array) -> Array:
    """The closure Jacobian in units of the mechanism's size."""
    return ScaledClosure(kinematics).jacobian(q)


def scaled_difference(kinematics: Kinematics, q: Array, other: Array) -> Array:
    """Displacement from another configuration to q, to first order, (nv,), in units of the mechanism's size."""
    rates, nv = kinematics.all_rows.function(closure_functions.coordinate_rates), kinematics.setup.tree.nv
    E = np.stack([rates(other, x) for x in np.diag(kinematics.scales.speeds)], axis=1) if nv else np.zeros((len(q), 0))
    return least_norm(E, q - other, ROUNDED_AWAY)
