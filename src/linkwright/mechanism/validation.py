"""Finds everything wrong with a mechanism at once; each problem names the thing, the value and the way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright.algebra.quaternion import NORM_TOLERANCE
from linkwright.errors import MechanismError
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.names import suggestion
from linkwright.mechanism.records import Actuator, Body, Coupling, Frame, Friction, Joint, Limits, Strut
from linkwright.mechanism.shapes import drawn_sizes

if TYPE_CHECKING:
    from linkwright.mechanism.mechanism import Mechanism

_TRIANGLE_SLACK = 1e-6
_UNIT_SLACK = 1e-6


def require_sound(mech: Mechanism) -> None:
    """Raise a `MechanismError` that lists every problem of the mechanism."""
    found = list(problems(mech))
    if found:
        raise MechanismError(f"mechanism '{mech.name}': " + "; ".join(found), problems=found)


def problems(mech: Mechanism) -> Iterator[str]:
    """Every problem of a mechanism, as sentences."""
    yield from _names(mech)
    bodies = dict.fromkeys((*mech.names, mech.base))
    joints = {j.name: j for j in (*mech.joints, *mech.loops, *mech.open_loops)}
    for body in mech.bodies:
        yield from body_problems(body)
    for joint in joints.values():
        yield from joint_problems(joint)
        yield from _ends(joint, bodies)
    for frame in mech.frames:
        yield from _frame(frame, bodies)
    for actuator in mech.actuators:
        yield from _actuator(actuator, joints)
        if actuator.joint in {j.name for j in mech.open_loops}:
            yield f"actuator '{actuator.name}' drives joint '{actuator.joint}', which is open; drive a joint that holds"
    for strut in mech.struts:
        yield from _strut(strut, bodies)
    for coupling in mech.couplings:
        yield from _coupling(coupling, {j.name: j for j in mech.joints})
    yield from _whole(mech)
    yield from _reach(mech)


def _names(mech: Mechanism) -> Iterator[str]:
    groups = {
        "bodies": [*mech.names, mech.base],
        "joints": [j.name for j in (*mech.joints, *mech.loops, *mech.open_loops)],
        "struts": [s.name for s in mech.struts],
        "couplings": [c.name for c in mech.couplings],
        "frames": [f.name for f in mech.frames],
        "actuators": [a.name for a in mech.actuators],
    }
    for group, names in groups.items():
        for name, count in Counter(names).items():
            if not isinstance(name, str) or not name:
                yield f"one of the {group} has the name {name!r}; give it a name that is a non-empty text"
            elif count > 1:
                yield f"{count} {group} are called '{name}'; give each its own name"


def body_problems(body: Body) -> Iterator[str]:
    """Masses, inertias and drawn sizes no real body has."""
    for name, size in drawn_sizes(body.shapes):
        if not 0.0 <= size < np.inf:
            yield f"body '{body.name}' is drawn with a {name} of {size:g} m; sizes are zero or positive"
    if not np.isfinite(body.gravity_compensation):
        yield f"body '{body.name}' has the gravity compensation {body.gravity_compensation}; give a finite number"
    inertia = body.inertia
    tensor = np.array(inertia.tensor, dtype=float)
    if tensor.shape != (3, 3) or np.shape(inertia.com) != (3,):
        yield (
            f"body '{body.name}' has an inertia tensor of shape {tensor.shape} and a mass center of shape "
            f"{np.shape(inertia.com)}; give 3 x 3 and 3 numbers"
        )
        return
    numbers = np.array([inertia.mass, *inertia.com, *tensor.ravel()], dtype=float)
    if not np.all(np.isfinite(numbers)):
        yield f"body '{body.name}' has a mass, mass centre or inertia that is not a finite number; write plain numbers"
        return
    if inertia.mass < 0:
        yield f"body '{body.name}' has the negative mass {inertia.mass:g} kg; masses are zero or positive"
    if not np.allclose(tensor, tensor.T, rtol=1e-9, atol=1e-15):
        yield f"body '{body.name}' has an inertia tensor that is not symmetric; give Ixy = Iyx and so on"
        return
    principal, slack = _principal(body)
    if principal[0] < -slack:
        shown = ", ".join(f"{x:.6g}" for x in principal)
        yield f"body '{body.name}' has the principal moments {shown} kg m^2; a real body has none below zero"


def body_doubts(body: Body) -> Iterator[str]:
    """What no real body has but equations can use: a planar inertia (0, 0, Izz) stands for a body in the plane."""
    (a, b, c), slack = _principal(body)
    if a + b < c - slack and not (abs(a) <= slack and abs(b) <= slack):
        yield (
            f"body '{body.name}' has the principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2, and the largest "
            "exceeds the sum of the others, which no real body can; check the units and that the tensor is about the "
            "mass centre"
        )


def _principal(body: Body) -> tuple[np.ndarray, float]:
    """Principal moments in rising order, and the round-off to allow them."""
    principal = np.linalg.eigvalsh(np.array(body.inertia.tensor, dtype=float))
    return principal, _TRIANGLE_SLACK * float(np.abs(principal).max()) + 1e-18


def joint_problems(joint: Joint) -> Iterator[str]:
    """Axes, poses, limits, springs and friction that make no sense."""
    where = f"joint '{joint.name}'"
    axes = [np.array(axis, dtype=float) for axis in kinds.axes(joint.kind)]
    for axis in axes:
        length = float(np.linalg.norm(axis))
        if not np.isfinite(length) or length < 1e-12:
            yield f"{where} has the axis {tuple(map(float, axis))}; an axis needs a direction, for example (0, 0, 1)"
        elif abs(length - 1.0) > _UNIT_SLACK:
            yield f"{where} has an axis of length {length:.6g}; divide it by its length"
    if len(axes) == 2 and np.linalg.norm(np.cross(axes[0], axes[1])) < 1e-6:
        yield f"{where} has two parallel universal axes; take a revolute joint, or turn one of them"
    for pose in (joint.at, joint.child_at):
        yield from _pose(where, pose.r, pose.R)
    if isinstance(joint.kind, kinds.Screw) and not np.isfinite(joint.kind.pitch):
        yield f"{where} has the pitch {joint.kind.pitch}; give metres per radian"
    if isinstance(joint.kind, kinds.Distance) and not (np.isfinite(joint.kind.length) and joint.kind.length > 0):
        yield f"{where} is a rod of length {joint.kind.length} m; give a length above zero"
    if joint.parent == joint.child:
        yield f"{where} connects body '{joint.parent}' to itself; name two bodies"
    yield from _limits(where, joint.limits, kinds.nq(joint.kind), kinds.nv(joint.kind))
    yield from _quaternion_limits(where, joint)
    if joint.spring is not None:
        yield from _row(where, "spring stiffness", joint.spring.stiffness, kinds.nv(joint.kind), floor=0.0)
        yield from _row(where, "spring rest position", joint.spring.rest, kinds.nq(joint.kind), optional=True)
        if kinds.nq(joint.kind) != kinds.nv(joint.kind):
            yield f"{where} is a {type(joint.kind).__name__.lower()} joint and cannot carry a coordinate spring"
    yield from _friction(where, joint.friction, kinds.nv(joint.kind))
    yield from _row(where, "armature", joint.armature, kinds.nv(joint.kind), 0.0, optional=True)


def _pose(where: str, r: np.ndarray, R: np.ndarray) -> Iterator[str]:
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(R))):
        yield f"{where} has a place or orientation that is not finite; write plain numbers"
    elif np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
        yield f"{where} has an orientation that is no rotation; its axes must be unit, perpendicular and right-handed"


def _limits(where: str, limits: Limits, n_q: int, n_v: int) -> Iterator[str]:
    for title, values, size in (
        ("lower limit", limits.lower, n_q),
        ("upper limit", limits.upper, n_q),
        ("speed limit", limits.speed, n_v),
        ("effort limit", limits.effort, n_v),
    ):
        if values and len(values) != size:
            yield f"{where} has {len(values)} values for its {title} and needs {size}"
        elif any(np.isnan(x) for x in values):
            yield f"{where} has a {title} that is not a number; leave it out for no limit"
        elif title in ("speed limit", "effort limit") and any(x < 0 for x in values):
            yield f"{where} has the {title} {min(values):g}; it holds both ways, so write it without the sign"
    for low, high in zip(limits.lower, limits.upper, strict=False):
        if low > high:
            yield f"{where} has a lower limit {low:g} above its upper limit {high:g}; swap them"
    if limits.cone is not None and not 0 < limits.cone <= np.pi:
        yield f"{where} has the cone angle {limits.cone:g} rad; take one between 0 and pi"


def _quaternion_limits(where: str, joint: Joint) -> Iterator[str]:
    """Bounds on components of a quaternion, which q and -q, the same orientation, would keep differently."""
    for bounds in (joint.limits.lower, joint.limits.upper):
        for part, bound in zip(joint.kind.q_parts, bounds, strict=False):
            if part in ("qw", "qx", "qy", "qz") and np.isfinite(bound):
                yield (
                    f"{where} has the limit {bound:g} on {part}, a component of its quaternion; leave it infinite, "
                    "and bound a spherical joint by its cone"
                )
                return


def _row(
    where: str, title: str, values: Iterable[float], size: int, floor: float = -np.inf, optional: bool = False
) -> Iterator[str]:
    values = tuple(values)
    if len(values) != size and not (optional and not values):
        yield f"{where} has {len(values)} values for its {title} and needs {size}"
    elif any(not np.isfinite(x) or x < floor for x in values):
        yield f"{where} has the {title} {values}; values must be finite" + (" and not negative" if floor == 0 else "")


def _friction(where: str, friction: Friction | None, size: int) -> Iterator[str]:
    if friction is None:
        return
    yield from _row(where, "viscous friction", friction.viscous, size, 0.0, optional=True)
    yield from _row(where, "Coulomb friction", friction.coulomb, size, 0.0, optional=True)
    if not friction.slip > 0:
        yield f"{where} has the friction slip speed {friction.slip:g}; it must be above zero"


def _ends(joint: Joint, bodies: Collection[str]) -> Iterator[str]:
    for end, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in bodies:
            yield f"joint '{joint.name}' has the unknown {end} body '{name}'{suggestion(name, bodies)}"


def _frame(frame: Frame, bodies: Collection[str]) -> Iterator[str]:
    if frame.body not in bodies:
        yield f"frame '{frame.name}' sits on the unknown body '{frame.body}'{suggestion(frame.body, bodies)}"
    yield from _pose(f"frame '{frame.name}'", frame.pose.r, frame.pose.R)


def _actuator(actuator: Actuator, joints: dict[str, Joint]) -> Iterator[str]:
    where = f"actuator '{actuator.name}'"
    joint = joints.get(actuator.joint)
    if joint is None:
        yield f"{where} drives the unknown joint '{actuator.joint}'{suggestion(actuator.joint, joints)}"
    elif not 0 <= actuator.dof < kinds.nv(joint.kind):
        yield (
            f"{where} drives freedom {actuator.dof} of joint '{joint.name}', which has {kinds.nv(joint.kind)}; "
            "count from 0"
        )
    for title, value in (("gear ratio", actuator.gear), ("rotor inertia", actuator.rotor_inertia)):
        if not np.isfinite(value):
            yield f"{where} has the {title} {value}; write a finite number"
    if actuator.gear == 0:
        yield f"{where} has the gear ratio 0; take 1 for direct drive"
    if actuator.rotor_inertia < 0:
        yield f"{where} has the negative rotor inertia {actuator.rotor_inertia:g}"
    for title, limit in (("effort limit", actuator.effort), ("speed limit", actuator.speed)):
        if limit is not None and not limit > 0:
            yield f"{where} has the {title} {limit:g}; it must be above zero, or left out"
    yield from _friction(where, actuator.friction, 1)


def _strut(strut: Strut, bodies: Collection[str]) -> Iterator[str]:
    where = f"strut '{strut.name}'"
    for end, name in (("parent", strut.parent), ("child", strut.child)):
        if name not in bodies:
            yield f"{where} has the unknown {end} body '{name}'{suggestion(name, bodies)}"
    if strut.parent == strut.child:
        yield f"{where} connects body '{strut.parent}' to itself; name two bodies"
    if not np.all(np.isfinite([*strut.at, *strut.child_at])):
        yield f"{where} has an end point that is not finite; write plain numbers"
    for title, value in (("stiffness", strut.stiffness), ("length", strut.length), ("damping", strut.damping)):
        if not (np.isfinite(value) and value >= 0):
            yield f"{where} has the {title} {value}; give a finite number that is not negative"


def _coupling(coupling: Coupling, joints: dict[str, Joint]) -> Iterator[str]:
    where = f"coupling '{coupling.name}'"
    if len(coupling.terms) < 2:
        yield f"{where} has {len(coupling.terms)} terms; a coupling relates two joints or more"
    if not np.all(np.isfinite([coupling.offset, *(ratio for _, ratio in coupling.terms)])):
        yield f"{where} has a ratio or offset that is not finite; write plain numbers"
    for name, ratio in coupling.terms:
        joint = joints.get(name)
        if joint is None:
            yield f"{where} names the unknown tree joint '{name}'{suggestion(name, joints)}"
        elif kinds.nq(joint.kind) != 1:
            yield f"{where} names joint '{name}', which has {kinds.nq(joint.kind)} coordinates; couple joints with one"
        if ratio == 0:
            yield f"{where} has the ratio 0 for joint '{name}'; leave the term out"


def _whole(mech: Mechanism) -> Iterator[str]:
    if not mech.bodies:
        yield "it has no moving body; add at least one"
    if not np.all(np.isfinite(np.array(mech.gravity, dtype=float))):
        yield f"gravity is {mech.gravity}; write three finite numbers"
    if mech.platform is not None and mech.platform not in {f.name for f in mech.frames}:
        frames = [f.name for f in mech.frames]
        yield f"the platform '{mech.platform}' is no frame{suggestion(mech.platform, frames)}; add a frame of that name"
    types = {j.name: j.kind for j in (*mech.joints, *mech.loops)}
    sizes = {name: kinds.nq(kind) for name, kind in types.items()}
    for name, values in mech.home:
        if name not in sizes:
            yield f"the home pose names the unknown joint '{name}'{suggestion(name, sizes)}"
        else:
            title = "the home pose of joint '" + name + "'"
            yield from _row(title, "coordinates", values, sizes[name])
            yield from _quaternion(title, types[name], values)


def _quaternion(title: str, kind: kinds.JointType, values: Sequence[float]) -> Iterator[str]:
    """What is wrong with the quaternion at the end of a spherical or floating joint's coordinates."""
    if not isinstance(kind, kinds.Spherical | kinds.Floating) or len(values) != kinds.nq(kind):
        return
    norm = float(np.linalg.norm(np.array(values[-4:], dtype=float)))
    if abs(norm - 1.0) > NORM_TOLERANCE:
        yield f"{title} has a quaternion of norm {norm:.6g}; write w x y z with norm 1 (within {NORM_TOLERANCE:g})"


def _reach(mech: Mechanism) -> Iterator[str]:
    """Every body hangs on the base by exactly one chain of tree joints."""
    parents: dict[str, list[Joint]] = {name: [] for name in mech.names}
    for joint in mech.joints:
        if isinstance(joint.kind, kinds.Distance):
            yield f"joint '{joint.name}' is a distance rod, which only closes loops; list it under the loops"
        if joint.child == mech.base:
            yield f"joint '{joint.name}' has the base '{mech.base}' as its child; swap parent and child"
        parents.setdefault(joint.child, []).append(joint)
    for name, above in parents.items():
        if len(above) > 1:
            listed = ", ".join(f"'{j.name}'" for j in above)
            yield f"body '{name}' is the child of {len(above)} tree joints ({listed}); move all but one to the loops"
    if mech.joints and not any(j.parent == mech.base for j in mech.joints):
        yield (
            f"no joint starts at the base '{mech.base}', so the tree has no base; "
            "join one body to it (a floating joint for a free machine)"
        )
    loose = set(mech.names) - _reached(mech)
    if loose and not any(len(a) > 1 for a in parents.values()):
        listed = ", ".join(f"'{name}'" for name in mech.names if name in loose)
        yield f"no chain of joints leads from the base '{mech.base}' to {listed}; add the missing joint"


def _reached(mech: Mechanism) -> set[str]:
    children: dict[str, list[str]] = {}
    for joint in mech.joints:
        children.setdefault(joint.parent, []).append(joint.child)
    reached, front = {mech.base}, [mech.base]
    while front:
        front = [c for name in front for c in children.get(name, ()) if c not in reached]
        reached.update(front)
    return reached
