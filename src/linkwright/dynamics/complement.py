"""Functions of the independent velocities and their derivatives by dense algebra on all closure equations.

For states in which the planned order or the kept equations fail although the mechanism is regular, as those of
Bricard's mechanism do; and where it is not regular, to say so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.dynamics.dense_solutions import bordered_accelerations
from linkwright.dynamics.dynamics import Dynamics
from linkwright.errors import SingularityError
from linkwright.formulations.minimal_equations import Partition
from linkwright.functions import part_names
from linkwright.functions.definition import Definition
from linkwright.functions.fallback_chain import Code, FallbackChain, refused_as_nan
from linkwright.functions.loop import closure_functions, loop_derivative_functions
from linkwright.functions.loop.loop_derivative_functions import (
    Partials,
    acceleration_derivatives,
    carried_along,
    projected_forces,
    state_matrix,
)
from linkwright.functions.memo import memo
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import decompose_scaled, distance_to_singularity, singular_values
from linkwright.numerics.tolerances import NO_EFFORT, SINGULAR

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class DenseComplement:
    """R with v = R v_ind (nv, n_ind), and the inverses that close gaps and find multipliers, on all rows."""

    part: Partition
    R: Array
    dependent_inverse: Array
    force_inverse: Array

    def closing(self, rates: Array) -> Array:
        """Changes of all speeds, zero in the independent ones, that undo gap rates (n_all, ...)."""
        out = np.zeros((len(self.R), *rates.shape[1:]))
        out[list(self.part.dependent)] = -self.dependent_inverse @ rates
        return out

    def closing_transposed(self, weights: Array) -> Array:
        """The transpose of `closing`: weights on gap rates (n_all,) from weights on all speeds (nv,)."""
        return -(self.dependent_inverse.T @ weights[list(self.part.dependent)])

    def multipliers(self, force: Array) -> Array:
        """Multipliers of least norm, (n_all,), that carry a force the loops can carry."""
        return self.force_inverse @ force


@memo(valid_at="all")
def independent_code(
    owner: Kinematics | Dynamics, definition: Definition, dense: Callable[..., Array], frame: str | None = None
) -> Code:
    """Compiled code on the independent velocities; flagged states go to `dense(owner, *state)`, with `frame` if any."""
    kinematics = owner.kinematics if isinstance(owner, Dynamics) else owner
    found = dense if frame is None else partial(dense, frame=frame)
    return FallbackChain(owner, partial(refused_as_nan, found)).code(kinematics.kernels, definition, frame=frame)


def dense_complement(kinematics: Kinematics, q: Array, part: Partition | None = None) -> DenseComplement:
    """The complement at one closed position; refused where the independent velocities do not determine the others.

    `part`: the independent velocities where they are not the mechanism's own.
    """
    part = kinematics.partition if part is None else part
    scale, rank = kinematics.scales, kinematics.rank.rank
    J = kinematics.all_rows.function(closure_functions.closure_jacobian)(q) / scale.rows[:, None] * scale.speeds
    dependent, independent = list(part.dependent), list(part.independent)
    _require_determined_velocities(kinematics, q, J, part)
    inverse = decompose_scaled(J[:, dependent]).inverse()
    R = np.zeros((J.shape[1], len(independent)))
    R[independent] = np.eye(len(independent))
    R[dependent] = -inverse @ J[:, independent]
    R = R * scale.speeds[:, None] / scale.speeds[independent]
    to_force = decompose_scaled(J.T).inverse(rank)
    return DenseComplement(
        part,
        R,
        scale.speeds[dependent, None] * inverse / scale.rows,
        to_force * scale.speeds / scale.rows[:, None],
    )


def _require_determined_velocities(kinematics: Kinematics, q: Array, J: Array, part: Partition) -> None:
    distance = distance_to_singularity(singular_values(J[:, list(part.dependent)]))
    if distance > SINGULAR:
        return
    setup = kinematics.setup
    names = [part_names(setup.mech.joints, speeds=True)[i] for i in part.independent]
    every = distance_to_singularity(singular_values(J), kinematics.rank.rank)
    kind = "constraint" if every <= SINGULAR else "type2"
    raise SingularityError(
        f"mechanism '{setup.mech.name}' stands at a singularity ({kind}): there its independent velocities {names} do "
        f"not determine the others (smallest singular value {distance:.1e} of the largest); move it off "
        "this position, or choose other actuators",
        q=q,
        kind=kind,
    )


def dense_map(kinematics: Kinematics, q: Array) -> Array:
    """R, (nv, n_ind)."""
    return dense_complement(kinematics, q).R


def dense_inertia(kinematics: Kinematics, q: Array) -> Array:
    """R^T M R, (n_ind, n_ind)."""
    R = dense_map(kinematics, q)
    return R.T @ kinematics.all_rows.function(tree_functions.mass_matrix)(q) @ R


def dense_motion(kinematics: Kinematics, q: Array, v_ind: Array, a_ind: Array) -> Array:
    """All speeds and accelerations that go with the independent ones, (2, nv)."""
    found = dense_complement(kinematics, q)
    v = found.R @ v_ind
    return np.array([v, found.R @ a_ind + found.closing(kinematics.all_rows.function(closure_functions.bias)(q, v))])


def dense_forward_derivatives(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> Array:
    """Derivatives of all accelerations by independent displacements, speeds and efforts, (nv, 2 n_ind + na)."""
    found = dense_complement(dynamics.kinematics, q)
    M, B = (
        dynamics.kinematics.all_rows.function(x)(q)
        for x in (tree_functions.mass_matrix, closure_functions.effort_matrix)
    )
    a = bordered_accelerations(dynamics, q, v, tau)
    lam = found.multipliers(dynamics.kinematics.all_rows.function(tree_functions.generalized_forces)(q, v, a) - B @ tau)
    response = found.R @ np.linalg.inv(found.R.T @ M @ found.R)
    return acceleration_derivatives(found, response, M, B, _dense_tree_partials(dynamics, q, v, a, lam, tau))


def dense_inverse_derivatives(dynamics: Dynamics, q: Array, v: Array, a: Array) -> Array:
    """Derivatives of exact efforts by independent displacements, speeds and accelerations, (na, 3 n_ind)."""
    found = dense_complement(dynamics.kinematics, q)
    M, B = (
        dynamics.kinematics.all_rows.function(x)(q)
        for x in (tree_functions.mass_matrix, closure_functions.effort_matrix)
    )
    force = dynamics.kinematics.all_rows.function(tree_functions.generalized_forces)(q, v, a)
    G = found.R.T @ B
    _require_driven(dynamics, q, G)
    tau = np.linalg.solve(G, found.R.T @ force)
    lam = found.multipliers(force - B @ tau)
    return np.linalg.solve(G, projected_forces(found, M, _dense_tree_partials(dynamics, q, v, a, lam, tau)))


def dense_linear_model(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> Array:
    """[A B] of the linear model about a state, (2 n_ind, 2 n_ind + na)."""
    chosen = list(dynamics.kinematics.partition.independent)
    turning = carried_along(dynamics.setup.simplified, v) @ dense_complement(dynamics.kinematics, q).R
    return state_matrix(turning[chosen], dense_forward_derivatives(dynamics, q, v, tau)[chosen])


def _dense_tree_partials(dynamics: Dynamics, *state: Any) -> Partials:
    return Partials(**dynamics.kinematics.all_rows.function(loop_derivative_functions.tree_partials)(*state))


def _require_driven(dynamics: Dynamics, q: Array, G: Array) -> None:
    if distance_to_singularity(singular_values(G)) < NO_EFFORT:
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so their efforts have no derivatives; move it off this position, or actuate others",
            q=q,
            kind="type2",
        )
