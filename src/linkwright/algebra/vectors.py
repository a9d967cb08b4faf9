"""3-vectors and 6-vectors over any scalar (floats, or the compiler's recording scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vec = NDArray[Any]
Mat = NDArray[Any]
Vec3 = tuple[float, float, float]


def keep_tuples(record: Any, *names: str) -> None:
    """Take rows of numbers as arrays, too: what is kept is tuples, so that records compare, hash and are written."""
    for name in names:
        value = getattr(record, name)
        if isinstance(value, np.ndarray) and value.ndim == 1:
            object.__setattr__(record, name, tuple(value.tolist()))


def stack_scalars(*parts: Any) -> Vec:
    """Stack scalars into one array whose dtype follows the scalars."""
    return np.array(parts)


def cross_product(a: Vec, b: Vec) -> Vec:
    """The cross product a x b of two 3-vectors."""
    return stack_scalars(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def reproducible_product(a: Mat, b: Mat) -> Any:
    """The product a @ b of small arrays with the same bits on every computer; BLAS rounds as the CPU's kind likes.

    >>> reproducible_product(np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([2.0, 3.0]))
    array([-3.,  2.])
    """
    if a.dtype == object or b.dtype == object:
        return a @ b
    if b.ndim == 1:
        return (a * b).sum(axis=-1)
    return (a[..., None] * b).sum(axis=-2)


def skew(a: Vec) -> Mat:
    """The matrix (a x 1) with skew(a) @ b = a x b."""
    zero = 0.0 * a[0]
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])


def join_twist(angular: Vec, linear: Vec) -> Vec:
    """Join an angular and a linear 3-vector into a 6-vector, angular first."""
    return np.concatenate([angular, linear])


def twist_bracket(t: Vec) -> Mat:
    """The bracket of twists: ad(t) @ s is the rate of a body-fixed twist s carried along by t, (6, 6)."""
    omega, vel = skew(t[:3]), skew(t[3:])
    return np.block([[omega, np.zeros_like(omega)], [vel, omega]])


def spin_acceleration_matrix(omega: Vec, alpha: Vec) -> Mat:
    """The matrix S = (alpha x 1) + (omega x 1)^2: a body-fixed arm r has the relative acceleration S r."""
    x, y, z = omega
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    return np.array(
        [
            [-(yy + zz), xy - alpha[2], xz + alpha[1]],
            [xy + alpha[2], -(xx + zz), yz - alpha[0]],
            [xz - alpha[1], yz + alpha[0], -(xx + yy)],
        ]
    )
