"""Regressors of tree forces and of efforts: their columns per unit of every dynamic parameter (theory 10)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.forces.element import JointForce
from linkwright.formulations import hybrid_equations
from linkwright.formulations.elimination import factor_lu
from linkwright.formulations.minimal_equations import transposed_solve
from linkwright.functions.definition import compiled
from linkwright.functions.dynamic_parameters import regressed_forces
from linkwright.functions.loop.actuator_functions import actuator_accelerations, actuator_velocities
from linkwright.functions.pivot_checks import flag_result, small_pivot_share
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HybridDynamicsPlan, InverseDynamicsPlan
from linkwright.functions.tree.tree_functions import driven_speeds
from linkwright.loops.closure import DrivenVelocity, actuation_matrix
from linkwright.numerics.tolerances import ACCEPTED_EFFORTS, STRICTER, STRICTEST
from linkwright.recursion.force_elements import moving_points, resisting_joints
from linkwright.recursion.regressor import (
    Channel,
    bending_columns,
    carried_twists,
    cut_channel,
    inertial_columns,
    point_channel,
    tree_channel,
)
from linkwright.recursion.twist_recursion import motion_of_tree


def columns_along(setup: Setup, q: Vec, v: Vec, a: Vec, R: Mat) -> Mat:
    """R^T W (n, n_theta) for the motions R (nv, n), where tree forces = W theta; columns of offsets are left out."""
    tree = setup.simplified
    state = motion_of_tree(tree, q, v, a)
    K = carried_twists(tree, state.A, state.p, R)
    parts = [*inertial_columns(tree, state, K), *bending_columns(tree, state, K, R)]
    cuts = {joint.cut.name: joint for joint in resisting_joints(tree, state.A)}
    points = {moving.force.element.name: moving for moving in moving_points(tree, state)}
    for force in regressed_forces(setup):
        element = force.element
        if force.placed is not None:
            channel = tree_channel(force.placed, q, v, a, R)
        elif isinstance(element, JointForce) and element.joint in cuts:
            channel = cut_channel(cuts[element.joint], element, state, K)
        elif force.velocity is not None:
            channel = _bare_channel(setup, force.velocity, q, v, a, R)
        else:
            channel = point_channel(points[element.name], tree, K)
        parts.append(channel.columns(element))
    return np.concatenate([np.zeros((R.shape[1], 0)), *parts], axis=1)


def _bare_channel(setup: Setup, velocity: DrivenVelocity, q: Vec, v: Vec, a: Vec, R: Mat) -> Channel:
    """A driven velocity of a cut joint without force elements."""
    only = replace(setup, drives=(velocity,), actuated=("",))
    along = R.T @ actuation_matrix(setup.closure, only.drives, q)[:, 0]
    return Channel(along, 0.0, actuator_velocities(only, q, v)[0], actuator_accelerations(only, q, v, a)[0])


@compiled("q", "v", "a")
def tree_regressor(setup: Setup, q: Vec, v: Vec, a: Vec) -> Mat:
    """W with tree forces = W theta, (nv, n_theta); offsets of actuators act through B."""
    W = columns_along(setup, q, v, a, np.eye(setup.tree.nv))
    return np.concatenate([W, actuation_matrix(setup.closure, setup.drives, q)], axis=1)


@compiled("q", "v", "a", public=True)
def regressor(setup: Setup, q: Vec, v: Vec, a: Vec) -> Mat:
    """Y with efforts = Y theta, (na, n_theta), of a tree whose velocities are all driven."""
    return _with_offsets(columns_along(setup, q, v, a, np.eye(setup.tree.nv)[:, driven_speeds(setup)]))


@compiled("q", "v", "a", stage=InverseDynamicsPlan, pivot_checked=True, of_loops=True)
def checked_regressor(stage: InverseDynamicsPlan, q: Vec, v: Vec, a: Vec) -> Mat:
    """Y of as many actuators as freedoms; the first number is NaN when a pivot was too small (theory 10.5)."""
    setup = stage.setup
    f = factor_lu(hybrid_equations.effort_multiplier_matrix(setup.closure, setup.drives, q), stage.plan)
    R = transposed_solve(f, np.eye(setup.tree.nv)[:, : len(setup.drives)])
    return flag_result(
        _with_offsets(columns_along(setup, q, v, a, R)),
        small_pivot_share(f.sizes, stage.pivots) - _accepted_pivot_share(setup),
    )


@compiled("q", "v", "a", stage=HybridDynamicsPlan, pivot_checked=True)
def checked_hybrid_regressor(stage: HybridDynamicsPlan, q: Vec, v: Vec, a: Vec) -> Mat:
    """Y where freedoms are not driven, whose accelerations in `a` follow from the dynamics (theory 10.6)."""
    setup = stage.setup
    rest = [i for i in range(setup.tree.nv) if i not in stage.undriven.speeds]
    f = factor_lu(hybrid_equations.effort_multiplier_matrix(setup.closure, setup.drives, q)[rest], stage.plan)
    own = transposed_solve(f, np.eye(len(rest))[:, : len(setup.drives)])
    R = np.zeros((setup.tree.nv, len(setup.drives)), dtype=own.dtype)
    R[rest] = own
    return flag_result(
        _with_offsets(columns_along(setup, q, v, a, R)),
        small_pivot_share(f.sizes, stage.pivots) - _accepted_pivot_share(setup),
    )


def _accepted_pivot_share(setup: Setup) -> float:
    """The share of pivots from which on a result is accepted."""
    return ACCEPTED_EFFORTS if setup.closure.kept is None else min(STRICTER * ACCEPTED_EFFORTS, STRICTEST)


def _with_offsets(columns: Mat) -> Mat:
    return np.concatenate([columns, np.eye(len(columns))], axis=1)
