"""The same mechanism drawn with other cuts: another spanning tree of its joints, some of them turned round."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linkwright.joints import Distance, Floating, Prismatic, Revolute, Spherical, Universal
from linkwright.mechanism import Joint, Mechanism
from tests.loops.worlds import Moving, coordinates


def turned_round(joint: Joint) -> Joint:
    """The same joint seen from its child; coordinates of one speed keep their sign."""
    kind = joint.kind
    match kind:
        case Revolute(axis) | Prismatic(axis):
            kind = replace(kind, axis=_minus(axis))
        case Universal(first, second):
            kind = Universal(_minus(second), _minus(first))
        case Spherical():
            pass
        case _:
            raise NotImplementedError(kind)
    return replace(joint, parent=joint.child, child=joint.parent, kind=kind, at=joint.child_at, child_at=joint.at)


def _minus(axis):
    return tuple(-x + 0.0 for x in axis)


def spanned(mech: Mechanism, order: list[Joint], world: dict[str, Moving]) -> Mechanism:
    """The mechanism with the first joints in `order` that make no loop as its tree; home is where `world` stands.

    A floating joint that is not needed restrains nothing and is left out.
    """
    group = {name: name for name in (*mech.names, mech.base)}

    def root(name: str) -> str:
        return name if group[name] == name else root(group[name])

    tree = []
    for joint in order:
        if not isinstance(joint.kind, Distance) and root(joint.parent) != root(joint.child):
            group[root(joint.parent)] = root(joint.child)
            tree.append(joint)
    loops = tuple(j for j in (*mech.joints, *mech.loops) if j not in tree and not isinstance(j.kind, Floating))
    drawn = replace(mech, joints=tuple(_outward(mech.base, tree)), loops=loops, home=())
    return replace(drawn, home=tuple((j.name, tuple(map(float, coordinates(j, world)[0]))) for j in drawn.joints))


def _outward(base: str, tree: list[Joint]) -> Iterator[Joint]:
    """Tree joints from the base to the tips, turned round where needed."""
    front, rest = deque([base]), list(tree)
    while front:
        body = front.popleft()
        for joint in [j for j in rest if body in (j.parent, j.child)]:
            rest.remove(joint)
            outward = joint if joint.parent == body else turned_round(joint)
            front.append(outward.child)
            yield outward


def cuts(mech: Mechanism, world: dict[str, Moving], most: int, alike: bool, tries: int = 400) -> Iterator[Mechanism]:
    """Up to `most` different cuts, seeded; `alike` takes cuts that differ by an exchange of legs as one."""
    rng, seen = np.random.default_rng(7), set()
    joints = [*mech.joints, *mech.loops]
    for _ in range(tries):
        order = [joints[i] for i in rng.permutation(len(joints))]
        fresh = spanned(mech, order, world)
        key = signature(fresh, alike)
        if key not in seen:
            seen.add(key)
            yield fresh
        if len(seen) == most:
            return


def signature(mech: Mechanism, alike: bool) -> tuple[str, ...]:
    """The joints cut and whether the platform floats; without the legs' numbers when legs are alike."""
    floating = [j.name for j in mech.joints if isinstance(j.kind, Floating)]
    words = [f"{j.name} {j.parent} {j.child}" if not alike else _bare(j) for j in mech.loops]
    return (*floating, *sorted(words))


def _bare(joint: Joint) -> str:
    kind = type(joint.kind).__name__
    return kind + "".join(sorted(re.sub(r"\d+[ab]?$", "", name) for name in (joint.parent, joint.child)))
