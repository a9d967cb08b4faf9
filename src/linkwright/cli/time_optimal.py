"""`linkwright time-optimal` and `linkwright size`: the least time along a path, and motors and gears for a run."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import deliver_study, option, study_options
from linkwright.cli.outputs import output_option
from linkwright.cli.values import REST, Range, WrittenList
from linkwright.errors import ArgumentError

# --- `linkwright size` ------------------------------------------------------------------------------------------------


@click.command(short_help="Size actuators: loads of a run, motors and gears of a data sheet, sets of actuators.")
@click.argument("name_or_file")
@option("--run", "runs", multiple=True, required=True, more="Repeatable: the motions follow each other.")
@click.option(
    "--motors",
    help="CSV data sheet: name, speed, continuous, peak, rotor_inertia; titles may name units, speed [rpm].",
)
@click.option(
    "--gears",
    help='Ratios to try, "3, 5, 10"; of actuators that slide rad/m, or leads of screws, "5 mm, 10 mm".  [default: 1 to '
    "100; leads of 2 to 40 mm, the file's gear and 1]",
)
@click.option("--efficiency", type=float, default=1.0, show_default=True, help="Of the gear.")
@click.option("--rest", type=REST, default="0 s", show_default=True, help="Time without load after the motions.")
@click.option("--sets", is_flag=True, help="Rank every admissible set of actuators along the first run instead.")
@study_options
@reporting_errors
def size(
    name_or_file: str,
    runs: tuple[str, ...],
    motors: str | None,
    gears: str | None,
    efficiency: float,
    rest: float,
    sets: bool,
    **output: Any,
) -> None:
    """Size the actuators of NAME_OR_FILE (a catalog name or a mechanism file) for saved motions.

    \b
    Examples:
      linkwright motion delta --pick-and-place "25 mm, 100 mm, 25 mm" --save-run run.npz
      linkwright size delta --run run.npz --motors motors.csv --gears "5, 10, 20"
      linkwright size five-bar --run run.npz --sets
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.results.result_reader import read_run

    model, motions = build_by_name(name_or_file), [read_run(path) for path in runs]
    if sets:
        deliver_study(analysis.actuator_sets(model, motions[0]), **output)
        return
    more = {} if gears is None else {"gears": _typed_gear_ratios(gears, model)}
    deliver_study(analysis.size(model, motions, motors, efficiency=efficiency, rest=rest, **more), **output)


def _typed_gear_ratios(text: str, model: Any) -> list[float]:
    """Ratios, and those of screws by their leads."""
    from linkwright.formats.units import UnitError, is_unit_compatible, parse_quantity

    turning = [each.name for each in model.actuators if not each.is_sliding]
    found = []
    for part in re.split(r"\s*,\s*|\s+(?=[\d.])", text.strip()):
        try:
            value, unit = parse_quantity(part)
        except UnitError:
            unit, value = None, math.nan
        is_lead = unit is not None and is_unit_compatible(unit, "m") and value > 0.0
        if math.isnan(value) or (unit is not None and not is_lead):
            raise ArgumentError(f'--gears is "{text}"; write ratios, "3, 5, 10", or leads of screws, "5 mm, 10 mm"')
        if is_lead and turning:
            raise ArgumentError(f"--gears: '{part}' is the lead of a screw, and '{turning[0]}' turns; write a ratio")
        found.append(2.0 * math.pi / value if is_lead else value)
    return found


# --- `linkwright time-optimal`: the least time along a path within limits of actuators --------------------------------


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
