"""SDF to a mechanism: joint graphs are cut into trees, free models float, coordinates are zero as drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.findings import Finding
from linkwright.forces import ForceElement, Friction, Spring, Strut
from linkwright.formats.assets import Assets
from linkwright.formats.import_findings import Imported, refuse_file
from linkwright.formats.plausibility import doubts_about_values
from linkwright.formats.sdf.scenes import (
    MODEL,
    WORLD,
    Masses,
    Placed,
    Poses,
    Scene,
    bound_of_child,
    numbers_of_child,
    pose_of,
    read_scene,
    text_of_child,
)
from linkwright.formats.sdf.unread_sdf import note_unread_sdf
from linkwright.formats.xml import Element, Findings, color_text
from linkwright.joints import Distance, Fixed, Floating, JointKind, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism import (
    Actuator,
    Body,
    Box,
    Capsule,
    Coupling,
    Cylinder,
    Ellipsoid,
    Frame,
    Joint,
    Limits,
    Mechanism,
    Mesh,
    Plate,
    Shape,
    Sphere,
)
from linkwright.mechanism.names import list_of_names, suggest_name
from linkwright.mechanism.shapes import Solid
from linkwright.mechanism.topology import arrange_spanning_tree
from linkwright.numerics.tolerances import CLOSED_STATE

_TYPES = ("revolute", "continuous", "prismatic", "screw", "ball", "universal", "revolute2", "fixed", "gearbox")
_GRAVITY = (0.0, 0.0, -9.8)
_UNLIMITED = 1e15


def from_sdf(text: str, file: str = "text", folder: Path | None = None, allowed: tuple[Path, ...] = ()) -> Imported:
    """The mechanism of an SDF file and the notes of its import; all of its models are one mechanism in a world.

    Args:
        text: SDF; axes of files up to version 1.4 are given in the model's frame, later ones in the joint's.
        file: its name, for messages.
        folder: where included models and meshes are looked for; without one there are none.
        allowed: further folders where they may be.
    """
    found = Findings()
    assets = Assets(folder, allowed)
    work = _Reading(read_scene(text, file, assets, found), file, assets, found)
    return work.read_mechanism()


@dataclass
class _Reading:
    scene: Scene
    file: str
    assets: Assets
    found: Findings

    def __post_init__(self) -> None:
        self.pose = Poses(self.scene, self.file)

    def read_mechanism(self) -> Imported:
        scene, found = self.scene, self.found
        bodies = [self.body(name) for name in scene.links]
        joints = [joint for name in scene.joints if (joint := self.joint(name)) is not None]
        joints += self.joints_to_world(joints)
        couplings = [*self.mimics(joints), *self.gearboxes(joints)]
        loops, springs = self.constraints()
        for root in scene.roots:
            note_unread_sdf(root, found)
        if found.problems:
            refuse_file(self.file, found.problems)
        drawn = arrange_spanning_tree(tuple(joints), WORLD)
        if drawn.loops:
            text = f"{list_of_names('joint', 'joints', [joint.name for joint in drawn.loops])} cut as loops"
            found.note(text, code="cut-loops", value=len(drawn.loops))
        frames = (
            Frame(name, self.pose.link(name), self.pose_on_link(name))
            for name in scene.frames
            if not name.endswith(MODEL)
        )
        try:
            mech = Mechanism(
                name=scene.name,
                bodies=tuple(bodies),
                joints=drawn.joints,
                loops=(*drawn.loops, *loops),
                couplings=tuple(couplings),
                forces=tuple(springs),
                frames=tuple(frames),
                actuators=tuple(self.actuators(joints)),
                base=WORLD,
                gravity=self.gravity(),
                home=tuple(_drawn_home(drawn.joints)),
                source=f"SDF '{scene.name}'",
            )
        except MechanismError as error:
            refuse_file(self.file, error.findings)
        return Imported(mech, (*found.notes, *(self.with_line(doubt) for doubt in doubts_about_values(mech))))

    def with_line(self, doubt: Finding) -> Finding:
        """A doubt about a link or joint with its line, in a file that includes no other."""
        parts = {"bodies": self.scene.links, "joints": self.scene.joints}.get(
            str(doubt.path[0] if doubt.path else ""), {}
        )
        placed = parts.get(doubt.subject) if len(self.scene.roots) == 1 else None
        return doubt if placed is None else replace(doubt, path=(), line=placed.element.line)

    def pose_on_link(self, name: str) -> RigidTransform:
        """A frame seen from the link it is fixed to."""
        return self.pose(self.pose.link(name)).inverse @ self.pose(name)

    def gravity(self) -> Vec3:
        if self.scene.gravity is None:
            self.found.note(f"the file has no world; SDF's gravity {_GRAVITY} m/s^2 assumed")
            return _GRAVITY
        holder = Element("", {}, 0, [self.scene.gravity])
        x, y, z = numbers_of_child(holder, "gravity", "gravity", self.found, _GRAVITY)
        return (x, y, z)

    # --- links

    def body(self, name: str) -> Body:
        element, owner = self.scene.links[name].element, f"link '{name}'"
        weightless = text_of_child(element, "gravity", "true") in ("false", "0")
        inertia = Masses(self.assets, self.found, self.solid).of(element, owner)
        return Body(name, inertia, tuple(self.shapes(element, owner)), 1.0 if weightless else 0.0)

    def shapes(self, link: Element, owner: str) -> Iterator[Shape]:
        for visual in link.all("visual"):
            geometry = visual.first("geometry")
            for solid in () if geometry is None else geometry.children:
                drawn = self.solid(solid, owner)
                if drawn is not None:
                    yield Shape(drawn, pose_of(visual, owner, self.found)[0], _diffuse_color(visual, owner, self.found))

    def solid(self, solid: Element, owner: str) -> Solid | None:
        found = self.found
        match solid.tag:
            case "box":
                x, y, z = numbers_of_child(solid, "size", owner, found, (1.0, 1.0, 1.0))
                return Box((x, y, z))
            case "cylinder":
                (radius,), (length,) = (
                    numbers_of_child(solid, tag, owner, found, (1.0,)) for tag in ("radius", "length")
                )
                return Cylinder(radius, length)
            case "sphere":
                return Sphere(numbers_of_child(solid, "radius", owner, found, (1.0,))[0])
            case "ellipsoid":
                x, y, z = numbers_of_child(solid, "radii", owner, found, (1.0, 1.0, 1.0))
                return Ellipsoid((x, y, z))
            case "capsule":
                (radius,), (length,) = (
                    numbers_of_child(solid, tag, owner, found, (1.0,)) for tag in ("radius", "length")
                )
                return Capsule(radius, (0.0, 0.0, -0.5 * length), (0.0, 0.0, 0.5 * length))
            case "heightmap":
                return _rectangle_of_sdf_plane(solid, owner, found)
            case "plane":
                return _rectangle_of_sdf_plane(solid, owner, found)
            case "mesh":
                x, y, z = numbers_of_child(solid, "scale", owner, found, (1.0, 1.0, 1.0))
                return Mesh(text_of_child(solid, "uri"), (x, y, z))
        found.note(f"{owner}: geometry <{solid.tag}> left out of the drawing", code="dropped-mesh", subject=owner)
        return None

    # --- joints

    def joint(self, name: str) -> Joint | None:
        placed, owner = self.scene.joints[name], f"joint '{name}'"
        element, scope = placed.element, placed.attached_to
        ends = [text_of_child(element, tag) for tag in ("parent", "child")]
        if not all(ends):
            self.found.problem(f"{owner} needs <parent> and <child>", element, "missing-key")
            return None
        near, far = (self.pose.link(WORLD if end == WORLD else f"{scope}{end}") for end in ends)
        at = self.pose(name)
        kind = self.kind(element, owner, at, placed)
        if kind is None:
            return None
        if ends[0] != WORLD and f"{scope}{ends[0]}" in self.scene.frames:
            apart = math.dist(self.pose(f"{scope}{ends[0]}").xyz, at.xyz)
            if apart > CLOSED_STATE:
                text = f"{owner} is {apart:.3g} m from its parent frame '{ends[0]}' as drawn, and joins links there"
                self.found.note(text, code="reference", subject=name, value=apart)
        sides = (self.pose(near).inverse @ at, self.pose(far).inverse @ at)
        return self.resisting(Joint(name, near, far, kind, *sides), element, owner)

    def kind(self, element: Element, owner: str, at: RigidTransform, placed: Placed) -> JointKind | None:
        match element.attributes.get("type", ""):
            case "fixed":
                return Fixed()
            case "ball":
                return Spherical()
            case "revolute" | "continuous":
                return Revolute(self.axis(element, "axis", owner, at, placed))
            case "prismatic":
                return Prismatic(self.axis(element, "axis", owner, at, placed))
            case "screw":
                return Screw(self.axis(element, "axis", owner, at, placed), self.pitch(element, owner))
            case "universal" | "revolute2" if element.first("axis") is None and element.first("axis2") is None:
                text = f"{owner} has no <axis> and no <axis2>; taken to turn about x, then about y"
                self.found.note(text, "warning", "default-axis", owner, fix="write both", line=element.line)
                return Universal()
            case "universal" | "revolute2":
                first, second = (self.axis(element, tag, owner, at, placed) for tag in ("axis", "axis2"))
                return Universal(first, second)
            case "gearbox":
                return None
            case other:
                text = f"{owner} has the type '{other}'{suggest_name(other, _TYPES)}"
                self.found.problem(text, element, "unknown-name")
                return None

    def axis(self, element: Element, tag: str, owner: str, at: RigidTransform, placed: Placed) -> Vec3:
        """The unit axis in the joint's frame."""
        axis = element.first(tag)
        x, y, z = numbers_of_child(axis, "xyz", owner, self.found, (0.0, 0.0, 1.0))
        xyz = None if axis is None else axis.first("xyz")
        frame = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        if text_of_child(axis, "use_parent_model_frame") in ("true", "1"):
            frame = MODEL
        if frame:
            inside = f"{placed.attached_to}{placed.model if frame == MODEL else frame}"
            turn = at.R.T @ self.pose(WORLD if frame == WORLD else inside).R
            x, y, z = (float(part) for part in turn @ (x, y, z))
        length = math.hypot(x, y, z)
        if length in (0.0, 1.0):
            return (x, y, z)
        return (x / length, y / length, z / length)

    def pitch(self, element: Element, owner: str) -> float:
        """Advance in a radian: <screw_thread_pitch> is that of a turn, the older <thread_pitch> is -1 over it."""
        (advance,) = numbers_of_child(element, "screw_thread_pitch", owner, self.found, (0.0,))
        (older,) = numbers_of_child(element, "thread_pitch", owner, self.found, (0.0,))
        if not advance and older:
            return -1.0 / older
        return advance / math.tau

    def resisting(self, joint: Joint, element: Element, owner: str) -> Joint:
        """Limits, springs and friction of each axis."""
        axes = [element.first(tag) for tag in ("axis", "axis2")][: joint.kind.nv]
        if isinstance(joint.kind, Fixed | Spherical) or not axes:
            return joint
        rows = [self.of_axis(axis, owner) for axis in axes]
        lower, upper, effort, speed, damping, dry, stiffness, rest = zip(*rows, strict=True)
        bounded = all(abs(x) < _UNLIMITED for x in (*lower, *upper))
        if bounded and element.attributes.get("type") == "continuous":
            text = f"{owner} is continuous, and its lower and upper limit are dropped"
            self.found.note(text, code="dropped-limit", subject=joint.name, fix='write type="revolute" to keep them')
            bounded = False
        if bounded and any(a > b for a, b in zip(lower, upper, strict=True)):
            text = f"{owner} has a lower limit {lower[0]:g} above its upper limit {upper[0]:g}; taken as unlimited"
            fix = "exchange them"
            self.found.note(text, "warning", "crossed-limits", joint.name, (lower, upper), fix, element.line)
            bounded = False
        limits = Limits(
            lower if bounded else (),
            upper if bounded else (),
            speed if all(0.0 < x < _UNLIMITED for x in speed) else (),
            effort if all(0.0 < x < _UNLIMITED for x in effort) else (),
        )
        return replace(
            joint,
            limits=limits,
            spring=Spring(stiffness, rest) if any(stiffness) else None,
            friction=Friction(damping if any(damping) else (), dry if any(dry) else ())
            if any(damping) or any(dry)
            else None,
        )

    def of_axis(self, axis: Element | None, owner: str) -> tuple[float, ...]:
        limit, dynamics = (None if axis is None else axis.first(tag) for tag in ("limit", "dynamics"))
        names = (("lower", -1e16), ("upper", 1e16), ("effort", -1.0), ("velocity", -1.0))
        bounds = [bound_of_child(limit, tag, owner, self.found, default) for tag, default in names]
        forces = ("damping", "friction", "spring_stiffness", "spring_reference")
        return (*bounds, *(numbers_of_child(dynamics, tag, owner, self.found, (0.0,))[0] for tag in forces))

    def joints_to_world(self, joints: list[Joint]) -> list[Joint]:
        """A joint to the world for every part of the graph that has none: fixed if static, else floating."""
        made: list[Joint] = []
        neighbors: dict[str, list[str]] = {}
        for joint in joints:
            neighbors.setdefault(joint.parent, []).append(joint.child)
            neighbors.setdefault(joint.child, []).append(joint.parent)
        held = _reach(WORLD, neighbors, set())
        for link in self.scene.links:
            if link not in held:
                static = any(link.startswith(prefix) for prefix in self.scene.static)
                kind, word = (Fixed(), "fixed") if static else (Floating(), "floating")
                made.append(Joint(f"{link}_{word}", WORLD, link, kind, self.pose(link)))
                held = _reach(link, neighbors, held)
                if not static:
                    text = f"link '{link}' is joined to nothing fixed and floats freely"
                    self.found.note(text, code="floating-link", subject=link)
        return made

    # --- couplings, constraints, actuators

    def mimics(self, joints: list[Joint]) -> Iterator[Coupling]:
        sizes = {joint.name: joint.kind.nv for joint in joints}
        for name, placed in self.scene.joints.items():
            axis = placed.element.first("axis")
            mimic = None if axis is None else axis.first("mimic")
            if mimic is None:
                continue
            other, owner = f"{placed.attached_to}{mimic.attributes.get('joint', '')}", f"joint '{name}'"
            ratio, offset, reference = (
                numbers_of_child(mimic, tag, owner, self.found, (default,))[0]
                for tag, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
            )
            if sizes.get(other) != 1 or sizes.get(name) != 1:
                text = f"{owner} mimics '{other}', which is not a joint with one coordinate; it moves freely"
                self.found.note(text, "error", "dropped-coupling", name, other)
                continue
            yield Coupling(f"{name} mimics {other}", ((name, 1.0), (other, -ratio)), offset - ratio * reference)

    def gearboxes(self, joints: list[Joint]) -> Iterator[Coupling]:
        """The child turns -ratio times as much as the parent, both seen from the reference body."""
        for name, placed in self.scene.joints.items():
            if placed.element.attributes.get("type") != "gearbox":
                continue
            names = [text_of_child(placed.element, tag) for tag in ("parent", "child", "gearbox_reference_body")]
            if not all(names):
                text = f"gearbox '{name}' names no <parent>, <child> or <gearbox_reference_body>, and couples nothing"
                self.found.note(text, "error", "dropped-coupling", name, line=placed.element.line)
                continue
            scope = placed.attached_to
            parent, child, body = (self.pose.link(WORLD if end == WORLD else f"{scope}{end}") for end in names)
            found = [_joint_between_links(joints, body, link) for link in (parent, child)]
            if None in found:
                text = f"gearbox '{name}' has no joints from '{body}' to '{parent}' and to '{child}'"
                self.found.note(text, "error", "dropped-coupling", name)
                continue
            ((near, x), (far, y)) = (each for each in found if each is not None)
            (ratio,) = numbers_of_child(placed.element, "gearbox_ratio", f"joint '{name}'", self.found, (1.0,))
            yield Coupling(name, ((far, y), (near, ratio * x)))

    def constraints(self) -> tuple[list[Joint], list[ForceElement]]:
        """Drake's constraints and springs between two points."""
        loops: list[Joint] = []
        springs: list[ForceElement] = []
        pairs: list[list[str]] = []
        for scope, element in self.scene.constraints:
            tag, found = element.tag, self.found
            names = [text_of_child(element, f"{tag}_body_{side}") for side in "AB"]
            if tag not in ("drake:ball_constraint", "drake:distance_constraint", "drake:linear_spring_damper"):
                found.note(f"<{tag}> dropped", "error", "dropped-loop", tag, fix="write it as a joint")
                continue
            near, far = (self.pose.link(f"{scope}{name}") for name in names)
            (ax, ay, az), (bx, by, bz) = (
                numbers_of_child(element, f"{tag}_{point}", f"<{tag}>", found, (0.0, 0.0, 0.0))
                for point in ("p_AP", "p_BQ")
            )
            size = {
                what: numbers_of_child(element, f"{tag}_{what}", f"<{tag}>", found, (0.0,))[0]
                for what in ("distance", "stiffness", "free_length", "damping")
            }
            earlier = sum([near, far] == pair for pair in pairs)
            pairs.append([near, far])
            name = f"{near}-{far} {earlier + 1}" if earlier else f"{near}-{far}"
            if tag == "drake:linear_spring_damper":
                sizes = (size["stiffness"], size["free_length"], size["damping"])
                springs.append(Strut(name, near, far, (ax, ay, az), (bx, by, bz), *sizes))
                continue
            kind: JointKind = Spherical() if tag == "drake:ball_constraint" else Distance(size["distance"])
            loops.append(Joint(name, near, far, kind, RigidTransform((ax, ay, az)), RigidTransform((bx, by, bz))))
        return loops, springs

    def actuators(self, joints: list[Joint]) -> Iterator[Actuator]:
        """Joints with one velocity and a bound on their effort above zero are driven."""
        made = 0
        for joint in joints:
            if joint.kind.nv != 1 or not joint.limits.effort:
                continue
            element, owner = self.scene.joints[joint.name].element, f"joint '{joint.name}'"
            (inertia,) = numbers_of_child(element, "drake:rotor_inertia", owner, self.found, (0.0,))
            (gear,) = numbers_of_child(element, "drake:gear_ratio", owner, self.found, (1.0,))
            speed = joint.limits.speed[0] if joint.limits.speed else None
            effort = joint.limits.effort[0]
            yield Actuator(joint.name, joint.name, gear=gear, rotor_inertia=inertia, effort=effort, speed=speed)
            made += 1
        if made:
            self.found.note(f"{made} joints with a limited effort read as driven", code="actuators", value=made)


def _joint_between_links(joints: list[Joint], body: str, link: str) -> tuple[str, float] | None:
    """The joint with one coordinate between two links, and the sign of the second's motion seen from the first."""
    for joint in joints:
        if joint.kind.nv == 1 and {joint.parent, joint.child} == {body, link}:
            return joint.name, 1.0 if joint.child == link else -1.0
    return None


def _reach(start: str, neighbors: dict[str, list[str]], reached: set[str]) -> set[str]:
    """The links reached already, and those that a chain of joints, in any direction, joins to another."""
    stack = [start]
    while stack:
        if (link := stack.pop()) not in reached:
            reached.add(link)
            stack += neighbors.get(link, [])
    return reached


def _rectangle_of_sdf_plane(solid: Element, owner: str, found: Findings) -> Plate:
    """A plane of SDF, drawn as large as the file states."""
    normal = np.array(numbers_of_child(solid, "normal", owner, found, (0.0, 0.0, 1.0)))
    if solid.tag == "heightmap":
        width, depth, _ = numbers_of_child(solid, "size", owner, found, (1.0, 1.0, 1.0))
        found.note(f"{owner}: a height map is drawn as a flat plate", code="dropped-mesh", subject=owner)
    else:
        width, depth = numbers_of_child(solid, "size", owner, found, (1.0, 1.0))
    length = float(np.linalg.norm(normal))
    axes = frame_with_z(normal / length if length else np.array([0.0, 0.0, 1.0]))
    corners = [axes @ (0.5 * x * width, 0.5 * y * depth, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Plate(tuple((float(x), float(y), float(z)) for x, y, z in corners), 1e-3 * max(width, depth))


def _diffuse_color(visual: Element, owner: str, found: Findings) -> str | None:
    material = visual.first("material")
    if material is None or material.first("diffuse") is None:
        return None
    text = text_of_child(material, "diffuse").split()
    default = (0.5, 0.5, 0.5, 1.0)[: max(3, min(len(text), 4))]
    return color_text(numbers_of_child(material, "diffuse", owner, found, default))


def _drawn_home(joints: Iterable[Joint]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Homes of joints whose limits leave out the pose in which the model is drawn: there its loops close."""
    for joint in joints:
        x, limits = joint.kind.neutral, joint.limits
        if len(limits.lower) == len(limits.upper) == len(x):
            outside = any(not a <= v <= b for v, a, b in zip(x, limits.lower, limits.upper, strict=True))
            if outside:
                yield joint.name, x
