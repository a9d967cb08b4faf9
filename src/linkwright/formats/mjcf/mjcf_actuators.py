"""Actuators of MJCF: one for every joint that is driven, directly or by a fixed tendon; efforts at the joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.forces import Friction
from linkwright.formats.mjcf.mjcf_joints import HINGE, SLIDE, linear_coefficient
from linkwright.formats.mjcf.tendons import Tendon
from linkwright.formats.mjcf.unread_mjcf import is_direct
from linkwright.formats.xml_values import Findings
from linkwright.mechanism import Actuator, Coupling
from linkwright.mechanism.names import list_of_names


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
