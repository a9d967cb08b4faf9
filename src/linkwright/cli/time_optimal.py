"""`linkwright time-optimal`: the least time along a path within limits of actuators."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.outputs import output_option
from linkwright.cli.study_output import deliver, study_options


@click.command("time-optimal", short_help="Least time along a path within limits of effort, speed and acceleration.")
@click.argument("name_or_file")
@click.option("--poses", help="CSV file of waypoints: x, y, z, rx, ry, rz, or qw, qx, qy, qz instead of the angles.")
@click.option("--actuators", help="CSV file of waypoints: a column for each actuator.")
@click.option("--from", "start", help='Straight line from this pose, "x=-50 mm, z=-200 mm"; home when left out.')
@click.option("--to", "end", help="Straight line to this pose.")
@click.option("--effort", help='Limits of efforts, "10" for all or "motor1=10 N m, motor2=8 N m".')
@click.option("--speed", help='Limits of the actuators\' speeds, "3" or by name.')
@click.option("--acceleration", help='Limits of the actuators\' accelerations, "100" or by name.')
@click.option("--intervals", type=click.IntRange(2, 100_000), default=200, show_default=True)
@click.option("--solver", type=click.Choice(["toppra", "linprog"]), default="toppra", show_default=True)
@click.option("--frame", help="Frame or body that moves; the platform when left out.")
@click.option("--components", help='Components that count, for example "x y"; others are not followed.')
@output_option("--run", "run_file", kind="run", help="File to save the motion as a run: .npz, .csv, .mat or .nc.")
@click.option("--samples", type=click.IntRange(2, 1_000_000), default=401, show_default=True, help="Rows of that run.")
@study_options
@reporting_errors
def time_optimal(
    name_or_file: str,
    start: str | None,
    end: str | None,
    poses: str | None,
    actuators: str | None,
    frame: str | None,
    components: str | None,
    solver: Any,
    intervals: int,
    run_file: str | None,
    samples: int,
    effort: str | None,
    speed: str | None,
    acceleration: str | None,
    **output: Any,
) -> None:
    """Find the fastest motion of NAME_OR_FILE (a catalog name or a mechanism file) along a path, from rest to rest.

    Limits of the file hold too. `--run` saves the motion for `size`, `report` and `view`.

    \b
    Examples:
      linkwright time-optimal five-bar --from "x=-0.1, y=0.4" --to "x=0.1, y=0.4" --effort 2 --plot fastest.png
      linkwright time-optimal delta --poses waypoints.csv --effort 5 --speed 20 --run run.npz
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import built

    model = built(name_or_file)
    if sum(x is not None for x in (poses, actuators, end)) != 1:
        raise click.UsageError("give one of --poses, --actuators and --to")
    path: dict[str, Any] = {"q_act": actuators} if actuators is not None else {"pose": poses}
    if end is not None:
        path["pose"] = _line(model, start, end, frame)
    limits = {"effort": effort, "speed": speed, "acceleration": acceleration}
    given = {name: _limits(model, name, text) for name, text in limits.items()}
    given["components"] = None if components is None else components.replace(",", " ").split()
    found = analysis.time_optimal(model, frame=frame, solver=solver, intervals=intervals, **path, **given)
    deliver(found, **output, files=[(lambda path: found.motion(model, samples).save(path), run_file)])


def _line(model: Any, start: str | None, end: str, frame: str | None) -> Any:
    """Waypoints of a straight line between two poses as they are typed."""
    from linkwright.analysis.paths.route import straight_line
    from linkwright.cli.kinematics import posed
    from linkwright.model.pose import Pose

    a, b = (Pose(*posed(model, text or "", frame)) for text in (start, end))
    return straight_line(a, b)


def _limits(model: Any, title: str, text: str | None) -> Any:
    """One limit for all actuators, or by name."""
    from linkwright.cli.configurations import given
    from linkwright.cli.motion import typed

    if text is None:
        return None
    units = [getattr(each, f"{title}_unit") for each in model.actuators]
    if "=" in text:
        return given(text, model.actuated, units, f"--{title}")
    return typed(text, f"--{title}", units[0])
