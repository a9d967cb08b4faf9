"""The parameters theta that efforts are linear in, and regressors: columns per unit of each (theory 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from linkwright.algebra.transforms import moments_about_origin
from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, JointForce, Role
from linkwright.forces.friction import Friction
from linkwright.forces.rotor import Rotor
from linkwright.formulations import hybrid_equations
from linkwright.formulations.elimination import factor_lu
from linkwright.formulations.minimal_equations import transposed_solve
from linkwright.functions.definition import compiled
from linkwright.functions.fallback_chain import flag_result, small_pivot_share
from linkwright.functions.loop.minimal_functions import actuator_accelerations, actuator_velocities
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HybridDynamicsPlan, InverseDynamicsPlan
from linkwright.functions.tree.tree_functions import driven_speeds
from linkwright.loops.closure import DrivenVelocity, actuation_matrix
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import TreeJointForce, coordinate_slices, part_names
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

# --- the parameters theta that efforts are linear in ------------------------------------------------------------------

INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_INERTIAL_UNITS = ("kg", *3 * ("kg m",), *6 * ("kg m^2",))
_GROUPS = {
    **dict.fromkeys(INERTIAL, "inertial"),
    **dict.fromkeys(("viscous", "coulomb"), "friction"),
    **dict.fromkeys(("stiffness", "preload", "damping"), "spring"),
    "strain": "bending",
}


@dataclass(frozen=True)
class DynamicParameter:
    """A number that efforts are linear in.

    Attributes:
        name: unique, subject and kind joined by a dot.
        kind: m, mx, my, mz (mass, first moments), Ixx to Izz (inertia tensor about the body's origin, body axes),
            viscous, coulomb, rotor, stiffness, preload (stiffness times rest position or length), damping, offset; of
            bending links bending and strain, and of force elements factor, factors of their own; what elements name.
        subject: body, velocity, force element or actuator.
        unit: SI. value: in the mechanism.
    """

    name: str
    kind: str
    subject: str
    unit: str
    value: Any

    @property
    def group(self) -> str:
        """Group of kinds: inertial, friction, rotor, spring, bending or offset."""
        return _GROUPS.get(self.kind, self.kind)


@dataclass(frozen=True, eq=False)
class RegressedForce:
    """A force element with its linear parameters.

    Attributes:
        placed: its velocity and coordinate in the tree; None elsewhere.
        velocity: of a joint along which it acts; None between points.
    """

    element: ForceElement
    parameters: tuple[DynamicParameter, ...]
    placed: TreeJointForce | None = None
    velocity: DrivenVelocity | None = None


def regressed_forces(setup: Setup) -> tuple[RegressedForce, ...]:
    """Force elements in the order of the regressor's columns; actuated velocities always have friction and a rotor."""
    seen: Counter[str] = Counter()
    joints = (found for each in _velocities(setup) for found in _located_forces_along(setup, *each))
    points = ((x.element, None, None) for x in setup.tree.point_forces)
    return tuple(
        RegressedForce(element, tuple(_parameters(element, seen)), placed, velocity)
        for element, placed, velocity in (*joints, *points)
    )


def _parameters(element: ForceElement, seen: Counter[str]) -> Iterator[DynamicParameter]:
    """Linear parameters of an element; the second of a name along one velocity has a 2 behind it."""
    for each in element.linear_parameters():
        name = f"{element.name}.{each.kind}"
        seen[name] += 1
        number = "" if seen[name] == 1 else str(seen[name])
        yield DynamicParameter(f"{name}{number}", each.kind, element.name, each.unit, each.value)


def _velocities(setup: Setup) -> Iterator[tuple[Joint, int, DrivenVelocity]]:
    """Joints and parts of all velocities, and where they are driven."""
    slices = coordinate_slices(setup.mech.joints)
    for joint in setup.mech.joints:
        first = slices[joint.name][1].start
        yield from ((joint, k, DrivenVelocity(first + k)) for k in range(joint.kind.nv))
    for index, joint in enumerate(setup.mech.loops):
        yield from ((joint, k, DrivenVelocity(None, index, k)) for k in range(joint.kind.nv))


Located = tuple[JointForce, TreeJointForce | None, DrivenVelocity]


def _located_forces_along(setup: Setup, joint: Joint, part: int, velocity: DrivenVelocity) -> list[Located]:
    """Elements along one velocity by their roles."""
    tree = setup.tree
    outside = [x for cut in tree.cut_joints if cut.name == joint.name for x in cut.forces]
    found: list[tuple[JointForce, TreeJointForce | None]] = [(x, None) for x in outside]
    found += [(x.element, x) for x in tree.joint_forces if x.element.joint == joint.name]
    found = [(x, placed) for x, placed in found if x.part == part]
    driven = any((x.joint, x.dof) == (joint.name, part) for x in setup.mech.actuators) or velocity in setup.drives
    if driven:
        at = (part_names((joint,), speeds=True)[part], joint.name, part, joint.kind.velocities[part].unit == "rad")
        known = {type(x) for x, _ in found}
        empty = [x for x in (*Friction().forces_along(*at), Rotor(*at)) if type(x) not in known]
        found += [(x, None if velocity.speed is None else TreeJointForce(velocity.speed, None, x)) for x in empty]
    found.sort(key=lambda pair: get_args(Role).index(pair[0].role))
    return [(x, placed, velocity) for x, placed in found]


def dynamic_parameters(setup: Setup) -> tuple[DynamicParameter, ...]:
    """Names, units and values of theta, in the order of the regressor's columns."""
    forces = (x for force in regressed_forces(setup) for x in force.parameters)
    return (*_of_bodies(setup), *forces, *_actuator_offsets(setup))


def _of_bodies(setup: Setup) -> Iterator[DynamicParameter]:
    """Ten inertial parameters of every body, then inertia in bending of every bending link."""
    for body in setup.mech.bodies:
        own = moments_about_origin(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.tensor))
        J = own.J
        values = (own.m, *own.h, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])
        for kind, unit, value in zip(INERTIAL, _INERTIAL_UNITS, values, strict=True):
            yield DynamicParameter(f"{body.name}.{kind}", kind, body.name, unit, value)
    for i, _ in setup.tree.beams:
        name = setup.tree.links[i].name
        yield DynamicParameter(f"{name}.bending", "bending", name, "1", 1.0)


def _actuator_offsets(setup: Setup) -> Iterator[DynamicParameter]:
    parts = {velocity: joint.kind.velocities[part] for joint, part, velocity in _velocities(setup)}
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        yield DynamicParameter(f"{name}.offset", "offset", name, "N m" if parts[drive].unit == "rad" else "N", 0.0)


# --- regressors of tree forces and of efforts -------------------------------------------------------------------------


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
