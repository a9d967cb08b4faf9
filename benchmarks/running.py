"""Linkwright beside other engines.

Everything runs on one core, all calls of a comparison in turn, and the least of many repetitions counts. A peer's
result is checked against ours before it is timed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import chains, compiling, loops, peak, peers, report, serial
from linkwright.cli.call_timing import QUICK, MeasuringExtent, computer_description, on_one_core

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TABLES: dict[str, Callable[[MeasuringExtent], tuple[Sequence[Any], list[str]]]] = {
    "serial": serial.table,
    "chains": chains.table,
    "compile": compiling.table,
    "peak": peak.table,
    "loops": loops.table,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and write what was requested; 5 when a peer's result differs from ours."""
    given = _parser().parse_args(arguments)
    names = list(TABLES) if given.tables in ([], ["all"]) else given.tables
    quiet = given.json == "-"
    extent = QUICK if given.quick else MeasuringExtent()
    data: dict[str, Any] = {
        "computer": computer_description(),
        "rounds": extent.rounds,
        "peers": peers.installed(),
        "missing": peers.missing(),
        "tables": {},
    }
    text = [_head(data)]
    _say(text[0], quiet)
    with on_one_core() as core:
        data["computer"]["core"] = core
        for name in names:
            rows, notes = TABLES[name](extent)
            data["tables"][name] = {"rows": [row.as_dict() for row in rows], "notes": notes}
            text.append(report.section(name, rows, notes))
            _say(text[-1], quiet)
    found = [row for table in data["tables"].values() for row in table["rows"]]
    data["noise"] = sorted(row["noise"] for row in found if "noise" in row)
    data["faults"] = [fault for row in found for fault in row.get("faults", [])]
    text.append("".join(f"{line}\n" for line in [report.noise(data["noise"]), *(f"**{f}**" for f in data["faults"])]))
    _say(text[-1], quiet)
    _write(given, data, text)
    return 5 if data["faults"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, "all", []], metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument(
        "--quick", action="store_true", help="a few repetitions: checks that all runs, times mean little"
    )
    parser.add_argument("--json", metavar="FILE", help="write the numbers as JSON; - for standard output")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks.md")
    return parser


def _head(data: dict[str, Any]) -> str:
    about = data["computer"]
    here = ", ".join(f"{name} {version}" for name, version in data["peers"].items()) or "none"
    away = "; ".join(f"{name}: {why}" for name, why in data["missing"].items()) or "none"
    return (
        f"# Benchmarks\n\n{about['date']}; {about['processor']}, one of {about['cores']} cores; {about['system']}; "
        f"Python {about['python']}; load of the computer at the start: {about['load']}.\n\n"
        f"Peers measured: {here}. Peers missing: {away}.\n\n"
        f"Least of {data['rounds']} interleaved rounds on one core, in us per call (per state for batches); ratio = "
        "peer / linkwright. Peers are called from Python, as we are. The difference is that of the results, relative, "
        "checked before timing. Made by `python -m benchmarks --page`.\n"
    )


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        print(text, flush=True)


def _write(given: argparse.Namespace, data: dict[str, Any], text: list[str]) -> None:
    if given.json == "-":
        json.dump(data, sys.stdout)
    elif given.json:
        Path(given.json).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if given.page:
        PAGE.write_text("\n".join(text), encoding="utf-8")
