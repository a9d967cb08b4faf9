"""Equations of a mechanism that are differentiated by its inputs: motion, closure, and functions that stay."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.functions.loop.actuator_functions import actuator_accelerations, actuator_positions, actuator_velocities
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HeldFunctions
from linkwright.functions.tree.tree_functions import frame_attachment, link_frame_wrenches
from linkwright.loops.closure import (
    actuation_matrix,
    closure_bias,
    gaps_of_closure,
    jacobian_of_closure,
    loop_wrenches,
    loop_wrenches_on_links,
)
from linkwright.recursion import inverse_recursion, poses
from linkwright.recursion.twist_recursion import motion_of_tree


def force_balance(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """M a + h - J_c^T lam - B tau, (nv,), but for efforts at tree joints, which depend on nothing."""
    closure = setup.closure
    outer = [np.zeros(6)] * len(setup.simplified.links) if w_ext is None else link_frame_wrenches(setup, w_ext)
    if not closure.n_all:
        return inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, None if w_ext is None else outer)
    every = lam
    if closure.kept is not None:
        every = np.zeros(closure.n_all, dtype=lam.dtype)
        every[list(closure.kept)] = lam
    ends = loop_wrenches(closure, setup.drives, q, every, tau)
    carried = [x + y for x, y in zip(loop_wrenches_on_links(closure, ends), outer or [], strict=True)]
    force = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, carried)
    for coupling, row in zip(closure.couplings, every[closure.n_all - len(closure.couplings) :], strict=True):
        for speed, ratio in zip(coupling.speeds, coupling.row(q), strict=True):
            force[speed] = force[speed] - ratio * row
    return force


def closure_gap(setup: Setup, q: Vec) -> Vec:
    """Closure residuals, (n_rows,)."""
    return gaps_of_closure(setup.closure, q)


def closure_gap_rate(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Their rates, J_c v."""
    return jacobian_of_closure(setup.closure, q) @ v


def closure_gap_second_rate(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates, J_c a + c."""
    return closure_bias(setup.closure, q, v, motion_of_tree(setup.simplified, q, v, a), a)


def held_jacobian(held: HeldFunctions, q: Vec) -> Mat:
    """Rates of the functions that stay along the velocities, (count, nv)."""
    setup = held.setup
    if held.frame is None:
        rows = actuation_matrix(setup.closure, setup.drives, q).T
    else:
        rows = poses.jacobian_of_frame(setup.simplified, q, *frame_attachment(setup, held.frame))
    return np.concatenate([rows[list(held.given)], np.eye(setup.simplified.nv)[list(held.speeds)]])


def held_matrix(held: HeldFunctions, q: Vec) -> Mat:
    """[J_c; Jacobian of the functions that stay], (n_rows + count, nv)."""
    if not held.setup.closure.n_rows:
        return held_jacobian(held, q)
    return np.concatenate([jacobian_of_closure(held.setup.closure, q), held_jacobian(held, q)])


def held_gap(held: HeldFunctions, q: Vec, turn: Mat) -> Vec:
    """Closure residuals and the functions that stay, but for constants; `turn` is the frame's rotation as it is."""
    setup, still = held.setup, np.zeros(len(held.speeds))
    if held.frame is None:
        own = actuator_positions(setup, q)
    else:
        pose = poses.pose_of_frame(setup.simplified, q, *frame_attachment(setup, held.frame))
        own = np.concatenate([sum(0.5 * cross_product(turn[:, i], pose.R[:, i]) for i in range(3)), pose.r])
    return _join_vectors(closure_gap(setup, q) if setup.closure.n_rows else still[:0], own[list(held.given)], still)


def held_rate(held: HeldFunctions, q: Vec, v: Vec) -> Vec:
    """Their rates."""
    setup = held.setup
    if held.frame is None:
        own = actuator_velocities(setup, q, v)
    else:
        own = poses.jacobian_of_frame(setup.simplified, q, *frame_attachment(setup, held.frame)) @ v
    closing = closure_gap_rate(setup, q, v) if setup.closure.n_rows else v[:0]
    return _join_vectors(closing, own[list(held.given)], v[list(held.speeds)])


def held_second(held: HeldFunctions, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates."""
    setup = held.setup
    if held.frame is None:
        own = actuator_accelerations(setup, q, v, a)
    else:
        own = poses.frame_acceleration(setup.simplified, q, v, a, *frame_attachment(setup, held.frame))
    closing = closure_gap_second_rate(setup, q, v, a) if setup.closure.n_rows else a[:0]
    return _join_vectors(closing, own[list(held.given)], a[list(held.speeds)])


def _join_vectors(*parts: Vec) -> Vec:
    return np.concatenate([np.asarray(part) for part in parts])
