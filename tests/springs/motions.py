"""Motion in time for the tests of springs and beams: an explicit method of high order on any right-hand side."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp


def motion(model, q, v, tau, times, formulation=None, rtol=1e-11, atol=1e-12):
    """Coordinates and speeds (n, nq), (n, nv) at `times` under constant efforts, or tau(t)."""
    nq = model.nq
    rates = model._kernels.function("coordinate_rates")
    constant = None if callable(tau) else np.asarray(tau, dtype=float)

    def slope(t, x):
        a = model.forward_dynamics(x[:nq], x[nq:], tau(t) if constant is None else constant, formulation=formulation)
        return np.concatenate([rates(x[:nq], x[nq:]), a])

    start = np.concatenate([q, v])
    run = solve_ivp(slope, (times[0], times[-1]), start, "DOP853", times, rtol=rtol, atol=atol)
    assert run.success, run.message
    return run.y.T[:, :nq], run.y.T[:, nq:]


def absolute(columns):
    """theta, alpha, phi (absolute, as the paper's) to the catalog's theta, alpha - theta, phi, along the last axis."""
    theta, alpha, phi = np.moveaxis(np.asarray(columns, dtype=float)[..., :3], -1, 0)
    return np.stack([theta, alpha - theta, phi], axis=-1)
