"""`linkwright time-optimal` and `linkwright size`: the least time along a path, and motors and gears for a run."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from linkwright.cli.options import option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_verbs import study_verb
from linkwright.cli.values import REST, Range
from linkwright.errors import ArgumentError

# --- `linkwright size` ------------------------------------------------------------------------------------------------


@study_verb(
    "",
    option("--run", "runs", multiple=True, required=True, more="Repeatable: the motions follow each other."),
    click.option(
        "--motors",
        help="CSV data sheet: name, speed, continuous, peak, rotor_inertia; titles may name units, speed [rpm].",
    ),
    click.option(
        "--gears",
        help='Ratios to try, "3, 5, 10"; of actuators that slide rad/m, or leads of screws, "5 mm, 10 mm".  [default: '
        "1 to 100; leads of 2 to 40 mm, the file's gear and 1]",
    ),
    click.option("--efficiency", type=float, default=1.0, show_default=True, help="Of the gear."),
    click.option("--rest", type=REST, default="0 s", show_default=True, help="Time without load after the motions."),
    click.option("--sets", is_flag=True, help="Rank every admissible set of actuators along the first run instead."),
    short_help="Size actuators: loads of a run, motors and gears of a data sheet, sets of actuators.",
)
def size(
    model: Any, runs: tuple[str, ...], motors: str | None, gears: str | None, efficiency: float, rest: float, sets: bool
) -> Any:
    """Size the actuators of NAME_OR_FILE (a catalog name or a mechanism file) for saved motions.

    \b
    Examples:
      linkwright motion delta --pick-and-place "25 mm, 100 mm, 25 mm" --save-run run.npz
      linkwright size delta --run run.npz --motors motors.csv --gears "5, 10, 20"
      linkwright size five-bar --run run.npz --sets
    """
    from linkwright import analysis
    from linkwright.results.result_reader import read_run

    motions = [read_run(path) for path in runs]
    if sets:
        return analysis.actuator_sets(model, motions[0])
    more = {} if gears is None else {"gears": _typed_gear_ratios(gears, model)}
    return analysis.size(model, motions, motors, efficiency=efficiency, rest=rest, **more)


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


@study_verb(
    "effort speed acceleration frame components",
    option("--poses", more="They are waypoints."),
    option("--actuators", more="They are waypoints."),
    option("--pose", more='Straight line from home to it, or between the bounds of ranges, "x=-50..50 mm, z=-0.2".'),
    click.option("--intervals", type=click.IntRange(2, 100_000), default=200, show_default=True),
    click.option("--solver", type=click.Choice(["toppra", "linprog"]), default="toppra", show_default=True),
    output_option("--save-run", kind="run"),
    option("--samples", default=401, show_default=True, more="That is, of --save-run."),
    name="time-optimal",
    short_help="Least time along a path within limits of effort, speed and acceleration.",
)
def time_optimal(
    model: Any, pose: Any, poses: str | None, actuators: str | None, save_run: str | None, samples: int, **given: Any
) -> Any:
    """Find the fastest motion of NAME_OR_FILE (a catalog name or a mechanism file) along a path, from rest to rest.

    Limits of the file hold too. `--save-run` saves the motion for `size`, `report` and `view`.

    \b
    Examples:
      linkwright time-optimal five-bar --pose "x=-0.1..0.1, y=0.4" --max-effort 2 --plot fastest.png
      linkwright time-optimal delta --poses waypoints.csv --max-effort 5 --max-speed 20 --save-run run.npz
    """
    from linkwright import analysis

    if sum(x is not None for x in (poses, actuators, pose)) != 1:
        raise click.UsageError("give one of --poses, --actuators and --pose")
    path: dict[str, Any] = {"q_act": actuators} if actuators is not None else {"pose": poses}
    if pose is not None:
        path["pose"] = _line_waypoints(model, pose, given["frame"])
    found = analysis.time_optimal(model, **path, **given)
    return found, [(lambda path: found.motion(model, samples).save(path), save_run)]


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
