"""Functions of the independent velocities: compiled, and dense where the compiled order fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.dynamics.actuation import exactly_actuated, require_enough
from linkwright.dynamics.complement import (
    dense_forward_derivatives,
    dense_inertia,
    dense_inverse_derivatives,
    dense_linear_model,
    dense_map,
    dense_motion,
    independent_code,
)
from linkwright.dynamics.dynamics import Dynamics, require_mass_in_motions
from linkwright.dynamics.tree import tree_derivatives
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions.fallback_chain import refused_as_nan
from linkwright.functions.loop import closure_functions, independent_functions, loop_derivative_functions
from linkwright.functions.loop.loop_derivative_functions import carried_along
from linkwright.functions.tree import tree_derivative_functions, tree_functions
from linkwright.kinematics.batches import broadcast_parts
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism.tree import Tree

Array = np.ndarray
Triple = tuple[Array, Array, Array]


def independent_velocity_map(kinematics: Kinematics, q: Array) -> Array:
    """R with v = R v_ind, (..., nv, n_ind); the identity for a tree."""
    if not kinematics.closed:
        n, inputs = kinematics.setup.tree.nv, kinematics.setup.inputs
        sets = () if inputs is None else inputs.values.shape[:-1]
        lost = np.isnan(q).any(axis=-1)
        lost = np.broadcast_to(lost, np.broadcast_shapes(lost.shape, sets))[..., None, None]
        return np.where(lost, np.nan, np.eye(n))
    if not kinematics.mobility:
        return np.zeros((*np.shape(q)[:-1], kinematics.setup.tree.nv, 0))
    return independent_code(kinematics, independent_functions.checked_independent_map, dense_map)(q)


def minimal_efforts(kinematics: Kinematics, q: Array, force: Array) -> Array:
    """Efforts (..., na) that do on all motions the loops allow what tree forces (..., nv) do, R^T B tau = R^T force."""
    Rt = np.swapaxes(independent_velocity_map(kinematics, q), -1, -2)
    driven = Rt @ kinematics.all_rows.function(closure_functions.effort_matrix)(q)
    try:
        return np.linalg.solve(driven, Rt @ force[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise SingularityError(
            f"mechanism '{kinematics.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so this motion has no efforts; move it off this position, or actuate others",
            kind="type2",
        ) from None


def inertia_on_independent_velocities(kinematics: Kinematics, q: Array) -> Array:
    """R^T inertia R, (..., n_ind, n_ind)."""
    if not kinematics.closed:
        return kinematics.all_rows.function(tree_functions.mass_matrix)(q)
    if not kinematics.mobility:
        return np.zeros((*np.shape(q)[:-1], 0, 0))
    return independent_code(kinematics, independent_functions.checked_minimal_inertia, dense_inertia)(q)


def complete_independent_motion(kinematics: Kinematics, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]:
    """All speeds and accelerations, each (..., nv), that go with the independent ones."""
    if not kinematics.closed:
        return np.array(v_ind, dtype=float), np.array(a_ind, dtype=float)
    if not kinematics.mobility:
        still = np.zeros((*np.shape(q)[:-1], kinematics.setup.tree.nv))
        return still, still.copy()
    both = independent_code(kinematics, independent_functions.checked_motion, dense_motion)(q, v_ind, a_ind)
    return both[..., 0, :], both[..., 1, :]


def independent_forward_derivatives(dynamics: Dynamics) -> Callable[..., Triple]:
    """Derivatives of all accelerations by independent displacements, speeds (..., nv, n_ind) and efforts."""
    kinematics = dynamics.kinematics
    if not kinematics.closed:
        return tree_derivatives(kinematics)
    n, shape = kinematics.mobility, (kinematics.setup.tree.nv, len(kinematics.setup.drives))
    if not n:
        return lambda q, v, tau: _split_columns(
            np.zeros((*_broadcast_arguments(kinematics, q=q, v=v, tau=tau)[0].shape[:-1], *shape)), 0
        )
    require_mass_in_motions(kinematics)
    function = independent_code(
        dynamics, loop_derivative_functions.checked_forward_derivatives, dense_forward_derivatives
    )
    return lambda q, v, tau: _split_columns(function(q, v, tau), n)


def independent_inverse_derivatives(dynamics: Dynamics) -> Callable[..., Triple]:
    """Derivatives of the efforts by independent displacements, speeds and accelerations, each (..., na, n_ind).

    Compiled where the actuators are the independent velocities, in the same order; else solved densely, state by state.
    Of a tree, those of the generalized forces.
    """
    kinematics = dynamics.kinematics
    if not kinematics.closed:
        return kinematics.all_rows.function(tree_derivative_functions.inverse_derivatives)
    _require_exact(kinematics)
    part, n = kinematics.partition, kinematics.mobility
    if n and part.independent == tuple(drive.speed for drive in kinematics.setup.drives):
        function = independent_code(
            dynamics, loop_derivative_functions.checked_inverse_derivatives, dense_inverse_derivatives
        )
        return lambda q, v, a: _split_columns(function(q, v, a), n)
    each = functools.partial(refused_as_nan, functools.partial(dense_inverse_derivatives, dynamics))
    return lambda q, v, a: _split_columns(
        _result_per_state(each, _broadcast_arguments(kinematics, q=q, v=v, a=a), (n, 3 * n)), n
    )


def linear_model(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """A (..., 2 n_ind, 2 n_ind) and B (..., 2 n_ind, na) of d/dt x = A x + B d tau in tangent coordinates."""
    kinematics = dynamics.kinematics
    if not kinematics.closed:
        return _linear_tree(kinematics.setup.tree, independent_forward_derivatives(dynamics), q, v, tau)
    n = kinematics.mobility
    if not n:
        lead = np.shape(v)[:-1]
        return np.zeros((*lead, 0, 0)), np.zeros((*lead, 0, len(kinematics.setup.drives)))
    require_mass_in_motions(kinematics)
    both = independent_code(dynamics, loop_derivative_functions.checked_linear_model, dense_linear_model)(q, v, tau)
    return both[..., : 2 * n], both[..., 2 * n :]


def _linear_tree(tree: Tree, derivatives: Callable[..., Triple], q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """The linear model of a tree; rows that the derivatives refuse are NaN."""
    dq, dv, dtau = derivatives(q, v, tau)
    n, lead = dq.shape[-1], dq.shape[:-2]
    flat = np.asarray(v, dtype=float).reshape(-1, n)
    A, B = np.zeros((*lead, 2 * n, 2 * n)), np.zeros((*lead, 2 * n, dtau.shape[-1]))
    A[..., :n, :n] = np.array([carried_along(tree, row) for row in flat]).reshape(*np.shape(v)[:-1], n, n)
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n], A[..., n:, n:], B[..., n:, :] = dq, dv, dtau
    refused = np.isnan(dq).any(axis=(-2, -1))
    A[refused], B[refused] = np.nan, np.nan
    return A, B


def _split_columns(columns: Array, n: int) -> Triple:
    """Three blocks of columns: the first two of n each."""
    return columns[..., :n], columns[..., n : 2 * n], columns[..., 2 * n :]


def _broadcast_arguments(kinematics: Kinematics, **given: Any) -> list[Array]:
    sizes = kinematics.setup.sizes()
    return broadcast_parts({name: (x, sizes[name][0]) for name, x in given.items()})


def _result_per_state(function: Callable[..., Array], states: list[Array], shape: tuple[int, int]) -> Array:
    """One result per state; rows with values that are not finite stay NaN."""
    lead = states[0].shape[:-1]
    flat = [x.reshape(-1, x.shape[-1]) for x in states]
    out = np.full((len(flat[0]), *shape), np.nan)
    for row, state in enumerate(zip(*flat, strict=True)):
        if all(np.isfinite(x).all() for x in state):
            out[row] = function(*state, alone=not lead)
    return out.reshape(*lead, *shape)


def _require_exact(kinematics: Kinematics) -> None:
    """Refuse derivatives of efforts that the motion alone does not decide."""
    if exactly_actuated(kinematics):
        return
    require_enough(kinematics)
    setup = kinematics.setup
    raise ArgumentError(
        f"mechanism '{setup.mech.name}' has {kinematics.mobility} degrees of freedom and {len(setup.drives)} "
        "actuators, so its efforts depend on how the work is shared; build it with as many actuators as "
        "freedoms for derivatives"
    )
