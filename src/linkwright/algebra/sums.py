"""Sums of products of recorded values with plain coefficients, collected, so that what cancels is exactly zero.

Trees are built on these where numbers of a mechanism are inputs: a length turned by one constant rotation and back is
the length again and not two rounded products, a component that a choice of frames makes zero is the number 0.0, and
operations on parameters are few. A sum also knows its nominal value, by which a frame may be chosen; which entries are
zero is never taken from a nominal value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from linkwright.numerics.tolerances import ROUNDED_COEFFICIENT

_MOST_TERMS = 48  # longer sums become one symbol, which bounds the work
_HIGHEST = 6  # so do products of more factors
_NUMBERS = (float, int, np.floating, np.integer)

Product = tuple[int, ...]  # numbers of symbols, rising


class Symbols:
    """The recorded values that sums are made of, and their nominal values; numbered in the order they appear in."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.nominal: list[float] = []
        self._numbers: dict[int, int] = {}

    def sum(self, value: Any, nominal: float) -> Any:
        """A recorded value as a sum of one term; a plain number, or one that is folded already, stays one."""
        found = known_value(value)
        if found is not None:
            return found
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self.values)
            self.values.append(value)
            self.nominal.append(nominal)
        return SymbolSum(self, {(number,): 1.0})


class SymbolSum:
    """coefficient x product of symbols, summed; at least one term has a symbol, others are plain numbers.

    >>> from fractions import Fraction
    >>> symbols = Symbols()
    >>> p = symbols.sum(Fraction(3), 3.0)
    >>> (0.6 * p + 1.0) - 2.0 * (0.3 * p), (2.0 * p) / p
    (1.0, 2.0)
    """

    __slots__ = ("_resolved", "symbols", "terms")
    value = None  # not known while a program is recorded, see `known_value`

    def __init__(self, symbols: Symbols, terms: dict[Product, float]) -> None:
        self.symbols = symbols
        self.terms = terms
        self._resolved: Any = None

    @property
    def recorded_value(self) -> Any:
        """The sum as one recorded value."""
        if self._resolved is None:
            self._resolved = self._value_with(self.symbols.values)
        return self._resolved

    @property
    def nominal(self) -> float:
        """The value of the sum where every input is nominal."""
        return float(self._value_with(self.symbols.nominal))

    def _value_with(self, values: list[Any]) -> Any:
        total: Any = 0.0
        for product in sorted(self.terms, key=lambda x: (len(x) == 0, x)):
            term: Any = 1.0
            for number in product:
                term = term * values[number]
            total = total + self.terms[product] * term
        return total

    def _one_symbol(self) -> SymbolSum:
        found = self.symbols.sum(self.recorded_value, self.nominal)
        return found if isinstance(found, SymbolSum) else self

    def _function(self, name: str, plain: Callable[..., float], *others: Any) -> Any:
        recorded = getattr(self.recorded_value, name)(*map(resolve_sums, others))
        return self.symbols.sum(recorded, float(plain(self.nominal, *map(nominal_value, others))))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, _NUMBERS):
            return _collect_terms(self.symbols, self.terms, {(): float(other)})
        if isinstance(other, SymbolSum):
            return _collect_terms(self.symbols, self.terms, other.terms)
        return self.recorded_value + other

    __radd__ = __add__

    def __neg__(self) -> SymbolSum:
        return SymbolSum(self.symbols, {product: -c for product, c in self.terms.items()})

    def __pos__(self) -> SymbolSum:
        return self

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, (*_NUMBERS, SymbolSum)):
            return self + (-other)
        return self.recorded_value - other

    def __rsub__(self, other: Any) -> Any:
        return -self + other if isinstance(other, _NUMBERS) else other - self.recorded_value

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, _NUMBERS):
            return SymbolSum(self.symbols, {p: c * float(other) for p, c in self.terms.items()}) if other else 0.0
        if not isinstance(other, SymbolSum):
            return self.recorded_value * other
        if len(self.terms) * len(other.terms) > _MOST_TERMS:
            return self._one_symbol() * other._one_symbol()
        out: dict[Product, float] = {}
        for p, c in self.terms.items():
            for q, d in other.terms.items():
                product = tuple(sorted((*p, *q)))
                out[product] = out.get(product, 0.0) + c * d
        found = _collect_terms(self.symbols, out, {})
        return found._one_symbol() if isinstance(found, SymbolSum) and max(map(len, found.terms)) > _HIGHEST else found

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, _NUMBERS):
            return SymbolSum(self.symbols, {p: c / float(other) for p, c in self.terms.items()})
        if not isinstance(other, SymbolSum):
            return self.recorded_value / other
        ratio = constant_ratio(self, other)
        if ratio is not None:
            return ratio
        shared = _divide_terms(self.terms, other.terms)
        return SymbolSum(self.symbols, shared) if shared is not None else self * (1.0 / other)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, _NUMBERS):
            return other / self.recorded_value
        return other * self.symbols.sum(1.0 / self.recorded_value, 1.0 / self.nominal)

    def __pow__(self, exponent: Any) -> Any:
        n = float(exponent)
        if n < 0.0:
            return 1.0 / self**-n
        if n == 0.5:
            return self.sqrt()
        if n != int(n):
            return (n * self.log()).exp()
        out: Any = 1.0
        for _ in range(int(n)):
            out = out * self
        return out

    def __abs__(self) -> Any:
        return self.symbols.sum(abs(self.recorded_value), abs(self.nominal))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolSum) and self.symbols is other.symbols and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        parts = (" * ".join([repr(c), *(f"#{n}" for n in p)]) for p, c in self.terms.items())
        return f"Sum({' + '.join(parts)})"

    def conjugate(self) -> SymbolSum:
        return self

    def sin(self) -> Any:
        return self._function("sin", math.sin)

    def cos(self) -> Any:
        return self._function("cos", math.cos)

    def tan(self) -> Any:
        return self._function("tan", math.tan)

    def sqrt(self) -> Any:
        return self._function("sqrt", math.sqrt)

    def exp(self) -> Any:
        return self._function("exp", math.exp)

    def log(self) -> Any:
        return self._function("log", math.log)

    def arctan(self) -> Any:
        return self._function("arctan", math.atan)

    def arcsin(self) -> Any:
        return self._function("arcsin", math.asin)

    def arccos(self) -> Any:
        return self._function("arccos", math.acos)

    def arctan2(self, other: Any) -> Any:
        return self._function("arctan2", math.atan2, other)

    def minimum(self, other: Any) -> Any:
        return self._function("minimum", min, other)

    def maximum(self, other: Any) -> Any:
        return self._function("maximum", max, other)

    def hypot(self, other: Any) -> Any:
        return (self * self + other * other).sqrt()


def _collect_terms(symbols: Symbols, a: dict[Product, float], b: dict[Product, float]) -> Any:
    """a + b without terms that cancel but for rounding; a plain number when no symbol is left."""
    out = dict(a)
    for product, c in b.items():
        before = out.get(product, 0.0)
        total = before + c
        out[product] = total if abs(total) > ROUNDED_COEFFICIENT * max(abs(before), abs(c)) else 0.0
    kept = {product: c for product, c in out.items() if c != 0.0}
    if not any(kept):
        return kept.get((), 0.0)
    return SymbolSum(symbols, kept)


def _divide_terms(terms: dict[Product, float], by: dict[Product, float]) -> dict[Product, float] | None:
    """Terms divided by a sum of one term whose symbols all of them have; nothing where that is not so."""
    if len(by) != 1:
        return None
    ((divisor, scale),) = by.items()
    out = {}
    for product, c in terms.items():
        left = list(product)
        for number in divisor:
            if number not in left:
                return None
            left.remove(number)
        out[tuple(left)] = c / scale
    return out


def constant_ratio(a: Any, b: Any) -> float | None:
    """The constant a / b of two values, if it is one."""
    if known_value(a) is not None and known_value(b) is not None:
        return float(known_value(a)) / float(known_value(b)) if known_value(b) else None  # type: ignore[arg-type]
    if known_value(a) == 0.0:
        return 0.0
    if not (isinstance(a, SymbolSum) and isinstance(b, SymbolSum)) or a.terms.keys() != b.terms.keys():
        return None
    ratios = [a.terms[product] / b.terms[product] for product in b.terms]
    return ratios[0] if max(ratios) - min(ratios) <= ROUNDED_COEFFICIENT * abs(ratios[0]) else None


def direction_angle(y: Any, x: Any) -> Any:
    """The angle of the direction (x, y), on plain numbers, sums and recorded values alike."""
    if known_value(y) is None:
        return y.arctan2(x)
    if known_value(x) is not None:
        return math.atan2(known_value(y), known_value(x))  # type: ignore[arg-type]
    angle = (resolve_sums(x) * 0.0 + y).arctan2(resolve_sums(x))
    return x.symbols.sum(angle, math.atan2(y, x.nominal)) if isinstance(x, SymbolSum) else angle


def known_value(x: Any) -> float | None:
    """The value of a number that is known while a program is recorded; None for one that is not.

    This decides the structure of a mechanism: plain numbers and folded constants are known, inputs and
    what follows from them are not, whatever their nominal values.

    >>> known_value(0.5), known_value(Symbols().sum(object(), 1.0))
    (0.5, None)
    """
    return float(x) if isinstance(x, _NUMBERS) else getattr(x, "value", None)


def all_known(values: Any) -> bool:
    """Return True if an array has known numbers only."""
    array = np.asarray(values)
    return array.dtype != object or all(known_value(x) is not None for x in array.ravel())


def is_structural_zero(x: Any) -> bool:
    """Return True if a number is zero by structure: known, and 0."""
    return known_value(x) == 0.0


def is_one(x: Any) -> bool:
    """Return True if a number is one by structure: known, and 1."""
    return known_value(x) == 1.0


def float_if_known(x: Any) -> Any:
    """A known number as a float, others as they are."""
    found = known_value(x)
    return x if found is None else found


def numeric_array(values: Any) -> Any:
    """An array of floats, or of objects where some numbers are not known."""
    array = np.asarray(values)
    if array.dtype != object:
        return array.astype(float)
    found = np.frompyfunc(float_if_known, 1, 1)(array)
    return found.astype(float) if all_known(found) else found


def nominal_value(x: Any) -> float:
    """The value of a number where every input is nominal, by which frames may be chosen."""
    found = known_value(x)
    return float(x.nominal) if found is None else found


def nominal_array(values: Any) -> Any:
    """An array of floats, the nominal values of numbers."""
    array = np.asarray(values)
    return array if array.dtype != object else np.vectorize(nominal_value, otypes=[float])(array)


def resolve_sums(x: Any, kept: tuple[type, ...] = ()) -> Any:
    """A record, array or number with every sum in it as one recorded value, but for records of `kept` types."""
    if isinstance(x, SymbolSum):
        return x.recorded_value
    if isinstance(x, np.ndarray):
        return np.array([resolve_sums(y) for y in x.ravel()], dtype=object).reshape(x.shape) if x.dtype == object else x
    if isinstance(x, tuple):
        items = tuple(resolve_sums(y, kept) for y in x)
        return x if all(new is old for new, old in zip(items, x, strict=True)) else items
    if is_dataclass(x) and not isinstance(x, (type, *kept)):
        given = {f.name: getattr(x, f.name) for f in fields(x)}
        new = {name: resolve_sums(value, kept) for name, value in given.items()}
        return x if all(new[name] is given[name] for name in given) else replace(x, **new)  # type: ignore[type-var]
    return x
