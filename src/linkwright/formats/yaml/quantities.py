"""Field types of a document: quantities with units, vectors, poses; each turns what was written into SI floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
)

from linkwright.algebra.transforms import UPRIGHT, RigidTransform
from linkwright.dataclass import dataclass
from linkwright.formats.units import (
    Computed,
    UnitError,
    describe_dimension,
    quote_short_value,
    value_in_si,
    wanted_quantity_name,
)
from linkwright.joints.kind import X, Y, Z
from linkwright.numerics.tolerances import NO_DIRECTION, WRITTEN_DIGITS

Quantity = float | str  # a bare number in SI, a text with a unit, or an expression
Triple = Annotated[list[Quantity], Field(min_length=3, max_length=3)]

_NAMED_AXES = {"x": X, "y": Y, "z": Z, "-x": (-1.0, 0.0, 0.0), "-y": (0.0, -1.0, 0.0), "-z": (0.0, 0.0, -1.0)}


class Strict(BaseModel):
    """A part of a document; keys it does not know are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, defer_build=True)


@dataclass(frozen=True)
class Checked:
    """A function that checks what was written and gives the value of a field, and the form it takes for JSON Schema.

    Forms are looked at only when a schema is asked for: for all fields of a document that takes as long as everything
    else about it.
    """

    check: Callable[[Any], Any]
    form: Any

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> Any:
        return BeforeValidator(self.check).__get_pydantic_core_schema__(kind, handler)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> Any:
        return handler(TypeAdapter(self.form).core_schema)


def _require_finite_value(value: float, written: Any) -> float:
    if not math.isfinite(value):
        raise UnitError(f"{quote_short_value(written)} is not a finite number; write a plain number")
    return value


def number_field(unit: str, endless: bool = False) -> Checked:
    """A field for one quantity; alternatives are written `N m|N`; `endless` lets infinity through."""
    return Checked(lambda written: finite_si_value(written, unit, written, endless), Quantity)


def finite_si_value(item: Any, unit: str, written: Any, endless: bool = False) -> float:
    """One finite quantity in SI; `written` is what a message quotes."""
    value = value_in_si(item, *unit.split("|"))
    return value if endless and math.isinf(value) else _require_finite_value(value, written)


def row_field(*units: str, endless: bool = False) -> Any:
    """A field type for one quantity per unit: a list, or just the quantity when there is one."""

    def check(written: Any) -> tuple[float, ...]:
        items = written if isinstance(written, list) else [written]
        if len(items) != len(units):
            names = ", ".join(wanted_quantity_name(tuple(unit.split("|"))) for unit in units)
            raise UnitError(_count_message(len(items), len(units), names, written))
        return tuple(finite_si_value(item, unit, written, endless) for item, unit in zip(items, units))

    several = Annotated[list[Quantity], Field(min_length=len(units), max_length=len(units))]
    form: Any = several if len(units) != 1 else Quantity | several
    return Annotated[tuple[float, ...], Checked(check, form)]


def _count_message(found: int, wanted: int, names: str, written: Any) -> str:
    if wanted == 0:
        return f"{quote_short_value(written)} is given, but a fixed joint has no coordinate; leave it out"
    many = f"a list of {wanted} values ({names})" if wanted > 1 else f"one value ({names})"
    return f"{quote_short_value(written)} has {found} value{'s' * (found != 1)} and {many} is wanted"


def read_triple(written: Any, unit: str = "m") -> tuple[float, float, float]:
    """Three quantities of one unit."""
    if not isinstance(written, list) or len(written) != 3:
        raise UnitError(f"{quote_short_value(written)} is not a list of three numbers; write for example [0, 0, 1]")
    x, y, z = (_require_finite_value(value_in_si(item, unit), written) for item in written)
    return x, y, z


def vector_field(unit: str) -> Checked:
    """A field for three quantities of one unit."""
    return Checked(lambda written: read_triple(written, unit), Triple)


def read_direction(written: Any) -> tuple[float, float, float]:
    """An axis: x, y, z, -x, -y, -z, or three numbers of any length above zero.

    >>> read_direction("-y"), read_direction([0, 3, 4])
    ((0.0, -1.0, 0.0), (0.0, 0.6, 0.8))
    """
    if isinstance(written, str):
        if written not in _NAMED_AXES:
            raise UnitError(
                f"{quote_short_value(written)} is not an axis; write x, y, z, -x, -y, -z or numbers such as [0, 0, 1]"
            )
        return _NAMED_AXES[written]
    x, y, z = read_triple(_without_unit(written), "")
    length = math.hypot(x, y, z)
    if length < NO_DIRECTION:
        raise UnitError(f"{quote_short_value(written)} has no direction; write an axis such as [0, 0, 1]")
    return (x, y, z) if abs(length - 1.0) <= WRITTEN_DIGITS else (x / length, y / length, z / length)


def _without_unit(written: Any) -> Any:
    """The parts of a direction, which may be computed in any unit that they share."""
    parts = [part for part in written if isinstance(part, Computed)] if isinstance(written, list) else []
    for other in parts[1:]:
        if other.powers[:3] != parts[0].powers[:3]:
            raise UnitError(
                f"the parts of a direction have one unit, and {quote_short_value(parts[0].written)} is "
                f"{describe_dimension(parts[0].powers)}, {quote_short_value(other.written)} "
                f"{describe_dimension(other.powers)}; check the units of "
                "their parameters"
            )
    return [float(part) if isinstance(part, Computed) else part for part in written] if parts else written


def _read_square_matrix(written: Any, unit: str) -> tuple[Any, Any, Any]:
    if not isinstance(written, list) or len(written) != 3:
        raise UnitError(
            f"{quote_short_value(written)} is not a 3x3 matrix; write a list of three rows of three numbers"
        )
    a, b, c = (read_triple(line, unit) for line in written)
    return a, b, c


_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


def read_inertia_tensor(written: Any) -> tuple[Any, Any, Any]:
    """An inertia tensor: three moments, six named elements, or a 3x3 matrix [kg m^2]."""
    if isinstance(written, dict):
        if unknown := [key for key in written if key not in _MOMENTS]:
            raise UnitError(f"'{unknown[0]}' is not an element of an inertia; write some of {', '.join(_MOMENTS)}")
        e = {key: _require_finite_value(value_in_si(written.get(key, 0.0), "kg m^2"), written) for key in _MOMENTS}
        return (e["xx"], e["xy"], e["xz"]), (e["xy"], e["yy"], e["yz"]), (e["xz"], e["yz"], e["zz"])
    if isinstance(written, list) and len(written) == 3 and isinstance(written[0], list):
        return _read_square_matrix(written, "kg m^2")
    if not isinstance(written, list) or len(written) != 3:
        raise UnitError(
            f"{quote_short_value(written)} is not an inertia; write [Ixx, Iyy, Izz] or {{xx:, yy:, zz:, xy:, xz:, yz:}}"
        )
    a, b, c = read_triple(written, "kg m^2")
    return (a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)


def _read_quaternion(written: Any) -> tuple[Any, ...]:
    if not isinstance(written, list) or len(written) != 4:
        raise UnitError(f"{quote_short_value(written)} is not a quaternion; write four numbers [w, x, y, z]")
    wxyz = tuple(_require_finite_value(value_in_si(item, ""), written) for item in written)
    if math.hypot(*wxyz) < NO_DIRECTION:
        raise UnitError(f"{quote_short_value(written)} is not a rotation; the identity is [1, 0, 0, 0]")
    return RigidTransform.from_quaternion((0.0, 0.0, 0.0), wxyz).rows


_TURNS: dict[str, Callable[[Any], Any]] = {
    "rpy": lambda written: RigidTransform.from_rpy((0.0, 0.0, 0.0), read_triple(written, "rad")).rows,
    "quaternion": _read_quaternion,
    "matrix": lambda written: _read_square_matrix(written, ""),
}


def read_pose_block(written: Any) -> RigidTransform:
    """Return a pose from [x, y, z], or {xyz: ..., and one of rpy, quaternion, matrix}.

    >>> read_pose_block({"xyz": ["300 mm", 0, 0], "rpy": [0, 0, "90 deg"]}).rows[0]
    (0.0, -1.0, 0.0)
    """
    if isinstance(written, list):
        return RigidTransform(read_triple(written))
    if not isinstance(written, dict):
        raise UnitError(
            f"{quote_short_value(written)} is not a valid pose; write [x, y, z] or {{xyz: [x, y, z], rpy: [r, p, y]}}"
        )
    if unknown := [key for key in written if key not in ("xyz", *_TURNS)]:
        raise UnitError(f"'{unknown[0]}' is not a part of a pose; write xyz and one of {', '.join(_TURNS)}")
    turns = [key for key in _TURNS if key in written]
    if len(turns) > 1:
        raise UnitError(f"{' and '.join(turns)} both give the orientation; keep one of them")
    rows = _TURNS[turns[0]](written[turns[0]]) if turns else UPRIGHT
    return RigidTransform(read_triple(written.get("xyz", [0, 0, 0])), rows)


def require_quoted_text(written: Any) -> str:
    """Return a text unchanged; refuse a bare number or nothing."""
    if not isinstance(written, str):
        raise UnitError(f"{quote_short_value(written)} is not a text; put it in quotes")
    return written


def require_parameter_value(written: Any) -> float | str:
    """Return a number or a text with its unit unchanged; the unit is that of a parameter, which is known later."""
    if isinstance(written, str):
        return written
    if isinstance(written, bool) or not isinstance(written, int | float):
        raise UnitError(f"{quote_short_value(written)} is not a quantity; write a number, or one with its unit: 200 mm")
    return _require_finite_value(written, written)


_Matrix = Annotated[list[Triple], Field(min_length=3, max_length=3)]


class PoseForm(Strict):
    """A pose with an orientation in the JSON Schema: one of rpy, quaternion and matrix."""

    xyz: Triple = Field(default=[0, 0, 0])
    rpy: Triple = Field(default=[0, 0, 0])
    quaternion: Annotated[list[Quantity], Field(min_length=4, max_length=4)] = Field(default=[1, 0, 0, 0])
    matrix: _Matrix = Field(default=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])


_Elements = dict[Literal["xx", "yy", "zz", "xy", "xz", "yz"], Quantity]

Text = Annotated[str, Checked(require_quoted_text, str)]
Value = Annotated[Quantity, Checked(require_parameter_value, Quantity)]
Axis = Annotated[
    tuple[float, float, float],
    Checked(read_direction, Literal["x", "y", "z", "-x", "-y", "-z"] | Triple),
]
Moments = Annotated[tuple[Any, Any, Any], Checked(read_inertia_tensor, Triple | _Matrix | _Elements)]
WrittenPose = Annotated[RigidTransform, Checked(read_pose_block, Triple | PoseForm)]
