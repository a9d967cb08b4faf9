"""`linkwright calibrate` and `linkwright tolerance`: numbers of a mechanism that are not their nominal values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.file_names import ReadableFile
from linkwright.cli.kinematics import placed
from linkwright.cli.outputs import output_option
from linkwright.cli.study_output import deliver, study_options


@click.command(short_help="Geometric parameters from measured poses, and what those do not determine.")
@click.argument("name_or_file")
@click.argument("measurements", type=ReadableFile())
@click.option(
    "--inputs", required=True, help='Parameters to calibrate, "proximal, joints.B.at.x", or "all" of the file.'
)
@click.option("--noise", default="0.1 mm", show_default=True, help="Standard deviation of a measured position.")
@click.option("--angle-noise", default="1e-3 rad", show_default=True, help="Standard deviation of a measured angle.")
@click.option("--frame", help="Measured frame or body; the platform when left out.")
@output_option("--save", "mechanism_file", kind="mechanism", help="Mechanism file to write with the calibrated values.")
@study_options
@reporting_errors
def calibrate(
    name_or_file: str,
    measurements: str,
    inputs: str,
    noise: str,
    angle_noise: str,
    frame: str | None,
    mechanism_file: str | None,
    **output: Any,
) -> None:
    """Calibrate NAME_OR_FILE from MEASUREMENTS, a CSV file: a column per actuator, x, y, z, and qw to qz or rx, ry, rz.

    \b
    Example:
      linkwright calibrate five-bar.yaml poses.csv --inputs "proximal, distal" --noise "20 um" --save found.yaml
    """
    from linkwright import analysis, save
    from linkwright.analysis.deviations.measurements import read_measurements
    from linkwright.cli.motion import typed

    model = _model(name_or_file, inputs)
    q_act, measured = read_measurements(model, measurements)
    sizes = typed(angle_noise, "--angle-noise", "rad"), typed(noise, "--noise", "m")
    found = analysis.calibrate(model, q_act, measured, noise=sizes, frame=frame)

    def write_mechanism(path: str) -> None:
        save(model.with_parameters(found.p).mechanism, path)

    deliver(found, **output, files=[(write_mechanism, mechanism_file)])


@click.command(short_help="Errors of the output from tolerances of lengths: samples, budget, worst case.")
@click.argument("name_or_file")
@click.option("--deviation", required=True, help='Tolerances by parameter, "proximal=0.1 mm, distal=0.1 mm".')
@click.option("--to", "target", help='Pose of the output, "x=10 mm, rz=5 deg"; home when left out.')
@click.option("--distribution", type=click.Choice(["normal", "uniform"]), default="normal", show_default=True)
@click.option("--samples", type=click.IntRange(2, 10_000_000), default=10_000, show_default=True)
@click.option("--frame", help="Output frame or body; the platform when left out.")
@click.option("--limit", help="Also allocate tolerances that keep the displacement's deviation within this length.")
@study_options
@reporting_errors
def tolerance(
    name_or_file: str,
    deviation: str,
    target: str | None,
    distribution: Any,
    samples: int,
    frame: str | None,
    limit: str | None,
    **output: Any,
) -> None:
    """Compute errors of the output of NAME_OR_FILE from deviations of its numbers, with the actuators held.

    \b
    Example:
      linkwright tolerance five-bar --deviation "proximal=50 um, distal=50 um" --to "x=0, y=400 mm" --limit "30 um"
    """
    from linkwright import analysis
    from linkwright.cli.configurations import given
    from linkwright.cli.motion import typed

    if not all(part.partition("=")[0].strip() for part in deviation.split(",")):
        raise click.UsageError('--deviation lacks the name of a parameter; write "proximal=0.1 mm, distal=0.1 mm"')
    names = ",".join(part.partition("=")[0] for part in deviation.split(","))
    model = _model(name_or_file, names)
    sizes = given(deviation, model.parameters.names, model.parameters.units, "--deviation")
    q = placed(model, target, frame)
    length = None if limit is None else typed(limit, "--limit", "m")
    found = analysis.tolerance(model, q, sizes, samples=samples, distribution=distribution, frame=frame)
    deliver(replace(found, limit=length), **output)


def _model(name_or_file: str, inputs: str) -> Any:
    from linkwright import build
    from linkwright.cli.mechanisms import imported, named_inputs

    return build(imported(name_or_file).mechanism, inputs=named_inputs(inputs))
