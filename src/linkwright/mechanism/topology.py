"""From a drawing to a tree: which joints carry the bodies and which close loops, with the reason in words."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

from linkwright.algebra.vectors import Vec3
from linkwright.errors import MechanismError
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.records import Joint


@dataclass(frozen=True)
class Arrangement:
    """Joints of the spanning tree, joints that close loops, and a sentence for each cut."""

    joints: tuple[Joint, ...]
    loops: tuple[Joint, ...]
    reasons: tuple[str, ...]


def arranged(joints: tuple[Joint, ...], base: str, cut: tuple[str, ...] = ()) -> Arrangement:
    """A spanning tree of a joint graph that starts at `base`.

    Joints with few freedoms are kept in the tree and those with many are cut, because a cut joint with f freedoms
    saves f coordinates and costs 6 - f equations. A floating joint is kept: who draws it wants the body to float, and
    cutting it would close nothing. Joints named in `cut` are cut in any case. A joint met from its
    child's side is turned round. The tree's joints keep the order of the drawing.
    """
    usable = [j for j in joints if j.name not in cut and not isinstance(j.kind, kinds.Distance)]
    carried, order = _grown(usable, base)
    tree = [carried[j.name] for j in joints if j.name in carried]
    loops = tuple(j for j in joints if j.name not in carried)
    reasons = tuple(_reason(j, cut, order) for j in loops)
    return Arrangement(tuple(tree), loops, reasons)


def is_tree(joints: tuple[Joint, ...], base: str) -> bool:
    """Whether no body is carried twice and the base is not carried at all."""
    carried = [joint.child for joint in joints]
    return len(set(carried)) == len(carried) and base not in carried


def _grown(joints: list[Joint], base: str) -> tuple[dict[str, Joint], set[str]]:
    """Grow the tree from the base, always across the reachable joint with the fewest freedoms (then nearest, first)."""
    reached, carried = {base}, {}
    front: list[tuple[int, int, int]] = []

    def look(body: str, depth: int) -> None:
        for place, joint in enumerate(joints):
            if body in (joint.parent, joint.child):
                freedoms = 0 if isinstance(joint.kind, kinds.Floating) else kinds.nv(joint.kind)
                heapq.heappush(front, (freedoms, depth, place))

    look(base, 0)
    while front:
        _, depth, place = heapq.heappop(front)
        joint = joints[place]
        new = [body for body in (joint.child, joint.parent) if body not in reached]
        if len(new) != 1:
            continue
        carried[joint.name] = joint if new[0] == joint.child else turned_round(joint)
        reached.add(new[0])
        look(new[0], depth + 1)
    return carried, reached


def _reason(joint: Joint, cut: tuple[str, ...], reached: set[str]) -> str:
    if joint.name in cut:
        return f"joint '{joint.name}' is cut because you asked for it"
    if isinstance(joint.kind, kinds.Distance):
        return f"joint '{joint.name}' is a distance rod, which always closes a loop"
    if not {joint.parent, joint.child} <= reached:
        return f"joint '{joint.name}' is not connected to the base"
    return (
        f"joint '{joint.name}' closes a loop between '{joint.parent}' and '{joint.child}', which other joints already "
        f"carry; it is the one cut because of its {kinds.nv(joint.kind)} freedoms"
    )


def cut_reasons(joints: tuple[Joint, ...], loops: tuple[Joint, ...], base: str) -> tuple[str, ...]:
    """A sentence for every cut joint: what the cut leaves out and costs, and why it is here.

    >>> from linkwright import catalog
    >>> mech = catalog.load("four-bar")
    >>> cut_reasons(mech.joints, mech.loops, mech.base)[0].split(";")[0]
    "joint 'B' between 'coupler' and 'rocker' is cut: 1 coordinate less, 5 closure equations more"
    """
    floating = {j.child for j in joints if isinstance(j.kind, kinds.Floating)}
    drawn = tuple(j for j in (*joints, *loops) if not isinstance(j.kind, kinds.Floating))
    others = arranged(drawn, base).loops
    best = sum(kinds.nv(j.kind) for j in others) <= sum(kinds.nv(j.kind) for j in loops)
    why = "no choice of cuts leaves out more" if best else f"cutting {_listed(others)} would leave out more"
    return tuple(f"{_price(j)}; {_held(j, floating) or why}" for j in loops)


def _price(joint: Joint) -> str:
    left = kinds.nv(joint.kind)
    rows = 1 if isinstance(joint.kind, kinds.Distance) else 6 - left
    return (
        f"joint '{joint.name}' between '{joint.parent}' and '{joint.child}' is cut: {left} "
        f"coordinate{'' if left == 1 else 's'} less, {rows} closure equation{'' if rows == 1 else 's'} more"
    )


def _held(joint: Joint, floating: set[str]) -> str:
    held = [body for body in (joint.parent, joint.child) if body in floating]
    return f"'{held[0]}' floats, and every leg that holds it is cut there" if held else ""


def _listed(joints: tuple[Joint, ...]) -> str:
    return ", ".join(f"'{joint.name}'" for joint in joints)


def turned_round(joint: Joint) -> Joint:
    """The same joint seen from its child: parent and child change places, coordinates keep their sign where they can.

    Quaternions of spherical and floating joints and the plane coordinates of planar ones become those of the inverse
    motion; limits and springs of planar joints are refused for that reason.
    """
    swapped = replace(joint, parent=joint.child, child=joint.parent, at=joint.child_at, child_at=joint.at)
    match joint.kind:
        case kinds.Revolute(axis) | kinds.Prismatic(axis) | kinds.Cylindrical(axis):
            return replace(swapped, kind=type(joint.kind)(_minus(axis)))
        case kinds.Screw(axis, pitch):
            return replace(swapped, kind=kinds.Screw(_minus(axis), pitch))
        case kinds.Universal(first, second):
            return _turned_universal(swapped, kinds.Universal(_minus(second), _minus(first)))
        case kinds.Planar() | kinds.Floating() if joint.limits.lower or joint.limits.upper or joint.spring:
            raise MechanismError(
                f"joint '{joint.name}' would have to be turned round, and its limits and springs with it; "
                "name its bodies the other way, the one nearer to the base first"
            )
        case _:
            return swapped


def _turned_universal(joint: Joint, kind: kinds.Universal) -> Joint:
    """The two angles change places, and what is given per angle with them."""
    limits = joint.limits
    limits = replace(
        limits,
        lower=limits.lower[::-1],
        upper=limits.upper[::-1],
        speed=limits.speed[::-1],
        effort=limits.effort[::-1],
    )
    spring = joint.spring and replace(
        joint.spring, stiffness=joint.spring.stiffness[::-1], rest=joint.spring.rest[::-1]
    )
    friction = joint.friction and replace(
        joint.friction, viscous=joint.friction.viscous[::-1], coulomb=joint.friction.coulomb[::-1]
    )
    return replace(joint, kind=kind, limits=limits, spring=spring, friction=friction, armature=joint.armature[::-1])


def _minus(axis: Vec3) -> Vec3:
    x, y, z = axis
    return (0.0 - x, 0.0 - y, 0.0 - z)
