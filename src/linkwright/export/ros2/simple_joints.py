"""Joints of one freedom each, which robot_state_publisher knows, in place of a mechanism's joints, and their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.transforms import IDENTITY
from linkwright.algebra.vectors import Vec, Vec3
from linkwright.compiler import Program, inline_program, tangent, trace
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.formats.written_files import simple_joints
from linkwright.functions.loop import closure_functions
from linkwright.joints import JointKind, Prismatic, Revolute
from linkwright.mechanism import Body, Joint, Limits, Mechanism
from linkwright.model import Model

_AXES: tuple[Vec3, Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_TURNS, _SLIDES = tuple(map(Revolute, _AXES)), tuple(map(Prismatic, _AXES))


@dataclass(frozen=True, eq=False)
class SimpleJoints:
    """A tree of joints with one freedom each that moves like the mechanism.

    Attributes:
        mechanism: the tree, without loops, springs and actuators.
        names: its moving joints.
        values: a program from q and v to their positions and velocities.
    """

    mechanism: Mechanism
    names: tuple[str, ...]
    values: Program


def simple_tree(model: Model) -> SimpleJoints:
    """The tree of a model in joints of one freedom; spherical joints become turns about x, y and z."""
    mech = model.mechanism
    for joint in mech.joints:
        if joint.kind.is_of_beam:
            raise MechanismError(f"'{mech.name}' has links that bend, which robot_state_publisher cannot show")
        if joint.reversed and len(joint.kind.v_parts) > 1:
            raise MechanismError(
                f"joint '{joint.name}' has several coordinates and is drawn from '{joint.child}' to '{joint.parent}', "
                "against the direction of the tree; draw it the other way"
            )
    chains = [tuple(_chain_of_joints(joint)) for joint in mech.joints]
    joints = tuple(part for chain in chains for part in chain)
    between = [Body(part.child) for chain in chains for part in chain[:-1]]
    tree = replace(
        mech,
        bodies=(*mech.bodies, *between),
        joints=joints,
        loops=(),
        open_loops=(),
        couplings=(),
        forces=(),
        actuators=(),
        home=(),
        formulas=type(mech.formulas)(),
    )
    names = tuple(part.name for part in joints if not part.kind.is_rigid)
    return SimpleJoints(tree, names, _simple_joint_program(model))


def parts_of_joint(kind: JointKind) -> tuple[JointKind, ...]:
    """Joints of one freedom, one behind the other, that move like a joint."""
    if kind.is_rigid:
        return (kind,)
    if kind.has_quaternion:
        return (*(_SLIDES if kind.floats else ()), *_TURNS)
    return tuple(part for part, _ in simple_joints(kind))


def _chain_of_joints(joint: Joint) -> Iterator[Joint]:
    """A joint as joints in a row, with links without mass between them."""
    parts = parts_of_joint(joint.kind)
    if len(parts) == 1:
        yield replace(joint, kind=parts[0], spring=None, friction=None, armature=())
        return
    parent, at = joint.parent, joint.at
    for i, kind in enumerate(parts, 1):
        last = i == len(parts)
        child = joint.child if last else f"{joint.name}_{i}_link"
        end = joint.child_at if last else IDENTITY
        yield Joint(f"{joint.name}_{i}", parent, child, kind, at, end, Limits())
        parent, at = child, IDENTITY


def _simple_joint_program(model: Model) -> Program:
    """Positions and velocities of the simple joints from q and v, two vectors."""
    tree = model.setup.tree
    links = {link.joint: link for link in tree.links}
    joints = [joint for joint in model.mechanism.joints if not joint.kind.is_rigid]

    def positions(q: Vec) -> Vec:
        return np.array(
            [x for joint in joints for x in _simple_joint_positions(joint.kind, q[links[joint.name].coords])],
            dtype=q.dtype,
        )

    of_q = trace(positions, {"q": model.nq})
    pushed, rates = tangent(of_q, ["q"]), model.loop_kernels.program(closure_functions.coordinate_rates)
    return trace(
        lambda q, v: (inline_program(of_q, q), inline_program(pushed, q, inline_program(rates, q, v))),
        {"q": model.nq, "v": model.nv},
    )


def _simple_joint_positions(kind: JointKind, q: Vec) -> list[Any]:
    """Positions of the simple joints of one joint."""
    if kind.has_quaternion:
        return [*q[:-4], *_turns_about_axes(q[-4:])]
    freedoms = kind.unit_twists()
    return [q[0], freedoms[0].pitch * q[0]] if len(parts_of_joint(kind)) > len(freedoms) else list(q)


def _turns_about_axes(wxyz: Vec) -> list[Any]:
    """Angles a, b, c of the turns about x, then the new y, then the new z."""
    R = rotations.rotation_of_quaternion(wxyz)
    level = np.sqrt(R[0, 0] * R[0, 0] + R[0, 1] * R[0, 1])
    return [np.arctan2(-R[1, 2], R[2, 2]), np.arctan2(R[0, 2], level), np.arctan2(-R[0, 1], R[0, 0])]
