"""Reverse Gaussian elimination of an explicit symmetric matrix: I = U D U^T (Saha 40-55), any scalar."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.mechanism.tree import Tree


def factor_udu(inertia: Mat, order: list[int] | None = None) -> tuple[Mat, Vec]:
    """Unit triangular U and pivots D (n,) with inertia = U diag(D) U^T.

    The elimination starts at the end of `order` (last row by default); a tree's outward order causes no fill-in.
    """
    order = list(range(len(inertia))) if order is None else order
    L = np.array(inertia)
    U = np.eye(len(L)) + 0.0 * L
    D = np.array(np.diag(L))
    for position in reversed(range(len(order))):
        k, above = order[position], order[:position]
        D[k] = L[k, k]
        for i in above:
            U[i, k] = L[i, k] / D[k]
        for n, i in enumerate(above):
            for j in above[: n + 1]:
                L[i, j] = L[j, i] = L[i, j] - U[i, k] * L[j, k]
    return U, D


def udu_solve(U: Mat, D: Vec, b: Vec, order: list[int] | None = None) -> Vec:
    """Solve U diag(D) U^T x = b by three sweeps."""
    order = list(range(len(b))) if order is None else order
    x = np.array(b, dtype=np.result_type(b, D))
    for position in reversed(range(len(order))):
        k = order[position]
        for i in order[:position]:
            x[i] = x[i] - U[i, k] * x[k]
    x = x / D
    for position, k in enumerate(order):
        for i in order[:position]:
            x[k] = x[k] - U[i, k] * x[i]
    return x


def outward_speeds(tree: Tree) -> list[int]:
    """The speeds in the order in which the tree is walked outward."""
    order = [d for i in tree.outward for d in range(tree.dofs[i].start, tree.dofs[i].stop)]
    return list(dict.fromkeys(order))  # sections of a beam share their speeds
