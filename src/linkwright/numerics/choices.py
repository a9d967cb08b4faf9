"""Branch-free choices that work on floats, arrays and values of any other scalar type alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def select(c: Any, a: Any, b: Any) -> Any:
    """`a` where `c > 0`, else `b`, element by element, on floats and recorded values alike.

    >>> float(select(1.0, 2.0, 3.0)), float(select(0.0, 2.0, 3.0))
    (2.0, 3.0)
    """
    return _SELECT(c, a, b) if _has_other_scalars(c, a, b) else np.where(np.greater(c, 0.0), a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two values, element by element, on floats and recorded values alike.

    >>> float(minimum(1.0, 2.0))
    1.0
    """
    return _MINIMUM(a, b) if _has_other_scalars(a, b) else np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two values, element by element, on floats and recorded values alike.

    >>> float(maximum(1.0, 2.0))
    2.0
    """
    return _MAXIMUM(a, b) if _has_other_scalars(a, b) else np.maximum(a, b)


def _has_other_scalars(*values: Any) -> bool:
    return any(np.asarray(x).dtype == object for x in values)


def _select_element(c: Any, a: Any, b: Any) -> Any:
    return c.select(a, b) if hasattr(c, "select") else a if c > 0 else b


def _larger_or_smaller(method: str, plain: Callable[[Any, Any], Any]) -> Any:
    """The scalar's own method where an argument is not a plain number, on object arrays."""

    def choose(a: Any, b: Any) -> Any:
        if hasattr(a, method):
            return getattr(a, method)(b)
        return getattr(b, method)(a) if hasattr(b, method) else plain(a, b)

    return np.frompyfunc(choose, 2, 1)


_SELECT = np.frompyfunc(_select_element, 3, 1)
_MINIMUM = _larger_or_smaller("minimum", min)
_MAXIMUM = _larger_or_smaller("maximum", max)
