"""A mechanism as MJCF: loops as equalities between sites, springs between points as tendons, nothing touches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.formats.written_files import (
    HOLDING_DISTANCE,
    Losses,
    Written,
    drawn_poses,
    numbers_as_text,
    on_joints,
    real_principal_moments,
    renamed_base,
    report_common_losses,
    report_cut_joint_losses,
    simple_joints,
    with_mesh_name,
    writable_point_springs,
)
from linkwright.formats.xml import Element, rgba_of_color, xml_text
from linkwright.joints import Distance, Fixed, Floating, Revolute, Screw
from linkwright.mechanism import (
    Actuator,
    Body,
    Box,
    Capsule,
    Coupling,
    Cylinder,
    Ellipsoid,
    Joint,
    Limits,
    Mechanism,
    Mesh,
    Shape,
    Sphere,
)
from linkwright.mechanism.records import NO_INERTIA

_MESHES = (".stl", ".obj", ".msh")  # that MuJoCo reads
_LEAST = 1e-12  # kg, kg m^2; MuJoCo refuses moving bodies without mass


def to_mjcf(mech: Mechanism, folder: Path | None = None) -> Written:
    """The mechanism as MJCF, with what MJCF cannot express. MuJoCo 3.2 and later read it.

    `folder` is that of the file, from which meshes are named.

    >>> from linkwright import catalog
    >>> text = to_mjcf(catalog.load("gough-stewart")).text
    >>> text.count("<connect "), text.count("<motor ")
    (6, 6)
    """
    losses = Losses()
    return _Writer(on_joints(mech, losses), losses, folder).write_document()


class _Writer:
    def __init__(self, mech: Mechanism, losses: Losses, folder: Path | None) -> None:
        self.mech, self.losses, self.folder = mech, losses, folder
        self.meshes: dict[Mesh, str] = {}
        self.bodies = {body.name: body for body in mech.bodies}
        self.home = dict(mech.home)
        self.sites: dict[str, list[Element]] = {name: [] for name in (mech.base, *mech.names)}
        self.equalities: list[Element] = []
        self.tendons: list[Element] = []
        self.names: dict[tuple[str, int], str] = {}  # (joint, velocity): the written joint that has it
        self.key: list[float] = []

    def write_document(self) -> Written:
        mech = self.mech
        for joint in mech.loops:
            self.loop(joint)
        for name, ((parent, at), (child, child_at)), spring in writable_point_springs(mech, self.losses):
            ends = ((parent, RigidTransform(at)), (child, RigidTransform(child_at)))
            springs = {"stiffness": spring.stiffness, "damping": spring.damping, "springlength": spring.length}
            self.line(name, ends, {key: numbers_as_text(value) for key, value in springs.items()})
        for frame in mech.frames:
            self.sites[frame.body].append(_posed_element("site", frame.name, frame.pose))
        world = Element("worldbody", {}, 0, [*self.geoms(mech.base_shapes, mech.base)])
        world.children += [self.body(joint) for joint in mech.joints if joint.parent == mech.base]
        world.children += self.sites[mech.base]
        for coupling in mech.couplings:
            self.coupling(coupling)
        drives = [drive for actuator in mech.actuators if (drive := self.drive(actuator)) is not None]
        parts = [
            Element("compiler", {"angle": "radian", "autolimits": "true", "inertiafromgeom": "false"}, 0),
            Element("option", {"gravity": numbers_as_text(*mech.gravity)}, 0),
            *_section_elements("asset", [_mesh_element(mesh, name) for mesh, name in self.meshes.items()]),
            world,
            *_section_elements("tendon", self.tendons),
            *_section_elements("equality", self.equalities),
            *_section_elements("actuator", drives),
        ]
        if mech.home:
            key = Element("key", {"name": "home", "qpos": numbers_as_text(*self.key)}, 0)
            parts.append(Element("keyframe", {}, 0, [key]))
        report_common_losses(mech, self.losses)
        renamed_base(mech, self.losses)
        text = xml_text(Element("mujoco", {"model": mech.name}, 0, parts))
        return Written(f"{text}\n", losses=tuple(self.losses.found))

    # --- bodies and joints

    def body(self, joint: Joint) -> Element:
        """The body that a joint carries, with everything that hangs on it."""
        body = self.bodies[joint.child]
        element = _posed_element("body", body.name, joint.at)
        if body.gravity_compensation:
            element.attributes["gravcomp"] = numbers_as_text(body.gravity_compensation)
        element.children += self.joints(joint)
        element.children += self.inertial(body, moving=not isinstance(joint.kind, Fixed))
        element.children += [*self.geoms(body.shapes, body.name), *self.sites[body.name]]
        element.children += [self.body(below) for below in self.mech.joints if below.parent == body.name]
        return element

    def joints(self, joint: Joint) -> list[Element]:
        """A joint as MuJoCo's joints of one body, and its home."""
        values = self.home.get(joint.name, joint.kind.neutral)
        match joint.kind:
            case Fixed():
                self.losses.add("rewritten", f"the name of the fixed joint '{joint.name}' is lost", joint.name)
                return []
            case Floating():
                return self.floating(joint, values)
            case kind if kind.turns_about_point:
                self.key += values
                return [self.joint(joint, 0, joint.name, "ball", None)]
            case Screw(_, pitch):
                values = (*values, pitch * values[0])
                self.equalities.append(_joint_equality(joint.name, f"{joint.name}_2", f"{joint.name}_1", 0.0, pitch))
        parts = [part for part, _ in simple_joints(joint.kind)]
        steps = [("hinge" if isinstance(part, Revolute) else "slide", part.axis) for part in parts]
        self.key += values
        if len(steps) > 1:
            self.losses.add("rewritten", f"joint '{joint.name}' is written as {len(steps)} joints", joint.name)
        names = [joint.name if len(steps) == 1 else f"{joint.name}_{i + 1}" for i in range(len(steps))]
        return [self.joint(joint, i, name, kind, axis) for i, (name, (kind, axis)) in enumerate(zip(names, steps))]

    def floating(self, joint: Joint, values: tuple[float, ...]) -> list[Element]:
        if joint.parent != self.mech.base:
            text = f"joint '{joint.name}' floats on body '{joint.parent}'; MuJoCo's free bodies float in the world"
            self.losses.add("lost-joint", text, joint.name)
        pose = joint.at @ RigidTransform.from_quaternion(np.array(values[:3]), values[3:])
        self.key += [*pose.xyz, *(float(x) for x in pose.wxyz)]
        if joint.at != RigidTransform():
            text = f"coordinates of joint '{joint.name}' are counted from the world in MuJoCo"
            self.losses.add("rewritten", text, joint.name)
        return [self.joint(joint, 0, joint.name, "free", None)]

    def joint(self, joint: Joint, dof: int, name: str, kind: str, axis: Any) -> Element:
        attributes = {"name": name, "type": kind} | ({} if axis is None else {"axis": numbers_as_text(*axis)})
        single = axis is not None
        follows = isinstance(joint.kind, Screw) and dof == 1
        if not follows:
            self.names[joint.name, dof] = name
            attributes |= self.passive(joint, dof, single)
        return Element("joint", attributes, 0)

    def passive(self, joint: Joint, dof: int, single: bool) -> dict[str, str]:
        """Forces along a velocity: armature, damping, friction, spring, range."""
        rotors = [a for a in self.mech.actuators if a.joint == joint.name and (a.dof == dof or not single)]
        armature = _single_coefficient(joint.armature, dof, single) + sum(a.gear**2 * a.rotor_inertia for a in rotors)
        found = [] if joint.friction is None else [(joint.friction, dof)]
        found += [(actuator.friction, 0) for actuator in rotors if actuator.friction is not None]
        values = {
            "armature": armature,
            "damping": sum(_single_coefficient(each.viscous, k, single) for each, k in found),
            "frictionloss": sum(_single_coefficient(each.coulomb, k, single) for each, k in found),
        }
        for actuator in rotors:
            if actuator.rotor_inertia or actuator.friction is not None or actuator.gear != 1.0:
                text = (
                    f"rotor inertia, gear and friction of actuator '{actuator.name}' are written as those of its joint"
                )
                self.losses.add("rewritten", text, actuator.name)
        written = {key: numbers_as_text(value) for key, value in values.items() if value}
        if joint.spring is not None and single:
            written["stiffness"] = numbers_as_text(joint.spring.stiffness[dof])
            written["springref"] = numbers_as_text(joint.spring.rest[dof] if joint.spring.rest else 0.0)
        elif joint.spring is not None:
            self.losses.add("lost-spring", f"the spring of joint '{joint.name}' is lost", joint.name)
        if joint.limits.lower and single:
            written["range"] = numbers_as_text(joint.limits.lower[dof], joint.limits.upper[dof])
        if joint.limits.effort and single:
            written["actuatorfrcrange"] = numbers_as_text(-joint.limits.effort[dof], joint.limits.effort[dof])
        several = (joint.armature, *((joint.friction.viscous, joint.friction.coulomb) if joint.friction else ()))
        if not single and any(len({*values}) > 1 for values in several):
            text = f"joint '{joint.name}' has one armature, one damping and one friction in MuJoCo"
            self.losses.add("lost-armature", text, joint.name)
        if joint.limits.speed or joint.limits.cone is not None or (joint.limits != Limits() and not single):
            self.losses.add("lost-limit", f"limits of speed or of a cone of joint '{joint.name}' are lost", joint.name)
        return written

    def inertial(self, body: Body, moving: bool) -> Iterator[Element]:
        inertia = body.inertia
        if inertia == NO_INERTIA and not moving:
            return
        raised, axes, _ = real_principal_moments(body, _LEAST, "MuJoCo", self.losses)
        quaternion = RigidTransform.of((0.0, 0.0, 0.0), axes * np.sign(np.linalg.det(axes))).wxyz
        attributes = {
            "mass": numbers_as_text(max(inertia.mass, _LEAST)),
            "pos": numbers_as_text(*inertia.com),
            "quat": numbers_as_text(*quaternion),
            "diaginertia": numbers_as_text(*raised),
        }
        yield Element("inertial", attributes, 0)

    # --- loops, tendons, couplings

    def loop(self, joint: Joint) -> None:
        ends = ((joint.parent, joint.at), (joint.child, joint.child_at))
        report_cut_joint_losses(joint, self.losses)
        match joint.kind:
            case kind if kind.turns_about_point:
                self.equality("connect", joint.name, ends)
            case Fixed():
                self.equality("weld", joint.name, ends)
            case Revolute(axis):
                away = RigidTransform.of(HOLDING_DISTANCE * np.array(axis))
                self.equality("connect", joint.name, ends)
                self.equality("connect", f"{joint.name}_axis", tuple((body, pose @ away) for body, pose in ends))
                text = f"the loop joint '{joint.name}' is written as two points that stay together"
                self.losses.add("rewritten", text, joint.name)
            case Distance(length):
                poses = drawn_poses(self.mech)
                a, b = ((poses[body] @ pose).r for body, pose in ends)
                self.line(joint.name, ends, {})
                offset = numbers_as_text(length - float(np.linalg.norm(b - a)), 0, 0, 0, 0)
                attributes = {"name": joint.name, "tendon1": joint.name, "polycoef": offset}
                self.equalities.append(Element("tendon", attributes, 0))
            case kind:
                text = f"the loop joint '{joint.name}' is {type(kind).__name__.lower()}; MJCF has no such equality"
                self.losses.add("lost-loop", text, joint.name, fix="cut the loop at a revolute or spherical joint")

    def equality(self, tag: str, name: str, ends: Any) -> None:
        sites = [self.site(f"{name}_{i + 1}", *end) for i, end in enumerate(ends)]
        self.equalities.append(Element(tag, {"name": name, "site1": sites[0], "site2": sites[1]}, 0))

    def site(self, name: str, body: str, pose: RigidTransform) -> str:
        self.sites[body].append(_posed_element("site", name, pose))
        return name

    def line(self, name: str, ends: Any, attributes: dict[str, str]) -> None:
        sites = [self.site(f"{name}_{i + 1}", *end) for i, end in enumerate(ends)]
        inside = [Element("site", {"site": site}, 0) for site in sites]
        self.tendons.append(Element("spatial", {"name": name, **attributes}, 0, inside))

    def coupling(self, coupling: Coupling) -> None:
        terms = [(self.names[joint, 0], ratio) for joint, ratio in coupling.terms]
        powers = _polynomial_of_coupling(coupling)
        if len(terms) == 2 and powers is not None:
            leader, polynomial = powers
            (a, x), (b, y) = terms if leader == 1 else terms[::-1]
            higher = [-factor / x for factor in polynomial]
            self.equalities.append(_joint_equality(coupling.name, a, b, coupling.offset / x, -y / x, *higher))
            return
        if coupling.curves:
            text = f"coupling '{coupling.name}' is curved in more than one joint, or in powers above 4"
            self.losses.add("lost-coupling", text, coupling.name)
            return
        inside = [Element("joint", {"joint": joint, "coef": numbers_as_text(ratio)}, 0) for joint, ratio in terms]
        self.tendons.append(Element("fixed", {"name": coupling.name}, 0, inside))
        offset = numbers_as_text(coupling.offset, 0, 0, 0, 0)
        attributes = {"name": coupling.name, "tendon1": coupling.name, "polycoef": offset}
        self.equalities.append(Element("tendon", attributes, 0))

    # --- the rest

    def geoms(self, shapes: tuple[Shape, ...], name: str) -> Iterator[Element]:
        """Shapes that are drawn, weigh nothing and touch nothing."""
        for shape in shapes:
            written = self.surface(shape) if isinstance(shape.solid, Mesh) else _geom_type_and_size(shape)
            if not written:
                kind = type(shape.solid).__name__.lower()
                self.losses.add("lost-shape", f"a {kind} of body '{name}' is not drawn in MJCF", name)
                continue
            if "fromto" not in written:
                written |= _posed_element("geom", "", shape.pose).attributes
                del written["name"]
            if shape.color is not None:
                written["rgba"] = numbers_as_text(*rgba_of_color(shape.color))
            yield Element("geom", {**written, "mass": "0", "contype": "0", "conaffinity": "0"}, 0)

    def surface(self, shape: Shape) -> dict[str, str]:
        """The geom of a mesh; MuJoCo refuses a model one of whose meshes is not there."""
        assert isinstance(shape.solid, Mesh)
        path = Path(shape.solid.file)
        if path.suffix.lower() not in _MESHES or not path.is_absolute() or not path.is_file():
            return {}
        named = with_mesh_name(shape, self.folder, self.losses).solid
        assert isinstance(named, Mesh)
        return {"type": "mesh", "mesh": self.meshes.setdefault(named, f"mesh{len(self.meshes) + 1}")}

    def drive(self, actuator: Actuator) -> Element | None:
        name = self.names.get((actuator.joint, actuator.dof))
        if name is None:
            self.losses.add("lost-actuator", f"actuator '{actuator.name}' drives no written joint", actuator.name)
            return None
        attributes = {"name": actuator.name, "joint": name}
        if actuator.effort is not None:
            attributes["forcerange"] = numbers_as_text(-actuator.effort, actuator.effort)
        if actuator.speed is not None:
            self.losses.add("lost-limit", f"the speed limit of actuator '{actuator.name}' is lost", actuator.name)
        return Element("motor", attributes, 0)


def _section_elements(tag: str, children: list[Element]) -> list[Element]:
    return [Element(tag, {}, 0, children)] if children else []


def _posed_element(tag: str, name: str, pose: RigidTransform) -> Element:
    attributes = {
        "name": name,
        "pos": numbers_as_text(*pose.xyz),
        "quat": numbers_as_text(*(float(x) for x in pose.wxyz)),
    }
    return Element(tag, attributes, 0)


def _polynomial_of_coupling(coupling: Coupling) -> tuple[int, tuple[float, ...]] | None:
    """Which of two joints leads and the factors of its second to fourth powers; None if MJCF has no such relation."""
    curved = [
        (i, dict(coupling.curves)[name]) for i, (name, _) in enumerate(coupling.terms) if name in dict(coupling.curves)
    ]
    if not curved:
        return 1, ()
    (leader, factors), follower = curved[0], coupling.terms[1 - curved[0][0]] if len(coupling.terms) == 2 else ("", 0.0)
    return (leader, factors) if len(curved) == 1 and len(factors) <= 3 and follower[1] else None


def _joint_equality(name: str, first: str, second: str, offset: float, ratio: float, *higher: float) -> Element:
    polynomial = numbers_as_text(*(offset, ratio, *higher, 0, 0, 0)[:5])
    return Element("joint", {"name": name, "joint1": first, "joint2": second, "polycoef": polynomial}, 0)


def _single_coefficient(values: tuple[float, ...], dof: int, single: bool) -> float:
    """A coefficient along one velocity, or the first of a joint that has one for all."""
    return 0.0 if not values else values[dof if single else 0]


def _mesh_element(mesh: Mesh, name: str) -> Element:
    return Element("mesh", {"name": name, "file": mesh.file, "scale": numbers_as_text(*mesh.scale)}, 0)


def _geom_type_and_size(shape: Shape) -> dict[str, str]:
    """Type and size of a geom of a simple shape; empty for others."""
    match shape.solid:
        case Box(size):
            return {"type": "box", "size": numbers_as_text(*(0.5 * x for x in size))}
        case Cylinder(radius, length):
            return {"type": "cylinder", "size": numbers_as_text(radius, 0.5 * length)}
        case Sphere(radius):
            return {"type": "sphere", "size": numbers_as_text(radius)}
        case Ellipsoid(radii):
            return {"type": "ellipsoid", "size": numbers_as_text(*radii)}
        case Capsule(radius, start, end):
            ends = [(shape.pose.r + shape.pose.R @ np.array(point)).tolist() for point in (start, end)]
            return {"type": "capsule", "size": numbers_as_text(radius), "fromto": numbers_as_text(*ends[0], *ends[1])}
    return {}
