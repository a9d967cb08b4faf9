"""Parts of a URDF file that are not read: every tag and attribute is read, known to be harmless, or noted.

A tag that speaks of a loop, a constraint or a joint is an error, because the mechanism is another one without it; what
nobody knows is a warning; drawings, contacts, sensors and controllers are remarks.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator

from linkwright.findings import Severity
from linkwright.formats.sdf.scenes import text_of_child
from linkwright.formats.urdf.gazebo_loops import gazebo_joint_elements, mimic_plugins
from linkwright.formats.xml import Element, Findings, corrected_tag

_CLOSES = re.compile(r"loop|constraint|closure|closed|weld|coupling|mimic|xacro:")
_FORCES = re.compile(r"spring|stiffness|damp|bushing|tendon|inertia|armature|gear|pitch|compliance")
_HARMLESS = {
    "material",
    "sensor",
    "ros2_control",
    "group",
    "group_state",
    "end_effector",
    "virtual_joint",
    "disable_collisions",
    "mujoco",
    "origin",
    "author",
    "version",
    "description",
    "contact",
    "self_collision_checking",
    "verbose",
    "self_collide",
    "velocity_limit",
    "calibration",
    "safety_controller",
    "joint_properties",
    "hardwareInterface",
    "drake:collision_filter_group",
    "drake:proximity_properties",
    "drake:accepting_renderer",
    "drake:illustration_properties",
    "drake:perception_properties",
    "drake:diffuse_map",
    "drake:controller_gains",
    "drake:visual",
    "drake:ignore_collision_filter_groups",
    "drake:acceleration",
    "drake:member",
}
# Children that are read, and attributes that are read or harmless, by tag; what is drawn or touches has no entry.
_CHILDREN = {
    "robot": "link joint drake:joint material loop loop_joint constraint coupling transmission gazebo "
    "drake:ball_constraint drake:distance_constraint drake:linear_spring_damper",
    "link": "inertial visual collision",
    "inertial": "origin mass inertia",
    "joint": "origin parent child axis limit dynamics mimic drake:mimic",
    "drake:joint": "origin parent child axis limit dynamics drake:mimic drake:screw_thread_pitch",
    "loop": "predecessor successor axis axis1 axis2",
    "loop_joint": "link1 link2 axis",
    "constraint": "parent child axis parent_origin child_origin parent_axis child_axis",
    "coupling": "predecessor successor ratio",
    "predecessor": "origin",
    "successor": "origin",
    "transmission": "type joint actuator leftActuator rightActuator mechanicalReduction",
    "transmission joint": "mechanicalReduction",
    "transmission actuator": "mechanicalReduction drake:rotor_inertia drake:gear_ratio",
}
_ATTRIBUTES = {
    "robot": "name version",
    "link": "name type",
    "inertial": "",
    "mass": "value",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "origin": "xyz rpy quat_xyzw",
    "joint": "name type independent",
    "drake:joint": "name type",
    "parent": "link",
    "child": "link",
    "axis": "xyz",
    "limit": "lower upper effort velocity acceleration deceleration jerk drake:acceleration",
    "dynamics": "damping friction",
    "mimic": "joint multiplier offset",
    "loop": "name type",
    "loop_joint": "name type",
    "constraint": "name type",
    "parent_origin": "xyz rpy",
    "child_origin": "xyz rpy",
    "parent_axis": "xyz",
    "child_axis": "xyz",
    "link1": "link xyz rpy",
    "link2": "link xyz rpy",
    "coupling": "name type",
    "predecessor": "link",
    "successor": "link",
    "ratio": "value",
    "transmission": "name type",
    "transmission joint": "name",
    "transmission actuator": "name",
    "transmission leftActuator": "name mechanicalReduction",
    "transmission rightActuator": "name mechanicalReduction",
    "transmission type": "name",
    "transmission mechanicalReduction": "",
}
_LOSSES = {"acceleration", "deceleration", "jerk", "drake:acceleration"}  # of <limit>; no equation uses them


def note_unread_urdf(root: Element, found: Findings) -> None:
    """Note everything in a robot that is not read."""
    counted: dict[tuple[str, str], list[int]] = {}
    strange: dict[tuple[str, str], list[tuple[str, str, Element]]] = {}
    kinds: dict[str, str] = {}
    for owner, kind, element in _walk_read_elements(root, "", "robot"):
        for name in _unknown_attributes(element, kind, owner, found):
            strange.setdefault((element.tag, name), []).append((owner, kind, element))
        _note_repeated_elements(element, owner, found)
        for child in _unknown_children(element, kind):
            counted.setdefault((owner, child.tag), []).append(child.line)
            kinds[child.tag] = kind
    for (owner, tag), lines in counted.items():
        _note_dropped_tag(owner, tag, lines, _meant_name(tag, _CHILDREN.get(kinds[tag], "").split()), found)
    for (tag, name), uses in strange.items():
        (owner, kind, element), times = uses[0], f", {len(uses)} times" if len(uses) > 1 else ""
        value = element.attributes[name][:40]
        text = f"{_owner_prefix(owner)}{name}='{value}' in <{tag}> dropped{times}"
        meant = _meant_name(name, [each for each in _ATTRIBUTES[kind].split() if each not in element.attributes])
        fix = "it is not known" if meant is None else f"it is not known; write {_with_name(element, name, meant)}"
        found.note(text, "warning", "unknown-attribute", owner or tag, value, fix, element.line)
    read = [*gazebo_joint_elements(root), *mimic_plugins(root)]
    for gazebo in root.all("gazebo"):
        _note_gazebo_block(gazebo, read, root, found)
    _note_gazebo_and_collisions(root, found)


def _meant_name(written: str, known: list[str]) -> str | None:
    """The known name that a misspelled one is close to."""
    return next(iter(difflib.get_close_matches(written.lower(), known, n=1, cutoff=0.7)), None)


def _with_name(element: Element, old: str, new: str) -> str:
    """The start tag of an element with another name of one attribute."""
    named = {new if name == old else name: value for name, value in element.attributes.items()}
    return corrected_tag(Element(element.tag, named, 0))


def _walk_read_elements(element: Element, owner: str, kind: str) -> Iterator[tuple[str, str, Element]]:
    """The elements whose content is read, each with the link, joint or loop it belongs to, and its kind.

    The kind is the tag; parts of a transmission have kinds of their own.
    """
    yield owner, kind, element
    for child in element.children:
        inner = f"transmission {child.tag}" if kind.startswith("transmission") else child.tag
        if child.tag in _CHILDREN.get(kind, "").split() and inner in (*_CHILDREN, *_ATTRIBUTES):
            named = kind == "robot" and child.tag != "material"
            below = f"{child.tag} '{child.attributes.get('name', '')}'" if named else owner
            yield from _walk_read_elements(child, below, inner)


def _unknown_children(element: Element, kind: str) -> Iterator[Element]:
    known = _CHILDREN.get(kind, "").split()
    return (child for child in element.children if child.tag not in known)


def _unknown_attributes(element: Element, kind: str, owner: str, found: Findings) -> Iterator[str]:
    """Names of attributes that are not known; limits that are known and not used are noted."""
    known = _ATTRIBUTES.get(kind)
    if known is None:
        return
    for name, value in element.attributes.items():
        if name not in known.split() and not name.startswith("xmlns"):
            yield name
        elif name in _LOSSES:
            text = f"{_owner_prefix(owner)}{name} limit dropped"
            found.note(text, code="dropped-limit", subject=owner, value=value)


def _note_repeated_elements(element: Element, owner: str, found: Findings) -> None:
    """A second <origin>, <limit> and the like, of which only the first is read."""
    counts = Counter(child.tag for child in element.children)
    single = ("origin", "inertial", "mass", "inertia", "axis", "limit", "dynamics", "mimic", "parent", "child", "ratio")
    for tag in single:
        if element.tag in _CHILDREN and tag in _CHILDREN[element.tag].split() and counts[tag] > 1:
            text = f"{_owner_prefix(owner)}<{tag}> occurs {counts[tag]} times and only the first is read"
            found.note(text, "warning", "repeated-tag", owner or tag, counts[tag], line=element.line)


def _note_dropped_tag(owner: str, tag: str, lines: list[int], meant: str | None, found: Findings) -> None:
    (severity, code), count = _severity_of_urdf_tag(tag), len(lines)
    times = f"{count} times " if count > 1 else ""
    fixes = {
        "error": "without it the mechanism is another one, write it as a <loop>, <coupling> or <mimic>",
        "warning": "it is not known" + (", write it as a <loop> if it closes a loop" if code == "unknown-tag" else ""),
        "remark": "",
    }
    text = f"{_owner_prefix(owner)}<{tag}> {times}dropped"
    if meant is not None and severity != "remark":
        fixes[severity] = f"it is not known; write <{meant}> if that is meant"
    found.note(text, severity, code, owner or tag, count, fixes[severity], lines[0] if severity != "remark" else 0)


def _severity_of_urdf_tag(tag: str) -> tuple[Severity, str]:
    plain = tag.lower()
    if tag in _HARMLESS:
        return "remark", "dropped-tag"
    if plain.startswith("xacro:"):
        return "error", "xacro"
    if _CLOSES.search(plain) or plain in ("joint", "drake:joint"):
        return "error", "dropped-loop"
    return "warning", "dropped-force" if _FORCES.search(plain) else "unknown-tag"


def _note_gazebo_block(gazebo: Element, read: list[Element], root: Element, found: Findings) -> None:
    """Blocks for Gazebo hold loops as SDF joints, springs, and links without gravity, among much that is drawn."""
    about = gazebo.attributes.get("reference", "")
    owner = f"<gazebo> of '{about}'" if about else "<gazebo>"
    for part in _elements_at_any_depth(gazebo, ("joint", "link")):
        name = part.attributes.get("name", "")
        if any(part is each for each in read):
            continue
        if _fixes_base(part, root):
            found.note(f"{owner}: joint '{name}' fixes the base to the world; the base is fixed here", subject=name)
            continue
        fix = "write it as a <loop> of the robot" if part.tag == "joint" else "write it as a <link> of the robot"
        found.note(f"{owner}: {part.tag} '{name}' dropped", "error", "dropped-loop", name, fix=fix, line=part.line)
    for child in gazebo.children:
        content = (child.text or child.attributes.get("value", "")).strip()
        if child.tag in ("springStiffness", "springReference", "springTension") and _number_or_nan(content) != 0.0:
            found.note(f"{owner}: <{child.tag}> {content} dropped", "warning", "dropped-spring", about, content)
        if child.tag in ("dampingFactor", "velocity_decay") and _number_or_nan(content) != 0.0:
            found.note(f"{owner}: <{child.tag}> {content} dropped", "warning", "dropped-force", about, content)
        falls = {"gravity": ("false", "0"), "turnGravityOff": ("true", "1")}.get(child.tag, ())
        if content.lower() in falls:
            text = f"{owner}: gravity is switched off in Gazebo and acts here"
            found.note(text, "warning", "dropped-gravity", about, content)
        if any(child is each for each in read):
            continue
        if child.tag == "plugin" and "mimic" in " ".join(child.attributes.values()).lower():
            text = f"{owner}: a plugin couples joints"
            found.note(text, "error", "dropped-coupling", about, fix="write it as <mimic>")


def _fixes_base(part: Element, root: Element) -> bool:
    """Return True for a fixed joint from the world to the root link, which is the base anyway."""
    children = {child.attributes.get("link") for joint in root.all("joint") for child in joint.all("child")}
    links = {link.attributes.get("name", "") for link in root.all("link")}
    far, fixed = text_of_child(part, "child"), part.attributes.get("type") == "fixed"
    return part.tag == "joint" and fixed and text_of_child(part, "parent") == "world" and far in links - children


def _elements_at_any_depth(element: Element, tags: tuple[str, ...]) -> Iterator[Element]:
    """Parts of an SDF model at any depth; a plugin's settings may have their tags and are none."""
    for child in element.children:
        if child.tag in tags and (child.children or child.attributes):
            yield child
        elif child.tag not in ("plugin", "sensor"):
            yield from _elements_at_any_depth(child, tags)


def _number_or_nan(content: str) -> float:
    try:
        return float(content)
    except ValueError:
        return float("nan")


def _note_gazebo_and_collisions(root: Element, found: Findings) -> None:
    blocks = sum(1 for _ in root.all("gazebo"))
    if blocks:
        times = f"{blocks} times " if blocks > 1 else ""
        found.note(f"<gazebo> {times}dropped", code="dropped-tag", subject="gazebo", value=blocks)
    collisions = sum(1 for link in root.all("link") for _ in link.all("collision"))
    if collisions:
        text = f"<collision> {collisions} times dropped; shapes come from <visual>"
        found.note(text, code="dropped-tag", subject="collision", value=collisions)


def _owner_prefix(owner: str) -> str:
    return f"{owner}: " if owner else ""
