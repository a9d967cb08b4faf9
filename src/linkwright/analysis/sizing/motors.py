"""Motors of a data sheet: curves of continuous and peak torque over speed, and the rotor's inertia."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from linkwright.checks import require_instance, require_number, require_real_array, require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formats.tables import TitledTable, read_table
from linkwright.formats.units import is_unit_compatible

Array = np.ndarray
COLUMNS = ("name", "speed", "continuous", "peak", "rotor_inertia")
_TURNING = {"speed": "rad/s", "continuous": "N m", "peak": "N m", "rotor_inertia": "kg m^2"}
_SLIDING = {"speed": "m/s", "continuous": "N", "peak": "N", "rotor_inertia": "kg"}


@dataclass(frozen=True)
class Motor:
    """A motor by its torque-speed curves, straight between the points; linear motors with N, m/s and kg.

    Attributes:
        name: of the motor.
        speed: ascending, (n,), [rad/s]; the last is the highest allowed. One point holds from standstill on.
        continuous, peak: torques at these speeds, (n,), [N m].
        rotor_inertia: [kg m^2].

    >>> motor = Motor("M", (0.0, 300.0), (1.0, 0.8), (3.0, 2.0), 2e-5)
    >>> float(motor.continuous_at(150.0)), float(motor.peak_at(400.0))
    (0.9, 0.0)
    """

    name: str
    speed: tuple[float, ...]
    continuous: tuple[float, ...]
    peak: tuple[float, ...]
    rotor_inertia: float = 0.0

    def __post_init__(self) -> None:
        require_text("name", self.name)
        for field in ("speed", "continuous", "peak"):
            given = getattr(self, field)
            points = np.atleast_1d(require_real_array(field, given)).ravel().tolist()
            object.__setattr__(self, field, tuple(require_number(field, x) for x in points))
        require_number("rotor_inertia", self.rotor_inertia)
        rows = np.array([self.speed, self.continuous, self.peak]) if self._even() else np.zeros((0, 0))
        if not rows.size or not np.isfinite(rows).all() or np.any(rows < 0.0):
            raise ArgumentError(
                f"motor '{self.name}' needs as many continuous and peak torques as speeds, all finite, none below 0"
            )
        if np.any(np.diff(rows[0]) <= 0.0):
            raise ArgumentError(
                f"motor '{self.name}' has speeds {list(self.speed)}, which must ascend; give each speed once"
            )
        if not rows[0, -1] > 0.0:
            raise ArgumentError(f"motor '{self.name}' has no speed above zero; its last row is its highest speed")
        if np.any(rows[1] > rows[2]) or not rows[1].max() > 0.0:
            raise ArgumentError(f"motor '{self.name}' needs continuous torques above zero and at most the peak torques")
        if not self.rotor_inertia >= 0.0:
            raise ArgumentError(
                f"motor '{self.name}' has the rotor inertia {self.rotor_inertia}, expected at least zero"
            )

    def _even(self) -> bool:
        return len(self.speed) == len(self.continuous) == len(self.peak) > 0

    def continuous_at(self, speed: Array | float) -> Array:
        """Continuous torque at speeds, [N m]; 0 beyond the highest."""
        return self._at(self.continuous, speed)

    def peak_at(self, speed: Array | float) -> Array:
        """Peak torque at speeds, [N m]; 0 beyond the highest."""
        return self._at(self.peak, speed)

    def _at(self, torque: tuple[float, ...], speed: Array | float) -> Array:
        speed = require_real_array("speed", speed)
        return np.where(np.abs(speed) <= self.speed[-1], np.interp(np.abs(speed), self.speed, torque), 0.0)


def load_motors(path: str | os.PathLike[str]) -> tuple[Motor, ...]:
    """Motors of a CSV file with the columns name, speed, continuous, peak, rotor_inertia.

    A title may name a unit in brackets, `speed [rpm]`, or `speed [mm/s]` of linear motors, and then so do the others
    that have one; without one, numbers are in SI. Several rows of one name are
    points of its curves; the inertia is that of the first. Lines that begin with # are remarks.
    """
    require_instance("path", path, (str, os.PathLike), "the name of a CSV file")
    table = read_table(path, "data sheet", COLUMNS)
    found: dict[str, list[list[float]]] = {}
    units = _SLIDING if _are_linear(table) else _TURNING
    columns = [table.numbers(title, unit).tolist() for title, unit in units.items()]
    names = table.texts("name")
    for name, *numbers in zip(names, *columns, strict=True):
        found.setdefault(name, []).append(numbers)
    at = {name: table.row_position(names.index(name)) for name in found}
    return tuple(_torque_speed_record(name, points, at[name]) for name, points in found.items())


def _torque_speed_record(name: str, points: Sequence[Sequence[float]], at: str) -> Motor:
    speed, continuous, peak, inertia = zip(*points, strict=True)
    try:
        return Motor(name, speed, continuous, peak, inertia[0])
    except ArgumentError as error:
        raise ArgumentError(f"{at}: {error}") from None


def _are_linear(table: TitledTable) -> bool:
    """Return True if the speed, or without its unit another column, has the unit of a linear motor."""
    for title, unit in _SLIDING.items():
        given = table.unit_of(title, unit, _TURNING[title])
        if given is not None:
            return is_unit_compatible(given, unit)
    return False
