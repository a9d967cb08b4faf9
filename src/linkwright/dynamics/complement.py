"""Functions of the independent velocities by dense algebra on all closure equations.

For states in which the planned order or the kept equations fail although the mechanism is regular, as those of
Bricard's mechanism do; and where it is not regular, to say so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler import Fallback
from linkwright.dataclass import dataclass
from linkwright.errors import SingularityError
from linkwright.formulations.minimal import Partition
from linkwright.functions import part_names
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import OwnedInputs
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import decompose, distance_to_singularity, singular_values
from linkwright.numerics.tolerances import SINGULAR
from linkwright.plans.nominal import here

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


def with_fallback(
    kinematics: Kinematics, definition: Definition, dense: OwnedInputs, frame: str | None = None
) -> Callable[..., Array]:
    """The compiled function on the independent velocities; states in which it flags its result go to `dense`."""

    def made() -> Callable[..., Array]:
        repair = OwnedInputs(functools.partial(repaired, dense.function), dense.owner)
        return kinematics.kernels.code(definition, frame=frame).extended(Fallback(repair))

    if kinematics.nominal is not None:
        nominal = with_fallback(kinematics.nominal, definition, OwnedInputs(dense.function, dense.owner.nominal), frame)
        return here(kinematics, nominal)
    return kinematics.cache.get(("independent velocities", definition, frame), made)


def repaired(dense: Callable[..., Array], *state: Any, alone: bool) -> Array:
    """The dense result; a singular state raises when it is alone and is NaN in a batch."""
    try:
        return dense(*state)
    except SingularityError:
        if alone:
            raise
        return np.array(np.nan)


def dense_complement(kinematics: Kinematics, q: Array, part: Partition | None = None) -> DenseComplement:
    """The complement at one closed position; refused where the independent velocities do not determine the others.

    `part`: the independent velocities where they are not the mechanism's own.
    """
    part = kinematics.partition if part is None else part
    scale, rank = kinematics.scales, kinematics.rank.rank
    J = kinematics.all_rows.function(closure_functions.closure_jacobian)(q) / scale.rows[:, None] * scale.speeds
    dependent, independent = list(part.dependent), list(part.independent)
    _require_determined(kinematics, q, J, part)
    inverse = decompose(J[:, dependent]).inverse()
    R = np.zeros((J.shape[1], len(independent)))
    R[independent] = np.eye(len(independent))
    R[dependent] = -inverse @ J[:, independent]
    R = R * scale.speeds[:, None] / scale.speeds[independent]
    to_force = decompose(J.T).inverse(rank)
    return DenseComplement(
        part,
        R,
        scale.speeds[dependent, None] * inverse / scale.rows,
        to_force * scale.speeds / scale.rows[:, None],
    )


def _require_determined(kinematics: Kinematics, q: Array, J: Array, part: Partition) -> None:
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
