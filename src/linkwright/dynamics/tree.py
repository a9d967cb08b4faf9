"""Forward dynamics of trees with a check of their pivots, where rounding could take the result.

The pivots of a tree's elimination are articulated inertias along its joints: what a joint moves when all joints beyond
it are free. Each is at least what its own link contributes, so most robots need no check. Where a link is almost
massless or very short it is made while the result is computed, and flagged results are found by least constraint.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.dynamics import least_constraint
from linkwright.dynamics.dense_solutions import Judged
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
    PROMISED,
    SMALL_PIVOT,
    SMALL_RESULT,
    TINY,
)
from linkwright.plans.scales import random_coordinates
from linkwright.recursion.forward_recursion import composite_dynamics, factor_udu, outward_speeds, swept_dynamics
from linkwright.recursion.inertia import joint_maps, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces, tree_inverse_dynamics
from linkwright.recursion.twist_recursion import normalize_quaternions

Array = np.ndarray
_EPS = float(np.finfo(float).eps)

_SAMPLES = 6

# Least constraint takes time with the cube of the velocities. Bigger trees are judged by a round trip through inverse
# dynamics, in time with their number; beyond the second bound no result is repaired.
_DENSE_UP_TO = 48
_REPAIRED_UP_TO = 200


@dataclass(frozen=True)
class PivotWatch:
    """Typical pivots along the velocities, 0 where they cannot become small, and the share that is accepted.

    Nothing is watched when there are none.
    """

    sizes: tuple[float, ...] = ()
    limit: float = 0.0


def tree_solver(kinematics: Kinematics) -> tuple[Kernels, Definition]:
    """The kernels and the definition that compute a tree's accelerations."""
    kernels = _tree_kernels(kinematics)
    checked = isinstance(kernels.stage, PivotCheckedTree)
    return kernels, tree_functions.checked_tree_dynamics if checked else tree_functions.forward_dynamics


@memo(valid_at="all")
def _tree_kernels(kinematics: Kinematics) -> Kernels:
    watch = watched_pivots(kinematics) if kinematics.setup.tree.nv else PivotWatch()
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
    if not definition.pivot_checked or not least_constraint.has_roots(setup):
        return kinematics.all_rows.function(tree_derivative_functions.forward_derivatives)
    driven = driven_speeds(setup)

    def derivatives(q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        a = tree_kernel(kinematics)(q, v, tau)
        dq, dv, _ = kernels.function(tree_derivative_functions.inverse_derivatives)(q, v, a)
        flat = np.broadcast_to(q, (*a.shape[:-1], setup.tree.nq)).reshape(-1, setup.tree.nq)
        sets = _setup_of_batch_rows(kinematics, a.shape[:-1])
        found = [
            least_constraint.inverse_inertia(each, normalize_quaternions(setup.tree, x)) for each, x in zip(sets, flat)
        ]
        M_inv = np.array(found).reshape(dq.shape)
        return -(M_inv @ dq), -(M_inv @ dv), M_inv[..., driven]

    return derivatives


def _setup_of_batch_rows(kinematics: Kinematics, lead: tuple[int, ...]) -> Iterable[Setup]:
    """The setup with the numbers of each row of a batch."""
    inputs = kinematics.setup.inputs
    if inputs is None or inputs.values.ndim == 1:
        return itertools.repeat(kinematics.all_rows.here)
    values = np.broadcast_to(inputs.values, (*lead, inputs.values.shape[-1]))
    return (kinematics.at(row).all_rows.here for row in values.reshape(-1, values.shape[-1]))


def judged_tree(setup: Setup, q: Array, v: Array, tau: Array, *w_ext: Array) -> Judged:
    """Accelerations by least constraint; by a dense solve where a body is flexible or of an impossible shape."""
    if least_constraint.has_roots(setup):
        return least_constraint.least_constraint_accelerations(setup, q, v, tau, *w_ext)
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
        if found.error > PROMISED or share < ACCEPTED_TREE:
            _warn_of_rounding(setup, found.error)
        return PivotWatch()
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
    if least_constraint.has_roots(setup):
        return least_constraint.least_constraint_pivots(
            least_constraint.least_constraint_rows(setup, q, np.zeros(setup.tree.nv)).G, order
        )
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
