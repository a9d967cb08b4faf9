"""Equality constraints of MJCF as loops, couplings and joints that are held; here they are rigid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.formats.mjcf.tendons import Tendon
from linkwright.formats.xml_values import Findings
from linkwright.joints import Distance, Fixed, Spherical
from linkwright.mechanism import Coupling, Joint


def loops_of_equalities(mujoco: Any, model: Any, names: Any, lines: list[Tendon], found: Findings) -> Iterator[Joint]:
    """`connect` becomes a spherical joint, `weld` a fixed one, a straight tendon of constant length a rod."""
    kinds = mujoco.mjtEq
    for e in _active_equalities(model, names, found):
        match int(model.eq_type[e]):
            case kinds.mjEQ_CONNECT:
                (near, at), (far, child_at) = _equality_ends(mujoco, model, e, names)
                yield Joint(names.equality(e), near, far, Spherical(), at, child_at)
            case kinds.mjEQ_WELD:
                yield _joint_of_weld(mujoco, model, e, names)
            case kinds.mjEQ_TENDON:
                yield from _rod_of_tendon(model, e, names, lines)
            case kinds.mjEQ_JOINT:
                pass
            case _:
                text = f"equality '{names.equality(e)}' is not a connect, weld, joint or tendon; dropped"
                found.note(text, "error", "dropped-loop", names.equality(e))


def _active_equalities(model: Any, names: Any, found: Findings) -> Iterator[int]:
    for e in range(model.neq):
        if model.eq_active0[e]:
            yield e
            continue
        text = f"equality '{names.equality(e)}' is not active at the start; dropped"
        found.note(text, "warning", "inactive-loop", names.equality(e))


def _equality_ends(mujoco: Any, model: Any, e: int, names: Any) -> list[tuple[str, RigidTransform]]:
    """Body and pose of both ends, from sites or from a body and its anchor."""
    objects, data = (int(model.eq_obj1id[e]), int(model.eq_obj2id[e])), model.eq_data[e]
    if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
        return [(names.body(int(model.site_bodyid[s])), _site_pose(model, s)) for s in objects]
    anchors = (data[0:3], data[3:6])
    return [(names.body(b), RigidTransform.of(anchor)) for b, anchor in zip(objects, anchors)]


def _joint_of_weld(mujoco: Any, model: Any, e: int, names: Any) -> Joint:
    if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
        (near, at), (far, child_at) = _equality_ends(mujoco, model, e, names)
        return Joint(names.equality(e), near, far, Fixed(), at, child_at)
    data = model.eq_data[e]
    near, far = (names.body(int(b)) for b in (model.eq_obj1id[e], model.eq_obj2id[e]))
    return Joint(names.equality(e), near, far, Fixed(), RigidTransform.from_quaternion(data[3:6], data[6:10]), IDENTITY)


def _site_pose(model: Any, s: int) -> RigidTransform:
    return RigidTransform.from_quaternion(model.site_pos[s], model.site_quat[s])


def _rod_of_tendon(model: Any, e: int, names: Any, lines: list[Tendon]) -> Iterator[Joint]:
    i = int(model.eq_obj1id[e])
    sites = lines[i].sites
    if sites is not None and _is_constant(model, e):
        length = float(model.tendon_length0[i]) + float(model.eq_data[e][0])
        (near, at), (far, child_at) = ((names.body(int(model.site_bodyid[s])), _site_pose(model, s)) for s in sites)
        yield Joint(names.equality(e), near, far, Distance(length), at, child_at)


def _is_constant(model: Any, e: int) -> bool:
    """Return True if an equality holds one quantity constant."""
    return int(model.eq_obj2id[e]) < 0 or not any(model.eq_data[e][1:5])


def joints_held_by_equality(mujoco: Any, model: Any) -> dict[int, float]:
    """Joints that an equality keeps at one coordinate (ours, zero as drawn)."""
    kinds = mujoco.mjtEq
    single = (e for e in range(model.neq) if model.eq_active0[e] and int(model.eq_type[e]) == kinds.mjEQ_JOINT)
    return {int(model.eq_obj1id[e]): float(model.eq_data[e][0]) for e in single if _is_constant(model, e)}


def couplings_of_equalities(
    mujoco: Any, model: Any, names: Any, lines: list[Tendon], found: Findings
) -> Iterator[Coupling]:
    """Relations between joints: first = offset + ratio times second + ...; linear ones between fixed tendons too."""
    kinds, fixed = mujoco.mjtEq, joints_held_by_equality(mujoco, model)
    for e in (e for e in range(model.neq) if model.eq_active0[e]):
        kind = int(model.eq_type[e])
        if kind not in (int(kinds.mjEQ_JOINT), int(kinds.mjEQ_TENDON)):
            continue
        name, (offset, ratio, *higher) = names.equality(e), (float(x) for x in model.eq_data[e][:5])
        first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if kind == kinds.mjEQ_JOINT:
            sides = [{first: 1.0}, {second: 1.0} if second >= 0 else {}]
            if first in fixed:
                text = f"equality '{name}' holds joint '{names.joint(first)}' at {offset:g}; read as a fixed joint"
                found.note(text, code="held-joint", subject=names.joint(first), value=offset)
                continue
        else:
            sides = [dict(lines[i].terms) if i >= 0 else {} for i in (first, second)]
            if lines[first].sites is not None and _is_constant(model, e):
                continue
        if any(higher) and kind == kinds.mjEQ_JOINT and second not in fixed:
            curve = tuple(-x for x in higher)
            terms = ((names.joint(first), 1.0), (names.joint(second), -ratio))
            yield Coupling(name, terms, offset, ((names.joint(second), curve),))
            continue
        if any(higher) or not sides[0] or (second >= 0 and not sides[1]):
            text = f"equality '{name}' is a curved relation of tendons or held joints, or one of bent tendons"
            found.note(text, "error", "dropped-coupling", name, (offset, ratio, *higher))
            continue
        yield from _coupling_without_held_joints(name, sides, ratio, offset, fixed, names)


def _coupling_without_held_joints(
    name: str, sides: list[dict[int, float]], ratio: float, offset: float, fixed: dict[int, float], names: Any
) -> Iterator[Coupling]:
    """The relation without the joints that are held, whose part is a constant."""
    terms = dict(sides[0])
    for joint, factor in sides[1].items():
        terms[joint] = terms.get(joint, 0.0) - ratio * factor
    offset -= sum(factor * fixed[joint] for joint, factor in terms.items() if joint in fixed)
    moving = tuple((names.joint(j), factor) for j, factor in terms.items() if factor and j not in fixed)
    if len(moving) > 1:
        yield Coupling(name, moving, offset)
