"""Answers on the independent speeds of a closed-loop machine: compiled, and dense where the compiled order fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, SingularityError
from linkwright.model import arguments
from linkwright.solve.actuation import exactly_actuated, require_enough
from linkwright.solve.complement import answered, dense_inertia, dense_map, dense_motion, repaired
from linkwright.solve.machine import Machine
from linkwright.solve.mass import require_mass
from linkwright.solve.sensitivity import dense_forward_derivatives, dense_inverse_derivatives, dense_linear_model

Array = np.ndarray
Triple = tuple[Array, Array, Array]


def independent_map(machine: Machine, q: Array) -> Array:
    """R with v = R v_ind, (..., nv, n_ind)."""
    if not machine.mobility:
        return np.zeros((*np.shape(q)[:-1], machine.setup.tree.nv, 0))
    return answered(machine, "guarded_independent_map", dense_map)(q)


def minimal_efforts(machine: Machine, q: Array, force: Array) -> Array:
    """Efforts (..., na) that do on all motions the loops allow what tree forces (..., nv) do, R^T B tau = R^T force."""
    Rt = np.swapaxes(independent_map(machine, q), -1, -2)
    driven = Rt @ machine.open.function("effort_matrix")(q)
    try:
        return np.linalg.solve(driven, Rt @ force[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so this motion has no efforts; move it off this position, or actuate others",
            kind="type2",
        ) from None


def minimal_inertia(machine: Machine, q: Array) -> Array:
    """R^T inertia R, (..., n_ind, n_ind)."""
    if not machine.mobility:
        return np.zeros((*np.shape(q)[:-1], 0, 0))
    return answered(machine, "guarded_minimal_inertia", dense_inertia)(q)


def motion(machine: Machine, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]:
    """All speeds and accelerations, each (..., nv), that go with the independent ones."""
    if not machine.mobility:
        still = np.zeros((*np.shape(q)[:-1], machine.setup.tree.nv))
        return still, still.copy()
    both = answered(machine, "guarded_motion", dense_motion)(q, v_ind, a_ind)
    return both[..., 0, :], both[..., 1, :]


def forward_derivatives(machine: Machine) -> Callable[..., Triple]:
    """Derivatives of all accelerations by independent displacements, speeds (..., nv, n_ind) and efforts."""
    n, shape = machine.mobility, (machine.setup.tree.nv, len(machine.setup.drives))
    if not n:
        return lambda q, v, tau: _split(np.zeros((*_joined(machine, q=q, v=v, tau=tau)[0].shape[:-1], *shape)), 0)
    require_mass(machine.kinematics)
    answer = answered(machine, "guarded_forward_derivatives", dense_forward_derivatives)
    return lambda q, v, tau: _split(answer(q, v, tau), n)


def inverse_derivatives(machine: Machine) -> Callable[..., Triple]:
    """Derivatives of the efforts by independent displacements, speeds and accelerations, each (..., na, n_ind).

    Compiled where the actuators are the independent speeds, in the same order; else solved densely, state by state.
    """
    _require_exact(machine)
    part, n = machine.kinematics.partition, machine.mobility
    if n and part.independent == tuple(drive.speed for drive in machine.setup.drives):
        answer = answered(machine, "guarded_inverse_derivatives", dense_inverse_derivatives)
        return lambda q, v, a: _split(answer(q, v, a), n)
    dense = functools.partial(repaired, dense_inverse_derivatives, machine, part)
    return lambda q, v, a: _split(_each(dense, _joined(machine, q=q, v=v, a=a), (n, 3 * n)), n)


def linear_model(machine: Machine, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """A (..., 2 n_ind, 2 n_ind) and B (..., 2 n_ind, na)."""
    n = machine.mobility
    if not n:
        lead = np.shape(v)[:-1]
        return np.zeros((*lead, 0, 0)), np.zeros((*lead, 0, len(machine.setup.drives)))
    require_mass(machine.kinematics)
    both = answered(machine, "guarded_linear_model", dense_linear_model)(q, v, tau)
    return both[..., : 2 * n], both[..., 2 * n :]


def _split(columns: Array, n: int) -> Triple:
    """Three blocks of columns: the first two of n each."""
    return columns[..., :n], columns[..., n : 2 * n], columns[..., 2 * n :]


def _joined(machine: Machine, **given: Any) -> list[Array]:
    sizes = machine.setup.sizes()
    return arguments.joined({name: (x, sizes[name][0]) for name, x in given.items()})


def _each(answer: Callable[..., Array], states: list[Array], shape: tuple[int, int]) -> Array:
    """One answer per state; rows with values that are not finite stay NaN."""
    lead = states[0].shape[:-1]
    flat = [x.reshape(-1, x.shape[-1]) for x in states]
    out = np.full((len(flat[0]), *shape), np.nan)
    for row, state in enumerate(zip(*flat, strict=True)):
        if all(np.isfinite(x).all() for x in state):
            out[row] = answer(*state, alone=not lead)
    return out.reshape(*lead, *shape)


def _require_exact(machine: Machine) -> None:
    """Refuse derivatives of efforts that the motion alone does not decide."""
    if exactly_actuated(machine):
        return
    require_enough(machine)
    setup = machine.setup
    raise ArgumentError(
        f"mechanism '{setup.mech.name}' has {machine.mobility} degrees of freedom and {len(setup.drives)} actuators, "
        "so its efforts depend on how the work is shared; build it with as many actuators as freedoms for derivatives"
    )
