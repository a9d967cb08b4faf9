"""Arithmetic in files, `= radius * cos(2 * pi * i / 6)`: numbers, names and a few functions; nothing else is read."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping

from linkwright.formats.units import UnitError, quote_short_value
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
