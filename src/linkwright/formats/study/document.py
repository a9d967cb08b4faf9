"""Keys and values of a study file; every key not named here is an error."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from linkwright.formats.units import UnitError, shown
from linkwright.formats.yaml.document import Version
from linkwright.formats.yaml.quantities import Axis, Strict, Text, Value, si


def one(unit: str, above_zero: bool = False) -> Any:
    """A field type for one finite quantity."""
    return Annotated[float, BeforeValidator(lambda written: _number(written, unit, above_zero))]


def many(unit: str) -> Any:
    """A field type for one quantity for all, or a list with one for each."""

    def check(written: Any) -> float | tuple[float, ...]:
        if isinstance(written, list | tuple):
            return tuple(_number(item, unit) for item in written)
        return _number(written, unit)

    return Annotated[float | tuple[float, ...], BeforeValidator(check)]


def rows(unit: str) -> Any:
    """A field type for a table: a list of quantities, or of lists of equal length."""

    def check(written: Any) -> tuple[tuple[float, ...], ...]:
        if not isinstance(written, list | tuple) or not written:
            raise UnitError(f"{shown(written)} is not a table; write a list with one row for each time")
        found = [tuple(_number(x, unit) for x in (r if isinstance(r, list | tuple) else [r])) for r in written]
        if len({len(each) for each in found}) != 1:
            raise UnitError("the rows of this table have different lengths; give every row as many numbers")
        return tuple(found)

    return Annotated[tuple[tuple[float, ...], ...], BeforeValidator(check)]


def named(unit: str) -> Any:
    """A field type for quantities by name, or a list of all of them."""

    def check(written: Any) -> dict[str, float] | tuple[float, ...]:
        if isinstance(written, dict):
            return {str(name): _number(x, unit) for name, x in written.items()}
        if isinstance(written, list | tuple):
            return tuple(_number(x, unit) for x in written)
        raise UnitError(f"{shown(written)} is neither a block of 'name: value' nor a list of all values")

    return Annotated[dict[str, float] | tuple[float, ...], BeforeValidator(check)]


def _number(written: Any, unit: str, above_zero: bool = False) -> float:
    value = si(written, unit, written)
    if above_zero and value <= 0.0:
        raise UnitError(f"{shown(written)} must be above zero")
    return value


_POSITION, _EFFORT = "rad|m", "N m|N"
Positions: Any = many(_POSITION)
Efforts: Any = many(_EFFORT)
PositionRows: Any = rows(_POSITION)
EffortRows: Any = rows(_EFFORT)
Span: Any = one("s", above_zero=True)
Tolerance: Any = one("", above_zero=True)
Rates: Any = many("rad/s|m/s")
AngularRates: Any = many("rad/s")
Angles: Any = many("rad")
Times: Any = many("s")
Stiffnesses: Any = many("N m/rad|N/m|s^-2")
Dampings: Any = many("N m s/rad|N s/m|s^-1")
NamedPositions: Any = named(_POSITION)
NamedRates: Any = named("rad/s|m/s")
Rate: Any = one("s^-1", above_zero=True)
Stiffness: Any = one("N/m|N m/rad", above_zero=True)
Damping: Any = one("N s/m|N m s/rad")
Time: Any = one("s")
Share: Any = one("")
Speed: Any = one("m/s", above_zero=True)
ForceRows: Any = rows("N")
MomentRows: Any = rows("N m")
Point: Any = many("m")


class Move(Strict):
    """From one position to another; `move` names the curve."""

    move: Literal["cycloidal", "quintic"]
    start: Positions
    end: Positions
    duration: Span


class TrapezoidMove(Strict):
    """With even ramps; `ramp` is each one's share of the time."""

    move: Literal["trapezoid"]
    start: Positions
    end: Positions
    duration: Span
    ramp: Share = 0.25


class SteadyMove(Strict):
    """At one rate for ever."""

    move: Literal["steady"]
    start: Positions
    rate: Rates


class SplineMove(Strict):
    """Through a table of points."""

    move: Literal["spline"]
    times: Times
    points: PositionRows
    ends: Literal["rest", "natural", "smooth", "periodic"] = "rest"


AnyMove: Any = Annotated[Move | TrapezoidMove | SteadyMove | SplineMove, Field(discriminator="move")]


class ConstantLaw(Strict):
    law: Literal["constant"]
    efforts: Efforts


class SinesLaw(Strict):
    law: Literal["sines"]
    amplitude: Efforts
    rate: AngularRates
    phase: Angles = 0.0
    offset: Efforts = 0.0


class TableLaw(Strict):
    law: Literal["table"]
    times: Times
    efforts: EffortRows
    between: Literal["spline", "line", "step"] = "spline"


class FeedbackLaw(Strict):
    """A law that compares the actuators with a reference."""

    law: Literal["pd", "pd-gravity", "computed-torque"]
    reference: AnyMove
    stiffness: Stiffnesses
    damping: Dampings


class FeedforwardLaw(Strict):
    """`pd` added to a table of `samples` efforts that inverse dynamics gives along the reference during the run."""

    law: Literal["feedforward-feedback"]
    reference: AnyMove
    stiffness: Stiffnesses
    damping: Dampings
    samples: int = Field(default=201, ge=2, le=1_000_000)


AnyLaw: Any = Annotated[ConstantLaw | SinesLaw | TableLaw | FeedbackLaw | FeedforwardLaw, Field(discriminator="law")]


class StudyStart(Strict):
    """The state at the start: coordinates and velocities by name (the rest is assembled), or lists of all of them."""

    q: NamedPositions = Field(default_factory=dict)
    v: NamedRates = Field(default_factory=dict)


class StudyMethod(Strict):
    """The integrator, that of `simulate` when it is not named; what else is left out has the method's own default."""

    name: Literal["rk4", "dp5", "dop853", "rodas5p"] | None = None
    rtol: Tolerance | None = None
    atol: Tolerance | None = None
    step: Span | None = None


class FormulationOptions(Strict):
    """The way loops are kept closed; `rate` is Baumgarte's, stiffness and damping are the virtual springs'."""

    name: Literal["multipliers", "baumgarte", "minimal", "virtual-springs"] = "multipliers"
    rate: Rate | None = None
    stiffness: Stiffness | None = None
    damping: Damping | None = None


class Switch(Strict):
    """A loop that closes or opens during the run: where its residual or its force along `normal` is 0, or at a time."""

    close: Text | None = None
    open: Text | None = None
    normal: Axis | None = None
    at: Time | None = None
    restitution: Share = 0.0
    settle: Speed = 1e-3
    anchor: bool = False


class StudyWrench(Strict):
    """A force and a moment on a body or frame: three numbers each, or with `times` a table with a row for each time."""

    body: Text
    force: ForceRows | None = None
    moment: MomentRows | None = None
    at: Point = (0.0, 0.0, 0.0)
    axes: Literal["body", "world"] = "body"
    times: Times | None = None


class StudyOutput(Strict):
    """Rows that are kept, `rows` of them or one every `step`, and the file they are saved in."""

    rows: int | None = Field(default=None, ge=2, le=10_000_000)
    step: Span | None = None
    save: Text | None = None


class Study(Strict):
    """A whole file: the mechanism (a name of the catalog, or a file beside the study), and its run."""

    format: Version
    mechanism: Text
    parameters: dict[str, Value] = Field(default_factory=dict)
    actuated: tuple[Text, ...] | None = None
    start: StudyStart = StudyStart()
    effort: AnyLaw | None = None
    formulation: FormulationOptions = FormulationOptions()
    method: StudyMethod = StudyMethod()
    t_start: Time = 0.0
    t_end: Time
    stop_at_limits: bool = False
    max_steps: int | None = Field(default=None, ge=1, le=1 << 53)
    switches: tuple[Switch, ...] = ()
    wrenches: tuple[StudyWrench, ...] = ()
    output: StudyOutput = StudyOutput()


Study.model_rebuild()  # its parts are built with it
