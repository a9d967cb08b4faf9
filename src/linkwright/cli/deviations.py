"""`linkwright calibrate` and `linkwright tolerance`: numbers of a mechanism that are not their nominal values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linkwright.cli.options import ReadableFile, option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_verbs import study_verb
from linkwright.cli.values import ANGLE, LENGTH, VALUES, variable_names


@study_verb(
    "frame max_seconds",
    click.argument("measurements", type=ReadableFile()),
    option("--vary", required=True, more='They are calibrated; "all" of the file.'),
    click.option("--noise", type=LENGTH, default="0.1 mm", show_default=True, help="Deviation of a measured position."),
    click.option(
        "--angle-noise", type=ANGLE, default="1e-3 rad", show_default=True, help="Deviation of a measured angle."
    ),
    output_option("--save-mechanism", kind="mechanism"),
    option("--accept-doubtful"),
    short_help="Geometric parameters from measured poses, and what those do not determine.",
    inputs=lambda given: variable_names(given.pop("vary")),
)
def calibrate(
    model: Any, measurements: str, noise: float, angle_noise: float, save_mechanism: str | None, **given: Any
) -> Any:
    """Calibrate NAME_OR_FILE from MEASUREMENTS, a CSV file: a column per actuator, x, y, z, and qw to qz or rx, ry, rz.

    Values that do not settle, are far off the file's, or leave more than three times the stated noise are printed,
    not saved, and end with exit code 4.

    \b
    Example:
      linkwright calibrate five-bar.yaml poses.csv --vary "proximal, distal" --noise "20 um" --save-mechanism found.yaml
    """
    from linkwright import analysis, save
    from linkwright.analysis.deviations.held_actuators import read_measurements

    q_act, measured = read_measurements(model, measurements, given["frame"])
    found = analysis.calibrate(model, q_act, measured, noise=(angle_noise, noise), **given)
    return found, [(lambda path: save(model.with_parameters(found.p).mechanism, path), save_mechanism)]


def _deviating_names(given: dict[str, Any]) -> list[str]:
    names: list[str] = given["deviation"].names
    if not all(names):
        raise click.UsageError('--deviation lacks the name of a parameter; write "proximal=0.1 mm, distal=0.1 mm"')
    return names


@study_verb(
    "q max_seconds frame",
    click.option(
        "--deviation",
        type=VALUES,
        required=True,
        help='Tolerances by parameter, "proximal=0.1 mm, distal=0.1 mm": one standard deviation each (normal), or the '
        "half width, a drawing's +- value (uniform).",
    ),
    click.option("--distribution", type=click.Choice(["normal", "uniform"]), default="normal", show_default=True),
    option("--draws", "samples", default=10_000, show_default=True),
    click.option(
        "--limit",
        type=LENGTH,
        help="Also allocate the cheapest tolerances, at a cost of 1 / tolerance each, that keep the "
        "displacement's deviation within this length.",
    ),
    short_help="Errors of the output from tolerances of lengths: samples, budget, worst case.",
    inputs=_deviating_names,
)
def tolerance(model: Any, deviation: Any, limit: float | None, **given: Any) -> Any:
    """Compute errors of the output of NAME_OR_FILE from deviations of its numbers, with the actuators held.

    With the default distribution, normal, a tolerance is one standard deviation: give a third of a drawing's +- value.
    With uniform it is the half width, and the column "all at tolerance" is a bound.

    \b
    Example:
      linkwright tolerance five-bar --deviation "proximal=50 um, distal=50 um" --pose "x=0, y=400 mm" --limit "30 um"
    """
    from linkwright import analysis

    sizes = deviation.values(model.parameters.names, model.parameters.units, kind="parameter")
    return replace(analysis.tolerance(model, deviations=sizes, **given), limit=limit)
