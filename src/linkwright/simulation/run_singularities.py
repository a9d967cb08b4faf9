"""Singular positions of a run: their kind, the branch after them (theory 8.16), independent velocities to continue in.

Where the loops' equations lose rank several motions meet. The test of the branch is geometric and uses no velocity:
from the last regular configuration before the passage and from the first one after it the loops are followed towards
the singular configuration; near it the two must lie on one smooth sheet.
"""

from __future__ import annotations

import math

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.functions.loop import closure_functions
from linkwright.functions.stepping import stepping_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled, least_norm, median_of_numbers, singular_values
from linkwright.numerics.tolerances import CLOSED, NO_EFFECT, ROUNDED_AWAY, TINY
from linkwright.results.series import Event
from linkwright.simulation.problem.acceleration_fallback import ScaledClosure
from linkwright.simulation.problem.problem import Problem, coordinate_of_velocity, in_velocities

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
        q = closure.displace(q, -least_norm(_jacobian_by_length(kinematics, q), gap, NO_EFFECT, rank))
    return q


def _jacobian_by_length(kinematics: Kinematics, q: Array) -> Array:
    """The closure Jacobian in units of the mechanism's size."""
    return ScaledClosure(kinematics).jacobian(q)


def scaled_difference(kinematics: Kinematics, q: Array, other: Array) -> Array:
    """Displacement from another configuration to q, to first order, (nv,), in units of the mechanism's size."""
    rates, nv = kinematics.all_rows.function(closure_functions.coordinate_rates), kinematics.setup.tree.nv
    E = np.stack([rates(other, x) for x in np.diag(kinematics.scales.speeds)], axis=1) if nv else np.zeros((len(q), 0))
    return least_norm(E, q - other, ROUNDED_AWAY)


# Where the determinant vanishes the constraint's smallest singular value is either as small as the interpolant's error,
# or far larger. A state whose loops are open by a gap is as far from a closed singular one as the root of the gap:
# there the loops' equations meet like curves that touch.
TRUE_SINGULARITY = 1e-5

# States of a run are closed far better than to the square of this share, so equations above it keep their rank.
_SURELY_REGULAR = 0.03

# A determinant above this share of its usual size is far from zero.
FAR = 1e-3

# Where all determinants are above this share of their usual sizes the configuration is regular.
REGULAR = 0.05
TYPE_2 = 1e-5
_POOR = 0.2


@dataclass(frozen=True, eq=False)
class Passage:
    """A singularity passed at time t, at q, with v if known; `true` where the loops' equations lose rank; its event."""

    t: float
    true: bool
    event: Event | None
    q: np.ndarray
    v: np.ndarray | None = None


def determinant_sizes(problem: Problem, q: np.ndarray) -> np.ndarray:
    """Magnitudes of the determinants that are watched, (blocks,)."""
    assert problem.watched is not None
    return np.abs(problem.watched.function(stepping_functions.closure_blocks)(q))


def usual_sizes(problem: Problem) -> np.ndarray:
    """The usual magnitudes of those determinants: their medians over the mechanism's own samples, (blocks,)."""
    if problem.watched is None:
        return np.zeros(0)
    kinematics = problem.model.kinematics
    samples = kinematics.branch_samples
    return problem.model.nominal_cache.get(
        "usual sizes", lambda: np.array([median_of_numbers(x) for x in determinant_sizes(problem, samples).T])
    )


def singular_passage(problem: Problem, q: np.ndarray, t: float) -> Passage:
    """Kind of the singularity at coordinates q and time t, where a determinant is least."""
    J = _scaled_jacobian(problem, q)
    least = math.inf if _is_regular(problem, J) else ScaledClosure(problem.model.kinematics).loosest(J)
    if least < math.inf and least < max(TRUE_SINGULARITY, math.sqrt(largest_closure_gap(problem, q))):
        text = (
            f"the loops' equations lose rank (smallest singular value {least:.1e} of the largest), "
            "so the motion may branch"
        )
        return Passage(t, True, Event(t, "singularity", "constraint", text), q)
    if is_watching_actuators(problem) and not np.all(determinant_sizes(problem, q) > TYPE_2 * usual_sizes(problem)):
        return Passage(t, False, type_2(t), q)
    return Passage(t, False, None, q)


def passed_position(t: float, mismatch: float, lost: int) -> Event:
    """Branches that cross where equations are lost."""
    equations = "one of the loops' equations is" if lost == 1 else f"{lost} of the loops' equations are"
    text = (
        f"the loops' equations lose rank: {equations} lost where branches cross (lengths agree to {mismatch:.1e} of "
        "the mechanism's length)"
    )
    return Event(t, "singularity", "constraint", text)


def change_point_event(problem: Problem, t: float, mismatch: float) -> Event:
    """A motion that turned beside a singular configuration whose lengths miss by a share of the mechanism's."""
    length = mismatch * problem.model.scales.length
    text = (
        f"turned beside a change point, lengths within {mismatch:.1e} of the mechanism's length "
        f"({length:.1e} m): a mechanism of slightly other lengths may go another way there"
    )
    return Event(t, "singularity", "beside", text)


def type_2(t: float) -> Event:
    """The loss of the actuators' hold at time t."""
    return Event(t, "singularity", "type2", "the actuators lose hold of the platform (type 2)")


def _scaled_jacobian(problem: Problem, q: np.ndarray) -> np.ndarray:
    """Jacobian of the loops' equations in the mechanism's own units."""
    return ScaledClosure(problem.model.kinematics).jacobian(q)


def _is_regular(problem: Problem, J: np.ndarray) -> bool:
    """True if the smallest singular value surely is above a share of the largest, which a factorization shows quicker.

    J J^T - s^2 I has a Cholesky factor only if all singular values are above s; the trace bounds the largest squared.
    """
    if len(J) != problem.model.closure_rank.rank:
        return False
    gram = J @ J.T
    gram.flat[:: len(J) + 1] -= _SURELY_REGULAR**2 * gram.trace()
    try:
        np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        return False
    return True


def largest_configuration_difference(problem: Problem, q: np.ndarray, other: np.ndarray) -> float:
    """Largest difference of two configurations, [rad] or shares of the mechanism's length."""
    units = np.ones(problem.model.nq)
    for v_index, q_index in coordinate_of_velocity(problem.model).items():
        units[q_index] = problem.model.scales.speeds[v_index]
    return float(np.abs((q - other) / units).max())


def largest_closure_gap(problem: Problem, q: np.ndarray) -> float:
    """Largest gap of the loops, in the mechanism's own units."""
    return float(np.abs(ScaledClosure(problem.model.kinematics).gap(q)).max())


def is_watching_actuators(problem: Problem) -> bool:
    """Return True if the watched determinants are those of the actuators."""
    assert problem.watched is not None
    speeds = {drive.speed for drive in problem.model.setup.drives}
    return speeds == set(problem.model.independent_indices)


def partition_determinant(problem: Problem, q: np.ndarray) -> float:
    """Determinant of the dependent columns of the state's own partition."""
    assert problem.partitioned is not None
    return float(problem.partitioned.function(stepping_functions.closure_determinant)(q)[0])


def other_independents(problem: Problem, q: np.ndarray) -> Problem | None:
    """The problem in the best independent velocities at q; None when the present ones are good enough."""
    J = _scaled_jacobian(problem, q)
    allowed = coordinate_of_velocity(problem.model) if problem.solves else range(problem.model.nv)
    best = best_set(J, problem.ns, tuple(allowed))
    present = tuple(problem.independent or ())
    if sorted(best) == sorted(present) or partition_condition(J, present) > _POOR * partition_condition(J, best):
        return None
    try:
        return in_velocities(problem, best)
    except LinkwrightError:
        return None


def best_set(J: np.ndarray, n: int, allowed: tuple[int, ...]) -> tuple[int, ...]:
    """The n velocities, of those allowed, best left independent: a pivoted elimination takes their columns last."""
    from scipy.linalg import qr

    others = [i for i in range(J.shape[1]) if i not in allowed]
    base, _ = qr(J[:, others], mode="economic") if others else (np.zeros((len(J), 0)), None)
    left = J[:, list(allowed)] - base @ (base.T @ J[:, list(allowed)])
    _, _, order = qr(left, pivoting=True, mode="economic")
    return tuple(sorted(allowed[i] for i in order[len(allowed) - n :]))


def partition_condition(J: np.ndarray, independent: tuple[int, ...]) -> float:
    """Smallest singular value, of those that count, of the dependent columns, relative to the largest of all."""
    rest = [i for i in range(J.shape[1]) if i not in independent]
    values = singular_values(J[:, rest])
    return float(values[len(rest) - 1] / values[0]) if len(values) >= len(rest) and values[0] > 0 else 0.0
