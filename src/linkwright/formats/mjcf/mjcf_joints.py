"""Bodies of MJCF hang on any number of joints; each becomes one joint, with massless bodies between."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.forces import Friction, Spring
from linkwright.formats.xml import Findings
from linkwright.joints import Fixed, Floating, JointKind, Prismatic, Revolute, Spherical
from linkwright.mechanism import Joint, Limits

FREE, BALL, SLIDE, HINGE = range(4)


def joints_of_body(model: Any, body: int, names: Any, fixed: dict[int, float], found: Findings) -> Iterator[Joint]:
    """The joints that carry a body, from its parent outwards.

    All of them are drawn in the body's frame; after each is the frame of a body without mass, after the last the
    body itself. Joints in `fixed` are held at the coordinate given there.
    """
    parent = names.body(int(model.body_parentid[body]))
    pose = RigidTransform.from_quaternion(model.body_pos[body], model.body_quat[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    if count == 0:
        yield Joint(f"{names.body(body)}_fixed", parent, names.body(body), Fixed(), pose)
        return
    for j in range(first, first + count):
        last = j == first + count - 1
        child = names.body(body) if last else names.between(j)
        if j in fixed:
            yield _held_joint(model, j, parent, child, pose, names.joint(j), fixed[j])
        else:
            yield _mjcf_joint(model, j, parent, child, pose, names.joint(j), found)
        parent, pose = child, IDENTITY


def _mjcf_joint(model: Any, j: int, parent: str, child: str, pose: RigidTransform, name: str, found: Findings) -> Joint:
    kind, anchor = _kind_of_mjcf_joint(model, j), RigidTransform(tuple(map(float, model.jnt_pos[j])))  # type: ignore[arg-type]
    if isinstance(kind, Floating):
        pose, anchor = IDENTITY, IDENTITY
    return Joint(
        name,
        parent,
        child,
        kind,
        pose @ anchor,
        anchor,
        limits=_limits_of_mjcf_joint(model, j, name, found),
        spring=_spring_of_mjcf_joint(model, j, name, found),
        friction=_friction_of_mjcf_joint(model, j, name, found),
        armature=_armature_of_mjcf_joint(model, j, name, found),
    )


def _held_joint(model: Any, j: int, parent: str, child: str, pose: RigidTransform, name: str, value: float) -> Joint:
    """A joint that is held at a coordinate."""
    x, y, z = (float(part) for part in model.jnt_axis[j])
    anchor = RigidTransform(tuple(map(float, model.jnt_pos[j])))  # type: ignore[arg-type]
    turned = RigidTransform.of((value * x, value * y, value * z))
    if int(model.jnt_type[j]) == HINGE:
        s = math.sin(value / 2.0)
        turned = RigidTransform.from_quaternion((0.0, 0.0, 0.0), (math.cos(value / 2.0), s * x, s * y, s * z))
    return Joint(name, parent, child, Fixed(), pose @ anchor @ turned, anchor)


def _kind_of_mjcf_joint(model: Any, j: int) -> JointKind:
    x, y, z = (float(part) for part in model.jnt_axis[j])
    match int(model.jnt_type[j]):
        case 0:
            return Floating()
        case 1:
            return Spherical()
        case 2:
            return Prismatic((x, y, z))
        case _:
            return Revolute((x, y, z))


def reference_coordinate(model: Any, j: int) -> float:
    """MuJoCo's coordinate at which a sliding or turning joint is as drawn; ours is zero there."""
    return float(model.qpos0[model.jnt_qposadr[j]]) if int(model.jnt_type[j]) in (SLIDE, HINGE) else 0.0


def _limits_of_mjcf_joint(model: Any, j: int, name: str, found: Findings) -> Limits:
    effort: tuple[float, ...] = ()
    kind = int(model.jnt_type[j])
    if model.jnt_actfrclimited[j] and kind in (SLIDE, HINGE):
        effort = (float(max(abs(x) for x in model.jnt_actfrcrange[j])),)
    if not model.jnt_limited[j]:
        return Limits(effort=effort)
    lower, upper = (float(x) for x in model.jnt_range[j])
    if kind == BALL:
        text = f"joint '{name}': its range bounds the whole rotation by {upper:g} rad; dropped"
        found.note(text, code="dropped-limit", subject=name, value=upper)
        return Limits()
    if kind == FREE:
        return Limits()
    shift = reference_coordinate(model, j)
    return Limits((lower - shift,), (upper - shift,), effort=effort)


def _spring_of_mjcf_joint(model: Any, j: int, name: str, found: Findings) -> Spring | None:
    stiffness = float(linear_coefficient(model.jnt_stiffness[j]))
    if stiffness == 0.0:
        return None
    if int(model.jnt_type[j]) in (BALL, FREE):
        text = f"joint '{name}': the spring of a spherical or floating joint dropped"
        found.note(text, "warning", "dropped-spring", name, stiffness)
        return None
    return Spring((stiffness,), (float(model.qpos_spring[model.jnt_qposadr[j]]) - reference_coordinate(model, j),))


def _friction_of_mjcf_joint(model: Any, j: int, name: str, found: Findings) -> Friction | None:
    """Damping and dry friction along our velocities; of a floating joint MuJoCo's linear ones are along world axes."""
    viscous = _coefficients_along_velocities(model.dof_damping, model, j)
    coulomb = _coefficients_along_velocities(model.dof_frictionloss, model, j)
    if int(model.jnt_type[j]) == FREE and any(coulomb[3:]):
        text = f"joint '{name}': dry friction of a floating joint along the world's axes dropped"
        found.note(text, "warning", "dropped-friction", name, coulomb[3])
        coulomb = (*coulomb[:3], 0.0, 0.0, 0.0)
    if not any(viscous) and not any(coulomb):
        return None
    return Friction(viscous if any(viscous) else (), coulomb if any(coulomb) else ())


def _armature_of_mjcf_joint(model: Any, j: int, name: str, found: Findings) -> tuple[float, ...]:
    """Inertia along our velocities; a floating joint's linear one would need a mass that gravity does not pull."""
    armature = _coefficients_along_velocities(model.dof_armature, model, j)
    if int(model.jnt_type[j]) == FREE and any(armature[3:]):
        text = f"joint '{name}': armature of a floating joint along its translation dropped"
        found.note(text, "warning", "dropped-armature", name, armature[3], "add it to the body's mass")
        armature = (*armature[:3], 0.0, 0.0, 0.0)
    return armature if any(armature) else ()


def _coefficients_along_velocities(values: Any, model: Any, j: int) -> tuple[float, ...]:
    """Coefficients of a joint's velocities in our order: a floating joint turns first, then moves."""
    count = {FREE: 6, BALL: 3}.get(int(model.jnt_type[j]), 1)
    first = int(model.jnt_dofadr[j])
    row = tuple(float(linear_coefficient(values[d])) for d in range(first, first + count))
    return (*row[3:], *row[:3]) if count == 6 else row


def linear_coefficient(values: Any) -> float:
    """The linear coefficient, where newer versions hold a polynomial."""
    return float(values[0]) if getattr(values, "ndim", 0) else float(values)
