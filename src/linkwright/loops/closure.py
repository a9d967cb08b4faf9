"""Residual, Jacobian and acceleration bias of all loops, J_c a + c = 0, and forces of actuators (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.algebra.transforms import wrench_from
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist
from linkwright.dataclass import dataclass
from linkwright.joints.motion_terms import RelativePose
from linkwright.loops.cut_joints import (
    JointFrame,
    Loop,
    effort_covectors,
    equations_of_cut_joint,
    loop_motion,
    loop_pose,
    loops_of_cut_joints,
    shared_link,
)
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.tree import Tree, coordinate_slices
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.relative_motion import chained_poses
from linkwright.recursion.twist_recursion import JointMap, Motion

# --- residual, Jacobian and acceleration bias of all loops of a mechanism: J_c a + c = 0 (any scalar) -----------------


@dataclass(frozen=True, eq=False)
class CouplingEquation:
    """A coupling as sum (ratio q + curve(q)) - offset = 0: indices in q and in v, ratios, factors of q^2, q^3, ..."""

    name: str
    coordinates: tuple[int, ...]
    speeds: tuple[int, ...]
    ratios: tuple[float, ...]
    offset: float
    curves: tuple[tuple[float, ...], ...]

    def gap(self, q: Vec) -> Any:
        """The residual."""
        gap: Any = q[list(self.coordinates)] @ np.array(self.ratios) - self.offset
        for x, factors in zip(q[list(self.coordinates)], self.curves, strict=True):
            if factors:
                gap = gap + x * x * _coupling_polynomial(factors, x)
        return gap

    def row(self, q: Vec) -> list[Any]:
        """Derivatives of the residual by its coordinates."""
        row: list[Any] = list(self.ratios)
        for i, (x, factors) in enumerate(zip(q[list(self.coordinates)], self.curves, strict=True)):
            if factors:
                row[i] = row[i] + x * _coupling_polynomial([(k + 2) * factor for k, factor in enumerate(factors)], x)
        return row

    def bias(self, q: Vec, v: Vec) -> Any:
        """The second rate of the residual at zero acceleration."""
        bias: Any = 0.0
        for x, rate, factors in zip(q[list(self.coordinates)], v[list(self.speeds)], self.curves, strict=True):
            if factors:
                second = [(k + 2) * (k + 1) * factor for k, factor in enumerate(factors)]
                bias = bias + _coupling_polynomial(second, x) * rate * rate
        return bias


def _coupling_polynomial(factors: Sequence[Any], x: Any) -> Any:
    """factors[0] + factors[1] x + ..., by Horner's rule."""
    value: Any = factors[-1]
    for factor in reversed(factors[:-1]):
        value = value * x + factor
    return value


@dataclass(frozen=True, eq=False)
class Closure:
    """The loops and couplings of a mechanism on one of its trees, with the rows that are kept (all: None)."""

    tree: Tree
    loops: tuple[Loop, ...]
    couplings: tuple[CouplingEquation, ...]
    kept: tuple[int, ...] | None = None

    @property
    def flipped(self) -> tuple[bool, ...]:
        """Which loops are written on their child's side."""
        return tuple(loop.flipped for loop in self.loops)

    @property
    def released(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the equations of each loop that are left out."""
        return tuple(loop.released for loop in self.loops)

    @property
    def n_rows(self) -> int:
        return self.n_all if self.kept is None else len(self.kept)

    @property
    def n_all(self) -> int:
        return sum(len(equations_of_cut_joint(loop)) for loop in self.loops) + len(self.couplings)

    @property
    def lengths(self) -> tuple[bool, ...]:
        """Mask of all rows that are lengths [m]; the others are angles or couplings."""
        rows = [eq.length for loop in self.loops for eq in equations_of_cut_joint(loop)]
        return (*rows, *(False for _ in self.couplings))

    def select(self, rows: Vec) -> Vec:
        """The kept ones of all rows."""
        return rows if self.kept is None else rows[list(self.kept)]

    def select_list(self, rows: list[Any], first: int = 0) -> list[Any]:
        """The kept ones of some of all rows, of which the first one has number `first`."""
        if self.kept is None:
            return rows
        return [rows[i - first] for i in self.kept if first <= i < first + len(rows)]


def closure_of(
    mech: Mechanism,
    tree: Tree,
    flipped: tuple[bool, ...] | None = None,
    released: tuple[tuple[int, ...], ...] | None = None,
) -> Closure:
    """The closure of a mechanism written on one of its trees."""
    slices = coordinate_slices(mech.joints)
    couplings = []
    for coupling in mech.couplings:
        at = [slices[name] for name, _ in coupling.terms]
        ratios = tuple(ratio for _, ratio in coupling.terms)
        coordinates, speeds = tuple(q.start for q, _ in at), tuple(v.start for _, v in at)
        curves = tuple(dict(coupling.curves).get(name, ()) for name, _ in coupling.terms)
        couplings.append(CouplingEquation(coupling.name, coordinates, speeds, ratios, coupling.offset, curves))
    return Closure(tree, loops_of_cut_joints(mech, tree, flipped, released), tuple(couplings))


def relative_poses(closure: Closure, q: Vec, maps: list[JointMap] | None = None) -> list[RelativePose]:
    """Relative pose of the two frames of every loop at q, found from the last link that both sides share."""
    A = [m.A for m in (joint_maps(closure.tree, q) if maps is None else maps)]
    tops = [shared_link(closure.tree, loop) for loop in closure.loops]
    poses = {top: chained_poses(closure.tree, A, top) for top in set(tops)}
    return [loop_pose(loop, poses[top], top) for loop, top in zip(closure.loops, tops, strict=True)]


def closed_relative_poses(
    closure: Closure, q: Vec, maps: list[JointMap] | None = None
) -> list[tuple[Loop, RelativePose]]:
    """Every loop with its relative pose, closure taken for granted where no equation is released."""
    return [
        (loop, pose if loop.released else loop.kind.closed_pose(pose))
        for loop, pose in zip(closure.loops, relative_poses(closure, q, maps), strict=True)
    ]


def gaps_of_closure(closure: Closure, q: Vec) -> Vec:
    """The gap of every closure equation, (n_rows,), [m or 1]."""
    rows = [
        eq.gap(pose)
        for loop, pose in zip(closure.loops, relative_poses(closure, q), strict=True)
        for eq in equations_of_cut_joint(loop)
    ]
    rows += [c.gap(q) for c in closure.couplings]
    return closure.select(np.array(rows, dtype=q.dtype))


def jacobian_of_closure(closure: Closure, q: Vec) -> Mat:
    """Jacobian J_c with gap rate = J_c v at closed q, (n_rows, nv).

    Covectors go from both ends of a loop to the last link they share: what carries both does not move one on the other.
    Closure is taken for granted, which saves operations; see `exact_jacobian_of_closure`.
    """
    maps = joint_maps(closure.tree, q)
    pairs = [
        (loop, pose, eq)
        for loop, pose in closed_relative_poses(closure, q, maps)
        for eq in equations_of_cut_joint(loop)
    ]
    rows = [
        tree_covector(closure.tree, maps, loop, pose, eq.covector(pose), q.dtype)
        for loop, pose, eq in closure.select_list(pairs)
    ]
    return _with_couplings(closure, rows, q)


def exact_jacobian_of_closure(closure: Closure, q: Vec) -> Mat:
    """The derivative of `gaps_of_closure` along the velocities at any q, closed or not, (n_rows, nv)."""
    maps = joint_maps(closure.tree, q)
    posed = zip(closure.loops, relative_poses(closure, q, maps), strict=True)
    pairs = [(loop, pose, eq) for loop, pose in posed for eq in equations_of_cut_joint(loop)]
    rows = [
        tree_covector(closure.tree, maps, loop, pose, eq.exact_covector(pose), q.dtype)
        for loop, pose, eq in closure.select_list(pairs)
    ]
    return _with_couplings(closure, rows, q)


def _with_couplings(closure: Closure, rows: list[Vec], q: Vec) -> Mat:
    """The kept rows of the loops, then those of the couplings, (n_rows, nv)."""
    first = closure.n_all - len(closure.couplings)
    for coupling in closure.select_list(list(closure.couplings), first):
        rows.append(np.zeros(closure.tree.nv, dtype=q.dtype))
        rows[-1][list(coupling.speeds)] = coupling.row(q)
    return np.array(rows, dtype=q.dtype).reshape(closure.n_rows, closure.tree.nv)


def tree_covector(
    tree: Tree, maps: list[JointMap], loop: Loop, pose: RelativePose, covector: tuple[Vec, Vec], dtype: Any
) -> Vec:
    """Row J^T y of the tree's velocities, (nv,), for a covector y on the relative velocity J v of a loop's frames."""
    row = np.zeros(tree.nv, dtype=dtype)
    near, far = frame_covectors(pose, *covector)
    top = shared_link(tree, loop)
    _add_covector_to_row(tree, maps, row, loop.far, far, top)
    _add_covector_to_row(tree, maps, row, loop.near, near, top)
    return row


def closure_bias(closure: Closure, q: Vec, v: Vec, state: Motion, a: Vec | None = None) -> Vec:
    """Second rate c of the gaps at zero joint acceleration, (n_rows,); `state` is the motion with a = 0.

    With `a`, and `state` the motion with a, it is J_c a + c.
    """
    rows = []
    for loop, pose in closed_relative_poses(closure, q):
        moving = loop_motion(loop, pose, state)
        rows += [eq.bias(pose, moving) for eq in equations_of_cut_joint(loop)]
    for coupling in closure.couplings:
        along = 0.0 if a is None else a[list(coupling.speeds)] @ np.array(coupling.row(q))
        rows.append(along + coupling.bias(q, v))
    return closure.select(np.array(rows, dtype=q.dtype))


def frame_covectors(pose: RelativePose, n: Vec, f: Vec) -> tuple[Vec, Vec]:
    """A covector on the relative velocity as covectors on the twists of the near and far frames, in their axes."""
    near = join_twist(-n - cross_product(pose.d, f), -f)
    return near, join_twist(pose.Q.T @ n, pose.Q.T @ f)


def _add_covector_to_row(tree: Tree, maps: list[JointMap], row: Vec, end: JointFrame, w: Vec, top: int) -> None:
    """Add to a row of J_c what the covector w at a loop's end pairs on its way to the link `top`."""
    w = wrench_from(w, end.at)
    for i in tree.path(end.link, top):
        d = tree.dofs[i]
        row[d] = row[d] + w @ maps[i].p
        w = maps[i].A.T @ w


# --- generalized forces of actuators at tree joints and at cut joints, and wrenches at the loops' ends (any scalar) ---


@dataclass(frozen=True)
class DrivenVelocity:
    """A driven speed: index in v for a tree joint, or (loop, speed) for a cut joint."""

    speed: int | None
    loop: int = -1
    part: int = 0


def actuation_matrix(closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec) -> Mat:
    """B with tree forces = B tau, (nv, na)."""
    tree = closure.tree
    columns = []
    for drive in drives:
        if drive.speed is not None:
            columns.append(np.eye(tree.nv)[drive.speed])
            continue
        loop, pose = closed_relative_poses(closure, q)[drive.loop]
        covector = effort_covectors(loop, pose)[drive.part]
        columns.append(tree_covector(tree, joint_maps(tree, q), loop, pose, covector, q.dtype))
    return np.array(columns, dtype=q.dtype).reshape(len(drives), tree.nv).T


def loop_wrenches(
    closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec, lam: Vec, tau: Vec
) -> list[tuple[Vec, Vec]]:
    """Per loop the wrench (n; f) on its near and far end, in the end's own axes, from multipliers and efforts.

    `lam` belongs to all rows of the closure, kept or not.
    """
    row, out = 0, []
    for index, (loop, pose) in enumerate(closed_relative_poses(closure, q)):
        near, far = np.zeros(6), np.zeros(6)
        covectors = []
        for eq in equations_of_cut_joint(loop):
            covectors.append((lam[row], eq.covector(pose)))
            row += 1
        for effort, drive in zip(tau, drives, strict=True):
            if drive.speed is None and drive.loop == index:
                covectors.append((effort, effort_covectors(loop, pose)[drive.part]))
        for size, (n, f) in covectors:
            at_near, at_far = frame_covectors(pose, n, f)
            near, far = near + size * at_near, far + size * at_far
        out.append((near, far))
    return out


def loop_wrenches_on_links(closure: Closure, ends: list[tuple[Vec, Vec]]) -> list[Vec]:
    """The loops' wrenches summed on the links they act on, link axes, at the links' origins."""
    w = [join_twist(np.zeros(3), np.zeros(3)) for _ in closure.tree.links]
    for loop, pair in zip(closure.loops, ends, strict=True):
        for end, wrench in zip((loop.near, loop.far), pair, strict=True):
            if end.link >= 0:
                w[end.link] = w[end.link] + wrench_from(wrench, end.at)
    return w
