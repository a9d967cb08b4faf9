"""The open tree of a closed-loop robot in a URDF: ends of loops that nothing closes, and the sidecar to write."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations

from linkwright.findings import Finding
from linkwright.formats.urdf.gazebo_loops import drawn_link_poses
from linkwright.formats.urdf.urdf_loops import rigid_piece_of_link
from linkwright.mechanism import Inertia, Joint, Mechanism
from linkwright.mechanism.names import counted_noun
from linkwright.numerics.tolerances import WRITTEN_DIGITS

_CLOSES = re.compile(r"loop|closure|closing", re.IGNORECASE)
_END = re.compile(r"(?<![A-Z0-9])(A|B|1|2|parent|child|start|end|from|to)(?![A-Z0-9])|(?<=[0-9])[AB]$", re.IGNORECASE)
_TYPE = re.compile(r"(?<![A-Z0-9])[36]D(?![A-Z0-9])", re.IGNORECASE)  # as some exporters name the ends
_LARGEST = 300  # links that are looked at


def find_open_tree(mech: Mechanism, sidecar: str) -> Iterator[Finding]:
    """A warning for a tree whose links mark the ends of loops, with the sidecar that closes them.

    Ends are pairs of names that speak of a loop and differ in one letter (`closedloop1_A`, `closedloop1_B`), and
    pairs of weightless links at the ends of chains that are drawn in one point and carried by different links.
    """
    if mech.loops or mech.couplings:
        return
    pairs = list(_pairs_by_name(mech)) or list(_pairs_in_one_point(mech))
    if not pairs:
        return
    lines = [f"closed_loop: [{', '.join(f'[{a}, {b}]' for a, b in pairs)}]"]
    lines.append(f"type: [{', '.join(_type_of_pair(pair, mech) for pair in pairs)}]")
    driven = [actuator.joint for actuator in mech.actuators]
    lines.append(f"name_mot: [{', '.join(driven)}]" if driven else "name_mot: []  # the driven joints")
    text = f"'{pairs[0][0]}' and '{pairs[0][1]}' look like the two ends of a loop that nothing closes"
    text += f" ({counted_noun(len(pairs), 'such pair')}); this is the open tree of a closed-loop robot"
    fix = f"write '{sidecar}' beside the file (3d is a spherical joint, 6d a fixed one):\n  " + "\n  ".join(lines)
    yield Finding("open-tree", text, fix, "warning", pairs[0][0], pairs)


def _pairs_by_name(mech: Mechanism) -> Iterator[tuple[str, str]]:
    """Pairs of links or of joints whose names speak of a loop and differ in the end."""
    for names in ([body.name for body in mech.bodies], [joint.name for joint in mech.joints]):
        ends: dict[str, list[str]] = {}
        for name in (name for name in names if _CLOSES.search(name) and _END.search(name)):
            *_, last = _END.finditer(name)
            ends.setdefault(f"{name[: last.start()]}*{name[last.end() :]}", []).append(name)
        found = [(both[0], both[1]) for both in ends.values() if len(both) == 2]
        if found:
            yield from found
            return


def _pairs_in_one_point(mech: Mechanism) -> Iterator[tuple[str, str]]:
    """Pairs of weightless links that end chains, in one point at zero coordinates, on links that move apart."""
    joints = [*mech.joints]
    carrying = {joint.parent for joint in joints}
    fixed = {joint.child for joint in joints if not joint.kind.nv}
    plain = [body for body in mech.bodies if body.name not in carrying and body.name in fixed]
    names = [body.name for body in plain if body.inertia == Inertia() and not body.shapes][:_LARGEST]
    poses = drawn_link_poses(joints) if len(names) > 1 else {}
    pieces = {name: rigid_piece_of_link(name, joints)[0] for name in names}
    for a, b in combinations(names, 2):
        apart = math.dist(poses[a].xyz, poses[b].xyz)
        if apart < WRITTEN_DIGITS and pieces[a] != pieces[b] and not _hangs_on(pieces[a], pieces[b], joints):
            yield a, b


def _hangs_on(a: str, b: str, joints: list[Joint]) -> bool:
    """Return True if one joint joins the rigid pieces of two links: they meet there anyway."""
    near = {joint.child: rigid_piece_of_link(joint.parent, joints)[0] for joint in joints}
    return near.get(a) == b or near.get(b) == a


def _type_of_pair(pair: tuple[str, str], mech: Mechanism) -> str:
    """The type of a loop: in its name; where one of its ends is a joint that moves, they are welded."""
    named = _TYPE.search(pair[0])
    if named is not None:
        return f'"{named[0].lower()}"'
    moving = {joint.name for joint in mech.joints if joint.kind.nv}
    return '"6d"' if moving.intersection(pair) else '"3d"'
