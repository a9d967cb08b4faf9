"""`linkwright indices`: Jacobian, condition, stiffness, capability and accuracy at a pose."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.kinematics import placed
from linkwright.cli.study_output import deliver, study_options


@click.command(short_help="Indices of a design: condition, singularities, stiffness, capability, accuracy.")
@click.argument("name_or_file")
@click.option("--to", "target", help='Pose of the output, "x=10 mm, rz=5 deg"; home when left out.')
@click.option("--frame", help="Output frame or body; the platform, or the last body of an arm, when left out.")
@click.option("--components", help='Components that count, for example "x y".')
@click.option("--length", help="Characteristic length, for example '100 mm'.  [default: the mean arm]")
@click.option("--stiffness", type=float, help="Stiffness of every actuator, [N m/rad or N/m].")
@click.option("--encoder", type=float, help="Largest position error of every actuator, [rad or m].")
@study_options
@reporting_errors
def indices(
    name_or_file: str,
    target: str | None,
    frame: str | None,
    components: str | None,
    length: str | None,
    stiffness: float | None,
    encoder: float | None,
    **output: Any,
) -> None:
    """Compute indices of NAME_OR_FILE (a catalog name or a mechanism file) at home or at a pose of its output.

    \b
    Examples:
      linkwright indices five-bar --stiffness 1e4 --encoder 1e-4
      linkwright indices delta --to "x=50 mm, y=0, z=-150 mm" --json
      linkwright indices four-bar --frame rocker --components rz
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import built
    from linkwright.cli.motion import typed

    model = built(name_or_file)
    q = placed(model, target, frame)
    found = analysis.indices(
        model,
        q,
        frame=frame,
        components=None if components is None else components.replace(",", " ").split(),
        length=None if length is None else typed(length, "--length", "m"),
        stiffness=stiffness,
        encoder=encoder,
    )
    deliver(found, **output)
