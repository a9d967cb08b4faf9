"""`linkwright identify`: dynamic parameters from measured motions and efforts, and which of them efforts determine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.file_names import ReadableFile
from linkwright.cli.outputs import output_option
from linkwright.cli.study_output import deliver, study_options


@click.command(short_help="Masses, friction and springs from measured efforts; base parameters by name.")
@click.argument("name_or_file")
@click.argument("measurements", type=ReadableFile(), required=False)
@click.option(
    "--parameters", help='Unknown parameters, kinds or bodies, "inertial, friction, distal1"; all but offsets.'
)
@click.option(
    "--method", type=click.Choice(["ordinary", "weighted", "consistent"]), default="consistent", show_default=True
)
@click.option("--excite", "period", type=float, help="Instead, find an exciting motion of this period, [s].")
@click.option("--limits", help='Of the exciting motion, SI, "speed=6, acceleration=60, effort=5"; those of the file.')
@click.option("--cutoff", type=click.FloatRange(0.0, min_open=True), help="Low-pass filter of measurements, [Hz].")
@click.option("--validate", "second", type=ReadableFile(), help="A second motion, to compare efforts with.")
@output_option("--save", "mechanism_file", kind="mechanism", help="Mechanism file to write with the identified values.")
@study_options
@reporting_errors
def identify(
    name_or_file: str,
    measurements: str | None,
    parameters: str | None,
    method: Any,
    period: float | None,
    limits: str | None,
    cutoff: float | None,
    second: str | None,
    mechanism_file: str | None,
    **output: Any,
) -> None:
    """Identify NAME_OR_FILE from MEASUREMENTS, a CSV file: t, NAME and NAME.effort of every actuator.

    Without MEASUREMENTS the base parameters are listed: the combinations of parameters that efforts determine.

    \b
    Example:
      linkwright identify five-bar --parameters "inertial, friction"
      linkwright identify five-bar --excite 5 --limits "speed=6, acceleration=60" --output motion.csv
      linkwright identify five-bar.yaml motion.csv --cutoff 20 --validate other.csv --save found.yaml
    """
    from linkwright import analysis, build, save
    from linkwright.analysis.identification.measurements import MeasuredMotion
    from linkwright.cli.mechanisms import imported
    from linkwright.errors import ArgumentError

    model = build(imported(name_or_file).mechanism)
    chosen = None if parameters is None else [x.strip() for x in parameters.split(",") if x.strip()]
    if period is not None:
        return deliver(analysis.excite(model, parameters=chosen, period=period, limits=_numbers(limits)), **output)
    if measurements is None:
        return deliver(analysis.base_parameters(model, parameters=chosen), **output)
    measured = MeasuredMotion.read(model, measurements, cutoff)
    found: Any = analysis.identify(model, measured, parameters=chosen, method=method)

    def write_mechanism(path: str) -> None:
        if found.identified is None:
            raise ArgumentError(f"{path} is not written: {found.notes[-1]}")
        save(found.identified, path)

    files = [(write_mechanism, mechanism_file)]
    if second is None:
        return deliver(found, **output, files=files)
    checked = found.validate(MeasuredMotion.read(model, second, cutoff))
    return deliver(_Validated(found, checked), **output, files=files)


def _numbers(written: str | None) -> dict[str, float]:
    """Limits by name; names are checked where they are used."""
    from linkwright.cli.motion import typed

    parts = (part.partition("=") for part in (written or "").split(",") if part.strip())
    return {name.strip(): typed(value.strip(), f"--limits {name.strip()}", "") for name, _, value in parts}


class _Validated:
    """An identification together with its validation, as `deliver` prints it; files are those of the identification."""

    def __init__(self, found: Any, checked: Any) -> None:
        self.report, self.plot, self.save = found.report, found.plot, found.save
        self._found, self._checked = found, checked

    def data(self) -> dict[str, Any]:
        """Data of the identification, that of its validation below it."""
        return {**self._found.data(), "validation": self._checked.data()}

    def content(self) -> Any:
        """Facts and tables of both."""
        found, checked = self._found.content(), self._checked.content()
        facts = {f"validation_{name}": x for name, x in checked.facts.items()}
        return replace(found, facts={**found.facts, **facts}, tables=(*found.tables, *checked.tables))
