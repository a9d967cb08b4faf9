"""One loop that a robot's files write in two dialects: kept once if they agree, refused if they do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.dataclass import dataclass
from linkwright.findings import Finding
from linkwright.joints import Distance, Fixed
from linkwright.mechanism import Coupling, Joint
from linkwright.numerics.tolerances import WRITTEN_DIGITS


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


def _rigid_piece_of_link(link: str, joints: list[Joint]) -> tuple[str, RigidTransform]:
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
    found = [(piece, pose @ at) for link, at in ends for piece, pose in (_rigid_piece_of_link(link, joints),)]
    yield from sorted(found, key=lambda end: end[0])


def _same_links(old: Joint, new: Joint, joints: list[Joint]) -> bool:
    both = [[piece for piece, _ in _rigid_loop_ends(loop, joints)] for loop in (old, new)]
    return both[0] == both[1] and not isinstance(old.kind, Distance)


def _largest_point_distance(old: Joint, new: Joint, joints: list[Joint]) -> float:
    """Largest distance between the points of two loops on the same links."""
    pairs = zip(_rigid_loop_ends(old, joints), _rigid_loop_ends(new, joints), strict=True)
    return max(float(np.linalg.norm(a.r - b.r)) for (_, a), (_, b) in pairs)
