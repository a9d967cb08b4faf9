"""A mechanism as URDF: URDF+ with its loops inside, or plain URDF with a sidecar that lists them (Extended URDF)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.forces import Spring
from linkwright.formats.written_files import (
    Losses,
    Written,
    lost_bounds,
    numbers_as_text,
    on_joints,
    report_common_losses,
    report_cut_joint_losses,
    rpy_of_pose,
    simple_joints,
    with_armature_at_rotors,
    with_mesh_name,
    writable_point_springs,
)
from linkwright.formats.xml import Element, rgba_of_color, xml_text
from linkwright.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.mechanism import (
    Actuator,
    Body,
    Box,
    Coupling,
    Cylinder,
    Inertia,
    Joint,
    Limits,
    Mechanism,
    Mesh,
    Shape,
    Sphere,
)
from linkwright.mechanism.topology import turned_round

DIALECTS = ("plus", "extended")
_UNBOUNDED = 1e9  # bound of a joint that has none, where URDF wants one
_GRAVITY = (0.0, 0.0, -9.81)
_TYPES = {Revolute: "revolute", Prismatic: "prismatic", Fixed: "fixed", Floating: "floating", Planar: "planar"}
_TYPES |= {Spherical: "spherical", Universal: "universal", Cylindrical: "cylindrical", Screw: "screw"}


def to_urdf(mech: Mechanism, dialect: str = "plus", folder: Path | None = None) -> Written:
    """The mechanism as URDF, with what URDF cannot express.

    Args:
        mech: the mechanism; joints of several coordinates become chains of simple ones with links without mass.
        dialect: "plus" writes loops as <loop> elements (URDF+); "extended" writes a sidecar that names pairs of frames
            which stay together, with a chain of joints up to each.
        folder: of the file, from which meshes are named.

    >>> from linkwright import catalog
    >>> text = to_urdf(catalog.load("four-bar")).text
    >>> text.count("</joint>"), text.count("<loop ")
    (3, 1)
    """
    if dialect not in DIALECTS:
        raise ArgumentError(f"the dialect of URDF is {dialect!r}, expected one of {', '.join(DIALECTS)}")
    losses = Losses()
    work = _Writer(with_armature_at_rotors(on_joints(mech, losses), losses), losses, folder)
    return work.write_document(dialect)


@dataclass
class _Writer:
    mech: Mechanism
    losses: Losses
    folder: Path | None

    def __post_init__(self) -> None:
        self.links: list[Element] = []
        self.joints: list[Element] = []
        self.names: dict[tuple[str, int], str] = {}  # (joint, velocity): the written joint that has it
        self.mimics: dict[str, tuple[str, float, float]] = {}
        self.spherical: list[str] = []

    def write_document(self, dialect: str) -> Written:
        mech = self.mech
        base = Body(mech.base, mech.base_inertia, mech.base_shapes)
        self.links += [_link_element(body, self.folder, self.losses) for body in (base, *mech.bodies)]
        for joint in mech.joints:
            self.tree_joint(joint)
        pairs = list(self.pairs()) if dialect == "extended" else []
        loops = [] if dialect == "extended" else list(self.loops())
        rods = [self.rod(joint) for joint in mech.loops if isinstance(joint.kind, Distance)]
        self.couplings()
        self.frames()
        drives = [drive for actuator in mech.actuators if (drive := self.drive(actuator)) is not None]
        self.rest(dialect)
        for element in self.joints:
            if element.attributes["name"] in self.mimics:
                other, ratio, offset = self.mimics[element.attributes["name"]]
                values = {"joint": other, "multiplier": numbers_as_text(ratio), "offset": numbers_as_text(offset)}
                element.children.append(Element("mimic", values, 0))
        parts = [*self.links, *self.joints, *loops, *rods, *self.springs(), *drives]
        root = Element("robot", {"name": mech.name, "xmlns:drake": "http://drake.mit.edu"}, 0, parts)
        text = f'<?xml version="1.0"?>\n{xml_text(root)}\n'
        beside = {".yaml": self.sidecar(pairs)} if dialect == "extended" else {}
        return Written(text, beside, tuple(self.losses.found))

    # --- joints

    def tree_joint(self, joint: Joint) -> None:
        """A joint of the tree, as a chain of joints that URDF has."""
        parent, at = joint.parent, joint.at
        whole = type(joint.kind) in (Fixed, Floating, Planar, Spherical)
        steps = [(joint.kind, tuple(range(joint.kind.nv)))] if whole else [*simple_joints(joint.kind)]
        for i, (kind, dofs) in enumerate(steps):
            last = i == len(steps) - 1
            name = joint.name if len(steps) == 1 else f"{joint.name}_{i + 1}"
            child = joint.child if last else f"{name}_link"
            if not last:
                self.links.append(Element("link", {"name": child}, 0))
            part = replace(_joint_of_velocities(joint, dofs), name=name, parent=parent, child=child, kind=kind, at=at)
            self.joints.append(self.joint(part))
            self.names |= {(joint.name, dof): name for dof in dofs}
            parent, at = child, IDENTITY
        if isinstance(joint.kind, Screw):
            self.mimics[f"{joint.name}_2"] = (f"{joint.name}_1", joint.kind.pitch, 0.0)
        if len(steps) > 1:
            text = f"joint '{joint.name}' is written as {len(steps)} joints with links without mass between"
            self.losses.add("rewritten", text, joint.name)

    def joint(self, joint: Joint) -> Element:
        kind, limits = joint.kind, joint.limits
        bounded = bool(limits.lower) or isinstance(kind, Prismatic)
        tag = "continuous" if isinstance(kind, Revolute) and not bounded else _TYPES[type(kind)]
        inside = [
            _origin_element(joint.at),
            _element_of_attributes("parent", link=joint.parent),
            _element_of_attributes("child", link=joint.child),
        ]
        inside += [_element_of_attributes("axis", xyz=numbers_as_text(*axis)) for axis in kind.axes]
        if isinstance(kind, Revolute | Prismatic) and (bounded or limits.effort or limits.speed):
            inside.append(_limit_element(limits, bounded))
            if not limits.effort or not limits.speed or (bounded and not limits.lower):
                text = f"joint '{joint.name}' is written with bounds of {_UNBOUNDED:g} where it has none"
                self.losses.add("rewritten", text, joint.name)
        inside += self.resisting(joint)
        if isinstance(kind, Spherical):
            self.spherical.append(joint.name)
        return Element("joint", {"name": joint.name, "type": tag}, 0, inside)

    def resisting(self, joint: Joint) -> Iterator[Element]:
        """Damping and dry friction; other forces at a joint are lost."""
        friction, single = joint.friction, isinstance(joint.kind, Revolute | Prismatic)
        if friction is not None and single:
            values = {"damping": friction.viscous, "friction": friction.coulomb}
            yield Element("dynamics", {key: numbers_as_text(*value) for key, value in values.items() if value}, 0)
        elif friction is not None:
            self.losses.add("lost-friction", f"friction of joint '{joint.name}' is lost", joint.name)
        if joint.spring is not None:
            text = f"the spring of joint '{joint.name}' is lost"
            self.losses.add("lost-spring", text, joint.name, joint.spring.stiffness)
        if any(joint.armature):
            self.losses.add(
                "lost-armature", f"the armature of joint '{joint.name}' is lost", joint.name, joint.armature
            )
        if not single and joint.limits != Limits():
            self.losses.add("lost-limit", f"the limits of joint '{joint.name}' are lost", joint.name)

    # --- loops

    def loops(self) -> Iterator[Element]:
        for joint in (joint for joint in self.mech.loops if not isinstance(joint.kind, Distance)):
            if type(joint.kind) not in _TYPES:
                text = f"the loop joint '{joint.name}' is {type(joint.kind).__name__.lower()}; URDF has no such joint"
                self.losses.add("lost-loop", text, joint.name, fix="cut the loop at a revolute or spherical joint")
                continue
            inside = [
                Element("predecessor", {"link": joint.parent}, 0, [_origin_element(joint.at)]),
                Element("successor", {"link": joint.child}, 0, [_origin_element(joint.child_at)]),
                *(_element_of_attributes("axis", xyz=numbers_as_text(*axis)) for axis in joint.kind.axes),
            ]
            if isinstance(joint.kind, Screw):
                turn = numbers_as_text(2.0 * 3.141592653589793 * joint.kind.pitch)
                inside.append(_element_of_attributes("drake:screw_thread_pitch", value=turn))
            report_cut_joint_losses(joint, self.losses)
            yield Element("loop", {"name": joint.name, "type": _TYPES[type(joint.kind)]}, 0, inside)

    def pairs(self) -> Iterator[tuple[str, str, str]]:
        """Two links for each loop whose frames stay together, after a chain of joints on the child's side."""
        for joint in (joint for joint in self.mech.loops if not isinstance(joint.kind, Distance)):
            near = f"{joint.name}_A"
            self.fixed_link(near, joint.parent, joint.at)
            if isinstance(joint.kind, Fixed | Spherical):
                far = f"{joint.name}_B"
                self.fixed_link(far, joint.child, joint.child_at)
                report_cut_joint_losses(joint, self.losses)
                yield near, far, "3d" if isinstance(joint.kind, Spherical) else "6d"
                continue
            around = turned_round(joint)
            far = f"{joint.name}_B"
            self.links.append(Element("link", {"name": far}, 0))
            self.tree_joint(replace(around, child=far, child_at=IDENTITY, reversed=False))
            yield near, far, "6d"

    def fixed_link(self, name: str, parent: str, at: RigidTransform) -> None:
        self.links.append(Element("link", {"name": name}, 0))
        self.joints.append(self.joint(Joint(f"{name}_joint", parent, name, Fixed(), at)))

    def sidecar(self, pairs: list[tuple[str, str, str]]) -> str:
        """The YAML file of Extended URDF."""
        driven = [name for a in self.mech.actuators if (name := self.names.get((a.joint, a.dof))) is not None]
        lines = {
            "closed_loop": [[near, far] for near, far, _ in pairs],
            "type": [kind for _, _, kind in pairs],
            "name_mot": driven,
        }
        if self.spherical:
            lines |= {"joint_name": self.spherical, "joint_type": ["SPHERICAL"] * len(self.spherical)}
            for element in self.joints:
                if element.attributes["name"] in self.spherical:
                    element.attributes["type"] = "continuous"
        return "".join(f"{key}: {_yaml_flow_list(value)}\n" for key, value in lines.items())

    def rod(self, joint: Joint) -> Element:
        assert isinstance(joint.kind, Distance)
        tag = "drake:distance_constraint"
        more = [_element_of_attributes(f"{tag}_distance", value=numbers_as_text(joint.kind.length))]
        return _drake_element(tag, joint.parent, joint.child, joint.at.xyz, joint.child_at.xyz, more)

    # --- the rest

    def couplings(self) -> None:
        for coupling in self.mech.couplings:
            if len(coupling.terms) != 2 or coupling.curves or not self.follows(coupling):
                curved = "curved " if coupling.curves else ""
                text = f"{curved}coupling '{coupling.name}' of {len(coupling.terms)} joints is lost"
                self.losses.add("lost-coupling", text, coupling.name, fix="URDF lets one joint follow one other")

    def follows(self, coupling: Coupling) -> bool:
        """Let one of two joints follow the other, if it follows none yet."""
        driven = {actuator.joint for actuator in self.mech.actuators}
        ways = (coupling.terms, coupling.terms[::-1])
        for (a, x), (b, y) in sorted(ways, key=lambda way: way[0][0] in driven):
            follower, leader = self.names[a, 0], self.names[b, 0]
            if follower not in self.mimics:
                self.mimics[follower] = (leader, -y / x, coupling.offset / x)
                return True
        return False

    def frames(self) -> None:
        taken = {link.attributes["name"] for link in self.links}
        for frame in self.mech.frames:
            if frame.name in taken or f"{frame.name}_joint" in {joint.attributes["name"] for joint in self.joints}:
                self.losses.add("lost-frame", f"frame '{frame.name}' has the name of a link and is lost", frame.name)
                continue
            self.fixed_link(frame.name, frame.body, frame.pose)
            self.losses.add("rewritten", f"frame '{frame.name}' is written as a link without mass", frame.name)

    def drive(self, actuator: Actuator) -> Element | None:
        name = self.names.get((actuator.joint, actuator.dof))
        if name is None or actuator.friction is not None:
            what = f"actuator '{actuator.name}'" if name is None else f"the friction of actuator '{actuator.name}'"
            self.losses.add("lost-actuator" if name is None else "lost-friction", f"{what} is lost", actuator.name)
        if name is None:
            return None
        limits = next(joint.limits for joint in self.mech.joints if joint.name == actuator.joint)
        effort, speed = (x[actuator.dof] if x else None for x in (limits.effort, limits.speed))
        lost_bounds(actuator, limits, (effort, speed), self.losses)
        inside = []
        if actuator.rotor_inertia:
            inside.append(_element_of_attributes("drake:rotor_inertia", value=numbers_as_text(actuator.rotor_inertia)))
            inside.append(_element_of_attributes("drake:gear_ratio", value=numbers_as_text(actuator.gear)))
        elif actuator.gear != 1.0:
            inside.append(Element("mechanicalReduction", {}, 0, [], numbers_as_text(actuator.gear)))
        parts = [
            Element("type", {}, 0, [], "transmission_interface/SimpleTransmission"),
            _element_of_attributes("joint", name=name),
            Element("actuator", {"name": actuator.name}, 0, inside),
        ]
        return Element("transmission", {"name": f"{actuator.name}_transmission"}, 0, parts)

    def springs(self) -> Iterator[Element]:
        tag = "drake:linear_spring_damper"
        for _, ((parent, at), (child, child_at)), spring in writable_point_springs(self.mech, self.losses):
            more = [
                _element_of_attributes(f"{tag}_free_length", value=numbers_as_text(spring.length)),
                _element_of_attributes(f"{tag}_stiffness", value=numbers_as_text(spring.stiffness)),
                _element_of_attributes(f"{tag}_damping", value=numbers_as_text(spring.damping)),
            ]
            yield _drake_element(tag, parent, child, at, child_at, more)

    def rest(self, dialect: str) -> None:
        mech, losses = self.mech, self.losses
        if mech.gravity != _GRAVITY:
            losses.add("lost-gravity", f"gravity {mech.gravity} is lost; readers of URDF assume {_GRAVITY}", mech.name)
        for body in mech.bodies:
            if body.gravity_compensation:
                losses.add("lost-gravity", f"the gravity compensation of body '{body.name}' is lost", body.name)
        if any(isinstance(joint.kind, Spherical) for joint in mech.joints) and dialect == "plus":
            losses.add("rewritten", "spherical joints have the type 'spherical', which not every reader knows")
        if mech.home:
            losses.add("lost-home", "the home position is lost")
        report_common_losses(mech, losses, base=True)


def _joint_of_velocities(joint: Joint, dofs: tuple[int, ...]) -> Joint:
    """A joint with the limits, springs and friction of some of its velocities."""
    if len(dofs) == joint.kind.nv:
        return joint

    def of(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(values[dof] for dof in dofs) if values else ()

    limits, spring, friction = joint.limits, joint.spring, joint.friction
    return replace(
        joint,
        limits=Limits(of(limits.lower), of(limits.upper), of(limits.speed), of(limits.effort)),
        spring=None if spring is None or not dofs else Spring(of(spring.stiffness), of(spring.rest)),
        friction=None
        if friction is None or not dofs
        else replace(friction, viscous=of(friction.viscous), coulomb=of(friction.coulomb)),
        armature=of(joint.armature),
    )


def _element_of_attributes(tag: str, **attributes: str) -> Element:
    return Element(tag, attributes, 0)


def _origin_element(pose: RigidTransform) -> Element:
    return _element_of_attributes("origin", xyz=numbers_as_text(*pose.xyz), rpy=numbers_as_text(*rpy_of_pose(pose)))


def _limit_element(limits: Limits, bounded: bool) -> Element:
    """<limit>; a prismatic joint must have one, so that one without bounds gets very wide ones."""
    values = {"lower": limits.lower or (-_UNBOUNDED,), "upper": limits.upper or (_UNBOUNDED,)} if bounded else {}
    values |= {"effort": limits.effort or (_UNBOUNDED,), "velocity": limits.speed or (_UNBOUNDED,)}
    return Element("limit", {key: numbers_as_text(*value) for key, value in values.items()}, 0)


def _link_element(body: Body, folder: Path | None, losses: Losses) -> Element:
    inside = []
    if body.inertia != Inertia():
        inertia = body.inertia
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
        moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        parts = [
            _element_of_attributes("origin", xyz=numbers_as_text(*inertia.com), rpy="0 0 0"),
            _element_of_attributes("mass", value=numbers_as_text(inertia.mass)),
            Element("inertia", {key: numbers_as_text(value) for key, value in moments.items()}, 0),
        ]
        inside.append(Element("inertial", {}, 0, parts))
    shapes = (with_mesh_name(shape, folder, losses) for shape in body.shapes)
    inside += [visual for shape in shapes if (visual := _visual_element(shape, body.name, losses)) is not None]
    return Element("link", {"name": body.name}, 0, inside)


def _visual_element(shape: Shape, name: str, losses: Losses) -> Element | None:
    match shape.solid:
        case Box(size):
            solid = _element_of_attributes("box", size=numbers_as_text(*size))
        case Cylinder(radius, length):
            solid = _element_of_attributes("cylinder", radius=numbers_as_text(radius), length=numbers_as_text(length))
        case Sphere(radius):
            solid = _element_of_attributes("sphere", radius=numbers_as_text(radius))
        case Mesh(file, scale):
            solid = _element_of_attributes("mesh", filename=file, scale=numbers_as_text(*scale))
        case other:
            kind = type(other).__name__.lower()
            losses.add("lost-shape", f"a {kind} of body '{name}' is not drawn in URDF", name)
            return None
    inside = [_origin_element(shape.pose), Element("geometry", {}, 0, [solid])]
    if shape.color is not None:
        written = numbers_as_text(*rgba_of_color(shape.color))
        inside.append(Element("material", {"name": shape.color}, 0, [_element_of_attributes("color", rgba=written)]))
    return Element("visual", {}, 0, inside)


def _drake_element(tag: str, near: str, far: str, at: Vec3, child_at: Vec3, more: list[Element]) -> Element:
    ends = [
        _element_of_attributes(f"{tag}_body_A", name=near),
        _element_of_attributes(f"{tag}_body_B", name=far),
        _element_of_attributes(f"{tag}_p_AP", value=numbers_as_text(*at)),
        _element_of_attributes(f"{tag}_p_BQ", value=numbers_as_text(*child_at)),
    ]
    return Element(tag, {}, 0, [*ends, *more])


def _yaml_flow_list(value: Any) -> str:
    """A list as YAML with every text in quotes."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_yaml_flow_list, value)) + "]"
    return "'" + str(value).replace("'", "''") + "'"
