"""`linkwright simulate`: the motion of a mechanism, or of a study file."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import Any

import click

from linkwright.cli.failures import BAD_FILE, Failure, sentences


@click.command(short_help="The motion of a mechanism, or the run a study file describes.")
@click.argument("name_or_file")
@click.option("--t-end", default="1 s", show_default=True, help="When to stop.")
@click.option("--start", help='Coordinates held at the start, "theta=30 deg"; the rest is assembled.')
@click.option("--speeds", help='Independent speeds at the start, "theta=1 rad/s"; the rest follows.')
@click.option("--effort", help='Constant efforts, "motor=6 N m"; none unless given.')
@click.option("--method", default="dop853", show_default=True, help="dop853, dp5, rk4 (needs --step) or rodas5p.")
@click.option("--rtol", type=float, help="Relative tolerance.  [default: the method's]")
@click.option("--step", help="Fixed step of rk4 or dp5.")
@click.option("--rows", type=int, help="Rows to keep.  [default: 201]")
@click.option("--stop-at-limits", is_flag=True, help="End the run where a joint reaches a limit.")
@click.option("--output", help="File for the run: .npz, .csv, .mat or .nc.  [default: NAME_run.npz]")
@click.option("--save-study", help="Also write the study file that repeats this run.")
@click.option(
    "--json", "machine", is_flag=True, help="Print what is known of the run as JSON; a file only with --output."
)
@sentences
def simulate(name_or_file: str, output: str | None, save_study: str | None, machine: bool, **asked: Any) -> None:
    """Let NAME_OR_FILE move: a catalog name, a mechanism file, or a study file (see docs/howto/studies.md).

    Options other than --output, --save-study and --json are for mechanisms; a study says everything itself.

    \b
    Examples:
      linkwright simulate four-bar --t-end "2 s" --effort "motor=6 N m"
      linkwright simulate 3-rrr --start "theta1=1.1" --save-study study.yaml
      linkwright simulate study.yaml --output run.csv
    """
    from linkwright.formats import study as studies
    from linkwright.simulation.studies import run_study

    study, mech = _asked(name_or_file, asked)
    if save_study:
        studies.save_study(study, save_study)
    place = output or study.output.save or (None if machine else _file_name(mech.name))
    with _progress(quiet=machine) as progress:
        run = run_study(study, mech, path=place, progress=progress)
    _tell(run, place, machine)
    if not run.meta["complete"]:
        raise Failure(f"the run ended early: {run.meta['ended']['text']}", 4)


def _asked(name: str, asked: dict[str, Any]) -> tuple[Any, Any]:
    """The study in a file and its mechanism, or the study that the options describe."""
    from linkwright.cli.mechanisms import imported
    from linkwright.formats.study import load_study

    if not _is_study(name):
        mech = imported(name).mechanism
        return _described(name, mech, asked), mech
    study = load_study(name)
    beside = os.path.join(os.path.dirname(name), study.mechanism)
    return study, imported(beside if os.path.isfile(beside) else study.mechanism).mechanism


def _is_study(name: str) -> bool:
    """Whether a file says `t_end` at the beginning of a line, which no mechanism does."""
    if not os.path.isfile(name) or not name.endswith((".yaml", ".yml")):
        return False
    try:
        with open(name, encoding="utf-8") as stream:
            return any(line.startswith("t_end:") for line in stream)
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{name}: cannot be read: {error}", BAD_FILE) from None


def _described(name: str, mech: Any, asked: dict[str, Any]) -> Any:
    from linkwright import build
    from linkwright.cli.inverse import part_units
    from linkwright.cli.places import given
    from linkwright.formats.study import from_study_text
    from linkwright.simulation.columns import effort_unit

    model = build(mech)
    units = part_units(mech, False, "rad", "m"), part_units(mech, True, "rad/s", "m/s")
    start = {
        "q": given(asked["start"], model.q_names, units[0], "--start"),
        "v": given(asked["speeds"], model.v_names, units[1], "--speeds"),
    }
    data = {"format": 1, "mechanism": name, "start": start, "t_end": asked["t_end"]}
    method = {"name": asked["method"], "rtol": asked["rtol"], "step": asked["step"]}
    data |= {
        "method": {key: x for key, x in method.items() if x is not None},
        "stop_at_limits": asked["stop_at_limits"],
    }
    if asked["rows"] is not None:
        data["output"] = {"rows": asked["rows"]}
    if asked["effort"]:
        drives = [effort_unit(model, each) for each in model.actuated]
        efforts = given(asked["effort"], model.actuated, drives, "--effort")
        data["effort"] = {"law": "constant", "efforts": [efforts.get(each, 0.0) for each in model.actuated]}
    return from_study_text(json.dumps(data), "the options")


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) + "_run.npz"


@contextmanager
def _progress(quiet: bool) -> Any:
    """A bar on the error stream of a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("simulating", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _tell(run: Any, place: str | None, machine: bool) -> None:
    from linkwright.cli.tables import figure, say, show, sparkline

    meta = run.meta
    about = {key: meta[key] for key in ("ended", "stats", "closure", "closure rate", "energy balance", "agreement")}
    events = [{"t": e.t, "kind": e.kind, "name": e.name, "text": e.text} for e in run.events]
    if machine:
        final = {name: float(run[name][-1]) for name in run.names}
        click.echo(json.dumps({"file": place, **about, "events": events, "final": final}))
        return
    rows = [
        [s.name, s.unit, figure(float(s.values[0])), figure(float(s.values[-1])), sparkline(s.values.tolist())]
        for s in run.series
        if s.group in ("q", "tau")
    ]
    show(f"{meta['mechanism']['name']}, {len(run.t)} rows", ["series", "unit", "first", "last", "course"], rows)
    show("Events", ["t [s]", "kind", "what"], [[f"{e['t']:.6g}", e["kind"], e["text"]] for e in events[:20]])
    stats, drift = meta["stats"], meta["energy balance"]["relative"]
    say(
        f"{stats['steps']} steps, {stats['rejected']} rejected, {stats['evaluations']} evaluations; largest gap "
        f"{meta['closure']:.1e} m; energy kept to {drift:.1e} of its peak; written to {place}"
    )
