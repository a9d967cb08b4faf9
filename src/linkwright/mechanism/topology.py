"""From a drawing to a tree: the joints that carry bodies, those that close loops, and the reason of each cut."""

from __future__ import annotations

import heapq
from dataclasses import replace

from linkwright.dataclass import dataclass
from linkwright.mechanism.records import Joint


@dataclass(frozen=True)
class Arrangement:
    """Joints of the spanning tree, joints that close loops, and a reason for each cut."""

    joints: tuple[Joint, ...]
    loops: tuple[Joint, ...]
    reasons: tuple[str, ...]


def arrange_spanning_tree(joints: tuple[Joint, ...], base: str, cut: tuple[str, ...] = ()) -> Arrangement:
    """A spanning tree of a joint graph that starts at `base`.

    Joints with few freedoms are kept in the tree and those with many are cut, because a cut joint with f freedoms
    saves f coordinates and costs 6 - f equations. A floating joint is kept: who draws it wants the body to float, and
    cutting it would close nothing. Joints named in `cut` are cut in any case. A joint reached from its
    child's side is turned round and marked as reversed: it keeps the coordinates, velocities, efforts and reactions of
    the drawing. The tree's joints keep the order of the drawing, and the cut joints its direction.
    """
    joints = tuple(map(as_drawn, joints))
    usable = [j for j in joints if j.name not in cut and j.kind.can_span_tree]
    carried, order = _grow_tree(usable, base)
    tree = [carried[j.name] for j in joints if j.name in carried]
    loops = tuple(j for j in joints if j.name not in carried)
    reasons = tuple(_reason_of_cut(j, cut, order) for j in loops)
    return Arrangement(tuple(tree), loops, reasons)


def is_tree(joints: tuple[Joint, ...], base: str) -> bool:
    """Return True if no body is carried twice and the base is not carried at all."""
    carried = [joint.child for joint in joints]
    return len(set(carried)) == len(carried) and base not in carried


def _grow_tree(joints: list[Joint], base: str) -> tuple[dict[str, Joint], set[str]]:
    """Grow the tree from the base, always across the reachable joint with the fewest freedoms (then nearest, first)."""
    reached, carried = {base}, {}
    front: list[tuple[int, int, int]] = []

    def look(body: str, depth: int) -> None:
        for index, joint in enumerate(joints):
            if body in (joint.parent, joint.child):
                freedoms = 0 if joint.kind.floats else joint.kind.nv
                heapq.heappush(front, (freedoms, depth, index))

    look(base, 0)
    while front:
        _, depth, index = heapq.heappop(front)
        joint = joints[index]
        new = [body for body in (joint.child, joint.parent) if body not in reached]
        if len(new) != 1:
            continue
        carried[joint.name] = joint if new[0] == joint.child else turned_round(joint)
        reached.add(new[0])
        look(new[0], depth + 1)
    return carried, reached


def _reason_of_cut(joint: Joint, cut: tuple[str, ...], reached: set[str]) -> str:
    if joint.name in cut:
        return f"joint '{joint.name}' is cut because you requested it"
    if not joint.kind.can_span_tree:
        return f"joint '{joint.name}' is a {joint.kind.label}, which always closes a loop"
    if not {joint.parent, joint.child} <= reached:
        return f"joint '{joint.name}' is not connected to the base"
    return (
        f"joint '{joint.name}' closes a loop between '{joint.parent}' and '{joint.child}', which other joints already "
        f"carry; it is the one cut because of its {joint.kind.nv} freedoms"
    )


def cut_reasons(joints: tuple[Joint, ...], loops: tuple[Joint, ...], base: str) -> tuple[str, ...]:
    """A message for every cut joint: what the cut leaves out and costs, and its reason.

    >>> from linkwright import catalog
    >>> mech = catalog.load("four-bar")
    >>> cut_reasons(mech.joints, mech.loops, mech.base)[0].split(";")[0]
    "joint 'B' between 'coupler' and 'rocker' is cut: 1 coordinate less, 5 closure equations more"
    """
    floating = {j.child for j in joints if j.kind.floats}
    drawn = tuple(j for j in (*joints, *loops) if not j.kind.floats)
    others = arrange_spanning_tree(drawn, base).loops
    best = sum(j.kind.nv for j in others) <= sum(j.kind.nv for j in loops)
    why = "no choice of cuts leaves out more" if best else f"cutting {_quoted_joint_names(others)} would leave out more"
    return tuple(f"{_cost_of_cut_text(j)}; {_floating_body_text(j, floating) or why}" for j in loops)


def _cost_of_cut_text(joint: Joint) -> str:
    left = joint.kind.nv
    rows = len(joint.kind.closure_rows())
    return (
        f"joint '{joint.name}' between '{joint.parent}' and '{joint.child}' is cut: {left} "
        f"coordinate{'' if left == 1 else 's'} less, {rows} closure equation{'' if rows == 1 else 's'} more"
    )


def _floating_body_text(joint: Joint, floating: set[str]) -> str:
    held = [body for body in (joint.parent, joint.child) if body in floating]
    return f"'{held[0]}' floats, and every leg that holds it is cut there" if held else ""


def _quoted_joint_names(joints: tuple[Joint, ...]) -> str:
    return ", ".join(f"'{joint.name}'" for joint in joints)


def turned_round(joint: Joint) -> Joint:
    """The same joint seen from its other side: bodies, frames and axes are swapped, `reversed` is toggled.

    Everything counted along coordinates and velocities (limits, springs, friction, an actuator's `dof`, home) stays as
    the file has it, because a reversed joint keeps the coordinates and velocities of its drawing.

    >>> from linkwright.joints import Universal
    >>> joint = Joint("hinge", "lower", "upper", Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    >>> turned_round(joint).kind, turned_round(turned_round(joint)) == joint
    (Universal(first=(0.0, -1.0, 0.0), second=(-1.0, 0.0, 0.0)), True)
    """
    return replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        at=joint.child_at,
        child_at=joint.at,
        kind=joint.kind.reversed_kind(),
        reversed=not joint.reversed,
    )


def as_drawn(joint: Joint) -> Joint:
    """The joint with the parent and child of its file."""
    return turned_round(joint) if joint.reversed else joint
