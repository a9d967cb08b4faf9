"""Closing the loops of a mechanism from many starts: all together where they are few, else by their sparsity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import memo
from linkwright.functions.scattered_results import Scattered
from linkwright.functions.store import Kernels
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import assembly_sense_cosines, equations_of_cut_joint
from linkwright.mechanism.tree import Tree
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import CLOSED, NO_EFFECT, SOLVED, TINY
from linkwright.plans.damped_newton import Closed, Closing, close_carefully, close_gaps, close_rows
from linkwright.plans.rank import blocks_of_pattern
from linkwright.plans.scales import Scales, scales_of_mechanism
from linkwright.plans.sparse_newton import SparseRows


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


def close_all(
    kernels: Kernels, q: np.ndarray, free: np.ndarray | None = None, tolerance: float = SOLVED, max_steps: int = 60
) -> Closed:
    """Close the loops from every row of q, moving only the free velocities."""
    setup, sparse = kernels.setup, sparse_equations(kernels)
    free = np.ones(setup.tree.nv, dtype=bool) if free is None else free
    if sparse is not None:
        return _close_sparse(kernels, sparse, q, free, tolerance, max_steps)
    closing, moving = kernels.function(closure_functions.closing), kernels.function(closure_functions.advanced)
    scale = scales_of_mechanism(setup.mech, setup.closure)
    return close_gaps(q, lambda x, _: closing(x), moving, scale, free, tolerance, max_steps)


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


def _close_sparse(
    kernels: Kernels, sparse: SparseClosure, q: np.ndarray, free: np.ndarray, tolerance: float, max_steps: int
) -> Closed:
    """The steps of `close_gaps`, with damping and length of a step for each block of loops that share velocities."""
    moving, rows = kernels.function(closure_functions.advanced), sparse.J
    held = free[rows.columns]

    def move(x: np.ndarray, g: np.ndarray, J: np.ndarray) -> np.ndarray:
        return moving(x, rows.step(J * held, g) * sparse.scale.speeds)

    return close_rows(q, lambda x, _: sparse.at(x), move, tolerance, max_steps)


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
