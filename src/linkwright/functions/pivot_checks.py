"""Pivot checks: judge a result of a fixed elimination order while it is computed, and flag it if ill-conditioned.

An error grows with every small pivot met on the way, so what counts is not the smallest one but the product of all
that are small; pivots of different legs do not meet, and there the smallest alone counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import maximum, minimum, select
from linkwright.numerics.tolerances import SMALL_PIVOT, TINY

Array = np.ndarray

# Products of typical sizes beyond 10^this could leave the range of floating point numbers.
_RANGE = 200.0


def small_pivot_share(sizes: list[Any], typical: tuple[float, ...]) -> Any:
    """Product over the small pivots of size / (SMALL_PIVOT typical size): 1.0 when none is small.

    Pivots that stay near their typical size everywhere have 0 for it and are not looked at.
    """
    watched = [(abs(p), SMALL_PIVOT * t) for p, t in zip(sizes, typical, strict=True) if t]
    if sum(abs(math.log10(t)) for _, t in watched) < _RANGE:
        scale = math.prod(1.0 / t for _, t in watched)
        return in_pairs(_multiply_pair, [minimum(p, t) for p, t in watched]) * scale if watched else 1.0
    return in_pairs(_multiply_pair, [minimum(p * (1.0 / t), 1.0) for p, t in watched])


def least_relative_pivot(sizes: list[Any], typical: tuple[float, ...]) -> Any:
    """Smallest pivot relative to its typical size, among those that are watched."""
    return in_pairs(minimum, [abs(p) * (1.0 / t) for p, t in zip(sizes, typical, strict=True) if t])


def _multiply_pair(a: Any, b: Any) -> Any:
    return a * b


def in_pairs(joined: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    """Values joined in pairs, and the pairs again, so that operations do not wait for each other; 1.0 of none."""
    while len(values) > 1:
        values = [reduce(joined, values[i : i + 2]) for i in range(0, len(values), 2)]
    return values[0] if values else 1.0


def largest_weighted(x: Vec, weights: Vec) -> Any:
    """The largest number of a vector, each in its own unit."""
    return in_pairs(maximum, [abs(value) * weight for value, weight in zip(x, weights, strict=True)])


def flag_result(result: Array, *margins: Any) -> Array:
    """The result, its first number made NaN where a margin is not positive; otherwise every bit is kept."""
    checked = [margin for margin in margins if not isinstance(margin, float)]
    if not checked or not result.size:
        return result
    out = np.array(result, dtype=object)
    for margin in checked:
        out.flat[0] = select(margin, out.flat[0], np.sqrt(margin - TINY))
    return out
