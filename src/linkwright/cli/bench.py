"""`linkwright bench`: speed of the compiled functions, alone or beside other engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import json_option
from linkwright.errors import Exit

SUITES = ("serial", "chains", "compile", "peak", "loops", "all")
ROWS = 4096
_ALONE = ("stanford-arm", "gough-stewart")
_WHERE = "peers (Pinocchio, MuJoCo, Drake) are measured by the benchmarks folder of the source repository"


@click.command(short_help="Time a mechanism's functions, or run the comparison with other engines.")
@click.argument("name_or_file", required=False)
@click.option(
    "--quick", is_flag=True, help="A few repetitions only: checks that everything runs; the times mean little."
)
@json_option
@reporting_errors
def bench(name_or_file: str | None, quick: bool, as_json: bool) -> None:
    """Time the functions of NAME_OR_FILE (a catalog name or a mechanism file) on one core.

    serial, chains, compile, peak, loops or all, in place of NAME_OR_FILE, run the comparison with those other engines
    that are installed; it needs the source repository. Without NAME_OR_FILE: all comparisons, or two mechanisms of the
    catalog if the source repository is missing.

    \b
    Examples:
      linkwright bench gough-stewart
      linkwright bench robot.urdf --json
      linkwright bench loops
    """
    root = source_repository()
    if name_or_file in SUITES and not os.path.exists(name_or_file):
        if root is None:
            raise CommandFailure(
                f"'{name_or_file}' is a comparison, and {_WHERE}; give a mechanism instead", Exit.USAGE
            )
        _run_suite(root, name_or_file, quick, as_json)
    elif name_or_file is None and root is not None:
        _run_suite(root, "all", quick, as_json)
    else:
        _time_mechanisms((name_or_file,) if name_or_file else _ALONE, quick, as_json)


def source_repository() -> Path | None:
    """Return the source repository this package runs from, or None if it is installed."""
    root = Path(__file__).parents[3]
    return root if (root / "benchmarks" / "__main__.py").is_file() else None


def _run_suite(root: Path, suite: str, quick: bool, as_json: bool) -> None:
    options = [*(["--quick"] if quick else []), *(["--json", "-"] if as_json else [])]
    paths = filter(None, [str(root), os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-P", "-m", "benchmarks", suite, *options], env=environment, check=False)
    if done.returncode:
        raise CommandFailure(f"the benchmarks ended with exit code {done.returncode}", done.returncode)


def _time_mechanisms(names: tuple[str, ...], quick: bool, as_json: bool) -> None:
    from linkwright.cli import call_timing

    extent = call_timing.QUICK if quick else call_timing.MeasuringExtent()
    with call_timing.on_one_core() as core:
        found = {name: _time_mechanism(name, extent) for name in names}
    data = {
        "computer": {**call_timing.computer_description(), "core": core},
        "mechanisms": found,
        "not_measured": _WHERE,
    }
    if as_json:
        click.echo(json.dumps(data))
    else:
        _print_timings(data)


def _time_mechanism(name: str, extent: Any) -> dict[str, Any]:
    from linkwright.cli import call_timing
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name)
    functions = timed_calls(model)
    times = call_timing.time_functions({key: call for key, (call, _) in functions.items()}, extent)
    noise = times.pop(call_timing.NOISE)
    rows = [
        {"function": key, "us": t.least / functions[key][1], "median_us": t.median / functions[key][1]}
        for key, t in times.items()
    ]
    probe = {"us": noise.least, "median_us": noise.median}
    return {"name": model.mechanism.name, "rows": rows, "noise": probe, "warning": call_timing.noise_warning(noise)}


def timed_calls(model: Any) -> dict[str, tuple[Callable[[], Any], int]]:
    """Return the calls that are timed at the home pose in slow motion, each with the number of states it works on."""
    from linkwright.errors import LinkwrightError

    q = model.assemble().q
    v = model.independent_map(q).sum(axis=-1) * 0.1
    tau = (q[:1] * 0.0 + 1.0).repeat(model.na)
    many_q, many_v, many_tau = (x[None, :].repeat(ROWS, axis=0) for x in (q, v, tau))
    out: dict[str, tuple[Callable[[], Any], int]] = {
        "forward_dynamics": (lambda: model.forward_dynamics(q, v, tau), 1),
        f"forward_dynamics, batch of {ROWS}": (lambda: model.forward_dynamics(many_q, many_v, many_tau), ROWS),
        "mass_matrix": (lambda: model.mass_matrix(q), 1),
    }
    a = model.forward_dynamics(q, v, tau)
    many_a = a[None, :].repeat(ROWS, axis=0)
    try:
        model.inverse_dynamics(q, v, a)
    except LinkwrightError:  # its actuators cannot drive every motion
        return out
    out["inverse_dynamics"] = (lambda: model.inverse_dynamics(q, v, a), 1)
    out[f"inverse_dynamics, batch of {ROWS}"] = (lambda: model.inverse_dynamics(many_q, many_v, many_a), ROWS)
    return out


def _print_timings(data: dict[str, Any]) -> None:
    from linkwright.cli.printed_tables import print_paragraph, print_table

    about = data["computer"]
    print_paragraph(f"{about['date']}, {about['processor']}, one of {about['cores']} cores, load {about['load']}\n")
    for found in data["mechanisms"].values():
        rows = [[r["function"], f"{r['us']:.3f}", f"{r['median_us']:.3f}"] for r in found["rows"]]
        print_table(f"{found['name']}, per state", ["function", "least [us]", "median [us]"], rows, numbers=True)
        noise = found["noise"]
        print_paragraph(f"noise probe: median {noise['median_us'] / noise['us']:.2f} times its minimum")
        if found["warning"]:
            print_paragraph(f"Warning: {found['warning']}.")
    print_paragraph(f"Not measured here: {data['not_measured']}.")
