"""`linkwright time-optimal`: the least time along a path within limits of actuators."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_output import deliver_study, study_options
from linkwright.cli.values import Range, WrittenList


@click.command("time-optimal", short_help="Least time along a path within limits of effort, speed and acceleration.")
@click.argument("name_or_file")
@option("--poses", more="They are waypoints.")
@option("--actuators", more="They are waypoints.")
@option("--pose", more='Straight line from home to it, or between the bounds of ranges, "x=-50..50 mm, z=-0.2".')
@option("--max-effort")
@option("--max-speed")
@option("--max-acceleration")
@click.option("--intervals", type=click.IntRange(2, 100_000), default=200, show_default=True)
@click.option("--solver", type=click.Choice(["toppra", "linprog"]), default="toppra", show_default=True)
@option("--frame", more="[default: the platform]")
@option("--components", more="Others are not followed.")
@output_option("--save-run", kind="run")
@option("--samples", default=401, show_default=True, more="That is, of --save-run.")
@study_options
@reporting_errors
def time_optimal(
    name_or_file: str,
    pose: Any,
    poses: str | None,
    actuators: str | None,
    frame: str | None,
    components: tuple[str, ...] | None,
    solver: Any,
    intervals: int,
    save_run: str | None,
    samples: int,
    max_effort: Any,
    max_speed: Any,
    max_acceleration: Any,
    **output: Any,
) -> None:
    """Find the fastest motion of NAME_OR_FILE (a catalog name or a mechanism file) along a path, from rest to rest.

    Limits of the file hold too. `--save-run` saves the motion for `size`, `report` and `view`.

    \b
    Examples:
      linkwright time-optimal five-bar --pose "x=-0.1..0.1, y=0.4" --max-effort 2 --plot fastest.png
      linkwright time-optimal delta --poses waypoints.csv --max-effort 5 --max-speed 20 --save-run run.npz
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    if sum(x is not None for x in (poses, actuators, pose)) != 1:
        raise click.UsageError("give one of --poses, --actuators and --pose")
    path: dict[str, Any] = {"q_act": actuators} if actuators is not None else {"pose": poses}
    if pose is not None:
        path["pose"] = _line_waypoints(model, pose, frame)
    limits = {"effort": max_effort, "speed": max_speed, "acceleration": max_acceleration}
    given = {name: limit_of_actuators(model, name, written) for name, written in limits.items()}
    named = {"frame": frame, "components": components, "solver": solver, "intervals": intervals}
    found = analysis.time_optimal(model, **named, **path, **given)
    deliver_study(found, **output, files=[(lambda path: found.motion(model, samples).save(path), save_run)])


def _line_waypoints(model: Any, pose: dict[str, Any], frame: str | None) -> Any:
    """Waypoints of a straight line: between the bounds of ranges, or from home to a pose without ranges."""
    from linkwright.analysis.paths.route import straight_line
    from linkwright.cli.kinematics import single_pose, typed_frame_pose
    from linkwright.model.pose import Pose

    ranges = {name: x for name, x in pose.items() if isinstance(x, Range)}
    still = single_pose({name: x for name, x in pose.items() if name not in ranges})
    start = {**still, **{name: x.low for name, x in ranges.items()}} if ranges else {}
    end = {**still, **{name: x.high for name, x in ranges.items()}}
    a, b = (Pose(*typed_frame_pose(model, named, frame)) for named in (start, end))
    return straight_line(a, b)


def limit_of_actuators(model: Any, quantity: str, written: WrittenList | None) -> Any:
    """A limit of "effort", "speed" or "acceleration": one for all actuators, or by name; None where none is given."""
    if written is None:
        return None
    units = [getattr(each, f"{quantity}_unit") for each in model.actuators]
    if any(written.names):
        return written.values(model.actuated, units, kind="actuator")
    (limit,) = written.values(["all actuators"], units[:1]).values()
    return limit
