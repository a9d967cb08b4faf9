"""Mechanisms of legs and one platform: which joints belong to which leg, and plans for legs in closed form."""

from __future__ import annotations

from typing import Literal

from linkwright.dataclass import dataclass
from linkwright.loops.chains_between import Edge
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import JointFrame
from linkwright.mechanism.tree import Tree

# --- mechanisms of legs and one platform: which joints belong to which leg --------------------------------------------


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


# --- plans for legs in closed form ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InvariantSurface:
    """A plane or a sphere that some joints of a chain leave invariant, by the numbers of elements that define it.

    Of a plane the normal is an element's axis, the cross product of two, or (`twice`) of the first with that; of a
    sphere the center is the point of an element's axis, or where two axes meet.
    """

    kind: Literal["plane", "sphere"]
    elements: tuple[int, ...]
    twice: bool = False


@dataclass(frozen=True)
class LegStep:
    """An equation for one joint of a chain alone: the last one, or the first one, and the surface it comes from."""

    last: bool
    surface: InvariantSurface


@dataclass(frozen=True)
class LegPlan:
    """The way to solve a chain of joints.

    Attributes:
        name: of the leg in messages.
        start: link at which the chain begins, -1 for the base. edges: its joints.
        positioned: how many of its elements are found from a point; the others from a rotation.
        meet: elements whose axes meet in this point; () for the point of a frame.
        steps: equations of the elements found from a point, one less than these.
        turns: those of the elements found from a rotation, where there are three.
        floating: the chain is a single joint with all freedoms.
        spinning: a part of the chain spins idly between two rotations about points, the second of which ends it.
    """

    name: str
    start: int
    edges: tuple[Edge, ...]
    positioned: int = 0
    meet: tuple[int, ...] = ()
    steps: tuple[LegStep, ...] = ()
    turns: tuple[LegStep, ...] = ()
    floating: bool = False
    spinning: bool = False


@dataclass(frozen=True)
class GivenPose:
    """The part of a frame's pose that is given; the rest never changes.

    Attributes:
        turns: components rx ry rz (0 to 2) that are given: all, one or none; None where the orientation is not known.
        home: rotation of the frame at home, by rows; along or without given turns it never changes otherwise.
        position: coordinates x y z of the frame, None where they are given.
    """

    turns: tuple[int, ...] | None
    home: tuple[tuple[float, ...], ...]
    position: tuple[float | None, ...]


@dataclass(frozen=True)
class LegPlans:
    """Legs in the order in which they are solved.

    Attributes:
        pose: what is known of the frame; None where coordinates are given.
        links: links whose coordinates are given, each after its parent.
        legs: the plans.
    """

    pose: GivenPose | None
    links: tuple[int, ...]
    legs: tuple[LegPlan, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the legs that may be out of reach."""
        return tuple(leg.name for leg in self.legs if not leg.floating)
