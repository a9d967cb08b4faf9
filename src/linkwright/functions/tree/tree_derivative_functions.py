"""First derivatives of the dynamics, exact: forward mode on the traced inverse dynamics, the implicit form for forward.

Derivatives by q are along the tangent: column k is the change when speed k acts for a unit of time, so quaternions need
no special care. From M a + h = B tau follows d a = M^-1 (B d tau - d(M a + h) at fixed a): one differentiation of the
inverse dynamics and one factorization, two to four times cheaper than differentiating the forward sweeps.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inline_program, jacobian
from linkwright.functions.definition import compiled
from linkwright.functions.design_inputs import traced_on
from linkwright.functions.setup import Setup
from linkwright.functions.tree.tree_functions import driven_speeds, efforts_at_velocities
from linkwright.recursion import inertia, inverse_recursion
from linkwright.recursion.forward_recursion import factor_udu, outward_speeds
from linkwright.recursion.twist_recursion import tree_coordinate_rates


@compiled("q")
def tangent_map(setup: Setup, q: Vec) -> Mat:
    """N with coordinate rates = N v, (nq, nv)."""
    columns = [tree_coordinate_rates(setup.simplified, q, e) for e in np.eye(setup.simplified.nv)]
    return np.array(columns, dtype=q.dtype).reshape(setup.simplified.nv, setup.simplified.nq).T


@compiled("q", "v", "a", public="inverse_dynamics_derivatives")
def inverse_derivatives(setup: Setup, q: Vec, v: Vec, a: Vec) -> tuple[Mat, Mat, Mat]:
    """Derivatives of the tree forces by q (along the tangent), v and a, each (nv, nv)."""
    sizes = setup.sizes()
    wrt = {name: sizes[name] for name in ("q", "v", "a")}
    program, outer = traced_on(setup.simplified, inverse_recursion.tree_inverse_dynamics, wrt)
    d = inline_program(jacobian(program, ["q", "v"]), q, v, a, *outer)
    M = inertia.tree_mass_matrix(setup.simplified, q)
    return d["d_out_d_q"] @ tangent_map(setup, q), d["d_out_d_v"], M


@compiled("q", "v", "tau", public="forward_dynamics_derivatives")
def forward_derivatives(setup: Setup, q: Vec, v: Vec, tau: Vec) -> tuple[Mat, Mat, Mat]:
    """Derivatives of the accelerations by q (along the tangent), v (nv, nv) and tau (nv, na)."""
    order = outward_speeds(setup.simplified)
    M_inv = symmetric_inverse(inertia.tree_mass_matrix(setup.simplified, q), order)
    a = M_inv @ (efforts_at_velocities(setup, tau) - inverse_recursion.tree_bias_forces(setup.simplified, q, v))
    dq, dv, _ = inverse_derivatives(setup, q, v, a)
    return -(M_inv @ dq), -(M_inv @ dv), M_inv[:, driven_speeds(setup)]


def symmetric_inverse(M: Mat, order: list[int]) -> Mat:
    """Inverse of a symmetric matrix by its factors U D U^T, each pair of entries computed once."""
    U, D = factor_udu(M, order)
    V = np.array([_unit_solved(U, order, k) for k in range(len(M))]).T
    n = len(M)
    entries = {(i, j): np.sum(V[:, i] * V[:, j] / D) for i in range(n) for j in range(i, n)}
    return np.array([[entries[min(i, j), max(i, j)] for j in range(n)] for i in range(n)], dtype=M.dtype).reshape(n, n)


def _unit_solved(U: Mat, order: list[int], k: int) -> Vec:
    """Column k of U^-1, which is triangular in the given order."""
    x = np.zeros(len(U), dtype=U.dtype)
    x[k] = 1.0
    for position in reversed(range(order.index(k) + 1)):
        j = order[position]
        for i in order[:position]:
            x[i] = x[i] - U[i, j] * x[j]
    return x
