"""Arithmetic in files, `= radius * cos(2 * pi * i / 6)`: numbers, names and a few functions; nothing else is read."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping

from linkwright.formats.units import UnitError, shown
from linkwright.mechanism.names import suggestion

LONGEST = 200  # characters
CONSTANTS: dict[str, float] = {"pi": math.pi}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sqrt": math.sqrt,
    "hypot": math.hypot,
    "abs": abs,
    "min": min,
    "max": max,
    "rad": math.radians,
    "deg": math.degrees,
}
_PAIRS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS: dict[type, Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def is_expression(written: object) -> bool:
    """Whether a value asks to be computed: a text that begins with '='."""
    return isinstance(written, str) and written.lstrip().startswith("=")


def value(written: str, names: Callable[[str], float] | Mapping[str, float]) -> float:
    """The number an expression stands for; all values are in SI and radians.

    >>> value("= 2 * r * sin(pi / 2)", {"r": 0.5})
    1.0
    >>> value("= 2 * radus", {"radius": 0.5})
    Traceback (most recent call last):
        ...
    linkwright.formats.units.UnitError: 'radus' is no parameter (did you mean 'radius'?) in '= 2 * radus'
    """
    text = written.lstrip().removeprefix("=").strip()
    if len(text) > LONGEST:
        raise UnitError(f"the expression has {len(text)} characters and at most {LONGEST} are read; use parameters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # what it warns of, as 2if, is refused below
            tree = ast.parse(text.replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        cut = "; an expression with a comma goes in quotes" if text.count("(") > text.count(")") else ""
        raise UnitError(
            f"{shown(written)} cannot be read as arithmetic{cut}; write for example '= radius * cos(pi / 6)'"
        ) from None
    try:
        found = _number(tree.body, names if callable(names) else _of(names))
    except _Refused as stop:
        raise UnitError(f"{stop} in {shown(written)}") from None
    except (ZeroDivisionError, OverflowError, ValueError, TypeError, RecursionError) as error:
        raise UnitError(f"{shown(written)} has no value ({error}); check its numbers") from None
    if isinstance(found, complex) or not math.isfinite(found):
        raise UnitError(f"{shown(written)} gives {found}, which is not a finite number; check its numbers")
    return found


class _Refused(Exception):
    pass


def _of(names: Mapping[str, float]) -> Callable[[str], float]:
    def found(name: str) -> float:
        if name not in names:
            raise _Refused(f"'{name}' is no parameter{suggestion(name, names)}")
        return names[name]

    return found


def _number(node: ast.expr, names: Callable[[str], float]) -> float:
    match node:
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(name):
            return CONSTANTS[name] if name in CONSTANTS else names(name)
        case ast.UnaryOp(sign, inner) if type(sign) in _SIGNS:
            return _SIGNS[type(sign)](_number(inner, names))
        case ast.BinOp(left, pair, right) if type(pair) in _PAIRS:
            return _PAIRS[type(pair)](_number(left, names), _number(right, names))
        case ast.Call(ast.Name(name), arguments, []) if name in FUNCTIONS:
            return float(FUNCTIONS[name](*(_number(x, names) for x in arguments)))
        case ast.Call(ast.Name(name), _, []):
            raise _Refused(f"'{name}' is no function known here{suggestion(name, FUNCTIONS)}")
    raise _Refused("only numbers, parameters, + - * / ^ and functions such as cos may stand")
