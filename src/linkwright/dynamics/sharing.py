"""Ways to share the work among more actuators than freedoms."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.checks import require_finite_array
from linkwright.dataclass import dataclass
from linkwright.dynamics.independent_velocities import independent_velocity_map
from linkwright.errors import ArgumentError
from linkwright.functions.definition import Definition
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import MASSLESS, NO_EFFORT

Array = np.ndarray


@dataclass(frozen=True)
class LeastNorm:
    """The efforts with the smallest sum of squares."""


@dataclass(frozen=True)
class LeastPeak:
    """The efforts whose largest magnitude is smallest."""


@dataclass(frozen=True)
class Preload:
    """The efforts nearest to the wanted ones, in the sense of least squares, among those that make the motion.

    What is added to the least-norm efforts is the projection of `wanted` on the efforts that move nothing, so that it
    changes continuously along a motion. `wanted` has one number per actuator [N m or N].
    """

    wanted: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "wanted", tuple(np.atleast_1d(require_finite_array("wanted", self.wanted)).tolist()))


Sharing = LeastNorm | LeastPeak | Preload


def require_sizes(sharing: Sharing, actuated: tuple[str, ...]) -> None:
    """Refuse a preload that does not name one finite effort per actuator."""
    if not isinstance(sharing, Preload):
        return
    wanted = np.asarray(sharing.wanted, dtype=float)
    if wanted.shape != (len(actuated),) or not np.isfinite(wanted).all():
        raise ArgumentError(
            f"Preload is {sharing.wanted!r}, expected {len(actuated)} finite efforts, one per actuator: "
            f"{', '.join(actuated)}"
        )


@dataclass(frozen=True, eq=False)
class Projected:
    """Equations G tau = f of the driven motions, (..., driven, na) and (..., driven), and accelerations (..., nv).

    The accelerations of freedoms that nobody drives are those that follow from the dynamics. T (..., driven, nv) takes
    the tree forces at these accelerations to f.
    """

    G: Array
    f: Array
    a: Array
    T: Array


def projected_effort_equations(
    kinematics: Kinematics, q: Any, v: Any, a: Any, w_ext: Any, forces: Definition = tree_functions.generalized_forces
) -> Projected:
    """The equations of motion on the motions that the loops allow, R^T B tau = R^T (M a + h), undriven ones solved.

    `forces` is the function that gives M a + h.
    """
    extra = () if w_ext is None else (w_ext,)
    force = kinematics.all_rows.function(forces, wrench=w_ext is not None)(q, v, a, *extra)
    R, a = (
        independent_velocity_map(kinematics, np.asarray(q, dtype=float)),
        np.broadcast_to(np.asarray(a, dtype=float), force.shape),
    )
    Rt = np.swapaxes(R, -1, -2)
    G, f = Rt @ kinematics.all_rows.function(closure_functions.effort_matrix)(q), (Rt @ force[..., None])[..., 0]
    count = find_undriven_freedoms(kinematics).count
    if not count:
        return Projected(G, f, a, Rt)
    lead = np.broadcast_shapes(G.shape[:-2], f.shape[:-1])
    G = np.broadcast_to(G, (*lead, *G.shape[-2:]))
    Q = decompose_scaled(np.nan_to_num(G), complete=True).U
    driven, free = Q[..., : Q.shape[-1] - count], np.swapaxes(Q[..., Q.shape[-1] - count :], -1, -2)
    M = Rt @ kinematics.all_rows.function(tree_functions.mass_matrix)(q) @ R
    H, rest = free @ M @ np.swapaxes(free, -1, -2), (free @ f[..., None])[..., 0]
    u = (np.swapaxes(free, -1, -2) @ least_norm(H, -rest, MASSLESS)[..., None])[..., 0]
    f, a = f + (M @ u[..., None])[..., 0], a + (R @ u[..., None])[..., 0]
    driven = np.swapaxes(driven, -1, -2)
    return Projected(driven @ G, (driven @ f[..., None])[..., 0], a, driven @ Rt)


def shared_efforts(kinematics: Kinematics, sharing: Sharing, q: Any, v: Any, a: Any, w_ext: Any) -> tuple[Array, Array]:
    """Efforts of more actuators than they drive freedoms, made unique by the sharing, and all accelerations."""
    found = projected_effort_equations(kinematics, q, v, a, w_ext)
    G, f = found.G, found.f
    match sharing:
        case LeastNorm():
            return least_norm(G, f, NO_EFFORT), found.a
        case Preload(wanted):
            tau = np.asarray(wanted, dtype=float)
            return tau + least_norm(G, f - G @ tau, NO_EFFORT), found.a
        case LeastPeak():
            return _solve_each_state(G, f, _least_peak), found.a


def _solve_each_state(G: Array, f: Array, solve: Any) -> Array:
    flat_G, flat_f = G.reshape(-1, *G.shape[-2:]), f.reshape(-1, f.shape[-1])
    out = np.array([solve(g, x) for g, x in zip(flat_G, flat_f, strict=True)])
    return out.reshape(*f.shape[:-1], G.shape[-1])


def _least_peak(G: Array, f: Array) -> Array:
    """Smallest peak by linear programming: minimize s with -s <= tau <= s and G tau = f."""
    from scipy.optimize import linprog  # half a second to import, and rarely needed

    n = G.shape[1]
    if not (np.isfinite(G).all() and np.isfinite(f).all()):
        return np.full(n, np.nan)
    bound = np.block([[np.eye(n), -np.ones((n, 1))], [-np.eye(n), -np.ones((n, 1))]])
    result = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=bound,
        b_ub=np.zeros(2 * n),
        A_eq=np.column_stack([G, np.zeros(len(G))]),
        b_eq=f,
        bounds=[(None, None)] * (n + 1),
    )
    return np.full(n, np.nan) if result.x is None else result.x[:n]
