"""Mechanisms of legs and one platform: which joints belong to which leg."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.loops.closure import Closure
from linkwright.loops.frames import JointFrame
from linkwright.mechanism.tree import Tree


@dataclass(frozen=True)
class Leg:
    """One leg: its loop, the rows of its closure equations and the speeds of its own joints."""

    loop: int
    rows: tuple[int, ...]
    speeds: tuple[int, ...]


@dataclass(frozen=True)
class LegsAndPlatform:
    """Legs that each hold a floating platform by a spherical joint, with as many speeds as the ball has equations."""

    platform: int
    legs: tuple[Leg, ...]


def legs_and_platform(closure: Closure) -> LegsAndPlatform | None:
    """The legs of a mechanism whose loops all join a leg (near side) to one floating body by a spherical joint."""
    tree = closure.tree
    platforms = {loop.far.link for loop in closure.loops}
    balls = all(loop.kind.turns_about_point for loop in closure.loops)
    if len(platforms) != 1 or not balls or closure.couplings or closure.kept is not None or tree.cut_rotors:
        return None
    (platform,) = platforms
    if platform < 0 or not tree.links[platform].kind.floats or tree.parent[platform] >= 0:
        return None
    if tree.links[platform].reversed:  # its velocities are not the platform's own twist
        return None
    legs = [
        Leg(i, (3 * i, 3 * i + 1, 3 * i + 2), _velocities_to_base(tree, loop.near))
        for i, loop in enumerate(closure.loops)
    ]
    used = [d for leg in legs for d in leg.speeds]
    own = range(tree.dofs[platform].start, tree.dofs[platform].stop)
    complete = sorted([*used, *own]) == list(range(tree.nv))
    return LegsAndPlatform(platform, tuple(legs)) if complete and all(len(k.speeds) == 3 for k in legs) else None


def _velocities_to_base(tree: Tree, end: JointFrame) -> tuple[int, ...]:
    """Speeds of the joints between an end and the base."""
    chain = tree.ancestors(end.link) if end.link >= 0 else ()
    return tuple(sorted(d for i in chain for d in range(tree.dofs[i].start, tree.dofs[i].stop)))
