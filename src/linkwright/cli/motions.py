"""`linkwright motion`: joints, efforts, reactions and power along a motion of the platform or of the actuators."""

from __future__ import annotations

import json
from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.outputs import RequestedFiles, output_option, overwrite_option
from linkwright.errors import ArgumentError

_SAMPLES = 201
_PARTS = ("x", "y", "z", "rx", "ry", "rz")


@click.command("motion", short_help="Efforts, reactions, power and limits along a motion of the platform.")
@click.argument("name_or_file")
@click.option("--poses", help="CSV file: t, x, y, z, rx, ry, rz, or qw, qx, qy, qz instead of the angles.")
@click.option("--actuators", help="CSV file: t and a column for each actuator.")
@click.option("--sines", help='Sines about home, "z=10 mm @ 2 Hz, rx=3 deg @ 1 Hz"; a component may be repeated.')
@click.option("--pick-and-place", "cycle", help='Lift, way and lift along x about home, "25 mm, 305 mm, 25 mm".')
@click.option(
    "--duration", help="Length of the motion from its start, or time of one cycle.  [default: 1 s; the file's]"
)
@click.option("--samples", type=click.IntRange(2, 1_000_000), help="Rows of the result.  [default: 201; the file's]")
@click.option("--frame", help="Frame or body that moves; the platform when left out.")
@click.option("--components", help='Components that count, for example "x y"; others are not followed.')
@click.option("--clearance", "distance", help="Least distance that links must keep, for example '5 mm'.")
@output_option("--output", kind="run", help="File to save the run: .npz, .csv, .mat or .nc.")
@output_option("--report", "page", kind="page", help="HTML page with animation, curves and tables.")
@output_option("--plot", "picture", kind="figure", help="Figure of efforts and power: .pdf, .svg or .png.")
@overwrite_option
@click.option("--json", "as_json", is_flag=True, help="Print peaks, RMS and limits as JSON.")
@reporting_errors
def motion(
    name_or_file: str,
    frame: str | None,
    components: str | None,
    distance: str | None,
    output: str | None,
    page: str | None,
    picture: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Compute what the actuators and joints of NAME_OR_FILE (a catalog name or a mechanism file) do along a motion.

    \b
    Examples:
      linkwright motion gough-stewart --sines "z=50 mm @ 2 Hz, rx=5 deg @ 1 Hz" --duration "2 s"
      linkwright motion delta --pick-and-place "10 mm, 100 mm, 10 mm" --duration "0.4 s" --report cycle.html
      linkwright motion hexapod --poses measured.csv --output run.npz
    """
    from linkwright import motion as along
    from linkwright.cli.mechanisms import built
    from linkwright.cli.motion import typed

    model = built(name_or_file)
    least = None if distance is None else typed(distance, "--clearance", "m")
    counted = None if components is None else components.replace(",", " ").split()
    run = along(model, frame=frame, components=counted, clearance=least, **_given(model, frame, **given))
    files = RequestedFiles()
    files.write(run.save, output)
    files.write(run.report, page)
    files.write(lambda path: run.plot(["tau", "power"], path), picture)
    if as_json:
        click.echo(json.dumps(_data(model, run)))
    else:
        _show(model, run)
    files.report(as_json)


def _given(
    model: Any, frame: str | None, samples: int | None, duration: str | None, **ways: str | None
) -> dict[str, Any]:
    """The arguments of `lw.motion` from the one way that was chosen."""
    from linkwright.cli.motion import typed

    chosen = [name for name, text in ways.items() if text is not None]
    if len(chosen) != 1:
        raise click.UsageError("give one of --poses, --actuators, --sines and --pick-and-place")
    (way,) = chosen
    text = ways[way]
    seconds = None if duration is None else typed(duration, "--duration", "s")
    if seconds is not None and seconds <= 0.0:
        raise ArgumentError(f"the duration is {seconds:g} s; it must be above zero")
    if way in ("poses", "actuators"):
        return {"t": _times_in(str(text), seconds, samples), "pose" if way == "poses" else "q_act": text}
    seconds = 1.0 if seconds is None else seconds
    return {
        "t": _spaced(0.0, seconds, samples),
        "pose": _sines(model, frame, str(text)) if way == "sines" else _cycle(model, frame, str(text), seconds),
    }


def _spaced(start: float, seconds: float, samples: int | None) -> list[float]:
    """Evenly spaced times, [s]."""
    n = _SAMPLES if samples is None else samples
    return [start + seconds * k / (n - 1) for k in range(n)]


def _times_in(file: str, seconds: float | None, samples: int | None) -> list[float] | None:
    """Times of a file from its first on, evenly spaced where a length or a number is given; None for its own."""
    from linkwright.analysis.motions.given import times_of_table

    if seconds is None and samples is None:
        return None
    t = times_of_table(file)
    return _spaced(float(t[0]), float(t[-1] - t[0]) if seconds is None else seconds, samples)


def _home(model: Any, frame: str | None) -> Any:
    from linkwright.functions.loop.twist_functions import output_frame

    name = frame or output_frame(model.mechanism)
    if not name:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no platform; name a frame or body with --frame")
    return model.frame_pose(model.assemble().q, name)


def _sines(model: Any, frame: str | None, text: str) -> Any:
    from linkwright.cli.motion import typed
    from linkwright.control import EulerMotion, SumOfSines
    from linkwright.mechanism.names import suggestion

    home = _home(model, frame)
    amplitude: list[list[float]] = []
    frequency: list[list[float]] = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        name, equals, rest = (x.strip() for x in part.partition("="))
        size, at, often = (x.strip() for x in rest.partition("@"))
        if name not in _PARTS or not equals or not at:
            raise ArgumentError(f"--sines: '{part}'{suggestion(name, _PARTS)}; write for example \"z=10 mm @ 2 Hz\"")
        i = _PARTS.index(name)
        amplitude.append([0.0] * 6)
        frequency.append([1.0] * 6)
        amplitude[-1][i] = typed(size, f"--sines: {name}", "m" if i < 3 else "rad")
        frequency[-1][i] = _hertz(often)
    if not amplitude:
        raise ArgumentError('--sines names no component; write for example "z=10 mm @ 2 Hz"')
    halves = [([row[part] for row in x]) for part in (slice(0, 3), slice(3, 6)) for x in (amplitude, frequency)]
    angles = SumOfSines([0.0] * 3, halves[2], halves[3])  # type: ignore[arg-type]
    return EulerMotion(SumOfSines(home.position, halves[0], halves[1]), angles, quaternion_wxyz=home.quaternion_wxyz)  # type: ignore[arg-type]


def _hertz(text: str) -> float:
    try:
        return float(text.removesuffix("Hz").strip())
    except ValueError:
        raise ArgumentError(f"--sines: the frequency is '{text}'; write for example 2 Hz") from None


def _cycle(model: Any, frame: str | None, text: str, seconds: float) -> Any:
    from linkwright.cli.motion import typed
    from linkwright.control import EulerMotion, PickAndPlace, SumOfSines

    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3:
        raise ArgumentError(
            f'--pick-and-place is "{text}"; write lift, way and lift, for example "25 mm, 305 mm, 25 mm"'
        )
    up, way, down = (typed(part, "--pick-and-place", "m") for part in parts)
    if up != down:
        raise ArgumentError(f"--pick-and-place lifts {up:g} m and sets down {down:g} m; write the same height twice")
    home = _home(model, frame)
    x, y, z = home.position.tolist()
    point = PickAndPlace((x - way / 2, y, z - up / 2), (x + way / 2, y, z - up / 2), up, seconds)  # type: ignore[arg-type]
    still = SumOfSines([0.0] * 3, [0.0] * 3, [1.0] * 3)  # type: ignore[arg-type]
    return EulerMotion(point, still, quaternion_wxyz=home.quaternion_wxyz)


def _data(model: Any, run: Any) -> dict[str, Any]:
    rows = [each for each in run.summary() if each.group in ("tau", "power")]
    return {
        "mechanism": model.mechanism.name,
        "times": [float(run.t[0]), float(run.t[-1])],
        "samples": len(run.t),
        "actuators": [{"name": e.name, "unit": e.unit, "peak": e.peak, "rms": e.rms} for e in rows],
        "largest reaction": max((e.peak for e in run.summary() if e.group == "reaction force"), default=None),
        "limits": run.meta["limits"],
    }


def _show(model: Any, run: Any) -> None:
    from linkwright.cli.tables import figure, say, show

    rows = [each for each in run.summary() if each.group in ("tau", "power")]
    title = f"Motion of {model.mechanism.name}, {run.t[0]:.6g} to {run.t[-1]:.6g} s"
    show(title, ["", "peak", "RMS", "unit"], [[e.name, figure(e.peak), figure(e.rms), e.unit] for e in rows], True)
    for each in run.meta["limits"]:
        say(f"From t = {each['first time']:.6g} s: {each['message']}")
    if not run.meta["limits"]:
        say("All limits of the file are kept.")
