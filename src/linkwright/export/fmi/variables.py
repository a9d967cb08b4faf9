"""Variables of a Functional Mock-up Unit: names, units, roles, and the order of their value references."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from linkwright.dataclass import dataclass
from linkwright.export.c.kit_programs import joint_names
from linkwright.export.fmi.unit_programs import UnitPrograms
from linkwright.functions.stepping.limit_functions import Bound
from linkwright.model import Model

Role = Literal["time", "effort", "parameter", "pull", "state", "rate", "result", "reaction", "limit"]

PULL = 20.0
"""Rate at which open loops are closed in model exchange when nobody sets it, 1/s."""


@dataclass(frozen=True)
class FmuVariable:
    """A variable of a unit.

    Attributes:
        name: unique.
        reference: its value reference.
        role: "effort" goes in; "parameter" and "pull" can be tuned; "state" and its "rate"; "result" and "reaction"
            come out; "limit" is the distance to a limit and an event indicator; "time".
        unit: SI, "1" without one.
        description: what it is.
        start: value before anybody sets it; None for what is computed.
        guess: the start of a state is only a guess: closing the loops changes it.
        state: of a rate, the value reference of its state.
    """

    name: str
    reference: int
    role: Role
    unit: str
    description: str
    start: float | None = None
    guess: bool = False
    state: int | None = None


def unit_variables(model: Model, programs: UnitPrograms) -> tuple[FmuVariable, ...]:
    """All variables of a unit, in the order of their value references."""
    found = [FmuVariable("time", 0, "time", "s", "time")]
    found += _given_variables(model)
    states = _state_variables(model, programs)
    first = len(found)
    found += states
    found += [
        FmuVariable(f"der({x.name})", 0, "rate", _per_second(x.unit), f"rate of {x.name}", state=first + i)
        for i, x in enumerate(states)
    ]
    found += (
        _result_variables(model, programs) + _reaction_variables(model, programs) + _limit_variables(model, programs)
    )
    return tuple(replace(x, reference=i) for i, x in enumerate(found))


def _given_variables(model: Model) -> list[FmuVariable]:
    efforts = [
        FmuVariable(f"effort.{name}", 0, "effort", unit, "effort at the joint, after the gear", 0.0)
        for name, unit in zip(model.actuated, fmi_effort_units(model), strict=True)
    ]
    values = model.parameters.values.tolist()
    parameters = [
        FmuVariable(f"p.{x.name}", 0, "parameter", x.unit or "1", "parameter of the mechanism", value)
        for x, value in zip(model.parameters, values, strict=True)
    ]
    text = "rate at which open loops are pulled together in model exchange"
    return [*efforts, *parameters, FmuVariable("closing_rate", 0, "pull", "1/s", text, PULL)]


def _state_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    home, closed, kept = model.assemble().q.tolist(), model.kinematics.closed, set(programs.independent)
    joints = model.mechanism.joints
    q_units = [part.unit or "1" for joint in joints for part in joint.kind.coordinates]
    free_q: list[bool] = []
    k = 0
    for joint in joints:
        own = range(k, k + len(joint.kind.v_parts))
        same = len(joint.kind.q_parts) == len(joint.kind.v_parts)
        whole = all(i in kept for i in own)
        free_q += [i in kept for i in own] if same else [whole] * len(joint.kind.q_parts)
        k = own.stop
    v_units = [_per_second(part.unit) for joint in joints for part in joint.kind.velocities]
    found = [
        FmuVariable(f"q.{name}", 0, "state", unit, "coordinate", x, closed and not free)
        for name, unit, x, free in zip(model.q_names, q_units, home, free_q, strict=True)
    ]
    return found + [
        FmuVariable(f"v.{name}", 0, "state", unit, "velocity", 0.0, closed and i not in kept)
        for i, (name, unit) in enumerate(zip(model.v_names, v_units, strict=True))
    ]


def _result_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    lengths = [each.is_sliding for each in model.actuators]
    out = []
    if programs.positions:
        out += [
            FmuVariable(f"position.{name}", 0, "result", "m" if slides else "rad", "position of the actuator")
            for name, slides in zip(model.actuated, lengths, strict=True)
        ]
    out += [
        FmuVariable(f"velocity.{name}", 0, "result", "m/s" if slides else "rad/s", "velocity of the actuator")
        for name, slides in zip(model.actuated, lengths, strict=True)
    ]
    for frame in programs.frames:
        out += [FmuVariable(f"pose.{frame}.{x}", 0, "result", "m", "position in the world") for x in "xyz"]
        out += [
            FmuVariable(f"pose.{frame}.q{x}", 0, "result", "1", "orientation in the world, quaternion") for x in "wxyz"
        ]
    return out + [
        FmuVariable(f"energy.{name}", 0, "result", "J", f"{name} energy of the mechanism")
        for name in ("kinetic", "potential")
    ]


def _reaction_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    if "reactions" not in programs.functions:
        return []
    text = "of parent on child at the joint, child's axes"
    parts = [(f"m{x}", "N.m", f"moment {text}") for x in "xyz"] + [(f"f{x}", "N", f"force {text}") for x in "xyz"]
    return [
        FmuVariable(f"reaction.{joint}.{part}", 0, "reaction", unit, description)
        for joint in joint_names(model)
        for part, unit, description in parts
    ]


def _limit_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    joints = {joint.name: joint for joint in (*model.mechanism.joints, *model.mechanism.loops)}
    found = []
    for limit in programs.limits:
        if isinstance(limit, Bound):
            name, unit = limit.name + (f".{limit.part}" if limit.part else ""), limit.unit
            end, text = "speed", "limit of the velocity, less its square over the limit"
        elif limit.part is None:
            name, unit, end, text = limit.joint, "1", "cone", "cosine of the lean less that of the cone"
        else:
            parts = joints[limit.joint].kind.coordinates
            name = limit.joint + (f".{parts[limit.part].name}" if len(parts) > 1 else "")
            unit, end = parts[limit.part].unit or "1", "lower" if limit.sign > 0 else "upper"
            text = "distance to the limit, positive inside"
        found.append(FmuVariable(f"limit.{name}.{end}", 0, "limit", unit, text))
    return found


def fmi_effort_units(model: Model) -> list[str]:
    """Units of the efforts as FMI writes them: N along lengths, else N.m."""
    return [each.effort_unit.replace(" ", ".") for each in model.actuators]


def _per_second(unit: str) -> str:
    if unit.endswith("/s"):
        return f"{unit}2"
    return "1/s" if unit == "1" else f"{unit}/s"
