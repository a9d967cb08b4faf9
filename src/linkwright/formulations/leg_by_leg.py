"""Forward dynamics leg by leg: each leg becomes an inertia at its spherical joint, and the platform carries them all.

This is the papers' modular formulation, for any scalar. A leg with Jacobian J and inertia M, moved by its spherical
joint with the acceleration y = J a, answers with the force E y + e, E = J^-T M J^-1 and e = J^-T (h - tau). Summed at
the platform's origin the legs' E join the platform's own inertia, one 6 x 6 system is solved, and the legs'
accelerations follow (theory 6.11-6.14).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.transforms import shift_symmetric_form
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist
from linkwright.dataclass import dataclass
from linkwright.formulations.formulation import Formulation
from linkwright.loops.closure import Closure, closed_relative_poses, closure_bias, jacobian_of_closure
from linkwright.loops.legs import Leg, LegsAndPlatform
from linkwright.mechanism.tree import Tree
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.forward_recursion import factor_udu, udu_solve
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import forces_along_joints
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True)
class LegByLeg(Formulation):
    """Forward dynamics leg by leg, as the papers' modules; for a floating platform on legs cut at spherical joints.

    `Multipliers` takes the same way where it costs fewer operations; this record asks for it. Efforts and energy do not
    depend on the choice.
    """


@dataclass(frozen=True, eq=False)
class LegResponse:
    """A leg seen from its spherical joint, near axes: force = E y + e for its acceleration y; inverse of J, det."""

    J_inv: Mat
    det: Any
    E: Mat
    e: Vec


def forward_dynamics_by_legs(
    tree: Tree,
    closure: Closure,
    structure: LegsAndPlatform,
    q: Vec,
    v: Vec,
    force: Vec,
    w_ext: list[Vec] | None = None,
) -> tuple[Vec, list[Any]]:
    """Accelerations (nv,) under tree forces, and the legs' determinants, which vanish where a leg is singular."""
    still = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    rest = force - forces_along_joints(tree, still, w_ext) - passive_forces(tree, q, v)
    M, J, c = tree_mass_matrix(tree, q), jacobian_of_closure(closure, q), closure_bias(closure, q, v, still)
    own = tree.dofs[structure.platform]
    P, p = M[own, own], rest[own]
    responses = []
    for leg, (loop, pose) in zip(structure.legs, closed_relative_poses(closure, q), strict=True):
        response = _leg_response(leg, M, J, rest)
        R, r = loop.far.at.R, loop.far.at.r
        E = R @ symmetric_product(pose.Q, response.E) @ R.T
        pull = R @ (pose.Q.T @ (response.e - response.E @ c[list(leg.rows)]))
        nothing = np.zeros((3, 3), dtype=E.dtype)
        turning, coupling, sliding = shift_symmetric_form(nothing, nothing, E, r)
        P = P + np.block([[turning, coupling], [coupling.T, sliding]])
        p = p + join_twist(cross_product(r, pull), pull)
        responses.append(response)
    a_p = udu_solve(*factor_udu(P), p)
    a = np.zeros(tree.nv, dtype=np.result_type(a_p, q))
    a[own] = a_p
    for leg, response, (loop, pose) in zip(structure.legs, responses, closed_relative_poses(closure, q), strict=True):
        R, r = loop.far.at.R, loop.far.at.r
        ball = pose.Q @ (R.T @ (a_p[3:] + cross_product(a_p[:3], r)))
        a[list(leg.speeds)] = -response.J_inv @ (ball + c[list(leg.rows)])
    return a, [response.det for response in responses]


def _leg_response(leg: Leg, M: Mat, J: Mat, rest: Vec) -> LegResponse:
    """The leg's inertia and force at its spherical joint."""
    rows, speeds = list(leg.rows), list(leg.speeds)
    J_inv, det = cofactor_inverse(J[np.ix_(rows, speeds)])
    E = symmetric_product(J_inv, M[np.ix_(speeds, speeds)])
    return LegResponse(J_inv, det, E, -(J_inv.T @ rest[speeds]))


def symmetric_product(X: Mat, S: Mat) -> Mat:
    """X^T S X for a symmetric S, each pair of entries computed once."""
    Y = S @ X
    n = len(S)
    entries = {(i, j): X[:, i] @ Y[:, j] for i in range(n) for j in range(i, n)}
    return np.array([[entries[min(i, j), max(i, j)] for j in range(n)] for i in range(n)])


def cofactor_inverse(X: Mat) -> tuple[Mat, Any]:
    """Inverse and determinant of a 3 x 3 matrix by cofactors."""
    rows = np.array([cross_product(X[1], X[2]), cross_product(X[2], X[0]), cross_product(X[0], X[1])])
    det = reduce(lambda a, b: a + b, [X[0, i] * rows[0, i] for i in range(3)])
    return rows.T * (1.0 / det), det
