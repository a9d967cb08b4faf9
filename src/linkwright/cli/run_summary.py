"""A run in a few tables, or as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from linkwright.cli.printed_tables import print_paragraph, print_table, readable_quantity, sparkline
from linkwright.readable_text import number_text

_MOST_EVENTS = 20


def run_json(run: Any, **files: Any) -> None:
    """Print a run as JSON; JSON has no NaN, so such a number is null."""
    meta = run.meta
    known = ("ended", "complete", "stats", "closure", "closure_rate", "energy_balance", "agreement", "real_time")
    data = {
        **files,
        "mechanism": meta["mechanism"]["name"],
        **{key.replace(" ", "_"): meta[key] for key in known if key in meta},
        "events": [{"t": e.t, "kind": e.kind, "name": e.name, "text": e.text} for e in run.events],
        "final": {name: _number_or_none(run[name][-1]) for name in run.names} if len(run.t) else {},
        "peak": {each.name: _number_or_none(each.peak) for each in run.summary()},
    }
    click.echo(json.dumps(data))


def _number_or_none(x: Any) -> float | None:
    return float(x) if math.isfinite(x) else None


def show_run(run: Any, file: str | None, report: str | None, study: str | None) -> None:
    """Print a run as tables: coordinates, peak velocities, checks, events, and the files written."""
    if len(run.t):
        _show_motion(run)
    meta = run.meta
    print_table("Checks", ["check", "value", "meaning"], _check_rows(meta))
    _show_events(run.events)
    _show_pace(meta.get("real_time"))
    for what, path in (("Run", file), ("Page", report), ("Study that repeats it", study)):
        if path:
            print_paragraph(f"{what}: {path}")


def _show_motion(run: Any) -> None:
    found = run.summary()
    title = f"{run.meta['mechanism']['name']}: {len(run.t)} rows, t = {run.t[0]:.6g} to {run.t[-1]:.6g} s"
    rows = [_course_line(s, run[s.name].tolist()) for s in found if s.group == "q"]
    print_table(title, ["coordinate", "start", "end", "lowest", "highest", "course"], rows)
    rows = [
        [_name_with_unit(s.name, s.unit), number_text(s.last), number_text(s.peak)] for s in found if s.group == "v"
    ]
    print_table("Velocities", ["velocity", "end", "peak"], rows)


def _course_line(s: Any, values: list[float]) -> list[str]:
    """A coordinate in a line of less than 80 characters; angles in degrees."""
    unit = readable_quantity(0.0, s.unit)[1]
    figures = (number_text(readable_quantity(x, s.unit)[0]) for x in (s.first, s.last, s.low, s.high))
    return [_name_with_unit(s.name, unit), *figures, sparkline(values, width=16)]


def _name_with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _check_rows(meta: dict[str, Any]) -> list[list[str]]:
    stats, energy, other = meta["stats"], meta["energy_balance"], meta.get("agreement") or {}
    rows = [
        ["ended", meta["ended"]["kind"], meta["ended"]["text"]],
        [
            "closure",
            f"{meta['closure']:.1e} m",
            f"largest residual; grows at most at {meta['closure_rate']:.1e} m/s",
        ],
        [
            "energy",
            f"{energy['relative']:.1e}",
            f"drift of energy less work and losses ({energy['drift']:.1e} J), of the energy exchanged",
        ],
    ]
    if other:
        meaning = f"largest difference of accelerations from {other['method']} in {other['samples']} rows, relative"
        rows.append(["second method", f"{other['relative']:.1e}", meaning])
    counts = ", ".join(f"{n} {name}" for name, n in stats.items() if name != "steps")
    return [*rows, ["steps", str(stats["steps"]), f"{counts}; {meta['method']}, {meta['formulation']}"]]


def _show_events(events: Any) -> None:
    rows = [[f"{e.t:.6g}", e.kind, e.text] for e in events[:_MOST_EVENTS]]
    print_table("Events", ["t [s]", "kind", "what"], rows)
    if len(events) > _MOST_EVENTS:
        print_paragraph(f"... and {len(events) - _MOST_EVENTS} more events in the file")


def _show_pace(pace: dict[str, Any] | None) -> None:
    if pace is None:
        return
    factor = "" if pace["factor"] is None else f"{pace['factor']:.3g} times real time is possible; "
    late = f", the worst by {1e3 * pace['latest']:.3g} ms" if pace["missed"] else ""
    print_paragraph(f"Real time: {factor}{pace['missed']} of {pace['deadlines']} deadlines missed{late}")
