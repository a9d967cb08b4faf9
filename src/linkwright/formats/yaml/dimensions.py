"""Dimensions of expressions: sums of a length and a mass are refused, as far as units are written.

A number without a unit may stand for anything in SI, so a product with one has no known dimension. Radians are numbers:
an arc, `radius * angle`, is a length. Of a whole expression that goes into a field more is said: pi, sines and whole
divisors are plain factors there, as in `rho * rod^3 / 12`; the 0.5 of `0.5 * arm^2 / 12` may still be a mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwright.formats.units import Dimension, UnitError, si_unit
from linkwright.mechanism.expressions import (
    CONSTANTS,
    FUNCTIONS,
    Expression,
    Name,
    Number,
    Operation,
    names_in_expression,
)

_LARGEST = 24
_ANGLE: Dimension = (0, 0, 0, 1)
_NUMBER: Dimension = (0, 0, 0, 0)
_ALIKE = ("+", "-", "%", "hypot", "min", "max", "atan2")  # of arguments of one dimension
_OF_NUMBERS = ("sin", "cos", "tan", "asin", "acos", "atan", "rad", "deg")
_TO_ANGLES = ("asin", "acos", "atan", "atan2", "rad")
_TO_NUMBERS = ("sin", "cos", "tan", "deg")


def result_dimension(expression: Expression, known: Mapping[str, Dimension | None]) -> Dimension | None:
    """The dimension of an expression with plain factors; None where it is not known, or contradicts.

    >>> result_dimension(Operation("/", (Name("r"), Number(2.0))), {"r": (1, 0, 0, 0)})
    (1, 0, 0, 0)
    """
    try:
        return dimension_of_expression(expression, known, True)
    except UnitError:
        return None


def dimension_of_expression(
    expression: Expression, known: Mapping[str, Dimension | None], factors: bool = False
) -> Dimension | None:
    """The dimension of an expression, None where it is not known; raises a `UnitError` where units contradict.

    With `factors`, pi, sines and whole divisors are plain numbers in products with a dimension.

    >>> length, angle = (1, 0, 0, 0), (0, 0, 0, 1)
    >>> dimension_of_expression(Operation("*", (Name("r"), Name("r"))), {"r": length})
    (2, 0, 0, 0)
    >>> dimension_of_expression(Operation("+", (Name("r"), Name("a"))), {"r": length, "a": angle})
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: a value in m and a value in rad are joined by '+'
    """
    match expression:
        case Name(name):
            return known.get(name)
        case Operation("^", (base, Number(power))) if power.is_integer():
            return _multiply_powers(dimension_of_expression(base, known, factors), int(power))
        case Operation(symbol, arguments):
            parts = [dimension_of_expression(each, known, factors) for each in arguments]
            if factors and symbol in ("*", "/"):
                parts = list(_with_factors(symbol, arguments, parts))
            return _dimension_of_operation(symbol, parts)
    return None


def _with_factors(
    symbol: str, arguments: Sequence[Expression], parts: Sequence[Dimension | None]
) -> Sequence[Dimension | None]:
    """The dimensions of the parts of a product; a number beside a ratio or an angle may still stand for anything."""
    if not any(part is not None and any(part[:3]) for part in parts):
        return parts
    plain = [_is_factor(each, divides) for each, divides in zip(arguments, (False, symbol == "/"))]
    return [_NUMBER if part is None and factor else part for part, factor in zip(parts, plain)]


def _is_factor(expression: Expression, divides: bool = False) -> bool:
    """Return True for pi, functions of numbers, sines, what follows from them, and whole numbers that divide."""
    match expression:
        case Number(value):
            return divides and value.is_integer()
        case Name(name):
            return name in CONSTANTS
        case Operation("/", (above, below)):
            return _is_factor(above, divides) and _is_factor(below, True)
        case Operation("^", (base, Number())):
            return _is_factor(base, divides)
        case Operation("*" | "minus", arguments):
            return all(_is_factor(each, divides) for each in arguments)
        case Operation("+" | "-", arguments):
            found = [each for each in arguments if not isinstance(each, Number)]
            return bool(found) and all(map(_is_factor, found))
        case Operation(symbol):
            return symbol in _TO_NUMBERS or (symbol in FUNCTIONS and not names_in_expression(expression))


def _dimension_of_operation(symbol: str, parts: Sequence[Dimension | None]) -> Dimension | None:
    found = [part for part in parts if part is not None]
    if symbol in _ALIKE:
        for other in found[1:]:
            if other[:3] != found[0][:3]:
                raise UnitError(f"{_describe_powers(found[0])} and {_describe_powers(other)} are joined by '{symbol}'")
    if symbol in _OF_NUMBERS and found and any(found[0][:3]):
        raise UnitError(f"'{symbol}' is given {_describe_powers(found[0])}, and takes an angle or a plain number")
    if symbol in _TO_ANGLES:
        return _ANGLE
    if symbol in _ALIKE:
        return found[0] if found else None
    if symbol in _TO_NUMBERS or len(found) < len(parts):
        return None
    match symbol, found:
        case "*", (a, b):
            return _add_powers(a, b)
        case "/", (a, b):
            return _add_powers(a, _multiply_powers(b, -1))
        case "sqrt", (a,) if not any(power % 2 for power in a):
            return (a[0] // 2, a[1] // 2, a[2] // 2, a[3] // 2)
        case "minus" | "abs", (a,):
            return a
    return None


def _add_powers(a: Dimension, b: Dimension | None) -> Dimension | None:
    return None if b is None else (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def _multiply_powers(a: Dimension | None, power: int) -> Dimension | None:
    """Powers of a power; those beyond every real quantity count as unknown."""
    if a is None or abs(power) * max(map(abs, a)) > _LARGEST:
        return None
    return (power * a[0], power * a[1], power * a[2], power * a[3])


def _describe_powers(powers: Dimension) -> str:
    return f"a value in {si_unit(powers)}" if any(powers) else "a plain number"
