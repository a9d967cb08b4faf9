"""Bodies, limits and connections that look wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.compiler import evaluate
from linkwright.findings import Finding
from linkwright.forces import PointForce
from linkwright.functions import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.motions import Motions, motion_description
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import list_of_names
from linkwright.mechanism.records import Body
from linkwright.mechanism.validation import body_doubts, body_part, joint_part
from linkwright.model.limits import LimitViolation
from linkwright.numerics.tolerances import MASSLESS, PARALLEL_AXES
from linkwright.plans.scales import characteristic_length
from linkwright.recursion.poses import link_poses
from linkwright.recursion.relative_motion import attached_pose

_PLACEHOLDER = 1e-6
_FAR = 10.0


def body_findings(mech: Mechanism) -> Iterator[Finding]:
    """Bodies without mass, with placeholder masses, or with mass far from where their joints are."""
    beams = {name for j in mech.joints if j.kind.is_of_beam for name in (j.parent, j.child)}
    bodies = [b for b in mech.bodies if b.name not in beams]
    none = [b.name for b in bodies if b.inertia.mass == 0.0 and not np.any(b.inertia.tensor)]
    if without_mass(mech):
        yield Finding(
            "no-mass",
            "no body of the mechanism has a mass, so that it has kinematics and no dynamics",
            "give the bodies masses, or leave them out if only positions and velocities are asked for",
            "warning",
            value=len(none),
        )
    elif none:
        yield Finding(
            "massless",
            f"{list_of_names('body', 'bodies', none)} {'has' if len(none) == 1 else 'have'} no mass and no inertia",
            "give each a mass, or leave it if it only holds joints together",
            "remark",
            none[0],
            none,
        )
    heaviest = max((b.inertia.mass for b in bodies), default=0.0)
    for body in bodies:
        yield from _implausible_masses(mech, body, heaviest)


def without_mass(mech: Mechanism) -> bool:
    """Whether no body has mass or inertia, and no link bends."""
    return (
        bool(mech.bodies)
        and not any(body.inertia.mass or np.any(body.inertia.tensor) for body in mech.bodies)
        and not any(joint.kind.is_of_beam for joint in mech.joints)
    )


def _implausible_masses(mech: Mechanism, body: Body, heaviest: float) -> Iterator[Finding]:
    yield from body_doubts(body)
    part, mass, size = body_part(body.name), body.inertia.mass, _body_extent(mech, body)
    if not mass:
        if np.any(body.inertia.tensor) or any(body.inertia.com):
            has = "an inertia" if np.any(body.inertia.tensor) else "a mass center"
            yield part.doubt(
                "missing-mass", f"has {has} and no mass", "was the mass forgotten? Write 'mass: 1 kg'", mass
            )
        return
    if mass < _PLACEHOLDER * heaviest:
        text = f"weighs {mass:.3g} kg beside a heaviest body of {heaviest:.3g} kg"
        fix = "if this is a placeholder, set it to 0 or to its real mass; check the unit"
        yield part.doubt("placeholder-mass", text, fix, mass)
    away = float(np.linalg.norm(body.inertia.com))
    if away > _FAR * size:
        text = f"has its mass center {away:.3g} m from its origin and is about {size:.3g} m large"
        yield part.doubt("far-mass-center", text, "check the unit of com; write '120 mm' for millimeters", away)
    gyration = float(np.sqrt(max(np.linalg.eigvalsh(np.array(body.inertia.tensor, dtype=float))[-1], 0.0) / mass))
    if gyration > _FAR * size:
        text = f"has the radius of gyration {gyration:.3g} m and is about {size:.3g} m large"
        fix = "check the unit of its inertia, kg m^2 about the mass center"
        yield part.doubt("wide-inertia", text, fix, gyration)


def _body_extent(mech: Mechanism, body: Body) -> float:
    """Largest distance of a joint or frame from the body's origin, at least the mechanism's mean arm [m]."""
    points = [j.at.xyz for j in (*mech.joints, *mech.loops) if j.parent == body.name]
    points += [j.child_at.xyz for j in (*mech.joints, *mech.loops) if j.child == body.name]
    points += [f.pose.xyz for f in mech.frames if f.body == body.name]
    return max([float(np.linalg.norm(p)) for p in points] + [characteristic_length(mech)])


def find_massless_motion(motions: Motions) -> Iterator[Finding]:
    """A motion that moves no mass has no acceleration."""
    if not motions.mobility or without_mass(motions.setup.mech):
        return
    M = evaluate(Kernels(motions.setup).program(tree_functions.mass_matrix), motions.q)
    T = motions.bases * motions.units[:, None]
    values, vectors = np.linalg.eigh(T.transpose(0, 2, 1) @ M @ T)
    scale = np.abs(np.diagonal(T.transpose(0, 2, 1) @ M @ T, axis1=1, axis2=2)).max(axis=1)
    if np.all(values[:, 0] <= MASSLESS * scale):
        motion = motion_description(motions.names, motions.bases[0] @ vectors[0, :, 0])
        yield Finding(
            "massless-motion",
            f"the motion of {motion} moves no mass, so forward dynamics has no solution",
            "give the bodies it moves a mass or an inertia (a rod's spin needs one about its axis)",
        )


def limit_findings(exceeded: tuple[LimitViolation, ...], mech: Mechanism) -> Iterator[Finding]:
    """Limits the home pose breaks, and limits that leave no range."""
    for each in exceeded:
        fix = "change the home pose or the limit; lengths are meters and angles radians unless a unit is written"
        yield Finding("limit-exceeded", f"at home {each}", fix, subject=each.subject, value=each.value)
    for joint in (*mech.joints, *mech.loops):
        if any(low == high for low, high in zip(joint.limits.lower, joint.limits.upper, strict=False)):
            text, fix = (
                "has equal lower and upper limits, so it may not move",
                "make it a fixed joint, or widen the limits",
            )
            yield joint_part(joint).doubt("equal-limits", text, fix)


def separate_parts(mech: Mechanism) -> tuple[tuple[str, ...], ...]:
    """Groups of bodies that joints, loops, couplings and force elements connect without going through the base."""
    part = {name: name for name in mech.names}
    child = {j.name: j.child for j in mech.joints}
    pairs = [(j.parent, j.child) for j in (*mech.joints, *mech.loops)]
    pairs += [(force.ends[0][0], force.ends[1][0]) for force in mech.forces if force.ends]
    for c in mech.couplings:
        pairs += [(child[c.terms[0][0]], child[name]) for name, _ in c.terms[1:]]
    for a, b in pairs:
        if mech.base not in (a, b) and part[a] != part[b]:
            old, new = part[b], part[a]
            part = {name: new if p == old else p for name, p in part.items()}
    return tuple(tuple(n for n in mech.names if part[n] == p) for p in dict.fromkeys(part.values()))


def part_findings(mech: Mechanism, parts: tuple[tuple[str, ...], ...]) -> Iterator[Finding]:
    """Loops that stand apart from others; limbs of a tree are no reason."""
    looped = {name for joint in mech.loops for name in (joint.parent, joint.child)}
    if sum(bool(looped.intersection(part)) for part in parts) > 1:
        shown = "; ".join(
            ", ".join(f"'{name}'" for name in part[:4]) + (" ..." if len(part) > 4 else "") for part in parts[:4]
        )
        yield Finding(
            "separate-parts",
            f"the mechanism falls into {len(parts)} parts that share nothing but the base: {shown}",
            "if they are meant to be one mechanism, add the missing joint or loop; else check each in its own file",
            "warning",
            value=len(parts),
        )


def coincident_ends(kernels: Kernels, q: np.ndarray) -> Iterator[Finding]:
    """Force elements whose ends coincide at coordinates q (nq,), the home."""
    mech = kernels.setup.mech
    forces = [force for force in mech.forces if isinstance(force, PointForce)]
    if not forces:
        return
    poses = dict(zip(mech.names, link_poses(kernels.here.tree, q), strict=True))
    links = {link.name: link for link in kernels.here.tree.links}

    def end(body: str, at: Vec3) -> np.ndarray:
        if body == mech.base:
            return np.array(at)
        return attached_pose(poses[body], links[body].body @ RigidTransform.of(at)).r

    for force in forces:
        distance = float(np.linalg.norm(end(force.child, force.child_at) - end(force.parent, force.at)))
        if distance < PARALLEL_AXES * characteristic_length(mech):
            pull = "it pulls with no force there" if force.may_vanish else "it pushes in no direction there"
            title = f"{type(force).__name__.lower()} '{force.name}'"
            yield Finding(
                "coincident-ends",
                f"the two ends of {title} are in one point at home, so that {pull}",
                "check its 'at' and 'child_at', each in the frame of its own body; a spring in a joint is its 'spring'",
                "warning" if force.may_vanish else "error",
                force.name,
                distance,
            )


def loose_chains(mech: Mechanism) -> list[str]:
    """Bodies at which chains end in the air: no joint, force, frame or actuator follows, and no loop holds them."""
    held = {name for joint in (*mech.loops, *mech.open_loops) for name in (joint.parent, joint.child)}
    held |= {joint.parent for joint in mech.joints} | {frame.body for frame in mech.frames}
    held |= {body for force in mech.forces for body, _ in force.ends}
    driven = {actuator.joint for actuator in mech.actuators}
    coupled = {name for coupling in mech.couplings for name, _ in coupling.terms}
    return [
        joint.child
        for joint in mech.joints
        if joint.child not in held and joint.name not in driven | coupled and joint.kind.nv and joint.spring is None
    ]
