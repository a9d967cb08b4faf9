"""One record per actuator of a model: what it drives, in which unit, and how far, how fast and how hard it may."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightWarning, warn_caller
from linkwright.findings import Finding
from linkwright.forces import Friction
from linkwright.functions.setup import Setup
from linkwright.joints.kind import units_along_parts
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Actuator, Joint
from linkwright.mechanism.tree import part_names
from linkwright.numerics.tolerances import MANY_TURNS


@dataclass(frozen=True)
class ModelActuator:
    """An actuator of a model, in the order of tau: of the file, or a velocity named in `actuated`.

    Bounds are the narrower ones of the joint and of the file's actuator at it, whatever name the model drives it by.

    Attributes:
        name: of the actuator, as in `model.actuated`.
        joint: the joint that it drives, which may be one that closes a loop.
        part: the velocity of that joint, "angle" or "length" of a cylindrical one.
        dof: the number of that velocity among those of the joint, from 0.
        velocity: name of the velocity it drives, as in `model.v_names`; of a cut joint as it would be there.
        coordinate: name of the coordinate it drives, as in `model.q_names`; "" at cut joints and quaternions.
        unit: of positions, "rad" or "m".
        range: lowest and highest position [rad or m], infinite where the file gives none.
        speed, effort: bounds of magnitudes at the joint [rad/s or m/s], [N m or N], infinite where there is none.
        gear: ratio. rotor: inertia of the rotor before the gear [kg m^2 or kg]. friction: of the actuator, or None.
    """

    name: str
    joint: str
    part: str
    dof: int
    velocity: str
    coordinate: str
    unit: str
    range: tuple[float, float] = (-math.inf, math.inf)
    speed: float = math.inf
    effort: float = math.inf
    gear: float = 1.0
    rotor: float = 0.0
    friction: Friction | None = None

    @property
    def is_sliding(self) -> bool:
        """Whether it moves along a length."""
        return self.unit == "m"

    @property
    def speed_unit(self) -> str:
        """Unit of velocities, "rad/s" or "m/s"."""
        return f"{self.unit}/s"

    @property
    def acceleration_unit(self) -> str:
        """Unit of accelerations, "rad/s^2" or "m/s^2"."""
        return f"{self.unit}/s^2"

    @property
    def effort_unit(self) -> str:
        """Unit of efforts, "N m" or "N"."""
        return "N" if self.is_sliding else "N m"

    @property
    def reflected_inertia(self) -> float:
        """Inertia of the rotor at the joint, after the gear, [kg m^2 or kg]."""
        return self.gear**2 * self.rotor


def actuator_records(setup: Setup, mech: Mechanism) -> tuple[ModelActuator, ...]:
    """Records of the driven velocities of a setup, with the numbers of `mech`, the same mechanism at other values."""
    in_tree = [(joint, dof) for joint in mech.joints for dof in range(len(joint.kind.v_parts))]
    found = []
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        joint, dof = in_tree[drive.speed] if drive.speed is not None else (mech.loops[drive.loop], drive.part)
        there = [each for each in mech.actuators if (each.joint, each.dof) == (joint.name, dof)]
        there.sort(key=lambda each: each.name != name)
        found.append(_actuator_record(name, joint, dof, there, drive.speed is not None))
    return tuple(found)


def _actuator_record(name: str, joint: Joint, dof: int, there: list[Actuator], in_tree: bool) -> ModelActuator:
    parts = joint.kind.v_parts
    own = there[0] if there else Actuator(name, joint.name, dof)
    velocity = part_names((joint,), speeds=True)[dof]
    has_coordinate = joint.kind.q_parts == parts
    return ModelActuator(
        name,
        joint.name,
        parts[dof],
        dof,
        velocity,
        velocity if has_coordinate and in_tree else "",
        units_along_parts(joint.kind.velocities, "rad", "m")[dof],
        _coordinate_range(joint, dof) if has_coordinate else (-math.inf, math.inf),
        _least_actuator_bound(joint, dof, there, "speed"),
        _least_actuator_bound(joint, dof, there, "effort"),
        own.gear,
        own.rotor_inertia,
        own.friction,
    )


def _coordinate_range(joint: Joint, dof: int) -> tuple[float, float]:
    """Ends of a coordinate's range; either may be missing."""
    lower, upper = joint.limits.lower[dof : dof + 1], joint.limits.upper[dof : dof + 1]
    return (lower[0] if lower else -math.inf), (upper[0] if upper else math.inf)


def _least_actuator_bound(joint: Joint, dof: int, there: list[Actuator], quantity: str) -> float:
    given = [*getattr(joint.limits, quantity)[dof : dof + 1], *(getattr(each, quantity) for each in there)]
    return float(min((x for x in given if x is not None), default=math.inf))


def doubt_degrees(angles: Mapping[str, float]) -> Finding | None:
    """The finding about angles [rad] that look like degrees: many turns away. Two turns in degrees are the most."""
    turned = {name: abs(x) for name, x in angles.items() if MANY_TURNS < abs(x) <= np.degrees(MANY_TURNS)}
    if not turned:
        return None
    name = next(iter(turned))
    text = (
        f"positions of {', '.join(turned)} are more than two turns, in radians; were degrees meant? Take "
        f"numpy.radians(...), or title the column '{name} [deg]'"
    )
    return Finding("many-turns", text, severity="warning", subject=name, value=turned)


def first_angles(actuators: Iterable[ModelActuator], q_act: np.ndarray) -> dict[str, float]:
    """Angles by actuator of the first of positions (..., na); later ones may be many turns on: motors turn."""
    first = q_act.reshape(-1, q_act.shape[-1])[0].tolist() if q_act.size else ()
    return {each.name: x for each, x in zip(actuators, first) if not each.is_sliding}


def warn_of_many_turns(setup: Setup, q_act: np.ndarray) -> None:
    """Warn of positions (..., na) that look like degrees."""
    first = q_act.reshape(-1, q_act.shape[-1])[:1] if q_act.size else q_act
    if (np.abs(first) > MANY_TURNS).any():  # records are computed only where there is a doubt
        _warn_of_degrees(setup, first_angles(actuator_records(setup, setup.mech), first))


def warn_of_turned_coordinates(setup: Setup, values: Mapping[int, float]) -> None:
    """Warn of coordinates, by their indices in q, that look like degrees."""
    names = part_names(setup.mech.joints, speeds=False)
    turns = [part.unit == "rad" for joint in setup.mech.joints for part in joint.kind.coordinates]
    _warn_of_degrees(setup, {names[i]: x for i, x in values.items() if turns[i]})


def _warn_of_degrees(setup: Setup, angles: Mapping[str, float]) -> None:
    finding = doubt_degrees(angles)
    if finding is not None:
        text = f"'{setup.mech.name}': {finding.message}"
        warn_caller(text, LinkwrightWarning, replace(finding, message=text))
