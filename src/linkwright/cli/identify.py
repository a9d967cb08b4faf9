"""`linkwright identify`: dynamic parameters from measured motions and efforts, and which of them efforts determine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linkwright.cli.options import ReadableFile, option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_verbs import ARGUMENTS, study_verb
from linkwright.cli.values import NAMES, TIME
from linkwright.errors import ArgumentError


@study_verb(
    "effort speed acceleration max_seconds",
    click.argument("measurements", type=ReadableFile(), required=False),
    click.option(
        "--parameters",
        type=NAMES,
        help='Unknown parameters, kinds or bodies, "inertial, friction, distal1"; all but offsets.',
    ),
    click.option(
        "--estimator",
        type=click.Choice(["ordinary", "weighted", "consistent"]),
        default="consistent",
        show_default=True,
    ),
    click.option(
        "--excite", "period", type=TIME, help="Instead, find an exciting motion of this period within these limits."
    ),
    click.option("--cutoff", type=click.FloatRange(0.0, min_open=True), help="Low-pass filter of measurements, [Hz]."),
    click.option("--validate", "second", type=ReadableFile(), help="A second motion, to compare efforts with."),
    output_option("--save-mechanism", kind="mechanism"),
    option("--accept-doubtful"),
    short_help="Masses, friction and springs from measured efforts; base parameters by name.",
)
def identify(
    model: Any,
    measurements: str | None,
    parameters: tuple[str, ...] | None,
    estimator: Any,
    period: float | None,
    cutoff: float | None,
    second: str | None,
    save_mechanism: str | None,
    max_seconds: float | None,
    **limits: Any,
) -> Any:
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
    from linkwright import analysis, save
    from linkwright.analysis.identification.measured_motion import MeasuredMotion

    if period is not None:
        given = {name: _limit_of_each(model, name, x) for name, x in limits.items() if x is not None}
        return analysis.excite(model, parameters=parameters, period=period, limits=given, max_seconds=max_seconds)
    if measurements is None:
        return analysis.base_parameters(model, parameters=parameters)
    measured = MeasuredMotion.read(model, measurements, cutoff)
    found: Any = analysis.identify(model, measured, parameters=parameters, method=estimator, max_seconds=max_seconds)

    def write_mechanism(path: str) -> None:
        if found.identified is None:
            raise ArgumentError(f"{path} is not written: {found.notes[-1]}")
        save(found.identified, path)

    files = [(write_mechanism, save_mechanism)]
    if second is None:
        return found, files
    return _Validated(found, found.validate(MeasuredMotion.read(model, second, cutoff))), files


def _limit_of_each(model: Any, quantity: str, limit: Any) -> Any:
    """One limit for all actuators, or one for each of them."""
    if not isinstance(limit, dict):
        return limit
    lost = [name for name in model.actuated if name not in limit]
    if lost:
        (flag,), _ = ARGUMENTS[quantity]
        raise ArgumentError(f"{flag} does not name '{lost[0]}'; name all actuators, or write one number")
    return [limit[name] for name in model.actuated]


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
