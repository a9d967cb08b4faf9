"""Bodies of MJCF hang on any number of joints; each becomes one joint, with massless bodies between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.algebra.pose import IDENTITY, Pose
from linkwright.formats.urdf.values import Findings
from linkwright.mechanism import (
    Fixed,
    Floating,
    Friction,
    Joint,
    JointType,
    Limits,
    Prismatic,
    Revolute,
    Spherical,
    Spring,
)

FREE, BALL, SLIDE, HINGE = range(4)


def carried(model: Any, body: int, names: Any, found: Findings) -> Iterator[Joint]:
    """The joints that carry a body, from its parent outwards.

    All of them are drawn in the body's frame; after each stands the frame of a body without mass, after the last the
    body itself.
    """
    parent = names.body(int(model.body_parentid[body]))
    place = Pose.from_quaternion(model.body_pos[body], model.body_quat[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    if count == 0:
        yield Joint(f"{names.body(body)}_fixed", parent, names.body(body), Fixed(), place)
        return
    for j in range(first, first + count):
        last = j == first + count - 1
        child = names.body(body) if last else names.between(j)
        yield _joint(model, j, parent, child, place, names.joint(j), found)
        parent, place = child, IDENTITY


def _joint(model: Any, j: int, parent: str, child: str, place: Pose, name: str, found: Findings) -> Joint:
    kind, anchor = _kind(model, j), Pose(tuple(map(float, model.jnt_pos[j])))  # type: ignore[arg-type]
    if isinstance(kind, Floating):
        return Joint(name, parent, child, kind, friction=_friction(model, j, name, found))
    return Joint(
        name,
        parent,
        child,
        kind,
        place @ anchor,
        anchor,
        limits=_limits(model, j, name, found),
        spring=_spring(model, j, name, found),
        friction=_friction(model, j, name, found),
    )


def _kind(model: Any, j: int) -> JointType:
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


def reference(model: Any, j: int) -> float:
    """MuJoCo's coordinate at which a sliding or turning joint stands as drawn; ours is zero there."""
    return float(model.qpos0[model.jnt_qposadr[j]]) if int(model.jnt_type[j]) in (SLIDE, HINGE) else 0.0


def _limits(model: Any, j: int, name: str, found: Findings) -> Limits:
    if not model.jnt_limited[j]:
        return Limits()
    lower, upper = (float(x) for x in model.jnt_range[j])
    if int(model.jnt_type[j]) == BALL:
        found.note(f"joint '{name}': its range bounds the whole rotation by {upper:g} rad; dropped")
        return Limits()
    shift = reference(model, j)
    return Limits((lower - shift,), (upper - shift,))


def _spring(model: Any, j: int, name: str, found: Findings) -> Spring | None:
    stiffness = float(_first(model.jnt_stiffness[j]))
    if stiffness == 0.0:
        return None
    if int(model.jnt_type[j]) == BALL:
        found.note(f"joint '{name}': the spring of a ball joint dropped", matters=True)
        return None
    return Spring((stiffness,), (float(model.qpos_spring[model.jnt_qposadr[j]]) - reference(model, j),))


def _friction(model: Any, j: int, name: str, found: Findings) -> Friction | None:
    count = {FREE: 6, BALL: 3}.get(int(model.jnt_type[j]), 1)
    first = int(model.jnt_dofadr[j])
    viscous = tuple(float(_first(model.dof_damping[d])) for d in range(first, first + count))
    coulomb = tuple(float(model.dof_frictionloss[d]) for d in range(first, first + count))
    if not any(viscous) and not any(coulomb):
        return None
    if count != 1:
        found.note(f"joint '{name}': damping and friction of a ball or free joint dropped", matters=True)
        return None
    return Friction(viscous if any(viscous) else (), coulomb if any(coulomb) else ())


def _first(values: Any) -> float:
    """The linear coefficient, where newer versions hold a polynomial."""
    return float(values[0]) if getattr(values, "ndim", 0) else float(values)
