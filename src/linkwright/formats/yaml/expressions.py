"""Arithmetic in files, `= radius * cos(2 * pi * i / 6)`: numbers, names and a few functions; nothing else is read."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping

from linkwright.formats.units import UnitError, shown
from linkwright.mechanism.expressions import CONSTANTS, FUNCTIONS, Expression, Name, Number, Operation, evaluated, names
from linkwright.mechanism.names import suggestion

LONGEST = 200  # characters
_ONLY = "only numbers, parameters, + - * / ^ and functions such as cos are read"
# No arithmetic, and Python would warn of it instead of refusing it: a backslash, a number that ends in a keyword (2if).
_WARNED_OF = re.compile(r"\\|(?<!\w)\d[\w.]*?(?:and|else|for|if|in|is|not|or)\b")
_PAIRS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "^"}


def is_expression(written: object) -> bool:
    """Return True if a value is to be computed: a text that begins with '='."""
    return isinstance(written, str) and written.lstrip().startswith("=")


def parsed(written: str) -> Expression:
    """The records of a written expression; raises a `UnitError` if it is wrong.

    >>> parsed("= 2 * r")
    Operation(symbol='*', arguments=(Number(value=2.0), Name(name='r')))
    """
    text = written.lstrip().removeprefix("=").strip()
    if len(text) > LONGEST:
        raise UnitError(f"the expression has {len(text)} characters and at most {LONGEST} are read; use parameters")
    if _WARNED_OF.search(text):
        raise UnitError(f"{_ONLY} in {shown(written)}")
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        cut = "; an expression with a comma goes in quotes" if text.count("(") > text.count(")") else ""
        if re.search(r"\d\s*[A-Za-z°µ]", text):
            cut += "; a number with a unit is given as a parameter"
        raise UnitError(
            f"{shown(written)} cannot be read as arithmetic{cut}; write for example '= radius * cos(pi / 6)'"
        ) from None
    try:
        return _expression(tree.body)
    except _Refused as stop:
        raise UnitError(f"{stop} in {shown(written)}") from None
    except (OverflowError, RecursionError) as error:
        raise UnitError(f"{shown(written)} has no value ({error}); check its numbers") from None


def value(written: str, known: Mapping[str, float]) -> float:
    """Value of an expression; all values are in SI and radians.

    >>> value("= 2 * r * sin(pi / 2)", {"r": 0.5})
    1.0
    >>> value("= 2 * radus", {"radius": 0.5})
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: unknown parameter 'radus' (did you mean 'radius'?) in '= 2 * radus'
    """
    return computed(parsed(written), known, written)


def computed(expression: Expression, known: Mapping[str, float], written: str) -> float:
    """The finite value of an expression; messages quote it as `written`."""
    for name in names(expression):
        if name not in known:
            raise UnitError(f"unknown parameter '{name}'{suggestion(name, known)} in {shown(written)}")
    try:
        found = evaluated(expression, known)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError, RecursionError) as error:
        raise UnitError(f"{shown(written)} has no value ({error}); check its numbers") from None
    if isinstance(found, complex) or not math.isfinite(found):
        raise UnitError(f"{shown(written)} gives {found}, which is not a finite number; check its numbers")
    return found


class _Refused(Exception):
    pass


def _expression(node: ast.expr) -> Expression:
    match node:
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return Number(float(number))
        case ast.Name(name):
            return Name(name)
        case ast.UnaryOp(ast.UAdd(), inner):
            return _expression(inner)
        case ast.UnaryOp(ast.USub(), inner):
            return Operation("minus", (_expression(inner),))
        case ast.BinOp(left, pair, right) if type(pair) in _PAIRS:
            return Operation(_PAIRS[type(pair)], (_expression(left), _expression(right)))
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            return Operation(name, tuple(map(_expression, arguments)))
        case ast.Call(ast.Name(name), _, []):
            raise _Refused(f"unknown function '{name}'{suggestion(name, FUNCTIONS)}")
    raise _Refused(_ONLY)


__all__ = ["CONSTANTS", "FUNCTIONS", "LONGEST", "computed", "is_expression", "parsed", "value"]
