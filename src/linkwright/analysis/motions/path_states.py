"""Coordinates, velocities and accelerations along given motions, and the reasons why a motion is not followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra.rotations import quaternion_product
from linkwright.analysis.performance.output_components import (
    NAMES,
    OutputFrame,
    output_jacobians,
    output_of,
    sliding_actuators,
)
from linkwright.control.pose_references import Kinematics
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError, BatchWarning, LinkwrightError, withheld_warnings
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import SAME_CONFIGURATION

# --- components of given poses that a frame does not follow -----------------------------------------------------------

Array = np.ndarray


def require_followed(model: Model, moved: OutputFrame, given: Pose, q: Array) -> None:
    """Refuse poses (n) that vary a component which the states q (n, nq) do not follow.

    Constants pass: rows may have zeros where the mechanism stands elsewhere. So do components that the mechanism turns
    or shifts in this very way without being asked.
    """
    others = [i for i in range(6) if i not in moved.components]
    if not others or not len(q):
        return
    wanted = _since_first(given)
    unit = np.array([1.0] * 3 + [float(model.scales.length)] * 3)
    varied = [i for i in others if np.abs(wanted[:, i]).max() > SAME_CONFIGURATION * unit[i]]
    if not varied:
        return
    off = _since_first(_pose_difference(given, model.frame_pose(q, moved.frame)))
    lost = [NAMES[i] for i in varied if np.abs(off[:, i]).max() > SAME_CONFIGURATION * unit[i]]
    if lost:
        raise ArgumentError(
            f"the given poses vary {', '.join(lost)}, which the output '{moved.description}' of "
            f"'{model.mechanism.name}' does not follow; keep {'it' if len(lost) == 1 else 'them'} constant, or name "
            f"the components that count, components={list(moved.names)}",
            name="pose",
        )


def _since_first(pose: Pose) -> Array:
    """Turns and shifts since the first row in the order of NAMES, (n, 6), world axes; of turns, 2 sin(angle / 2)."""
    shift = pose.position - pose.position[0]
    turn = _turn_between(pose.quaternion_wxyz, np.broadcast_to(pose.quaternion_wxyz[0], pose.quaternion_wxyz.shape))
    return np.concatenate([2.0 * turn[:, 1:] * np.where(turn[:, :1] < 0.0, -1.0, 1.0), shift], axis=1)


def _pose_difference(wanted: Pose, found: Pose) -> Pose:
    return Pose(wanted.position - found.position, _turn_between(found.quaternion_wxyz, wanted.quaternion_wxyz))


def _turn_between(to: Array, start: Array) -> Array:
    """Quaternions (n, 4) of the turns in world axes from `start` to `to`."""
    return quaternion_product(to.T, (start * np.array([1.0, -1.0, -1.0, -1.0])).T).T


# --- the error for a motion that cannot be followed -------------------------------------------------------------------

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


# --- coordinates, velocities and accelerations along given motions of a frame or of the actuators ---------------------


@dataclass(frozen=True, eq=False)
class PathStates:
    """Coordinates (n, nq), velocities and accelerations (n, nv)."""

    q: Array
    v: Array
    a: Array


def actuator_states(
    model: Model, t: Array, given: tuple[Array, Array, Array], near: Any, along: str = "t"
) -> PathStates:
    """States at positions, rates and accelerations of the actuators, (n, na) each; row after row from home."""
    positions, rates, second = given

    def solve(rows: slice, start: Any) -> Array:
        return _call_without_warnings(model.forward_kinematics, positions[rows], near=near if start is None else start)[
            0
        ]

    failed = first_unreached(len(t), solve)
    if failed is not None:
        row, before = failed
        start = near if before is None else before
        raise first_unreached_error(
            model, t, row, lambda: model.forward_kinematics(positions[row], near=start), None, along
        )
    first = "previous" if near is None else near
    return PathStates(*_call_without_warnings(model.forward_kinematics, positions, rates, second, near=first))


def frame_states(
    model: Model, t: Array, given: Kinematics, frame: Any, components: Any, near: Any, along: str = "t"
) -> PathStates:
    """States at poses, twists and twist rates of a frame; row after row from home.

    Without `components`, poses that vary a component which the mechanism does not move are refused.
    """
    moved = output_of(model, frame, components)
    pose, twist, rate = given
    named: dict[str, Any] = {"frame": moved.frame, "components": None if len(moved.components) == 6 else moved.names}

    def solve(rows: slice, start: Any) -> Array:
        part = Pose(pose.position[rows], pose.quaternion_wxyz[rows])
        return _call_without_warnings(model.inverse_kinematics, part, near=near if start is None else start, **named)[0]

    def again(at: Pose, q: Array) -> Array:
        return model.inverse_kinematics(at, near=q, **named)[0]

    failed = first_unreached(len(t), solve)
    if failed is not None:
        row, before = failed
        start = model.assemble().q if before is None and near is None else near if before is None else before
        wanted = Pose(pose.position[row], pose.quaternion_wxyz[row])
        raise first_unreached_error(
            model, t, row, lambda: again(wanted, start), (moved, np.asarray(start), wanted, again), along
        )
    first = "previous" if near is None else near
    found = PathStates(*_call_without_warnings(model.inverse_kinematics, pose, twist, rate, near=first, **named))
    if components is None:
        require_followed(model, moved, pose, found.q)
    return found


def _call_without_warnings(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """A call without warnings of rows that have no result."""
    with withheld_warnings(BatchWarning):
        return function(*given, **named)
