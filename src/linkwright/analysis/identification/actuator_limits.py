"""Limits of the actuators of an exciting motion, from arguments and from the file, and the positions it moves about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.checks import require_array_shape, require_real_array
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model

Array = np.ndarray
_KINDS = ("range", "speed", "acceleration", "effort")
_FREE_ANGLE, _FREE_LENGTH = 0.5, 0.25  # half the range of an actuator without limits, [rad], [mechanism lengths]


@dataclass(frozen=True, eq=False)
class ActuatorLimits:
    """Bounds of a motion, one row or number per actuator; infinite where there is none.

    Attributes:
        lower, upper: of positions, (na,). speed, acceleration, effort: of magnitudes, (na,).
    """

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array
    effort: Array


@dataclass(frozen=True, eq=False)
class MotionSpace:
    """Positions (na,) about which a motion goes, the limits it keeps, with finite ranges, and notes about them."""

    center: Array
    limits: ActuatorLimits
    notes: tuple[str, ...]


def motion_space(model: Model, given: Mapping[str, Any], center: Any) -> MotionSpace:
    """Center and limits from the arguments, where they say something, else from the file."""
    for name in given:
        if name not in _KINDS:
            raise ArgumentError(f"limits names '{name}'{suggest_name(name, _KINDS)}; they are {_KINDS}", name="limits")
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no actuators; name them in actuated=[...]")
    rows: dict[str, Array] = {kind: _positive_row(kind, x, model.na) for kind, x in given.items() if kind != "range"}
    if "range" in given:
        rows["lower"], rows["upper"] = _check_position_range(model, given["range"])
    found = _centered_ranges(model, replace(_limits_of_file(model), **rows), center)
    _require_center_inside(model, found)
    return found


def _limits_of_file(model: Model) -> ActuatorLimits:
    """What the file says; it bounds no accelerations."""
    lower, upper = np.array([each.range for each in model.actuators]).T
    speed, effort = (np.array([getattr(each, kind) for each in model.actuators]) for kind in ("speed", "effort"))
    return ActuatorLimits(lower.copy(), upper.copy(), speed, np.full(model.na, np.inf), effort)


def _centered_ranges(model: Model, limits: ActuatorLimits, center: Any) -> MotionSpace:
    """The middle of the ranges, or home; actuators without a range get one about it."""
    lower, upper = limits.lower, limits.upper
    free = ~(np.isfinite(lower) & np.isfinite(upper))
    home = model.actuator_positions(model.assemble().q)
    middle = np.where(free, home, 0.5 * (np.where(free, 0.0, lower) + np.where(free, 0.0, upper)))
    middle = middle if center is None else require_array_shape("center", center, (model.na,))
    width = np.where(
        [each.is_sliding for each in model.actuators], _FREE_LENGTH * model.kinematics.scales.length, _FREE_ANGLE
    )
    lower, upper = np.where(free, middle - width, lower), np.where(free, middle + width, upper)
    names = ", ".join(np.array(model.actuated)[free])
    text = f"{names} have no range in the file; give limits={{'range': ...}} to use more or less of it"
    return MotionSpace(middle, replace(limits, lower=lower, upper=upper), (text,) if free.any() else ())


def _require_center_inside(model: Model, space: MotionSpace) -> None:
    for name, low, x, high in zip(model.actuated, space.limits.lower, space.center, space.limits.upper, strict=True):
        if not low < x < high:
            raise ArgumentError(
                f"actuator '{name}' moves between {low:g} and {high:g}, and its center is {x:g}; "
                "give a range with the lower end first and a center inside",
                name="limits",
            )


def _positive_row(kind: str, given: Any, na: int) -> Array:
    row = require_real_array(f"limits['{kind}']", given).astype(float)
    if row.shape not in ((), (na,)) or not (row > 0.0).all():
        raise ArgumentError(f"limits of {kind} are {given!r:.60}, expected a positive number, or {na} of them")
    return np.broadcast_to(row, (na,)).copy()


def _check_position_range(model: Model, given: Any) -> tuple[Array, Array]:
    rows = require_real_array("limits['range']", given).astype(float)
    if rows.shape == (2,):
        rows = np.tile(rows, (model.na, 1))
    if rows.shape != (model.na, 2) or np.isnan(rows).any():
        raise ArgumentError(f"limits['range'] has shape {rows.shape}, expected ({model.na}, 2): lower and upper ends")
    return rows[:, 0], rows[:, 1]
