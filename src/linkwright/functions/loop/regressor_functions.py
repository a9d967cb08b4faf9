"""Regressors of tree forces and of efforts: their columns per unit of every dynamic parameter (theory 10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.formulations import actuation
from linkwright.formulations.lu import lu
from linkwright.formulations.minimal import transposed_solve
from linkwright.functions.definition import compiled
from linkwright.functions.dynamic_parameters import VelocityTerms, velocity_terms
from linkwright.functions.loop.actuator_functions import actuator_accelerations, actuator_velocities
from linkwright.functions.pivot_checks import flagged, share
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HybridDynamicsPlan, InverseDynamicsPlan
from linkwright.functions.tree.tree_functions import driven_speeds
from linkwright.loops.efforts import effort_matrix
from linkwright.numerics.tolerances import ACCEPTED_EFFORTS, STRICTER, STRICTEST
from linkwright.recursion.cut_joints import resisting_joints
from linkwright.recursion.motion import Motion, motion
from linkwright.recursion.regressor import (
    bending_columns,
    carried_twists,
    cut_column,
    inertial_columns,
    point_force_columns,
)


def columns_along(setup: Setup, q: Vec, v: Vec, a: Vec, R: Mat) -> Mat:
    """R^T W (n, n_theta) for the motions R (nv, n), where tree forces = W theta; columns of offsets are left out."""
    tree = setup.simplified
    state = motion(tree, q, v, a)
    K = carried_twists(tree, state.A, state.p, R)
    parts = [*inertial_columns(tree, state, K), *bending_columns(tree, state, K, R, q, v)]
    parts += [column[:, None] for column in _velocity_columns(setup, state, K, q, v, a, R)]
    parts += [column[:, None] for column in _element_columns(setup, state, K, q, v, a, R)]
    parts += point_force_columns(tree, state, K)
    return np.concatenate([np.zeros((R.shape[1], 0)), *parts], axis=1)


@dataclass(frozen=True, eq=False)
class _Moving:
    """A joint velocity: its rates (n,) in the motions, its rate and acceleration, and its coordinate."""

    column: Vec
    rate: Any
    acceleration: Any
    coordinate: Any


def _velocity_columns(setup: Setup, state: Motion, K: list[Mat], q: Vec, v: Vec, a: Vec, R: Mat) -> Iterator[Vec]:
    """Columns (n,) of friction, rotors and springs at joints."""
    for term in velocity_terms(setup):
        if not (term.dry or term.rotor is not None or term.spring is not None):
            continue
        at = _moving(setup, state, K, q, v, a, R, term)
        if term.dry:
            yield at.column * at.rate
            for _, slip in term.dry:
                yield at.column * (at.rate / np.sqrt(at.rate * at.rate + slip**2))
        if term.rotor is not None:
            yield at.column * at.acceleration
        if term.spring is not None:
            yield at.column * at.coordinate
            yield -at.column


def _element_columns(setup: Setup, state: Motion, K: list[Mat], q: Vec, v: Vec, a: Vec, R: Mat) -> Iterator[Vec]:
    """Columns (n,) of force elements at joints."""
    for term in velocity_terms(setup):
        for element in term.elements:
            at = _moving(setup, state, K, q, v, a, R, term, element.rest)
            for column in element.regressor_columns(at.coordinate - element.rest, at.rate):
                yield at.column * column


def _moving(
    setup: Setup, state: Motion, K: list[Mat], q: Vec, v: Vec, a: Vec, R: Mat, term: VelocityTerms, rest: Any = None
) -> _Moving:
    d = term.at.speed
    if d is not None:
        elements = setup.simplified.passive.elements
        own = {each.speed: each.coordinate for each in elements} if rest is not None else {}
        return _Moving(R[d], v[d], a[d], q[own.get(d, setup.simplified.passive.coordinate[d])])
    found = [x for x in resisting_joints(setup.simplified, state.A) if x.cut.name == term.joint]
    if not found:  # an actuator without friction and rotor of its own
        only = replace(setup, drives=(term.at,), actuated=(term.name,))
        B = effort_matrix(setup.closure, only.drives, q)
        return _Moving(R.T @ B[:, 0], actuator_velocities(only, q, v)[0], actuator_accelerations(only, q, v, a)[0], 0.0)
    joint, k = found[0], term.part
    moving = joint.motion(state)
    rest = joint.cut.passive.rest[k] if rest is None else rest
    coordinate = joint.freedoms[k].deflection(rest) + rest  # the turn in which the spring is at rest
    column = cut_column(joint, k, K)
    return _Moving(column, joint.rates(moving)[k], joint.accelerations(moving)[k], coordinate)


@compiled("q", "v", "a")
def tree_regressor(setup: Setup, q: Vec, v: Vec, a: Vec) -> Mat:
    """W with tree forces = W theta, (nv, n_theta); offsets of actuators act through B."""
    W = columns_along(setup, q, v, a, np.eye(setup.tree.nv))
    return np.concatenate([W, effort_matrix(setup.closure, setup.drives, q)], axis=1)


@compiled("q", "v", "a", public=True)
def regressor(setup: Setup, q: Vec, v: Vec, a: Vec) -> Mat:
    """Y with efforts = Y theta, (na, n_theta), of a tree whose velocities are all driven."""
    return _with_offsets(columns_along(setup, q, v, a, np.eye(setup.tree.nv)[:, driven_speeds(setup)]))


@compiled("q", "v", "a", stage=InverseDynamicsPlan, pivot_checked=True, of_loops=True)
def checked_regressor(stage: InverseDynamicsPlan, q: Vec, v: Vec, a: Vec) -> Mat:
    """Y of as many actuators as freedoms; the first number is NaN when a pivot was too small (theory 10.5)."""
    setup = stage.setup
    f = lu(actuation.effort_system(setup.closure, setup.drives, q), stage.plan)
    R = transposed_solve(f, np.eye(setup.tree.nv)[:, : len(setup.drives)])
    return flagged(_with_offsets(columns_along(setup, q, v, a, R)), share(f.sizes, stage.pivots) - _limit(setup))


@compiled("q", "v", "a", stage=HybridDynamicsPlan, pivot_checked=True)
def checked_hybrid_regressor(stage: HybridDynamicsPlan, q: Vec, v: Vec, a: Vec) -> Mat:
    """Y where freedoms are not driven, whose accelerations in `a` follow from the dynamics (theory 10.6)."""
    setup = stage.setup
    rest = [i for i in range(setup.tree.nv) if i not in stage.undriven.speeds]
    f = lu(actuation.effort_system(setup.closure, setup.drives, q)[rest], stage.plan)
    own = transposed_solve(f, np.eye(len(rest))[:, : len(setup.drives)])
    R = np.zeros((setup.tree.nv, len(setup.drives)), dtype=own.dtype)
    R[rest] = own
    return flagged(_with_offsets(columns_along(setup, q, v, a, R)), share(f.sizes, stage.pivots) - _limit(setup))


def _limit(setup: Setup) -> float:
    """The share of pivots from which on a result is accepted."""
    return ACCEPTED_EFFORTS if setup.closure.kept is None else min(STRICTER * ACCEPTED_EFFORTS, STRICTEST)


def _with_offsets(columns: Mat) -> Mat:
    return np.concatenate([columns, np.eye(len(columns))], axis=1)
