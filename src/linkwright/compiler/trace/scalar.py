"""A number that records what is done to it, for use inside NumPy object arrays.

NumPy calls `x.sin()`, `x + y` and so on for every element of an object array, so an algorithm written for arrays runs
unchanged on `Scalar` and leaves behind the list of its operations. The rules that keep that list short live in
`recorder.py`; this file only gives them the look of a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from linkwright.errors import CompilerError

if TYPE_CHECKING:
    from linkwright.compiler.trace.recorder import Recorder


class Scalar:
    """A value known only when the program runs, or (`value` not None) a folded constant."""

    __slots__ = ("args", "index", "op", "rec", "value")

    def __init__(self, rec: Recorder, index: int, op: int, args: tuple[Scalar, ...], value: float | None = None):
        self.rec = rec
        self.index = index
        self.op = op
        self.args = args
        self.value = value

    def __add__(self, other: Any) -> Any:
        other = other if other.__class__ is Scalar else self.rec.lift(other)
        return other if other is NotImplemented else self.rec.add(self, other)

    def __radd__(self, other: Any) -> Any:
        other = self.rec.lift(other)
        return other if other is NotImplemented else self.rec.add(other, self)

    def __sub__(self, other: Any) -> Any:
        other = other if other.__class__ is Scalar else self.rec.lift(other)
        return other if other is NotImplemented else self.rec.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        other = self.rec.lift(other)
        return other if other is NotImplemented else self.rec.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        other = other if other.__class__ is Scalar else self.rec.lift(other)
        return other if other is NotImplemented else self.rec.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        other = self.rec.lift(other)
        return other if other is NotImplemented else self.rec.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        other = other if other.__class__ is Scalar else self.rec.lift(other)
        return other if other is NotImplemented else self.rec.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        other = self.rec.lift(other)
        return other if other is NotImplemented else self.rec.div(other, self)

    def __pow__(self, exponent: Any) -> Any:
        return self.rec.power(self, exponent)

    def __neg__(self) -> Scalar:
        return self.rec.neg(self)

    def __pos__(self) -> Scalar:
        return self

    def __abs__(self) -> Scalar:
        return self.rec.abs(self)

    def conjugate(self) -> Scalar:
        return self

    def sin(self) -> Scalar:
        return self.rec.sin(self)

    def cos(self) -> Scalar:
        return self.rec.cos(self)

    def tan(self) -> Scalar:
        return self.rec.div(self.rec.sin(self), self.rec.cos(self))

    def sqrt(self) -> Scalar:
        return self.rec.sqrt(self)

    def exp(self) -> Scalar:
        return self.rec.exp(self)

    def log(self) -> Scalar:
        return self.rec.log(self)

    def tanh(self) -> Scalar:
        return self.rec.tanh(self)

    def arctan2(self, other: Any) -> Scalar:
        return self.rec.arctan2(self, self.rec.number(other))

    def arctan(self) -> Scalar:
        return self.rec.arctan2(self, self.rec.one)

    def arcsin(self) -> Scalar:
        return self.arctan2(((1.0 - self) * (1.0 + self)).sqrt())

    def arccos(self) -> Scalar:
        return ((1.0 - self) * (1.0 + self)).sqrt().arctan2(self)

    def hypot(self, other: Any) -> Scalar:
        return (self * self + other * other).sqrt()

    def select(self, positive: Any, otherwise: Any) -> Scalar:
        """`positive` where this value is greater than zero, else `otherwise`."""
        return self.rec.select(self, self.rec.number(positive), self.rec.number(otherwise))

    def minimum(self, other: Any) -> Scalar:
        return self.rec.minimum(self, self.rec.number(other))

    def maximum(self, other: Any) -> Scalar:
        return self.rec.maximum(self, self.rec.number(other))

    def __eq__(self, other: Any) -> bool:
        return self is other or _constant(self, "==") == _constant(other, "==")

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return _constant(self, "<") < _constant(other, "<")

    def __le__(self, other: Any) -> bool:
        return _constant(self, "<=") <= _constant(other, "<=")

    def __gt__(self, other: Any) -> bool:
        return _constant(self, ">") > _constant(other, ">")

    def __ge__(self, other: Any) -> bool:
        return _constant(self, ">=") >= _constant(other, ">=")

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return bool(_constant(self, "bool()"))

    def __float__(self) -> float:
        return float(_constant(self, "float()"))

    def __int__(self) -> int:
        return int(_constant(self, "int()"))

    def __reduce__(self) -> NoReturn:
        raise CompilerError("a recording scalar cannot be pickled; pickle the traced Program instead")

    def __repr__(self) -> str:
        return f"Scalar({self.value})" if self.value is not None else f"Scalar(#{self.index})"


def _constant(x: Any, what: str) -> float:
    """The value of a folded constant or plain number; a recorded value has none yet."""
    if not isinstance(x, Scalar):
        return x
    if x.value is None:
        raise CompilerError(
            f"{what} was asked of a value that is known only at run time: a recursion may not branch on a value; "
            "use select, minimum or maximum, or decide before tracing"
        )
    return x.value


def is_constant(x: Any) -> bool:
    """Whether the number is already known while tracing.

    >>> is_constant(1.5)
    True
    """
    return not isinstance(x, Scalar) or x.value is not None


def is_zero(x: Any) -> bool:
    """Whether the number is a structural zero: known while tracing, and 0.

    >>> is_zero(0.0), is_zero(1e-300)
    (True, False)
    """
    return is_constant(x) and float(x) == 0.0
