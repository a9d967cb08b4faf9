"""Finds everything wrong with a mechanism at once; each finding names the thing, the value and the way out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from unicodedata import category

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.transforms import UPRIGHT, RigidTransform
from linkwright.checks import quote_value
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.findings import Finding, Severity
from linkwright.forces import Friction
from linkwright.forces.element import ForceElement, JointForce, PointForce
from linkwright.generated_text import on_one_line
from linkwright.joints.kind import LARGEST
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Actuator, Body, Coupling, Frame, Inertia, Joint, Limits, Parts
from linkwright.mechanism.shapes import drawn_sizes
from linkwright.mechanism.type_checks import wrong_type
from linkwright.numerics.tolerances import (
    NO_DIRECTION,
    ORTHONORMAL,
    QUATERNION_NORM,
    ROUNDED_INERTIA,
    SYMMETRIC_INERTIA,
    WRITTEN_DIGITS,
)

MOST_FINDINGS = 200


_POWERS = 8  # at most so many factors of a coupling's curve


def require_sound(mech: Parts) -> None:
    """Raise a `MechanismError` that holds every problem of the mechanism; of wrong types only the first."""
    if (found := wrong_type(mech)) is not None:
        require_none(quote_value(mech.name).strip("'"), [found])
    require_none(mech.name, problems_of_mechanism(mech))


def require_none(name: str, found: Iterable[Finding]) -> None:
    """Raise a `MechanismError` about the named mechanism if anything was found; it lists the first of very many."""
    found = tuple(islice(found, MOST_FINDINGS))
    if found:
        raise MechanismError(f"mechanism '{on_one_line(name)}': " + "; ".join(map(str, found)), found)


@dataclass(frozen=True)
class NamedPart:
    """A named part of a mechanism; makes findings about it."""

    title: str
    section: str
    name: str

    def wrong(self, code: str, message: str, fix: str = "", value: Any = None) -> Finding:
        """An error about this part."""
        return self._find_part("error", code, message, fix, value)

    def doubt(self, code: str, message: str, fix: str = "", value: Any = None) -> Finding:
        """A warning about this part."""
        return self._find_part("warning", code, message, fix, value)

    def _find_part(self, severity: Severity, code: str, message: str, fix: str, value: Any) -> Finding:
        path = (self.section, self.name)
        return Finding(code, f"{self.title} {message}", fix, severity, self.name, value, path)


def joint_part(joint: Joint) -> NamedPart:
    """The joint as the subject of findings."""
    return NamedPart(f"joint '{joint.name}'", "joints", joint.name)


def body_part(name: str) -> NamedPart:
    """The body as the subject of findings."""
    return NamedPart(f"body '{name}'", "bodies", name)


def problems_of_mechanism(mech: Parts) -> Iterator[Finding]:
    """Every problem of a mechanism."""
    yield from _name_problems(mech)
    bodies = dict.fromkeys((*mech.names, mech.base))
    joints = {j.name: j for j in (*mech.joints, *mech.loops, *mech.open_loops)}
    for body in (*mech.bodies, Body(mech.base, mech.base_inertia)):
        yield from body_problems(body)
    for joint in joints.values():
        yield from joint_problems(joint)
        yield from _bodies_of(joint_part(joint), joint, bodies)
    for frame in mech.frames:
        yield from _frame_problems(frame, bodies)
    for actuator in mech.actuators:
        yield from _invalid_actuator_problems(actuator, joints, {j.name for j in mech.open_loops})
    for force in mech.forces:
        yield from _force_problems(force, bodies, joints)
    for coupling in mech.couplings:
        yield from _coupling_problems(coupling, {j.name: j for j in mech.joints})
    yield from _whole_mechanism_problems(mech)
    yield from _unreached_body_problems(mech)


def _name_problems(mech: Parts) -> Iterator[Finding]:
    groups = {
        "bodies": [*mech.names, mech.base],
        "joints": [j.name for j in (*mech.joints, *mech.loops, *mech.open_loops)],
        **{section: [x.name for x in mech.forces if x.section == section] for section in _force_sections(mech)},
        "couplings": [c.name for c in mech.couplings],
        "frames": [f.name for f in mech.frames],
        "actuators": [a.name for a in mech.actuators],
    }
    for group, names in groups.items():
        for name, count in Counter(names).items():
            if not isinstance(name, str) or not name:
                fix = "give it a name that is a non-empty text"
                yield Finding("no-name", f"one of the {group} has the name {name!r}", fix, value=name, path=(group,))
            elif not name.isprintable():
                text, fix = f"one of the {group} has the name {name!r}, with control characters", "leave them out"
                yield Finding("no-name", text, fix, value=name, path=(group,))
            elif count > 1:
                text, fix = f"{count} {group} are called '{name}'", "give each its own name"
                yield Finding("name-taken", text, fix, subject=name, value=count, path=(group, name))
    yield from _text_problems(mech)


def _text_problems(mech: Parts) -> Iterator[Finding]:
    """Characters that would steer a terminal in texts that are printed: the mechanism's name, source and license."""
    fix = "leave them out"
    if not mech.name.isprintable():
        text = f"the mechanism has the name {quote_value(mech.name)}, with control characters or line ends"
        yield Finding("no-name", text, fix, value=mech.name, path=("name",))
    for title, words in (("source", mech.source), ("license", mech.license)):
        steering = dict.fromkeys(c for c in words if not c.isprintable() and c not in "\n\t" and category(c) != "Zs")
        if steering:
            which = ", ".join(f"U+{ord(c):04X}" for c in islice(steering, 6))
            text = f"the text of {title} has control characters or marks of direction ({which})"
            yield Finding("unprintable-text", text, fix, subject=title, value=which, path=(title,))


def body_problems(body: Body) -> Iterator[Finding]:
    """Masses, inertias and drawn sizes no real body has."""
    part = body_part(body.name)
    for name, size in drawn_sizes(body.shapes):
        if not 0.0 <= size < np.inf:
            yield part.wrong("bad-size", f"is drawn with a {name} of {size:g} m", "sizes are zero or positive", size)
    if not math.isfinite(body.gravity_compensation):
        share = body.gravity_compensation
        yield part.wrong("not-finite", f"has the gravity compensation {share}", "give a finite number", share)
    inertia = body.inertia
    if _is_plain(inertia):
        return
    tensor = np.array(inertia.tensor, dtype=float)
    if tensor.shape != (3, 3) or np.shape(inertia.com) != (3,):
        text = f"has an inertia tensor of shape {tensor.shape} and a mass center of shape {np.shape(inertia.com)}"
        yield part.wrong("wrong-count", text, "give 3 x 3 and 3 numbers", [tensor.shape, np.shape(inertia.com)])
        return
    numbers = np.array([inertia.mass, *inertia.com, *tensor.ravel()], dtype=float)
    if not np.all(np.isfinite(numbers)):
        text = "has a mass, mass center or inertia that is not a finite number"
        yield part.wrong("not-finite", text, "write plain numbers")
        return
    if np.abs(numbers).max() > LARGEST:
        yield too_large(part, "mass, mass center or inertia", float(np.abs(numbers).max()))
        return
    if inertia.mass < 0:
        text = f"has the negative mass {inertia.mass:g} kg"
        yield part.wrong("negative-mass", text, "masses are zero or positive", inertia.mass)
    if not np.allclose(tensor, tensor.T, rtol=SYMMETRIC_INERTIA, atol=ROUNDED_INERTIA):
        text = "has an inertia tensor that is not symmetric"
        yield part.wrong("asymmetric-inertia", text, "give Ixy = Iyx and so on", tensor.tolist())
        return
    principal, slack = _principal_moments(body)
    if principal[0] < -slack:
        text = f"has the principal moments {', '.join(f'{x:.6g}' for x in principal)} kg m^2"
        yield part.wrong("negative-moment", text, "a real body has none below zero", principal.tolist())


def _is_plain(inertia: Inertia) -> bool:
    """Return True for most inertias without a problem: symmetric, with a diagonal that exceeds the rest of its rows.

    By Gershgorin's theorem none of their principal moments is negative; what fails here is looked at closely.
    """
    if len(inertia.com) != 3 or [len(row) for row in inertia.tensor] != [3, 3, 3]:
        return False
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertia.tensor
    symmetric = xy == yx and xz == zx and yz == zy
    dominant = xx >= abs(xy) + abs(xz) and yy >= abs(xy) + abs(yz) and zz >= abs(xz) + abs(yz)
    bounded = max(xx, yy, zz) <= LARGEST and all(abs(x) <= LARGEST for x in inertia.com)
    return symmetric and dominant and bounded and 0.0 <= inertia.mass <= LARGEST


def body_doubts(body: Body) -> Iterator[Finding]:
    """Inertias that no real body has but equations can use: a planar inertia (0, 0, Izz) is a body in the plane."""
    (a, b, c), slack = _principal_moments(body)
    if a + b < c - slack and not (abs(a) <= slack and abs(b) <= slack):
        text = (
            f"has the principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2, and the largest exceeds the sum of the others"
        )
        fix, value = "check the units and that the tensor is about the mass center", [float(a), float(b), float(c)]
        yield body_part(body.name).doubt("impossible-inertia", f"{text}, which no real body can", fix, value)


def _principal_moments(body: Body) -> tuple[np.ndarray, float]:
    """Principal moments in rising order, and the round-off to allow them."""
    principal = np.linalg.eigvalsh(np.array(body.inertia.tensor, dtype=float))
    return principal, WRITTEN_DIGITS * float(np.abs(principal).max())


def joint_problems(joint: Joint) -> Iterator[Finding]:
    """Axes, poses, limits, springs and friction that make no sense."""
    part, n_q, n_v = joint_part(joint), joint.kind.nq, joint.kind.nv
    axes = [np.array(axis, dtype=float) for axis in joint.kind.axes]
    for axis in axes:
        length = math.hypot(*axis)
        if not math.isfinite(length) or length < NO_DIRECTION:
            row = tuple(map(float, axis))
            yield part.wrong("bad-axis", f"has the axis {row}", "an axis needs a direction, for example (0, 0, 1)", row)
        elif abs(length - 1.0) > WRITTEN_DIGITS:
            yield part.wrong("bad-axis", f"has an axis of length {length:.6g}", "divide it by its length", length)
    for pose in (joint.at, joint.child_at):
        yield from _pose_problems(part, pose)
    for problem in joint.kind.check_numbers():
        yield part.wrong(*problem)
    yield from _two_bodies(part, joint)
    yield from _limit_problems(part, joint.limits, n_q, n_v)
    yield from _quaternion_limits(part, joint)
    if joint.spring is not None:
        yield from _row_problems(part, "spring stiffness", joint.spring.stiffness, n_v, floor=0.0)
        yield from _row_problems(part, "spring rest position", joint.spring.rest, n_q, optional=True)
        if n_q != n_v:
            kind = type(joint.kind).__name__.lower()
            yield part.wrong("no-spring-here", f"is a {kind} joint and cannot carry a coordinate spring", value=kind)
    yield from _friction_problems(part, joint.friction, n_v)
    yield from _row_problems(part, "armature", joint.armature, n_v, 0.0, optional=True)


def _two_bodies(part: NamedPart, link: Joint | PointForce) -> Iterator[Finding]:
    if link.parent == link.child:
        yield part.wrong("connects-itself", f"connects body '{link.parent}' to itself", "name two bodies", link.parent)


def _pose_problems(part: NamedPart, pose: RigidTransform) -> Iterator[Finding]:
    if pose.rows is UPRIGHT and all(abs(x) <= LARGEST for x in pose.xyz):
        return
    r, R = pose.r, pose.R
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(R))):
        yield part.wrong("not-finite", "has a position or orientation that is not finite", "write plain numbers")
    elif np.abs(r).max() > LARGEST:
        yield too_large(part, "position", float(np.abs(r).max()))
    elif np.abs(R @ R.T - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0:
        fix = "its axes must be unit, perpendicular and right-handed"
        yield part.wrong("not-a-rotation", "has an orientation that is not a rotation", fix, R.tolist())


def too_large(part: NamedPart, title: str, value: float) -> Finding:
    """A number with which equations overflow."""
    text, fix = f"has a {title} of {value:g}", f"numbers may be up to {LARGEST:g} in SI units; check the units"
    return part.wrong("too-large-number", text, fix, value)


def _limit_problems(part: NamedPart, limits: Limits, n_q: int, n_v: int) -> Iterator[Finding]:
    for title, values, size in (
        ("lower limit", limits.lower, n_q),
        ("upper limit", limits.upper, n_q),
        ("speed limit", limits.speed, n_v),
        ("effort limit", limits.effort, n_v),
    ):
        if len(values) not in (0, size):
            yield _wrong_count_finding(part, title, values, size)
        elif any(map(math.isnan, values)):
            yield part.wrong("bad-limit", f"has a {title} that is not a number", "leave it out for no limit")
        elif title in ("speed limit", "effort limit") and any(x < 0 for x in values):
            fix = "it holds both ways, so write it without the sign"
            yield part.wrong("bad-limit", f"has the {title} {min(values):g}", fix, min(values))
    for low, high in zip(limits.lower, limits.upper, strict=False):
        if low > high:
            text = f"has a lower limit {low:g} above its upper limit {high:g}"
            yield part.wrong("crossed-limits", text, "swap them", [low, high])
    if limits.cone is not None and not 0 < limits.cone <= np.pi:
        text = f"has the cone angle {limits.cone:g} rad"
        yield part.wrong("bad-limit", text, "take one between 0 and pi", limits.cone)


def _quaternion_limits(part: NamedPart, joint: Joint) -> Iterator[Finding]:
    """Bounds on components of a quaternion, which q and -q, the same orientation, would keep differently."""
    for bounds in (joint.limits.lower, joint.limits.upper):
        for name, bound in zip(joint.kind.q_parts, bounds, strict=False):
            if name in ("qw", "qx", "qy", "qz") and np.isfinite(bound):
                text = f"has the limit {bound:g} on {name}, a component of its quaternion"
                yield part.wrong("bad-limit", text, "leave it infinite, and bound a spherical joint by its cone", bound)
                return


def _wrong_count_finding(part: NamedPart, title: str, values: Sequence[float], size: int) -> Finding:
    text = f"has {len(values)} values for its {title} and needs {size}"
    return part.wrong("wrong-count", text, value=len(values))


def _row_problems(
    part: NamedPart, title: str, values: Iterable[float], size: int, floor: float = -np.inf, optional: bool = False
) -> Iterator[Finding]:
    values = tuple(values)
    if len(values) != size and not (optional and not values):
        yield _wrong_count_finding(part, title, values, size)
    elif any(math.isfinite(x) and abs(x) > LARGEST for x in values):
        yield too_large(part, title, max(map(abs, values)))
    elif any(not math.isfinite(x) or x < floor for x in values):
        fix = "values must be finite" + (" and not negative" if floor == 0 else "")
        yield part.wrong("bad-value", f"has the {title} {values}", fix, values)


def _friction_problems(part: NamedPart, friction: Friction | None, size: int) -> Iterator[Finding]:
    if friction is None:
        return
    yield from _row_problems(part, "viscous friction", friction.viscous, size, 0.0, optional=True)
    yield from _row_problems(part, "Coulomb friction", friction.coulomb, size, 0.0, optional=True)
    if not friction.slip > 0:
        text = f"has the friction slip speed {friction.slip:g}"
        yield part.wrong("bad-value", text, "it must be above zero", friction.slip)


def _bodies_of(part: NamedPart, link: Joint | PointForce, bodies: Collection[str]) -> Iterator[Finding]:
    for end, name in (("parent", link.parent), ("child", link.child)):
        if name not in bodies:
            text = f"has the unknown {end} body '{name}'{suggest_name(name, bodies)}"
            yield part.wrong("unknown-name", text, value=name)


def _frame_problems(frame: Frame, bodies: Collection[str]) -> Iterator[Finding]:
    part = NamedPart(f"frame '{frame.name}'", "frames", frame.name)
    if frame.body not in bodies:
        text = f"sits on the unknown body '{frame.body}'{suggest_name(frame.body, bodies)}"
        yield part.wrong("unknown-name", text, value=frame.body)
    yield from _pose_problems(part, frame.pose)


def _invalid_actuator_problems(
    actuator: Actuator, joints: dict[str, Joint], open_joints: Collection[str]
) -> Iterator[Finding]:
    part = NamedPart(f"actuator '{actuator.name}'", "actuators", actuator.name)
    joint = joints.get(actuator.joint)
    if joint is None:
        text = f"drives the unknown joint '{actuator.joint}'{suggest_name(actuator.joint, joints)}"
        yield part.wrong("unknown-name", text, value=actuator.joint)
    elif not 0 <= actuator.dof < joint.kind.nv:
        text = f"drives freedom {actuator.dof} of joint '{joint.name}', which has {joint.kind.nv}"
        yield part.wrong("unknown-freedom", text, "count from 0", actuator.dof)
    for title, value in (("gear ratio", actuator.gear), ("rotor inertia", actuator.rotor_inertia)):
        if not math.isfinite(value):
            yield part.wrong("not-finite", f"has the {title} {value}", "write a finite number", value)
        elif abs(value) > LARGEST:
            yield too_large(part, title, value)
    if actuator.gear == 0:
        yield part.wrong("bad-value", "has the gear ratio 0", "take 1 for direct drive", actuator.gear)
    if actuator.rotor_inertia < 0:
        inertia = actuator.rotor_inertia
        yield part.wrong("bad-value", f"has the negative rotor inertia {inertia:g}", value=inertia)
    for title, limit in (("effort limit", actuator.effort), ("speed limit", actuator.speed)):
        if limit is not None and not limit > 0:
            yield part.wrong("bad-limit", f"has the {title} {limit:g}", "it must be above zero, or left out", limit)
    yield from _friction_problems(part, actuator.friction, 1)
    if actuator.joint in open_joints:
        text = f"drives joint '{actuator.joint}', which is open"
        yield part.wrong("open-joint-driven", text, "drive a joint that holds", actuator.joint)


def _force_sections(mech: Parts) -> list[str]:
    """Sections of a file with the force elements of a mechanism."""
    return list(dict.fromkeys(force.section for force in mech.forces))


def _force_problems(force: ForceElement, bodies: Collection[str], joints: dict[str, Joint]) -> Iterator[Finding]:
    part = NamedPart(f"{type(force).__name__.lower()} '{force.name}'", force.section, force.name)
    if isinstance(force, PointForce):
        yield from _bodies_of(part, force, bodies)
        yield from _two_bodies(part, force)
        yield from _end_points(part, [*force.at, *force.child_at])
    if isinstance(force, JointForce):
        yield from _joint_of(part, force, joints)
    for number, value in force.given_numbers():
        title = number.key.replace("_", " ")
        if not (np.isfinite(value) and value >= number.at_least):
            fix = "give a finite number" + number.bound_description
            yield part.wrong("bad-value", f"has the {title} {value}", fix, value)
        elif abs(value) > LARGEST:
            yield too_large(part, title, value)


def _end_points(part: NamedPart, points: list[float]) -> Iterator[Finding]:
    if not np.all(np.isfinite(points)):
        yield part.wrong("not-finite", "has an end point that is not finite", "write plain numbers")
    elif np.abs(points).max() > LARGEST:
        yield too_large(part, "end point", float(np.abs(points).max()))


def _joint_of(part: NamedPart, force: JointForce, joints: dict[str, Joint]) -> Iterator[Finding]:
    joint = joints.get(force.joint)
    if joint is None:
        text = f"acts at the unknown joint '{force.joint}'{suggest_name(force.joint, joints)}"
        yield part.wrong("unknown-name", text, value=force.joint)
    elif joint.kind.nq != joint.kind.nv:
        kind = type(joint.kind).__name__.lower()
        text = f"acts along a coordinate of joint '{joint.name}', a {kind} joint, whose velocities are not rates"
        yield part.wrong("no-spring-here", text, value=kind)
    elif not 0 <= force.part < joint.kind.nv:
        text = f"acts along freedom {force.part} of joint '{joint.name}', which has {joint.kind.nv}"
        yield part.wrong("unknown-freedom", text, "count from 0", force.part)


def _coupling_problems(coupling: Coupling, joints: dict[str, Joint]) -> Iterator[Finding]:
    part = NamedPart(f"coupling '{coupling.name}'", "couplings", coupling.name)
    if len(coupling.terms) < 2:
        count = len(coupling.terms)
        yield part.wrong("few-terms", f"has {count} terms", "a coupling relates two joints or more", count)
    curved = [x for _, factors in coupling.curves for x in factors]
    numbers = np.abs([coupling.offset, *(ratio for _, ratio in coupling.terms), *curved])
    if not np.all(np.isfinite(numbers)):
        yield part.wrong("not-finite", "has a ratio or offset that is not finite", "write plain numbers")
    elif numbers.max() > LARGEST:
        yield too_large(part, "ratio or offset", float(numbers.max()))
    for name, factors in coupling.curves:
        if name not in dict(coupling.terms) or len(factors) > _POWERS:
            text = f"has a curve of {len(factors)} factors for joint '{name}'"
            yield part.wrong("bad-curve", text, f"give at most {_POWERS} factors, for joints of its terms", name)
    for name, ratio in coupling.terms:
        joint = joints.get(name)
        if joint is None:
            yield part.wrong(
                "unknown-name", f"names the unknown tree joint '{name}'{suggest_name(name, joints)}", value=name
            )
        elif joint.kind.nq != 1:
            text = f"names joint '{name}', which has {joint.kind.nq} coordinates"
            yield part.wrong("not-one-coordinate", text, "couple joints with one", name)
        if ratio == 0 and not any(dict(coupling.curves).get(name, ())):
            yield part.wrong("zero-ratio", f"has the ratio 0 for joint '{name}'", "leave the term out", name)


def _whole_mechanism_problems(mech: Parts) -> Iterator[Finding]:
    if not mech.bodies:
        yield Finding("no-bodies", "it has no moving body", "add at least one", path=("bodies",))
    if not np.all(np.isfinite(np.array(mech.gravity, dtype=float))):
        yield Finding(
            "not-finite",
            f"gravity is {mech.gravity}",
            "write three finite numbers",
            subject="gravity",
            path=("gravity",),
        )
    elif np.abs(mech.gravity).max() > LARGEST:
        yield too_large(NamedPart("the mechanism", "gravity", "gravity"), "gravity", float(np.abs(mech.gravity).max()))
    if mech.platform is not None and mech.platform not in {f.name for f in mech.frames}:
        meant = suggest_name(mech.platform, [f.name for f in mech.frames])
        text, fix = f"the platform '{mech.platform}' is not a frame{meant}", "add a frame of that name"
        yield Finding("unknown-name", text, fix, subject=mech.platform, path=("platform",))
    types = {j.name: j.kind for j in (*mech.joints, *mech.loops)}
    for name, values in mech.home:
        if name not in types:
            text = f"the home pose names the unknown joint '{name}'{suggest_name(name, types)}"
            yield Finding("unknown-name", text, subject=name, path=("home", name))
        else:
            part = NamedPart(f"the home pose of joint '{name}'", "home", name)
            yield from _row_problems(part, "coordinates", values, types[name].nq)
            yield from _quaternion_problems(part, types[name], values)


def _quaternion_problems(part: NamedPart, kind: kinds.JointKind, values: Sequence[float]) -> Iterator[Finding]:
    """Problems of the quaternion at the end of a spherical or floating joint's coordinates."""
    if not kind.has_quaternion or len(values) != kind.nq:
        return
    norm = float(np.linalg.norm(np.array(values[-4:], dtype=float)))
    if abs(norm - 1.0) > QUATERNION_NORM:
        fix = f"write w x y z with norm 1 (within {QUATERNION_NORM:g})"
        yield part.wrong("bad-quaternion", f"has a quaternion of norm {norm:.6g}", fix, norm)


def _unreached_body_problems(mech: Parts) -> Iterator[Finding]:
    """Every body hangs on the base by exactly one chain of tree joints."""
    parents: dict[str, list[Joint]] = {name: [] for name in mech.names}
    for joint in mech.joints:
        part = joint_part(joint)
        if not joint.kind.can_span_tree:
            text = f"is a {joint.kind.label}, which only closes loops"
            yield part.wrong("rod-in-tree", text, "list it under the loops")
        if joint.child == mech.base:
            text = f"has the base '{mech.base}' as its child"
            yield part.wrong("base-as-child", text, "swap parent and child", mech.base)
        parents.setdefault(joint.child, []).append(joint)
    for name, above in parents.items():
        if len(above) > 1:
            listed = ", ".join(f"'{j.name}'" for j in above)
            text = f"body '{name}' is the child of {len(above)} tree joints ({listed})"
            fix, carriers = "move all but one to the loops", [j.name for j in above]
            yield Finding("two-parents", text, fix, subject=name, value=carriers, path=("bodies", name))
    if mech.joints and not any(j.parent == mech.base for j in mech.joints):
        yield Finding(
            "no-base",
            f"no joint starts at the base '{mech.base}', so the tree has no base",
            "join one body to it (a floating joint for a free mechanism)",
            subject=mech.base,
        )
    reached = _bodies_reached_from_base(mech)
    loose = [name for name in mech.names if name not in reached]
    if loose and not any(len(a) > 1 for a in parents.values()):
        listed = ", ".join(f"'{name}'" for name in loose)
        yield Finding(
            "loose-body",
            f"no chain of joints leads from the base '{mech.base}' to {listed}",
            "add the missing joint",
            subject=loose[0],
            value=loose,
            path=("bodies", loose[0]),
        )


def _bodies_reached_from_base(mech: Parts) -> set[str]:
    children: dict[str, list[str]] = {}
    for joint in mech.joints:
        children.setdefault(joint.parent, []).append(joint.child)
    reached, front = {mech.base}, [mech.base]
    while front:
        front = [c for name in front for c in children.get(name, ()) if c not in reached]
        reached.update(front)
    return reached
