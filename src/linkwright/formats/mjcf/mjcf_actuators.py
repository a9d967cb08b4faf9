"""Actuators, tendons and equality constraints of MJCF as drives, springs, loops and couplings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.dataclass import dataclass
from linkwright.forces import Friction, Spring, Strut
from linkwright.formats.mjcf.mjcf_joints import HINGE, SLIDE, linear_coefficient, reference_coordinate
from linkwright.formats.mjcf.unread_mjcf import is_direct, is_set
from linkwright.formats.xml import Findings
from linkwright.joints import Distance, Fixed, Spherical
from linkwright.mechanism import Actuator, Coupling, Joint
from linkwright.mechanism.names import list_of_names

# --- tendons of MJCF --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tendon:
    """One tendon: its joints with their factors if it is fixed, its two sites if it is a straight line."""

    name: str
    terms: tuple[tuple[int, float], ...] = ()
    sites: tuple[int, int] | None = None


def tendons_of_model(mujoco: Any, model: Any) -> list[Tendon]:
    """All tendons of a model, in its order."""
    kinds, found = mujoco.mjtWrap, []
    for i in range(model.ntendon):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TENDON, i) or f"tendon{i}"
        steps = range(int(model.tendon_adr[i]), int(model.tendon_adr[i]) + int(model.tendon_num[i]))
        wraps = [(int(model.wrap_type[w]), int(model.wrap_objid[w]), float(model.wrap_prm[w])) for w in steps]
        if all(kind == int(kinds.mjWRAP_JOINT) for kind, _, _ in wraps):
            found.append(Tendon(name, tuple((joint, factor) for _, joint, factor in wraps)))
        elif len(wraps) == 2 and all(kind == int(kinds.mjWRAP_SITE) for kind, _, _ in wraps):
            found.append(Tendon(name, sites=(wraps[0][1], wraps[1][1])))
        else:
            found.append(Tendon(name))
    return found


def springs_of_tendons(model: Any, lines: list[Tendon], names: Any) -> Iterator[Strut]:
    """Straight tendons with a linear spring or damper."""
    for i, tendon in enumerate(lines):
        stiffness, damping = (
            linear_coefficient(values[i]) for values in (model.tendon_stiffness, model.tendon_damping)
        )
        if tendon.sites is None or not (stiffness or damping) or not is_point_spring(model, i, tendon):
            continue
        (near, at), (far, child_at) = (
            (names.body(int(model.site_bodyid[s])), tuple(map(float, model.site_pos[s]))) for s in tendon.sites
        )
        length = float(model.tendon_lengthspring[i][0])
        yield Strut(tendon.name, near, far, at, child_at, stiffness, length, damping)  # type: ignore[arg-type]


def with_tendons_of_one_joint(model: Any, lines: list[Tendon], joints: list[Joint], names: Any) -> list[Joint]:
    """The joints with the springs and dampers of fixed tendons over one joint: k c^2 about L / c, and d c^2."""
    carried = {joint.name: joint for joint in joints}
    for i, tendon in enumerate(lines):
        joint = carried.get(names.joint(tendon.terms[0][0])) if _is_joint_tendon(model, i, tendon) else None
        if joint is None or joint.kind.nv != 1:
            continue
        number, factor = tendon.terms[0]
        stiffness, damping = (
            factor**2 * linear_coefficient(values[i]) for values in (model.tendon_stiffness, model.tendon_damping)
        )
        rest = float(model.tendon_lengthspring[i][0]) / factor - reference_coordinate(model, number)
        old, friction = joint.spring or Spring((0.0,), (0.0,)), joint.friction or Friction((0.0,))
        whole = old.stiffness[0] + stiffness
        middle = (old.stiffness[0] * old.rest[0] + stiffness * rest) / whole if whole else 0.0
        viscous = (friction.viscous or (0.0,))[0] + damping
        carried[joint.name] = replace(
            joint,
            spring=Spring((whole,), (middle,)) if whole else None,
            friction=replace(friction, viscous=(viscous,)) if viscous else joint.friction,
        )
    return list(carried.values())


def _is_joint_tendon(model: Any, i: int, tendon: Tendon) -> bool:
    """Return True if a tendon follows one joint and its spring has one length at rest."""
    lower, upper = (float(x) for x in model.tendon_lengthspring[i])
    return len(tendon.terms) == 1 and bool(tendon.terms[0][1]) and lower == upper


def is_point_spring(model: Any, i: int, tendon: Tendon) -> bool:
    """Return True if a straight tendon joins two bodies and its spring has one length at rest."""
    lower, upper = (float(x) for x in model.tendon_lengthspring[i])
    apart = tendon.sites is not None and len({int(model.site_bodyid[s]) for s in tendon.sites}) == 2
    return apart and lower == upper


def unread_tendons(model: Any, lines: list[Tendon], found: Findings) -> None:
    """One finding for the forces that are dropped, one for tendons without force."""
    dropped: dict[str, list[str]] = {}
    for i, tendon in enumerate(lines):
        is_read = _is_joint_tendon(model, i, tendon) or (tendon.sites is not None and is_point_spring(model, i, tendon))
        springs = [] if is_read else ["stiffness", "damping"]
        for what in (*springs, "stiffnesspoly", "dampingpoly", "frictionloss", "armature"):
            if is_set(model, f"tendon_{what}", i):
                dropped.setdefault(_TITLES.get(what, what), []).append(tendon.name)
        if is_set(model, "tendon_limited", i):
            dropped.setdefault("range", []).append(tendon.name)
    for what, names in dropped.items():
        text, fix = (
            f"the {what} of {list_of_names('tendon', 'tendons', names, 4)} is dropped",
            "write it as force elements or couplings",
        )
        found.note(text, "remark" if what == "range" else "warning", "dropped-tendon", names[0], len(names), fix)


_TITLES = {"stiffnesspoly": "curved spring", "dampingpoly": "curved damper", "frictionloss": "dry friction"}


# --- actuators of MJCF ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Drive:
    """The joint that an actuator drives and the effort there for each unit of its force."""

    joint: str
    factor: float


def actuators_of_joints(
    mujoco: Any,
    model: Any,
    names: Any,
    lines: list[Tendon],
    couplings: list[Coupling],
    fixed: dict[int, float],
    found: Findings,
) -> list[Actuator]:
    """Actuators of sliding and turning joints; several at one joint are one input."""
    made: dict[str, Actuator] = {}
    dropped: list[str] = []
    for i in range(len(model.actuator_trntype)):
        name, drive = names.actuator(i), _drive_of_actuator(mujoco, model, i, names, lines, couplings, fixed)
        if drive is None:
            dropped.append(name)
            continue
        actuator = _actuator_of_drive(mujoco, model, i, name, drive)
        if drive.joint in made:
            first = made[drive.joint]
            text = f"actuator '{name}' drives the same joint as '{first.name}'; their efforts are one input here"
            found.note(text, code="merged-actuator", subject=name)
            actuator = _merge_actuators(first, actuator)
        made[drive.joint] = actuator
    if dropped:
        text = f"{list_of_names('actuator', 'actuators', dropped)} drives no sliding or turning joint; dropped"
        found.note(text, "warning", "dropped-actuator", dropped[0], len(dropped))
    return list(made.values())


def _drive_of_actuator(
    mujoco: Any, model: Any, i: int, names: Any, lines: list[Tendon], couplings: list[Coupling], fixed: dict[int, float]
) -> _Drive | None:
    kinds, target = mujoco.mjtTrn, int(model.actuator_trnid[i][0])
    gear = float(model.actuator_gear[i][0])
    if int(model.actuator_trntype[i]) in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
        single = int(model.jnt_type[target]) in (SLIDE, HINGE) and target not in fixed
        return _Drive(names.joint(target), gear) if single else None
    if int(model.actuator_trntype[i]) == int(kinds.mjTRN_TENDON):
        terms = [(names.joint(j), factor) for j, factor in lines[target].terms if j not in fixed]
        return _by_tendon(terms, gear, couplings)
    return None


def _by_tendon(terms: list[tuple[str, float]], gear: float, couplings: list[Coupling]) -> _Drive | None:
    """A fixed tendon drives one joint if couplings make all its joints move with that one."""
    if not terms:
        return None
    ratios = _moving_with(terms[0][0], couplings)
    if any(name not in ratios for name, _ in terms):
        return None
    factor = gear * sum(share * ratios[name] for name, share in terms)
    return _Drive(terms[0][0], factor) if factor else None


def _moving_with(joint: str, couplings: list[Coupling]) -> dict[str, float]:
    """Velocities of the joints that couplings of two tie to a joint, for its velocity 1."""
    ratios, grown = {joint: 1.0}, True
    while grown:
        grown = False
        for (a, x), (b, y) in (
            coupling.terms for coupling in couplings if len(coupling.terms) == 2 and not coupling.curves
        ):
            for known, mine, other, theirs in ((a, x, b, y), (b, y, a, x)):
                if known in ratios and other not in ratios:
                    ratios[other], grown = -mine * ratios[known] / theirs, True
    return ratios


def _actuator_of_drive(mujoco: Any, model: Any, i: int, name: str, drive: _Drive) -> Actuator:
    gear = drive.factor or 1.0
    inertia, damping = (_linear_coefficient_of_field(model, f"actuator_{what}", i) for what in ("armature", "damping"))
    friction = Friction((gear**2 * damping,)) if damping else None
    return Actuator(
        name,
        drive.joint,
        gear=gear,
        rotor_inertia=inertia,
        friction=friction,
        effort=_largest_joint_effort(mujoco, model, i, gear),
    )


def _merge_actuators(one: Actuator, other: Actuator) -> Actuator:
    """Two actuators of a joint as one, with the rotors and the bounds of both."""
    inertia = one.rotor_inertia + (other.gear / one.gear) ** 2 * other.rotor_inertia
    viscous = sum(each.friction.viscous[0] for each in (one, other) if each.friction is not None)
    effort = None if one.effort is None or other.effort is None else one.effort + other.effort
    friction = Friction((viscous,)) if viscous else None
    return replace(one, rotor_inertia=inertia, friction=friction, effort=effort)


def _linear_coefficient_of_field(model: Any, field: str, i: int) -> float:
    values = getattr(model, field, None)
    return 0.0 if values is None else linear_coefficient(values[i])


def _largest_joint_effort(mujoco: Any, model: Any, i: int, gear: float) -> float | None:
    """The largest effort at the joint that forcerange and, for a direct motor, ctrlrange allow."""
    bounds = list(_effort_bounds(mujoco, model, i))
    return min((abs(gear) * bound for bound in bounds if bound > 0.0), default=None)


def _effort_bounds(mujoco: Any, model: Any, i: int) -> Iterator[float]:
    if model.actuator_forcelimited[i]:
        yield _largest_absolute(model.actuator_forcerange[i])
    k = int(model.actuator_ctrladr[i]) if len(model.actuator_ctrlrange) != len(model.actuator_gear) else i
    if is_direct(mujoco, model, i) and model.actuator_ctrllimited[k]:
        yield abs(float(model.actuator_gainprm[i][0])) * _largest_absolute(model.actuator_ctrlrange[k])


def _largest_absolute(values: Any) -> float:
    return max(abs(float(x)) for x in values)


# --- equality constraints of MJCF as loops, couplings and joints that are held ----------------------------------------


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
