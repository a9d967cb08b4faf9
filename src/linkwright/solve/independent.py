"""Functions of the independent velocities: compiled, and dense where the compiled order fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, SingularityError
from linkwright.kernels import registry
from linkwright.kernels.inputs import Owned
from linkwright.kernels.loop.derivatives import carried_along
from linkwright.mechanism.tree import Tree
from linkwright.solve.actuation import exactly_actuated, require_enough
from linkwright.solve.complement import dense_inertia, dense_map, dense_motion, repaired, with_fallback
from linkwright.solve.dynamics import Dynamics
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.mass import require_mass
from linkwright.solve.rows import joined
from linkwright.solve.sensitivity import dense_forward_derivatives, dense_inverse_derivatives, dense_linear_model
from linkwright.solve.tree_pivots import tree_derivatives

Array = np.ndarray
Triple = tuple[Array, Array, Array]


def independent_map(loops: Kinematics, q: Array) -> Array:
    """R with v = R v_ind, (..., nv, n_ind); the identity for a tree."""
    if not loops.closed:
        n, inputs = loops.setup.tree.nv, loops.setup.inputs
        sets = () if inputs is None else inputs.values.shape[:-1]
        lost = np.isnan(q).any(axis=-1)
        lost = np.broadcast_to(lost, np.broadcast_shapes(lost.shape, sets))[..., None, None]
        return np.where(lost, np.nan, np.eye(n))
    if not loops.mobility:
        return np.zeros((*np.shape(q)[:-1], loops.setup.tree.nv, 0))
    return with_fallback(loops, registry.CHECKED_INDEPENDENT_MAP, Owned(dense_map, loops))(q)


def minimal_efforts(loops: Kinematics, q: Array, force: Array) -> Array:
    """Efforts (..., na) that do on all motions the loops allow what tree forces (..., nv) do, R^T B tau = R^T force."""
    Rt = np.swapaxes(independent_map(loops, q), -1, -2)
    driven = Rt @ loops.open.function(registry.EFFORT_MATRIX)(q)
    try:
        return np.linalg.solve(driven, Rt @ force[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise SingularityError(
            f"mechanism '{loops.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so this motion has no efforts; move it off this position, or actuate others",
            kind="type2",
        ) from None


def minimal_inertia(loops: Kinematics, q: Array) -> Array:
    """R^T inertia R, (..., n_ind, n_ind)."""
    if not loops.closed:
        return loops.open.function(registry.MASS_MATRIX)(q)
    if not loops.mobility:
        return np.zeros((*np.shape(q)[:-1], 0, 0))
    return with_fallback(loops, registry.CHECKED_MINIMAL_INERTIA, Owned(dense_inertia, loops))(q)


def motion(loops: Kinematics, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]:
    """All speeds and accelerations, each (..., nv), that go with the independent ones."""
    if not loops.closed:
        return np.array(v_ind, dtype=float), np.array(a_ind, dtype=float)
    if not loops.mobility:
        still = np.zeros((*np.shape(q)[:-1], loops.setup.tree.nv))
        return still, still.copy()
    both = with_fallback(loops, registry.CHECKED_MOTION, Owned(dense_motion, loops))(q, v_ind, a_ind)
    return both[..., 0, :], both[..., 1, :]


def forward_derivatives(dynamics: Dynamics) -> Callable[..., Triple]:
    """Derivatives of all accelerations by independent displacements, speeds (..., nv, n_ind) and efforts."""
    loops = dynamics.kinematics
    if not loops.closed:
        return tree_derivatives(loops)
    n, shape = loops.mobility, (loops.setup.tree.nv, len(loops.setup.drives))
    if not n:
        return lambda q, v, tau: _split(np.zeros((*_joined(loops, q=q, v=v, tau=tau)[0].shape[:-1], *shape)), 0)
    require_mass(loops)
    function = with_fallback(loops, registry.CHECKED_FORWARD_DERIVATIVES, Owned(dense_forward_derivatives, dynamics))
    return lambda q, v, tau: _split(function(q, v, tau), n)


def inverse_derivatives(dynamics: Dynamics) -> Callable[..., Triple]:
    """Derivatives of the efforts by independent displacements, speeds and accelerations, each (..., na, n_ind).

    Compiled where the actuators are the independent velocities, in the same order; else solved densely, state by state.
    Of a tree, those of the generalized forces.
    """
    loops = dynamics.kinematics
    if not loops.closed:
        return loops.open.function(registry.INVERSE_DERIVATIVES)
    _require_exact(loops)
    part, n = loops.partition, loops.mobility
    dense = Owned(dense_inverse_derivatives, dynamics)
    if n and part.independent == tuple(drive.speed for drive in loops.setup.drives):
        function = with_fallback(loops, registry.CHECKED_INVERSE_DERIVATIVES, dense)
        return lambda q, v, a: _split(function(q, v, a), n)
    each = functools.partial(repaired, dense)
    return lambda q, v, a: _split(_each(each, _joined(loops, q=q, v=v, a=a), (n, 3 * n)), n)


def linear_model(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """A (..., 2 n_ind, 2 n_ind) and B (..., 2 n_ind, na) of d/dt x = A x + B d tau in tangent coordinates."""
    loops = dynamics.kinematics
    if not loops.closed:
        return _linear_tree(loops.setup.tree, forward_derivatives(dynamics), q, v, tau)
    n = loops.mobility
    if not n:
        lead = np.shape(v)[:-1]
        return np.zeros((*lead, 0, 0)), np.zeros((*lead, 0, len(loops.setup.drives)))
    require_mass(loops)
    both = with_fallback(loops, registry.CHECKED_LINEAR_MODEL, Owned(dense_linear_model, dynamics))(q, v, tau)
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


def _split(columns: Array, n: int) -> Triple:
    """Three blocks of columns: the first two of n each."""
    return columns[..., :n], columns[..., n : 2 * n], columns[..., 2 * n :]


def _joined(loops: Kinematics, **given: Any) -> list[Array]:
    sizes = loops.setup.sizes()
    return joined({name: (x, sizes[name][0]) for name, x in given.items()})


def _each(function: Callable[..., Array], states: list[Array], shape: tuple[int, int]) -> Array:
    """One result per state; rows with values that are not finite stay NaN."""
    lead = states[0].shape[:-1]
    flat = [x.reshape(-1, x.shape[-1]) for x in states]
    out = np.full((len(flat[0]), *shape), np.nan)
    for row, state in enumerate(zip(*flat, strict=True)):
        if all(np.isfinite(x).all() for x in state):
            out[row] = function(*state, alone=not lead)
    return out.reshape(*lead, *shape)


def _require_exact(loops: Kinematics) -> None:
    """Refuse derivatives of efforts that the motion alone does not decide."""
    if exactly_actuated(loops):
        return
    require_enough(loops)
    setup = loops.setup
    raise ArgumentError(
        f"mechanism '{setup.mech.name}' has {loops.mobility} degrees of freedom and {len(setup.drives)} actuators, "
        "so its efforts depend on how the work is shared; build it with as many actuators as freedoms for derivatives"
    )
