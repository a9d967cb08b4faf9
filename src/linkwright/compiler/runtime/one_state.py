"""One state through machine code, in memory that is kept between calls."""

from __future__ import annotations

import ctypes
import itertools
import math
from typing import Any

import numpy as np

from linkwright.compiler.trace.program import Signature

MOST_NUMBERS = 4096
"""Inputs and outputs of programs with more numbers are not kept."""

_FLOAT = np.dtype(np.float64)


class OneState:
    """Inputs and outputs of one state side by side, and their addresses; for one thread at a time.

    Attributes:
        outputs: views of the outputs, overwritten by the next call.
        pointers, strides: what `lw_each` takes.
    """

    def __init__(self, signature: Signature) -> None:
        ports = (*signature.inputs, *signature.outputs)
        sizes = [port.size for port in ports]
        edges = [0, *itertools.accumulate(sizes)]
        numbers = np.zeros(edges[-1])
        views = [numbers[a:b].reshape(port.shape) for port, a, b in zip(ports, edges, edges[1:])]
        n = len(signature.inputs)
        self.inputs, self.outputs = views[:n], views[n:]
        self._given = numbers[: edges[n]]
        self._units = [(edges[i] + unit.start, unit.size, unit.tolerance) for i, unit in signature.units]
        self.pointers = (ctypes.c_void_p * len(ports))(*[numbers.ctypes.data + 8 * edge for edge in edges[:-1]])
        self.strides = (ctypes.c_int64 * len(ports))(*sizes)

    def takes(self, arrays: tuple[Any, ...]) -> bool:
        """Take over the inputs; False if they are not one state of plain arrays and finite numbers, or not certainly.

        The sum of squares is finite only if all numbers are.
        """
        for view, x in zip(self.inputs, arrays):
            if type(x) is not np.ndarray or x.dtype != _FLOAT or x.shape != view.shape:
                return False
            view[...] = x
        return math.isfinite(self._given.dot(self._given)) and all(map(self._is_unit, self._units))

    def _is_unit(self, unit: tuple[int, int, float]) -> bool:
        start, size, tolerance = unit
        return abs(math.hypot(*self._given[start : start + size].tolist()) - 1.0) <= tolerance
