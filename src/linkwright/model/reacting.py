"""Wrenches in the joints of a closed-loop machine, cut ones too."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import SingularityError
from linkwright.solve.actuation import all_multipliers, dense_multipliers, every_row
from linkwright.solve.machine import Machine
from linkwright.solve.mass import massless_motion

Array = np.ndarray


def joint_wrenches(machine: Machine, q: Any, v: Any, a: Any, tau: Any, w_ext: Any) -> dict[str, Array]:
    """Wrench of parent on child at every joint, {joint: (..., 6)}; of redundant closures the least-norm ones."""
    extra, wrench = (() if w_ext is None else (w_ext,)), w_ext is not None
    state = [np.asarray(x, dtype=float) for x in (q, v, a, tau, *extra)]
    lam = _completed(machine, _planned(machine, state, wrench), state)
    tree, cut = every_row(machine).function("loop_joint_wrenches", wrench=wrench)(q, v, a, tau, lam, *extra)
    out = {link.joint: tree[..., i, :] for i, link in enumerate(machine.setup.tree.links)}
    return out | {loop.name: cut[..., i, :] for i, loop in enumerate(machine.setup.mech.loops)}


def _planned(machine: Machine, state: list[Array], wrench: bool) -> Array:
    """Multipliers of all rows by the planned order; NaN where a motion moves no mass and nothing can be planned."""
    if massless_motion(machine.kinematics):
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in state[:4]), *(x.shape[:-2] for x in state[4:]))
        return np.full((*lead, machine.setup.closure.n_all), np.nan)
    lam = machine.kernels.function("guarded_multipliers", wrench=wrench)(*state)
    return all_multipliers(machine, state[0], lam)


def _completed(machine: Machine, lam: Array, state: list[Array]) -> Array:
    """The multipliers, those the planned order did not find well found again with pivoting."""
    bad = np.isnan(lam).any(axis=-1)
    if not np.any(bad):
        return lam
    lead = lam.shape[:-1]
    sizes = [1, 1, 1, 1, 2]
    rows = [
        np.broadcast_to(x, (*lead, *x.shape[x.ndim - n :])).reshape(-1, *x.shape[x.ndim - n :])
        for x, n in zip(state, sizes, strict=False)
    ]
    out = lam.reshape(-1, lam.shape[-1]).copy()
    for row in np.flatnonzero(bad):
        out[row] = _found(machine, [x[row] for x in rows], alone=not lead)
    return out.reshape(lam.shape)


def _found(machine: Machine, state: list[Array], alone: bool) -> Array | float:
    if not all(np.isfinite(x).all() for x in state):
        return np.nan
    try:
        return dense_multipliers(machine, *state)
    except SingularityError:
        if alone:
            raise
        return np.nan
