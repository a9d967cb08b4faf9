"""Efforts of the actuators for a motion, their regressor, and how more actuators than freedoms share the work.

Exact, shared among actuators that repeat each other, or with undriven freedoms left free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.checks import require_finite_array
from linkwright.compiler import Kernel
from linkwright.dataclass import dataclass
from linkwright.dynamics.actuation import exactly_actuated, independent_actuators, require_driven
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.fallback import effort_kernel, effort_map, hybrid_kernel, repaired_efforts
from linkwright.dynamics.independent_velocities import independent_velocity_map
from linkwright.errors import ArgumentError, MotionWarning, warn_caller
from linkwright.functions import part_names
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.fallback_chain import Code, FallbackChain
from linkwright.functions.loop import closure_functions, minimal_functions, regressor_functions
from linkwright.functions.memo import memo
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import elastic_speeds
from linkwright.kinematics.query import broadcast_parts
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.mechanism.names import list_of_names
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import MASSLESS, NO_EFFORT, SAME_ACCELERATION

# --- ways to share the work among more actuators than freedoms --------------------------------------------------------

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
    force = kinematics.compute_at(forces, q, v, a, *extra)
    R, a = (
        independent_velocity_map(kinematics, np.asarray(q, dtype=float)),
        np.broadcast_to(np.asarray(a, dtype=float), force.shape),
    )
    Rt = np.swapaxes(R, -1, -2)
    G, f = Rt @ kinematics.compute_at(closure_functions.effort_matrix, q), (Rt @ force[..., None])[..., 0]
    count = find_undriven_freedoms(kinematics).count
    if not count:
        return Projected(G, f, a, Rt)
    lead = np.broadcast_shapes(G.shape[:-2], f.shape[:-1])
    G = np.broadcast_to(G, (*lead, *G.shape[-2:]))
    Q = decompose_scaled(np.nan_to_num(G), complete=True).U
    driven, free = Q[..., : Q.shape[-1] - count], np.swapaxes(Q[..., Q.shape[-1] - count :], -1, -2)
    M = Rt @ kinematics.compute_at(tree_functions.mass_matrix, q) @ R
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


# --- efforts of the actuators for a motion and their regressor --------------------------------------------------------


def has_exact_efforts(kinematics: Kinematics) -> bool:
    """True if efforts follow from the motion alone, by the planned order."""
    return exactly_actuated(kinematics) and bool(kinematics.setup.drives or not kinematics.has_closure)


def effort_function(
    dynamics: Dynamics, sharing: Sharing, wrench: bool, undriven: str, dense: bool = False
) -> Kernel | InputKernel | Callable[..., Array]:
    """Efforts (..., na) from q, v, a and, with `wrench`, w_ext; refused where motions have no actuator."""
    kinematics = dynamics.kinematics
    if not has_exact_efforts(kinematics):
        require_driven(kinematics, undriven)
        return lambda q, v, a, w_ext=None: driven_motion(dynamics, sharing, q, v, a, w_ext, dense)[0]
    if kinematics.has_closure:
        return effort_kernel(dynamics, wrench)
    return kinematics.all_rows.code(tree_functions.inverse_dynamics, wrench)


def driven_motion(
    dynamics: Dynamics, sharing: Sharing, q: Any, v: Any, a: Any, w_ext: Any, dense: bool = False
) -> tuple[Array, Array]:
    """Efforts (..., na) and accelerations (..., nv), those of undriven freedoms as they follow from the dynamics.

    `dense` projects on the motions the loops allow instead of using the compiled elimination: a second method.
    """
    kinematics, na = dynamics.kinematics, len(dynamics.setup.drives)
    if not na and not kinematics.mobility:
        sizes = kinematics.setup.sizes()
        state = broadcast_parts({"q": (q, sizes["q"][0]), "v": (v, sizes["v"][0]), "a": (a, sizes["a"][0])})
        return np.zeros((*state[2].shape[:-1], 0)), state[2]
    if dense or not independent_actuators(kinematics):
        kinematics.setup.require_one_p()
    if not independent_actuators(kinematics):
        tau, done = shared_efforts(kinematics, sharing, q, v, a, w_ext)
    elif dense:
        found = projected_effort_equations(kinematics, q, v, a, w_ext, minimal_functions.virtual_power_forces)
        tau, done = least_norm(found.G, found.f, NO_EFFORT), found.a
    else:
        extra = () if w_ext is None else (w_ext,)
        both = hybrid_kernel(dynamics, wrench=w_ext is not None)(q, v, a, *extra)
        tau, done = both[..., :na], both[..., na:]
    _warn_of_other_accelerations(kinematics, np.asarray(a, dtype=float), done)
    return tau, done


def _warn_of_other_accelerations(kinematics: Kinematics, given: Array, done: Array) -> None:
    """Warn where given accelerations are not those that follow from the dynamics.

    Those of bending links are not compared: they are always results, and motions are planned with rigid links.
    """
    free = find_undriven_freedoms(kinematics)
    compared = [i for i in free.undriven.speeds if i not in elastic_speeds(kinematics.setup.mech)]
    if not compared:
        return
    units = kinematics.scales.speeds
    off, size = np.abs(done - given) / units, np.maximum(np.abs(given), np.abs(done)) / units
    off = off[..., compared]
    if np.any(off > SAME_ACCELERATION * np.maximum(1.0, np.max(size, axis=-1, keepdims=True, initial=0.0))):
        names = part_names(kinematics.setup.mech.joints, speeds=True)
        which = list_of_names("velocity", "velocities", [names[i] for i in compared])
        warn_caller(
            f"'{kinematics.setup.mech.name}' has {len(compared)} degrees of freedom that no actuator drives ({which}): "
            "they carry no effort, and the accelerations given there are not those that follow from the dynamics, "
            "which are used instead; model.forward_dynamics(q, v, tau) returns them",
            MotionWarning,
        )


def regressor_function(dynamics: Dynamics, undriven: str) -> Callable[..., Array]:
    """Y (..., na, n_theta) from q, v, a, with efforts = Y theta; refused where motions have no actuator.

    Of more actuators than freedoms the efforts of least norm.
    """
    kinematics = dynamics.kinematics
    if has_exact_efforts(kinematics):
        return (
            regressor_kernel(dynamics)
            if kinematics.has_closure
            else kinematics.all_rows.code(regressor_functions.regressor)
        )
    require_driven(kinematics, undriven)
    return lambda q, v, a: _with_undriven(dynamics, q, v, a)


@memo(valid_at="all")
def regressor_kernel(dynamics: Dynamics) -> Code:
    """The regressor of as many actuators as freedoms of a mechanism with loops."""
    return FallbackChain(dynamics, _dense_effort_regressor).code(
        dynamics.actuated, regressor_functions.checked_regressor
    )


@memo(valid_at="all")
def hybrid_regressor_kernel(dynamics: Dynamics) -> Code:
    """The regressor where freedoms are not driven, at accelerations that follow from the dynamics."""
    return FallbackChain(dynamics, _dense_hybrid).code(dynamics.hybrid, regressor_functions.checked_hybrid_regressor)


def _dense_effort_regressor(dynamics: Dynamics, q: Array, v: Array, a: Array, alone: bool) -> Array:
    tau = repaired_efforts(dynamics, q, v, a, alone=alone)
    if not tau.ndim:
        return tau
    S = effort_map(dynamics.kinematics, dynamics.actuated, q)
    return S @ dynamics.kinematics.compute_at(regressor_functions.tree_regressor, q, v, a)


def _dense_hybrid(dynamics: Dynamics, q: Array, v: Array, a: Array, alone: bool) -> Array:
    kernels = dynamics.hybrid
    S = effort_map(dynamics.kinematics, kernels, q, kernels.stage.undriven.speeds)
    return S @ dynamics.kinematics.compute_at(regressor_functions.tree_regressor, q, v, a)


def _with_undriven(dynamics: Dynamics, q: Any, v: Any, a: Any) -> Array:
    """The regressor at the accelerations of undriven freedoms that follow from the dynamics, or of shared efforts."""
    kinematics = dynamics.kinematics
    if not independent_actuators(kinematics):
        kinematics.setup.require_one_p()
        found = projected_effort_equations(kinematics, q, v, a, None)
        W = kinematics.compute_at(regressor_functions.tree_regressor, q, v, found.a)
        return _pseudo_inverse(found.G) @ (found.T @ W)
    a = driven_motion(dynamics, LeastNorm(), q, v, a, None)[1]
    if not kinematics.setup.drives:
        return np.zeros(
            (*a.shape[:-1], 0, kinematics.compute_at(regressor_functions.tree_regressor, q, v, a).shape[-1])
        )
    return hybrid_regressor_kernel(dynamics)(q, v, a)


def _pseudo_inverse(G: Array) -> Array:
    return decompose_scaled(G).inverse(share=NO_EFFORT)
