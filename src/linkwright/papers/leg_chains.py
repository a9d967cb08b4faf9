"""Mechanisms of serial legs and one platform: every leg a chain of joints from the base to the platform."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.joints import JointKind
from linkwright.loops.closure import Closure
from linkwright.mechanism.tree import Link
from linkwright.numerics.tolerances import ROUNDED_RESULT


@dataclass(frozen=True)
class TreeStep:
    """A tree joint on the way outwards, which carries link number `link`, from link `inner` to `outer` (-1: the base).

    `sign` is -1 where the way leads from the joint's child to its parent.
    """

    joint: str
    inner: int
    outer: int
    link: int
    sign: float


@dataclass(frozen=True)
class CutStep:
    """A cut joint on the way outwards, loop number `loop`; otherwise as `TreeStep`."""

    joint: str
    inner: int
    outer: int
    loop: int
    sign: float


Step = TreeStep | CutStep

Chain = tuple[Step, ...]


@dataclass(frozen=True)
class LegChains:
    """The platform's link number and its legs, each a chain of joints from the base to the platform."""

    platform: int
    chains: tuple[Chain, ...]


def leg_chains(closure: Closure, platform: str | None, preferred: str | None = None) -> LegChains:
    """The serial legs that hold a platform; None tries the preferred body, then those with most joints off the base.

    Raises:
        ArgumentError: the mechanism has no such platform; the message gives the reason.
    """
    require_rigid(closure)
    names = [link.name for link in closure.tree.links]
    if closure.couplings:
        raise ArgumentError(f"coupling '{closure.couplings[0].name}' joins legs outside the platform")
    rods = [loop.name for loop in closure.loops if loop.kind.rod_length is not None]
    if rods:
        raise ArgumentError(f"loop '{rods[0]}' is a massless rod, which has no screws; draw it as a body with joints")
    if platform is not None:
        if platform not in names:
            raise ArgumentError(f"platform names '{platform}', which is not a body; the bodies are {', '.join(names)}")
        found, why = _legs_of_platform(closure, names.index(platform))
        if found is None:
            raise ArgumentError(f"'{platform}' is not a platform of serial legs: {why}")
        return found
    reasons = []
    for i in _platform_candidates(closure, preferred):
        found, why = _legs_of_platform(closure, i)
        if found is not None:
            return found
        reasons.append(f"not '{names[i]}', because {why}")
    raise ArgumentError(f"no body is a platform of serial legs: {reasons[0] if reasons else 'nothing moves'}")


def require_rigid(closure: Closure) -> None:
    """Refuse mechanisms with flexible bodies, whose papers are others."""
    for link in closure.tree.links:
        if link.kind.is_of_beam:
            raise ArgumentError(f"joint '{link.joint}' belongs to a flexible body, and this paper's bodies are rigid")
    joints = [(link.joint, link.kind) for link in closure.tree.links]
    for name, kind in [*joints, *((loop.name, loop.kind) for loop in closure.loops)]:
        if kind.velocity_sides is None and kind.nv:
            raise ArgumentError(f"joint '{name}' is a {kind.label} without fixed axes, which this paper does not treat")


def _platform_candidates(closure: Closure, preferred: str | None) -> list[int]:
    edges = _joint_edges(closure)
    degree = {i: sum(i in (a, b) and -1 not in (a, b) for a, b, *_ in edges) for i in closure.tree.bodies}
    order = sorted(closure.tree.bodies, key=lambda i: -degree[i])
    names = [link.name for link in closure.tree.links]
    return sorted(order, key=lambda i: names[i] != preferred)


Edge = tuple[int, int, str, type[TreeStep] | type[CutStep], int]


def _joint_edges(closure: Closure) -> list[Edge]:
    """Every joint as (parent, child, name, step, link or loop); what merely floats in the world is not joined to it."""
    edges: list[Edge] = []
    for i, link in enumerate(closure.tree.links):
        if not (link.kind.floats and link.parent < 0):
            edges.append((link.parent, i, link.joint, TreeStep, i))
    for n, loop in enumerate(closure.loops):
        ends = (loop.far.link, loop.near.link) if loop.flipped else (loop.near.link, loop.far.link)
        edges.append((*ends, loop.name, CutStep, n))
    return edges


def _legs_of_platform(closure: Closure, platform: int) -> tuple[LegChains | None, str]:
    """The legs of a platform, or why there are none."""
    edges, names = _joint_edges(closure), [link.name for link in closure.tree.links]
    used: set[str] = set()
    chains = []
    for edge in [e for e in edges if platform in e[:2]]:
        chain, why = _walk_chain(edges, names, platform, edge)
        if chain is None:
            return None, why
        used |= {step.joint for step in chain}
        chains.append(chain)
    left = [name for _, _, name, _, _ in edges if name not in used]
    if left:
        return None, f"joint '{left[0]}' is on none of its legs"
    if len(chains) < 2:
        return None, f"it has {len(chains)} leg, and a closed loop needs two"
    return LegChains(platform, tuple(sorted(chains, key=lambda chain: _first_speed(closure, chain)))), ""


def _first_speed(closure: Closure, chain: Chain) -> int:
    """Index of a chain's first joint among the file's joints; a cut joint at the base comes last."""
    first = chain[0]
    return closure.tree.dofs[first.link].start if isinstance(first, TreeStep) else closure.tree.nv


def _walk_chain(edges: list[Edge], names: list[str], platform: int, edge: Edge) -> tuple[Chain | None, str]:
    """The chain that ends in one of the platform's joints, base first."""
    steps: list[Step] = []
    outer = platform
    while True:
        parent, child, name, step_type, number = edge
        if any(step.joint == name for step in steps):
            return None, f"the leg at joint '{steps[0].joint}' comes back to it"
        inner = parent if outer == child else child
        steps.append(step_type(name, inner, outer, number, 1.0 if outer == child else -1.0))
        if inner < 0:
            return tuple(reversed(steps)), ""
        others = [e for e in edges if inner in e[:2] and e[2] != name]
        if inner == platform or len(others) != 1:
            return None, f"its leg branches or ends at body '{names[inner]}', which has {len(others) + 1} joints"
        edge, outer = others[0], inner


def motion_plane_normal(closure: Closure) -> Vec | None:
    """The normal of the plane in which all links move, world axes, or None for a mechanism that moves in space.

    Only joints that keep the normal count: turns about it, slides across it.
    """
    first = _first_normal(closure)
    if first is None:
        return None
    normals = {-1: first}
    for i in closure.tree.outward:
        link = closure.tree.links[i]
        seen = link.R.T @ normals[link.parent]
        if not _is_planar_link(link, seen):
            return None
        normals[i] = seen
    for loop in closure.loops:
        near, far = (end.at.R.T @ normals[end.link] for end in (loop.near, loop.far))
        if not all(_along_z(n) for n in (near, far)) or not _turns_about_z(loop.kind):
            return None
    return normals[-1]


def _first_normal(closure: Closure) -> Vec | None:
    for link in closure.tree.links:
        if link.parent < 0 and _turns_about_z(link.kind):
            return link.R @ np.array([0.0, 0.0, 1.0])
    return None


def _is_planar_link(link: Link, normal: Vec) -> bool:
    elements = [kind for kind, _ in link.kind.elements] if link.kind.elements is not None else None
    if elements in (["turn"], ["slide", "slide", "turn"]):
        return _along_z(normal)
    if elements == ["slide"]:
        return abs(normal[2]) < ROUNDED_RESULT and not any(link.offsets)
    return elements == []


def _turns_about_z(kind: JointKind) -> bool:
    return kind.elements == (("turn", 0),)


def _along_z(normal: Vec) -> bool:
    return bool(abs(abs(normal[2]) - 1.0) < ROUNDED_RESULT)


def twist_reduction(closure: Closure) -> Mat:
    """Rows that pick a twist's own components: (6, 6), or (3, 6) with [omega, v] in the plane of a planar mechanism."""
    normal = motion_plane_normal(closure)
    if normal is None:
        return np.eye(6)
    n = normal * np.sign(normal[np.argmax(np.abs(normal))])
    x = np.eye(3)[(int(np.argmax(np.abs(n))) + 1) % 3]
    x = x - (x @ n) * n
    x = x / np.sqrt(x @ x)
    rows = np.zeros((3, 6))
    rows[0, :3], rows[1, 3:], rows[2, 3:] = n, x, np.cross(n, x)
    return rows
