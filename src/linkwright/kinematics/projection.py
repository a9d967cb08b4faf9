"""The nearest state with every loop closed: coordinates by steps that keep their distance least, velocities in one."""

from __future__ import annotations

import numpy as np

from linkwright.errors import AssemblyError
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import displacement_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.nominal_rank import has_nominal_rank, rows_of_nominal_rank
from linkwright.numerics.dense import least_norm
from linkwright.numerics.tolerances import CLOSED, NO_EFFECT, SOLVED
from linkwright.plans.closure_newton import limit_steps, right_way_round

Array = np.ndarray

# Steps at most.
_STEPS = 60

# The longest step, in the units of the mechanism.
_LONGEST = 0.5


def project_onto_loops(kinematics: Kinematics, q: Array, v: Array) -> tuple[Array, Array]:
    """Coordinates (..., nq) and velocities (..., nv) that keep every loop closed, nearest to the given ones.

    Distances are sums of squares of displacements (`difference`) and of velocities, angles in rad and lengths in units
    of the mechanism's (`scales.length`). Rows whose loops do not close are NaN; a single state raises.
    """
    lead = np.broadcast_shapes(q.shape[:-1], kinematics.setup.p_axes)
    q, v = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (q, v))
    if not kinematics.has_closure:
        lost = ~(np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1))[..., None]
        return np.where(lost, np.nan, q), np.where(lost, np.nan, v)
    values = kinematics.setup.p_over(lead)
    flat = kinematics if values is None else kinematics.at(values.reshape(-1, values.shape[-1]))
    found, moving = _project_rows(flat, q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]))
    if not lead and np.isnan(found).any():
        raise AssemblyError(
            f"project of '{kinematics.setup.mech.name}': the loops do not close within {_STEPS} steps from these "
            "coordinates; start nearer to a closed configuration (assemble, forward_kinematics)"
        )
    found, moving = found.reshape(q.shape), moving.reshape(v.shape)
    if has_nominal_rank(kinematics):
        found = rows_of_nominal_rank(kinematics, "project", found)
        moving = np.where(np.isnan(found[..., :1]), np.nan, moving)
    return found, moving


def _kinematics_of_rows(kinematics: Kinematics, rows: Array) -> Kinematics:
    """The kinematics at the parameters of some rows of a flat batch."""
    values = kinematics.setup.p
    return kinematics if values is None or values.ndim == 1 else kinematics.at(values[rows])


def _project_rows(kinematics: Kinematics, q: Array, v: Array) -> tuple[Array, Array]:
    given = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
    found = _nearest_closed_coordinates(kinematics, np.where(given[:, None], q, np.nan))
    _, J = _scaled_closure_equations(kinematics, found)
    speeds = kinematics.scales.speeds
    opening = (J @ (v / speeds)[..., None])[..., 0]
    moving = v - least_norm(J, opening, NO_EFFECT, kinematics.rank.rank) * speeds
    return found, np.where(np.isnan(found[:, :1]), np.nan, moving)


def _scaled_closure_equations(kinematics: Kinematics, q: Array) -> tuple[Array, Array]:
    """Closure residuals and their exact Jacobians, in the units of the mechanism."""
    scale, functions = kinematics.scales, (closure_functions.closure_residual, closure_functions.exact_closure_jacobian)
    g, J = (kinematics.compute_at(x, q) for x in functions)
    return g / scale.rows, J / scale.rows[:, None] * scale.speeds


def _nearest_closed_coordinates(kinematics: Kinematics, given: Array) -> Array:
    """The nearest closed coordinates, by Gauss-Newton steps: each is the shortest total displacement from `given` that
    closes the loops to first order."""
    q, speeds, rank = np.array(given), kinematics.scales.speeds, kinematics.rank.rank
    active = np.flatnonzero(np.isfinite(given).all(axis=1))
    done = np.zeros(len(q), dtype=bool)
    for step in range(_STEPS):
        here = _kinematics_of_rows(kinematics, active)
        g, J = _scaled_closure_equations(here, q[active])
        moved = here.compute_at(displacement_functions.difference, given[active], q[active]) / speeds
        dv = least_norm(J, (J @ moved[..., None])[..., 0] - g, NO_EFFECT, rank) - moved
        closed = np.abs(g).max(axis=1, initial=0.0) < SOLVED
        still = np.abs(dv).max(axis=1, initial=0.0) < CLOSED
        ready = closed & (still | (step == 0))
        done[active[ready]] = True
        active, dv = active[~ready], dv[~ready]
        if not len(active):
            break
        moving = _kinematics_of_rows(kinematics, active).all_rows.function(displacement_functions.integrated)
        q[active] = moving(q[active], limit_steps(dv, _LONGEST) * speeds, np.ones((len(active), 1)))
    kept = np.flatnonzero(done)
    done[kept] = right_way_round(_kinematics_of_rows(kinematics, kept).all_rows, q[kept]) if len(kept) else True
    return np.where(done[:, None], q, np.nan)
