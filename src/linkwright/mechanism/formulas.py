"""Named parameters as a file defines them, and the expressions that numbers follow from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.mechanism.expressions import Expression, evaluate_expression, expression_text, names_in_expression


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
