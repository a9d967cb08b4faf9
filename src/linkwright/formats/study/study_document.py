"""Files that describe a piece of work: read as YAML and checked; keys and values of a study file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from linkwright import checks
from linkwright.formats.import_findings import refuse_file, refuse_one
from linkwright.formats.text_files import read_text
from linkwright.formats.units import UnitError, quote_short_value
from linkwright.formats.yaml.document import Version
from linkwright.formats.yaml.messages import problems_of_validation
from linkwright.formats.yaml.quantities import Axis, Strict, Text, Value, finite_si_value
from linkwright.formats.yaml.yaml_text import SourceDocument, read_yaml_text
from linkwright.mechanism.names import suggest_name
from linkwright.method_registry import method_names

# --- A file that describes a piece of work, read as a YAML block and checked against its declared form ----------------

Form = TypeVar("Form", bound=BaseModel)


def read_file_text(path: Any) -> tuple[str, str]:
    """The text of a file, and its name for messages."""
    return read_text(checks.require_path("path", path)), str(path)


def read_validated_block(text: str, file: str, form: type[Form], what: str) -> tuple[Form, SourceDocument]:
    """The block that a text holds, as a record; `what` names it in messages, with its article."""
    source = read_yaml_text(text, file)
    if not isinstance(source.data, dict):
        refuse_one(file, "wrong-type", f"{what} is a block of 'key: value' lines", "begin it with 'format: 1'", 1)
    try:
        return form.model_validate(source.data), source
    except ValidationError as error:
        refuse_file(file, problems_of_validation(error, source, form))


# --- keys and values of a study file; every key not named here is an error --------------------------------------------


def quantity_field(unit: str, above_zero: bool = False) -> Any:
    """A field type for one finite quantity."""
    return Annotated[float, BeforeValidator(lambda written: _study_quantity(written, unit, above_zero))]


def quantity_or_list_field(unit: str) -> Any:
    """A field type for one quantity for all, or a list with one for each."""

    def check(written: Any) -> float | tuple[float, ...]:
        if isinstance(written, list | tuple):
            return tuple(_study_quantity(item, unit) for item in written)
        return _study_quantity(written, unit)

    return Annotated[float | tuple[float, ...], BeforeValidator(check)]


def quantity_table_field(unit: str) -> Any:
    """A field type for a table: a list of quantities, or of lists of equal length."""

    def check(written: Any) -> tuple[tuple[float, ...], ...]:
        if not isinstance(written, list | tuple) or not written:
            raise UnitError(f"{quote_short_value(written)} is not a table; write a list with one row for each time")
        found = [tuple(_study_quantity(x, unit) for x in (r if isinstance(r, list | tuple) else [r])) for r in written]
        if len({len(each) for each in found}) != 1:
            raise UnitError("the rows of this table have different lengths; give every row as many numbers")
        return tuple(found)

    return Annotated[tuple[tuple[float, ...], ...], BeforeValidator(check)]


def named_quantities_field(unit: str) -> Any:
    """A field type for quantities by name, or a list of all of them."""

    def check(written: Any) -> dict[str, float] | tuple[float, ...]:
        if isinstance(written, dict):
            return {str(name): _study_quantity(x, unit) for name, x in written.items()}
        if isinstance(written, list | tuple):
            return tuple(_study_quantity(x, unit) for x in written)
        raise UnitError(f"{quote_short_value(written)} is neither a block of 'name: value' nor a list of all values")

    return Annotated[dict[str, float] | tuple[float, ...], BeforeValidator(check)]


def _study_quantity(written: Any, unit: str, above_zero: bool = False) -> float:
    value = finite_si_value(written, unit, written)
    if above_zero and value <= 0.0:
        raise UnitError(f"{quote_short_value(written)} must be above zero")
    return value


_POSITION, _EFFORT = "rad|m", "N m|N"
Positions: Any = quantity_or_list_field(_POSITION)
Efforts: Any = quantity_or_list_field(_EFFORT)
PositionRows: Any = quantity_table_field(_POSITION)
EffortRows: Any = quantity_table_field(_EFFORT)
Span: Any = quantity_field("s", above_zero=True)
Tolerance: Any = quantity_field("", above_zero=True)
Rates: Any = quantity_or_list_field("rad/s|m/s")
AngularRates: Any = quantity_or_list_field("rad/s")
Angles: Any = quantity_or_list_field("rad")
Times: Any = quantity_or_list_field("s")
Stiffnesses: Any = quantity_or_list_field("N m/rad|N/m|s^-2")
Dampings: Any = quantity_or_list_field("N m s/rad|N s/m|s^-1")
NamedPositions: Any = named_quantities_field(_POSITION)
NamedRates: Any = named_quantities_field("rad/s|m/s")
Rate: Any = quantity_field("s^-1", above_zero=True)
Stiffness: Any = quantity_field("N/m|N m/rad", above_zero=True)
Damping: Any = quantity_field("N s/m|N m s/rad")
Time: Any = quantity_field("s")
Share: Any = quantity_field("")
Speed: Any = quantity_field("m/s", above_zero=True)
ForceRows: Any = quantity_table_field("N")
MomentRows: Any = quantity_table_field("N m")
Point: Any = quantity_or_list_field("m")


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


def _known_method(written: Any) -> Any:
    if written is not None and written not in (known := method_names()):
        raise ValueError(f"unknown method {quote_short_value(written)}{suggest_name(written, known)}")
    return written


MethodName: Any = Annotated[
    str | None,
    BeforeValidator(_known_method),
    Field(json_schema_extra=lambda schema: schema.update(enum=[*method_names(), None])),
]


class StudyMethod(Strict):
    """The integrator, that of `simulate` when it is not named; what else is left out has the method's own default."""

    name: MethodName = None
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
    """Rows that are kept, `quantity_table_field` of them or one every `step`, and the file they are saved in."""

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
