"""`linkwright clearance`: distances between links at a pose or along a run."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.kinematics import coordinates_at_pose
from linkwright.cli.options import option
from linkwright.cli.study_output import deliver_study, study_options


@click.command(short_help="Distances between links that no joint connects, at a pose or along a run.")
@click.argument("name_or_file")
@option("--pose", more="[default: home]")
@option("--run", "run_file", more="All its rows are looked at.")
@option("--frame", more="[default: the platform]")
@click.option("--ignore", multiple=True, help='A pair that is not looked at, "rod1, rod2" (repeatable).')
@study_options
@reporting_errors
def clearance(
    name_or_file: str,
    pose: Any,
    run_file: str | None,
    frame: str | None,
    ignore: tuple[str, ...],
    **output: Any,
) -> None:
    """Compute the least distances between links of NAME_OR_FILE (a catalog name or a mechanism file).

    Capsules cover the shapes of the file; bodies without shapes are named.

    \b
    Examples:
      linkwright clearance delta --pose "x=50 mm, y=0, z=-200 mm"
      linkwright clearance hexapod --run run.npz --plot distances.png
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.results.result_reader import read_run

    model = build_by_name(name_or_file)
    q = coordinates_at_pose(model, pose, frame) if run_file is None else read_run(run_file).q
    pairs = [tuple(name.strip() for name in text.split(",")) for text in ignore]
    deliver_study(analysis.clearance(model, q, ignore=pairs), **output)  # type: ignore[arg-type]
