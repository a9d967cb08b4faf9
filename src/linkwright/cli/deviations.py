"""`linkwright calibrate` and `linkwright tolerance`: numbers of a mechanism that are not their nominal values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.kinematics import coordinates_at_pose
from linkwright.cli.options import ReadableFile, deliver_study, option, study_options
from linkwright.cli.outputs import output_option
from linkwright.cli.values import ANGLE, LENGTH, VALUES, variable_names


@click.command(short_help="Geometric parameters from measured poses, and what those do not determine.")
@click.argument("name_or_file")
@click.argument("measurements", type=ReadableFile())
@option("--vary", required=True, more='They are calibrated; "all" of the file.')
@click.option("--noise", type=LENGTH, default="0.1 mm", show_default=True, help="Deviation of a measured position.")
@click.option("--angle-noise", type=ANGLE, default="1e-3 rad", show_default=True, help="Deviation of a measured angle.")
@option("--frame", more="It is measured.  [default: the platform]")
@option("--max-seconds")
@output_option("--save-mechanism", kind="mechanism")
@option("--accept-doubtful")
@study_options
@reporting_errors
def calibrate(
    name_or_file: str,
    measurements: str,
    vary: Any,
    noise: float,
    angle_noise: float,
    frame: str | None,
    max_seconds: float | None,
    save_mechanism: str | None,
    **output: Any,
) -> None:
    """Calibrate NAME_OR_FILE from MEASUREMENTS, a CSV file: a column per actuator, x, y, z, and qw to qz or rx, ry, rz.

    Values that do not settle, are far off the file's, or leave more than three times the stated noise are printed,
    not saved, and end with exit code 4.

    \b
    Example:
      linkwright calibrate five-bar.yaml poses.csv --vary "proximal, distal" --noise "20 um" --save-mechanism found.yaml
    """
    from linkwright import analysis, save
    from linkwright.analysis.deviations.held_actuators import read_measurements

    model = _model_with_inputs(name_or_file, variable_names(vary))
    q_act, measured = read_measurements(model, measurements, frame)
    found = analysis.calibrate(model, q_act, measured, noise=(angle_noise, noise), frame=frame, max_seconds=max_seconds)

    def write_mechanism(path: str) -> None:
        save(model.with_parameters(found.p).mechanism, path)

    deliver_study(found, **output, files=[(write_mechanism, save_mechanism)])


@click.command(short_help="Errors of the output from tolerances of lengths: samples, budget, worst case.")
@click.argument("name_or_file")
@click.option(
    "--deviation",
    type=VALUES,
    required=True,
    help='Tolerances by parameter, "proximal=0.1 mm, distal=0.1 mm": one standard deviation each (normal), or the half '
    "width, a drawing's +- value (uniform).",
)
@option("--at")
@option("--pose", more="[default: home]")
@click.option("--distribution", type=click.Choice(["normal", "uniform"]), default="normal", show_default=True)
@option("--draws", default=10_000, show_default=True)
@option("--max-seconds")
@option("--frame", more="[default: the platform]")
@click.option(
    "--limit",
    type=LENGTH,
    help="Also allocate the cheapest tolerances, at a cost of 1 / tolerance each, that keep the "
    "displacement's deviation within this length.",
)
@study_options
@reporting_errors
def tolerance(
    name_or_file: str,
    deviation: Any,
    at: Any,
    pose: Any,
    distribution: Any,
    draws: int,
    max_seconds: float | None,
    frame: str | None,
    limit: float | None,
    **output: Any,
) -> None:
    """Compute errors of the output of NAME_OR_FILE from deviations of its numbers, with the actuators held.

    With the default distribution, normal, a tolerance is one standard deviation: give a third of a drawing's +- value.
    With uniform it is the half width, and the column "all at tolerance" is a bound.

    \b
    Example:
      linkwright tolerance five-bar --deviation "proximal=50 um, distal=50 um" --pose "x=0, y=400 mm" --limit "30 um"
    """
    from linkwright import analysis

    if not all(deviation.names):
        raise click.UsageError('--deviation lacks the name of a parameter; write "proximal=0.1 mm, distal=0.1 mm"')
    model = _model_with_inputs(name_or_file, deviation.names)
    sizes = deviation.values(model.parameters.names, model.parameters.units, kind="parameter")
    q = coordinates_at_pose(model, pose, frame, at)
    found = analysis.tolerance(
        model, q, sizes, samples=draws, distribution=distribution, frame=frame, max_seconds=max_seconds
    )
    deliver_study(replace(found, limit=limit), **output)


def _model_with_inputs(name_or_file: str, inputs: Any) -> Any:
    from linkwright import build
    from linkwright.cli.mechanisms import import_mechanism

    return build(import_mechanism(name_or_file).mechanism, inputs=inputs)
