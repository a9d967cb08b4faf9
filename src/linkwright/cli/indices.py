"""`linkwright indices`: Jacobian, condition, stiffness, capability and accuracy at a pose."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.kinematics import coordinates_at_pose
from linkwright.cli.options import option
from linkwright.cli.study_output import deliver_study, study_options
from linkwright.cli.values import LENGTH


@click.command(short_help="Indices of a design: condition, singularities, stiffness, capability, accuracy.")
@click.argument("name_or_file")
@option("--pose", more="[default: home]")
@option("--frame", more="[default: the platform, or the last body of an arm]")
@option("--components")
@click.option("--length", type=LENGTH, help="Characteristic length, for example '100 mm'.  [default: the mean arm]")
@option("--stiffness")
@option("--encoder")
@study_options
@reporting_errors
def indices(
    name_or_file: str,
    pose: Any,
    frame: str | None,
    components: tuple[str, ...] | None,
    length: float | None,
    stiffness: float | None,
    encoder: float | None,
    **output: Any,
) -> None:
    """Compute indices of NAME_OR_FILE (a catalog name or a mechanism file) at home or at a pose of its output.

    \b
    Examples:
      linkwright indices five-bar --stiffness 1e4 --encoder 1e-4
      linkwright indices delta --pose "x=50 mm, y=0, z=-150 mm" --json
      linkwright indices four-bar --frame rocker --components rz
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    named: dict[str, Any] = {"length": length, "stiffness": stiffness, "encoder": encoder}
    found = analysis.indices(
        model, coordinates_at_pose(model, pose, frame), frame=frame, components=components, **named
    )
    deliver_study(found, **output)
