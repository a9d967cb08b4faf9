"""Closed configurations of a mechanism: found from random starts, and along its own branch."""

from __future__ import annotations

import numpy as np

from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import drivable_names
from linkwright.functions.store import Kernels
from linkwright.mechanism.records import Joint
from linkwright.numerics.tolerances import CLOSED, OPEN_STATE, TINY
from linkwright.plans.closure_newton import (
    close_all,
    close_gaps,
    recombine_loop_groups,
    right_way_round,
    tangent_displacements,
)
from linkwright.plans.scales import random_coordinates, scales_of_mechanism
from linkwright.recursion.twist_recursion import normalize_quaternions

# What the fastest coordinate moves in a step of a journey, [rad] or shares of the mechanism's length.
_STRIDE = 0.2

# Length of a step of a random walk, in the units of the velocities.
_RANDOM_STEP = 0.15

# Steps in which a residual is shrunk.
_SHRINKS = 16

# Random starts of the other joints, with the driven ones where the file's home has them.
_STARTS_WITH_DRIVEN = 64

# Velocities up to which all samples are looked at.
_MANY = 48


def random_closed(kernels: Kernels, n: int, rng: np.random.Generator) -> np.ndarray:
    """Closed configurations from n random starts, right way round; those that do not close are left out.

    Where none closes, or velocities are many, groups of loops that share none are closed apart.
    """
    return closed_rows(kernels, close_all(kernels, random_coordinates(kernels.setup.mech, n, rng)).q)


def closed_rows(kernels: Kernels, tried: np.ndarray) -> np.ndarray:
    """The rows of `tried` (n, nq) that are closed the right way round; else rows mixed of their groups of loops."""
    scale = scales_of_mechanism(kernels.setup.mech, kernels.setup.closure)
    gap = np.abs(kernels.function(closure_functions.closure_residual)(tried)) / scale.rows
    q = tried[gap.max(axis=1, initial=0.0) < CLOSED]
    q = q[right_way_round(kernels, q)] if len(q) else q
    mixed = recombine_loop_groups(kernels, tried) if not len(q) or sample_share(kernels) < 1.0 else q[:0]
    return mixed if len(mixed) else q


def approach_closure(kernels: Kernels, start: np.ndarray) -> np.ndarray | None:
    """The closed configuration that is met when the residual of `start` (nq,) is shrunk to zero in steps; else None."""
    residual, jacobian = (
        kernels.function(x) for x in (closure_functions.closure_residual, closure_functions.exact_closure_jacobian)
    )
    moving, scale = (
        kernels.function(closure_functions.advanced),
        scales_of_mechanism(kernels.setup.mech, kernels.setup.closure),
    )
    free, first, q = np.ones(kernels.setup.tree.nv, dtype=bool), residual(start), start[None, :]
    for left in np.linspace(1.0, 0.0, _SHRINKS + 1)[1:]:

        def closing(x: np.ndarray, _: np.ndarray, left: float = float(left)) -> tuple[np.ndarray, np.ndarray]:
            return residual(x) - left * first, jacobian(x)

        found = close_gaps(q, closing, moving, scale, free)
        if not found.gap[0] < OPEN_STATE:
            return None
        q = found.q
    return q[0] if found.gap[0] < CLOSED and right_way_round(kernels, q)[0] else None


def sample_share(kernels: Kernels) -> float:
    """The part of the usual number of samples that is looked at of a mechanism with many velocities.

    What a sample costs grows with the square of their number, and many loops repeat each other.
    """
    return min(1.0, (_MANY / max(kernels.setup.tree.nv, 1)) ** 2)


def random_walk_samples(kernels: Kernels, start: np.ndarray, copies: int, steps: int, rng: np.random.Generator):
    """Closed configurations (copies * steps, nq) reached from `start` by random steps along the motion it allows."""
    setup = kernels.setup
    scale = scales_of_mechanism(setup.mech, setup.closure)
    q = np.repeat(start[None, :], copies, axis=0)
    out = []
    for _ in range(steps):
        dv = tangent_displacements(kernels, q, rng.normal(size=(copies, setup.tree.nv)), scale)
        moved = close_all(kernels, kernels.function(closure_functions.advanced)(q, _RANDOM_STEP * dv))
        good = (moved.gap < CLOSED) & right_way_round(kernels, moved.q)
        q = np.where(good[:, None], moved.q, q)
        out.append(q)
    return np.concatenate(out)


def directed_walk_samples(
    kernels: Kernels, start: np.ndarray, copies: int, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """Closed configurations (n, nq) along motions that keep their direction from `start`, far over its branch.

    The fastest coordinate moves by the same amount in every step, however many coordinates there are: random walks of
    unit size stay near their start when the coordinates are many.
    """
    setup = kernels.setup
    scale = scales_of_mechanism(setup.mech, setup.closure)
    q, dv = np.repeat(start[None, :], copies, axis=0), rng.normal(size=(copies, setup.tree.nv)) * scale.speeds
    out = []
    for _ in range(steps):
        dv = tangent_displacements(kernels, q, dv / scale.speeds, scale)
        dv = dv / np.maximum(np.abs(dv / scale.speeds).max(axis=1, keepdims=True), TINY)
        moved = close_all(kernels, kernels.function(closure_functions.advanced)(q, _STRIDE * dv))
        good = (moved.gap < CLOSED) & right_way_round(kernels, moved.q)
        q = np.where(good[:, None], moved.q, q)
        dv = np.where(good[:, None], dv, rng.normal(size=dv.shape) * scale.speeds)
        out.append(q)
    return np.concatenate(out)


def home_coordinates(kernels: Kernels) -> np.ndarray:
    """The home pose of the file, or neutral coordinates inside the limits where it says nothing."""
    given = dict(kernels.setup.mech.home)
    parts = [
        given[joint.name] if joint.name in given else _neutral_coordinates(joint) for joint in kernels.setup.mech.joints
    ]
    return normalize_quaternions(kernels.setup.tree, np.array([x for part in parts for x in part], dtype=float))


def velocities_without_home_pose(kernels: Kernels) -> np.ndarray:
    """Mask of the velocities that are not those of a floating body whose pose the file's home gives, (nv,)."""
    tree, placed = kernels.setup.tree, dict(kernels.setup.mech.home)
    free = np.ones(tree.nv, dtype=bool)
    for link in tree.links:
        free[link.dofs] = not (link.kind.floats and link.joint in placed)
    return free


def without_driven_home(kernels: Kernels) -> np.ndarray | None:
    """Mask of `velocities_without_home_pose` without the driven coordinates that the file's home gives, (nv,); None
    where it gives none.

    Actuators are those of the file, else those of the model.
    """
    setup = kernels.setup
    known, given = drivable_names(setup.mech), dict(setup.mech.home)
    drives = [known[actuator.name] for actuator in setup.mech.actuators] or setup.drives
    driven, free = {drive.speed for drive in drives}, velocities_without_home_pose(kernels)
    held = [
        d
        for link in setup.tree.links
        if link.joint in given and link.coords.stop - link.coords.start == link.dofs.stop - link.dofs.start
        for d in range(link.dofs.start, link.dofs.stop)
        if d in driven
    ]
    free[held] = False
    return free if held else None


def close_with_driven_home(kernels: Kernels, start: np.ndarray) -> np.ndarray | None:
    """The nearest closed configuration found with driven coordinates where `start` (nq,), the file's home, has them.

    None where they are not given, or the loops do not close with them from any start that is tried.
    """
    free = without_driven_home(kernels)
    if free is None:
        return None
    for count in (0, round(_STARTS_WITH_DRIVEN * sample_share(kernels))):
        others = random_coordinates(kernels.setup.mech, count, np.random.default_rng(6))
        for link in kernels.setup.tree.links:
            held = ~free[link.dofs]
            if held.any():
                at = np.arange(link.coords.start, link.coords.stop)
                at = at if len(at) != len(held) else at[held]
                others[:, at] = start[at]
        tried = np.concatenate([start[None, :], others])
        found = close_all(kernels, tried, free)
        closed = found.q[found.gap < CLOSED]
        closed = closed[right_way_round(kernels, closed)] if len(closed) else closed
        if len(closed):
            return closed[np.argmin(np.linalg.norm(closed - start, axis=1))]
    return None


def _neutral_coordinates(joint: Joint) -> tuple[float, ...]:
    """Neutral coordinates; a limited one that would be outside stands in the middle of its range."""
    x, low, high = joint.kind.neutral, joint.limits.lower, joint.limits.upper
    if not (len(low) == len(high) == len(x)):
        return x
    return tuple(v if a <= v <= b else 0.5 * (a + b) for v, a, b in zip(x, low, high, strict=True))
