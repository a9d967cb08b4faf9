"""Pivot checks flag ill-conditioned results; the chain of fallbacks answers them: second elimination, dense algebra.

An error grows with every small pivot met on the way, so what counts is not the smallest one but the product of all
that are small; pivots of different legs do not meet, and there the smallest alone counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import Fallback, Kernel, maximum, minimum, select
from linkwright.dataclass import dataclass
from linkwright.errors import SingularityError
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.store import Kernels
from linkwright.numerics.blas_threads import one_blas_thread
from linkwright.numerics.tolerances import SMALL_PIVOT, TINY

# --- pivot checks -----------------------------------------------------------------------------------------------------

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


# --- the chain of fallbacks -------------------------------------------------------------------------------------------

Code = Kernel | InputKernel


@dataclass(frozen=True, eq=False)
class FallbackChain:
    """What takes over where compiled code of a mechanism flags its result.

    Attributes:
        owner: the mechanism's kinematics or dynamics.
        dense: called as `dense(owner, *state, alone=...)`: the result of one state. With `alone` it may raise;
            otherwise the state is a row of a batch, and it returns NaN.
        second: kernels and definition of another elimination, compiled when first needed and asked before `dense`.
    """

    owner: Any
    dense: Callable[..., Any]
    second: tuple[Kernels, Definition] | None = None

    def code(self, kernels: Kernels, definition: Definition, wrench: bool = False, frame: str | None = None) -> Code:
        """The compiled function of a definition with this chain behind it."""
        second = None if self.second is None else partial(self.second[0].code, self.second[1], wrench, frame)
        return kernels.code(definition, wrench, frame).with_fallback(Fallback(self, second))

    def behind(self, code: InputKernel) -> InputKernel:
        """Compiled code that no definition names, with the dense algebra behind it."""
        return code.with_fallback(Fallback(self))

    def __call__(self, *state: Any, alone: bool) -> Any:
        with one_blas_thread():
            return self.dense(self.owner, *state, alone=alone)

    def at(self, values: np.ndarray) -> FallbackChain:
        """The chain of the mechanism at other values of its inputs."""
        return FallbackChain(self.owner.at(values), self.dense)


def refused_as_nan(dense: Callable[..., np.ndarray], *state: Any, alone: bool) -> np.ndarray:
    """The dense result; a singular state raises when it is alone and is NaN in a batch."""
    try:
        return dense(*state)
    except SingularityError:
        if alone:
            raise
        return np.array(np.nan)
