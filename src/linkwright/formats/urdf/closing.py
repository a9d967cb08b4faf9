"""What closes loops in URDF dialects: <loop> and <coupling> of URDF+, <mimic> of URDF; motors by <transmission>."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkwright.formats.urdf.joints import kind_of
from linkwright.formats.values import Findings
from linkwright.formats.xml import Element
from linkwright.mechanism import Actuator, Coupling, Joint, Spherical
from linkwright.mechanism.joints import nq


def loops(root: Element, found: Findings) -> list[Joint]:
    """The loop joints of a URDF+ file: from the predecessor's to the successor's frame, axis in the predecessor's."""
    return [joint for element in root.all("loop") if (joint := _loop(element, found)) is not None]


def _loop(element: Element, found: Findings) -> Joint | None:
    name = found.text(element, "name", "a loop")
    owner = f"loop '{name}'"
    ends = [(_end(element, tag, owner, found), element.first(tag)) for tag in ("predecessor", "successor")]
    ball = element.attributes.get("type") in ("spherical", "ball")
    kind = Spherical() if ball else kind_of(element, owner, found)
    if kind is None or not all(link for link, _ in ends):
        return None
    (near, at), (far, child_at) = ends
    assert at is not None and child_at is not None
    return Joint(name, near, far, kind, found.origin(at, owner), found.origin(child_at, owner))


def _end(element: Element, tag: str, owner: str, found: Findings) -> str:
    end = element.first(tag)
    if end is None:
        found.problem(f"{owner} has no <{tag}>", element, "missing-key", f'add <{tag} link="...">')
        return ""
    return found.text(end, "link", owner)


def couplings(root: Element, joints: list[Joint], found: Findings) -> list[Coupling]:
    """Mimicked joints, and the couplings of URDF+: ratio times the predecessor's joints equals the successor's."""
    made = [_coupling(element, joints, found) for element in root.all("coupling")]
    made += [_mimic(element, joints, found) for element in root.all("joint") if element.first("mimic") is not None]
    return [coupling for coupling in made if coupling is not None]


def _mimic(element: Element, joints: list[Joint], found: Findings) -> Coupling | None:
    mimic = element.first("mimic")
    assert mimic is not None
    name = element.attributes.get("name", "")
    owner = f"joint '{name}'"
    other = found.text(mimic, "joint", owner)
    sizes = {joint.name: nq(joint.kind) for joint in joints}
    if sizes.get(name) != 1 or sizes.get(other) != 1:
        text = f"{owner}: mimics '{other}', which is no joint with one coordinate; it moves freely"
        found.note(text, "error", "dropped-coupling", name, other)
        return None
    ratio = found.number(mimic, "multiplier", owner, 1.0)
    found.note(f"{owner}: mimics joint '{other}'; read as a coupling with the ratio {ratio:g}")
    return Coupling(f"{name} mimics {other}", ((name, 1.0), (other, -ratio)), found.number(mimic, "offset", owner))


def _coupling(element: Element, joints: list[Joint], found: Findings) -> Coupling | None:
    name = found.text(element, "name", "a coupling")
    owner = f"coupling '{name}'"
    ends = [_end(element, tag, owner, found) for tag in ("predecessor", "successor")]
    if not all(ends):
        return None
    ratio = found.number(element.first("ratio"), "value", owner, 1.0)
    near, far = (_way(end, joints) for end in ends)
    shared = {joint.name for joint in near} & {joint.name for joint in far}
    terms = [(j.name, ratio) for j in near if j.name not in shared and nq(j.kind)]
    terms += [(j.name, -1.0) for j in far if j.name not in shared and nq(j.kind)]
    if not _single(owner, tuple(term for term, _ in terms), joints, element, found):
        return None
    return Coupling(name, tuple(terms))


def _way(link: str, joints: list[Joint]) -> list[Joint]:
    """The joints from the root to a link, nearest to the link first."""
    carriers = {joint.child: joint for joint in joints}
    way: list[Joint] = []
    while link in carriers and len(way) <= len(joints):
        way.append(carriers[link])
        link = carriers[link].parent
    return way


def _single(owner: str, names: tuple[str, ...], joints: list[Joint], element: Element, found: Findings) -> bool:
    """Whether all the joints are there and have one coordinate each."""
    sizes = {joint.name: nq(joint.kind) for joint in joints}
    for name in names:
        if sizes.get(name) != 1:
            what = "is not in the file" if name not in sizes else f"has {sizes[name]} coordinates"
            fix = "couple joints with one coordinate each"
            found.problem(f"{owner}: joint '{name}' {what}", element, "not-one-coordinate", fix)
            return False
    if not names:
        found.problem(f"{owner} couples no joint", element, "few-terms", "name links that joints carry")
    return bool(names)


def motors(root: Element, joints: list[Joint], found: Findings) -> list[Actuator]:
    """One actuator for every joint that a <transmission> drives, with the joint's bounds on effort and velocity."""
    made: dict[str, Actuator] = {}
    moving = {joint.name: joint for joint in joints if nq(joint.kind) == 1}
    for element in root.all("transmission"):
        _simple(element, found)
        for driven in element.all("joint"):
            name = driven.attributes.get("name", "").strip()
            if name in moving and name not in made:
                made[name] = replace(motor(moving[name]), **_rotor(element, found))
            elif name not in moving:
                text = f"<transmission> drives '{name}', which is no joint with one coordinate; dropped"
                found.note(text, "warning", "dropped-actuator", name)
    if made:
        text = f"<transmission> read as actuators of {', '.join(made)}; gear ratios are not taken over"
        found.note(text, code="actuators", value=len(made))
    elif root.first("transmission") is not None:
        found.note("<transmission> dropped; it drives no joint with one coordinate", code="dropped-tag")
    return list(made.values())


def motor(joint: Joint) -> Actuator:
    """An actuator at a joint with one velocity, bounded as the joint is."""
    effort, speed = joint.limits.effort, joint.limits.speed
    return Actuator(joint.name, joint.name, effort=effort[0] if effort else None, speed=speed[0] if speed else None)


def _simple(element: Element, found: Findings) -> None:
    """A differential or four-bar transmission mixes the efforts of its joints."""
    kind = element.first("type")
    written = "" if kind is None else kind.text.strip() or kind.attributes.get("name", "")
    if "Differential" in written or "FourBar" in written:
        name = element.attributes.get("name", "")
        text = f"transmission '{name}' is a {written}; its joints are driven one by one here"
        found.note(text, "warning", "dropped-coupling", name, written)


def _rotor(element: Element, found: Findings) -> dict[str, Any]:
    """Drake's rotor inertia and gear ratio of a transmission's actuator."""
    actuator = element.first("actuator")
    if actuator is None or actuator.first("drake:rotor_inertia") is None:
        return {}
    owner = f"transmission '{element.attributes.get('name', '')}'"
    return {
        "rotor_inertia": found.number(actuator.first("drake:rotor_inertia"), "value", owner),
        "gear": found.number(actuator.first("drake:gear_ratio"), "value", owner, 1.0),
    }
