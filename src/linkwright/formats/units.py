"""Written quantities, `300 mm` or `12 deg/s`; everything becomes SI and radians."""

from __future__ import annotations

import math
import re

from linkwright.dataclass import dataclass
from linkwright.mechanism.names import suggest_name

Dimension = tuple[int, int, int, int]  # powers of meter, kilogram, second, radian


@dataclass(frozen=True)
class Unit:
    """`times / over` of the SI unit with the given powers; two numbers, so that 300 mm is 300 / 1000 m exactly."""

    powers: Dimension
    times: float = 1.0
    over: float = 1.0


UNITS: dict[str, Unit] = {
    "m": Unit((1, 0, 0, 0)),
    "mm": Unit((1, 0, 0, 0), over=1e3),
    "cm": Unit((1, 0, 0, 0), over=1e2),
    "um": Unit((1, 0, 0, 0), over=1e6),
    "km": Unit((1, 0, 0, 0), times=1e3),
    "in": Unit((1, 0, 0, 0), times=254.0, over=1e4),
    "kg": Unit((0, 1, 0, 0)),
    "g": Unit((0, 1, 0, 0), over=1e3),
    "t": Unit((0, 1, 0, 0), times=1e3),
    "s": Unit((0, 0, 1, 0)),
    "ms": Unit((0, 0, 1, 0), over=1e3),
    "us": Unit((0, 0, 1, 0), over=1e6),
    "min": Unit((0, 0, 1, 0), times=60.0),
    "rad": Unit((0, 0, 0, 1)),
    "mrad": Unit((0, 0, 0, 1), over=1e3),
    "deg": Unit((0, 0, 0, 1), times=math.pi, over=180.0),
    "°": Unit((0, 0, 0, 1), times=math.pi, over=180.0),
    "rev": Unit((0, 0, 0, 1), times=2.0 * math.pi),
    "rpm": Unit((0, 0, -1, 1), times=2.0 * math.pi, over=60.0),
    "N": Unit((1, 1, -2, 0)),
    "kN": Unit((1, 1, -2, 0), times=1e3),
    "mN": Unit((1, 1, -2, 0), over=1e3),
    "Nm": Unit((2, 1, -2, 0)),
    "Nmm": Unit((2, 1, -2, 0), over=1e3),
    "mNm": Unit((2, 1, -2, 0), over=1e3),
}
ONE = Unit((0, 0, 0, 0))

NAMES: dict[str, str] = {
    "": "a plain number",
    "m": "a length",
    "kg": "a mass",
    "rad": "an angle",
    "m/s": "a speed",
    "rad/s": "an angular speed",
    "m/s^2": "an acceleration",
    "rad/s^2": "an angular acceleration",
    "kg m^2": "a moment of inertia",
    "N": "a force",
    "N m": "a torque",
    "N/m": "a stiffness",
    "N m/rad": "an angular stiffness",
    "N s/m": "a damping",
    "N m s/rad": "an angular damping",
    "m/rad": "a pitch",
    "rad/m": "an angle per length",
    "s": "a time",
    "kg/m": "a mass per length",
    "N m^2": "a bending stiffness",
}

_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", re.DOTALL)
_FACTOR = re.compile(r"([A-Za-z°µ]+)(?:\^?(-?\d))?|1")
_LONGEST = 80


class UnitError(ValueError):
    """A quantity that cannot be read; `computable` is a text that could be meant as an expression."""

    def __init__(self, message: str, computable: str = "") -> None:
        super().__init__(message)
        self.computable = computable


class Computed(float):
    """A value in SI of an expression as it was written, with the dimension that follows from its parameters."""

    def __new__(cls, value: float, written: str = "", powers: Dimension = ONE.powers) -> Computed:
        made = super().__new__(cls, value)
        made.written, made.powers = written, powers
        return made

    written: str
    powers: Dimension

    def fits(self, wanted: str) -> bool:
        """Return True if the value has the dimension of a unit; radians are numbers."""
        return parse_unit(wanted).powers[:3] == self.powers[:3]


def parse_quantity(text: str, such: str = "300 mm") -> tuple[float, Unit | None]:
    """The number in SI and the unit of a written quantity; no unit gives None. `such` is the example in the message.

    >>> parse_quantity("300 mm")[0], parse_quantity("0.3")
    (0.3, (0.3, None))
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        way_out = f"write a number, or a number and a unit such as '{such}'"
        computable = text if re.match(r"[A-Za-z_(]", text) and quote_short_value(text) == f"'{text}'" else ""
        raise UnitError(f"{quote_short_value(text)} is not a quantity; {way_out}", computable)
    value = float(match[1])
    if not match[2]:
        return value, None
    unit = parse_unit(match[2])
    return value * unit.times / unit.over, unit


def parse_unit(text: str) -> Unit:
    """A product of unit symbols with powers, as in `N m s/rad` or `kg mm^2`.

    >>> parse_unit("kg mm^2").powers, parse_unit("deg/s").powers
    ((2, 1, 0, 0), (0, 0, -1, 1))
    """
    top, *below = text.replace("·", " ").replace("*", " ").replace("²", "^2").split("/")
    unit = _multiply_unit_symbols(ONE, top, +1, text)
    for part in below:
        unit = _multiply_unit_symbols(unit, part, -1, text)
    return unit


def _multiply_unit_symbols(unit: Unit, symbols: str, sign: int, text: str) -> Unit:
    for part in symbols.replace("(", " ").replace(")", " ").split():
        match = _FACTOR.fullmatch(part)
        symbol = (match[1] or "") if match else part
        factor = ONE if match and not symbol else UNITS.get(symbol.replace("µ", "u"))
        if text[0] == "," and text[1:2].isdigit():
            raise UnitError("a decimal comma is not read; write a point, for example '0.12 kg'")
        if match is None or factor is None:
            raise UnitError(f"unknown unit '{text}'{suggest_name(symbol or part, UNITS, most=len(UNITS))}")
        unit = _multiply_units(unit, factor, sign * int(match[2] or 1))
    return unit


def _multiply_units(unit: Unit, factor: Unit, power: int) -> Unit:
    a, b, c, d = (p + power * f for p, f in zip(unit.powers, factor.powers))
    up, down = (factor.times, factor.over) if power > 0 else (factor.over, factor.times)
    return Unit((a, b, c, d), unit.times * up ** abs(power), unit.over * down ** abs(power))


def si_unit(powers: Dimension) -> str:
    """The SI unit with the given powers, in the usual symbols where it has some.

    >>> si_unit((2, 1, -2, 0)), si_unit((3, 0, 0, 0))
    ('N m', 'm^3')
    """
    named = next((name for name in NAMES if parse_unit(name).powers == powers), None)
    factors = ((s, p) for s, p in zip(("kg", "m", "rad", "s"), (powers[1], powers[0], powers[3], powers[2])) if p)
    return named if named is not None else " ".join(s if p == 1 else f"{s}^{p}" for s, p in factors)


def is_unit_compatible(unit: Unit, wanted: str) -> bool:
    """Return True if a unit has the wanted dimension; forces and torques per angle may leave out the radian."""
    powers = parse_unit(wanted).powers
    return unit.powers == powers or (powers[1] != 0 and unit.powers == (*powers[:3], 0))


def unit_that_fits(text: str, *wanted: str) -> Unit:
    """A written unit, which must fit one of `wanted`; any does where none is named.

    >>> unit_that_fits("N", "m/rad")
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: the unit 'N' is that of a force, but a pitch is wanted; take m/rad
    """
    try:
        unit = parse_unit(text)
    except UnitError as error:
        raise UnitError(f"{error}; {_fitting_units_text(wanted)}") from None
    if wanted and not any(is_unit_compatible(unit, w) for w in wanted):
        raise UnitError(
            f"the unit '{text}' is that of {_name_of_dimension(unit.powers)}, but {wanted_quantity_name(wanted)} is "
            "wanted; " + _fitting_units_text(wanted)
        )
    return unit


def _fitting_units_text(wanted: tuple[str, ...]) -> str:
    """The units that would fit, in words."""
    alike = [symbol for w in wanted if w for symbol in (w, *UNITS) if parse_unit(symbol).powers == parse_unit(w).powers]
    names = list(dict.fromkeys(alike)) if wanted else ["m", "mm", "rad", "deg", "s", "N", "N m", "kg"]
    if not names:
        return "leave it out"
    return f"take {', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else f"take {names[0]}"


def value_in_si(value: object, *wanted: str) -> float:
    """A value in SI, bare or with a unit that fits one of `wanted`.

    >>> value_in_si("300 mm", "m"), value_in_si(0.3, "m")
    (0.3, 0.3)
    >>> value_in_si("4 kg", "m")
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: '4 kg' is a mass, but a length is wanted; write for example '4 m'
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UnitError(
            f"{quote_short_value(value)} is not a number; {wanted_quantity_name(wanted)} is wanted, for example "
            f"'{example_quantity(wanted)}'"
        )
    if isinstance(value, Computed) and any(value.powers) and not any(value.fits(w) for w in wanted):
        units = " or ".join(filter(None, wanted))
        raise UnitError(
            f"{quote_short_value(value.written)} is {describe_dimension(value.powers)}, but "
            f"{wanted_quantity_name(wanted)} is wanted"
            f"{f', in {units}' if units else ''}; check its parameters and their units"
        )
    if not isinstance(value, str):
        return float(value)
    number, unit = parse_quantity(value, example_quantity(wanted))
    if unit is not None and not any(is_unit_compatible(unit, w) for w in wanted):
        digits = value.strip().split()[0] if " " in value.strip() else "1"
        raise UnitError(
            f"'{value}' is {_name_of_dimension(unit.powers)}, but {wanted_quantity_name(wanted)} is wanted; write "
            "for example " + repr(f"{digits} {wanted[0]}".strip())
        )
    return number


def _name_of_dimension(powers: Dimension) -> str:
    return next((name for unit, name in NAMES.items() if parse_unit(unit).powers == powers), "another quantity")


def describe_dimension(powers: Dimension) -> str:
    """The name of a quantity and its unit.

    >>> describe_dimension((1, 0, 0, 0)), describe_dimension((-2, 1, 0, 0)), describe_dimension((0, 0, 0, 0))
    ('a length, in m', 'another quantity, in kg m^-2', 'a plain number')
    """
    return f"{_name_of_dimension(powers)}, in {si_unit(powers)}" if any(powers) else _name_of_dimension(powers)


def wanted_quantity_name(wanted: tuple[str, ...]) -> str:
    """Return the name of the wanted quantity."""
    return " or ".join(dict.fromkeys(NAMES.get(w, w) for w in wanted))


def example_quantity(wanted: tuple[str, ...]) -> str:
    """An example of the wanted quantity."""
    return f"1 {wanted[0]}".strip()


def quote_short_value(value: object) -> str:
    """A value as it is quoted in a message, shortened."""
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
