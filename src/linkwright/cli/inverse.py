"""Inverse dynamics along a motion, as a table, bars and CSV; shared by `id` and `demo`."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from linkwright.cli.motion import StatedMotion, columns, write_csv
from linkwright.cli.tables import figure, say, show, sparkline
from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning
from linkwright.files import FileKind
from linkwright.joints import parts as joint_parts
from linkwright.mechanism import Mechanism

_SHOWN = 12


@dataclass(frozen=True)
class EffortTable:
    """Efforts of the actuators along a motion, (n, na), with their names and units."""

    motion: StatedMotion
    names: tuple[str, ...]
    units: tuple[str, ...]
    tau: list[list[float]]
    titles: list[str]
    exceeded: tuple[tuple[int, int, Any], ...] = ()

    def rows(self) -> list[list[float]]:
        """Return t, q, v, a, tau of every sample."""
        m = self.motion
        return [[t, *q, *v, *a, *tau] for t, q, v, a, tau in zip(m.t, m.q, m.v, m.a, self.tau)]

    def missing(self) -> int:
        """Number of samples without efforts."""
        return sum(not all(map(math.isfinite, tau)) for tau in self.tau)


def part_units(mech: Mechanism, speeds: bool, turning: str, sliding: str) -> list[str]:
    """Return the unit of every coordinate or velocity; parts of a quaternion have none."""
    parts = tuple(p for j in mech.joints for p in (j.kind.velocities if speeds else j.kind.coordinates))
    return list(joint_parts.part_units(parts, turning, sliding))


def motion_from_csv(path: str, model: Any) -> StatedMotion:
    """A motion from a CSV file with the columns t, q.NAME, v.NAME, a.NAME (further columns are ignored)."""
    from linkwright.formats.tables import read_table

    table = read_table(path, "motion", columns(model.q_names, model.v_names))
    units = {
        "q": part_units(model.mechanism, False, "rad", "m"),
        "v": part_units(model.mechanism, True, "rad/s", "m/s"),
        "a": part_units(model.mechanism, True, "rad/s^2", "m/s^2"),
    }
    names = {"q": model.q_names, "v": model.v_names, "a": model.v_names}
    rows = (table.stack({f"{x}.{n}": u for n, u in zip(names[x], units[x])}).tolist() for x in "qva")
    return StatedMotion(table.numbers("t", "s").tolist(), *rows)


def efforts(model: Any, motion: StatedMotion) -> EffortTable:
    """Efforts that make the model follow the motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BatchWarning)  # samples without efforts are counted where they are shown
        tau = model.inverse_dynamics(motion.q, motion.v, motion.a).tolist()
    of_efforts = tuple(each.effort_unit for each in model.actuators)
    titles = [*columns(model.q_names, model.v_names), *(f"tau.{name}" for name in model.actuated)]
    exceeded = model.limits_exceeded_along(motion.q, motion.v, tau)
    return EffortTable(motion, tuple(model.actuated), of_efforts, tau, titles, exceeded)


def show_efforts(found: EffortTable, title: str) -> None:
    """Print about a dozen samples, and the whole course of each effort as bars."""
    n = len(found.tau)
    chosen = sorted({round(k * (n - 1) / min(_SHOWN - 2, max(n - 1, 1))) for k in range(min(_SHOWN - 1, n))})
    heads = ["t [s]", *(f"{name} [{unit}]" for name, unit in zip(found.names, found.units))]
    by_actuator = list(zip(*found.tau))
    extremes = [_extremes(tau) for tau in by_actuator]
    largest = [max(map(abs, pair)) for pair in extremes]
    samples = [[figure(found.motion.t[k]), *map(figure, found.tau[k], largest)] for k in chosen]
    show(title, heads, samples, numbers=True)
    rows = [
        [f"{name} [{unit}]", figure(low), sparkline(tau), figure(high)]
        for name, unit, tau, (low, high) in zip(found.names, found.units, by_actuator, extremes)
    ]
    show("Course", ["effort", "lowest", "", "highest"], rows)
    if found.missing():
        say(f"{found.missing()} of {n} samples have no efforts (singular configurations).")
    rows = [[str(count), f"{found.motion.t[first]:.6g}", str(worst)] for count, first, worst in found.exceeded]
    show("Limits exceeded", ["samples", "first at t [s]", "worst"], rows)


def _extremes(values: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest of the finite values; NaN when there are none."""
    finite = [x for x in values if math.isfinite(x)]
    return min(finite, default=math.nan), max(finite, default=math.nan)


def _has_efforts(file: Path) -> bool:
    """Return True for a table of efforts, known by its columns: it begins with them, as other programs expect."""
    with file.open("rb") as stream:
        titles = stream.readline(1 << 20).rstrip().split(b",")
    groups = list(dict.fromkeys(title.partition(b".")[0] for title in titles))
    return groups == [b"t", b"q", b"v", b"a", b"tau"]


EFFORTS = FileKind("a table of efforts", (".csv",), _has_efforts)


def write_efforts(found: EffortTable, path: str, quiet: bool) -> None:
    """Write the whole table as CSV."""
    write_csv(path, found.titles, found.rows())
    if not quiet:
        say(f"All {len(found.tau)} samples with positions, velocities and accelerations: {path}")


def as_json(found: EffortTable, **more: Any) -> None:
    """Print everything as JSON; JSON has no NaN, so an effort that does not exist is null."""
    motion = found.motion
    data = {
        "t": motion.t,
        "q": motion.q,
        "v": motion.v,
        "a": motion.a,
        "actuated": found.names,
        "units": found.units,
        "tau": [[x if math.isfinite(x) else None for x in row] for row in found.tau],
        "samples_without_efforts": found.missing(),
        "limits_exceeded": [
            {**asdict(worst), "samples": count, "t_first": motion.t[first]} for count, first, worst in found.exceeded
        ],
        **more,
    }
    click.echo(json.dumps(data))
