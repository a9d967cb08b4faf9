"""`linkwright size`: loads of the actuators along a run, motors and gears that bear them, sets of actuators."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import option
from linkwright.cli.study_output import deliver_study, study_options
from linkwright.cli.values import REST
from linkwright.errors import ArgumentError


@click.command(short_help="Size actuators: loads of a run, motors and gears of a data sheet, sets of actuators.")
@click.argument("name_or_file")
@option("--run", "runs", multiple=True, required=True, more="Repeatable: the motions follow each other.")
@click.option("--motors", help="CSV data sheet: name, speed, continuous, peak, rotor_inertia.")
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
