"""Results of writing a file: its text, files beside it, and what the format could not express."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.checks import require_instance
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.findings import Finding, Severity
from linkwright.forces import Friction, LinearSpring
from linkwright.forces.element import End
from linkwright.joints import JointKind, Prismatic, Revolute
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Limits, Mechanism, Mesh
from linkwright.mechanism.names import list_of_names
from linkwright.mechanism.records import NO_INERTIA
from linkwright.mechanism.shapes import Shape
from linkwright.numerics.tolerances import GIMBAL_LOCK, ROUNDED_RESULT

SLIP = Friction().slip
"""Velocity that smooths dry friction in mechanisms read from other formats, which have none."""

HOLDING_DISTANCE = 0.1
"""Distance [m] between points that hold the axis of a joint where a format has only points that stay together."""

_LOST: dict[str, Severity] = {"lost-loop": "error", "lost-coupling": "error", "lost-joint": "error"}
_REMARKS = ("lost-home", "lost-frame", "lost-limit", "lost-shape", "lost-source", "lost-base", "rewritten")


@dataclass(frozen=True)
class Written:
    """The text of a file, the texts of files beside it by their ending, and the losses."""

    text: str
    beside: Mapping[str, str] = field(default_factory=dict)
    losses: tuple[Finding, ...] = ()


class Losses:
    """Losses of a format, one finding each."""

    def __init__(self) -> None:
        self.found: list[Finding] = []

    def add(self, code: str, message: str, subject: str = "", value: Any = None, fix: str = "") -> None:
        severity: Severity = "remark" if code in _REMARKS else _LOST.get(code, "warning")
        self.found.append(Finding(code, message, fix, severity, subject, value))


def writable_point_springs(mech: Mechanism, losses: Losses) -> Iterator[tuple[str, tuple[End, ...], LinearSpring]]:
    """Name, ends and numbers of the linear springs and dampers between points; other force elements are lost."""
    for force in mech.forces:
        spring = force.linear_spring() if force.ends else None
        if spring is None:
            losses.add("lost-force", f"{type(force).__name__.lower()} '{force.name}' is lost", force.name)
        else:
            yield force.name, force.ends, spring


def report_common_losses(mech: Mechanism, losses: Losses, base: bool = False) -> None:
    """Report what no other format says: open loops, the platform, the slip of dry friction, source and license; and the
    inertia of the base unless it is written."""
    for joint in mech.open_loops:
        losses.add("lost-loop", f"the open loop joint '{joint.name}' is lost", joint.name)
    if mech.platform is not None:
        losses.add("lost-frame", f"that frame '{mech.platform}' is the platform is lost", mech.platform)
    if not base and mech.base_inertia != NO_INERTIA:
        text = f"the mass {mech.base_inertia.mass:g} kg of the base '{mech.base}', which does not move, is lost"
        losses.add("lost-base", text, mech.base, mech.base_inertia.mass)
    resisting = [(f"joint '{joint.name}'", joint.name, joint.friction) for joint in mech.joints]
    resisting += [(f"actuator '{each.name}'", each.name, each.friction) for each in mech.actuators]
    for owner, name, friction in resisting:
        if friction is not None and any(friction.coulomb) and friction.slip != SLIP:
            text = f"the slip {friction.slip:g} of the friction of {owner} is lost; it is read as {SLIP:g}"
            losses.add("lost-friction", text, name, friction.slip)
    for title in ("source", "license"):
        if getattr(mech, title):
            losses.add("lost-source", f"the text of {title} is lost", title)


def renamed_base(mech: Mechanism, losses: Losses) -> None:
    """Report the name of the base where a format has one of its own."""
    if mech.base != "world":
        losses.add("rewritten", f"the base '{mech.base}' is called 'world'", mech.base)


def lost_bounds(actuator: Actuator, limits: Limits, written: tuple[float | None, float | None], losses: Losses) -> None:
    """Report bounds of effort and speed of an actuator and its joint where a format has one for both."""
    for what, kept in zip(("effort", "speed"), written, strict=True):
        of_joint = getattr(limits, what)[actuator.dof] if getattr(limits, what) else None
        owners = {f"actuator '{actuator.name}'": getattr(actuator, what), f"joint '{actuator.joint}'": of_joint}
        for owner, own in owners.items():
            if own != kept:
                losses.add("lost-limit", _lost_bound_text(what, owner, own, kept), actuator.name, own)


def _lost_bound_text(what: str, owner: str, own: float | None, kept: float | None) -> str:
    """What a reader of the file finds in place of the largest effort or speed that an actuator or joint has."""
    if own is None:
        return f"{owner} has no largest {what}, and will have {kept:g}: the format has one for actuator and joint"
    lost = f"the largest {what} {own:g} of {owner} is lost"
    return f"{lost}: the format has it only in a limit of the joint" if kept is None else f"{lost}: {kept:g} is written"


def report_cut_joint_losses(joint: Joint, losses: Losses) -> None:
    """Report forces at a cut joint, which are lost."""
    if joint.spring is not None or joint.friction is not None or any(joint.armature):
        text = f"spring, friction and armature of the loop joint '{joint.name}' are lost"
        losses.add("lost-spring", text, joint.name)
    if joint.limits != Limits():
        losses.add("lost-limit", f"the limits of the loop joint '{joint.name}' are lost", joint.name)


def simple_joints(kind: JointKind) -> tuple[tuple[Revolute | Prismatic, tuple[int, ...]], ...]:
    """Turning and sliding joints in a row that move as one joint, each with the velocity it has.

    The sliding part of a screw has none of its own. Other kinds are no such rows, and no other format has them.

    >>> from linkwright.joints import Cylindrical
    >>> [(type(part).__name__, dofs) for part, dofs in simple_joints(Cylindrical())]
    [('Revolute', (0,)), ('Prismatic', (1,))]
    """
    steps = kind.simple_steps()
    if not steps:
        text = f"a {kind.label} does not move as turning and sliding joints in a row; only YAML files can hold it"
        raise MechanismError(text, [Finding("lost-joint", text, "save it as .yaml")])
    return tuple((Revolute(x.axis) if x.sort == "turn" else Prismatic(x.axis), x.velocities) for x in steps)


def real_principal_moments(body: Body, least: float, tool: str, losses: Losses) -> tuple[np.ndarray, np.ndarray, bool]:
    """Principal moments that a body can have, the axes they belong to, and whether they differ from the body's.

    None is smaller than `least`, and the largest is at most the sum of the others. What is raised is reported.
    """
    moments, axes = np.linalg.eigh(np.array(body.inertia.tensor))
    raised = np.maximum(moments, least)
    excess = raised[2] - raised[0] - raised[1]
    if excess > -ROUNDED_RESULT * raised[2]:
        raised[:2] += 0.5 * max(excess, 0.0) + ROUNDED_RESULT * raised[2]
    is_raised = bool((raised - moments).max() > 1e-11 + 1e-9 * moments[2])
    if is_raised or body.inertia.mass < least:
        a, b, c = moments
        text = f"body '{body.name}' has principal moments {a:.3g}, {b:.3g}, {c:.3g} kg m^2 and {body.inertia.mass:g} kg"
        more = f"{tool} wants what a real body has, so that the smaller ones are raised (motion in a plane: the same)"
        losses.add("lost-inertia", f"{text}; {more}", body.name)
    return raised, axes, is_raised


def renamed_parts(mech: Mechanism, to: Callable[[str], str]) -> Mechanism:
    """The mechanism with other names of its bodies, joints, frames, and of what refers to them."""

    def joints(group: tuple[Joint, ...]) -> tuple[Joint, ...]:
        return tuple(replace(j, name=to(j.name), parent=to(j.parent), child=to(j.child)) for j in group)

    return replace(
        mech,
        base=to(mech.base),
        bodies=tuple(replace(body, name=to(body.name)) for body in mech.bodies),
        joints=joints(mech.joints),
        loops=joints(mech.loops),
        open_loops=joints(mech.open_loops),
        couplings=tuple(
            replace(
                each,
                terms=tuple((to(name), ratio) for name, ratio in each.terms),
                curves=tuple((to(name), factors) for name, factors in each.curves),
            )
            for each in mech.couplings
        ),
        forces=tuple(force.with_ends(lambda body, at: (to(body), at)) for force in mech.forces),
        frames=tuple(replace(frame, name=to(frame.name), body=to(frame.body)) for frame in mech.frames),
        actuators=tuple(replace(each, joint=to(each.joint)) for each in mech.actuators),
        platform=None if mech.platform is None else to(mech.platform),
        home=tuple((to(name), values) for name, values in dict(mech.home).items()),
    )


def with_mesh_name(shape: Shape, folder: Path | None, losses: Losses) -> Shape:
    """A shape whose mesh is named as seen from the folder of the file that is written."""
    if not isinstance(shape.solid, Mesh) or folder is None or not Path(shape.solid.file).is_absolute():
        return shape
    name = Path(os.path.relpath(shape.solid.file, folder.resolve())).as_posix()
    if name.startswith("../"):
        text = f"the mesh '{name}' is outside the folder of the file; load it with folders=[...] to find it again"
        losses.add("lost-shape", text, name)
    return replace(shape, solid=replace(shape.solid, file=name))


def numbers_as_text(*values: float) -> str:
    """Numbers as text that reads back as the same numbers.

    >>> numbers_as_text(1.0, -0.5, 1e-09)
    '1 -0.5 1e-09'
    """
    return " ".join(repr(float(value)).removesuffix(".0") for value in values)


def rpy_of_pose(pose: RigidTransform) -> Vec3:
    """Roll, pitch, yaw about fixed axes of a pose's rotation."""
    R = pose.R
    pitch = float(np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])))
    if np.hypot(R[0, 0], R[1, 0]) < GIMBAL_LOCK:
        return (float(np.arctan2(-R[1, 2], R[1, 1])), pitch, 0.0)
    return (float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0])))


A_MECHANISM = "a Mechanism, such as lw.load(file) or model.mechanism"


def on_joints(mech: Mechanism, losses: Losses) -> Mechanism:
    """The same mechanism with every body's frame at the joint that carries it, as other formats draw bodies."""
    require_instance("mech", mech, Mechanism, A_MECHANISM)
    flexible = [joint.name for joint in mech.joints if joint.kind.is_of_beam]
    if flexible:
        text = f"mechanism '{mech.name}' has flexible links, which only YAML files can hold"
        raise MechanismError(text, [Finding("lost-joint", text, "save it as .yaml", subject=flexible[0])])
    frames = {mech.base: IDENTITY} | {joint.child: joint.child_at for joint in mech.joints}
    inverse = {name: pose.inverse for name, pose in frames.items()}
    moved = [name for name, pose in frames.items() if pose != IDENTITY]
    if moved:
        text = f"frames of {list_of_names('body', 'bodies', moved)} are moved to the joints that carry them"
        losses.add("rewritten", text, moved[0], len(moved))
    return replace(
        mech,
        bodies=tuple(_body_in_frame(body, inverse[body.name]) for body in mech.bodies),
        joints=tuple(_as_tree(replace(j, at=inverse[j.parent] @ j.at, child_at=IDENTITY), losses) for j in mech.joints),
        loops=tuple(_joint_in_link_frames(joint, inverse) for joint in mech.loops),
        open_loops=tuple(_joint_in_link_frames(joint, inverse) for joint in mech.open_loops),
        forces=tuple(f.with_ends(lambda body, at: (body, _point_in_frame(inverse[body], at))) for f in mech.forces),
        frames=tuple(replace(frame, pose=inverse[frame.body] @ frame.pose) for frame in mech.frames),
        formulas=type(mech.formulas)(),
    )


def with_armature_at_rotors(mech: Mechanism, losses: Losses) -> Mechanism:
    """The same mechanism with the armature of driven velocities as rotors of their actuators."""
    armatures = {joint.name: list(joint.armature) for joint in mech.joints if any(joint.armature)}
    actuators = []
    for actuator in mech.actuators:
        row, more = armatures.get(actuator.joint, []), 0.0
        if row and row[actuator.dof] and actuator.gear:
            more, row[actuator.dof] = row[actuator.dof] / actuator.gear**2, 0.0
            text = f"the armature of joint '{actuator.joint}' is written as the rotor of actuator '{actuator.name}'"
            losses.add("rewritten", text, actuator.name)
        actuators.append(replace(actuator, rotor_inertia=actuator.rotor_inertia + more))
    left = {name: tuple(row) if any(row) else () for name, row in armatures.items()}
    joints = [replace(joint, armature=left.get(joint.name, joint.armature)) for joint in mech.joints]
    return replace(mech, joints=tuple(joints), actuators=tuple(actuators))


def _joint_in_link_frames(joint: Joint, inverse: dict[str, RigidTransform]) -> Joint:
    return replace(joint, at=inverse[joint.parent] @ joint.at, child_at=inverse[joint.child] @ joint.child_at)


def _as_tree(joint: Joint, losses: Losses) -> Joint:
    """A joint drawn from child to parent has the same coordinate here if it has one; others are reported."""
    if joint.reversed and joint.kind.nv > 1:
        text = f"joint '{joint.name}' is drawn from '{joint.child}' to '{joint.parent}'; its coordinates differ"
        losses.add("rewritten", text, joint.name)
        if joint.limits != Limits() or joint.spring or joint.friction or any(joint.armature):
            losses.add("lost-limit", f"limits, springs and friction of joint '{joint.name}' dropped", joint.name)
        joint = Joint(joint.name, joint.parent, joint.child, joint.kind, joint.at, joint.child_at)
    return replace(joint, reversed=False)


def _body_in_frame(body: Body, to: RigidTransform) -> Body:
    """A body seen from another frame; `to` is the old frame in the new one."""
    inertia = body.inertia
    tensor = to.R @ np.array(inertia.tensor) @ to.R.T
    return replace(
        body,
        inertia=Inertia(inertia.mass, _point_in_frame(to, inertia.com), (tensor + tensor.T) / 2.0),
        shapes=tuple(Shape(shape.solid, to @ shape.pose, shape.color) for shape in body.shapes),
    )


def _point_in_frame(frame: RigidTransform, point: Vec3) -> Vec3:
    x, y, z = (float(part) for part in frame.r + frame.R @ np.array(point))
    return (x, y, z)


def drawn_poses(mech: Mechanism) -> dict[str, RigidTransform]:
    """Pose of each body when all coordinates are neutral, seen from the base; bodies drawn at their joints."""
    poses, waiting = {mech.base: IDENTITY}, list(mech.joints)
    while waiting:
        joint = next(joint for joint in waiting if joint.parent in poses)
        waiting.remove(joint)
        poses[joint.child] = poses[joint.parent] @ joint.at @ joint.child_at.inverse
    return poses
