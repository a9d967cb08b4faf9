"""A mechanism as SDF, drawn at its home: SDF's joints join links where they are drawn, so loops must close there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formats.written_files import (
    HOLDING_DISTANCE,
    Losses,
    Written,
    lost_bounds,
    numbers_as_text,
    on_joints,
    real_principal_moments,
    renamed_base,
    renamed_parts,
    report_common_losses,
    report_cut_joint_losses,
    rpy_of_pose,
    simple_joints,
    with_armature_at_rotors,
    with_mesh_name,
    writable_point_springs,
)
from linkwright.formats.xml import Element, rgba_of_color, xml_text
from linkwright.joints import Distance, Fixed, Floating, JointKind, Prismatic, Revolute, Screw, Spherical
from linkwright.mechanism import Actuator, Body, Box, Cylinder, Ellipsoid, Joint, Mechanism, Mesh, Shape, Sphere
from linkwright.numerics.tolerances import CLOSED_STATE

DIALECTS = ("joints", "drake")
_DRAKE_GRAVITY = (0.0, 0.0, -9.81)  # whatever a world says
_TYPES = {Revolute: "revolute", Prismatic: "prismatic", Fixed: "fixed", Screw: "screw", Spherical: "ball"}


def to_sdf(mech: Mechanism, folder: Path | None = None, dialect: str = "joints") -> Written:
    """The mechanism as SDF 1.9 with what SDF cannot say. Coordinates are zero at the home.

    Args:
        mech: the mechanism.
        folder: of the file, from which meshes are named.
        dialect: "joints" writes loops as joints, which Gazebo reads and Drake refuses; they must close at the home.
            "drake" writes them as ball constraints, which other tools leave out.

    >>> from linkwright import catalog
    >>> to_sdf(catalog.load("puma-560")).text.count("<joint ")
    6
    >>> to_sdf(catalog.load("delta"), dialect="drake").text.count("<drake:ball_constraint>")
    6
    """
    if dialect not in DIALECTS:
        raise ArgumentError(f"the dialect of SDF is {dialect!r}, expected one of {', '.join(DIALECTS)}")
    losses = Losses()
    named = _with_sdf_names(with_armature_at_rotors(on_joints(mech, losses), losses), losses)
    return _Writer(named, losses, folder, dialect).write_document()


@dataclass
class _Writer:
    mech: Mechanism
    losses: Losses
    folder: Path | None
    dialect: str

    def __post_init__(self) -> None:
        self.home = dict(self.mech.home)
        self.poses: dict[str, RigidTransform] = {self.mech.base: IDENTITY}
        self.extra: list[Element] = []  # links without mass, frames
        self.base_link = ""  # that stands for the base where only a link can
        self.joints: list[Element] = []
        self.names: dict[tuple[str, int], tuple[str, float]] = {}  # (joint, velocity): written joint, its home
        self.drives = {(actuator.joint, actuator.dof): actuator for actuator in self.mech.actuators}

    def write_document(self) -> Written:
        mech, waiting = self.mech, list(self.mech.joints)
        while waiting:
            joint = next(joint for joint in waiting if joint.parent in self.poses)
            waiting.remove(joint)
            self.tree_joint(joint)
        for joint in mech.loops:
            self.loop(joint)
        self.couplings()
        self.rest()
        links = [self.link(body) for body in mech.bodies]
        frames = [self.frame(self.free(frame.name, "frame"), frame.body, frame.pose) for frame in mech.frames]
        springs = [*self.springs()]
        model = Element("model", {"name": mech.name}, 0, [*links, *self.extra, *frames, *self.joints, *springs])
        gravity = Element("gravity", {}, 0, [], numbers_as_text(*mech.gravity))
        world = Element("world", {"name": f"{mech.name}_world"}, 0, [gravity, model])
        root = Element("sdf", {"version": "1.9", "xmlns:drake": "http://drake.mit.edu"}, 0, [world])
        return Written(f'<?xml version="1.0"?>\n{xml_text(root)}\n', losses=tuple(self.losses.found))

    # --- joints

    def tree_joint(self, joint: Joint) -> None:
        values = self.home.get(joint.name, joint.kind.neutral)
        parent, pose = joint.parent, self.poses[joint.parent] @ joint.at
        if isinstance(joint.kind, Floating):
            self.poses[joint.child] = pose @ RigidTransform.from_quaternion(np.array(values[:3]), values[3:])
            if joint.parent != self.mech.base:
                text = f"joint '{joint.name}' floats on body '{joint.parent}'; links of SDF float in the world"
                self.losses.add("lost-joint", text, joint.name)
            if joint.spring or joint.friction or joint.armature:
                text = f"springs, friction, armature of the floating joint '{joint.name}' are lost"
                self.losses.add("lost-spring", text, joint.name)
            return
        single: tuple[int, ...] = (0,) if isinstance(joint.kind, Screw) else ()
        whole = type(joint.kind) in (Fixed, Spherical, Screw)
        steps = [(joint.kind, single)] if whole else [*simple_joints(joint.kind)]
        for i, (kind, dofs) in enumerate(steps):
            last = i == len(steps) - 1
            name = self.free(joint.name, "joint") if len(steps) == 1 else f"{joint.name}_{i + 1}"
            child = joint.child if last else f"{name}_link"
            mine = tuple(values[dof] for dof in dofs) if len(dofs) == 1 else values
            pose = pose @ _pose_at_coordinates(kind, mine)
            self.poses[child] = pose
            if not last:
                self.extra.append(self.link(Body(child)))
            dof = dofs[0] if len(dofs) == 1 else None
            self.joints.append(self.joint(joint, name, parent, child, kind, dof, mine[0] if mine else 0.0))
            parent = child
        if len(steps) > 1:
            text = f"joint '{joint.name}' is written as {len(steps)} joints with links without mass between"
            self.losses.add("rewritten", text, joint.name)

    def joint(
        self, joint: Joint, name: str, parent: str, child: str, kind: JointKind, dof: int | None, home: float
    ) -> Element:
        """A joint at the child's origin; along one velocity it has limits, springs and friction."""
        inside = [_text_element("parent", self.link_name(parent)), _text_element("child", self.link_name(child))]
        if isinstance(kind, Screw):
            inside.append(_text_element("screw_thread_pitch", numbers_as_text(math.tau * kind.pitch)))
        for axis in kind.axes:
            parts = [_text_element("xyz", numbers_as_text(*axis))]
            if dof is not None:
                self.names[joint.name, dof] = (name, home)
                parts += self.along(joint, dof, home)
            inside.append(Element("axis", {}, 0, parts))
        drive = self.drives.get((joint.name, dof)) if dof is not None else None
        if drive is not None and (drive.rotor_inertia or drive.gear != 1.0):
            inside.append(_text_element("drake:rotor_inertia", numbers_as_text(drive.rotor_inertia)))
            inside.append(_text_element("drake:gear_ratio", numbers_as_text(drive.gear)))
        if drive is not None and drive.name != name:
            self.losses.add("rewritten", f"actuator '{drive.name}' is called '{name}', as its joint", drive.name)
        if dof is None and joint not in self.mech.loops and (joint.spring or joint.friction or joint.armature):
            self.losses.add("lost-spring", f"springs, friction, armature of joint '{joint.name}' are lost", joint.name)
        return Element("joint", {"name": name, "type": _TYPES[type(kind)]}, 0, inside)

    def along(self, joint: Joint, dof: int, home: float) -> Iterator[Element]:
        limits, drive = joint.limits, self.drives.get((joint.name, dof))
        bounds: dict[str, float] = {}
        if limits.lower:
            bounds |= {"lower": limits.lower[dof] - home, "upper": limits.upper[dof] - home}
        if drive is not None:
            bounds["effort"] = _effort_bound(drive, limits.effort, dof)
            speed = drive.speed if drive.speed is not None else limits.speed[dof] if limits.speed else None
            bounds |= {} if speed is None else {"velocity": speed}
            lost_bounds(drive, limits, (bounds["effort"], speed), self.losses)
        else:
            bounds["effort"] = 0.0
            if limits.effort:
                text = f"the bound of the effort of joint '{joint.name}' is lost; SDF would take the joint as driven"
                self.losses.add("lost-limit", text, joint.name, limits.effort[dof])
            bounds |= {"velocity": limits.speed[dof]} if limits.speed else {}
        yield Element("limit", {}, 0, [_text_element(key, numbers_as_text(value)) for key, value in bounds.items()])
        forces: dict[str, float] = {}
        if joint.friction is not None:
            viscous, coulomb = joint.friction.viscous, joint.friction.coulomb
            forces |= {"damping": viscous[dof]} if viscous else {}
            forces |= {"friction": coulomb[dof]} if coulomb else {}
        if joint.spring is not None:
            rest = joint.spring.rest[dof] if joint.spring.rest else 0.0
            forces |= {"spring_stiffness": joint.spring.stiffness[dof], "spring_reference": rest - home}
        if forces:
            yield Element(
                "dynamics", {}, 0, [_text_element(key, numbers_as_text(value)) for key, value in forces.items()]
            )
        if joint.armature and joint.armature[dof]:
            self.losses.add("lost-armature", f"the armature of joint '{joint.name}' is lost", joint.name)
        if drive is not None and drive.friction is not None:
            self.losses.add("lost-friction", f"the friction of actuator '{drive.name}' is lost", drive.name)

    # --- loops

    def loop(self, joint: Joint) -> None:
        if isinstance(joint.kind, Distance) and self.dialect == "joints":
            tag = "drake:distance_constraint"
            more = [_text_element(f"{tag}_distance", numbers_as_text(joint.kind.length))]
            self.joints.append(self.between(tag, joint, joint.at.xyz, joint.child_at.xyz, more))
        elif not isinstance(joint.kind, Revolute | Spherical | Fixed):
            kind = type(joint.kind).__name__.lower()
            text = f"the loop joint '{joint.name}' is {kind}; {self.dialect_name} has no such joint"
            self.losses.add("lost-loop", text, joint.name, fix="cut the loop at a revolute or spherical joint")
        elif self.dialect == "drake":
            self.ball_constraints(joint, joint.kind)
        else:
            self.loop_joint(joint, joint.kind)

    def loop_joint(self, joint: Joint, kind: Revolute | Spherical | Fixed) -> None:
        near, far = self.poses[joint.parent] @ joint.at, self.poses[joint.child] @ joint.child_at
        apart = _loop_gap_distance(kind, near.inverse @ far)
        if apart > CLOSED_STATE:
            text = f"the loop joint '{joint.name}' is lost; its sides are {apart:.2g} apart at the home"
            self.losses.add("lost-loop", text, joint.name, fix="save it with a home at which its loops close")
            return
        report_cut_joint_losses(joint, self.losses)
        frame = f"{joint.name}_side"
        self.extra.append(self.frame(frame, joint.child, joint.child_at))
        element = self.joint(joint, self.free(joint.name, "joint"), joint.parent, joint.child, kind, None, 0.0)
        element.children[1] = _text_element("child", frame)
        self.joints.append(element)

    def ball_constraints(self, joint: Joint, kind: Revolute | Spherical | Fixed) -> None:
        """Points of two links that stay together: one for a spherical joint, two for a revolute, three for a fixed."""
        report_cut_joint_losses(joint, self.losses)
        points = _points_held_by_joint(kind)
        for point in points:
            near, far = ((at @ RigidTransform.of(point)).xyz for at in (joint.at, joint.child_at))
            self.joints.append(self.between("drake:ball_constraint", joint, near, far, []))
        if len(points) > 1:
            text = f"the loop joint '{joint.name}' is written as {len(points)} points that stay together"
            self.losses.add("rewritten", text, joint.name)

    def between(self, tag: str, ends: Joint, at: Vec3, child_at: Vec3, more: list[Element]) -> Element:
        parts = [
            _text_element(f"{tag}_body_A", self.constrained_link(ends.parent)),
            _text_element(f"{tag}_body_B", self.constrained_link(ends.child)),
            _text_element(f"{tag}_p_AP", numbers_as_text(*at)),
            _text_element(f"{tag}_p_BQ", numbers_as_text(*child_at)),
        ]
        return Element(tag, {}, 0, [*parts, *more])

    def constrained_link(self, body: str) -> str:
        """A link that Drake finds in the model; the base is one without mass, fixed to the world."""
        if body != self.mech.base:
            return body
        if not self.base_link:
            self.base_link = self.free("base" if body == "world" else body, "link")
            self.poses[self.base_link] = IDENTITY
            self.extra.append(self.link(Body(self.base_link)))
            fixed = Joint(f"{self.base_link}_fixed", body, self.base_link, Fixed())
            element = self.joint(fixed, fixed.name, body, self.base_link, fixed.kind, None, 0.0)
            element.children[1] = _text_element("child", self.base_link)
            self.joints.append(element)
            self.losses.add("rewritten", f"the base is also written as the link '{self.base_link}'", self.base_link)
        return self.base_link

    @property
    def dialect_name(self) -> str:
        return "Drake" if self.dialect == "drake" else "SDF"

    # --- the rest

    def link_name(self, body: str) -> str:
        return "world" if body == self.mech.base else body

    def free(self, name: str, what: str) -> str:
        """A name that no link or joint has: in SDF they share one list of names."""
        joints = () if what == "joint" else (*self.mech.joints, *self.mech.loops)
        taken = {*self.mech.names, *(joint.name for joint in joints)}
        if name not in taken:
            return name
        self.losses.add(
            "rewritten", f"{what} '{name}' is written as '{name}_{what}', because a link has its name", name
        )
        return f"{name}_{what}"

    def frame(self, name: str, body: str, pose: RigidTransform) -> Element:
        return Element("frame", {"name": name, "attached_to": self.link_name(body)}, 0, [_pose_element(pose)])

    def link(self, body: Body) -> Element:
        inertia = body.inertia
        principal, axes, is_raised = real_principal_moments(body, 0.0, "libsdformat", self.losses)
        tensor = axes @ np.diag(principal) @ axes.T if is_raised else np.array(inertia.tensor)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
        moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        inertial = [
            _pose_element(RigidTransform(inertia.com)),
            _text_element("mass", numbers_as_text(inertia.mass)),
            Element("inertia", {}, 0, [_text_element(key, numbers_as_text(value)) for key, value in moments.items()]),
        ]
        inside = [_pose_element(self.poses[body.name]), Element("inertial", {}, 0, inertial)]
        if body.gravity_compensation == 1.0:
            inside.append(_text_element("gravity", "false"))
        elif body.gravity_compensation:
            self.losses.add("lost-gravity", f"the gravity compensation of body '{body.name}' is lost", body.name)
        shapes = [with_mesh_name(shape, self.folder, self.losses) for shape in body.shapes]
        inside += [drawn for i, shape in enumerate(shapes) if (drawn := self.visual(shape, i, body.name))]
        return Element("link", {"name": body.name}, 0, inside)

    def visual(self, shape: Shape, i: int, name: str) -> Element | None:
        match shape.solid:
            case Box(size):
                solid = Element("box", {}, 0, [_text_element("size", numbers_as_text(*size))])
            case Cylinder(radius, length):
                sizes = [
                    _text_element("radius", numbers_as_text(radius)),
                    _text_element("length", numbers_as_text(length)),
                ]
                solid = Element("cylinder", {}, 0, sizes)
            case Sphere(radius):
                solid = Element("sphere", {}, 0, [_text_element("radius", numbers_as_text(radius))])
            case Ellipsoid(radii):
                solid = Element("ellipsoid", {}, 0, [_text_element("radii", numbers_as_text(*radii))])
            case Mesh(file, scale):
                solid = Element(
                    "mesh", {}, 0, [_text_element("uri", file), _text_element("scale", numbers_as_text(*scale))]
                )
            case other:
                kind = type(other).__name__.lower()
                self.losses.add("lost-shape", f"a {kind} of body '{name}' is not drawn in SDF", name)
                return None
        inside = [_pose_element(shape.pose), Element("geometry", {}, 0, [solid])]
        if shape.color is not None:
            inside.append(
                Element("material", {}, 0, [_text_element("diffuse", numbers_as_text(*rgba_of_color(shape.color)))])
            )
        return Element("visual", {"name": f"{name}_{i}"}, 0, inside)

    def couplings(self) -> None:
        """Couplings of two joints: one of them mimics the other."""
        followers: set[str] = set()
        by_name = {element.attributes.get("name", ""): element for element in self.joints}
        for coupling in self.mech.couplings:
            ways = [(a, b) for a, b in (coupling.terms, coupling.terms[::-1])] if len(coupling.terms) == 2 else []
            ways = [] if coupling.curves else ways
            free = [way for way in ways if self.names[way[0][0], 0][0] not in followers]
            if not free:
                self.losses.add("lost-coupling", f"coupling '{coupling.name}' is lost", coupling.name)
                continue
            (a, x), (b, y) = sorted(free, key=lambda way: (way[0][0], 0) in self.drives)[0]
            (follower, at), (leader, other_at) = self.names[a, 0], self.names[b, 0]
            offset = coupling.offset / x - y / x * other_at - at
            parts = [
                _text_element("multiplier", numbers_as_text(-y / x)),
                _text_element("offset", numbers_as_text(offset)),
                _text_element("reference", "0"),
            ]
            axis = by_name[follower].first("axis")
            assert axis is not None  # joints with one coordinate have one
            axis.children.append(Element("mimic", {"joint": leader}, 0, parts))
            followers.add(follower)

    def springs(self) -> Iterator[Element]:
        tag = "drake:linear_spring_damper"
        for name, ((parent, at), (child, child_at)), spring in writable_point_springs(self.mech, self.losses):
            ends = Joint(name, parent, child, Fixed())
            sizes = {"free_length": spring.length, "stiffness": spring.stiffness, "damping": spring.damping}
            more = [_text_element(f"{tag}_{what}", numbers_as_text(value)) for what, value in sizes.items()]
            yield self.between(tag, ends, at, child_at, more)

    def rest(self) -> None:
        mech, losses = self.mech, self.losses
        for actuator in mech.actuators:
            if (actuator.joint, actuator.dof) not in self.names:
                losses.add("lost-actuator", f"actuator '{actuator.name}' drives no written joint", actuator.name)
        if mech.home:
            losses.add("rewritten", "coordinates are counted from the home, where the model is drawn")
        if self.dialect == "drake" and mech.gravity != _DRAKE_GRAVITY:
            losses.add("lost-gravity", f"gravity {mech.gravity} is lost; Drake assumes {_DRAKE_GRAVITY}", mech.name)
        report_common_losses(mech, losses)
        renamed_base(mech, losses)
        if mech.base_shapes:
            losses.add("lost-shape", f"shapes of the base '{mech.base}' are not drawn in SDF", mech.base)


def _with_sdf_names(mech: Mechanism, losses: Losses) -> Mechanism:
    """The mechanism with names that SDF has: no "::" inside, neither "world" nor underscores around the name."""
    joints = (joint.name for joint in (*mech.joints, *mech.loops))
    names = {mech.name, *mech.names, *joints, *(frame.name for frame in mech.frames)}
    renamed: dict[str, str] = {}
    for name in sorted(name for name in names if not _is_sdf_name(name)):
        new = name.replace("::", ".").strip("_:") or "part"
        while not _is_sdf_name(new) or new in names:
            new += "_"
        renamed[name] = new
        names.add(new)
    if not renamed:
        return mech
    examples = ", ".join(f"'{old}' as '{new}'" for old, new in list(renamed.items())[:2])
    losses.add("rewritten", f"{len(renamed)} names are reserved in SDF and changed, such as {examples}", mech.name)
    changed = renamed_parts(mech, lambda name: renamed.get(name, name))
    return replace(changed, name=renamed.get(mech.name, mech.name))


def _is_sdf_name(name: str) -> bool:
    return "::" not in name and name != "world" and not (name.startswith("__") and name.endswith("__"))


def _points_held_by_joint(kind: Revolute | Spherical | Fixed) -> tuple[np.ndarray, ...]:
    """Points in a joint's frame that stay together on both sides, and make the joint if they do."""
    match kind:
        case Revolute(axis):
            return (np.zeros(3), HOLDING_DISTANCE * np.array(axis))
        case Fixed():
            return (np.zeros(3), HOLDING_DISTANCE * np.eye(3)[0], HOLDING_DISTANCE * np.eye(3)[1])
        case Spherical():
            return (np.zeros(3),)


def _effort_bound(drive: Actuator, limits: tuple[float, ...], dof: int) -> float:
    """The bound on an actuator's effort; readers take a joint without one as passive."""
    return drive.effort if drive.effort is not None else limits[dof] if limits else 1e9


def _pose_at_coordinates(kind: JointKind, q: tuple[float, ...]) -> RigidTransform:
    """Pose of a joint's child side in its parent side at coordinates."""
    match kind:
        case Revolute(axis):
            return _turn_about_axis(axis, q[0])
        case Prismatic(axis):
            return RigidTransform.of(q[0] * np.array(axis))
        case Screw(axis, pitch):
            return RigidTransform.of(pitch * q[0] * np.array(axis)) @ _turn_about_axis(axis, q[0])
        case Spherical():
            return RigidTransform.from_quaternion((0.0, 0.0, 0.0), q)
        case Fixed():
            return IDENTITY
    raise TypeError(f"a {type(kind).__name__.lower()} joint is not written as one joint of SDF")


def _turn_about_axis(axis: Vec3, angle: float) -> RigidTransform:
    x, y, z = (math.sin(angle / 2.0) * part for part in axis)
    return RigidTransform.from_quaternion((0.0, 0.0, 0.0), (math.cos(angle / 2.0), x, y, z))


def _loop_gap_distance(kind: Revolute | Spherical | Fixed, gap: RigidTransform) -> float:
    """Distance between the two sides of a loop joint."""
    distance = float(np.abs(gap.r).max())
    match kind:
        case Revolute(axis):
            return max(distance, float(np.abs(gap.R @ np.array(axis) - np.array(axis)).max()))
        case Fixed():
            return max(distance, float(np.abs(gap.R - np.eye(3)).max()))
        case Spherical():
            return distance


def _text_element(tag: str, text: str) -> Element:
    return Element(tag, {}, 0, [], text)


def _pose_element(pose: RigidTransform) -> Element:
    return _text_element("pose", numbers_as_text(*pose.xyz, *rpy_of_pose(pose)))
