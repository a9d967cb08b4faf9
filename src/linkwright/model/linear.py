"""Linear models about a state: d/dt (x) = A x + B tau in tangent coordinates of the independent set."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from linkwright.algebra.vectors import ad
from linkwright.compiler import Program, evaluate, jacobian
from linkwright.kernels import Kernels
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.tree import Tree
from linkwright.model.loop_engine import LoopEngine
from linkwright.model.tree_engine import TreeEngine

if TYPE_CHECKING:
    from linkwright.model.engine import Engine

Array = np.ndarray


def linearise(engine: Engine, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """A (..., 2n, 2n) and B (..., 2n, na) for displacements and speeds of the n independent speeds."""
    if isinstance(engine, TreeEngine):
        derivatives = engine.kernels.function("forward_derivatives")(q, v, tau)
        return _assembled(carried_along(engine.kernels.setup.tree, v), *derivatives)
    assert isinstance(engine, LoopEngine)
    n, na = len(engine.independent), len(engine.kernels.setup.drives)
    if not n:
        return np.zeros((*v.shape[:-1], 0, 0)), np.zeros((*v.shape[:-1], 0, na))
    kernels = engine.machine.minimal
    v_ind = v[..., list(engine.independent)]
    d = evaluate(_acceleration_jacobian(kernels), q, v_ind, tau)
    along = evaluate(engine.kernels.program("tangent_map"), q) @ engine.independent_map(q)
    turning = carried_along(engine.kernels.setup.tree, v)[..., list(engine.independent), :][
        ..., list(engine.independent)
    ]
    return _assembled(
        turning.reshape(*np.shape(v)[:-1], n, n), d["d_out_d_q"] @ along, d["d_out_d_v_ind"], d["d_out_d_tau"]
    )


@lru_cache(maxsize=64)
def _acceleration_jacobian(kernels: Kernels) -> Program:
    """Derivatives of the independent accelerations, kept because making them takes longer than using them."""
    return jacobian(kernels.program("independent_acceleration"), ["q", "v_ind", "tau"])


def _assembled(turning: Array, dq: Array, dv: Array, dtau: Array) -> tuple[Array, Array]:
    n = dq.shape[-1]
    lead = dq.shape[:-2]
    A = np.zeros((*lead, 2 * n, 2 * n))
    A[..., :n, :n] = turning
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n] = dq
    A[..., n:, n:] = dv
    B = np.zeros((*lead, 2 * n, dtau.shape[-1]))
    B[..., n:, :] = dtau
    return A, B


def carried_along(tree: Tree, v: Array) -> Array:
    """How displacements in body axes turn with the body: minus the bracket for free and ball joints, (..., nv, nv)."""
    v = np.asarray(v, dtype=float)
    flat = v.reshape(-1, tree.nv)
    out = np.zeros((len(flat), tree.nv, tree.nv))
    for link in tree.links:
        if isinstance(link.kind, kinds.Spherical | kinds.Floating):
            size = link.dofs.stop - link.dofs.start
            for row, speeds in zip(out, flat[:, link.dofs], strict=True):
                row[link.dofs, link.dofs] = -ad(np.pad(speeds, (0, 6 - size)))[:size, :size]
    return out.reshape(*v.shape[:-1], tree.nv, tree.nv)
