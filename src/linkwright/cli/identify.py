"""`linkwright identify`: dynamic parameters from measured motions and efforts, and which of them efforts determine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import ReadableFile, deliver_study, option, study_options
from linkwright.cli.outputs import output_option
from linkwright.cli.time_optimal import limit_of_actuators
from linkwright.cli.values import NAMES, TIME


@click.command(short_help="Masses, friction and springs from measured efforts; base parameters by name.")
@click.argument("name_or_file")
@click.argument("measurements", type=ReadableFile(), required=False)
@click.option(
    "--parameters",
    type=NAMES,
    help='Unknown parameters, kinds or bodies, "inertial, friction, distal1"; all but offsets.',
)
@click.option(
    "--estimator", type=click.Choice(["ordinary", "weighted", "consistent"]), default="consistent", show_default=True
)
@click.option("--excite", "period", type=TIME, help="Instead, find an exciting motion of this period.")
@option("--max-effort", more="Of the exciting motion.  [default: the file's]")
@option("--max-speed", more="Of the exciting motion.  [default: the file's]")
@option("--max-acceleration", more="Of the exciting motion.  [default: the file's]")
@click.option("--cutoff", type=click.FloatRange(0.0, min_open=True), help="Low-pass filter of measurements, [Hz].")
@click.option("--validate", "second", type=ReadableFile(), help="A second motion, to compare efforts with.")
@output_option("--save-mechanism", kind="mechanism")
@option("--max-seconds")
@option("--accept-doubtful")
@study_options
@reporting_errors
def identify(
    name_or_file: str,
    measurements: str | None,
    parameters: tuple[str, ...] | None,
    estimator: Any,
    period: float | None,
    cutoff: float | None,
    second: str | None,
    save_mechanism: str | None,
    max_effort: Any,
    max_speed: Any,
    max_acceleration: Any,
    max_seconds: float | None,
    **output: Any,
) -> None:
    """Identify NAME_OR_FILE from MEASUREMENTS, a CSV file: t, NAME and NAME.effort of every actuator.

    Without MEASUREMENTS the base parameters are listed: the combinations of parameters that efforts determine.

    Where times look like milliseconds or positions like degrees, estimates are printed, not saved, and end with exit
    code 4; titles with units, "t [ms]", avoid it.

    \b
    Example:
      linkwright identify five-bar --parameters "inertial, friction"
      linkwright identify five-bar --excite 5 --max-speed 6 --max-acceleration 60 --output motion.csv
      linkwright identify five-bar.yaml motion.csv --cutoff 20 --validate other.csv --save-mechanism found.yaml
    """
    from linkwright import analysis, build, save
    from linkwright.analysis.identification.measured_motion import MeasuredMotion
    from linkwright.cli.mechanisms import import_mechanism
    from linkwright.errors import ArgumentError

    model = build(import_mechanism(name_or_file).mechanism)
    if period is not None:
        given = {"effort": max_effort, "speed": max_speed, "acceleration": max_acceleration}
        limits = {name: _limit(model, name, x) for name, x in given.items() if x is not None}
        motion = analysis.excite(model, parameters=parameters, period=period, limits=limits, max_seconds=max_seconds)
        return deliver_study(motion, **output)
    if measurements is None:
        return deliver_study(analysis.base_parameters(model, parameters=parameters), **output)
    measured = MeasuredMotion.read(model, measurements, cutoff)
    found: Any = analysis.identify(model, measured, parameters=parameters, method=estimator, max_seconds=max_seconds)

    def write_mechanism(path: str) -> None:
        if found.identified is None:
            raise ArgumentError(f"{path} is not written: {found.notes[-1]}")
        save(found.identified, path)

    files = [(write_mechanism, save_mechanism)]
    if second is None:
        return deliver_study(found, **output, files=files)
    checked = found.validate(MeasuredMotion.read(model, second, cutoff))
    return deliver_study(_Validated(found, checked), **output, files=files)


def _limit(model: Any, quantity: str, written: Any) -> Any:
    """One limit for all actuators, or one for each of them."""
    found = limit_of_actuators(model, quantity, written)
    if isinstance(found, dict) and len(found) < model.na:
        lost = next(name for name in model.actuated if name not in found)
        written.source.fail(0, f"it does not name '{lost}'; name all actuators, or write one number")
    return [found[name] for name in model.actuated] if isinstance(found, dict) else found


class _Validated:
    """An identification with its validation, as `deliver_study` prints it; files are those of the identification."""

    def __init__(self, found: Any, checked: Any) -> None:
        self.report, self.plot, self.save, self.doubts = found.report, found.plot, found.save, found.doubts
        self.interrupted = found.interrupted
        self._found, self._checked = found, checked

    def data(self) -> dict[str, Any]:
        """Data of the identification, that of its validation below it."""
        return {**self._found.data(), "validation": self._checked.data()}

    def content(self) -> Any:
        """Facts and tables of both."""
        found, checked = self._found.content(), self._checked.content()
        facts = {f"validation_{name}": x for name, x in checked.facts.items()}
        return replace(found, facts={**found.facts, **facts}, tables=(*found.tables, *checked.tables))
