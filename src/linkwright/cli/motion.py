"""Motions to follow: the papers' cycloidal law between two configurations, or a table in a CSV file."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def from_csv(path: str, q_names: Sequence[str], v_names: Sequence[str]) -> StatedMotion:
    """A motion from a CSV file with the columns t, q.NAME, v.NAME, a.NAME (further columns are ignored)."""
    wanted = columns(q_names, v_names)
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as stream:
            table = [row for row in csv.reader(stream) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ArgumentError(
            f"{path}: the motion cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from None
    titles = [title.strip() for title in table[0]] if table else []
    for title in wanted:
        if title not in titles:
            raise ArgumentError(f"{path}:1: the column '{title}' is missing; the columns are {', '.join(wanted)}")
    indices = [titles.index(title) for title in wanted]
    rows = [_numbers(path, i, row, indices, wanted) for i, row in enumerate(table[1:], start=2)]
    if not rows:
        raise ArgumentError(f"{path}: the motion has no rows under its titles; add at least one")
    n, m = 1 + len(q_names), 1 + len(q_names) + len(v_names)
    return StatedMotion([r[0] for r in rows], [r[1:n] for r in rows], [r[n:m] for r in rows], [r[m:] for r in rows])


def _numbers(path: str, line: int, row: list[str], indices: list[int], titles: list[str]) -> list[float]:
    values = []
    for i, title in zip(indices, titles):
        written = row[i] if i < len(row) else ""
        try:
            value = float(written)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ArgumentError(f"{path}:{line}: {title} is '{written}'; write a finite number")
        values.append(value)
    return values


def write_csv(path: str, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table as CSV, all or nothing; numbers read back to the same bits."""
    from linkwright.formats.files import write_whole

    lines = [",".join(titles), *(",".join(repr(float(x)) for x in row) for row in rows)]
    write_whole(Path(path), "\n".join(lines) + "\n")
