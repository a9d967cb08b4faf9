"""Arithmetic in files, `= radius * cos(2 * pi * i / 6)`, and the dimensions of such expressions.

A number without a unit may stand for anything in SI, so a product with one has no known dimension. Radians are numbers:
an arc, `radius * angle`, is a length. Of a whole expression that goes into a field more is said: pi, sines and whole
divisors are plain factors there, as in `rho * rod^3 / 12`; the 0.5 of `0.5 * arm^2 / 12` may still be a mass.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence

from linkwright.formats.units import Dimension, UnitError, quote_short_value, si_unit
from linkwright.mechanism.expressions import (
    CONSTANTS,
    FUNCTIONS,
    Expression,
    Name,
    Number,
    Operation,
    evaluate_expression,
    names_in_expression,
)
from linkwright.mechanism.names import suggest_name

# --- arithmetic in files, `= radius * cos(2 * pi * i / 6)` ------------------------------------------------------------

LONGEST = 200  # characters
_ONLY = "only numbers, parameters, + - * / ^ and functions such as cos are read"
# No arithmetic, and Python would warn of it instead of refusing it: a backslash, a number that ends in a keyword (2if).
_WARNED_OF = re.compile(r"\\|(?<!\w)\d[\w.]*?(?:and|else|for|if|in|is|not|or)\b")
_PAIRS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "^"}


def is_expression(written: object) -> bool:
    """Return True if a value is to be computed: a text that begins with '='."""
    return isinstance(written, str) and written.lstrip().startswith("=")


def parse_expression(written: str) -> Expression:
    """The records of a written expression; raises a `UnitError` if it is wrong.

    >>> parse_expression("= 2 * r")
    Operation(symbol='*', arguments=(Number(value=2.0), Name(name='r')))
    """
    text = written.lstrip().removeprefix("=").strip()
    if len(text) > LONGEST:
        raise UnitError(f"the expression has {len(text)} characters and at most {LONGEST} are read; use parameters")
    if _WARNED_OF.search(text):
        raise UnitError(f"{_ONLY} in {quote_short_value(written)}")
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        cut = "; an expression with a comma goes in quotes" if text.count("(") > text.count(")") else ""
        if re.search(r"\d\s*[A-Za-z°µ]", text):
            cut += "; a number with a unit is given as a parameter"
        raise UnitError(
            f"{quote_short_value(written)} cannot be read as arithmetic{cut}; write for example '= radius * cos(pi / "
            "6)'"
        ) from None
    try:
        return _expression_of_node(tree.body)
    except _Refused as stop:
        raise UnitError(f"{stop} in {quote_short_value(written)}") from None
    except (OverflowError, RecursionError) as error:
        raise UnitError(f"{quote_short_value(written)} has no value ({error}); check its numbers") from None


def value_of_text(written: str, known: Mapping[str, float]) -> float:
    """Value of an expression; all values are in SI and radians.

    >>> value_of_text("= 2 * r * sin(pi / 2)", {"r": 0.5})
    1.0
    >>> value_of_text("= 2 * radus", {"radius": 0.5})
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: unknown parameter 'radus' (did you mean 'radius'?) in '= 2 * radus'
    """
    return compute_expression(parse_expression(written), known, written)


def compute_expression(expression: Expression, known: Mapping[str, float], written: str) -> float:
    """The finite value of an expression; messages quote it as `written`."""
    for name in names_in_expression(expression):
        if name not in known:
            raise UnitError(f"unknown parameter '{name}'{suggest_name(name, known)} in {quote_short_value(written)}")
    try:
        found = evaluate_expression(expression, known)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError, RecursionError) as error:
        raise UnitError(f"{quote_short_value(written)} has no value ({error}); check its numbers") from None
    if isinstance(found, complex) or not math.isfinite(found):
        raise UnitError(f"{quote_short_value(written)} gives {found}, which is not a finite number; check its numbers")
    return found


class _Refused(Exception):
    pass


def _expression_of_node(node: ast.expr) -> Expression:
    match node:
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return Number(float(number))
        case ast.Name(name):
            return Name(name)
        case ast.UnaryOp(ast.UAdd(), inner):
            return _expression_of_node(inner)
        case ast.UnaryOp(ast.USub(), inner):
            return Operation("minus", (_expression_of_node(inner),))
        case ast.BinOp(left, pair, right) if type(pair) in _PAIRS:
            return Operation(_PAIRS[type(pair)], (_expression_of_node(left), _expression_of_node(right)))
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            return Operation(name, tuple(map(_expression_of_node, arguments)))
        case ast.Call(ast.Name(name), _, []):
            raise _Refused(f"unknown function '{name}'{suggest_name(name, FUNCTIONS)}")
    raise _Refused(_ONLY)


__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "LONGEST",
    "compute_expression",
    "is_expression",
    "parse_expression",
    "value_of_text",
]


# --- dimensions of expressions ----------------------------------------------------------------------------------------

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
