"""Loops of URDF dialects, couplings, springs and driven joints; one loop in two dialects is kept once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform, frame_with_z
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.findings import Finding
from linkwright.forces import ForceElement, Strut
from linkwright.formats.urdf.gazebo_loops import coupling_of_plugin, gazebo_loop_joints, mimic_plugins
from linkwright.formats.urdf.urdf_joints import joint_kind_of_element, unit_axis
from linkwright.formats.xml import Element, Findings
from linkwright.joints import Distance, Fixed, JointKind, Spherical, Universal
from linkwright.mechanism import Actuator, Coupling, Joint
from linkwright.numerics.tolerances import WRITTEN_DIGITS

# --- one loop that a robot's files write in two dialects --------------------------------------------------------------


@dataclass(frozen=True)
class Dialectal:
    """A loop or coupling, the dialect it is written in, and its line."""

    part: Any
    dialect: str
    line: int = 0


def settle_loops(
    loops: list[Dialectal], joints: list[Joint], problems: list[Finding], notes: list[Finding]
) -> list[Joint]:
    """The loops, each once: of two dialects that join the same points, the joint with the fewest freedoms."""
    kept: list[Dialectal] = []
    for new in loops:
        twins = [old for old in kept if old.dialect != new.dialect and _same_links(old.part, new.part, joints)]
        if not twins or isinstance(new.part.kind, Distance):
            kept.append(new)
            continue
        old = twins[0]
        apart = _largest_point_distance(old.part, new.part, joints)
        if apart > WRITTEN_DIGITS:
            problems.append(_disagreement_finding(old, new, f"at points {apart:.3g} m apart"))
            continue
        text = f"loop '{new.part.name}' of {new.dialect} is '{old.part.name}' of {old.dialect}; kept once"
        notes.append(Finding("repeated-tag", text, "", "remark", new.part.name, line=new.line))
        if new.part.kind.nv < old.part.kind.nv:
            kept[kept.index(old)] = new
    return [each.part for each in kept]


def settle_couplings(couplings: list[Dialectal], problems: list[Finding], notes: list[Finding]) -> list[Coupling]:
    """The couplings, each once; two of the same joints with other ratios would lock them."""
    kept: list[Dialectal] = []
    for new in couplings:
        twins = [old for old in kept if {*dict(old.part.terms)} == {*dict(new.part.terms)}]
        if not twins:
            kept.append(new)
            continue
        differs = float(np.abs(_normalized_ratios(twins[0].part) - _normalized_ratios(new.part)).max())
        if differs > WRITTEN_DIGITS:
            problems.append(
                _disagreement_finding(twins[0], new, f"with ratios or offsets that differ by {differs:.3g}")
            )
            continue
        text = f"coupling '{new.part.name}' of {new.dialect} repeats '{twins[0].part.name}'; kept once"
        notes.append(Finding("repeated-tag", text, "", "remark", new.part.name, line=new.line))
    return [each.part for each in kept]


def _normalized_ratios(coupling: Coupling) -> np.ndarray:
    """Ratios by the joints' names, and the offset, with the first ratio 1."""
    ratios = [ratio for _, ratio in sorted(coupling.terms)]
    return np.array([*ratios, coupling.offset]) / ratios[0]


def _disagreement_finding(old: Dialectal, new: Dialectal, how: str) -> Finding:
    text = f"'{old.part.name}' of {old.dialect} and '{new.part.name}' of {new.dialect} join the same parts {how}"
    fix = "correct one of them, or write both in one dialect if two are meant"
    return Finding("contradiction", text, fix, subject=new.part.name, line=new.line or old.line)


def rigid_piece_of_link(link: str, joints: list[Joint]) -> tuple[str, RigidTransform]:
    """The link that carries the rigid piece of a link, and the link's pose in it."""
    fixed = {joint.child: joint for joint in joints if isinstance(joint.kind, Fixed)}
    pose = IDENTITY
    for _ in joints:
        if link not in fixed:
            break
        joint = fixed[link]
        link, pose = joint.parent, joint.at @ joint.child_at.inverse @ pose
    return link, pose


def _rigid_loop_ends(loop: Joint, joints: list[Joint]) -> Iterator[tuple[str, RigidTransform]]:
    """The rigid pieces that a loop joins, by their names, with its frame on each."""
    ends = ((loop.parent, loop.at), (loop.child, loop.child_at))
    found = [(piece, pose @ at) for link, at in ends for piece, pose in (rigid_piece_of_link(link, joints),)]
    yield from sorted(found, key=lambda end: end[0])


def _same_links(old: Joint, new: Joint, joints: list[Joint]) -> bool:
    both = [[piece for piece, _ in _rigid_loop_ends(loop, joints)] for loop in (old, new)]
    return both[0] == both[1] and not isinstance(old.kind, Distance)


def _largest_point_distance(old: Joint, new: Joint, joints: list[Joint]) -> float:
    """Largest distance between the points of two loops on the same links."""
    pairs = zip(_rigid_loop_ends(old, joints), _rigid_loop_ends(new, joints), strict=True)
    return max(float(np.linalg.norm(a.r - b.r)) for (_, a), (_, b) in pairs)


# --- loops of URDF dialects, couplings, springs, and the driven joints ------------------------------------------------

_ENDS = {
    "loop": ("predecessor", "successor"),
    "loop_joint": ("link1", "link2"),
    "constraint": ("parent", "child"),
}


def urdf_loop_joints(root: Element, joints: list[Joint], found: Findings) -> list[Joint]:
    """Loop joints: <loop> of URDF+, <loop_joint> of older Drake, <constraint> as proposed for ROS, joints in <gazebo>.

    Each goes from the first end's frame to the second's, with the axis in the first; Drake's own constraints too.
    """
    made: list[Dialectal] = []
    for element in root.children:
        joint = None
        if element.tag == "loop" or (element.tag in _ENDS and _has_both_ends(element, _ENDS[element.tag], found)):
            joint = _loop_joint_of_element(element, found)
        elif element.tag in _DRAKE and _has_both_ends(element, _body_tags(element.tag), found):
            joint = _drake_constraints(element, found)
        if joint is not None:
            made.append(Dialectal(joint, f"<{element.tag}>", element.line))
    for joint, element in gazebo_loop_joints(root, joints, found):
        made.append(Dialectal(joint, "<gazebo>", element.line))
    return settle_loops(made, joints, found.problems, found.notes)


def _has_both_ends(element: Element, ends: tuple[str, str], found: Findings) -> bool:
    """Return True if both ends of a constraint are there; another dialect may write them otherwise."""
    complete = all(element.first(end) is not None for end in ends)
    if not complete:
        text, name = f"<{element.tag}> dropped, it has no <{ends[0]}> and <{ends[1]}>", element.attributes.get("name")
        found.note(text, "error", "dropped-loop", name or element.tag, fix="write it as a <loop>")
    return complete


def _body_tags(tag: str) -> tuple[str, str]:
    return (f"{tag}_body_A", f"{tag}_body_B")


def _loop_joint_of_element(element: Element, found: Findings) -> Joint | None:
    name = found.text(element, "name", f"a {element.tag}")
    owner, tags = f"{element.tag} '{name}'", _ENDS[element.tag]
    ends = [(_link_of_loop_end(element, tag, owner, found), element.first(tag)) for tag in tags]
    kind = joint_kind_of_element(_with_axes_of_ends(element), owner, found)
    if kind is None or not all(link for link, _ in ends):
        return None
    (near, far), (at, child_at) = zip(*ends, strict=True)
    frame, child_frame = (_frame_of_loop_end(end, element, owner, found) for end in (at, child_at))
    return Joint(name, near, far, kind, frame, child_frame @ _turn_to_child_axis(element, kind, owner, found))


def _with_axes_of_ends(element: Element) -> Element:
    """A <constraint> of ROS with its <parent_axis> and <child_axis> as the axes of a joint."""
    axes = [each for end in ("parent_axis", "child_axis") if (each := element.first(end)) is not None]
    if not axes:
        return element
    used = axes if element.attributes.get("type") == "universal" else axes[:1]
    return replace(element, children=[*element.children, *(replace(axis, tag="axis") for axis in used)])


def _turn_to_child_axis(element: Element, kind: JointKind, owner: str, found: Findings) -> RigidTransform:
    """The turn of a child's frame whose <child_axis> is not written like the <parent_axis> it lies along."""
    written = [element.first(end) for end in ("parent_axis", "child_axis")]
    if isinstance(kind, Universal) or None in written:
        return IDENTITY
    near, far = (np.array(unit_axis(found.triple(each, "xyz", owner))) for each in written if each is not None)
    if not near.any() or not far.any() or np.array_equal(near, far):
        return IDENTITY
    return RigidTransform.of((0.0, 0.0, 0.0), frame_with_z(far) @ frame_with_z(near).T)


def _frame_of_loop_end(end: Element | None, owner_element: Element, owner: str, found: Findings) -> RigidTransform:
    """The frame of a loop's end: its <origin>, the <parent_origin> beside it, or xyz and rpy of the end itself."""
    if end is None:
        return IDENTITY
    beside = owner_element.first(f"{end.tag}_origin")
    if beside is not None:
        return found.origin(Element(end.tag, {}, end.line, [replace(beside, tag="origin")]), owner)
    if end.first("origin") is None:
        return RigidTransform.from_rpy(found.triple(end, "xyz", owner), found.triple(end, "rpy", owner))
    return found.origin(end, owner)


def _link_of_loop_end(element: Element, tag: str, owner: str, found: Findings) -> str:
    end = element.first(tag)
    if end is None:
        found.problem(f"{owner} has no <{tag}>", element, "missing-key", f'add <{tag} link="...">')
        return ""
    return found.text(end, "link", owner)


_DRAKE = ("drake:ball_constraint", "drake:distance_constraint")


def _drake_constraints(element: Element, found: Findings) -> Joint | None:
    """Drake's constraints between a point of one body and a point of another."""
    tag = element.tag
    names, (at, child_at) = _drake_bodies_and_points(element, found)
    kind: JointKind = Spherical()
    if tag == "drake:distance_constraint":
        kind = Distance(found.number(element.first(f"{tag}_distance"), "value", f"<{tag}>"))
    return Joint(f"{names[0]}-{names[1]}", names[0], names[1], kind, RigidTransform.of(at), RigidTransform.of(child_at))


def _drake_bodies_and_points(element: Element, found: Findings) -> tuple[list[str], list[Vec3]]:
    """The two bodies of Drake's elements and the point on each."""
    tag = element.tag
    bodies, points = (
        map(element.first, _body_tags(tag)),
        (element.first(f"{tag}_{point}") for point in ("p_AP", "p_BQ")),
    )
    names = [found.text(body, "name", f"<{tag}>") for body in bodies if body is not None]
    return names, [(0.0, 0.0, 0.0) if point is None else found.triple(point, "value", f"<{tag}>") for point in points]


def drake_point_springs(root: Element, found: Findings) -> list[ForceElement]:
    """Drake's springs and dampers between two points."""
    made: list[ForceElement] = []
    tag = "drake:linear_spring_damper"
    for element in root.all(tag):
        if not _has_both_ends(element, _body_tags(tag), found):
            continue
        names, (at, child_at) = _drake_bodies_and_points(element, found)
        stiffness, length, damping = (
            found.number(element.first(f"{tag}_{what}"), "value", f"<{tag}>")
            for what in ("stiffness", "free_length", "damping")
        )
        made.append(Strut(f"{names[0]}-{names[1]}", names[0], names[1], at, child_at, stiffness, length, damping))
    return made


def urdf_couplings(root: Element, joints: list[Joint], found: Findings) -> list[Coupling]:
    """Mimicked joints, and the couplings of URDF+: ratio times the predecessor's joints equals the successor's."""
    made = [(_coupling_of_element(element, joints, found), element) for element in root.all("coupling")]
    made += [
        (_coupling_of_mimic(element, joints, found), element)
        for element in root.all("joint")
        if _mimic_element(element)
    ]
    made += [(coupling_of_plugin(plugin, joints, found), plugin) for plugin in mimic_plugins(root)]
    tags = {"coupling": "<coupling>", "joint": "<mimic>", "plugin": "<gazebo>"}
    written = [Dialectal(part, tags[element.tag], element.line) for part, element in made if part is not None]
    return settle_couplings(written, found.problems, found.notes)


def _mimic_element(element: Element) -> Element | None:
    """The <mimic> of a joint, or Drake's."""
    return element.first("mimic") or element.first("drake:mimic")


def _coupling_of_mimic(element: Element, joints: list[Joint], found: Findings) -> Coupling | None:
    mimic = _mimic_element(element)
    assert mimic is not None
    name = element.attributes.get("name", "")
    owner = f"joint '{name}'"
    other = found.text(mimic, "joint", owner)
    sizes = {joint.name: joint.kind.nq for joint in joints}
    if sizes.get(name) != 1 or sizes.get(other) != 1:
        text = f"{owner}: mimics '{other}', which is not a joint with one coordinate; it moves freely"
        found.note(text, "error", "dropped-coupling", name, other)
        return None
    ratio = found.number(mimic, "multiplier", owner, 1.0)
    found.note(f"{owner}: mimics joint '{other}'; read as a coupling with the ratio {ratio:g}")
    return Coupling(f"{name} mimics {other}", ((name, 1.0), (other, -ratio)), found.number(mimic, "offset", owner))


def _coupling_of_element(element: Element, joints: list[Joint], found: Findings) -> Coupling | None:
    name = found.text(element, "name", "a coupling")
    owner = f"coupling '{name}'"
    ends = [_link_of_loop_end(element, tag, owner, found) for tag in ("predecessor", "successor")]
    if not all(ends):
        return None
    ratio = found.number(element.first("ratio"), "value", owner, 1.0)
    near, far = (_joints_to_link(end, joints) for end in ends)
    shared = {joint.name for joint in near} & {joint.name for joint in far}
    terms = [(j.name, ratio) for j in near if j.name not in shared and j.kind.nq]
    terms += [(j.name, -1.0) for j in far if j.name not in shared and j.kind.nq]
    if not _has_single_coordinates(owner, tuple(term for term, _ in terms), joints, element, found):
        return None
    return Coupling(name, tuple(terms))


def _joints_to_link(link: str, joints: list[Joint]) -> list[Joint]:
    """The joints from the root to a link, nearest to the link first."""
    carriers = {joint.child: joint for joint in joints}
    way: list[Joint] = []
    while link in carriers and len(way) <= len(joints):
        way.append(carriers[link])
        link = carriers[link].parent
    return way


def _has_single_coordinates(
    owner: str, names: tuple[str, ...], joints: list[Joint], element: Element, found: Findings
) -> bool:
    """Return True if all the joints are there and have one coordinate each."""
    sizes = {joint.name: joint.kind.nq for joint in joints}
    for name in names:
        if sizes.get(name) != 1:
            what = "is not in the file" if name not in sizes else f"has {sizes[name]} coordinates"
            fix = "couple joints with one coordinate each"
            found.problem(f"{owner}: joint '{name}' {what}", element, "not-one-coordinate", fix)
            return False
    if not names:
        found.problem(f"{owner} couples no joint", element, "few-terms", "name links that joints carry")
    return bool(names)


def actuators_of_transmissions(root: Element, joints: list[Joint], found: Findings) -> list[Actuator]:
    """One actuator for every joint that a <transmission> drives, with the joint's bounds on effort and velocity.

    It has the name of the transmission's <actuator>, if that is its alone; else the joint's.
    """
    made: dict[str, Actuator] = {}
    taken = {joint.name for joint in joints}
    moving = {joint.name: joint for joint in joints if joint.kind.nq == 1}
    for element in root.all("transmission"):
        _is_simple_transmission(element, found)
        for driven in element.all("joint"):
            name = driven.attributes.get("name", "").strip()
            if name in moving and name not in made:
                own = _own_name(element, taken) or name
                made[name] = replace(actuator_at(moving[name]), name=own, **_gear_and_rotor(element, found))
                taken.add(own)
            elif name not in moving:
                text = f"<transmission> drives '{name}', which is not a joint with one coordinate; dropped"
                found.note(text, "warning", "dropped-actuator", name)
    if made:
        found.note(f"<transmission> read as actuators of {', '.join(made)}", code="actuators", value=len(made))
    elif root.first("transmission") is not None:
        found.note("<transmission> dropped; it drives no joint with one coordinate", code="dropped-tag")
    return list(made.values()) or _leading_joint_actuators(root, moving, found)


def _own_name(element: Element, taken: set[str]) -> str:
    """The name of a transmission's only actuator, "" if it has none or it is taken."""
    names = [actuator.attributes.get("name", "").strip() for actuator in element.all("actuator")]
    alone = len(names) == 1 and len(list(element.all("joint"))) == 1
    return names[0] if alone and names[0] not in taken else ""


def _leading_joint_actuators(root: Element, moving: dict[str, Joint], found: Findings) -> list[Actuator]:
    """Without transmissions: URDF+ flags joints that others determine; a joint that mimics follows, all others lead."""
    flagged = any("independent" in element.attributes for element in root.all("joint"))
    mimics = ((element, _mimic_element(element)) for element in root.all("joint"))
    followers = [e for e, mimic in mimics if mimic is not None and mimic.attributes.get("joint") in moving]
    if not flagged and not followers:
        return []
    led = {element.attributes.get("name", "") for element in followers}
    led |= {e.attributes.get("name", "") for e in root.all("joint") if e.attributes.get("independent") == "false"}
    made = [actuator_at(joint) for name, joint in moving.items() if name not in led]
    why = "not flagged independent='false'" if flagged else "that mimic no other"
    found.note(f"{len(made)} joints {why} read as driven", code="actuators", value=len(made))
    return made


def actuator_at(joint: Joint) -> Actuator:
    """An actuator at a joint with one velocity, bounded as the joint is."""
    effort, speed = joint.limits.effort, joint.limits.speed
    return Actuator(joint.name, joint.name, effort=effort[0] if effort else None, speed=speed[0] if speed else None)


def _is_simple_transmission(element: Element, found: Findings) -> None:
    """A differential or four-bar transmission mixes the efforts of its joints."""
    kind = element.first("type")
    written = "" if kind is None else kind.text.strip() or kind.attributes.get("name", "")
    if "Differential" in written or "FourBar" in written:
        name = element.attributes.get("name", "")
        text = f"transmission '{name}' is a {written}; its joints are driven one by one here"
        found.note(text, "warning", "dropped-coupling", name, written)


def _gear_and_rotor(element: Element, found: Findings) -> dict[str, Any]:
    """Gear ratio of a transmission, and Drake's rotor inertia."""
    owner = f"transmission '{element.attributes.get('name', '')}'"
    actuator = element.first("actuator")
    if actuator is not None and actuator.first("drake:rotor_inertia") is not None:
        inertia = found.number(actuator.first("drake:rotor_inertia"), "value", owner)
        return {"rotor_inertia": inertia, "gear": found.number(actuator.first("drake:gear_ratio"), "value", owner, 1.0)}
    for holder in (actuator, element.first("joint"), element):
        reduction = None if holder is None else holder.first("mechanicalReduction")
        if reduction is not None:
            return _gear_ratio(reduction, owner, found)
    return {}


def _gear_ratio(reduction: Element, owner: str, found: Findings) -> dict[str, Any]:
    try:
        gear = float(reduction.text)
    except ValueError:
        gear = 0.0
    if gear and math.isfinite(gear):
        return {"gear": gear}
    found.note(f"{owner}: mechanicalReduction '{reduction.text.strip()[:40]}' taken as 1", code="assumed")
    return {}
