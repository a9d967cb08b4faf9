"""Loops that close in an instant: the impulses, and coordinates and velocities after it (theory 8.12-8.14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import AssemblyError, SingularityError
from linkwright.functions.loop import multiplier_functions
from linkwright.joints.closure_rows import Along
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import LIMIT_SLACK, NO_EFFECT, PARALLEL_AXES
from linkwright.simulation.problem.acceleration_fallback import dense_projection
from linkwright.simulation.switching.switch_events import axes_of_parent
from linkwright.simulation.switching.switches import Anchors, Close, anchored_frame, model_with_loops

_NOTHING = 1e-9
_MOST_UNILATERAL = 12

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LoopRows:
    """Closure equations of one loop: their row indices, and the normal as weights of these rows."""

    indices: Array
    normal: Array | None = None


@dataclass(frozen=True, eq=False)
class Impact:
    """Change of the velocities in the instant in which loops close.

    Attributes:
        v: velocities after it, (nv,).
        wrenches: impulse of parent on child per loop, (6,), [N m s, N s], at the joint, in the child's axes.
        lost: kinetic energy lost per loop, [J].
        kept: names of the loops that pushed; the others let go.
    """

    v: Array
    wrenches: dict[str, Array] = field(default_factory=dict)
    lost: dict[str, float] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()


def rows_of(model: Model, normals: Mapping[str, Vec3 | None]) -> dict[str, LoopRows]:
    """The equations of every loop of a closed mechanism, with the normals of those that have one."""
    kinematics = model.kinematics
    names = [kinematics.loop_of_row(i) for i in range(len(model.scales.rows))]
    out = {}
    for joint in model.mechanism.loops:
        indices = np.array([i for i, name in enumerate(names) if name == joint.name], dtype=int)
        out[joint.name] = LoopRows(indices, _normal_in_rows(model, joint.name, indices, normals.get(joint.name)))
    return out


def _normal_in_rows(model: Model, name: str, indices: Array, normal: Vec3 | None) -> Array | None:
    """Weights of a loop's equations that give the gap along the normal."""
    joint = next(j for j in model.mechanism.loops if j.name == name)
    if joint.kind.rod_length is not None:
        return np.ones(1)
    if normal is None:
        return None
    if not holds_along(joint, normal):
        raise SingularityError(
            f"loop '{name}' has the normal {tuple(normal)}, along which its joint does not hold; turn the normal"
        )
    u = axes_of_parent(joint).T @ np.array(normal)
    out = np.zeros(len(indices))
    for row, direction in _held_directions(joint):
        out[row] = direction @ u
    return out


def holds_along(joint: Joint, normal: Vec3) -> bool:
    """Return True if a closed loop lets nothing move along a direction in the parent body's axes."""
    u = axes_of_parent(joint).T @ np.array(normal)
    left = u - sum((direction @ u) * direction for _, direction in _held_directions(joint))
    return bool(np.abs(left).max() <= PARALLEL_AXES)


def _held_directions(joint: Joint) -> list[tuple[int, Array]]:
    """Directions of a loop's frame on its parent in which it holds, each with the number of its equation."""
    return [(row, equation.u) for row, equation in enumerate(joint.kind.closure_rows()) if isinstance(equation, Along)]


def closing_impact(
    model: Model,
    q: Array,
    v: Array,
    normals: Mapping[str, Vec3 | None],
    rebound: dict[str, float],
) -> Impact:
    """Velocities after all loops of `model` have closed at q.

    Args:
        model: a mechanism with all loops closed that take part.
        q, v: coordinates with every loop closed, velocities before.
        normals: loops that can only push, and along what.
        rebound: share of the approach speed along the normal that is given back, per loop; 0 for others.
    """
    M, J = model.mass_matrix(q), model.closure_jacobian(q)
    rows = rows_of(model, normals)
    size = float(np.abs(v).max(initial=0.0))
    for kept in _loop_subsets(rows, normals):
        taking_part = [name for name in rows if name in kept]
        wanted = _required_gap_rates(J, v, rows, taking_part, rebound)
        indices = _row_indices(model, rows, taking_part)
        v_new, lam = velocity_jump(model, M, J, wanted, v, indices)
        if _has_only_pushing_impulses(rows, taking_part, normals, lam) and _has_only_parting_loops(
            J, v_new, rows, kept, normals, size
        ):
            return _impact_record(model, q, v, v_new, J, lam, rows, kept)
    raise SingularityError(
        f"'{model.mechanism.name}' meets {', '.join(sorted(normals))} in an instant for which no pushing impulses are "
        "found; leave out Open(...) of the loops that may pull"
    )


def _loop_subsets(rows: dict[str, LoopRows], unilateral: Mapping[str, object]) -> Iterator[frozenset[str]]:
    """Sets of loops to try: all, then fewer and fewer of those that can only push."""
    free = [name for name in rows if name in unilateral][:_MOST_UNILATERAL]
    always = frozenset(rows) - frozenset(free)
    for n in range(len(free), -1, -1):
        for some in combinations(free, n):
            yield always | frozenset(some)


def _row_indices(model: Model, rows: dict[str, LoopRows], taking_part: list[str]) -> Array:
    """Indices of the equations that hold; couplings always do."""
    n = len(model.scales.rows)
    couplings = np.arange(n - len(model.mechanism.couplings), n)
    return np.concatenate([*(rows[name].indices for name in taking_part), couplings]).astype(int)


def _required_gap_rates(
    J: Array, v: Array, rows: dict[str, LoopRows], taking_part: list[str], rebound: dict[str, float]
) -> Array:
    """Gap rates after the impact, (n_all,)."""
    out = np.zeros(len(J))
    for name in taking_part:
        normal = rows[name].normal
        if rebound.get(name) and normal is not None:
            out[rows[name].indices] = -rebound[name] * (normal @ J[rows[name].indices] @ v) * normal
    return out


def velocity_jump(model: Model, M: Array, J: Array, wanted: Array, v: Array, indices: Array) -> tuple[Array, Array]:
    """Velocities v+ with M (v+ - v) = J^T lam and J v+ = wanted on some of the rows; lam (n_all,) of least norm."""
    scale = model.scales
    equations = decompose_scaled(J[indices], scale.rows[indices], scale.speeds, complete=True)
    inertia = scale.speeds[:, None] * M * scale.speeds
    before = v / scale.speeds
    rank, U, s = int(equations.rank(NO_EFFECT)), equations.U, equations.s
    held, free = equations.row_space(rank), equations.null_space(rank)
    after = held @ ((U[:, :rank].T @ (wanted[indices] / scale.rows[indices])) / s[:rank])
    try:
        after = after + free @ np.linalg.solve(free.T @ inertia @ free, free.T @ inertia @ (before - after))
    except np.linalg.LinAlgError:
        raise SingularityError(
            f"'{model.mechanism.name}' can move without moving any mass when its loops close, so the velocities after "
            "it are not determined; give its bodies mass"
        ) from None
    lam = np.zeros(len(J))
    lam[indices] = U[:, :rank] @ ((held.T @ (inertia @ (after - before))) / s[:rank]) / scale.rows[indices]
    return after * scale.speeds, lam


def _has_only_pushing_impulses(
    rows: dict[str, LoopRows], names: list[str], normals: Mapping[str, object], lam: Array
) -> bool:
    """Return True if the loops that can only push do so."""
    size = _NOTHING * float(np.abs(lam).max(initial=0.0))
    pushed = ((rows[name].normal, lam[rows[name].indices]) for name in names if name in normals)
    return all(normal is None or normal @ part >= -size for normal, part in pushed)


def _has_only_parting_loops(
    J: Array, v: Array, rows: dict[str, LoopRows], kept: frozenset[str], normals: Mapping[str, object], size: float
) -> bool:
    """Return True if no loop that opened is approaching again."""
    for name, each in rows.items():
        if name not in kept and each.normal is not None:
            row = each.normal @ J[each.indices]
            if row @ v < -_NOTHING * size * float(np.abs(row).max(initial=0.0)):
                return False
    return True


def _impact_record(
    model: Model,
    q: Array,
    v: Array,
    v_new: Array,
    J: Array,
    lam: Array,
    rows: dict[str, LoopRows],
    kept: frozenset[str],
) -> Impact:
    zero = np.zeros(model.nv)
    _, cut = model.loop_kernels.function(multiplier_functions.loop_joint_wrenches)(
        q, zero, zero, np.zeros(model.na), lam
    )
    wrenches = {joint.name: np.asarray(cut[i]) for i, joint in enumerate(model.mechanism.loops) if joint.name in kept}
    rates = J @ (v + v_new)
    lost = {name: -0.5 * float(lam[each.indices] @ rates[each.indices]) for name, each in rows.items() if name in kept}
    return Impact(v_new, wrenches, lost, kept)


_ROUNDS = 6


@dataclass(frozen=True, eq=False)
class ClosedState:
    """State after loops have closed: coordinates on all of them, the impact, the loops that stay closed or bounce."""

    q: Array
    impact: Impact
    closed: frozenset[str]
    bounced: frozenset[str]
    anchors: dict[str, RigidTransform]


def closed_at(
    model: Model,
    state: tuple[Array, Array],
    closed: frozenset[str],
    anchors: Anchors,
    closing: Sequence[Close],
    pushing: dict[str, Vec3 | None],
) -> ClosedState:
    """State of the mechanism after some loops close; those in `pushing` open rather than pull along their normals."""
    q, v = state
    met = dict(anchors) | {
        each.loop: anchored_frame(model, each.loop, q, each.normal) for each in closing if each.anchor
    }
    whole = model_with_loops(model, closed | {each.loop for each in closing}, met, q)
    for each in closing:
        _require_met(whole, each, q)
    q = on_loops(whole, q)
    normals = dict(pushing) | {each.loop: each.normal for each in closing if each.restitution > 0.0}
    rebound = _rebound_restitutions(whole, q, v, normals, closing)
    found = closing_impact(whole, q, v, normals, rebound)
    _require_no_gain(model, q, v, found)
    stay = found.kept - frozenset(rebound)
    return ClosedState(
        q, found, stay, frozenset(rebound) & found.kept, {name: met[name] for name in met if name in stay}
    )


def _require_met(whole: Model, switch: Close, q: Array) -> None:
    kinematics = whole.kinematics
    rows = rows_of(whole, {})[switch.loop].indices
    gaps = np.abs(whole.closure_residual(q)[rows] / kinematics.scales.rows[rows])
    if gaps.max(initial=0.0) > switch.tolerance:
        raise AssemblyError(
            f"loop '{switch.loop}' cannot close here: its sides are {gaps.max() * kinematics.scales.length:.2g} m (or, "
            f"of angles, {gaps.max():.2g} rad) apart; start so that they meet, or join them where they are with "
            f"Close('{switch.loop}', anchor=True)",
            gap=float(gaps.max()),
        )


def on_loops(model: Model, q: Array) -> Array:
    """Coordinates brought onto all loops, as near as rounding allows."""
    best, v = q, np.zeros(model.nv)
    for _ in range(_ROUNDS):
        _, nearer = dense_projection(model, best, v)
        if not np.abs(model.closure_residual(nearer)).max() < np.abs(model.closure_residual(best)).max():
            break
        best = nearer
    return best


def _rebound_restitutions(
    whole: Model, q: Array, v: Array, normals: dict[str, Vec3 | None], closing: Sequence[Close]
) -> dict[str, float]:
    """Restitution of the loops that part again faster than their `settle`."""
    J, rows = whole.closure_jacobian(q), rows_of(whole, normals)
    out = {}
    for each in closing:
        normal = rows[each.loop].normal
        if each.restitution > 0.0 and normal is not None:
            approach = -float(normal @ J[rows[each.loop].indices] @ v)
            if each.restitution * approach > each.settle:
                out[each.loop] = each.restitution
    return out


def _require_no_gain(model: Model, q: Array, v: Array, found: Impact) -> None:
    before, lost = float(model.energy(q, v)[0]), sum(found.lost.values())
    if lost < -LIMIT_SLACK * before:
        names = ", ".join(f"'{name}'" for name in sorted(found.kept))
        raise SingularityError(
            f"'{model.mechanism.name}' would gain {-lost:.3g} J of kinetic energy when the sides of {names} meet: "
            "restitution along a normal does not fit sides that stick across it; take restitution=0, or a rod"
        )
