"""`linkwright simulate`: the motion of a mechanism, or of a study file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import json_option, option, plain_file_name
from linkwright.cli.outputs import (
    RequestedFiles,
    allow_outside_option,
    claim_file,
    is_overwriting,
    output_option,
    overwrite_option,
)
from linkwright.cli.progress_line import is_quiet
from linkwright.cli.values import TIME, VALUES
from linkwright.errors import Exit
from linkwright.method_registry import DEFAULT_NAME, method_names
from linkwright.numerics.tolerances import METHODS_DISAGREE


class MethodChoice(click.Choice[str]):
    """The name of an integrator; plug-ins, which may add some, are loaded when the names are looked up."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """All names."""
        return method_names()


_POSITIVE = click.FloatRange(min=0.0, min_open=True)


@click.command(short_help="The motion of a mechanism, or the run a study file describes.")
@click.argument("name_or_file")
@option("--duration", more="[default: 1 s]")
@option("--at", more="The run starts there.  [default: home]")
@click.option("--velocities", type=VALUES, help='Independent velocities at start, "theta=1 rad/s".  [default: rest]')
@click.option("--effort", type=VALUES, help='Constant efforts of actuators by name, "motor=0.5".  [default: none]')
@option("--force", multiple=True)
@click.option("--method", type=MethodChoice(), help=f"[default: {DEFAULT_NAME}]")
@click.option("--rtol", type=_POSITIVE, help="Error allowed per step.  [default: the method's]")
@click.option("--step", type=TIME, help="Fixed step of a method that takes one, as rk4 and dp5.")
@click.option("--formulation", type=click.Choice(["multipliers", "minimal", "springs"]), help="[default: multipliers]")
@click.option("--spring-stiffness", help='Stiffness of virtual springs, "1e6 N/m".')
@click.option("--spring-damping", help="Damping of virtual springs.  [default: 0]")
@option("--samples", more="[default: 201]")
@click.option("--stop-at-limits", is_flag=True, help="End the run where a joint reaches a limit.")
@click.option("--max-steps", type=click.IntRange(1, 1 << 53), help="Steps that may be attempted.  [default: 100000000]")
@click.option("--realtime", is_flag=True, help="Keep to the wall clock; report how fast it could run.")
@output_option("--save-run", kind="run", more="[default: NAME_run.npz]")
@click.option("--resume", is_flag=True, help="Go on with the run that was interrupted, from its .unfinished file.")
@overwrite_option
@allow_outside_option
@output_option("--report", kind="page", more="With animation and curves.")
@output_option("--save-study", kind="study")
@json_option
@reporting_errors
def simulate(
    name_or_file: str,
    realtime: bool,
    save_run: str | None,
    report: str | None,
    save_study: str | None,
    as_json: bool,
    allow_outside: bool,
    resume: bool,
    **options: Any,
) -> None:
    """Let NAME_OR_FILE move: a catalog name, a mechanism file, or a study file, which needs no options.

    Ends with 4 when the motion cannot be followed to its end, and with 5 when a second method disagrees; what was
    computed is written in any case. Ctrl-C keeps what was computed until then, and --resume goes on from there.

    \b
    Examples:
      linkwright simulate four-bar --duration "2 s" --effort "motor=6 N m" --report run.html
      linkwright simulate 3-rrr --at "motor1=65 deg" --save-study study.yaml
      linkwright simulate study.yaml --save-run run.csv
      linkwright simulate study.yaml --save-run run.csv --resume
      linkwright simulate gough-stewart --realtime
    """
    from linkwright.cli.run_summary import run_json, show_run
    from linkwright.cli.study_options import requested_study, saved_study

    path = save_run
    study, mech, folder = requested_study(name_or_file, options)
    if save_study:
        saved_study(study, folder, save_study)
    if path is None and study.output.save is None and not as_json:
        path = claim_file(_file_name(name_or_file, mech.name), "run")
    if resume and path is None and study.output.save is None:
        raise click.UsageError("--resume needs the file of the run; name it with --save-run")
    allowed = {"overwrite": is_overwriting(), "allow_outside": allow_outside, "resume": resume}
    run = _run_with_progress(study, mech, path, realtime, as_json, allowed)
    path = path or study.output.save
    files = RequestedFiles()
    files.write(run.report, report)
    drawn = files.written[0] if files.written else None
    if as_json:
        run_json(run, file=path, report=drawn, study=save_study)
    else:
        show_run(run, file=path, report=drawn, study=save_study)
    files.report(as_json=True)  # show_run has named them
    _require_reliable_run(run)


def _file_name(name: str, mechanism: str) -> str:
    from linkwright.cli.study_options import is_study

    stem = os.path.splitext(os.path.basename(name))[0] if is_study(name) else mechanism
    return f"{plain_file_name(stem, '_')}_run.npz"


def _run_with_progress(
    study: Any, mech: Any, path: str | None, realtime: bool, quiet: bool, allowed: dict[str, bool]
) -> Any:
    from linkwright.simulation.running import run_output
    from linkwright.simulation.study_run import run_study

    try:
        with _simulation_progress(quiet or is_quiet()) as progress:
            return run_study(study, mech, path, progress, run_output.Pace() if realtime else None, **allowed)
    except KeyboardInterrupt:
        raise CommandFailure(_interrupted_message(path or study.output.save), Exit.INTERRUPTED) from None


def _interrupted_message(path: str | None) -> str:
    """Message about an interrupted run: what was kept, and where."""
    from linkwright.results.recording import ENDING
    from linkwright.results.result_reader import read_run

    beside = f"{path}{ENDING}"
    if path is None or not os.path.isfile(beside):
        return "interrupted; nothing was recorded, because no file was requested: give --save-run"
    run = read_run(beside)
    until = f" until t = {run.t[-1]:.6g} s" if len(run.t) else ""
    return (
        f"interrupted; {len(run.t)} rows{until} are in {beside}, which linkwright report and lw.open_result read; "
        "the same command with --resume goes on"
    )


@contextmanager
def _simulation_progress(silent: bool) -> Iterator[Callable[[float], Any] | None]:
    """A bar on the error stream of a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress

    from linkwright.cli.progress_line import other_progress
    from linkwright.compiler.runtime.progress import listen_to_progress

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield None
        return
    other_progress()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("simulating", total=1.0)
        with listen_to_progress(lambda work: bar.update(task, description=work or "simulating")):
            yield lambda share: bar.update(task, completed=share)


def _require_reliable_run(run: Any) -> None:
    """Fail when the run ended before its time, its energy does not balance, or the second method disagrees."""
    ended = run.meta["ended"]
    if not run.meta["complete"]:
        raise CommandFailure(f"the run ended at t = {ended['t']:.6g} s: {ended['text']}", Exit.NOT_CLOSED)
    for event in run.events:
        if event.kind == "accuracy":
            raise CommandFailure(event.text, Exit.CHECK_FAILED)
    found = run.meta.get("agreement") or {}
    if found and not found["relative"] <= METHODS_DISAGREE:
        raise CommandFailure(
            f"{found['method']} gives accelerations that differ by {found['relative']:.1e} of the largest, more than "
            f"{METHODS_DISAGREE:.0e}; the run is unreliable; please report it with its study (--save-study)",
            Exit.CHECK_FAILED,
        )
