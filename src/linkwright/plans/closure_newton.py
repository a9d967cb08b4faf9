"""Closing loops by damped Newton steps on many starts at once: all loops together, or by their sparsity.

J J^T of many loops is nearly all zeros. Its pattern is known before its numbers, so that the order of elimination
(smallest degree first) and every index are found once; then each step of the elimination is done for all
configurations together. With damping the matrix is positive definite, and any order is stable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import memo
from linkwright.functions.store import Kernels, Scattered
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import assembly_sense_cosines, equations_of_cut_joint
from linkwright.mechanism.tree import Tree
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import (
    CLOSED,
    DAMPED_PROJECTION,
    LEAST_GAIN,
    NO_EFFECT,
    ROUNDED_AWAY,
    SOLVED,
    STALLED,
    TINY,
)
from linkwright.plans.rank import Block, blocks_of_pattern
from linkwright.plans.scales import Scales, scales_of_mechanism

# --- closes loops by damped Newton steps on many starts at once -------------------------------------------------------

# Steps at most.
_STEPS = 60

# Steps of a walk, halvings of a step, and by how much the coordinate that moves least is turned before a walk [rad].
_CAREFUL_STEPS, _HALVINGS = 30, 12
_TURNS = (0.0, 0.7, -0.7, 1.5, -1.5)

Closing = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Moving = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Closed:
    """Coordinates (n, nq), largest scaled gap (n,) of each, and the steps taken."""

    q: np.ndarray
    gap: np.ndarray
    steps: int


def close_gaps(
    q: np.ndarray,
    closing: Closing,
    moving: Moving,
    scales: Scales,
    free: np.ndarray,
) -> Closed:
    """Move the free speeds of each row of q until its gap vanishes or stops shrinking.

    Args:
        q: starts, (n, nq).
        closing: coordinates and the numbers of their starts to gap (n, m) and Jacobian (n, m, nv).
        moving: q and displacement (n, nv) to the displaced q.
        scales: what a unit of each speed and row counts.
        free: which speeds may move, (nv,) of bool.
    """
    weight = scales.speeds * free

    def equations(x: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = closing(x, active)
        return g / scales.rows, J / scales.rows[:, None] * weight

    return close_rows(q, equations, lambda x, g, J: moving(x, _damped_newton_step(g, J) * weight))


def close_rows(
    q: np.ndarray,
    equations: Closing,
    move: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> Closed:
    """Newton steps of every row of q until its gap vanishes.

    Args:
        equations: coordinates and the numbers of their starts to scaled gaps (n, m) and their derivatives.
        move: coordinates, gaps and derivatives to the coordinates after a step.
    """
    q, gap = np.array(q), np.full(len(q), np.inf)
    active, steps = np.arange(len(q)), 0
    while steps < _STEPS and len(active):
        steps += 1
        g, J = equations(q[active], active)
        gap[active] = np.abs(g).max(axis=1, initial=0.0)
        going = gap[active] > SOLVED
        if not np.any(going):
            break
        active, g, J = active[going], g[going], J[going]
        q[active] = move(q[active], g, J)
    return Closed(q, gap, steps)


def _damped_newton_step(g: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Least-norm step with damping that fades with the square of the gap, no longer than half a unit."""
    m = g.shape[1]
    size = np.sum(g * g, axis=1)
    damping = fading_damping(size)
    JJ = J @ J.transpose(0, 2, 1) + damping[:, None, None] * np.eye(m)
    return limit_steps(-(J.transpose(0, 2, 1) @ _least_norm_solutions(JJ, g[:, :, None]))[:, :, 0])


def _least_norm_solutions(JJ: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Solutions, of least norm in the rows where repeated equations outweigh the damping."""
    try:
        return np.linalg.solve(JJ, g)
    except np.linalg.LinAlgError:
        return np.stack([_solved_row(A, b) for A, b in zip(JJ, g, strict=True)])


def _solved_row(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return decompose_scaled(A).inverse() @ b


def fading_damping(squares: np.ndarray) -> np.ndarray:
    """Damping of squares of singular values that fades with the square of the gap, above rounding of the products."""
    return np.minimum(1e-3, 1e-2 * squares) + ROUNDED_AWAY


def close_carefully(found: Closed, closing: Closing, moving: Moving, scales: Scales, free: np.ndarray) -> Closed:
    """Go on where damped steps stalled: near a joint's own singularity, where one coordinate hardly moves anything.

    There (a Hooke joint with its leg along the first axis is as a pole is to longitude) the way to go is long in one
    coordinate and short in the gap. Undamped least-norm steps by singular values, shortened until the gap shrinks, find
    it; from the pole itself, where no step helps, the coordinate that moves nothing is turned first.
    """
    q, gap = np.array(found.q), np.array(found.gap)
    for row in np.flatnonzero((gap > SOLVED) & (gap < STALLED)):
        system = _System(int(row), closing, moving, scales, free)
        q[row], gap[row] = _best_of_walks(system, q[row])
    return Closed(q, gap, found.steps)


@dataclass(frozen=True, eq=False)
class _System:
    """The equations of one start, scaled."""

    row: int
    closing: Closing
    moving: Moving
    scales: Scales
    free: np.ndarray

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = self.closing(q[None, :], np.array([self.row]))
        return g[0] / self.scales.rows, J[0] / self.scales.rows[:, None] * self.scales.speeds * self.free

    def displace(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        return self.moving(q[None, :], (dv * self.scales.speeds * self.free)[None, :])[0]


def _best_of_walks(system: _System, q: np.ndarray) -> tuple[np.ndarray, float]:
    """The best of some walks: from q, then from the best so far with the coordinate that moves least turned.

    On one walk the gap shrinks at every step; on another steps are whole, because where two roots nearly meet the gap
    lies in a narrow bent valley, which whole steps leave once and then come back to fast.
    """
    best, least = q, np.inf
    for turn in _TURNS:
        weakest = decompose_scaled(system.at(best)[1]).Vt[-1]
        start = system.displace(best, turn * weakest) if turn else best
        for shorten in (True, False):
            found, gap = _walk_to_smallest_gap(system, start, shorten)
            if gap < least:
                best, least = found, gap
            if least <= SOLVED:
                return best, least
            start = found
    return best, least


def _walk_to_smallest_gap(system: _System, q: np.ndarray, shorten: bool) -> tuple[np.ndarray, float]:
    """The best place on a walk of least-norm steps, and its gap."""
    best, least = q, np.inf
    for _ in range(_CAREFUL_STEPS):
        g, J = system.at(q)
        size = float(np.abs(g).max(initial=0.0))
        if size < least:
            best, least = q, size
        dv = limit_steps(-least_norm(J, g, ROUNDED_AWAY))
        trial = _shorten_step(system, q, g, dv) if shorten else system.displace(q, dv)
        if trial is None or least <= SOLVED:
            break
        q = trial
    return best, least


def limit_steps(dv: np.ndarray, longest: float = 0.5) -> np.ndarray:
    """Scaled displacements (..., nv), each shortened to where its largest velocity moves by `longest`."""
    return dv * np.minimum(1.0, longest / np.maximum(np.abs(dv).max(axis=-1, keepdims=True, initial=0.0), TINY))


def _shorten_step(system: _System, q: np.ndarray, g: np.ndarray, dv: np.ndarray) -> np.ndarray | None:
    """The step, halved until the gap shrinks; None when it does not."""
    for _ in range(_HALVINGS):
        trial = system.displace(q, dv)
        if np.linalg.norm(system.at(trial)[0]) < (1.0 - LEAST_GAIN) * np.linalg.norm(g):
            return trial
        dv = 0.5 * dv
    return None


# --- least-norm steps of sparse closure equations, in a fixed order of elimination, on many configurations at once ----


@dataclass(frozen=True, eq=False)
class PivotStep:
    """Indices of one pivot's step in the list of entries: its own, those of the rows it touches, those it changes."""

    pivot: int
    diagonal: int
    touched: np.ndarray
    column: np.ndarray
    changed: np.ndarray
    left: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Structure of a matrix J (m, n) with entries at `rows`, `columns` (n_entries,), sorted by row."""

    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]

    @classmethod
    def of(cls, pattern: np.ndarray) -> SparseRows:
        """The structure of a pattern (m, n)."""
        rows, columns = np.nonzero(pattern)
        return cls(rows, columns, (int(pattern.shape[0]), int(pattern.shape[1])))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Rows and columns that have to do with each other."""
        pattern = np.zeros(self.shape, dtype=bool)
        pattern[self.rows, self.columns] = True
        return blocks_of_pattern(pattern)

    @cached_property
    def block_of_row(self) -> np.ndarray:
        """Number of the block of each row, (m,); rows without entries count as one more block."""
        out = np.full(self.shape[0], len(self.blocks))
        for i, block in enumerate(self.blocks):
            out[block.rows] = i
        return out

    @cached_property
    def block_of_column(self) -> np.ndarray:
        """The same for columns, (n,)."""
        out = np.full(self.shape[1], len(self.blocks))
        for i, block in enumerate(self.blocks):
            out[block.columns] = i
        return out

    def in_blocks(self, x: np.ndarray, of: np.ndarray, how: np.ufunc) -> np.ndarray:
        """Sums or maxima (samples, n_blocks + 1) of x (samples, k) over the blocks `of` its columns."""
        out = np.zeros((len(x), len(self.blocks) + 1))
        if not x.shape[1]:
            return out
        order = np.argsort(of, kind="stable")
        present, starts = np.unique(of[order], return_index=True)
        out[:, present] = how.reduceat(x[:, order], starts, axis=1)
        return out

    def times(self, J: np.ndarray, x: np.ndarray) -> np.ndarray:
        """J x, (samples, m)."""
        return _sums_by_index(J * x[:, self.columns], self.rows, self.shape[0])

    def transposed_times(self, J: np.ndarray, y: np.ndarray) -> np.ndarray:
        """J^T y, (samples, n)."""
        return _sums_by_index(J * y[:, self.rows], self.columns, self.shape[1])

    @cached_property
    def _squares(self) -> tuple[dict[tuple[int, int], int], np.ndarray, np.ndarray, np.ndarray]:
        """Entries of J J^T (lower half) by row and column, and the products (left, right, entry) that make them."""
        by_column: dict[int, list[int]] = {}
        for k, column in enumerate(self.columns.tolist()):
            by_column.setdefault(column, []).append(k)
        entries = {(i, i): i for i in range(self.shape[0])}
        products: list[tuple[int, int, int]] = []
        for some in by_column.values():
            for a in some:
                for b in some:
                    i, j = int(self.rows[a]), int(self.rows[b])
                    if j <= i:
                        products.append((a, b, entries.setdefault((i, j), len(entries))))
        left, right, entry = np.array(products, dtype=int).reshape(-1, 3).T
        return entries, left, right, entry

    @cached_property
    def _plan(self) -> tuple[list[PivotStep], int]:
        """Steps of the elimination of J J^T, row of smallest degree first, and the number of entries with fill-in."""
        entries = dict(self._squares[0])
        near: dict[int, set[int]] = {i: set() for i in range(self.shape[0])}
        for i, j in entries:
            if i != j:
                near[i].add(j)
                near[j].add(i)

        def entry(i: int, j: int) -> int:
            return entries.setdefault((max(i, j), min(i, j)), len(entries))

        steps = []
        while near:
            pivot = min(near, key=lambda i: (len(near[i]), i))
            touched = sorted(near.pop(pivot))
            pairs = [(a, b) for a in range(len(touched)) for b in range(a + 1)]
            changed = [entry(touched[a], touched[b]) for a, b in pairs]
            column = [entry(i, pivot) for i in touched]
            for i in touched:
                near[i] |= set(touched)
                near[i] -= {i, pivot}
            lists = (touched, column, changed, [a for a, _ in pairs], [b for _, b in pairs])
            steps.append(PivotStep(pivot, entry(pivot, pivot), *(np.array(x, dtype=int) for x in lists)))
        return steps, len(entries)

    def solve(self, J: np.ndarray, damping: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Solutions y (samples, m) of (J J^T + damping) y = b, entries J (samples, n_entries), damping per row."""
        _, left, right, entry = self._squares
        steps, n = self._plan
        K = np.zeros((n, len(J)))
        K[: len(self._squares[0])] = _sums_by_index(J[:, left] * J[:, right], entry, len(self._squares[0])).T
        K[: self.shape[0]] += damping.T
        x, multipliers = np.array(b.T), []
        for s in steps:
            L = K[s.column] / K[s.diagonal]
            K[s.changed] -= L[s.left] * K[s.column][s.right]
            x[s.touched] -= L * x[s.pivot]
            multipliers.append(L)
        for s, L in zip(reversed(steps), reversed(multipliers), strict=True):
            x[s.pivot] = x[s.pivot] / K[s.diagonal] - np.sum(L * x[s.touched], axis=0)
        return x.T

    def step(self, J: np.ndarray, g: np.ndarray) -> np.ndarray:
        """Least-norm steps (samples, n), block by block damped as its gap demands and no longer than half a unit."""
        size = self.in_blocks(g * g, self.block_of_row, np.add)
        damping = fading_damping(size)
        dv = -self.transposed_times(J, self.solve(J, damping[:, self.block_of_row], g))
        longest = self.in_blocks(np.abs(dv), self.block_of_column, np.maximum)
        return dv * np.minimum(1.0, 0.5 / np.maximum(longest, TINY))[:, self.block_of_column]

    def tangent(self, J: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """The part of displacements (samples, n) that keeps J dv = 0."""
        damping = np.full((len(J), self.shape[0]), DAMPED_PROJECTION)
        for _ in range(2):
            dv = dv - self.transposed_times(J, self.solve(J, damping, self.times(J, dv)))
        return dv


def _sums_by_index(x: np.ndarray, where: np.ndarray, n: int) -> np.ndarray:
    """Sums (samples, n) of the columns of x (samples, k) with the same index `where`."""
    out = np.zeros((len(x), n))
    if len(where):
        order = np.argsort(where, kind="stable")
        present, starts = np.unique(where[order], return_index=True)
        out[:, present] = np.add.reduceat(x[:, order], starts, axis=1)
    return out


# --- closing the loops of a mechanism from many starts ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SparseClosure:
    """The closure equations of a mechanism with many velocities, as entries of a sparse Jacobian.

    Attributes:
        closing: gives gaps and Jacobian. moving: displaces coordinates.
        J: structure of the Jacobian. slots: its entries in the flat Jacobian.
        scale: what a unit of each velocity and row counts.
    """

    closing: Scattered
    J: SparseRows
    slots: np.ndarray
    scale: Scales

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scaled gaps (n, m) and entries of the scaled Jacobian (n, n_entries)."""
        gap, J = (part.entries(x) for part, x in zip(self.closing.slots, self.closing.kernel.call(q), strict=True))
        g = np.zeros((len(q), self.J.shape[0]))
        g[:, self.closing.slots[0].present] = gap
        return g / self.scale.rows, J / self.scale.rows[self.J.rows] * self.scale.speeds[self.J.columns]


@memo()
def sparse_equations(kernels: Kernels) -> SparseClosure | None:
    """The equations of a mechanism with many velocities; None for one with few, or whose numbers are inputs."""
    closing, setup = kernels.function(closure_functions.closing), kernels.setup
    if not isinstance(closing, Scattered):
        return None
    slots, n = closing.slots[1].present, setup.tree.nv
    rows = SparseRows(slots // n, slots % n, (setup.closure.n_rows, n))
    return SparseClosure(closing, rows, slots, scales_of_mechanism(setup.mech, setup.closure))


def close_all(kernels: Kernels, q: np.ndarray, free: np.ndarray | None = None) -> Closed:
    """Close the loops from every row of q, moving only the free velocities."""
    setup, sparse = kernels.setup, sparse_equations(kernels)
    free = np.ones(setup.tree.nv, dtype=bool) if free is None else free
    if sparse is not None:
        return _close_sparse(kernels, sparse, q, free)
    closing, moving = kernels.function(closure_functions.closing), kernels.function(closure_functions.advanced)
    scale = scales_of_mechanism(setup.mech, setup.closure)
    return close_gaps(q, lambda x, _: closing(x), moving, scale, free)


def close_with(
    kernels: Kernels, q: np.ndarray, rows: Closing, weights: np.ndarray, free: np.ndarray | None = None
) -> Closed:
    """Close the loops together with further equations: `rows(q, active)` gives their gaps and Jacobians.

    Args:
        weights: what a unit of each further equation counts.
        free: velocities that may move, (nv,); None for all.
    """
    closing = kernels.function(closure_functions.closing)

    def both(x: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = closing(x)
        more, more_J = rows(x, active)
        return np.concatenate([g, more], axis=1), np.concatenate([J, more_J], axis=1)

    scale = scales_of_mechanism(kernels.setup.mech, kernels.setup.closure)
    scale = replace(scale, rows=np.concatenate([scale.rows, weights]))
    free = np.ones(kernels.setup.tree.nv, dtype=bool) if free is None else free
    moving = kernels.function(closure_functions.advanced)
    return close_carefully(close_gaps(q, both, moving, scale, free), both, moving, scale, free)


def _close_sparse(kernels: Kernels, sparse: SparseClosure, q: np.ndarray, free: np.ndarray) -> Closed:
    """The steps of `close_gaps`, with damping and length of a step for each block of loops that share velocities."""
    moving, rows = kernels.function(closure_functions.advanced), sparse.J
    held = free[rows.columns]

    def move(x: np.ndarray, g: np.ndarray, J: np.ndarray) -> np.ndarray:
        return moving(x, rows.step(J * held, g) * sparse.scale.speeds)

    return close_rows(q, lambda x, _: sparse.at(x), move)


def tangent_displacements(kernels: Kernels, q: np.ndarray, dv: np.ndarray, scale: Scales) -> np.ndarray:
    """The part of scaled displacements (n, nv) that keeps the loops closed, of unit size, in the velocities' units."""
    sparse = sparse_equations(kernels)
    if sparse is not None:
        dv = sparse.J.tangent(sparse.at(q)[1], dv)
    else:
        _, J = kernels.function(closure_functions.closing)(q)
        J = J / scale.rows[:, None] * scale.speeds
        dv = dv - decompose_scaled(J).solution((J @ dv[:, :, None])[:, :, 0], share=NO_EFFECT)
    size = np.linalg.norm(dv, axis=1, keepdims=True)
    return dv / np.maximum(size, TINY) * scale.speeds


def right_way_round(kernels: Kernels, q: np.ndarray) -> np.ndarray:
    """Mask of the rows of q in which every cut joint is assembled the right way round."""
    return np.all(kernels.function(closure_functions.all_senses)(q) > 0.0, axis=-1)


@dataclass(frozen=True, eq=False)
class Group:
    """Loops and couplings that share velocities with each other and with no others.

    Attributes:
        coordinates: indices in q of its joints.
        rows: of its closure equations.
        senses: indices of its loops' senses.
    """

    coordinates: np.ndarray
    rows: np.ndarray
    senses: np.ndarray


def row_names(closure: Closure) -> list[str]:
    """Name of the loop or coupling that each of all closure rows belongs to."""
    return [loop.name for loop in closure.loops for _ in equations_of_cut_joint(loop)] + [
        c.name for c in closure.couplings
    ]


@memo()
def loop_groups(kernels: Kernels) -> tuple[Group, ...]:
    """The groups of loops of a mechanism that can be closed apart."""
    setup = kernels.setup
    tree, pattern = setup.tree, kernels.pattern(closure_functions.closure_jacobian)
    joints = np.zeros((len(tree.links), tree.nv), dtype=bool)
    for i, link in enumerate(tree.links):
        joints[i, link.dofs] = True
    m, found = len(pattern), []
    turns = np.concatenate(
        [[i] * len(assembly_sense_cosines(loop, np.eye(3))) for i, loop in enumerate(setup.closure.loops)] + [[]]
    )
    loop_of = [i for i, loop in enumerate(setup.closure.loops) for _ in equations_of_cut_joint(loop)] + [-1] * m
    for block in blocks_of_pattern(np.concatenate([pattern, joints])):
        rows = block.rows[block.rows < m]
        if not len(rows):
            continue
        loops = {loop_of[r] for r in rows.tolist()}
        coordinates = [k for i in block.rows[block.rows >= m] - m for k in _coordinate_indices_of_link(tree, int(i))]
        found.append(Group(np.array(coordinates), rows, np.flatnonzero([t in loops for t in turns.tolist()])))
    return tuple(found)


def _coordinate_indices_of_link(tree: Tree, i: int) -> range:
    return range(tree.links[i].coords.start, tree.links[i].coords.stop)


def recombine_loop_groups(kernels: Kernels, q: np.ndarray) -> np.ndarray:
    """Closed configurations (k, nq) made of groups of loops that are closed in some rows of q, each group's in turn.

    The more groups there are, the fewer starts close all of them at once.
    """
    found = loop_groups(kernels)
    if len(found) < 2 or not len(q):
        return q[:0]
    gap = (
        np.abs(kernels.function(closure_functions.closure_residual)(q))
        / scales_of_mechanism(kernels.setup.mech, kernels.setup.closure).rows
    )
    sense = kernels.function(closure_functions.all_senses)(q)
    good = [
        np.flatnonzero((gap[:, g.rows].max(axis=1) < CLOSED) & (sense[:, g.senses] > 0.0).all(axis=1)) for g in found
    ]
    if not all(len(rows) for rows in good):
        return q[:0]
    out = np.array(q[: max(len(rows) for rows in good)])
    for group, rows in zip(found, good, strict=True):
        out[:, group.coordinates] = q[np.resize(rows, len(out))][:, group.coordinates]
    return out
