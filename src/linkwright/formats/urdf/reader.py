"""URDF text to a mechanism and the list of what was dropped or assumed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from linkwright.errors import MechanismError
from linkwright.formats.imported import Imported
from linkwright.formats.plausible import doubts
from linkwright.formats.problems import Problem, refuse
from linkwright.formats.urdf import closing
from linkwright.formats.urdf.joints import joint
from linkwright.formats.urdf.links import body, colour
from linkwright.formats.urdf.unread import unread
from linkwright.formats.urdf.values import Findings
from linkwright.formats.urdf.xml import Element, parse
from linkwright.mechanism import Actuator, Body, Coupling, Inertia, Joint, Mechanism
from linkwright.mechanism.names import suggestion

_ABOUT = re.compile(r"(body|joint) '(.*?)'")


def from_urdf(text: str, file: str = "text") -> Imported:
    """The mechanism of a URDF tree and the notes of its import; the root link becomes the base.

    >>> imported = from_urdf('<robot name="two"><link name="world"/><link name="arm"/>'
    ...     '<joint name="j" type="continuous">'
    ...     '<parent link="world"/><child link="arm"/><axis xyz="0 0 2"/></joint></robot>')
    >>> imported.mechanism.base, imported.mechanism.joints[0].kind.axis
    ('world', (0.0, 0.0, 1.0))
    """
    root = parse(text, file)
    if root.tag != "robot":
        refuse(file, [Problem(f"the outermost element is <{root.tag}>; a URDF file has <robot>", (), root.line)])
    found = Findings()
    colours = _colours(root, found)
    bodies = [body(link, colours, found) for link in root.all("link")]
    joints = [each for element in root.all("joint") if (each := joint(element, found)) is not None]
    _names(root, found)
    unread(root, found)
    loops = closing.loops(root, found)
    if not found.problems:
        _links_exist(root, bodies, [*joints, *loops], found)
        _one_root(root, bodies, joints, found)
    parts = Parts(bodies, joints, loops, closing.couplings(root, joints, found), closing.motors(root, joints, found))
    if found.problems:
        refuse(file, found.problems)
    return _assembled(root, parts, found, file)


@dataclass(frozen=True)
class Parts:
    """What a file holds."""

    bodies: list[Body]
    joints: list[Joint]
    loops: list[Joint]
    couplings: list[Coupling]
    actuators: list[Actuator]


def _colours(root: Element, found: Findings) -> dict[str, str]:
    named = {m.attributes.get("name", ""): colour(m, "material", found) for m in root.all("material")}
    return {name: value for name, value in named.items() if value}


def _names(root: Element, found: Findings) -> None:
    for tag in ("link", "joint"):
        counts = Counter(element.attributes.get("name", "") for element in root.all(tag))
        for element in root.all(tag):
            name = element.attributes.get("name", "")
            if name and counts.pop(name, 0) > 1:
                found.problem(f"several {tag}s are called '{name}'; give each its own name", element)


def _links_exist(root: Element, bodies: list[Body], joints: list[Joint], found: Findings) -> None:
    names = [each.name for each in bodies]
    if not names:
        found.problem("the robot has no <link>; add at least two, joined by a joint", root)
        return
    for element, each in zip([*root.all("joint"), *root.all("loop")], joints):
        for end, name in (("parent", each.parent), ("child", each.child)):
            if name not in names:
                found.problem(
                    f"joint '{each.name}' has the unknown {end} link '{name}'{suggestion(name, names)}", element
                )


def _one_root(root: Element, bodies: list[Body], joints: list[Joint], found: Findings) -> None:
    names = [each.name for each in bodies]
    children = {each.child for each in joints}
    tops = [name for name in names if name not in children]
    if len(tops) != 1 and not found.problems:
        listed = ", ".join(f"'{name}'" for name in tops[:8])
        why = f"the links {listed} are no joint's child" if tops else "every link is some joint's child"
        found.problem(f"a URDF tree has one root link, but {why}; join them, or break the circle", root)


def _assembled(root: Element, parts: Parts, found: Findings, file: str) -> Imported:
    children = {each.child for each in parts.joints}
    base = next(each for each in parts.bodies if each.name not in children)
    if base.inertia != Inertia():
        found.note(f"link '{base.name}' is the base and stands still; its mass and inertia are dropped")
    found.note("URDF says nothing about gravity; (0, 0, -9.81) m/s^2 assumed")
    try:
        mech = Mechanism(
            name=root.attributes.get("name", "").strip() or "robot",
            bodies=tuple(each for each in parts.bodies if each is not base),
            joints=tuple(parts.joints),
            loops=tuple(parts.loops),
            couplings=tuple(parts.couplings),
            actuators=tuple(parts.actuators),
            base=base.name,
            base_shapes=base.shapes,
            source=f"URDF '{root.attributes.get('name', '')}'",
        )
    except MechanismError as error:
        refuse(file, [_placed(text, root) for text in error.data.get("problems", [str(error)])])
    return Imported(mech, (*found.notes, *doubts(mech)))


def _placed(text: str, root: Element) -> Problem:
    """A mechanism's own complaint with the line of the link or joint it names."""
    match = _ABOUT.match(text)
    if match is None:
        return Problem(text)
    tag = {"body": "link", "joint": "joint"}[match[1]]
    lines = [element.line for element in root.all(tag) if element.attributes.get("name") == match[2]]
    return Problem(re.sub("^body", "link", text), (), lines[0] if lines else 0)
