"""Quaternions, order w x y z; the rotation takes child components to parent components."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec


def rotation_matrix(wxyz: Vec) -> Mat:
    """The 3x3 rotation of a unit quaternion (any scalar)."""
    _, x, y, z = wxyz
    return _matrix_of_products(wxyz, x + x, y + y, z + z)


def rotation_of_quaternion(wxyz: Vec) -> Mat:
    """The 3x3 rotation of q / |q| for a quaternion q of any length but zero, without a square root (any scalar)."""
    w, x, y, z = wxyz
    twice = 2.0 / (w * w + x * x + (y * y + z * z))
    x2, y2, z2 = twice * x, twice * y, twice * z
    return _matrix_of_products(wxyz, x2, y2, z2)


def _matrix_of_products(wxyz: Vec, x2: Any, y2: Any, z2: Any) -> Mat:
    w, x, y, z = wxyz
    wx, wy, wz = w * x2, w * y2, w * z2
    xx, xy, xz = x * x2, x * y2, x * z2
    yy, yz, zz = y * y2, y * z2, z * z2
    return np.array(
        [
            [1 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1 - (xx + yy)],
        ]
    )


def quaternion_rate(wxyz: Vec, omega: Vec) -> Vec:
    """Time derivative of a quaternion whose child frame turns with `omega` [rad/s, child axes]."""
    w, x, y, z = wxyz
    p, q, r = omega
    return 0.5 * np.array([-x * p - y * q - z * r, w * p + y * r - z * q, w * q + z * p - x * r, w * r + x * q - y * p])


def quaternion_product(a: Vec, b: Vec) -> Vec:
    """The Hamilton product: first turn b, then turn a."""
    w, x, y, z = a
    p, q, r, s = b
    return np.array(
        [
            w * p - x * q - y * r - z * s,
            w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q,
            w * s + x * r - y * q + z * p,
        ]
    )


def from_matrix(R: Mat) -> Vec:
    """Unit quaternions with w >= 0 of float rotation matrices, (..., 3, 3) to (..., 4).

    Of the four ways to divide, the one with the largest divisor is taken (Shepperd's rule).
    """
    R = np.asarray(R, dtype=float)
    x, y, z = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    zy, xz, yx = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, zx, yz = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    candidates = np.stack(
        [
            np.stack([1 + x + y + z, zy, xz, yx], -1),
            np.stack([zy, 1 + x - y - z, xy, zx], -1),
            np.stack([xz, xy, 1 - x + y - z, yz], -1),
            np.stack([yx, zx, yz, 1 - x - y + z], -1),
        ],
        -2,
    )
    best = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    wxyz = np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :]
    wxyz = wxyz / np.linalg.norm(wxyz, axis=-1, keepdims=True)
    return np.where(wxyz[..., :1] < 0, -wxyz, wxyz)
