"""What virtual springs feel: the forces they must carry, how far they open, how fast they ring (theory 9.16-9.18)."""

from __future__ import annotations

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.solve.machine import Machine
from linkwright.solve.rows import least_norm
from linkwright.solve.springs import row_owners, row_weights, sprung_rows

Array = np.ndarray
_NO_MODE = 1e-9


def machine_of(model: Model) -> Machine:
    """The machinery behind a model with loops."""
    if not (model.mechanism.loops or model.mechanism.couplings):
        raise ArgumentError(f"mechanism '{model.mechanism.name}' has no loops, so there is nothing to put springs at")
    return model._engine.machine


def openings(model: Model, q: Array, at: tuple[str, ...] | None = None, arm: float | None = None) -> Array:
    """How far the sprung joint that is open widest stands open, (...,), [m]; angles count at the arm."""
    weighted = model.closure_residual(q) * np.sqrt(row_weights(machine_of(model), arm))
    return largest(model, weighted, at)


def joint_forces(
    model: Model, q: Array, v: Array, tau: Array, at: tuple[str, ...] | None = None, arm: float | None = None
) -> Array:
    """Largest force that a sprung joint must carry in closed states, (...,), [N]; moments count divided by the arm.

    Where equations are redundant the forces are those that springs take: of least energy in the springs.
    """
    root = np.sqrt(row_weights(machine_of(model), arm))
    a = model.forward_dynamics(q, v, tau)
    driven = (model._kernels.function("effort_matrix")(q) @ np.asarray(tau, dtype=float)[..., None])[..., 0]
    rest = model.generalized_forces(q, v, a) - driven
    J = model.closure_jacobian(q) * root[:, None]
    return largest(model, least_norm(np.swapaxes(J, -1, -2), rest, rcond=1e-9), at)


def largest(model: Model, rows: Array, at: tuple[str, ...] | None) -> Array:
    """The largest length of the rows (..., n) of one sprung joint."""
    machine = machine_of(model)
    owner, chosen = row_owners(machine.setup.closure), sprung_rows(machine, at)
    names = dict.fromkeys(owner[i] for i in chosen)
    sizes = [np.linalg.norm(rows[..., [i for i in chosen if owner[i] == name]], axis=-1) for name in names]
    return np.max(sizes, axis=0)


def spring_mobilities(
    model: Model, q: Array, at: tuple[str, ...] | None = None, arm: float | None = None
) -> tuple[Array, Array]:
    """Smallest and largest mobility of the springs' modes, (...,), [1/kg]: a mode rings with sqrt(stiffness mobility).

    They are the eigenvalues of J M^-1 J^T (weighted), other loops kept closed; directions that cannot open have none.
    """
    machine = machine_of(model)
    rows = sprung_rows(machine, at)
    J = model.closure_jacobian(q)
    left = [i for i in range(J.shape[-2]) if i not in rows]
    sprung = J[..., list(rows), :] * np.sqrt(row_weights(machine, arm))[list(rows), None]
    values = np.linalg.eigvalsh(sprung @ _responses(model, q, J[..., left, :]) @ np.swapaxes(sprung, -1, -2))
    top = values[..., -1]
    return np.min(np.where(values > _NO_MODE * top[..., None], values, np.inf), axis=-1), top


def _responses(model: Model, q: Array, J: Array) -> Array:
    """Accelerations per tree force with the loops of J kept closed, (..., nv, nv)."""
    M_inv = np.linalg.inv(model.generalized_inertia(q))
    if not J.shape[-2]:
        return M_inv
    X = M_inv @ np.swapaxes(J, -1, -2)
    return M_inv - X @ np.linalg.pinv(J @ X, rcond=1e-9) @ np.swapaxes(X, -1, -2)
