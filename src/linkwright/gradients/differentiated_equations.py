"""Equations of a mechanism that are differentiated by its inputs: motion, closure, and functions that stay."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross
from linkwright.functions.loop.actuator_functions import actuator_accelerations, actuator_positions, actuator_velocities
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HeldFunctions
from linkwright.functions.tree.tree_functions import frame_attachment, link_wrenches
from linkwright.loops import efforts
from linkwright.loops.closure import closure_bias, closure_jacobian, closure_residual
from linkwright.recursion import inverse, poses
from linkwright.recursion.motion import motion


def balance(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """M a + h - J_c^T lam - B tau, (nv,), but for efforts at tree joints, which depend on nothing."""
    closure = setup.closure
    outer = [np.zeros(6)] * len(setup.simplified.links) if w_ext is None else link_wrenches(setup, w_ext)
    if not closure.n_all:
        return inverse.inverse_dynamics(setup.simplified, q, v, a, None if w_ext is None else outer)
    every = lam
    if closure.kept is not None:
        every = np.zeros(closure.n_all, dtype=lam.dtype)
        every[list(closure.kept)] = lam
    ends = efforts.loop_wrenches(closure, setup.drives, q, every, tau)
    carried = [x + y for x, y in zip(efforts.link_wrenches(closure, ends), outer or [], strict=True)]
    force = inverse.inverse_dynamics(setup.simplified, q, v, a, carried)
    for coupling, row in zip(closure.couplings, every[closure.n_all - len(closure.couplings) :], strict=True):
        for speed, ratio in zip(coupling.speeds, coupling.row(q), strict=True):
            force[speed] = force[speed] - ratio * row
    return force


def gap(setup: Setup, q: Vec) -> Vec:
    """Closure residuals, (n_rows,)."""
    return closure_residual(setup.closure, q)


def rate(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Their rates, J_c v."""
    return closure_jacobian(setup.closure, q) @ v


def second(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates, J_c a + c."""
    return closure_bias(setup.closure, q, v, motion(setup.simplified, q, v, a), a)


def held_jacobian(held: HeldFunctions, q: Vec) -> Mat:
    """Rates of the functions that stay along the velocities, (count, nv)."""
    setup = held.setup
    if held.frame is None:
        rows = efforts.effort_matrix(setup.closure, setup.drives, q).T
    else:
        rows = poses.frame_jacobian(setup.simplified, q, *frame_attachment(setup, held.frame))
    return np.concatenate([rows[list(held.given)], np.eye(setup.simplified.nv)[list(held.speeds)]])


def held_matrix(held: HeldFunctions, q: Vec) -> Mat:
    """[J_c; Jacobian of the functions that stay], (n_rows + count, nv)."""
    if not held.setup.closure.n_rows:
        return held_jacobian(held, q)
    return np.concatenate([closure_jacobian(held.setup.closure, q), held_jacobian(held, q)])


def held_gap(held: HeldFunctions, q: Vec, turn: Mat) -> Vec:
    """Closure residuals and the functions that stay, but for constants; `turn` is the frame's rotation as it is."""
    setup, still = held.setup, np.zeros(len(held.speeds))
    if held.frame is None:
        own = actuator_positions(setup, q)
    else:
        pose = poses.frame_pose(setup.simplified, q, *frame_attachment(setup, held.frame))
        own = np.concatenate([sum(0.5 * cross(turn[:, i], pose.R[:, i]) for i in range(3)), pose.r])
    return _joined(gap(setup, q) if setup.closure.n_rows else still[:0], own[list(held.given)], still)


def held_rate(held: HeldFunctions, q: Vec, v: Vec) -> Vec:
    """Their rates."""
    setup = held.setup
    if held.frame is None:
        own = actuator_velocities(setup, q, v)
    else:
        own = poses.frame_jacobian(setup.simplified, q, *frame_attachment(setup, held.frame)) @ v
    closing = rate(setup, q, v) if setup.closure.n_rows else v[:0]
    return _joined(closing, own[list(held.given)], v[list(held.speeds)])


def held_second(held: HeldFunctions, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates."""
    setup = held.setup
    if held.frame is None:
        own = actuator_accelerations(setup, q, v, a)
    else:
        own = poses.frame_acceleration(setup.simplified, q, v, a, *frame_attachment(setup, held.frame))
    closing = second(setup, q, v, a) if setup.closure.n_rows else a[:0]
    return _joined(closing, own[list(held.given)], a[list(held.speeds)])


def _joined(*parts: Vec) -> Vec:
    return np.concatenate([np.asarray(part) for part in parts])
