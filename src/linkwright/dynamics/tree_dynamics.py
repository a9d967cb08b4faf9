"""Forward dynamics of trees with a check of their pivots, and by Gauss's principle where rounding takes it.

With rows G a + c for the accelerations of the mass centers times the roots of the masses, and for those of the spread
of each body about its center, a minimizes |G a + c|^2 / 2 - f a: the inertia is G^T G, and is never formed. Rounding is
magnified by the condition of G, the root of that of the inertia: eight digits are left where an elimination has none.

The pivots of a tree's elimination are articulated inertias along its joints: what a joint moves when all joints beyond
it are free. Each is at least what its own link contributes, so most robots need no check. Where a link is almost
massless or very short it is made while the result is computed, and flagged results are found by least constraint.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.transforms import Moments
from linkwright.dataclass import dataclass
from linkwright.dynamics.fallback import Judged
from linkwright.errors import AccuracyWarning, SingularityError, warn_caller
from linkwright.functions.definition import Definition
from linkwright.functions.fallback_chain import Code, FallbackChain
from linkwright.functions.memo import memo
from linkwright.functions.setup import Setup
from linkwright.functions.stages import PivotCheckedTree
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_derivative_functions, tree_functions
from linkwright.functions.tree.tree_functions import (
    COMPARED_UP_TO,
    driven_speeds,
    efforts_at_velocities,
    link_frame_wrenches,
)
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism.tree import Tree
from linkwright.numerics.tolerances import (
    ACCEPTED_TREE,
    BAD_CASE,
    LIGHT_LINK,
    NEGATIVE_VALUE,
    PROMISED,
    ROUNDED_SUM,
    SMALL_PIVOT,
    SMALL_RESULT,
    TINY,
)
from linkwright.plans.scales import random_coordinates
from linkwright.recursion.forward_recursion import composite_dynamics, factor_udu, outward_speeds, swept_dynamics
from linkwright.recursion.inertia import joint_maps, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces, tree_inverse_dynamics
from linkwright.recursion.twist_recursion import motion_of_tree, normalize_quaternions

# --- accelerations of a tree by Gauss's principle of least constraint, on square roots of its masses ------------------

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


# --- forward dynamics of trees with a check of their pivots, where rounding could take the result ---------------------

_SAMPLES = 6

# Least constraint takes time with the cube of the velocities. Bigger trees are judged by a round trip through inverse
# dynamics, in time with their number; beyond the second bound no result is repaired.
_DENSE_UP_TO = 48
_REPAIRED_UP_TO = 200


@dataclass(frozen=True)
class PivotWatch:
    """Typical pivots along the velocities, 0 where they cannot become small, and the share that is accepted.

    Nothing is watched when there are none; `error` is that of a tree too large to repair, 0 where it is small.
    """

    sizes: tuple[float, ...] = ()
    limit: float = 0.0
    error: float = 0.0


def tree_solver(kinematics: Kinematics) -> tuple[Kernels, Definition]:
    """The kernels and the definition that compute a tree's accelerations."""
    kernels = _tree_kernels(kinematics)
    checked = isinstance(kernels.stage, PivotCheckedTree)
    return kernels, tree_functions.checked_tree_dynamics if checked else tree_functions.forward_dynamics


@memo(valid_at="all")
def _tree_kernels(kinematics: Kinematics) -> Kernels:
    watch = watched_pivots(kinematics) if kinematics.setup.tree.nv else PivotWatch()
    if watch.error:
        _warn_of_rounding(kinematics.setup, watch.error)
    if not watch.sizes:
        return kinematics.all_rows
    return Kernels(PivotCheckedTree(kinematics.setup, watch.sizes, watch.limit))


@memo(valid_at="all")
def tree_kernel(kinematics: Kinematics, wrench: bool = False) -> Code:
    """Accelerations of a tree from q, v, tau and, with `wrench`, w_ext."""
    kernels, definition = tree_solver(kinematics)
    if not definition.pivot_checked:
        return kernels.code(definition, wrench)
    return FallbackChain(kinematics, _repaired_accelerations).code(kernels, definition, wrench)


def tree_derivatives(kinematics: Kinematics) -> Callable[..., tuple[Array, Array, Array]]:
    """Derivatives of a tree's accelerations by displacements, velocities and efforts."""
    kernels, definition = tree_solver(kinematics)
    setup = kinematics.setup
    if not definition.pivot_checked or not has_roots(setup):
        return kinematics.all_rows.function(tree_derivative_functions.forward_derivatives)
    driven = driven_speeds(setup)

    def derivatives(q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        a = tree_kernel(kinematics)(q, v, tau)
        dq, dv, _ = kernels.function(tree_derivative_functions.inverse_derivatives)(q, v, a)
        flat = np.broadcast_to(q, (*a.shape[:-1], setup.tree.nq)).reshape(-1, setup.tree.nq)
        sets = _setup_of_batch_rows(kinematics, a.shape[:-1])
        found = [inverse_inertia(each, normalize_quaternions(setup.tree, x)) for each, x in zip(sets, flat)]
        M_inv = np.array(found).reshape(dq.shape)
        return -(M_inv @ dq), -(M_inv @ dv), M_inv[..., driven]

    return derivatives


def _setup_of_batch_rows(kinematics: Kinematics, lead: tuple[int, ...]) -> Iterable[Setup]:
    """The setup with the numbers of each row of a batch."""
    values = kinematics.setup.p_over(lead)
    if values is None:
        return itertools.repeat(kinematics.all_rows.here)
    return (kinematics.at(row).all_rows.here for row in values.reshape(-1, values.shape[-1]))


def judged_tree(setup: Setup, q: Array, v: Array, tau: Array, *w_ext: Array) -> Judged:
    """Accelerations by least constraint; by a dense solve where a body is flexible or of an impossible shape."""
    if has_roots(setup):
        return least_constraint_accelerations(setup, q, v, tau, *w_ext)
    f = efforts_at_velocities(setup, tau) - tree_bias_forces(
        setup.simplified, q, v, link_frame_wrenches(setup, w_ext[0] if w_ext else None)
    )
    M = tree_mass_matrix(setup.simplified, q)
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(M)), TINY))
    try:
        inverse = scale[:, None] * np.linalg.inv(M * np.outer(scale, scale)) * scale
    except np.linalg.LinAlgError:
        return Judged(np.full(len(f), np.nan), np.inf)
    a = inverse @ f
    moved = np.sqrt(inverse**2 @ ((np.abs(M) @ np.abs(a) + np.abs(f)) ** 2)) / scale
    return Judged(a, float(_EPS * np.max(moved) / max(float(np.max(np.abs(a) / scale)), TINY)))


def _repaired_accelerations(
    kinematics: Kinematics, q: Array, v: Array, tau: Array, *w_ext: Array, alone: bool
) -> Array:
    """The accelerations of one state; with a warning where rounding leaves too few digits."""
    setup, name = kinematics.all_rows.here, kinematics.setup.mech.name
    found = judged_tree(setup, normalize_quaternions(setup.tree, q), v, tau, *w_ext)
    if np.all(np.isfinite(found.x)) and found.worst_error < 1.0:
        doubt = f"accelerations of mechanism '{name}' are requested where one of its motions moves almost no mass:"
        found.warn_of_lost_digits(
            name, doubt, "give the light or short links more inertia, or move it off this position"
        )
        return found.x
    if alone:
        raise SingularityError(
            f"one of the motions of mechanism '{name}' moves no mass at this position, so its accelerations are not "
            "determined; give its massless links an inertia, or move it off this position",
            q=q,
            kind="",
        )
    return np.array(np.nan)


# --------------------------------------------------------------------------------------- which pivots to watch


@memo(on_disk="pivots of the tree")
def watched_pivots(kinematics: Kinematics) -> PivotWatch:
    """Typical pivots of those that can become small, and the limit that measured errors ask for."""
    setup = kinematics.setup
    found = _sample_pivots(setup) if setup.tree.nv <= _DENSE_UP_TO else _sampled_in_sweeps(setup)
    typical = np.median(np.maximum(found.pivots, 0.0), axis=0)
    limit = max(ACCEPTED_TREE, min(BAD_CASE * found.error / PROMISED, 2.0))
    share = _least_branch_share(setup.tree, found.least, typical, LIGHT_LINK if setup.tree.nv > COMPARED_UP_TO else 1.0)
    if setup.tree.nv > _REPAIRED_UP_TO:
        return PivotWatch(error=found.error if found.error > PROMISED or share < ACCEPTED_TREE else 0.0)
    if limit < 1.0 and share >= limit:
        return PivotWatch()
    watched = typical if limit >= 1.0 else np.where(found.least < SMALL_PIVOT * typical, typical, 0.0)
    return PivotWatch(tuple(watched.tolist()), float(limit))


def _warn_of_rounding(setup: Setup, error: float) -> None:
    warn_caller(
        f"mechanism '{setup.mech.name}' has {setup.tree.nv} velocities, too many to repair accelerations that light or "
        f"short links spoil; a round trip through inverse dynamics leaves a relative error of {error:.1e}: compare "
        "with model.inverse_dynamics where more digits matter, or give these links more inertia",
        AccuracyWarning,
    )


@dataclass(frozen=True, eq=False)
class _Sampled:
    """Pivots at random states (states, nv), the least that they can be (nv,), and the largest error found."""

    pivots: Array
    least: Array
    error: float


def _sample_pivots(setup: Setup) -> _Sampled:
    rng = np.random.default_rng(0)
    q = random_coordinates(setup.mech, _SAMPLES, rng)
    D = np.array([_pivots_at_state(setup, x) for x in q])
    error = max(_elimination_error(setup, x, rng) for x in q[: _SAMPLES // 2])
    return _Sampled(D, np.min([_own_pivots(setup.tree, x) for x in q], axis=0), error)


def _sampled_in_sweeps(setup: Setup) -> _Sampled:
    """The same for a big tree, whose error is what a round trip through inverse dynamics leaves."""
    rng = np.random.default_rng(0)
    q = random_coordinates(setup.mech, 2 if setup.tree.nv <= 10 * _REPAIRED_UP_TO else 1, rng)
    D, worst = [], 0.0
    for x in q:
        v = rng.normal(size=setup.tree.nv)
        with np.errstate(all="ignore"):
            a, pivots = swept_dynamics(setup.simplified, x, v, np.zeros(setup.tree.nv))
            again, _ = swept_dynamics(setup.simplified, x, v, tree_inverse_dynamics(setup.simplified, x, v, a))
        D.append(np.asarray(pivots, dtype=float))
        worst = max(worst, _largest_relative_difference(a, again, np.sqrt(np.maximum(np.abs(D[-1]), TINY))))
    return _Sampled(np.array(D), np.min([_own_pivots(setup.tree, x) for x in q], axis=0), worst)


def _pivots_at_state(setup: Setup, q: Array) -> Array:
    order = outward_speeds(setup.tree)
    if has_roots(setup):
        return least_constraint_pivots(least_constraint_rows(setup, q, np.zeros(setup.tree.nv)).G, order)
    return np.asarray(factor_udu(tree_mass_matrix(setup.tree, q), order)[1], dtype=float)


def _own_pivots(tree: Tree, q: Array) -> Array:
    """Contribution of every link to the pivots of its joint: none can be smaller, in any pose of the others."""
    out = np.zeros(tree.nv)
    for link, joint, rotor in zip(tree.links, joint_maps(tree, q), _rotor_inertias_of_links(tree), strict=True):
        M = np.array(link.moments.M, dtype=float)
        for d in reversed(range(link.dofs.start, link.dofs.stop)):
            column = joint.p[:, d - link.dofs.start]
            psi_hat = M @ column
            out[d] = m_hat = max(0.0, float(column @ psi_hat)) + rotor[d - link.dofs.start]
            M = M - np.outer(psi_hat, psi_hat) / m_hat if m_hat > 0.0 else M
    return out


def _rotor_inertias_of_links(tree: Tree) -> list[Array]:
    return [tree.rotors[link.dofs] for link in tree.links]


def _least_branch_share(tree: Tree, pivots: Array, typical: Array, light: float) -> float:
    """Least product along a branch of pivots over SMALL_PIVOT of the typical ones, of those that are light."""
    ratio = pivots / np.maximum(SMALL_PIVOT * typical, TINY)
    ratio = np.where(ratio < light, ratio, 1.0)
    found = [1.0] * len(tree.links)
    for i in tree.inward:
        found[i] = float(np.prod(ratio[tree.dofs[i]])) * min((found[j] for j in tree.children[i]), default=1.0)
    return min(found)


def _elimination_error(setup: Setup, q: Array, rng: np.random.Generator) -> float:
    """Difference of the eliminations in use from least constraint at a state, relative to the accelerations.

    Velocities are about one; accelerations far below that are judged as if they were not.
    """
    nv, na = setup.tree.nv, len(setup.drives)
    v = rng.normal(size=nv)
    inertia = np.diag(tree_mass_matrix(setup.simplified, q))
    scale = np.sqrt(np.maximum(np.abs(inertia), TINY))
    worst = 0.0
    used = (swept_dynamics, composite_dynamics) if nv <= COMPARED_UP_TO else (swept_dynamics,)
    for size in (0.0, float(np.median(np.abs(inertia)))):
        tau = size * rng.normal(size=na)
        expected = judged_tree(setup, q, v, tau).x
        for solved in used:
            with np.errstate(all="ignore"):
                a = solved(setup.simplified, q, v, efforts_at_velocities(setup, tau))[0]
            worst = max(worst, _largest_relative_difference(a, expected, scale))
    return worst


def _largest_relative_difference(a: Array, expected: Array, scale: Array) -> float:
    """Largest difference relative to the largest acceleration, both weighted by the roots of the inertias."""
    size = max(float(np.max(np.abs(expected) * scale)), SMALL_RESULT * float(np.max(scale)))
    off = float(np.max(np.abs(a - expected) * scale)) / size
    return off if np.isfinite(off) else np.inf
