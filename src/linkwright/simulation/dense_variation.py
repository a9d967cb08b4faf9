"""The variational equation where the compiled elimination gives up: dense solves of a motion and its directions.

The equations of motion are K(q, p) z = r(q, v, tau, p) with accelerations and multipliers z. Along a direction their
derivative is K z' = -(K z - r)' at fixed z: the same matrix, factored once for the motion and all its directions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, compiled, inlined, tangent, trace
from linkwright.errors import SingularityError
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import NO_EFFECT
from linkwright.recursion.twist_recursion import normalize_quaternions
from linkwright.simulation.problem.acceleration_fallback import dense_projection
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import nominal_cache

Array = np.ndarray
Closing = Callable[[Array, Array, Array, Array], tuple[Array, Array]]
"""From q, v and directions of both, a row each, to those that keep the loops closed."""


def dense_dynamics(model: Model, p_dot: Array) -> Callback:
    """Accelerations of a motion, and their derivatives along its directions; p_dot (k, n_p) is that of the inputs."""
    copies, tree, inputs = 1 + len(p_dot), model.kernels.setup.simplified, model.kernels.setup.inputs
    values = () if inputs is None else (inputs.values,)

    def called(q: Array, v: Array, tau: Array) -> tuple[Array]:
        Q, V, T = (x.reshape(copies, -1) for x in (q, v, tau))
        here = normalize_quaternions(tree, Q[0]), V[0], T[0]
        solve, right = _factor_kkt_equations(model, *here)
        z, code = solve(right), nominal_cache(model).get("defect along", lambda: _defect_along(model))
        out = [z[: model.nv]]
        for q_dot, v_dot, tau_dot, d in zip(Q[1:], V[1:], T[1:], p_dot, strict=True):
            dots = (q_dot, v_dot, tau_dot, *((d,) if values else ()))
            out.append(solve(-code(*here, z, *values, *map(np.ascontiguousarray, dots)))[: model.nv])
        return (np.concatenate(out),)

    sizes = [n * copies for n in (model.nq, model.nv, model.na)]
    return Callback(called, sizes, [model.nv * copies])


def _factor_kkt_equations(model: Model, q: Array, v: Array, tau: Array) -> tuple[Callable[[Array], Array], Array]:
    """The solution z = (a, lam) of M a - J^T lam = r_1, J a = r_2 for any right side, and the one of the motion."""
    kernels, nv, rank = model.kernels, model.nv, model.kinematics.rank.rank
    M, J = (kernels.function(x)(q) for x in (tree_functions.mass_matrix, closure_functions.closure_jacobian))
    L = np.linalg.cholesky(M)
    found = decompose_scaled(np.linalg.solve(L, J.T).T)
    if not found.distance(rank) > NO_EFFECT:
        raise SingularityError(
            f"the loops of '{model.mechanism.name}' lose an equation here, and derivatives are not determined", q=q
        )
    U, s, Vt = found.U[:, :rank], found.s[:rank], found.Vt[:rank]

    def solve(r: Array) -> Array:
        free = np.linalg.solve(L, r[:nv])
        y = (U.T @ r[nv:] - s * (Vt @ free)) / s
        return np.concatenate([np.linalg.solve(L.T, free + Vt.T @ y), U @ (y / s)])

    return solve, kernels.function(closure_functions.kkt_right_side)(q, v, tau)


def _defect_along(model: Model) -> Kernel:
    """Directional derivative of M a - J^T lam - r_1, J a - r_2 by q, v, tau and p, at fixed a and lam."""
    names = tree_functions.mass_matrix, closure_functions.closure_jacobian, closure_functions.kkt_right_side
    M, J, r = (model.kernels.input_program(name) for name in names)
    rows, nv = J.outputs[0].shape[0], model.nv
    sizes: dict[str, Any] = {"q": model.nq, "v": nv, "tau": model.na, "z": nv + rows}
    inputs = model.kernels.setup.inputs
    sizes |= {} if inputs is None else {"p": len(inputs.values)}

    def defect(q: Any, v: Any, tau: Any, z: Any, **p: Any) -> Any:
        a, lam, given = z[:nv], z[nv:], tuple(p.values())
        jacobian, right = inlined(J, q, *given), inlined(r, q, v, tau, *given)
        upper = inlined(M, q, *given) @ a - jacobian.T @ lam
        return np.concatenate([upper - right[:nv], jacobian @ a - right[nv:]])

    program = tangent(trace(defect, sizes), [name for name in sizes if name != "z"])
    return compiled(b"defect along" + program.digest, lambda: program)


def dense_closing(model: Model, copies: int, closing: Closing) -> Callback:
    """Projection of a motion and its directions onto closed loops, with full pivoting."""

    def called(q: Array, v: Array) -> tuple[Array, Array]:
        Q, V = q.reshape(copies, -1), v.reshape(copies, -1)
        v_closed, q_closed = dense_projection(model, Q[0], V[0])
        dq, dv = closing(q_closed, v_closed, Q[1:], V[1:])
        return np.concatenate([v_closed, dv.ravel()]), np.concatenate([q_closed, dq.ravel()])

    sizes = [model.nq * copies, model.nv * copies]
    return Callback(called, sizes, sizes[::-1])
