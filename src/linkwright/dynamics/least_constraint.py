"""Accelerations of a tree by Gauss's principle of least constraint, on square roots of its masses.

With rows G a + c for the accelerations of the mass centers times the roots of the masses, and for those of the spread
of each body about its center, a minimizes |G a + c|^2 / 2 - f a: the inertia is G^T G, and is never formed. Rounding is
magnified by the condition of G, the root of that of the inertia: eight digits are left where an elimination has none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.transforms import Moments
from linkwright.dataclass import dataclass
from linkwright.dynamics.dense_solutions import Judged
from linkwright.functions.memo import memo
from linkwright.functions.setup import Setup
from linkwright.functions.tree.tree_functions import efforts_at_velocities, link_frame_wrenches
from linkwright.mechanism.tree import Tree
from linkwright.numerics.tolerances import NEGATIVE_VALUE, ROUNDED_SUM, TINY
from linkwright.recursion.inverse_recursion import tree_bias_forces
from linkwright.recursion.twist_recursion import motion_of_tree

Array = np.ndarray
_EPS = float(np.finfo(float).eps)

# The factor mixes branches that do not meet by rounding; what the rows miss is taken back so many times.
_CORRECTIONS = 2


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """G (m, nv) and c (m,); the rows hold sqrt(mass) times accelerations."""

    G: Array
    c: Array


def has_roots(setup: Setup) -> bool:
    """True if every body is rigid and has a mass distribution that a real one can have."""
    return not setup.tree.beams and _principal_arms_of_bodies(setup) is not None


def least_constraint_rows(setup: Setup, q: Array, v: Array) -> WeightedRows:
    """The rows of a tree at a state; gravity is part of c."""
    tree = setup.tree
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    J = _twist_maps(tree, state.A, state.p)
    G, c = [], []
    for i, (mass, center, arms) in enumerate(_principal_arms_of_bodies(setup) or ()):
        omega, alpha, acc = state.t[i][:3], state.t_dot[i][:3], state.t_dot[i][3:]
        points = [(np.sqrt(mass), center, 1.0), *((1.0, arm, 0.0) for arm in arms)]
        for weight, r, moved in points:
            G.append(weight * (moved * J[i][3:] - np.cross(r, J[i][:3], axisb=0, axisc=0)))
            c.append(weight * (moved * acc + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))))
    rotors = np.sqrt(tree.rotors.astype(float))
    G.append(np.diag(rotors)[rotors > 0.0])
    c.append(np.zeros(int(np.sum(rotors > 0.0))))
    return WeightedRows(np.concatenate(G), np.concatenate(c))


def least_constraint_accelerations(setup: Setup, q: Array, v: Array, tau: Array, *w_ext: Array) -> Judged:
    """Accelerations (nv,) from the actuators' efforts; not finite where a motion moves no mass."""
    found = least_constraint_rows(setup, q, v)
    X, Q = _orthogonal_factor(found.G)
    f = efforts_at_velocities(setup, tau) - _without_masses(setup, q, v, *w_ext)
    a = X @ (X.T @ f - Q.T @ found.c)
    for _ in range(_CORRECTIONS):
        a = a + X @ (X.T @ (f - found.G.T @ (found.G @ a + found.c)))
    return Judged(a, _average_rounding_error(found, X, Q, f, a) if np.all(np.isfinite(a)) else np.inf)


def inverse_inertia(setup: Setup, q: Array) -> Array:
    """The inverse of the generalized inertia, (nv, nv); NaN where a motion moves no mass."""
    X, _ = _orthogonal_factor(least_constraint_rows(setup, q, np.zeros(setup.tree.nv)).G)
    return X @ X.T


def least_constraint_pivots(G: Array, order: list[int]) -> Array:
    """Pivots of the inertia G^T G when velocities are eliminated from the end of `order`, (nv,)."""
    R = np.linalg.qr(G[:, order[::-1]], mode="r")
    out = np.zeros(G.shape[1])
    out[order[::-1][: len(R)]] = np.diag(R) ** 2  # fewer rows than velocities: some move no mass
    return out


def _orthogonal_factor(G: Array) -> tuple[Array, Array]:
    """X (nv, nv) and Q (m, nv) with G X = Q and (G^T G)^-1 = X X^T; X is NaN where G has lost rank.

    Heavy rows come first and columns are pivoted, which keeps light rows from drowning.
    """
    from scipy.linalg import qr, solve_triangular  # only repairs need it, and it takes long to import

    size, n = np.linalg.norm(G, axis=0), G.shape[1]
    scale = 1.0 / np.where(size > 0.0, size, 1.0)
    heavy = np.argsort(-np.max(np.abs(G * scale), axis=1, initial=0.0), kind="stable")
    Q, X, least = np.zeros((len(G), n)), np.full((n, n), np.nan), min(len(G), n)
    Q[heavy, :least], R, order = qr(G[heavy] * scale, mode="economic", pivoting=True)
    if least == n and np.min(np.abs(np.diag(R)), initial=1.0) > ROUNDED_SUM:
        X[order] = solve_triangular(R, np.eye(n))
    return scale[:, None] * X, Q


def _average_rounding_error(found: WeightedRows, X: Array, Q: Array, f: Array, a: Array) -> float:
    """Average relative change of the result by independent roundings of all terms.

    It is measured in velocities as they are, and weighted with the root of the inertia along them.
    """
    G, c = found.G, found.c
    reach = np.max(np.abs(G), axis=1, keepdims=True, initial=0.0)
    sizes = np.abs(G) + np.where(G != 0.0, reach, 0.0)
    left = np.abs(G @ a + c)
    by_rows = ((X @ Q.T) ** 2) @ ((sizes @ np.abs(a) + np.abs(c)) ** 2)
    by_forces = ((X @ X.T) ** 2) @ (sizes.T**2 @ left**2 + f * f)
    moved = np.sqrt(by_rows + by_forces)
    return float(_EPS * max(_relative_change(moved, a, unit) for unit in (1.0, np.linalg.norm(G, axis=0))))


def _relative_change(moved: Array, a: Array, unit: Any) -> float:
    """The largest change over the largest acceleration, each in its unit."""
    return float(np.max(moved * unit, initial=0.0) / max(float(np.max(np.abs(a) * unit, initial=0.0)), TINY))


def _without_masses(setup: Setup, q: Array, v: Array, *w_ext: Array) -> Array:
    """Forces that friction, force elements, gravity compensation and external wrenches demand of the drives, (nv,)."""
    light = _massless_setup(setup)
    return tree_bias_forces(light.tree, q, v, link_frame_wrenches(light, w_ext[0] if w_ext else None))


@memo()
def _massless_setup(setup: Setup) -> Setup:
    nothing = Moments.of(0.0, np.zeros(3), np.zeros((3, 3)))
    light = replace(setup.tree, links=tuple(replace(link, moments=nothing) for link in setup.tree.links))
    return replace(setup, tree=light, simplified=light)


def _twist_maps(tree: Tree, A: list, p: list) -> list[Array]:
    """Maps from v to the twist of every link, (6, nv) each, link axes."""
    J = [np.zeros((6, tree.nv)) for _ in range(len(tree.links) + 1)]
    for i in tree.outward:
        J[i] = A[i].matrix @ J[tree.parent[i]]
        J[i][:, tree.dofs[i]] += p[i]
    return J


@memo()
def _principal_arms_of_bodies(setup: Setup) -> tuple[tuple[float, Array, list[Array]], ...] | None:
    """Per body mass, center and principal arms, sqrt(second moment) times direction, link axes; None of impossible."""
    out = []
    for body, link in zip(setup.mech.bodies, setup.tree.links, strict=True):
        T, R = np.array(body.inertia.tensor, dtype=float), link.body.R
        values, axes = np.linalg.eigh(0.5 * np.trace(T) * np.eye(3) - T)
        if values[0] < -NEGATIVE_VALUE * values[-1]:
            return None
        arms = [np.sqrt(x) * (R @ e) for x, e in zip(values, axes.T, strict=True) if x > 0.0]
        out.append((body.inertia.mass, link.body.r + R @ np.array(body.inertia.com, dtype=float), arms))
    return tuple(out)
