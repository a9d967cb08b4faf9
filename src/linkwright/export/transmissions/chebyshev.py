"""A map between motors and joints as a polynomial of Chebyshev's kind, with a bound of its error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError

Array = np.ndarray

MOST_NODES = {1: 257, 2: 97, 3: 33}
"""Most nodes along an axis, by the number of axes; maps of more axes have no table."""
_FIRST_NODES = 9
_ROUNDING = 64.0 * np.finfo(float).eps  # of the sum of a polynomial, for each unit of its coefficients
_DENSE = {1: 2001, 2: 61, 3: 17}  # points along an axis at which the bound is checked, between the nodes


@dataclass(frozen=True, eq=False)
class ChebyshevSum:
    """y of x by products of Chebyshev polynomials.

    With s = (matrix (x - center)) / half, each within -1 to 1: y = sum of coefficients[i, j, ...] T_i(s_0) T_j(s_1) ...

    Attributes:
        center: of the domain, (m,).
        matrix: directions of the axes, (m, m).
        half: half the length of the domain along these, (m,).
        coefficients: (n_0, ..., n_m-1, k).
    """

    center: Array
    matrix: Array
    half: Array
    coefficients: Array

    @property
    def axes(self) -> Array:
        """A with s = A (x - center), (m, m)."""
        return self.matrix / self.half[:, None]

    def position(self, s: Array) -> Array:
        """x of s, (..., m)."""
        return self.center + (s * self.half) @ np.linalg.inv(self.matrix).T

    def __call__(self, x: Array) -> Array:
        """y (..., k) at x (..., m)."""
        s = (x - self.center) @ self.axes.T
        return contract_axes(self.coefficients, [chebyshev_values(s[..., i], n) for i, n in enumerate(self._degrees)])

    def derivative(self, x: Array) -> Array:
        """Derivatives of y by x, (..., k, m)."""
        s = (x - self.center) @ self.axes.T
        values = [chebyshev_values(s[..., i], n) for i, n in enumerate(self._degrees)]
        rates = [chebyshev_derivatives(s[..., i], n) for i, n in enumerate(self._degrees)]
        along = [
            contract_axes(self.coefficients, [rates[j] if i == j else values[j] for j in range(len(values))])
            for i in range(len(values))
        ]
        return np.stack(along, axis=-1) @ self.axes

    @property
    def _degrees(self) -> tuple[int, ...]:
        return self.coefficients.shape[:-1]


@dataclass(frozen=True, eq=False)
class ChebyshevTable:
    """A sum of Chebyshev polynomials in place of a function, and how far it is off.

    Attributes:
        polynomial: the sum.
        bound: largest error of each y, (k,): magnitudes of all coefficients that are left out, among them those beyond
            the last computed ones, which fall geometrically, and rounding.
        rate_bound: the same for the derivatives of y by x, (k, m).
        checked: largest errors found at points between the nodes, (k,); never above `bound`.
        points: how many these are.
    """

    polynomial: ChebyshevSum
    bound: Array
    rate_bound: Array
    checked: Array
    points: int


def chebyshev_values(s: Array, n: int) -> Array:
    """T_0 to T_n-1 at s, (..., n)."""
    found = [np.ones_like(s), s]
    for _ in range(n - 2):
        found.append(2.0 * s * found[-1] - found[-2])
    return np.stack(found[:n], axis=-1)


def chebyshev_derivatives(s: Array, n: int) -> Array:
    """Derivatives of T_0 to T_n-1 at s, (..., n)."""
    T = chebyshev_values(s, n)
    found = [np.zeros_like(s), np.ones_like(s)]
    for k in range(1, n - 1):
        found.append(2.0 * T[..., k] + 2.0 * s * found[-1] - found[-2])
    return np.stack(found[:n], axis=-1)


def contract_axes(coefficients: Array, factors: list[Array]) -> Array:
    """Sum of coefficients (n_0, ..., k) times a factor (..., n_i) for each axis, (..., k)."""
    found = np.tensordot(factors[0], coefficients, axes=(-1, 0))
    for factor in factors[1:]:
        found = np.einsum("...i,...ij->...j", factor, found.reshape(*factor.shape, -1)).reshape(
            *factor.shape[:-1], *found.shape[factor.ndim :]
        )
    return found


def fit_chebyshev(
    function: Callable[[Array], Array], center: Array, matrix: Array, half: Array, tolerance: float
) -> ChebyshevTable:
    """The shortest table of a function (n, m) -> (n, k) whose bound is below a tolerance."""
    m, domain = len(center), ChebyshevSum(center, matrix, half, np.zeros((1,) * len(center) + (1,)))

    def at(s: Array) -> Array:
        return function(domain.position(s))

    n = _FIRST_NODES
    while True:
        full = _interpolate(at, n, m)
        if _is_resolved(full, 0.1 * tolerance):
            break
        if n == MOST_NODES[m]:
            raise MechanismError(
                f"{n} nodes along an axis do not give a table with errors below {tolerance:g}; "
                f"the last coefficients are {np.abs(full[-1:]).max():.1e}: narrow the ranges, or accept larger errors"
            )
        n = min(2 * n - 1, MOST_NODES[m])
    kept = _shortest_degrees(full, tolerance)
    short = full[tuple(slice(k) for k in kept)]
    bound, rates = _error_bounds(full, kept)
    found = ChebyshevSum(center, matrix, half, short)
    return _checked_table(ChebyshevTable(found, bound, rates @ np.abs(found.axes), bound, 0), at, m)


def interpolate(function: Callable[[Array], Array], like: ChebyshevSum) -> ChebyshevSum:
    """A sum over the same domain and with as many terms along every axis as the longest of another, unchecked."""
    m, n = len(like.center), max(like.coefficients.shape[:-1])
    return replace(like, coefficients=_interpolate(lambda s: function(like.position(s)), n, m))


def _interpolate(at: Callable[[Array], Array], n: int, m: int) -> Array:
    """Coefficients of the interpolant at n Chebyshev nodes along each of m axes, (n, ..., n, k)."""
    angles = (np.arange(n) + 0.5) * math.pi / n
    grid = np.stack(np.meshgrid(*[np.cos(angles)] * m, indexing="ij"), axis=-1)
    y = at(grid.reshape(-1, m))
    if not np.isfinite(y).all():
        raise MechanismError("a point of the table is not reached")
    transform = 2.0 / n * np.cos(np.outer(np.arange(n), angles))
    transform[0] *= 0.5
    found = y.reshape(*[n] * m, -1)
    for axis in range(m):
        found = np.moveaxis(np.tensordot(transform, found, axes=(1, axis)), 0, axis)
    return found


def _is_resolved(full: Array, tolerance: float) -> bool:
    """Return True if the last quarter of the coefficients along every axis is below a tolerance, all together."""
    return all(_sum_of_last_quarter(full, axis).max() <= tolerance for axis in range(full.ndim - 1))


def _sum_of_last_quarter(full: Array, axis: int) -> Array:
    n = full.shape[axis]
    return np.abs(np.moveaxis(full, axis, 0)[n - n // 4 :]).reshape(-1, full.shape[-1]).sum(axis=0)


def _shortest_degrees(full: Array, tolerance: float) -> tuple[int, ...]:
    """Numbers of coefficients along the axes, so that those left out add up to less than a tolerance."""
    m, kept = full.ndim - 1, []
    for axis in range(m):
        along = np.abs(np.moveaxis(full, axis, 0)).reshape(full.shape[axis], -1, full.shape[-1]).sum(axis=1).max(axis=1)
        left = np.cumsum(along[::-1])[::-1]
        kept.append(max(2, int(np.count_nonzero(left > 0.4 * tolerance / m))))
    return tuple(kept)


def _error_bounds(full: Array, kept: tuple[int, ...]) -> tuple[Array, Array]:
    """Bounds of the errors of values (k,) and of rates along the axes (k, m)."""
    m, k = len(kept), full.shape[-1]
    left = np.abs(full)
    left[tuple(slice(n) for n in kept)] = 0.0
    beyond = sum(2.0 * _sum_of_last_quarter(full, axis) for axis in range(m))
    rounding = _ROUNDING * np.abs(full).reshape(-1, k).sum(axis=0)
    squares = np.indices(full.shape[:-1]).astype(float) ** 2  # |T_n'| is at most n^2
    rates = [
        (left * squares[axis][..., None]).reshape(-1, k).sum(axis=0) + 4.0 * full.shape[axis] ** 2 * (beyond + rounding)
        for axis in range(m)
    ]
    return left.reshape(-1, k).sum(axis=0) + beyond + rounding, np.stack(rates, axis=-1)


def _checked_table(table: ChebyshevTable, at: Callable[[Array], Array], m: int) -> ChebyshevTable:
    """The table with the largest errors found on a grid that shares no point with the nodes."""
    axis = np.linspace(-1.0, 1.0, _DENSE[m])
    s = np.stack(np.meshgrid(*[axis] * m, indexing="ij"), axis=-1).reshape(-1, m)
    off = np.abs(table.polynomial(table.polynomial.position(s)) - at(s)).max(axis=0)
    if not (off <= table.bound).all():
        raise MechanismError(f"the table is off by {off.max():.1e}, more than its bound {table.bound.max():.1e}")
    return replace(table, checked=off, points=len(s))
