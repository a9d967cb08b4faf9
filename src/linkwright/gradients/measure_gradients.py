"""Derivatives of singularity measures: of singular values along changes of the matrices that they belong to.

Changes of the matrices follow from those of the joints' twists by a complex step, which is exact to rounding. A
singular value that is multiple has no derivative; measures that are made of such ones get NaN. The product of all gains
has one.
"""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.kinematics.singularity import Generic, assemble_twist_equations
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import MULTIPLE_VALUE, SEEN, SINGULAR, STRONG, WEAK

Array = np.ndarray
FIELDS = ("type1", "type2", "constraint", "condition", "manipulability", "length")

_STEP = 1e-30


@dataclass(frozen=True, eq=False)
class _Varied:
    """A matrix, and its derivatives along k changes, (k, ...)."""

    value: Array
    d: Array

    def along(self, left: Array, right: Array) -> Array:
        """Derivatives of left @ matrix @ right at fixed left and right, (k,)."""
        return self.d @ right @ left


@dataclass(frozen=True, eq=False)
class _Equations:
    """G y = 0, output X y, actuators Q y, the flow that weights G, and the length, all varied."""

    G: _Varied
    flow: _Varied
    X: _Varied
    Q: _Varied
    length: _Varied


def measure_changes(here: Generic, numbers: Array, changes: Array) -> Array:
    """Derivatives of the measures, (6, k) by FIELDS, for changes (width, k) of `assemble_twist_equations`."""
    e = _varied_equations(here, numbers, changes)
    k = changes.shape[1]
    if not len(e.G.value):
        gains = _tree_gain_gradients(e, here)
        seen = np.array([1.0]), np.zeros((1, k))
        constraint = np.zeros(k)
    else:
        found = decompose_scaled(np.linalg.solve(np.linalg.cholesky(e.flow.value), e.G.value), complete=True)
        constraint = _constraint_gradient(e, found.s, found.Vt, here.loops)
        gains, seen = _gain_gradients(e, found.null_space(here.loops), here)
    type1, type2, condition = _distance_gradients(gains, seen, tree=not len(e.G.value))
    g, dg = gains
    product = np.prod(g) * np.sum(dg / g[:, None], axis=0) if len(g) else np.zeros(k)
    has_output, drives = here.graph.carrier is not None, bool(here.drives)
    lost = np.full(k, np.nan)
    tree = not len(e.G.value)
    type2 = np.zeros(k) if tree else type2 if drives else lost
    return np.array([type1 if has_output else lost, type2, constraint, condition, product, e.length.d])


def _varied_equations(here: Generic, numbers: Array, changes: Array) -> _Equations:
    x = assemble_twist_equations(here.graph, numbers, here.length)
    moved = [assemble_twist_equations(here.graph, numbers + 1j * _STEP * column, here.length) for column in changes.T]

    def varied(name: str) -> _Varied:
        value = np.real(np.asarray(getattr(x, name)))
        d = [np.imag(np.asarray(getattr(y, name))) / _STEP for y in moved]
        return _Varied(value, np.array(d).reshape(len(d), *value.shape))

    X = varied("X")
    if here.graph.carrier is None:
        X = _Varied(np.eye(x.G.shape[1]), np.zeros((len(moved), x.G.shape[1], x.G.shape[1])))
    X = _Varied(X.value[here.output_rows], X.d[:, here.output_rows])
    return _Equations(varied("G"), varied("flow"), X, varied("Q"), varied("length"))


def _constraint_gradient(e: _Equations, s: Array, Vt: Array, rank: int) -> Array:
    """Of smallest over largest singular value of C^-1 G with C C^T = flow, (k,)."""
    k = len(e.G.d)
    if not rank or s[0] <= 0.0:
        return np.zeros(k)

    def relative(i: int) -> Array:
        y = np.linalg.solve(e.flow.value, e.G.value @ Vt[i])
        return (2.0 * e.G.along(y, Vt[i]) - e.flow.along(y, y)) / (2.0 * s[i] ** 2)

    if rank == 1:
        return np.zeros(k)
    multiple = _is_multiple_value(s[0], s[1]) or _is_multiple_value(s[rank - 2], s[rank - 1])
    change = s[rank - 1] / s[0] * (relative(rank - 1) - relative(0))
    return np.full(k, np.nan) if multiple else change


def _is_multiple_value(larger: float, smaller: float) -> bool:
    return bool(larger - smaller <= MULTIPLE_VALUE * larger)


def _tree_gain_gradients(e: _Equations, here: Generic) -> tuple[Array, Array]:
    if not e.X.value.size:
        return np.zeros(0), np.zeros((0, len(e.X.d)))
    x, n = decompose_scaled(e.X.value), here.output
    return x.s[:n], np.array([e.X.along(x.U[:, i], x.Vt[i]) for i in range(n)]).reshape(n, len(e.X.d))


def _gain_gradients(e: _Equations, T: Array, here: Generic) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Gains from actuators to output with their changes, and the same of what is seen of all motions."""
    X, Q = e.X.value, e.Q.value
    pairs = decompose_scaled(np.vstack([X, Q]) @ T)
    U, s, Vt = pairs.U, pairs.s, pairs.Vt
    both, k = here.both, len(e.G.d)
    to_rates = T @ (Vt[:both].T / s[:both])
    order = _output_directions(U[: len(X), :both])
    chosen = [to_rates @ w for w in order[both - here.drives : here.output]]
    gains, changes = np.zeros(len(chosen)), np.zeros((len(chosen), k))
    carried = decompose_scaled(e.G.value.T).inverse(share=SINGULAR)
    for i, t in enumerate(chosen):
        x, y = X @ t, Q @ t
        gains[i] = np.linalg.norm(x) / np.linalg.norm(y)
        mu = -carried @ (X.T @ x - gains[i] ** 2 * (Q.T @ y))
        square = 2.0 * (e.X.along(x, t) - gains[i] ** 2 * e.Q.along(y, t) + e.G.along(mu, t))
        changes[i] = square / (2.0 * gains[i] * (y @ y))
    least = s[both - 1] if both else np.inf
    seen = np.array([min(1.0, least / SEEN)]), np.zeros((1, k))
    if least < SEEN:
        t = T @ Vt[both - 1]
        x, y = X @ t, Q @ t
        mu = -carried @ (X.T @ x + Q.T @ y - least**2 * t)
        seen[1][0] = (e.X.along(x, t) + e.Q.along(y, t) + e.G.along(mu, t)) / (least * SEEN)
    return (gains, changes), seen


def _output_directions(basis: Array) -> list[Array]:
    """Directions of an orthonormal basis by how much of them is in the output, most first."""
    return list(decompose_scaled(basis, complete=True).Vt)


def _distance_gradients(
    gains: tuple[Array, Array], seen: tuple[Array, Array], tree: bool
) -> tuple[Array, Array, Array]:
    """Changes of type 1, type 2 and the condition."""
    g, dg = gains
    k = seen[1].shape[1]
    if not len(g):
        return seen[1][0], seen[1][0], np.zeros(k)
    most, least = g[0], g[-1]
    d_most, d_least = dg[0], dg[-1]
    if len(g) > 1 and _is_multiple_value(g[0], g[1]):
        d_most = np.full(k, np.nan)
    if len(g) > 1 and _is_multiple_value(g[-2], g[-1]):
        d_least = np.full(k, np.nan)
    condition = most / least * (d_most / most - d_least / least) if len(g) > 1 else np.zeros(k)
    if tree:
        first, d_first = (most, d_most)
    else:
        first, d_first = (most, d_most) if WEAK < most < 1.0 else (max(min(1.0, most), WEAK), np.zeros(k))
    second, d_second = (least, d_least) if 1.0 < least < STRONG else (min(max(1.0, least), STRONG), np.zeros(k))
    near1, near2 = least / first, second / most
    d_near1 = (d_least - near1 * d_first) / first if near1 < 1.0 else np.zeros(k)
    d_near2 = (d_second - near2 * d_most) / most if near2 < 1.0 else np.zeros(k)
    share, d_share = seen[0][0], seen[1][0]
    return (
        d_near1 * share + min(1.0, near1) * d_share,
        d_near2 * share + min(1.0, near2) * d_share,
        condition,
    )
