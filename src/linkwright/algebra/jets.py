"""Numbers with their first and second time derivatives, for functions of time written with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Jet:
    """A value with its first and second derivative by time; floats or arrays of one shape.

    >>> t = Jet(2.0, 1.0, 0.0)
    >>> x = np.sin(t) ** 2 + 3.0 * t
    >>> round(float(x.rate - (2.0 * np.sin(2.0) * np.cos(2.0) + 3.0)), 12)
    0.0
    """

    value: Any
    rate: Any
    second: Any

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        operation = _OPERATIONS.get(ufunc)
        if operation is None or method != "__call__" or named:
            return NotImplemented
        if any(isinstance(x, np.ndarray) and x.ndim and x.dtype == object for x in given):
            return NotImplemented
        return operation(*map(as_jet, given))

    def __add__(self, other: Any) -> Jet:
        return _jet_sum(self, as_jet(other))

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.second)

    def __sub__(self, other: Any) -> Jet:
        return _jet_sum(self, -as_jet(other))

    def __rsub__(self, other: Any) -> Jet:
        return _jet_sum(as_jet(other), -self)

    def __mul__(self, other: Any) -> Jet:
        return _jet_product(self, as_jet(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Jet:
        return _jet_quotient(self, as_jet(other))

    def __rtruediv__(self, other: Any) -> Jet:
        return _jet_quotient(as_jet(other), self)

    def __pow__(self, other: Any) -> Jet:
        return _jet_power(self, as_jet(other))

    def __rpow__(self, other: Any) -> Jet:
        return _jet_power(as_jet(other), self)


def as_jet(x: Any) -> Jet:
    """A jet, or a constant as one."""
    return x if isinstance(x, Jet) else Jet(x, 0.0 * np.asarray(x), 0.0 * np.asarray(x))


def _jet_sum(x: Jet, y: Jet) -> Jet:
    return Jet(x.value + y.value, x.rate + y.rate, x.second + y.second)


def _jet_product(x: Jet, y: Jet) -> Jet:
    second = x.second * y.value + 2.0 * x.rate * y.rate + x.value * y.second
    return Jet(x.value * y.value, x.rate * y.value + x.value * y.rate, second)


def _jet_quotient(x: Jet, y: Jet) -> Jet:
    value = x.value / y.value
    rate = (x.rate - value * y.rate) / y.value
    return Jet(value, rate, (x.second - 2.0 * rate * y.rate - value * y.second) / y.value)


def _jet_power(x: Jet, y: Jet) -> Jet:
    if not np.any(y.rate) and not np.any(y.second):
        n = y.value
        first = n * x.value ** np.where(n == 0.0, 0.0, n - 1.0)
        other = n * (n - 1.0) * x.value ** np.where((n == 0.0) | (n == 1.0), 0.0, n - 2.0)
        return _jet_chain_rule(x, x.value**n, first, other)
    return _jet_exp(_jet_product(y, _jet_log(x)))


def _jet_chain_rule(x: Jet, f: Any, f_1: Any, f_2: Any) -> Jet:
    """f(x) from the value and the derivatives of f at x."""
    return Jet(f, f_1 * x.rate, f_1 * x.second + f_2 * x.rate**2)


def _jet_sin(x: Jet) -> Jet:
    s, c = np.sin(x.value), np.cos(x.value)
    return _jet_chain_rule(x, s, c, -s)


def _jet_cos(x: Jet) -> Jet:
    s, c = np.sin(x.value), np.cos(x.value)
    return _jet_chain_rule(x, c, -s, -c)


def _jet_tan(x: Jet) -> Jet:
    y = np.tan(x.value)
    return _jet_chain_rule(x, y, 1.0 + y * y, 2.0 * y * (1.0 + y * y))


def _jet_exp(x: Jet) -> Jet:
    y = np.exp(x.value)
    return _jet_chain_rule(x, y, y, y)


def _jet_log(x: Jet) -> Jet:
    return _jet_chain_rule(x, np.log(x.value), 1.0 / x.value, -1.0 / x.value**2)


def _jet_sqrt(x: Jet) -> Jet:
    y = np.sqrt(x.value)
    return _jet_chain_rule(x, y, 0.5 / y, -0.25 / y**3)


def _jet_arctan2(y: Jet, x: Jet) -> Jet:
    squared = _jet_product(x, x) + _jet_product(y, y)
    rate = Jet(x.value * y.rate - y.value * x.rate, x.value * y.second - y.value * x.second, 0.0)
    first = rate.value / squared.value
    return Jet(np.arctan2(y.value, x.value), first, (rate.rate - first * squared.rate) / squared.value)


def _jet_arctan(x: Jet) -> Jet:
    return _jet_arctan2(x, as_jet(1.0))


def _jet_tanh(x: Jet) -> Jet:
    y = np.tanh(x.value)
    return _jet_chain_rule(x, y, 1.0 - y * y, -2.0 * y * (1.0 - y * y))


_OPERATIONS: dict[np.ufunc, Callable[..., Jet]] = {
    np.add: _jet_sum,
    np.subtract: lambda x, y: _jet_sum(x, -y),
    np.multiply: _jet_product,
    np.true_divide: _jet_quotient,
    np.negative: lambda x: -x,
    np.positive: lambda x: x,
    np.power: _jet_power,
    np.float_power: _jet_power,
    np.square: lambda x: _jet_product(x, x),
    np.sin: _jet_sin,
    np.cos: _jet_cos,
    np.tan: _jet_tan,
    np.exp: _jet_exp,
    np.log: _jet_log,
    np.sqrt: _jet_sqrt,
    np.arctan: _jet_arctan,
    np.arctan2: _jet_arctan2,
    np.tanh: _jet_tanh,
}
