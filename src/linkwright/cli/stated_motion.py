"""`linkwright motion`: efforts, reactions and power along a motion of the platform, actuators or coordinates."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.kinematics import output_name
from linkwright.cli.options import deliver_study, option, study_options
from linkwright.cli.outputs import RequestedFiles, output_option
from linkwright.cli.study_options import typed_force
from linkwright.cli.values import COMPONENTS, read_list
from linkwright.errors import ArgumentError, BatchWarning, Exit, withheld_warnings
from linkwright.numerics.tolerances import METHODS_DISAGREE

_SAMPLES = 201
_SINE = '"z=10 mm @ 2 Hz"'
_COMPARED = 12
_WAYS = ("at", "poses", "actuators", "coordinates", "sines", "pick_and_place", "run")
_FLAGS = [f"--{name.replace('_', '-')}" for name in _WAYS]


@click.command("motion", short_help="Efforts, reactions, power and limits along a motion.")
@click.argument("name_or_file")
@option("--at", more='Cycloidal motion from home to it, or between the bounds of ranges, "motor=0..120 deg".')
@option("--poses", more="With times, t.")
@option("--actuators", more="With times, t.")
@click.option("--coordinates", help="CSV file of coordinates: t, q.NAME, v.NAME, a.NAME of every joint.")
@click.option("--sines", help='Sines about home, "z=10 mm @ 2 Hz, rx=3 deg @ 1 Hz"; a component may be repeated.')
@click.option("--pick-and-place", help='Lift, way and lift along x about home, "25 mm, 305 mm, 25 mm".')
@option("--run", more="Its motion is repeated.")
@option("--duration", more="Also the time of one cycle.  [default: 1 s; that of the file]")
@option("--samples", more="[default: 201; those of the file]")
@click.option("--faster", type=click.FloatRange(1e-6, 1e6), help="Follow the path of --run this many times as fast.")
@option("--frame", more="[default: the platform]")
@option("--components", more="Others are not followed.")
@option("--force", multiple=True, more="It counts in efforts and reactions.")
@option("--clearance")
@click.option("--without", multiple=True, help='Leave the inertias of bodies out, "rods: rod1, rod2" (repeatable).')
@click.option(
    "--second-method", is_flag=True, help="Compare the efforts with another method; ends with 5 at a difference."
)
@output_option("--save-run", kind="run")
@partial(study_options, numbers="With --without: numbers of the comparison, as .npz, .json or .csv.")
@reporting_errors
def motion(
    name_or_file: str,
    without: tuple[str, ...],
    second_method: bool,
    save_run: str | None,
    page: str | None,
    picture: str | None,
    output: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Compute what the actuators and joints of NAME_OR_FILE (a catalog name or a mechanism file) do along a motion.

    Efforts are those at the joints, after the gears.

    With --without, compare the efforts with those of a simpler model, in which some bodies have no inertia.

    \b
    Examples:
      linkwright motion four-bar --at "motor=120 deg" --duration "2 s" --save-run run.npz
      linkwright motion gough-stewart --sines "z=50 mm @ 2 Hz, rx=5 deg @ 1 Hz" --duration "2 s"
      linkwright motion delta --pick-and-place "10 mm, 100 mm, 10 mm" --duration "0.4 s" --report cycle.html
      linkwright motion five-bar --at "motor1=100 deg" --force "platform=0, -50 N, 0"
      linkwright motion hexapod --poses measured.csv --save-run run.npz
      linkwright motion delta --run run.npz --without "rods: rod1a, rod1b, rod2a, rod2b, rod3a, rod3b"
    """
    from linkwright.cli.mechanisms import build_by_name

    if output is not None and not without:
        raise click.UsageError("--output writes the comparison of --without; write the motion itself with --save-run")
    model = build_by_name(name_or_file)
    if given["force"] and (without or second_method):
        raise click.UsageError("--force is for the motion itself; leave --without and --second-method out")
    with withheld_warnings(BatchWarning):  # samples without efforts are counted where they are shown
        run = _run_stated_motion(model, **given)
    saved = [(run.save, save_run)]
    if without:
        deliver_study(_simpler(model, run, without), as_json, page, picture, output, files=saved)
        return
    other = _second_method(model, run) if second_method else None
    files = RequestedFiles()
    for write, path in (*saved, (run.report, page), (lambda path: run.plot(["tau", "power"], path), picture)):
        files.write(write, path)
    if as_json:
        click.echo(json.dumps(_data(model, run, other)))
    else:
        show_motion(run)
        _show_remarks(model, run, other)
    files.report(as_json)
    if other is not None and other.relative > METHODS_DISAGREE:
        raise click.exceptions.Exit(Exit.CHECK_FAILED)


def _run_stated_motion(
    model: Any,
    frame: str | None,
    components: tuple[str, ...] | None,
    clearance: float | None,
    force: tuple[str, ...],
    faster: float | None,
    samples: int | None,
    duration: float | None,
    **ways: Any,
) -> Any:
    """The motion by the one way that was chosen."""
    from linkwright import motion as compute_motion
    from linkwright.analysis.motions.motion import motion_of_states

    chosen = [name for name in _WAYS if ways[name] is not None]
    if len(chosen) != 1:
        raise click.UsageError(f"give one of {', '.join(_FLAGS[:-1])} and {_FLAGS[-1]}")
    (way,) = chosen
    if faster is not None and way != "run":
        raise click.UsageError("--faster is for --run; give other motions a shorter --duration")
    written, seconds = ways[way], 1.0 if duration is None else duration
    outer: dict[str, Any] = {"clearance": clearance, "w_ext": _typed_wrenches(force)}
    t = _evenly_spaced_times(0.0, seconds, samples)
    if way in ("run", "coordinates"):
        if duration is not None or samples is not None:
            raise click.UsageError(f"--{way} has its own times; leave --duration and --samples out")
        t, states = (
            _read_saved_motion(model, written, faster or 1.0) if way == "run" else states_of_table(model, written)
        )
        return motion_of_states(model, t, states, **outer)
    if way == "at":
        return _move(model, written, t, seconds, outer)
    named: dict[str, Any] = {"frame": frame, "components": components, **outer}
    if way in ("poses", "actuators"):
        own = _times_in(written, duration, samples)
        return compute_motion(model, own, **{"pose" if way == "poses" else "q_act": written}, **named)
    pose = (
        _typed_sines(model, frame, written)
        if way == "sines"
        else _pick_and_place_motion(model, frame, written, seconds)
    )
    return compute_motion(model, t, pose=pose, **named)


def _move(model: Any, at: Any, t: list[float], seconds: float, outer: dict[str, Any]) -> Any:
    """A cycloidal motion of the actuators, all other joints following; of a tree, of all coordinates."""
    from linkwright import motion as compute_motion
    from linkwright.analysis.motions.motion import motion_of_states
    from linkwright.cli.configurations import (
        coordinate_of_each_actuator,
        coordinate_units,
        ends_of_move,
        has_dependent_joints,
    )
    from linkwright.control import Cycloidal

    closed = has_dependent_joints(model.mechanism)
    units = coordinate_units(model)
    if not closed and "" in units:
        joint = model.q_names[units.index("")].rpartition(".")[0]
        raise ArgumentError(f"joint '{joint}' carries a quaternion; give the motion as a CSV file, --coordinates FILE")
    names = coordinate_of_each_actuator(model)[0] if closed else model.q_names
    home = dict(zip(model.q_names, model.assemble().q.tolist()))
    start, end = ends_of_move(model, at, {name: home[name] for name in names})
    law = Cycloidal([start[name] for name in names], [end[name] for name in names], seconds)  # type: ignore[arg-type]
    if closed:
        return compute_motion(model, t, q_act=law, **outer)
    return motion_of_states(model, t, law.at(t), **outer)


def _typed_wrenches(written: tuple[str, ...]) -> Any:
    """Wrenches of --force; None without any."""
    from linkwright import Wrench

    found = [typed_force(text) for text in written]
    return [Wrench(each["body"], force=each["force"], axes=each["axes"]) for each in found] or None


def states_of_table(model: Any, file: str) -> tuple[Any, Any]:
    """Times and states of a CSV file with the columns t, q.NAME, v.NAME, a.NAME (further columns are ignored)."""
    from linkwright.cli.configurations import coordinate_units, velocity_units
    from linkwright.formats.tables import read_table

    units = velocity_units(model)
    columns = {
        "q": dict(zip(model.q_names, coordinate_units(model))),
        "v": dict(zip(model.v_names, units)),
        "a": dict(zip(model.v_names, [f"{unit}^2" for unit in units])),
    }
    titles = [f"{x}.{name}" for x, names in columns.items() for name in names]
    table = read_table(file, "motion", ["t", *titles])
    states = tuple(table.stack({f"{x}.{n}": u for n, u in names.items()}) for x, names in columns.items())
    return table.numbers("t", "s"), states


def _read_saved_motion(model: Any, file: str, faster: float) -> tuple[Any, Any]:
    """Times and states of a saved run, followed faster."""
    from linkwright.results.result_reader import read_run

    run = read_run(file)
    if run.q.shape[1] != model.nq or run.a.shape[1] != model.nv:
        raise ArgumentError(
            f"{file} has no accelerations of '{model.mechanism.name}'; save a run of `linkwright motion`"
        )
    return run.t / faster, (run.q, faster * run.v, faster**2 * run.a)


def _simpler(model: Any, run: Any, without: tuple[str, ...]) -> Any:
    """Efforts with and without the inertias of some bodies."""
    from linkwright import analysis

    cases = {}
    for text in without:
        name, colon, bodies = text.rpartition(":")
        picked = [body.strip() for body in bodies.split(",") if body.strip()]
        cases[name.strip() if colon else f"without {', '.join(picked)}"] = picked
    return analysis.neglect_inertia(model, cases, run.q, run.v, run.a)


def _second_method(model: Any, run: Any) -> Any:
    """Up to a dozen rows of the motion by a second method."""
    from linkwright.analysis.comparison import agreement

    last = len(run.t) - 1
    picked = sorted({round(k * last / (_COMPARED - 1)) for k in range(_COMPARED)})
    return agreement(model, "inverse_dynamics", run.q[picked], run.v[picked], run.a[picked])


def _evenly_spaced_times(start: float, seconds: float, samples: int | None) -> list[float]:
    """Evenly spaced times, [s]."""
    n = _SAMPLES if samples is None else samples
    return [start + seconds * k / (n - 1) for k in range(n)]


def _times_in(file: str, seconds: float | None, samples: int | None) -> list[float] | None:
    """Times of a file from its first on, evenly spaced where a length or a number is given; None for its own."""
    from linkwright.analysis.motions.motion_arguments import times_of_table

    if seconds is None and samples is None:
        return None
    t = times_of_table(file)
    return _evenly_spaced_times(float(t[0]), float(t[-1] - t[0]) if seconds is None else seconds, samples)


def _home_frame_pose(model: Any, frame: str | None) -> Any:
    return model.frame_pose(model.assemble().q, output_name(model, frame))


def _typed_sines(model: Any, frame: str | None, text: str) -> Any:
    from linkwright.control import EulerMotion, SumOfSines
    from linkwright.mechanism.names import suggest_name

    home, written = _home_frame_pose(model, frame), read_list("--sines", text)
    amplitude: list[list[float]] = []
    frequency: list[list[float]] = []
    for each in written.entries:
        size, at, often = (x.strip() for x in each.value.partition("@"))
        if each.name not in COMPONENTS:
            known = suggest_name(each.name, COMPONENTS)
            written.source.fail(each.name_at, f"unknown component '{each.name}'{known}; write for example {_SINE}")
        if not at:
            fault = f"'{each.value}' of '{each.name}' has no '@' between its size and its frequency"
            written.source.fail(each.value_at, f"{fault}; write for example {_SINE}")
        i = COMPONENTS.index(each.name)
        amplitude.append([0.0] * 6)
        frequency.append([1.0] * 6)
        amplitude[-1][i] = written.source.number(size, each.value_at, each.name, "m" if i < 3 else "rad")
        frequency[-1][i] = _hertz(written, each, often)
    if not amplitude:
        written.source.fail(0, f"it names no component; write for example {_SINE}")
    halves = [([row[part] for row in x]) for part in (slice(0, 3), slice(3, 6)) for x in (amplitude, frequency)]
    angles = SumOfSines([0.0] * 3, halves[2], halves[3])  # type: ignore[arg-type]
    return EulerMotion(SumOfSines(home.position, halves[0], halves[1]), angles, quaternion_wxyz=home.quaternion_wxyz)  # type: ignore[arg-type]


def _hertz(written: Any, each: Any, text: str) -> float:
    try:
        return float(text.removesuffix("Hz").strip())
    except ValueError:
        column = each.value_at + each.value.index("@")
    return written.source.fail(column, f"the frequency is '{text}'; write for example 2 Hz")


def _pick_and_place_motion(model: Any, frame: str | None, text: str, seconds: float) -> Any:
    from linkwright.control import EulerMotion, PickAndPlace, SumOfSines

    written = read_list("--pick-and-place", text)
    up, way, down = written.values(["lift", "way", "drop"], ["m"] * 3).values()
    if up != down:
        written.source.fail(0, f"it lifts {up:g} m and sets down {down:g} m; write the same height twice")
    home = _home_frame_pose(model, frame)
    x, y, z = home.position.tolist()
    point = PickAndPlace((x - way / 2, y, z - up / 2), (x + way / 2, y, z - up / 2), up, seconds)  # type: ignore[arg-type]
    still = SumOfSines([0.0] * 3, [0.0] * 3, [1.0] * 3)  # type: ignore[arg-type]
    return EulerMotion(point, still, quaternion_wxyz=home.quaternion_wxyz)


def _missing(run: Any) -> int:
    """Number of rows without efforts."""
    return sum(not all(map(math.isfinite, tau)) for tau in run.tau.tolist())


def _data(model: Any, run: Any, other: Any) -> dict[str, Any]:
    """The result for programs; JSON has no NaN, so a number that does not exist is null."""
    rows = [each for each in run.summary() if each.group in ("tau", "power")]
    reactions = [e.peak for e in run.summary() if e.group == "reaction force" and math.isfinite(e.peak)]
    agreement = {"agreement": {"method": other.method, "relative": other.relative}} if other else {}
    return {
        "mechanism": model.mechanism.name,
        "times": [float(run.t[0]), float(run.t[-1])],
        "samples": len(run.t),
        "samples_without_efforts": _missing(run),
        "actuators": [{"name": e.name, "unit": e.unit, "peak": _finite(e.peak), "rms": _finite(e.rms)} for e in rows],
        "largest_reaction": max(reactions, default=None),
        "limits": run.meta["limits"],
        **agreement,
    }


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def show_motion(run: Any) -> None:
    """Print peak, RMS and course of the efforts and powers."""
    from linkwright.cli.printed_tables import print_table, sparkline
    from linkwright.readable_text import number_text

    title = f"Motion of {run.meta['mechanism']['name']}, {run.t[0]:.6g} to {run.t[-1]:.6g} s"
    rows = [each for each in run.summary() if each.group in ("tau", "power")]
    cells = [
        [f"{e.name} [{e.unit}]", number_text(e.peak), number_text(e.rms), sparkline(run[e.name].tolist(), 24)]
        for e in rows
    ]
    print_table(title, ["", "peak", "RMS", "course"], cells)


def _show_remarks(model: Any, run: Any, other: Any) -> None:
    from linkwright.cli.printed_tables import print_paragraph

    if _missing(run):
        print_paragraph(f"{_missing(run)} of {len(run.t)} samples have no efforts (singular configurations).")
    for each in run.meta["limits"]:
        print_paragraph(f"From t = {each['first_time']:.6g} s: {each['message']}")
    if not run.meta["limits"]:
        limited = model.limits_exceeded(run.q[:1], run.v[:1], run.tau[:1]).limits
        print_paragraph("All limits of the file are kept." if limited else "The file has no limits.")
    if other is not None:
        print_paragraph(other.message[0].upper() + other.message[1:] + ".")
