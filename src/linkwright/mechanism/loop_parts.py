"""The part of a mechanism that some joints share: the bodies of their loops, cut out of the robot around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from linkwright.algebra.transforms import IDENTITY
from linkwright.errors import ArgumentError, MechanismError
from linkwright.forces.element import ForceElement, JointForce
from linkwright.joints import Revolute, Spherical
from linkwright.mechanism.expressions import Formulas
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Body, Joint
from linkwright.numerics.tolerances import TINY, WRITTEN_DIGITS

_WEIGHTLESS = 1e-6  # of the heaviest body: masses of frames in files
_IN_SPACE = 0.1  # determinant of three axes that are far from lying in a plane


def part_of_joints(mech: Mechanism, names: Sequence[str]) -> Mechanism:
    """The part of a mechanism that moves with some joints: the loops in which they are, and what is fixed to those.

    Joints are in one part if a chain of loops or couplings links them. Everything else is left out: what the part
    carries by other joints, and what carries the part, but for its base, the body next to the root, which stands still.
    Gravity is zero, because the base may have any orientation.

    Args:
        mech: for instance a humanoid with loops in its ankles.
        names: of joints.

    >>> from linkwright import catalog
    >>> part = part_of_joints(catalog.load("four-bar"), ["theta"])
    >>> part.base, [joint.name for joint in (*part.joints, *part.loops)]
    ('ground', ['theta', 'alpha_rel', 'phi', 'B'])
    """
    drawn = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    for name in names:
        if name not in drawn:
            raise ArgumentError(f"'{mech.name}' has no joint '{name}'{suggest_name(name, drawn)}")
    kept = _joints_of_one_part(mech, names)
    kept |= _fixed_neighbors(mech, kept)
    base = _root_of_part(mech, kept)
    return _cut_out(mech, kept, base)


def _joints_of_one_part(mech: Mechanism, names: Sequence[str]) -> set[str]:
    """Names of all joints that chains of loops and couplings link to the named ones."""
    above = {joint.child: joint for joint in mech.joints}
    groups = {joint.name: {joint.name} for joint in (*mech.joints, *mech.loops)}
    for cycle in (*_cycles(mech, above), *([joint for joint, _ in each.terms] for each in mech.couplings)):
        merged = set().union(*(groups[name] for name in cycle))
        groups |= dict.fromkeys(merged, merged)
    return set().union(*(groups[name] for name in names))


def _cycles(mech: Mechanism, above: dict[str, Joint]) -> Iterator[list[str]]:
    """Joints around every loop: the one that closes it, and those of the tree between its bodies."""
    for loop in mech.loops:
        ways = [_way_to_root(body, above) for body in (loop.parent, loop.child)]
        shared = {joint.name for joint in ways[0]} & {joint.name for joint in ways[1]}
        yield [loop.name, *(joint.name for way in ways for joint in way if joint.name not in shared)]


def _way_to_root(body: str, above: dict[str, Joint]) -> list[Joint]:
    way = []
    while body in above:
        way.append(above[body])
        body = above[body].parent
    return way


def _fixed_neighbors(mech: Mechanism, kept: set[str]) -> set[str]:
    """Fixed joints that hang bodies at the kept ones, and at those again."""
    bodies = _carried_bodies(mech, kept)
    more: set[str] = set()
    while pending := [x for x in mech.joints if x.kind.nv == 0 and x.parent in bodies and x.name not in kept | more]:
        more |= {x.name for x in pending}
        bodies |= {x.child for x in pending}
    return more


def _carried_bodies(mech: Mechanism, kept: Iterable[str]) -> set[str]:
    return {joint.child for joint in mech.joints if joint.name in kept}


def _root_of_part(mech: Mechanism, kept: set[str]) -> str:
    """The one body of the part that none of its joints carries."""
    above, carried = {joint.child: joint for joint in mech.joints}, _carried_bodies(mech, kept)
    joints = [joint for joint in (*mech.joints, *mech.loops) if joint.name in kept]
    roots = {body for joint in joints for body in (joint.parent, joint.child)} - carried
    for body in sorted(roots):  # bodies that are fixed to each other are one
        held = []
        for joint in _way_to_root(body, above):
            if joint.kind.nv:
                break
            held.append(joint)
            if joint.parent in roots:
                kept |= {x.name for x in held}
                roots = roots - {body}
                break
    if len(roots) > 1:
        raise MechanismError(
            f"the joints you named hang at several bodies, {', '.join(sorted(roots))}, which other joints move against "
            "each other: name the joints of one transmission, and export one after the other"
        )
    return roots.pop()


def _cut_out(mech: Mechanism, kept: set[str], base: str) -> Mechanism:
    carried = _carried_bodies(mech, kept)
    bodies = {*carried, base}
    held = next((body for body in mech.bodies if body.name == base), None)
    own = Body(base, mech.base_inertia, mech.base_shapes) if held is None else held
    return Mechanism(
        name=mech.name,
        bodies=tuple(body for body in mech.bodies if body.name in carried),
        joints=tuple(joint for joint in mech.joints if joint.name in kept),
        loops=tuple(joint for joint in mech.loops if joint.name in kept),
        couplings=tuple(each for each in mech.couplings if each.terms[0][0] in kept),
        forces=tuple(each for each in mech.forces if _is_within(each, bodies, kept)),
        frames=tuple(frame for frame in mech.frames if frame.body in bodies),
        actuators=tuple(actuator for actuator in mech.actuators if actuator.joint in kept),
        platform=mech.platform if mech.platform in bodies else None,
        base=base,
        base_shapes=own.shapes,
        base_inertia=own.inertia,
        gravity=(0.0, 0.0, 0.0),
        home=tuple((name, values) for name, values in mech.home if name in kept),
        source=mech.source,
        license=mech.license,
        formulas=Formulas(),
    )


def _is_within(force: ForceElement, bodies: set[str], joints: set[str]) -> bool:
    if isinstance(force, JointForce):
        return force.joint in joints
    return {body for body, _ in force.ends} <= bodies


def bodies_carried_by(mech: Mechanism, names: Sequence[str]) -> Mechanism | None:
    """The tree of some joints alone, with the bodies that these and fixed joints carry; None if others lie between."""
    above, kept = {joint.child: joint for joint in mech.joints}, {*names}
    for joint in mech.joints:
        if joint.name in names:
            way = _way_to_root(joint.parent, above)
            if any(each.kind.nv and each.name not in kept for each in way):
                return None
            kept |= {each.name for each in way}
    if not {*names} <= {joint.name for joint in mech.joints}:
        return None
    tree = replace(mech, loops=(), couplings=(), actuators=(), forces=())
    kept |= _fixed_neighbors(tree, kept)
    part = _cut_out(tree, kept, mech.base)
    return replace(part, home=tuple(x for x in part.home if x[0] in kept))


def with_merged_turns(mech: Mechanism, names: Sequence[str]) -> Mechanism:
    """The mechanism with a spherical joint where three hinges of passing axes and two weightless bodies stand for one.

    Formats without spherical joints write them so. Three hinges lose a freedom at some angles, and the spin of a rod
    between two such chains is not seen as idle. The joint takes the name of the first hinge; their ranges are left out.

    Args:
        mech: any mechanism.
        names: of joints that stay as they are, as do all that actuators drive.
    """
    kept = {*names, *(actuator.joint for actuator in mech.actuators), *(name for name, _ in mech.home)}
    kept |= {name for each in mech.couplings for name, _ in each.terms}
    kept |= {force.joint for force in mech.forces if isinstance(force, JointForce)}
    ends = [*(x for loop in mech.loops for x in (loop.parent, loop.child)), *(frame.body for frame in mech.frames)]
    ends += [body for force in mech.forces if not isinstance(force, JointForce) for body, _ in force.ends]
    heaviest = max((body.inertia.mass for body in mech.bodies), default=0.0)
    light = {body.name for body in mech.bodies if body.inertia.mass <= _WEIGHTLESS * heaviest} - {*ends}
    carried: dict[str, list[Joint]] = {}
    for joint in mech.joints:
        carried.setdefault(joint.parent, []).append(joint)
    merged: dict[str, Joint | None] = {}
    for first in mech.joints:
        chain = [first]
        while len(chain) < 3 and chain[-1].child in light and len(carried.get(chain[-1].child, ())) == 1:
            chain.append(carried[chain[-1].child][0])
        taken = any(joint.name in merged or joint.name in kept for joint in chain)
        if len(chain) == 3 and not taken and _turn_about_one_point(chain):
            merged |= {chain[0].name: _spherical_joint(chain), chain[1].name: None, chain[2].name: None}
    gone = {joint.child for joint in mech.joints if merged.get(joint.name, joint) is not joint} - {
        each.child for each in merged.values() if each is not None
    }
    joints = [merged.get(joint.name, joint) for joint in mech.joints]
    return replace(
        mech,
        bodies=tuple(body for body in mech.bodies if body.name not in gone),
        joints=tuple(joint for joint in joints if joint is not None),
    )


def _turn_about_one_point(chain: Sequence[Joint]) -> bool:
    """Return True for plain hinges whose axes meet and do not lie in a plane at rest."""
    plain = all(
        isinstance(joint.kind, Revolute) and not (joint.reversed or joint.spring or joint.friction or joint.armature)
        for joint in chain
    )
    if not plain:
        return False
    frames, pose = [], IDENTITY
    for joint in chain:
        frames.append(pose @ joint.at)
        pose = frames[-1] @ joint.child_at.inverse
    length = max(float(np.abs(frame.r).max()) for frame in frames)
    meet = max(float(np.abs(frame.r - frames[0].r).max()) for frame in frames) <= WRITTEN_DIGITS * max(length, TINY)
    axes = [frame.R @ np.array(joint.kind.axis) for frame, joint in zip(frames, chain, strict=True)]  # type: ignore[attr-defined]
    return meet and abs(float(np.linalg.det(np.array(axes)))) > _IN_SPACE


def _spherical_joint(chain: Sequence[Joint]) -> Joint:
    """The joint that has the same pose at rest."""
    first, _, last = chain
    pose = IDENTITY
    for joint in chain:
        pose = pose @ joint.at @ joint.child_at.inverse
    return Joint(first.name, first.parent, last.child, Spherical(), pose @ last.child_at, last.child_at)
