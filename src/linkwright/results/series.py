"""One named column of numbers with its unit, and one thing that happened at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

Array = np.ndarray
_FLOAT = np.dtype(np.float64)
TIME = "t"
"""The name of the time axis, which no series may take."""


@dataclass(frozen=True, eq=False)
class Series:
    """A column of a run.

    Attributes:
        name: what people ask for, for example "theta1_dot".
        values: one number per time, (n,), read-only.
        unit: SI unit as text, "" for pure numbers.
        group: which array of the run it belongs to: "q", "v", "a", "tau", "closure", "energy", "power" or any other.

    >>> Series("theta1", [0.0, 0.1], "rad", "q")
    Series(name='theta1', values=[0, 0.1], unit='rad', group='q')
    """

    name: str
    values: Array
    unit: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        if not type(self.name) is type(self.unit) is type(self.group) is str:
            _require_text(self)
        if self.name in ("", TIME):
            raise ArgumentError(f"a series cannot be called '{self.name}'; '{TIME}' is the time, give it another name")
        if not _is_column(self.values):
            object.__setattr__(self, "values", read_only_column(f"series '{self.name}'", self.values))

    def __reduce__(self) -> Any:
        return Series, (self.name, self.values, self.unit, self.group)


@dataclass(frozen=True)
class Event:
    """Something that happened: a limit reached, a loop closed, other coordinates chosen, the end of the run.

    Attributes:
        t: when, [s].
        kind: one word a program can ask for, for example "limit".
        name: the joint, loop or function it concerns.
        text: a short description.
    """

    t: float
    kind: str
    name: str = ""
    text: str = ""


def _require_text(series: Series) -> None:
    for field in ("name", "unit", "group"):
        if not isinstance(getattr(series, field), str):
            raise ArgumentError(f"the {field} of a series is {getattr(series, field)!r}, expected text")


def _is_column(values: Any) -> bool:
    """Return True if values are what `read_only_column` would make of them."""
    return type(values) is Array and values.dtype is _FLOAT and values.ndim == 1 and not values.flags.writeable


def read_only_column(what: str, values: Any) -> Array:
    """Numbers as a read-only (n,) float64 array; a writable array is copied so that nobody changes it later."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} holds {type(values).__name__}, expected a row of numbers") from None
    if found.ndim != 1:
        raise ArgumentError(f"{what} has shape {found.shape}, expected (n,)")
    if found.flags.writeable:
        found = found.copy()
        found.setflags(write=False)
    return found
