"""Motions to follow: the papers' cycloidal law between two configurations, or a table in a CSV file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formats.units import UnitError, measured
from linkwright.mechanism.names import suggestion

Rows = list[list[float]]
MOST_SAMPLES = 1_000_000
NO_ALIASES: Mapping[str, str] = {}


@dataclass(frozen=True)
class StatedMotion:
    """Times (n,), coordinates (n, nq), velocities (n, nv), accelerations (n, nv)."""

    t: list[float]
    q: Rows
    v: Rows
    a: Rows


def cycloidal(start: Sequence[float], end: Sequence[float], duration: float, samples: int) -> StatedMotion:
    """q = q0 + (qT - q0) / (2 pi) (w t - sin w t) with w = 2 pi / T: rest to rest (Saha 1999, Eq. 39).

    >>> motion = cycloidal([0.0], [1.0], 10.0, 3)
    >>> [round(q, 9) for (q,) in motion.q], [round(v, 9) for (v,) in motion.v]
    ([0.0, 0.5, 1.0], [0.0, 0.2, 0.0])
    """
    if not (duration > 0 and math.isfinite(duration)):
        raise ArgumentError(f"the duration is {duration:g} s; it must be above zero")
    if not 2 <= samples <= MOST_SAMPLES:
        raise ArgumentError(f"{samples} samples are requested; take between 2 and {MOST_SAMPLES}")
    w = 2.0 * math.pi / duration
    if not math.isfinite(w * w):
        raise ArgumentError(f"the duration is {duration:g} s, and accelerations overflow; take a longer one")
    span = [(b - a) / (2.0 * math.pi) for a, b in zip(start, end)]
    t = [duration * k / (samples - 1) for k in range(samples)]
    q = [[a + s * (w * x - math.sin(w * x)) for a, s in zip(start, span)] for x in t]
    v = [[s * w * (1.0 - math.cos(w * x)) for s in span] for x in t]
    a = [[s * w * w * math.sin(w * x) for s in span] for x in t]
    return StatedMotion(t, q, v, a)


def coordinates(
    text: str,
    names: Sequence[str],
    units: Sequence[str],
    default: Sequence[float],
    aliases: Mapping[str, str] = NO_ALIASES,
) -> list[float]:
    """Return coordinates from text: all in order, `0, 90 deg, 0.1 m`, or some by name, `theta2=90 deg`.

    With `aliases` (other names to names) the coordinates are those of actuators.

    >>> coordinates("b=300 mm", ["a", "b"], ["rad", "m"], [0.0, 0.0])
    [0.0, 0.3]
    >>> coordinates("theta=1", ["motor"], ["rad"], [0.0], {"theta": "motor"})
    [1.0]
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if any("=" in part for part in parts):
        return _by_name(parts, names, units, default, aliases)
    if len(parts) != len(names):
        raise ArgumentError(f"'{text}' has {len(parts)} values and needs {len(names)}: {', '.join(names)}")
    return [typed(part, name, unit) for part, name, unit in zip(parts, names, units)]


def _by_name(
    parts: list[str],
    names: Sequence[str],
    units: Sequence[str],
    default: Sequence[float],
    aliases: Mapping[str, str],
) -> list[float]:
    given: dict[int, float] = {}
    for part in parts:
        key, _, written = (text.strip() for text in part.partition("="))
        name = key if key in names else aliases.get(key, key)
        if name not in names:
            kind, why = ("actuator", "; the loops determine all other joints") if aliases else ("coordinate", "")
            raise ArgumentError(f"unknown {kind} '{key}'{suggestion(key, [*names, *aliases])}{why}")
        i = list(names).index(name)
        if i in given:
            raise ArgumentError(f"'{name}' is given twice; give it once")
        given[i] = typed(written, key, units[i])
    return [given.get(i, value) for i, value in enumerate(default)]


def typed(written: str, name: str, unit: str) -> float:
    """Return a typed quantity in SI; `name` is the subject of an error."""
    try:
        return measured(written, unit)
    except UnitError as error:
        raise ArgumentError(f"{name}: {error}") from None


def columns(q_names: Sequence[str], v_names: Sequence[str]) -> list[str]:
    """The column titles of a motion table.

    >>> columns(["x"], ["x"])
    ['t', 'q.x', 'v.x', 'a.x']
    """
    return ["t", *(f"q.{n}" for n in q_names), *(f"v.{n}" for n in v_names), *(f"a.{n}" for n in v_names)]


def write_csv(path: str, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table as CSV, all or nothing; numbers read back to the same bits."""
    from linkwright.files import write_whole

    lines = [",".join(titles), *(",".join(repr(float(x)) for x in row) for row in rows)]
    write_whole(Path(path), "\n".join(lines) + "\n")
