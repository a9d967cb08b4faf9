"""Expressions of parameters, `2 * radius * cos(pi / 6)`, and named parameters as a file defines them.

Records are made by a reader's parser, never by running text. On floats an expression is evaluated by `math`; on other
scalars (the compiler's recording scalar, sums of recorded values) by their own operators and methods.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from linkwright.algebra.sums import direction_angle
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError

# --- expressions of parameters, `2 * radius * cos(pi / 6)`, as frozen records that any scalar can evaluate ------------

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
PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "^": operator.pow,
}
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "minus": 3, "^": 4}


@dataclass(frozen=True)
class Number:
    """A number written in an expression."""

    value: float


@dataclass(frozen=True)
class Name:
    """A parameter, or a constant such as `pi`."""

    name: str


@dataclass(frozen=True)
class Operation:
    """An operator (+ - * / % ^), `minus` (a sign), or a function, of its arguments."""

    symbol: str
    arguments: tuple[Expression, ...]


Expression = Number | Name | Operation


def evaluate_expression(expression: Expression, values: Mapping[str, Any]) -> Any:
    """The value of an expression where parameters have the given values, which may be of any scalar type.

    >>> evaluate_expression(Operation("*", (Number(2.0), Name("r"))), {"r": 0.25})
    0.5
    """
    match expression:
        case Number(value):
            return value
        case Name(name):
            return CONSTANTS[name] if name in CONSTANTS else values[name]
        case Operation(symbol, arguments):
            return _apply_operation(symbol, [evaluate_expression(x, values) for x in arguments])


def names_in_expression(expression: Expression) -> frozenset[str]:
    """The parameters that an expression mentions.

    >>> sorted(names_in_expression(Operation("+", (Name("a"), Operation("cos", (Name("pi"),))))))
    ['a']
    """
    match expression:
        case Number():
            return frozenset()
        case Name(name):
            return frozenset() if name in CONSTANTS else frozenset((name,))
        case Operation(_, arguments):
            return frozenset().union(*map(names_in_expression, arguments))


def number_expression(value: float) -> Expression:
    """A number as it is parsed: with a sign in front when it is negative."""
    return Number(value) if value >= 0.0 else Operation("minus", (Number(-value),))


def substitute_names(expression: Expression, by: Mapping[str, Expression]) -> Expression:
    """The expression with names replaced by other expressions."""
    match expression:
        case Name(name) if name in by:
            return by[name]
        case Operation(symbol, arguments):
            return Operation(symbol, tuple(substitute_names(x, by) for x in arguments))
        case _:
            return expression


def expression_size(expression: Expression, sizes: Mapping[str, int]) -> int:
    """Number of numbers and names in an expression, a name counting as many as `sizes` say.

    >>> expression_size(Operation("+", (Name("a"), Name("b"))), {"a": 5})
    6
    """
    match expression:
        case Name(name):
            return sizes.get(name, 1)
        case Operation(_, arguments):
            return sum(expression_size(x, sizes) for x in arguments)
        case _:
            return 1


def expression_text(expression: Expression) -> str:
    """An expression as it is written in a file, without the leading '='; parsing it gives the same records.

    >>> expression_text(Operation("-", (Name("a"), Operation("-", (Name("b"), Number(1.0))))))
    'a - (b - 1)'
    """
    return _text_with_precedence(expression, 0)


def _text_with_precedence(expression: Expression, above: int) -> str:
    match expression:
        case Number(value):
            return str(int(value)) if value.is_integer() and value < 1e15 else repr(value)
        case Name(name):
            return name
        case Operation(symbol, (inner,)) if symbol == "minus":
            bound = _BINDING["minus"]
            return _in_brackets(f"-{_text_with_precedence(inner, bound)}", bound, above)
        case Operation(symbol, (left, right)) if symbol in PAIRS:
            bound = _BINDING[symbol]
            raised = symbol == "^"  # binds to the right, all others to the left
            sides = (
                _text_with_precedence(left, bound + raised),
                _text_with_precedence(right, bound if raised else bound + 1),
            )
            return _in_brackets(f" {symbol} ".join(sides), bound, above)
        case Operation(symbol, arguments):
            return f"{symbol}({', '.join(_text_with_precedence(x, 0) for x in arguments)})"


def _in_brackets(written: str, bound: int, above: int) -> str:
    return f"({written})" if bound < above else written


def _apply_operation(symbol: str, values: list[Any]) -> Any:
    if all(isinstance(x, float | int | complex) for x in values):
        if symbol == "minus":
            return -values[0]
        return PAIRS[symbol](*values) if symbol in PAIRS else float(FUNCTIONS[symbol](*values))
    return _apply_recorded_operation(symbol, values)


def _apply_recorded_operation(symbol: str, values: list[Any]) -> Any:
    """The value of an operation, one of whose arguments is not a plain number."""
    x = values[0]
    match symbol:
        case "minus":
            return -x
        case "^":
            return _recorded_power(x, values[1])
        case "%":
            raise MechanismError("a remainder (%) of an input has no derivative; keep its parameters out of the inputs")
        case "+" | "-" | "*" | "/":
            return PAIRS[symbol](*values)
        case "abs":
            return abs(x)
        case "rad":
            return x * (math.pi / 180.0)
        case "deg":
            return x * (180.0 / math.pi)
        case "hypot":
            return sum(y * y for y in values).sqrt()
        case "atan2":
            return direction_angle(*values)
        case "min" | "max":
            return _recorded_extreme("minimum" if symbol == "min" else "maximum", values)
        case _:
            return getattr(x, _METHODS.get(symbol, symbol))()


_METHODS = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
}


def _recorded_extreme(method: str, values: list[Any]) -> Any:
    """The least or the greatest of some values, of which one is not a plain number."""
    found, *rest = sorted(values, key=lambda x: isinstance(x, float | int))
    for x in rest:
        found = getattr(found, method)(x)
    return found


def _recorded_power(x: Any, exponent: Any) -> Any:
    """Whole and half powers by products and roots, others by exponential and logarithm."""
    if isinstance(exponent, float | int) and 2.0 * exponent == int(2.0 * exponent):
        whole = x ** int(exponent)
        return whole if exponent == int(exponent) else x**0.5 * whole if exponent > 0 else whole / x**0.5
    log = math.log(x) if isinstance(x, float | int) else x.log()
    return (exponent * log).exp()


# --- named parameters as a file defines them, and the expressions that numbers follow from ----------------------------


@dataclass(frozen=True)
class ParameterDefinition:
    """A parameter as its file gives it: a value [SI], the unit it is written in or "", perhaps an expression of others.

    `structural`: it counts copies or is part of names, so that it determines the parts of the mechanism.
    """

    name: str
    value: float
    unit: str = ""
    expression: Expression | None = None
    structural: bool = False


@dataclass(frozen=True)
class Formulas:
    """Parameters of a mechanism, and (path, expression) of every number that follows from them."""

    definitions: tuple[ParameterDefinition, ...] = ()
    expressions: tuple[tuple[str, Expression], ...] = ()

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter's value where some are given, which may be of any scalar type."""
        known: dict[str, Any] = {}

        def one(definition: ParameterDefinition) -> Any:
            if definition.name not in known:
                known[definition.name] = definition.value
                if definition.name in given:
                    known[definition.name] = given[definition.name]
                elif definition.expression is not None:
                    used = {n: one(by_name[n]) for n in names_in_expression(definition.expression)}
                    known[definition.name] = _value_of_formula(definition.name, definition.expression, used)
            return known[definition.name]

        by_name = {definition.name: definition for definition in self.definitions}
        return {definition.name: one(definition) for definition in self.definitions}

    def numbers(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The number at every path that has an expression, where some parameters are given; never -0.0."""
        known = self.values(given)
        return {path: _value_of_formula(path, expression, known) + 0.0 for path, expression in self.expressions}

    def reach(self, name: str) -> frozenset[str]:
        """The parameter and those computed from it."""
        found = {name}
        while True:
            new = {
                d.name
                for d in self.definitions
                if d.expression is not None and names_in_expression(d.expression) & found
            }
            if new <= found:
                return frozenset(found)
            found |= new


def _value_of_formula(name: str, expression: Expression, known: Mapping[str, Any]) -> Any:
    """The value of the expression of a parameter or a number; plain numbers give a plain number."""
    try:
        found = evaluate_expression(expression, known)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise _without_value(name, expression, known, str(error)) from None
    if isinstance(found, complex) and not any(isinstance(x, complex) for x in known.values()):
        raise _without_value(name, expression, known, "the root of a negative number")
    return found


def _without_value(name: str, expression: Expression, known: Mapping[str, Any], why: str) -> MechanismError:
    at = ", ".join(f"{n} = {known[n]:g}" for n in sorted(names_in_expression(expression)))
    return MechanismError(f"{name} = {expression_text(expression)} has no value at {at} ({why}); give other values")
