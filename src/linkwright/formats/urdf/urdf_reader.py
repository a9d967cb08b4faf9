"""URDF text to a mechanism and the list of what was dropped or assumed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.forces import ForceElement
from linkwright.formats.import_findings import Imported, refuse_file, refuse_one
from linkwright.formats.plausibility import doubts_about_values
from linkwright.formats.urdf import urdf_loops
from linkwright.formats.urdf.corrected_lines import corrected_link, finding_with_corrected_line
from linkwright.formats.urdf.unread_urdf import note_unread_urdf
from linkwright.formats.urdf.urdf_joints import body_of_link, color_of_material, read_urdf_joint
from linkwright.formats.xml import Element, Findings, corrected_tag, parse_xml
from linkwright.joints import Floating
from linkwright.mechanism import Actuator, Body, Coupling, Inertia, Joint, Mechanism
from linkwright.mechanism.names import list_of_names, suggest_name
from linkwright.mechanism.topology import arrange_spanning_tree, is_tree

# --- URDF text to a mechanism and the list of what was dropped or assumed ---------------------------------------------


def from_urdf(text: str, file: str = "text") -> Imported:
    """The mechanism of a URDF tree and the notes of its import; the root link becomes the base.

    >>> imported = from_urdf('<robot name="two"><link name="world"/><link name="arm"/>'
    ...     '<joint name="j" type="continuous">'
    ...     '<parent link="world"/><child link="arm"/><axis xyz="0 0 2"/></joint></robot>')
    >>> imported.mechanism.base, imported.mechanism.joints[0].kind.axis
    ('world', (0.0, 0.0, 1.0))
    """
    root = parse_xml(text, file)
    if root.tag != "robot":
        refuse_one(
            file, "unknown-format", f"the outermost element is <{root.tag}>", "a URDF file has <robot>", root.line
        )
    found = Findings()
    colors = _colors_by_material(root, found)
    bodies = [body_of_link(link, colors, found) for link in root.all("link")]
    written = (element for element in root.children if element.tag in ("joint", "drake:joint"))
    joints = [each for element in written if (each := read_urdf_joint(element, found)) is not None]
    _check_repeated_names(root, found)
    note_unread_urdf(root, found)
    loops = urdf_loops.urdf_loop_joints(root, joints, found)
    if not found.problems:
        _add_implicit_world(bodies, [*joints, *loops], found)
        _links_exist(root, bodies, [*joints, *loops], found)
    if not found.problems:
        joints += _joints_of_further_roots(root, bodies, joints, found)
    parts = FileContent(
        bodies,
        joints,
        loops,
        urdf_loops.urdf_couplings(root, joints, found),
        urdf_loops.drake_point_springs(root, found),
        urdf_loops.actuators_of_transmissions(root, joints, found),
    )
    if found.problems:
        refuse_file(file, found.problems)
    return _assemble_import(root, parts, found, file)


@dataclass(frozen=True)
class FileContent:
    """Content of a file."""

    bodies: list[Body]
    joints: list[Joint]
    loops: list[Joint]
    couplings: list[Coupling]
    forces: list[ForceElement]
    actuators: list[Actuator]


def _colors_by_material(root: Element, found: Findings) -> dict[str, str]:
    named = {m.attributes.get("name", ""): color_of_material(m, "material", found) for m in root.all("material")}
    return {name: value for name, value in named.items() if value}


def _check_repeated_names(root: Element, found: Findings) -> None:
    for tag in ("link", "joint"):
        counts = Counter(element.attributes.get("name", "") for element in root.all(tag))
        for element in root.all(tag):
            name = element.attributes.get("name", "")
            if name and counts.pop(name, 0) > 1:
                text = f"several {tag}s are called '{name}'"
                *_, last = (each for each in root.all(tag) if each.attributes.get("name") == name)
                fix = f"give each its own name, for example {corrected_tag(last, name=f'{name}_2')}"
                found.problem(text, replace(last, children=[]), "name-taken", fix)


def _links_exist(root: Element, bodies: list[Body], joints: list[Joint], found: Findings) -> None:
    names = [each.name for each in bodies]
    if not names:
        found.problem("the robot has no <link>", root, "no-bodies", "add at least two, joined by a joint")
        return
    lines = {element.attributes.get("name", ""): element for element in root.children if element.tag != "link"}
    for each in joints:
        element = lines.get(each.name, root)
        for end, name in (("parent", each.parent), ("child", each.child)):
            if name not in names:
                text = f"joint '{each.name}' has the unknown {end} link '{name}'{suggest_name(name, names)}"
                at = element.first(end) or element
                found.problem(
                    text,
                    replace(at, attributes={**at.attributes, "name": each.name}),
                    "unknown-name",
                    corrected_link(at, name, names),
                )


def _add_implicit_world(bodies: list[Body], joints: list[Joint], found: Findings) -> None:
    """A parent 'world' that no <link> names is the ground, as in Drake and Bullet."""
    if bodies and "world" not in [body.name for body in bodies] and any(joint.parent == "world" for joint in joints):
        found.note("there is no <link> 'world' and joints name it as parent; it is the ground", subject="world")
        bodies.append(Body("world"))


def _joints_of_further_roots(root: Element, bodies: list[Body], joints: list[Joint], found: Findings) -> list[Joint]:
    """Joints in which the roots of further trees float; the ground is the link 'world', or is added."""
    children = {each.child for each in joints}
    tops = [body.name for body in bodies if body.name not in children]
    if not tops:
        text = "a URDF tree has one root link, but every link is some joint's child"
        found.problem(text, root, "no-base", "break the circle")
        return []
    if len(tops) == 1:
        return []
    ground = "world" if "world" in tops or "world" not in children else "ground"
    floating = [name for name in tops if name != ground]
    if ground not in tops:
        bodies.append(Body(ground))
    named = list_of_names("the link", "the links", floating, 8)
    are = "is" if len(floating) == 1 else "are"
    text = f"{named} {are} no joint's child; URDF has one root, so they float freely here"
    fix = f'join them, for example <joint name="{floating[0]}_fixed" type="fixed"><parent link="..."/>'
    fix += f'<child link="{floating[0]}"/></joint>'
    found.note(text, "warning", "several-roots", floating[0], floating, fix, root.line)
    return [Joint(f"{name}_floating", ground, name, Floating()) for name in floating]


def _assemble_import(root: Element, parts: FileContent, found: Findings, file: str) -> Imported:
    children = {each.child for each in parts.joints}
    base = next(each for each in parts.bodies if each.name not in children)
    if len(parts.bodies) == 1:
        return _assemble_import(root, _float_single_link(parts, found), found, file)
    if base.inertia != Inertia():
        text = f"link '{base.name}' is the base and does not move; its mass acts when it is built with base='floating'"
        found.note(text, code="base-mass", subject=base.name, value=base.inertia.mass)
    found.note("URDF does not specify gravity; (0, 0, -9.81) m/s^2 assumed")
    joints, cut = tuple(parts.joints), tuple[Joint, ...]()
    if not is_tree(joints, base.name):
        drawn = arrange_spanning_tree(joints, base.name)
        joints, cut = drawn.joints, drawn.loops
        text = (
            f"links with several parents: {list_of_names('joint', 'joints', [each.name for each in cut])} cut as loops"
        )
        found.note(text, code="cut-loops", value=len(cut))
    try:
        mech = Mechanism(
            name=root.attributes.get("name", "").strip() or "robot",
            bodies=tuple(each for each in parts.bodies if each is not base),
            joints=joints,
            loops=(*cut, *parts.loops),
            couplings=tuple(parts.couplings),
            forces=tuple(parts.forces),
            actuators=tuple(parts.actuators),
            base=base.name,
            base_shapes=base.shapes,
            base_inertia=base.inertia,
            source=f"URDF '{root.attributes.get('name', '')}'",
        )
    except MechanismError as error:
        refuse_file(file, [finding_with_corrected_line(finding, root) for finding in error.findings])
    doubts = (finding_with_corrected_line(finding, root) for finding in doubts_about_values(mech))
    return Imported(mech, (*found.notes, *doubts))


def _float_single_link(parts: FileContent, found: Findings) -> FileContent:
    """A robot of one link moves freely in a world."""
    (body,) = parts.bodies
    world = "world" if body.name != "world" else "ground"
    found.note(f"link '{body.name}' is the only one and floats freely", code="floating-link", subject=body.name)
    joint = Joint(f"{body.name}_floating", world, body.name, Floating())
    return replace(parts, bodies=[Body(world), body], joints=[joint])
