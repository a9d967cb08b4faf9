"""Linear models of trees about a state: d/dt x = A x + B tau in tangent coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.algebra.vectors import ad
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.tree import Tree

Array = np.ndarray


def linear_model(
    tree: Tree, derivatives: Callable[..., tuple[Array, Array, Array]], q: Array, v: Array, tau: Array
) -> tuple[Array, Array]:
    """A (..., 2 nv, 2 nv) and B (..., 2 nv, na) for displacements and changes of speed."""
    dq, dv, dtau = derivatives(q, v, tau)
    n, lead = dq.shape[-1], dq.shape[:-2]
    A = np.zeros((*lead, 2 * n, 2 * n))
    A[..., :n, :n] = carried_along(tree, v)
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n] = dq
    A[..., n:, n:] = dv
    B = np.zeros((*lead, 2 * n, dtau.shape[-1]))
    B[..., n:, :] = dtau
    refused = np.isnan(dq).any(axis=(-2, -1))
    A[refused], B[refused] = np.nan, np.nan
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
