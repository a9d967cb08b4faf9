"""Wrenches in the joints of a mechanism, cut ones too."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.actuation import all_multipliers, dense_multipliers, every_row, require_driven
from linkwright.dynamics.dynamics import Dynamics, velocities_of_massless_motion
from linkwright.dynamics.efforts import Sharing, driven_motion, has_exact_efforts
from linkwright.dynamics.fallback import effort_kernel
from linkwright.errors import SingularityError
from linkwright.functions.loop import minimal_functions, multiplier_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms

Array = np.ndarray


def reactions_of_motion(
    dynamics: Dynamics, sharing: Sharing, q: Any, v: Any, a: Any, tau: Any, w_ext: Any
) -> dict[str, Array]:
    """Wrench of parent on child at every joint, {joint: (..., 6)}; without efforts, of those that the motion needs."""
    kinematics, extra = dynamics.kinematics, (() if w_ext is None else (w_ext,))
    if not kinematics.has_closure:
        if tau is None and not has_exact_efforts(kinematics) and find_undriven_freedoms(kinematics).expected:
            a = driven_motion(dynamics, sharing, q, v, a, w_ext)[1]
        w = kinematics.compute_at(tree_functions.joint_wrenches, q, v, a, *extra)
        return {link.joint: w[..., i, :] for i, link in enumerate(kinematics.setup.tree.links)}
    if tau is None and has_exact_efforts(kinematics):
        tau = effort_kernel(dynamics, wrench=w_ext is not None)(q, v, a, *extra)
    elif tau is None:
        require_driven(kinematics)
        tau, a = driven_motion(dynamics, sharing, q, v, a, w_ext)
    return all_joint_wrenches(dynamics, q, v, a, tau, w_ext)


def all_joint_wrenches(dynamics: Dynamics, q: Any, v: Any, a: Any, tau: Any, w_ext: Any) -> dict[str, Array]:
    """Wrench of parent on child at every joint, {joint: (..., 6)}; of redundant closures the least-norm ones."""
    extra, wrench = (() if w_ext is None else (w_ext,)), w_ext is not None
    state = [np.asarray(x, dtype=float) for x in (q, v, a, tau, *extra)]
    lam = _complete_multipliers(dynamics, _planned_multipliers(dynamics, state, wrench), state)
    tree, cut = every_row(dynamics).function(multiplier_functions.loop_joint_wrenches, wrench=wrench)(
        q, v, a, tau, lam, *extra
    )
    out = {link.joint: tree[..., i, :] for i, link in enumerate(dynamics.setup.tree.links)}
    return out | {loop.name: cut[..., i, :] for i, loop in enumerate(dynamics.setup.mech.loops)}


def _planned_multipliers(dynamics: Dynamics, state: list[Array], wrench: bool) -> Array:
    """Multipliers of all rows by the planned order; NaN where a motion moves no mass and nothing can be planned."""
    if velocities_of_massless_motion(dynamics.kinematics):
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in state[:4]), *(x.shape[:-2] for x in state[4:]))
        return np.full((*lead, dynamics.setup.closure.n_all), np.nan)
    lam = dynamics.kernels.function(minimal_functions.checked_multipliers, wrench=wrench)(*state)
    return all_multipliers(dynamics, state[0], lam)


def _complete_multipliers(dynamics: Dynamics, lam: Array, state: list[Array]) -> Array:
    """The multipliers, those the planned order did not find well found again by singular values."""
    bad = np.isnan(lam).any(axis=-1)
    if not np.any(bad):
        return lam
    lead = lam.shape[:-1]
    sizes = [1, 1, 1, 1, 2]
    rows = [np.broadcast_to(x, (*lead, *x.shape[x.ndim - n :]))[bad] for x, n in zip(state, sizes, strict=False)]
    values = dynamics.setup.p_over(lead)
    found = dense_multipliers(dynamics if values is None else dynamics.at(values[bad]), rows)
    if not lead and np.isnan(found).any():
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a constraint singularity, where the forces in its "
            "joints are not determined; move it off this position",
            q=state[0],
            kind="constraint",
        )
    out = lam.copy()
    out[bad] = found
    return out
