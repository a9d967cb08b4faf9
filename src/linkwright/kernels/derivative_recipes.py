"""First derivatives of the dynamics, exact: forward mode on the traced inverse dynamics, the implicit form for forward.

Derivatives by q are along the tangent: column k is the change when speed k acts for a unit of time, so quaternions need
no special care. From M a + h = B tau follows d a = M^-1 (B d tau - d(M a + h) at fixed a): one differentiation of the
inverse dynamics and one factorisation, two to four times cheaper than differentiating the forward sweeps.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inlined, jacobian, trace
from linkwright.kernels import loop_recipes, recipes
from linkwright.kernels.recipes import Recipe
from linkwright.kernels.setup import Setup
from linkwright.recursion import inertia, inverse
from linkwright.recursion.coordinates import coordinate_rates
from linkwright.recursion.factor import outward_speeds, udu, udu_solve
from linkwright.recursion.forward import forward_dynamics


def tangent_map(setup: Setup, q: Vec) -> Mat:
    """N with coordinate rates = N v, (nq, nv)."""
    columns = [coordinate_rates(setup.lean, q, e) for e in np.eye(setup.lean.nv)]
    return np.array(columns, dtype=q.dtype).reshape(setup.lean.nv, setup.lean.nq).T


def inverse_derivatives(setup: Setup, q: Vec, v: Vec, a: Vec) -> dict[str, Mat]:
    """Derivatives of the tree forces by q (along the tangent), v and a, each (nv, nv)."""
    sizes = setup.sizes()
    program = trace(
        lambda q, v, a: inverse.inverse_dynamics(setup.lean, q, v, a), {name: sizes[name] for name in ("q", "v", "a")}
    )
    d = inlined(jacobian(program, ["q", "v"]), q, v, a)
    M = inertia.generalized_inertia(setup.lean, q)
    return {"dq": d["d_out_d_q"] @ tangent_map(setup, q), "dv": d["d_out_d_v"], "da": M}


def forward_derivatives(setup: Setup, q: Vec, v: Vec, tau: Vec) -> dict[str, Mat]:
    """Derivatives of the accelerations by q (along the tangent), v (nv, nv) and tau (nv, na)."""
    force = recipes.tree_forces(setup, tau)
    a = forward_dynamics(setup.lean, q, v, force)
    d = inverse_derivatives(setup, q, v, a)
    order = outward_speeds(setup.lean)
    U, D = udu(d["da"], order)

    def solved(B: Mat) -> Mat:
        columns = [udu_solve(U, D, b, order) for b in B.T]
        return np.array(columns, dtype=a.dtype).reshape(B.shape[1], B.shape[0]).T

    drive = np.eye(setup.lean.nv)[:, recipes.driven_speeds(setup)]
    return {"dq": -solved(d["dq"]), "dv": -solved(d["dv"]), "dtau": solved(drive)}


def independent_acceleration(setup: Setup, q: Vec, v_ind: Vec, tau: Vec) -> Vec:
    """Accelerations of the independent speeds as a function of coordinates, independent speeds and efforts."""
    part = setup.plans.partition
    assert part is not None
    v = loop_recipes.LOOP_RECIPES["independent_map"].answer(setup, q) @ v_ind
    return loop_recipes.minimal_forward_dynamics(setup, q, v, tau)[list(part.independent)]


DERIVATIVE_RECIPES: dict[str, Recipe] = {
    "tangent_map": Recipe(("q",), tangent_map),
    "inverse_derivatives": Recipe(("q", "v", "a"), inverse_derivatives),
    "forward_derivatives": Recipe(("q", "v", "tau"), forward_derivatives),
    "independent_acceleration": Recipe(("q", "v_ind", "tau"), independent_acceleration),
}
