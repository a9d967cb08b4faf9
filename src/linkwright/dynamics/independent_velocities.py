"""Functions of the independent velocities: compiled, and by dense algebra where the compiled order fails.

For states in which the planned order or the kept equations fail although the mechanism is regular, as those of
Bricard's mechanism do; and where it is not regular, to say so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.dynamics.actuation import effort_rank, exactly_actuated, require_enough
from linkwright.dynamics.dynamics import Dynamics, require_mass_in_motions
from linkwright.dynamics.fallback import bordered_accelerations
from linkwright.dynamics.tree_dynamics import tree_derivatives
from linkwright.errors import ArgumentError, SingularityError
from linkwright.formulations.minimal_equations import Partition
from linkwright.functions import part_names
from linkwright.functions.definition import Definition
from linkwright.functions.fallback_chain import Code, FallbackChain, refused_as_nan
from linkwright.functions.loop import closure_functions, loop_derivative_functions, minimal_functions
from linkwright.functions.loop.loop_derivative_functions import (
    Partials,
    acceleration_derivatives,
    carried_along,
    projected_forces,
    state_matrix,
)
from linkwright.functions.memo import memo
from linkwright.functions.tree import tree_derivative_functions, tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import broadcast_parts
from linkwright.mechanism.tree import Tree
from linkwright.numerics.dense import decompose_scaled, distance_to_singularity, singular_values
from linkwright.numerics.tolerances import NO_EFFORT, SINGULAR, UNDETERMINED

# --- functions of the independent velocities and their derivatives by dense algebra on all closure equations ----------

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
    J = kinematics.compute_at(closure_functions.closure_jacobian, q) / scale.rows[:, None] * scale.speeds
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
    return R.T @ kinematics.compute_at(tree_functions.mass_matrix, q) @ R


def dense_motion(kinematics: Kinematics, q: Array, v_ind: Array, a_ind: Array) -> Array:
    """All speeds and accelerations that go with the independent ones, (2, nv)."""
    found = dense_complement(kinematics, q)
    v = found.R @ v_ind
    return np.array([v, found.R @ a_ind + found.closing(kinematics.compute_at(closure_functions.bias, q, v))])


def dense_forward_derivatives(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> Array:
    """Derivatives of all accelerations by independent displacements, speeds and efforts, (nv, 2 n_ind + na)."""
    found = dense_complement(dynamics.kinematics, q)
    M, B = (dynamics.kinematics.compute_at(x, q) for x in (tree_functions.mass_matrix, closure_functions.effort_matrix))
    a = bordered_accelerations(dynamics, q, v, tau)
    lam = found.multipliers(dynamics.kinematics.compute_at(tree_functions.generalized_forces, q, v, a) - B @ tau)
    response = found.R @ np.linalg.inv(found.R.T @ M @ found.R)
    return acceleration_derivatives(found, response, M, B, _dense_tree_partials(dynamics, q, v, a, lam, tau))


def dense_inverse_derivatives(dynamics: Dynamics, q: Array, v: Array, a: Array) -> Array:
    """Derivatives of exact efforts by independent displacements, speeds and accelerations, (na, 3 n_ind)."""
    found = dense_complement(dynamics.kinematics, q)
    M, B = (dynamics.kinematics.compute_at(x, q) for x in (tree_functions.mass_matrix, closure_functions.effort_matrix))
    force = dynamics.kinematics.compute_at(tree_functions.generalized_forces, q, v, a)
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
    return Partials(**dynamics.kinematics.compute_at(loop_derivative_functions.tree_partials, *state))


def _require_driven(dynamics: Dynamics, q: Array, G: Array) -> None:
    if distance_to_singularity(singular_values(G)) < NO_EFFORT:
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so their efforts have no derivatives; move it off this position, or actuate others",
            q=q,
            kind="type2",
        )


# --- functions of the independent velocities: compiled, and dense where the compiled order fails ----------------------

Triple = tuple[Array, Array, Array]


def independent_velocity_map(kinematics: Kinematics, q: Array) -> Array:
    """R with v = R v_ind, (..., nv, n_ind); the identity for a tree."""
    if not kinematics.has_closure:
        lost = np.isnan(q).any(axis=-1)
        lost = np.broadcast_to(lost, np.broadcast_shapes(lost.shape, kinematics.setup.p_axes))[..., None, None]
        return np.where(lost, np.nan, np.eye(kinematics.setup.tree.nv))
    if not kinematics.mobility:
        return np.zeros((*np.shape(q)[:-1], kinematics.setup.tree.nv, 0))
    return independent_code(kinematics, minimal_functions.checked_independent_map, dense_map)(q)


def minimal_efforts(kinematics: Kinematics, q: Array, force: Array) -> Array:
    """Efforts (..., na) that do on all motions the loops allow what tree forces (..., nv) do, R^T B tau = R^T force."""
    Rt = np.swapaxes(independent_velocity_map(kinematics, q), -1, -2)
    driven = Rt @ kinematics.compute_at(closure_functions.effort_matrix, q)
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
    if not kinematics.has_closure:
        return kinematics.compute_at(tree_functions.mass_matrix, q)
    if not kinematics.mobility:
        return np.zeros((*np.shape(q)[:-1], 0, 0))
    return independent_code(kinematics, minimal_functions.checked_minimal_inertia, dense_inertia)(q)


def complete_independent_motion(kinematics: Kinematics, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]:
    """All speeds and accelerations, each (..., nv), that go with the independent ones."""
    if not kinematics.has_closure:
        return np.array(v_ind, dtype=float), np.array(a_ind, dtype=float)
    if not kinematics.mobility:
        still = np.zeros((*np.shape(q)[:-1], kinematics.setup.tree.nv))
        return still, still.copy()
    both = independent_code(kinematics, minimal_functions.checked_motion, dense_motion)(q, v_ind, a_ind)
    return both[..., 0, :], both[..., 1, :]


def independent_forward_derivatives(dynamics: Dynamics) -> Callable[..., Triple]:
    """Derivatives of all accelerations by independent displacements, speeds (..., nv, n_ind) and efforts."""
    kinematics = dynamics.kinematics
    if not kinematics.has_closure:
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
    if not kinematics.has_closure:
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
    if not kinematics.has_closure:
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


# --- states of the actuators, and the Jacobian from their velocities to the twist of a frame --------------------------


def need_coordinates(kinematics: Kinematics) -> bool:
    """True if an actuator sits at a cut joint, so that its rates depend on q."""
    return any(drive.speed is None for drive in kinematics.setup.drives)


def driven_rates(kinematics: Kinematics, rates: Array) -> Array:
    """The actuators' own ones of all velocities or accelerations (..., nv), where none sits at a cut joint."""
    out = rates[..., [drive.speed for drive in kinematics.setup.drives if drive.speed is not None]]
    lead = np.broadcast_shapes(out.shape[:-1], kinematics.setup.p_axes)
    return np.broadcast_to(out, (*lead, out.shape[-1])).copy()


def actuator_jacobian(kinematics: Kinematics, q: Array, frame: str) -> Array:
    """J with twist of a frame = J v_act, (..., 6, na), world axes, at its origin; NaN in rows at type 2 singularities.

    With more actuators than freedoms any consistent v_act gives the twist, and J has the least norm.
    """
    drives = kinematics.setup.drives
    if not drives:
        raise ArgumentError(
            f"mechanism '{kinematics.setup.mech.name}' names no actuators, so nothing follows from their velocities; "
            "name them in the file or in actuated=[...]"
        )
    if (
        kinematics.has_closure
        and kinematics.mobility
        and kinematics.independent == tuple(drive.speed for drive in drives)
    ):
        return independent_code(
            kinematics, minimal_functions.checked_actuator_jacobian, _dense_actuator_jacobian, frame
        )(q)
    return _by_least_norm(kinematics, q, frame)


def _dense_actuator_jacobian(kinematics: Kinematics, q: Array, frame: str) -> Array:
    return kinematics.compute_at(tree_functions.frame_jacobian, q, frame=frame) @ dense_map(kinematics, q)


def _by_least_norm(kinematics: Kinematics, q: Array, frame: str) -> Array:
    """The same with v = R v_ind and v_act = B^T R v_ind, by the singular values of B^T R in the mechanism's units."""
    speeds, length = kinematics.scales.speeds, kinematics.scales.length
    R = independent_velocity_map(kinematics, q) * speeds[list(kinematics.independent)]
    units = 1.0 / np.array(
        [1.0 if x is None else speeds[x] for x in (drive.speed for drive in kinematics.setup.drives)]
    )
    G = units[:, None] * (np.swapaxes(kinematics.compute_at(closure_functions.effort_matrix, q), -1, -2) @ R)
    J = kinematics.compute_at(tree_functions.frame_jacobian, q, frame=frame) @ R
    rank, by = effort_rank(kinematics), decompose_scaled(G)
    bad = ~(by.finite & np.isfinite(J).all(axis=(-2, -1)))
    singular, V = by.distance(rank) <= SINGULAR, by.row_space(rank)
    left = np.abs((J - J @ V @ np.swapaxes(V, -1, -2)) / np.array([1.0] * 3 + [length] * 3)[:, None])
    loose = left.max(axis=(-2, -1), initial=0.0) > UNDETERMINED
    _require_determined_frame(kinematics, q, frame, singular & ~bad, loose & ~bad)
    found = J @ by.inverse(rank) * units
    return np.where((bad | singular | loose)[..., None, None], np.nan, found)


def _require_determined_frame(kinematics: Kinematics, q: Array, frame: str, singular: Array, loose: Array) -> None:
    """Raise for a single state at a singularity, and where the actuators never determine the frame's motion."""
    name = kinematics.setup.mech.name
    if singular.ndim == 0 and singular:
        raise SingularityError(
            f"mechanism '{name}' stands at a singularity (type2): there the velocities of its actuators do not "
            f"determine the twist of '{frame}'; move it off this position, or choose other actuators",
            q=q,
            kind="type2",
        )
    if loose.size and np.all(loose):
        raise ArgumentError(
            f"the actuators {list(kinematics.setup.actuated)} of '{name}' do not determine the twist of '{frame}': it "
            "can move although they are locked; actuate more joints"
        )
