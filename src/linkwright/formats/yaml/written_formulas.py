"""Parameters and expressions in a written file: numbers that follow from parameters are written as expressions.

The writer works on a mechanism whose computed numbers carry their expressions along; they compare as different from any
number, so that none of them is left out for being a default.
"""

from __future__ import annotations

import re
from typing import Any

from linkwright.algebra.transforms import RigidTransform
from linkwright.dataclass import dataclass
from linkwright.formats.yaml.expression_parser import LONGEST
from linkwright.joints.beams import Beam
from linkwright.mechanism import Mechanism
from linkwright.mechanism.expressions import (
    Expression,
    Formulas,
    ParameterDefinition,
    expression_text,
    names_in_expression,
)
from linkwright.mechanism.flexible_bodies import remove_beams
from linkwright.mechanism.paths import MATRIX, QUATERNION, RPY, XYZ, Setting, visit_numbers
from linkwright.mechanism.topology import as_drawn

_IN_BRACES = re.compile(r"\{[A-Za-z_][A-Za-z_0-9]*\}")


class _Computed(float):
    """A number that an expression gives."""

    written: str

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __bool__(self) -> bool:
        return True

    __hash__ = float.__hash__


class _Together(tuple[Any, ...]):
    """Rows of a rotation or a direction, with the text that gives them."""

    written: Any

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = tuple.__hash__


def _values_with_formula(values: Any, written: Any) -> _Together:
    out = _Together(values)
    out.written = written
    return out


def with_expressions(mech: Mechanism, formulas: Formulas) -> tuple[Mechanism, dict[str, Beam]]:
    """The mechanism as it is drawn and without beams, its computed numbers labeled with expressions; and the beams."""
    rigid, beams = remove_beams(mech)
    drawn = rigid.unchecked(joints=tuple(map(as_drawn, rigid.joints)))
    numbers = formulas.numbers({})
    values = {path: _number_with_formula(expression, numbers[path]) for path, expression in formulas.expressions}
    changes, beams = visit_numbers(drawn, beams, _Labeling(values))
    return drawn.unchecked(**changes), beams


def _number_with_formula(expression: Expression, value: float) -> float:
    formula = expression_text(expression)
    if not names_in_expression(expression) or len(formula) > LONGEST:
        return value
    out = _Computed(value)
    out.written = f"= {formula}"
    return out


@dataclass
class _Labeling(Setting):
    """Puts labeled numbers in; directions and orientations keep the text of their parts."""

    def rows(self, path: str, pose: RigidTransform) -> Any:
        for key, parts in (("rpy", RPY), ("quaternion", QUATERNION), ("matrix", MATRIX)):
            if f"{path}.{parts[0]}" in self.values:
                given = [self.values[f"{path}.{part}"] for part in parts]
                lines = [given[i : i + 3] for i in (0, 3, 6)] if parts is MATRIX else given
                return _values_with_formula(pose.rows, {key: lines})
        return pose.rows

    def direction(self, path: str, value: Any) -> Any:
        if f"{path}.x" not in self.values:
            return value
        return _values_with_formula(value, [self.values[f"{path}.{part}"] for part in XYZ])


def written_turn(pose: RigidTransform) -> dict[str, Any] | None:
    """Text of an orientation that follows from parameters."""
    return getattr(pose.rows, "written", None)


def written_axis(value: Any) -> list[Any] | None:
    """Text of a direction that follows from parameters."""
    return getattr(value, "written", None)


def as_written(data: Any) -> Any:
    """Plain data with labeled numbers replaced by their expressions; names in braces are not those of variables."""
    if isinstance(data, dict):
        return {as_written(key): as_written(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [as_written(value) for value in data]
    if isinstance(data, str):
        return _IN_BRACES.sub(r"{\g<0>}", data) if "{" in data else data
    return data.written if isinstance(data, _Computed) else data


def parameter_as_written(definition: ParameterDefinition) -> Any:
    """A parameter as it is written: an expression, a number with its unit, or a number."""
    if definition.expression is not None and len(expression_text(definition.expression)) <= LONGEST:
        return f"= {expression_text(definition.expression)}"
    return f"{definition.value!r} {definition.unit}" if definition.unit else definition.value
