"""Speeds after loops have closed, and the impulses that do it (theory 8.12-8.14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from linkwright.algebra.vectors import Vec3
from linkwright.errors import SingularityError
from linkwright.kernels import registry
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.simulation.switching.touching import axes_of_parent

_RANK = 1e-9
_NOTHING = 1e-9
_ALONG = 1e-9
_MOST_UNILATERAL = 12
_HELD = {kinds.Planar: (2,), kinds.Prismatic: (0, 1), kinds.Cylindrical: (0, 1), kinds.Screw: (0, 1)}

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Rows:
    """The closure equations of one loop at an instant: their places, and the normal in terms of them."""

    places: Array
    normal: Array | None = None


@dataclass(frozen=True, eq=False)
class Impact:
    """What loops do to speeds in an instant.

    Attributes:
        v: speeds after it, (nv,).
        wrenches: impulse of parent on child per loop, (6,), [N m s, N s], at the joint, in the child's axes.
        lost: kinetic energy lost per loop, [J].
        kept: names of the loops that pushed; the others let go.
    """

    v: Array
    wrenches: dict[str, Array] = field(default_factory=dict)
    lost: dict[str, float] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()


def rows_of(model: Model, normals: Mapping[str, Vec3 | None]) -> dict[str, Rows]:
    """The equations of every loop of a closed mechanism, with the normals of those that have one."""
    kinematics = model.kinematics
    names = [kinematics.loop_of_row(i) for i in range(kinematics.setup.closure.n_all)]
    out = {}
    for joint in model.mechanism.loops:
        places = np.array([i for i, name in enumerate(names) if name == joint.name], dtype=int)
        out[joint.name] = Rows(places, _normal_in_rows(model, joint.name, places, normals.get(joint.name)))
    return out


def _normal_in_rows(model: Model, name: str, places: Array, normal: Vec3 | None) -> Array | None:
    """Weights of a loop's equations that give the gap along the normal."""
    joint = next(j for j in model.mechanism.loops if j.name == name)
    if isinstance(joint.kind, kinds.Distance):
        return np.ones(1)
    if normal is None:
        return None
    if not holds_along(joint, normal):
        raise SingularityError(
            f"loop '{name}' has the normal {tuple(normal)}, along which its joint does not hold; turn the normal"
        )
    held = _held(joint)
    out = np.zeros(len(places))
    out[: len(held)] = (axes_of_parent(joint).T @ np.array(normal))[list(held)]
    return out


def holds_along(joint: Joint, normal: Vec3) -> bool:
    """Whether a closed loop lets nothing move along a direction in the parent body's axes."""
    u = axes_of_parent(joint).T @ np.array(normal)
    return max((abs(u[k]) for k in range(3) if k not in _held(joint)), default=0.0) <= _ALONG


def _held(joint: Joint) -> tuple[int, ...]:
    """Directions of a loop's frame on its parent in which it holds."""
    return _HELD.get(type(joint.kind), (0, 1, 2))


def impact(
    model: Model,
    q: Array,
    v: Array,
    normals: Mapping[str, Vec3 | None],
    rebound: dict[str, float],
) -> Impact:
    """Speeds after all loops of `model` have closed at q.

    Args:
        model: a machine with all loops closed that take part.
        q, v: coordinates with every loop closed, speeds before.
        normals: loops that can only push, and along what.
        rebound: share of the approach speed along the normal that is given back, per loop; 0 for others.
    """
    M, J = model.mass_matrix(q), model.closure_jacobian(q)
    rows = rows_of(model, normals)
    size = float(np.abs(v).max(initial=0.0))
    for kept in _subsets(rows, normals):
        taking_part = [name for name in rows if name in kept]
        wanted = _wanted(J, v, rows, taking_part, rebound)
        places = _places(model, rows, taking_part)
        v_new, lam = jump(model, M, J, wanted, v, places)
        if _pushes(rows, taking_part, normals, lam) and _parts(J, v_new, rows, kept, normals, size):
            return _told(model, q, v, v_new, J, lam, rows, kept)
    raise SingularityError(
        f"'{model.mechanism.name}' meets {', '.join(sorted(normals))} in an instant for which no pushing impulses are "
        "found; leave out Open(...) of the loops that may pull"
    )


def _subsets(rows: dict[str, Rows], unilateral: Mapping[str, object]) -> Iterator[frozenset[str]]:
    """Which loops hold: all, then fewer and fewer of those that can only push."""
    free = [name for name in rows if name in unilateral][:_MOST_UNILATERAL]
    always = frozenset(rows) - frozenset(free)
    for n in range(len(free), -1, -1):
        for some in combinations(free, n):
            yield always | frozenset(some)


def _places(model: Model, rows: dict[str, Rows], taking_part: list[str]) -> Array:
    """Places of the equations that hold; couplings always do."""
    n = model.kinematics.setup.closure.n_all
    couplings = np.arange(n - len(model.mechanism.couplings), n)
    return np.concatenate([*(rows[name].places for name in taking_part), couplings]).astype(int)


def _wanted(J: Array, v: Array, rows: dict[str, Rows], taking_part: list[str], rebound: dict[str, float]) -> Array:
    """Gap rates after the impact, (n_all,)."""
    out = np.zeros(len(J))
    for name in taking_part:
        normal = rows[name].normal
        if rebound.get(name) and normal is not None:
            out[rows[name].places] = -rebound[name] * (normal @ J[rows[name].places] @ v) * normal
    return out


def jump(model: Model, M: Array, J: Array, wanted: Array, v: Array, places: Array) -> tuple[Array, Array]:
    """Speeds v+ with M (v+ - v) = J^T lam and J v+ = wanted on some of the rows; lam (n_all,) of least norm."""
    scale = model.kinematics.scales
    G = J[places] / scale.rows[places, None] * scale.speeds
    inertia = scale.speeds[:, None] * M * scale.speeds
    before = v / scale.speeds
    U, s, Vt = np.linalg.svd(G, full_matrices=True)
    rank = int(np.sum(s > _RANK * s.max(initial=0.0)))
    held, free = Vt[:rank].T, Vt[rank:].T
    after = held @ ((U[:, :rank].T @ (wanted[places] / scale.rows[places])) / s[:rank])
    try:
        after = after + free @ np.linalg.solve(free.T @ inertia @ free, free.T @ inertia @ (before - after))
    except np.linalg.LinAlgError:
        raise SingularityError(
            f"'{model.mechanism.name}' can move without moving any mass when its loops close, so the speeds after it "
            "are not determined; give its bodies mass"
        ) from None
    lam = np.zeros(len(J))
    lam[places] = U[:, :rank] @ ((held.T @ (inertia @ (after - before))) / s[:rank]) / scale.rows[places]
    return after * scale.speeds, lam


def _pushes(rows: dict[str, Rows], names: list[str], normals: Mapping[str, object], lam: Array) -> bool:
    """Whether the loops that can only push do so."""
    size = _NOTHING * float(np.abs(lam).max(initial=0.0))
    pushed = ((rows[name].normal, lam[rows[name].places]) for name in names if name in normals)
    return all(normal is None or normal @ part >= -size for normal, part in pushed)


def _parts(
    J: Array, v: Array, rows: dict[str, Rows], kept: frozenset[str], normals: Mapping[str, object], size: float
) -> bool:
    """Whether the loops that let go are left or stay as they are."""
    for name, each in rows.items():
        if name not in kept and each.normal is not None:
            row = each.normal @ J[each.places]
            if row @ v < -_NOTHING * size * float(np.abs(row).max(initial=0.0)):
                return False
    return True


def _told(
    model: Model, q: Array, v: Array, v_new: Array, J: Array, lam: Array, rows: dict[str, Rows], kept: frozenset[str]
) -> Impact:
    kinematics = model.kinematics
    zero = np.zeros(model.nv)
    _, cut = kinematics.open.function(registry.LOOP_JOINT_WRENCHES)(q, zero, zero, np.zeros(model.na), lam)
    wrenches = {joint.name: np.asarray(cut[i]) for i, joint in enumerate(model.mechanism.loops) if joint.name in kept}
    rates = J @ (v + v_new)
    lost = {name: -0.5 * float(lam[each.places] @ rates[each.places]) for name, each in rows.items() if name in kept}
    return Impact(v_new, wrenches, lost, kept)
