"""Drag a closed mechanism: goals of a pull, and the nearest closed configuration on the branch it is on."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.transforms import frame_with_z
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightWarning, withheld_warnings
from linkwright.mechanism.tree import Tree
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import CLOSED, DIFFERENCE_STEP, NO_EFFECT, SAME_CONFIGURATION, TINY, UNSEEN
from linkwright.recursion.twist_recursion import advance_coordinates

Array = np.ndarray
_LIGHT = 1e-3  # what a direction counts in which nobody pulls


@dataclass(frozen=True, eq=False)
class Grip:
    """A model ready to be dragged.

    Attributes:
        model: the mechanism.
        tree: its tree, which moves coordinates by displacements.
        size: its size [m], which makes angles and lengths comparable.
        bending: indices of the velocities that bend flexible links; dragging moves links, it does not bend them.
    """

    model: Model
    tree: Tree
    size: float
    bending: tuple[int, ...] = ()

    @property
    def reach(self) -> float:
        """The length [m] that a turn of the platform is multiplied by."""
        return 0.25 * self.size


class Goal(Protocol):
    """Target of a pull at something of a mechanism."""

    def weights(self, grip: Grip) -> Array:
        """Weight of each component of the error, (k,); those below one are followed only where the others allow it."""
        ...

    def error(self, grip: Grip, q: Array) -> Array:
        """Remaining error, (k,), [m]."""
        ...

    def derivative(self, grip: Grip, q: Array, N: Array) -> Array:
        """Decrease of the error along the motions N (nv, m), (k, m)."""
        ...

    def message(self, missed: float) -> str:
        """Message when the mechanism cannot come nearer than `missed` [m]."""
        ...


@dataclass(frozen=True, eq=False)
class PlatformPose:
    """The platform at xyz (3,) [m] with the quaternion wxyz (4,), which outweighs the position when `turning`."""

    xyz: Array
    wxyz: Array
    turning: bool = False

    def weights(self, grip: Grip) -> Array:
        """Equal weights; with fewer than six freedoms what is not pulled at has a small weight."""
        light = 1.0 if grip.model.mobility >= 6 else _LIGHT
        return np.repeat([1.0, light] if self.turning else [light, 1.0], 3)

    def error(self, grip: Grip, q: Array) -> Array:
        """Half sines of the turns times the mechanism's reach, and lengths, (6,), [m]."""
        r, now = grip.model.frame_pose(q, str(grip.model.mechanism.platform))
        M = rotations.rotation_matrix(self.wxyz) @ rotations.rotation_matrix(now).T
        turn = 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
        return np.concatenate([grip.reach * turn, self.xyz - r])

    def derivative(self, grip: Grip, q: Array, N: Array) -> Array:
        """The platform's Jacobian along the motions, with its turns as lengths, (6, m)."""
        J = grip.model.frame_jacobian(q, str(grip.model.mechanism.platform)) @ N
        J[:3] *= grip.reach
        return J

    def message(self, missed: float) -> str:
        """Message for a pose, which is meant to be reached."""
        return f"the target is out of reach: stopped {missed:.3g} m before it, at the boundary"


@dataclass(frozen=True, eq=False)
class BodyPoint:
    """A point of a body, (3,) [m] in its frame, at a position on the screen.

    Attributes:
        body: number of the body.
        point: which point of it, in its frame.
        xyz: where to, in the world.
        sight: unit vector of the line of sight, along which it may move freely.
    """

    body: int
    point: Array
    xyz: Array
    sight: Array

    def weights(self, grip: Grip) -> Array:
        """Weight one in the plane of the screen, a small weight along the line of sight."""
        return np.array([1.0, 1.0, _LIGHT])

    def error(self, grip: Grip, q: Array) -> Array:
        """Error across and along the line of sight, (3,), [m]."""
        return frame_with_z(self.sight).T @ (self.xyz - self.position(grip, q))

    def derivative(self, grip: Grip, q: Array, N: Array) -> Array:
        """Central differences along the motions, (3, m): no function has to be compiled for the body first."""
        ways = (DIFFERENCE_STEP, -DIFFERENCE_STEP)
        moved = [advance_coordinates(grip.tree, q, way * N[:, k]) for way in ways for k in range(N.shape[1])]
        ahead, behind = np.split(self.position(grip, np.array(moved).reshape(-1, q.size)), 2)
        return frame_with_z(self.sight).T @ (ahead - behind).T / (2.0 * DIFFERENCE_STEP)

    def position(self, grip: Grip, q: Array) -> Array:
        """Position of the point in the world at coordinates (..., nq), (..., 3), [m]."""
        poses = grip.model.body_poses(q)
        return poses.position[..., self.body, :] + poses.rotation[..., self.body, :, :] @ self.point

    def message(self, missed: float) -> str:
        """Message for a point, which follows a pointer that may leave its path."""
        return f"as near as the mechanism comes: {missed:.3g} m from the pointer"


_STEPS = 8  # of the search for the pose
_NEARER = 0.999999  # share of the distance that a step must not exceed to count as one
_STILL = 1e-7  # a step that changes no coordinate by more ends the search: nothing comes nearer
_DESCRIBED = 64
_LONGEST = 0.15  # of one such step, in rad or shares of the mechanism's size
_MOST_STEPS = 1000  # of one move: about 24 turns


@dataclass(frozen=True, eq=False)
class Pull:
    """End of a drag: coordinates, True if the target was reached, and a message when it was not."""

    q: Array
    reached: bool
    message: str = ""


def pull_towards_goal(grip: Grip, q: Array, goal: Goal) -> Pull:
    """Closed coordinates that bring what is pulled as near as it can come to its goal, from the closed coordinates q.

    Mechanisms with few freedoms cannot follow all of a goal: what is pulled at counts a thousand times as much as the
    rest.
    """
    weights = goal.weights(grip)
    best, error, damping = q, goal.error(grip, q) * weights, 1e-6
    N, A = _motions_towards_goal(grip, best, goal, weights)
    for _ in range(_STEPS):
        trial = _damped_step(grip, best, N, A, error, damping)
        found = None if trial is None else goal.error(grip, trial) * weights
        if trial is None or found is None or np.linalg.norm(found) > _NEARER * np.linalg.norm(error):
            damping *= 30.0
            if damping > 10.0 or (trial is not None and np.abs(trial - best).max() < _STILL):
                break
            continue
        best, error, damping = trial, found, max(damping / 30.0, 1e-9)
        if np.abs(error).max() < 1e-10 * grip.size:
            break
        N, A = _motions_towards_goal(grip, best, goal, weights)
    return _judge_pull(grip, q, best, float(np.linalg.norm(error[weights >= 1.0])), goal)


def _motions_towards_goal(grip: Grip, q: Array, goal: Goal, weights: Array) -> tuple[Array, Array]:
    """The motions that the loops allow, and how they lessen the weighted error."""
    N = free_motions(grip, q)
    return N, goal.derivative(grip, q, N) * weights[:, None]


def _judge_pull(grip: Grip, q: Array, best: Array, missed: float, goal: Goal) -> Pull:
    """The end of a pull, taken back when it lies on another branch."""
    if branch_name(grip, best) != branch_name(grip, q):
        return Pull(q, False, "stopped at the edge of this assembly mode: beyond it lies a singularity")
    if missed < UNSEEN * grip.size:
        return Pull(best, True)
    return Pull(best, False, goal.message(missed))


def branch_name(grip: Grip, q: Array) -> str:
    """The name of the assembly mode of closed coordinates."""
    return describe_configuration(grip, q.tobytes()).branch


def describe_configuration(grip: Grip, q: bytes) -> Any:
    """Branch and distance to a singularity, kept for some configurations: where one drag ends the next begins."""
    model = grip.model
    with withheld_warnings(LinkwrightWarning):  # a dragged crank may be many turns away
        return model.cache.recent("described", q, lambda: model.assemble(guess=np.frombuffer(q), guesses=1), _DESCRIBED)


def _damped_step(grip: Grip, q: Array, N: Array, A: Array, error: Array, damping: float) -> Array | None:
    """One damped step towards a goal along the motions N, closed again; None when it does not close."""
    y = np.linalg.solve(A.T @ A + damping * grip.size**2 * np.eye(A.shape[1]), A.T @ error)
    dv = N @ y
    longest = np.abs(dv).max(initial=0.0)
    limit = _LONGEST * min(1.0, max(grip.size, 1e-3))
    return close_dragged_loops(grip, advance_coordinates(grip.tree, q, dv * min(1.0, limit / max(longest, TINY))))


def free_motions(grip: Grip, q: Array) -> Array:
    """An orthonormal basis of the velocities that keep all loops closed and no link bending, (nv, freedoms)."""
    nv, bending = grip.model.nv, grip.bending
    J = np.vstack([grip.model.closure_jacobian(q).reshape(-1, nv), np.eye(nv)[list(bending)]])
    return decompose_scaled(J, complete=True).null_space(nv - grip.model.mobility + len(bending))


def _rigid_closure_jacobian(grip: Grip, q: Array) -> Array:
    """The closure Jacobian without the velocities that bend links."""
    J = np.array(grip.model.closure_jacobian(q))
    J[:, list(grip.bending)] = 0.0
    return J


def close_dragged_loops(grip: Grip, q: Array, steps: int = 8) -> Array | None:
    """The coordinates with their loops closed by least-norm Newton steps; None when they do not close."""
    rank = grip.model.nv - grip.model.mobility
    for _ in range(steps):
        gap = grip.model.closure_residual(q)
        if np.abs(gap).max(initial=0.0) < CLOSED:
            return q
        q = advance_coordinates(grip.tree, q, -decompose_scaled(_rigid_closure_jacobian(grip, q)).solution(gap, rank))
        if not np.isfinite(q).all():
            return None
    return q if np.abs(grip.model.closure_residual(q)).max(initial=0.0) < 1e-10 else None


def drive_actuators(grip: Grip, q: Array, q_act: Array, now: Array) -> Pull:
    """Closed coordinates with the actuators at q_act, or as near to it on the way from `now` as the loops close."""
    way = q_act - now
    needed = float(np.abs(way).max(initial=0.0)) / (_LONGEST * min(1.0, grip.size))
    if not needed <= _MOST_STEPS:
        return Pull(q, False, "the actuators are to move too far at once: move them by fewer turns at a time")
    count = max(1, int(np.ceil(needed)))
    best = q
    for k in range(1, count + 1):
        trial = close_with_actuators(grip, best, now + way * (k / count))
        if trial is None or branch_name(grip, trial) != branch_name(grip, q):
            text = "the loops cannot close beyond this position of the actuators: stopped at the boundary"
            return Pull(best, False, text)
        best = trial
    return Pull(best, True)


def close_with_actuators(grip: Grip, q: Array, q_act: Array, steps: int = 10) -> Array | None:
    """Closed coordinates near q with the actuators at q_act by Newton steps; None when there are none near."""
    for _ in range(steps):
        gap, missing = grip.model.closure_residual(q), _actuator_errors(grip, q, q_act)
        if max(np.abs(gap).max(initial=0.0), np.abs(missing).max(initial=0.0)) < CLOSED:
            return q
        A = np.vstack([_rigid_closure_jacobian(grip, q), _drive_velocity_map(grip.model, q)])
        dv = least_norm(A, np.concatenate([-gap, missing]), NO_EFFECT)
        if not np.abs(dv).max(initial=0.0) < 1.0 + 2.0 * grip.size:
            return None
        q = advance_coordinates(grip.tree, q, dv)
    return None


def _actuator_errors(grip: Grip, q: Array, q_act: Array) -> Array:
    """What the actuators lack of q_act, (na,); those at cut joints have angles between -pi and pi."""
    missing = q_act - grip.model.actuator_positions(q)
    cut = actuators_at_cuts(grip.model)
    missing[cut] -= 2.0 * np.pi * np.round(missing[cut] / (2.0 * np.pi))
    return missing


def _drive_velocity_map(model: Model, q: Array) -> Array:
    """Velocities of the actuators per generalized velocity, (na, nv)."""
    each = np.eye(model.nv)
    return model.actuator_velocities(each, np.tile(q, (model.nv, 1))).T


def actuators_at_cuts(model: Model) -> list[int]:
    """Numbers of the actuators that turn cut joints."""

    def found() -> list[int]:
        cut = {joint.name for joint in model.mechanism.loops}
        return [k for k, each in enumerate(model.actuators) if each.joint in cut and not each.is_sliding]

    return model.cache.get("actuators at cuts", found)


def another_mode(model: Model, q: Array, q_act: Array) -> tuple[Array, str]:
    """The next assembly mode with the same actuator positions, and a message."""
    modes: list[Any] = model.assembly_modes(q_act)
    far = [i for i, mode in enumerate(modes) if np.abs(mode.q - q).max() > SAME_CONFIGURATION]
    here = next((i for i in range(len(modes)) if i not in far), -1)
    if not far:
        return q, "no other assembly mode was found for these actuator positions"
    chosen = next((i for i in far if i > here), far[0])
    return modes[chosen].q, f"assembly mode {chosen + 1} of {len(modes)} found for these actuator positions"
