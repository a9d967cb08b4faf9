"""Dimensions of expressions: sums of a length and a mass are refused, as far as units are written.

A number without a unit may stand for anything in SI, so a product with one has no known dimension. Radians are numbers:
an arc, `radius * angle`, is a length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwright.formats.units import Dimension, UnitError, si_unit
from linkwright.mechanism.expressions import Expression, Name, Number, Operation

_LARGEST = 24
_ANGLE: Dimension = (0, 0, 0, 1)
_ALIKE = ("+", "-", "%", "hypot", "min", "max", "atan2")  # of arguments of one dimension
_OF_NUMBERS = ("sin", "cos", "tan", "asin", "acos", "atan", "rad", "deg")
_TO_ANGLES = ("asin", "acos", "atan", "atan2", "rad")
_TO_NUMBERS = ("sin", "cos", "tan", "deg")


def dimension(expression: Expression, known: Mapping[str, Dimension | None]) -> Dimension | None:
    """The dimension of an expression, None where it is not known; raises a `UnitError` where units contradict.

    >>> length, angle = (1, 0, 0, 0), (0, 0, 0, 1)
    >>> dimension(Operation("*", (Name("r"), Name("r"))), {"r": length})
    (2, 0, 0, 0)
    >>> dimension(Operation("+", (Name("r"), Name("a"))), {"r": length, "a": angle})
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: a value in m and a value in rad are joined by '+'
    """
    match expression:
        case Name(name):
            return known.get(name)
        case Operation("^", (base, Number(power))) if power.is_integer():
            return _raised(dimension(base, known), int(power))
        case Operation(symbol, arguments):
            return _joined(symbol, [dimension(each, known) for each in arguments])
    return None


def _joined(symbol: str, parts: Sequence[Dimension | None]) -> Dimension | None:
    found = [part for part in parts if part is not None]
    if symbol in _ALIKE:
        for other in found[1:]:
            if other[:3] != found[0][:3]:
                raise UnitError(f"{_shown(found[0])} and {_shown(other)} are joined by '{symbol}'")
    if symbol in _OF_NUMBERS and found and any(found[0][:3]):
        raise UnitError(f"'{symbol}' is given {_shown(found[0])}, and takes an angle or a plain number")
    if symbol in _TO_ANGLES:
        return _ANGLE
    if symbol in _ALIKE:
        return found[0] if found else None
    if symbol in _TO_NUMBERS or len(found) < len(parts):
        return None
    match symbol, found:
        case "*", (a, b):
            return _sum(a, b)
        case "/", (a, b):
            return _sum(a, _raised(b, -1))
        case "sqrt", (a,) if not any(power % 2 for power in a):
            return (a[0] // 2, a[1] // 2, a[2] // 2, a[3] // 2)
        case "minus" | "abs", (a,):
            return a
    return None


def _sum(a: Dimension, b: Dimension | None) -> Dimension | None:
    return None if b is None else (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def _raised(a: Dimension | None, power: int) -> Dimension | None:
    """Powers of a power; those beyond every real quantity count as unknown."""
    if a is None or abs(power) * max(map(abs, a)) > _LARGEST:
        return None
    return (power * a[0], power * a[1], power * a[2], power * a[3])


def _shown(powers: Dimension) -> str:
    return f"a value in {si_unit(powers)}" if any(powers) else "a plain number"
