"""Branch-free choices that work on floats, arrays and recorded values alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.trace.recorder import Recorder
from linkwright.compiler.trace.scalar import Scalar


def select(c: Any, a: Any, b: Any) -> Any:
    """`a` where `c > 0`, else `b`, element by element, on floats and recorded values alike.

    >>> float(select(1.0, 2.0, 3.0)), float(select(0.0, 2.0, 3.0))
    (2.0, 3.0)
    """
    return _SELECT(c, a, b) if _recorded(c, a, b) else np.where(np.greater(c, 0.0), a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two values, element by element, on floats and recorded values alike.

    >>> float(minimum(1.0, 2.0))
    1.0
    """
    return _MINIMUM(a, b) if _recorded(a, b) else np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two values, element by element, on floats and recorded values alike.

    >>> float(maximum(1.0, 2.0))
    2.0
    """
    return _MAXIMUM(a, b) if _recorded(a, b) else np.maximum(a, b)


def _recorded(*values: Any) -> bool:
    return any(np.asarray(x).dtype == object for x in values)


def _recorder(*values: Any) -> Recorder | None:
    return next((x.rec for x in values if isinstance(x, Scalar)), None)


def _select_one(c: Any, a: Any, b: Any) -> Any:
    rec = _recorder(c, a, b)
    return rec.select(*map(rec.number, (c, a, b))) if rec else (a if c > 0 else b)


def _minimum_one(a: Any, b: Any) -> Any:
    rec = _recorder(a, b)
    return rec.minimum(rec.number(a), rec.number(b)) if rec else min(a, b)


def _maximum_one(a: Any, b: Any) -> Any:
    rec = _recorder(a, b)
    return rec.maximum(rec.number(a), rec.number(b)) if rec else max(a, b)


_SELECT = np.frompyfunc(_select_one, 3, 1)
_MINIMUM = np.frompyfunc(_minimum_one, 2, 1)
_MAXIMUM = np.frompyfunc(_maximum_one, 2, 1)
