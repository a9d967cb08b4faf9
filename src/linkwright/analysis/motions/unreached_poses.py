"""The error for a motion that cannot be followed: the first time, the reason, and the leg that does not reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.analysis.performance.output_components import OutputFrame, output_jacobians, sliding_actuators
from linkwright.errors import AssemblyError, LinkwrightError
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.numerics.dense import decompose_scaled

Array = np.ndarray
Again = Callable[[Pose, Array], Array]
_HALVINGS = 14
_BLOCK = 8


def first_unreached(rows: int, solve: Callable[[slice, Array | None], Array]) -> tuple[int, Array | None] | None:
    """The first row of a path that has no result, and the coordinates before it; None where all have.

    `solve` gives coordinates of rows from a start, NaN where there are none. Rows that fail cost much more than others,
    so that a path is not run to its end behind one.
    """
    before: Array | None = None
    for at in range(0, rows, _BLOCK):
        found = solve(slice(at, min(at + _BLOCK, rows)), before)
        if np.isfinite(found).all():
            before = found[-1]
            continue
        for row in range(at, min(at + _BLOCK, rows)):
            one = solve(slice(row, row + 1), before)[0]
            if not np.isfinite(one).all():
                return row, before
            before = one
    return None


def first_unreached_error(
    model: Model,
    t: Array,
    row: int,
    repeat: Callable[[], Any],
    way: tuple[OutputFrame, Array, Pose, Again] | None,
    along: str = "t",
) -> AssemblyError:
    """The error for the first row that has no result.

    Args:
        repeat: computes that row alone, which raises the reason.
        way: the frame, the coordinates before, the pose that is not reached, and inverse kinematics.
        along: symbol of what the rows go along: time "t", or the parameter "s" of a path.
    """
    reason, leg = _failure_reason(repeat), None if way is None else _fastest_actuator(model, *way)
    unit = " s" if along == "t" else ""
    which = "" if leg is None else f"; the leg of actuator '{leg}' does not reach"
    return AssemblyError(
        f"the motion of '{model.mechanism.name}' cannot be followed "
        f"from {along} = {t[row]:.6g}{unit} on{which}: {reason}",
        time=float(t[row]),
        row=row,
        actuator=leg,
    )


def _failure_reason(repeat: Callable[[], Any]) -> str:
    try:
        repeat()
    except LinkwrightError as error:
        return str(error)
    return "it is too far from the row before; use smaller steps of time"


def _fastest_actuator(model: Model, moved: OutputFrame, q: Array, wanted: Pose, again: Again) -> str | None:
    """The actuator that has to move fastest, in the mechanism's units, where the way to the wanted pose ends.

    A leg that is stretched or folded moves its actuator without end for a step of the platform.
    """
    start = model.frame_pose(q, moved.frame)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        try:
            q, low = again(_pose_on_way(start, wanted, middle), q), middle
        except LinkwrightError:
            high = middle
    J = output_jacobians(model, q[None], moved.frame)[0][list(moved.components)]
    if not np.isfinite(J).all():
        return None
    L = float(model.singularity(q).length)
    units = np.array([1.0 if i < 3 else 1.0 / L for i in moved.components])[:, None]
    rows = np.linalg.norm(decompose_scaled(units * J * np.where(sliding_actuators(model), L, 1.0)).inverse(), axis=1)
    return model.actuated[int(np.argmax(rows))]


def _pose_on_way(a: Pose, b: Pose, share: float) -> Pose:
    """A pose on the way: position and quaternion in proportion, the short way round."""
    wxyz = b.quaternion_wxyz * (1.0 if a.quaternion_wxyz @ b.quaternion_wxyz >= 0.0 else -1.0)
    mixed = (1.0 - share) * a.quaternion_wxyz + share * wxyz
    return Pose((1.0 - share) * a.position + share * b.position, mixed / np.linalg.norm(mixed))
