"""The arrays of one run, and how drivers are called on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import Native, address
from linkwright.simulation.drivers import places as at
from linkwright.simulation.methods.methods import Method
from linkwright.simulation.problem.problem import Code, Problem
from linkwright.simulation.running.layout import layout


class Memory:
    """State, settings and tables of a run; a driver advances it in place, slice by slice.

    Attributes:
        whole: whole numbers (see `drivers.places`).
        arrays: by place.
        codes: by place.
    """

    def __init__(self, problem: Problem, method: Method, watch: Code | None, kinds: Sequence[tuple[int, int]]) -> None:
        made = layout(problem, method, tuple(kinds))
        self.problem = problem
        self.codes: dict[int, Code] = dict(problem.codes)
        if watch is not None:
            self.codes[at.WATCH] = watch
        self.whole = made.whole.copy()
        self._block = block = made.block.copy()
        self._layout = made
        self.arrays: list[np.ndarray] = [made.fixed[-1]] * at.N_ARRAYS
        for place, first, last in made.parts:
            self.arrays[place] = block[first:last]
        for place, array in made.fixed.items():
            if place >= 0:
                self.arrays[place] = array

    def begin(self, q: np.ndarray, v: np.ndarray) -> None:
        """Set the state from coordinates and all speeds."""
        speeds = v if self.problem.independent is None else v[list(self.problem.independent)]
        self.state[: len(q)] = q
        self.state[len(q) : len(q) + len(speeds)] = speeds

    def changed(self, problem: Problem, watch: Code | None, q: np.ndarray, v: np.ndarray) -> None:
        """Go on with other codes and other speeds in the state; the extras stay."""
        self.problem = problem
        self.codes |= problem.codes | ({} if watch is None else {at.WATCH: watch})
        self.begin(q, v)
        self.whole[at.N_WHOLE : at.N_WHOLE + len(problem.checked)] = problem.checked
        self.whole[at.FRESH] = 0

    @property
    def real(self) -> np.ndarray:
        return self.arrays[at.REAL]

    @property
    def state(self) -> np.ndarray:
        return self.arrays[at.STATE]

    def rows_into(self, grid: np.ndarray, table: np.ndarray, shown: np.ndarray | None = None) -> None:
        """Where rows go, when they are due after the start, and the times they are given in the result."""
        self.arrays[at.GRID] = np.ascontiguousarray(grid) if len(grid) else np.zeros(1)
        self.arrays[at.SHOWN] = self.arrays[at.GRID] if shown is None else np.ascontiguousarray(shown)
        self.arrays[at.ROWS] = table.reshape(-1)
        self.whole[at.N_ROWS] = len(grid)

    def bound(self, driver: Native) -> Any:
        """The driver as a function without arguments that advances this memory by one slice."""
        codes = np.zeros(at.N_CODES, dtype=np.uintp)
        for place, code in self.codes.items():
            codes[place] = code.addresses["lw_state"] if isinstance(code, Kernel) else code.address
        where = self._layout.addresses + self._layout.inside * np.uintp(address(self._block))
        for place in (at.GRID, at.SHOWN, at.ROWS):
            where[place] = address(self.arrays[place])
        places = (address(self.whole), address(codes), address(where))
        self._kept = (codes, where)
        call = driver.call
        return lambda: call(*places)

    def answered(self, driver: Native) -> Any:
        """The same in Python, number by number; for tests."""
        codes: list[Any] = [None] * at.N_CODES
        for place, code in self.codes.items():
            codes[place] = by_hand(code) if isinstance(code, Kernel) else code
        return lambda: driver.python(self.whole, codes, self.arrays)


def by_hand(kernel: Kernel) -> Any:
    """A kernel's machine code as a Python function of arrays that writes its outputs into the last of them."""
    import ctypes

    call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(kernel.addresses["lw_state"])

    def code(*arrays: np.ndarray) -> int:
        table = np.array([x.__array_interface__["data"][0] for x in arrays], dtype=np.uintp)
        return int(call(address(table)))

    return code
