"""Numbers of a drawing that follow from parameters: recorded, and compared by their values in the file."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra.sums import SymbolSum, known_value, nominal_value

_Binary = Callable[[Any, Any], Any]


def _operation(combine: _Binary) -> tuple[_Binary, _Binary]:
    """An operator and its reflection; arrays do it for each of their elements."""

    def result(a: Any, b: Any) -> Any:
        return drawn_number(
            combine(recorded_number(a), recorded_number(b)), combine(nominal_value(a), nominal_value(b))
        )

    return (
        lambda self, other: NotImplemented if isinstance(other, np.ndarray) else result(self, other),
        lambda self, other: NotImplemented if isinstance(other, np.ndarray) else result(other, self),
    )


def _comparison(compare: Callable[[float, float], bool]) -> Callable[[Any, Any], bool]:
    return lambda self, other: compare(self.nominal, nominal_value(other))


def _function(name: str) -> Callable[[Any], Any]:
    """A function of one number, which NumPy calls by its name."""
    return lambda self: drawn_number(getattr(self.recorded, name)(), float(getattr(np, name)(self.nominal)))


class DrawnNumber:
    """A number of a drawing that follows from parameters: what is recorded, and its value in the file.

    It compares by that value, and is equal only to itself: nothing that follows from a parameter is a constant.
    """

    __slots__ = ("nominal", "recorded")
    value = None  # not known while a program is recorded, see `known_value`

    def __init__(self, recorded: Any, nominal: float) -> None:
        self.recorded, self.nominal = recorded, nominal

    __add__, __radd__ = _operation(operator.add)
    __sub__, __rsub__ = _operation(operator.sub)
    __mul__, __rmul__ = _operation(operator.mul)
    __truediv__, __rtruediv__ = _operation(operator.truediv)
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)
    sqrt, exp, log = _function("sqrt"), _function("exp"), _function("log")
    sin, cos, tan = _function("sin"), _function("cos"), _function("tan")
    arcsin, arccos, arctan = _function("arcsin"), _function("arccos"), _function("arctan")

    def __neg__(self) -> Any:
        return drawn_number(-self.recorded, -self.nominal)

    def __pos__(self) -> DrawnNumber:
        return self

    def __abs__(self) -> Any:
        return self if self.nominal >= 0.0 else -self

    def __pow__(self, exponent: Any) -> Any:
        return drawn_number(self.recorded**exponent, self.nominal**exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DrawnNumber) and self.recorded is other.recorded

    def __hash__(self) -> int:
        return id(self.recorded)

    def __bool__(self) -> bool:
        return bool(self.nominal)

    def conjugate(self) -> DrawnNumber:
        """Called by NumPy in norms."""
        return self

    def arctan2(self, other: Any) -> Any:
        """The angle of the direction (other, self)."""
        angle = self.recorded.arctan2(recorded_number(other))
        return drawn_number(angle, float(np.arctan2(self.nominal, nominal_value(other))))

    def hypot(self, other: Any) -> Any:
        """The hypotenuse of a right triangle."""
        return (self * self + other * other).sqrt()


def drawn_number(recorded: Any, nominal: float) -> Any:
    """A recorded number with its value in the file; a plain number where the record folds to one."""
    found = known_value(recorded)
    return DrawnNumber(recorded, nominal) if found is None else found


def recorded_number(x: Any) -> Any:
    """What is recorded of a number; plain numbers as they are."""
    x = x.recorded_value if isinstance(x, SymbolSum) else x
    return x.recorded if isinstance(x, DrawnNumber) else x
