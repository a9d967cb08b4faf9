"""A serial arm in a few lines of NumPy: a realistic program for tests, not the library's own dynamics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler import Program, trace


def _skew(r: Any) -> Any:
    return np.array([[0.0 * r[0], -r[2], r[1]], [r[2], 0.0 * r[0], -r[0]], [-r[1], r[0], 0.0 * r[0]]])


def _rotation(angle: Any, twist: float) -> Any:
    c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0.0 * c, sa + 0.0 * c, ca + 0.0 * c]])


def newton_euler(n: int, seed: int = 0) -> Callable[..., Any]:
    """Joint torques of an n-link arm with random geometry and inertia."""
    rng = np.random.default_rng(seed)
    twists = rng.uniform(-1.5, 1.5, n)
    offsets, centers = rng.uniform(-0.5, 0.5, (2, n, 3))
    roots = rng.uniform(0.1, 1.0, (n, 3, 3))
    inertias = [root @ root.T for root in roots]
    masses = rng.uniform(1.0, 5.0, n)
    z = np.array([0.0, 0.0, 1.0])

    def torques(q: Any, v: Any, a: Any) -> Any:
        R = [_rotation(q[i], twists[i]) for i in range(n)]
        omega, alpha, acc = 0.0 * z, 0.0 * z, np.array([0.3, 0.2, 9.81])
        force, moment = [], []
        for i in range(n):
            axis = R[i].T @ z
            omega_in, alpha_in = R[i].T @ omega, R[i].T @ alpha
            omega = omega_in + axis * v[i]
            alpha = alpha_in + axis * a[i] + _skew(omega_in) @ axis * v[i]
            acc = R[i].T @ acc + _skew(alpha) @ offsets[i] + _skew(omega) @ (_skew(omega) @ offsets[i])
            acc_c = acc + _skew(alpha) @ centers[i] + _skew(omega) @ (_skew(omega) @ centers[i])
            force.append(masses[i] * acc_c)
            moment.append(inertias[i] @ alpha + _skew(omega) @ (inertias[i] @ omega))
        f, m = 0.0 * z, 0.0 * z
        tau = np.zeros_like(a)
        for i in reversed(range(n)):
            m = m + moment[i] + _skew(offsets[i] + centers[i]) @ force[i] + _skew(offsets[i]) @ f
            f = f + force[i]
            tau[i] = (R[i].T @ z) @ m
            m, f = R[i] @ m, R[i] @ f
        return tau

    return torques


def arm_program(n: int = 6, seed: int = 0) -> Program:
    """The traced arm."""
    return trace(newton_euler(n, seed), {"q": n, "v": n, "a": n})
