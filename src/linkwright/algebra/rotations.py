"""Rotations as products of simple turns, and quaternions, order w x y z: child to parent components.

A turn about a coordinate axis costs 4 multiplications on a 3-vector, a full matrix 9. A `Rotation` is the
product of its factors; `R @ x` takes components in the turned axes to components in the axes turned from.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwright.algebra.sums import is_one, is_structural_zero, nominal_array
from linkwright.algebra.vectors import Mat, Vec, reproducible_product, stack_scalars
from linkwright.dataclass import dataclass
from linkwright.numerics.choices import maximum, select
from linkwright.numerics.tolerances import TINY

# --- rotations kept as products of simple turns, so that applying one costs as little as it can -----------------------


@dataclass(frozen=True)
class Turn:
    """A turn about coordinate axis `axis` (0, 1, 2) with cosine c and sine s."""

    axis: int
    c: Any
    s: Any

    @property
    def T(self) -> Turn:
        return Turn(self.axis, self.c, -self.s)

    @property
    def matrix(self) -> Mat:
        """The 3x3 matrix; columns are the turned axes."""
        i, j, k = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        rows: list[list[Any]] = [[0.0, 0.0, 0.0] for _ in range(3)]
        rows[i][i], rows[j][j], rows[j][k], rows[k][j], rows[k][k] = 1.0, self.c, 0.0 - self.s, self.s, self.c
        return np.array(rows)

    def __matmul__(self, x: Vec) -> Vec:
        j, k = (self.axis + 1) % 3, (self.axis + 2) % 3
        y = [x[0], x[1], x[2]]
        y[j], y[k] = self.c * x[j] - self.s * x[k], self.s * x[j] + self.c * x[k]
        return stack_scalars(*y)

    def similar(self, B: Mat) -> Mat:
        """The 3x3 matrix B seen from the axes turned from: R B R^T, with 12 multiplications."""
        i, j, k = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        c, s = self.c, self.s
        g = s * (B[j, j] - B[k, k]) + c * (B[j, k] + B[k, j])
        out = np.array(B, dtype=np.result_type(B, np.asarray(c)))
        out[j, j], out[k, k] = B[j, j] - s * g, B[k, k] + s * g
        out[j, k], out[k, j] = c * g - B[k, j], c * g - B[j, k]
        out[j, i], out[k, i] = c * B[j, i] - s * B[k, i], s * B[j, i] + c * B[k, i]
        out[i, j], out[i, k] = c * B[i, j] - s * B[i, k], s * B[i, j] + c * B[i, k]
        return out

    def similar_symmetric(self, B: Mat) -> Mat:
        """R B R^T for a symmetric B, with 8 multiplications."""
        i, j, k = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        c, s = self.c, self.s
        g = s * (B[j, j] - B[k, k]) + (c + c) * B[j, k]
        out = np.array(B, dtype=np.result_type(B, np.asarray(c)))
        out[j, j], out[k, k] = B[j, j] - s * g, B[k, k] + s * g
        out[j, k] = out[k, j] = c * g - B[j, k]
        out[j, i] = out[i, j] = c * B[i, j] - s * B[i, k]
        out[k, i] = out[i, k] = s * B[i, j] + c * B[i, k]
        return out


@dataclass(frozen=True, eq=False)
class Full:
    """A rotation given by its 3x3 matrix."""

    matrix: Mat

    @property
    def T(self) -> Full:
        return Full(self.matrix.T)

    def __matmul__(self, x: Vec) -> Vec:
        return reproducible_product(self.matrix, x)

    def similar(self, B: Mat) -> Mat:
        return reproducible_product(reproducible_product(self.matrix, B), self.matrix.T)

    similar_symmetric = similar


@dataclass(frozen=True)
class Rotation:
    """The product of its factors, first factor leftmost."""

    factors: tuple[Turn | Full, ...] = ()

    @property
    def T(self) -> Rotation:
        return Rotation(tuple(f.T for f in reversed(self.factors)))

    def __mul__(self, other: Rotation) -> Rotation:
        return Rotation(self.factors + other.factors)

    def __matmul__(self, x: Vec) -> Vec:
        for factor in reversed(self.factors):
            x = factor @ x
        return x

    def similar(self, B: Mat) -> Mat:
        """R B R^T for a 3x3 matrix B."""
        for factor in reversed(self.factors):
            B = factor.similar(B)
        return B

    def similar_symmetric(self, B: Mat) -> Mat:
        """R B R^T for a symmetric 3x3 matrix B."""
        for factor in reversed(self.factors):
            B = factor.similar_symmetric(B)
        return B

    @property
    def matrix(self) -> Mat:
        """The 3x3 matrix; columns are the turned axes."""
        if len(self.factors) == 1:
            return np.array(self.factors[0].matrix)
        columns = [self @ e for e in np.eye(3)]
        return np.array(columns).T


NO_TURN = Rotation()


def axis_rotation(axis: int, angle: Any) -> Rotation:
    """A turn by `angle` [rad] about a coordinate axis."""
    angle = np.asarray(angle)[()]
    if isinstance(angle, float):  # NumPy's own sines differ in the last bit between kinds of CPU
        return Rotation((Turn(axis, math.cos(angle), math.sin(angle)),))
    return Rotation((Turn(axis, np.cos(angle), np.sin(angle)),))


def factor_rotation(matrix: Mat) -> Rotation:
    """A rotation matrix as the cheapest product that its known elements allow: nothing, one turn, or the matrix."""
    if matrix.dtype != object and np.array_equal(matrix, np.eye(3)):
        return Rotation()
    for axis in range(3):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        if is_one(matrix[axis, axis]) and all(map(is_structural_zero, matrix[[axis, axis, j, k], [j, k, axis, axis]])):
            return Rotation((Turn(axis, matrix[j, j], matrix[k, j]),))
    return Rotation((Full(np.asarray(matrix)),))


# --- quaternions, order w x y z; the rotation takes child components to parent components -----------------------------


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


def quaternion_of_rotation_vector(phi: Vec) -> Vec:
    """The quaternion of a rotation vector."""
    quarter = 0.25 * (phi @ phi)
    return np.array([np.cos(np.sqrt(quarter)), *(0.5 * sine_ratio(quarter) * phi)])


def rotation_vector_between(start: Vec, end: Vec) -> Vec:
    """The rotation vector, axes of the turned frame, that takes one quaternion to another the short way round."""
    turn = quaternion_product(start * np.array([1.0, -1.0, -1.0, -1.0]), end)
    turn = turn * select(turn[0], 1.0, -1.0)
    square = turn[1:] @ turn[1:]
    sine = np.sqrt(maximum(square, TINY))
    factor = select(square - TINY, 2.0 * np.arctan2(sine, turn[0]) / sine, 2.0)
    return factor * turn[1:]


def sine_ratio(square: Any) -> Any:
    """sin(x) / x from the square of x."""
    x = np.sqrt(maximum(square, TINY))
    return select(square - TINY, np.sin(x) / x, 1.0)


def from_matrix(R: Mat) -> Vec:
    """Unit quaternions with w >= 0 of float rotation matrices, (..., 3, 3) to (..., 4).

    Of the four ways to divide, the one with the largest divisor is taken (Shepperd's rule); of a single matrix of
    numbers that follow from inputs, the one at their nominal values.
    """
    if np.asarray(R).dtype == object:
        return _nominal_branch(np.asarray(R))
    candidates = _quaternion_candidates(np.asarray(R, dtype=float))
    best = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    wxyz = np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :]
    wxyz = wxyz / np.linalg.norm(wxyz, axis=-1, keepdims=True)
    return np.where(wxyz[..., :1] < 0, -wxyz, wxyz)


def _nominal_branch(R: Mat) -> Vec:
    """The quaternion (4,) of a matrix of numbers that follow from inputs."""
    at = _quaternion_candidates(nominal_array(R))
    best = int(np.argmax(np.diagonal(at)))
    wxyz = _quaternion_candidates(R)[best]
    return wxyz / np.sqrt(wxyz @ wxyz) * (-1.0 if at[best, 0] < 0.0 else 1.0)


def _quaternion_candidates(R: Mat) -> Mat:
    """The four multiples of the quaternions of matrices, (..., 4, 4)."""
    x, y, z = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    zy, xz, yx = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, zx, yz = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    return np.stack(
        [
            np.stack([1 + x + y + z, zy, xz, yx], -1),
            np.stack([zy, 1 + x - y - z, xy, zx], -1),
            np.stack([xz, xy, 1 - x + y - z, yz], -1),
            np.stack([yx, zx, yz, 1 - x - y + z], -1),
        ],
        -2,
    )
