"""Motion in time for the tests of springs and beams."""

from __future__ import annotations

import numpy as np

import linkwright as lw


def motion(model, q, v, tau, times, formulation=None, rtol=1e-11):
    """Coordinates and velocities (n, nq), (n, nv) at `times` under constant efforts, or an effort law."""
    method = lw.DOP853(rtol=rtol, atol=0.1 * rtol)
    run = lw.simulate(model, q, v, times[-1], tau, formulation, method, output=np.asarray(times), check=False)
    assert run.meta["complete"]
    return run.q, run.v


def absolute(columns):
    """theta, alpha, phi (absolute, as the paper's) to the catalog's theta, alpha - theta, phi, along the last axis."""
    theta, alpha, phi = np.moveaxis(np.asarray(columns, dtype=float)[..., :3], -1, 0)
    return np.stack([theta, alpha - theta, phi], axis=-1)


class Sine:
    """The papers' efforts: the same amplitude sin(pi t) at every actuator."""

    def __init__(self, amplitude, count):
        self.amplitude, self.count = amplitude, count

    def tau(self, t, q, v):
        return np.array([self.amplitude * np.sin(np.pi * t)] * self.count)
