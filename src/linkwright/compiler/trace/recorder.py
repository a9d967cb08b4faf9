"""Numbers that record what is done to them, the graph they form, and branch-free choices on any number.

NumPy calls `x.sin()`, `x + y` and so on for every element of an object array, so an algorithm written for arrays runs
unchanged on `Scalar` and leaves behind the list of its operations. The rules of `Recorder` keep that list short: equal
expressions are one node, constants fold, signs move outward. Every rule keeps the mathematical value; none reassociates
a sum of run-time values. Negation counts as free because the code generator folds it into a neighboring subtraction or
fused multiply-add, so products and quotients push their signs up to where an addition can absorb them.
"""

from __future__ import annotations

import gc
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

import numpy as np

from linkwright.compiler.trace.operations import FIND, FIRST_TABLE, READ, Dialect, Op, finite_table, plain_look_up
from linkwright.errors import ArgumentError, CompilerError

# --- numbers that record what is done to them, and the graph they form ------------------------------------------------

# Plain integers compare faster than enum members in the innermost rules.
INPUT, CONST, ADD, SUB, MUL, NEG, RECIP, SQRT = range(8)
SIN, COS, ATAN2, EXP, LOG, TANH, ABS, MIN, MAX, SELECT = range(8, 18)
_NUMBERS = (float, int, np.floating, np.integer)


@contextmanager
def garbage_left() -> Iterator[None]:
    """Collect no garbage meanwhile: a trace makes many small objects that all live to its end."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Recorder:
    """Creates and shares the scalars of one trace."""

    def __init__(self) -> None:
        self.nodes: list[Scalar] = []
        self._table: dict[Any, Scalar] = {}
        self._constants: dict[float, Scalar] = {}
        self.tables: dict[bytes, np.ndarray] = {}
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)
        self.two = self.constant(2.0)

    def input(self) -> Scalar:
        """A fresh run-time value."""
        return self._new(INPUT)

    def inputs(self, shape: tuple[int, ...]) -> np.ndarray:
        """An object array of fresh run-time values."""
        out = np.empty(shape, dtype=object)
        for where in np.ndindex(*shape):
            out[where] = self.input()
        return out

    def constant(self, value: Any) -> Scalar:
        """The shared node of a constant; -0.0 is 0.0, NaN and infinity are refused."""
        found = self._constants.get(value)
        if found is None:
            if not math.isfinite(value):
                raise CompilerError(
                    f"the constant {value} entered a traced function; check the parameters for division by zero"
                )
            value = float(value) + 0.0
            found = self._new(CONST, value=value)
            self._constants[value] = found
        return found

    def lift(self, x: Any) -> Any:
        """A plain number as a node; NotImplemented for anything else, so that Python tries the other operand."""
        if x.__class__ is float and (found := self._constants.get(x)) is not None:
            return found
        return self.constant(x) if isinstance(x, _NUMBERS) else NotImplemented

    def number(self, x: Any) -> Scalar:
        """The node of a scalar or plain number."""
        if x.__class__ is Scalar:
            if x.rec is not self:
                raise CompilerError("values of two different traces were mixed; trace both in one function")
            return x
        if isinstance(x, np.ndarray) and x.ndim == 0:
            return self.number(x.item())
        if not isinstance(x, _NUMBERS):
            raise CompilerError(
                f"a traced function produced {type(x).__name__} {x!r}; only real numbers can be recorded"
            )
        return self.constant(x)

    def _new(self, op: int, args: tuple[Scalar, ...] = (), value: float | None = None) -> Scalar:
        nodes = self.nodes
        node = Scalar(self, len(nodes), op, args, value)
        nodes.append(node)
        return node

    def _node(self, op: int, *args: Scalar) -> Scalar:
        key = (op, *[x.index for x in args])
        node = self._table.get(key)
        if node is None:
            for x in args:
                if x.rec is not self:
                    raise CompilerError("values of two different traces were mixed; trace both in one function")
            node = self._table[key] = self._new(op, args)
        return node

    def _pair(self, op: int, a: Scalar, b: Scalar) -> Scalar:
        """The same for two arguments, in fewer steps."""
        key = (op, a.index, b.index)
        node = self._table.get(key)
        if node is None:
            if a.rec is not self or b.rec is not self:
                raise CompilerError("values of two different traces were mixed; trace both in one function")
            nodes = self.nodes
            node = self._table[key] = Scalar(self, len(nodes), op, (a, b))
            nodes.append(node)
        return node

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        if a is self.zero:
            return b
        if b is self.zero:
            return a
        if a.value is not None and b.value is not None:
            return self.constant(a.value + b.value)
        if a is b:
            return self.mul(self.two, a)
        if b.op == NEG:
            return self.sub(a, b.args[0])
        if a.op == NEG:
            return self.sub(b, a.args[0])
        return self._pair(ADD, a, b) if a.index < b.index else self._pair(ADD, b, a)

    def sub(self, a: Scalar, b: Scalar) -> Scalar:
        if b is self.zero:
            return a
        if a is b:
            return self.zero
        if a.value is not None:
            if b.value is not None:
                return self.constant(a.value - b.value)
            if a is self.zero:
                return self.neg(b)
        elif b.value is not None:
            return self.add(a, self.constant(-b.value))
        if b.op == NEG:
            return self.add(a, b.args[0])
        if a.op == NEG:
            return self.neg(self.add(a.args[0], b))
        mirror = self._table.get((SUB, b.index, a.index))
        return self._pair(SUB, a, b) if mirror is None else self.neg(mirror)

    def mul(self, a: Scalar, b: Scalar) -> Scalar:
        zero = self.zero
        if a is zero or b is zero:
            return zero
        if a.value is not None:
            return self._record_scaled(a.value, b)
        if b.value is not None:
            return self._record_scaled(b.value, a)
        if a.op == NEG:
            return self.mul(a.args[0], b.args[0]) if b.op == NEG else self.neg(self.mul(a.args[0], b))
        if b.op == NEG:
            return self.neg(self.mul(a, b.args[0]))
        if (b.op == RECIP and b.args[0] is a) or (a.op == RECIP and a.args[0] is b):
            return self.one
        return self._pair(MUL, a, b) if a.index < b.index else self._pair(MUL, b, a)

    def _record_scaled(self, k: float, x: Scalar) -> Scalar:
        """k * x; the constant kept positive so that c x and -c x share one product."""
        if x.value is not None:
            return self.constant(k * x.value)
        if x.op == NEG:
            k, x = -k, x.args[0]
        if x.op == MUL and x.args[0].value is not None and 1e-150 < abs(k * x.args[0].value) < 1e150:
            k, x = k * x.args[0].value, x.args[1]
        if k == 1.0:
            return x
        if k < 0.0:
            return self.neg(self._record_scaled(-k, x))
        return self._pair(MUL, self.constant(k), x)

    def neg(self, a: Scalar) -> Scalar:
        if a.value is not None:
            return self.constant(-a.value)
        return a.args[0] if a.op == NEG else self._node(NEG, a)

    def div(self, a: Scalar, b: Scalar) -> Scalar:
        if a is b and a is not self.zero:
            return self.one
        if a.value is not None and b.value:
            return self.constant(a.value / b.value)
        return self.mul(a, self.recip(b))

    def recip(self, a: Scalar) -> Scalar:
        if a.value is not None:
            if a.value == 0.0:
                raise CompilerError("division by the constant 0 in a traced function; check the parameters")
            return self.constant(1.0 / a.value)
        if a.op == RECIP:
            return a.args[0]
        return self.neg(self.recip(a.args[0])) if a.op == NEG else self._node(RECIP, a)

    def power(self, x: Scalar, exponent: Any) -> Scalar:
        """x to an integer power, 0.5 or -0.5."""
        n = float(exponent)
        if n < 0.0:
            return self.recip(self.power(x, -n))
        if n == 0.5:
            return self.sqrt(x)
        if n != int(n):
            raise CompilerError(
                f"power {exponent} of a recorded value; integer powers, 0.5 and -0.5 are known, else use exp and log"
            )
        return self._integer_power(x, int(n))

    def _integer_power(self, x: Scalar, n: int) -> Scalar:
        if n == 0:
            return self.one
        half = self._integer_power(x, n // 2)
        square = self.mul(half, half)
        return self.mul(square, x) if n % 2 else square

    def sqrt(self, a: Scalar) -> Scalar:
        return self._function(SQRT, math.sqrt, a)

    def exp(self, a: Scalar) -> Scalar:
        return self._function(EXP, math.exp, a)

    def log(self, a: Scalar) -> Scalar:
        return self._function(LOG, math.log, a)

    def sin(self, a: Scalar) -> Scalar:
        return self.neg(self.sin(a.args[0])) if a.op == NEG else self._function(SIN, math.sin, a)

    def cos(self, a: Scalar) -> Scalar:
        return self.cos(a.args[0]) if a.op == NEG else self._function(COS, math.cos, a)

    def tanh(self, a: Scalar) -> Scalar:
        return self.neg(self.tanh(a.args[0])) if a.op == NEG else self._function(TANH, math.tanh, a)

    def abs(self, a: Scalar) -> Scalar:
        if a.op in (ABS, SQRT):
            return a
        return self.abs(a.args[0]) if a.op == NEG else self._function(ABS, abs, a)

    def _function(self, op: int, fold: Callable[[float], float], a: Scalar) -> Scalar:
        if a.value is None:
            return self._node(op, a)
        try:
            return self.constant(fold(a.value))
        except (ValueError, OverflowError) as error:
            raise CompilerError(
                f"{Op(op).name.lower()} of the constant {a.value} in a traced function: {error}"
            ) from None

    def atan2(self, a: Scalar, b: Scalar) -> Scalar:
        if a.value is not None and b.value is not None:
            return self.constant(math.atan2(a.value, b.value))
        return self._node(ATAN2, a, b)

    def min(self, a: Scalar, b: Scalar) -> Scalar:
        return self._choice(MIN, min, a, b)

    def max(self, a: Scalar, b: Scalar) -> Scalar:
        return self._choice(MAX, max, a, b)

    def _choice(self, op: int, fold: Callable[[float, float], float], a: Scalar, b: Scalar) -> Scalar:
        if a is b:
            return a
        if a.value is not None and b.value is not None:
            return self.constant(fold(a.value, b.value))
        return self._node(op, a, b) if a.index < b.index else self._node(op, b, a)

    def select(self, c: Scalar, a: Scalar, b: Scalar) -> Scalar:
        if c.value is not None:
            return a if c.value > 0.0 else b
        return a if a is b else self._node(SELECT, c, a, b)

    def fma(self, a: Scalar, b: Scalar, c: Scalar) -> Scalar:
        return self.add(self.mul(a, b), c)

    def fms(self, a: Scalar, b: Scalar, c: Scalar) -> Scalar:
        return self.sub(self.mul(a, b), c)

    def fnma(self, a: Scalar, b: Scalar, c: Scalar) -> Scalar:
        return self.sub(c, self.mul(a, b))

    def look_up(self, kind: int, table: np.ndarray, a: Scalar) -> Scalar:
        """FIND or READ in a table; equal tables are one."""
        if a.value is not None:
            return self.constant(float(plain_look_up(kind, table)(a.value)))
        self.tables.setdefault(table.tobytes(), table)
        number = list(self.tables).index(table.tobytes())
        return self._node(FIRST_TABLE + 2 * number + kind, a)

    def replay(self, tables: Sequence[np.ndarray] = ()) -> Mapping[int, Callable[..., Scalar]]:
        """The rule of every operation, to run a stored program and its tables through this recorder again."""
        dialect = Dialect(
            lambda record: getattr(self, record.name),
            lambda _, table: partial(self.look_up, FIND, table),
            lambda _, table: partial(self.look_up, READ, table),
        )
        return dialect.spellings(tables)


_Binary = Callable[["Scalar", Any], Any]


def _binary_operators(rule: Callable[[Recorder, Scalar, Scalar], Scalar]) -> tuple[_Binary, _Binary]:
    """An operator and its reflection, for plain numbers on either side."""

    def forward(self: Scalar, other: Any) -> Any:
        rec = self.rec
        if other.__class__ is not Scalar:
            other = rec.lift(other)
            if other is NotImplemented:
                return other
        return rule(rec, self, other)

    def reflected(self: Scalar, other: Any) -> Any:
        rec = self.rec
        other = rec.lift(other)
        return other if other is NotImplemented else rule(rec, other, self)

    return forward, reflected


def _unary_operator(rule: Callable[[Recorder, Scalar], Scalar]) -> Callable[[Scalar], Scalar]:
    return lambda self: rule(self.rec, self)


def _comparison_operator(compare: Callable[[float, float], bool], symbol: str) -> Callable[[Scalar, Any], bool]:
    return lambda self, other: compare(_constant_value(self, symbol), _constant_value(other, symbol))


class Scalar:
    """A value known only when the program runs, or (`value` not None) a folded constant."""

    __slots__ = ("args", "index", "op", "rec", "value")

    def __init__(self, rec: Recorder, index: int, op: int, args: tuple[Scalar, ...], value: float | None = None):
        self.rec = rec
        self.index = index
        self.op = op
        self.args = args
        self.value = value

    __add__, __radd__ = _binary_operators(Recorder.add)
    __sub__, __rsub__ = _binary_operators(Recorder.sub)
    __mul__, __rmul__ = _binary_operators(Recorder.mul)
    __truediv__, __rtruediv__ = _binary_operators(Recorder.div)
    __neg__ = _unary_operator(Recorder.neg)
    __abs__ = _unary_operator(Recorder.abs)
    sin = _unary_operator(Recorder.sin)
    cos = _unary_operator(Recorder.cos)
    sqrt = _unary_operator(Recorder.sqrt)
    exp = _unary_operator(Recorder.exp)
    log = _unary_operator(Recorder.log)
    tanh = _unary_operator(Recorder.tanh)
    __lt__ = _comparison_operator(operator.lt, "<")
    __le__ = _comparison_operator(operator.le, "<=")
    __gt__ = _comparison_operator(operator.gt, ">")
    __ge__ = _comparison_operator(operator.ge, ">=")

    def __pow__(self, exponent: Any) -> Any:
        return self.rec.power(self, exponent)

    def __pos__(self) -> Scalar:
        return self

    def conjugate(self) -> Scalar:
        return self

    def tan(self) -> Scalar:
        return self.sin() / self.cos()

    def arctan2(self, other: Any) -> Scalar:
        return self.rec.atan2(self, self.rec.number(other))

    def arctan(self) -> Scalar:
        return self.rec.atan2(self, self.rec.one)

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
        return self.rec.min(self, self.rec.number(other))

    def maximum(self, other: Any) -> Scalar:
        return self.rec.max(self, self.rec.number(other))

    def __eq__(self, other: Any) -> bool:
        return self is other or _constant_value(self, "==") == _constant_value(other, "==")

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return bool(_constant_value(self, "bool()"))

    def __float__(self) -> float:
        return float(_constant_value(self, "float()"))

    def __int__(self) -> int:
        return int(_constant_value(self, "int()"))

    def __reduce__(self) -> NoReturn:
        raise CompilerError("a recording scalar cannot be pickled; pickle the traced Program instead")

    def __repr__(self) -> str:
        return f"Scalar({self.value})" if self.value is not None else f"Scalar(#{self.index})"


def _constant_value(x: Any, what: str) -> float:
    """The value of a folded constant or plain number; a recorded value has none yet."""
    if not isinstance(x, Scalar):
        return x
    if x.value is None:
        raise CompilerError(
            f"{what} needs a value that is known only at run time: a traced function may not branch on a value; "
            "use select, minimum or maximum, or decide before tracing"
        )
    return x.value


def is_constant(x: Any) -> bool:
    """Return True if the number is already known while tracing.

    >>> is_constant(1.5)
    True
    """
    return not isinstance(x, Scalar) or x.value is not None


def is_zero(x: Any) -> bool:
    """Return True if the number is a structural zero: known while tracing, and 0.

    >>> is_zero(0.0), is_zero(1e-300)
    (True, False)
    """
    return is_constant(x) and float(x) == 0.0


# --- look-ups in tables that work on floats, arrays and recorded values alike -----------------------------------------


def interval(x: Any, breakpoints: Any) -> Any:
    """Number of breakpoints (n,), which ascend, at or below x; 0 to n, also for recorded values.

    >>> float(interval(1.5, [0.0, 1.0, 2.0]))
    2.0
    """
    table = finite_table("breakpoints", breakpoints)
    if np.any(np.diff(table) < 0.0):
        raise ArgumentError("breakpoints must ascend; sort the table by its first column")
    return _look_up_values(FIND, table, x)


def entry(index: Any, table: Any) -> Any:
    """The number of the table (n,) at an index 0 to n - 1 that `interval` found, also for recorded values.

    >>> float(entry(2.0, [5.0, 6.0, 7.0]))
    7.0
    """
    return _look_up_values(READ, finite_table("table", table), index)


def _look_up_values(kind: int, table: np.ndarray, x: Any) -> Any:
    plain = plain_look_up(kind, table)
    if np.asarray(x).dtype != object:
        return plain(x)

    def element(a: Any) -> Any:
        return a.rec.look_up(kind, table, a) if isinstance(a, Scalar) else float(plain(a))

    return np.frompyfunc(element, 1, 1)(x)
