"""The arrays of one run, and how drivers are called on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import Native, address
from linkwright.simulation.drivers import places as at
from linkwright.simulation.methods import Method
from linkwright.simulation.problem import EXTRAS, Code, Problem
from linkwright.simulation.tableaus import StiffTableau

MONITORED = 4
_MOST_EVENTS = 512


class Memory:
    """State, settings and tables of a run; a driver advances it in place, slice by slice.

    Attributes:
        whole: whole numbers (see `drivers.places`).
        arrays: by place.
        codes: by place.
    """

    def __init__(self, problem: Problem, method: Method, watch: Code | None, kinds: list[tuple[int, int]]) -> None:
        model, tableau = problem.model, method.tableau
        self.problem = problem
        n, total = problem.n, tableau.total
        self.codes: dict[int, Code] = dict(problem.codes)
        if watch is not None:
            self.codes[at.WATCH] = watch
        lists = [*problem.checked, *(x for kind in kinds for x in kind)]
        self.whole = np.zeros(at.N_WHOLE + len(lists), dtype=np.int64)
        self.whole[at.N_WHOLE :] = lists
        self._set(
            {
                at.N: n,
                at.N_CHECKED: len(problem.checked),
                at.NQ: model.nq,
                at.NS: problem.ns,
                at.NV: model.nv,
                at.NA: model.na,
                at.STAGES: tableau.stages,
                at.TOTAL: total,
                at.N_DENSE: tableau.n_dense,
                at.LAST_IN_ERROR: int(tableau.last_in_error),
                at.ADAPTIVE: int(method.h is None),
                at.WIDTH: row_width(problem),
                at.PROJECTS: int(problem.projects),
                at.EXPANDS: int(problem.expands),
                at.SOLVES: int(problem.solves),
                at.PARAMETERS: problem.form,
                at.SPLIT: len(problem.given[0]) if problem.given else 0,
                at.N_EVENTS: len(kinds),
                at.MOST_FOUND: _MOST_EVENTS + len(kinds),
                at.N_MONITORED: MONITORED,
                at.CAN_FALL_BACK: int(at.FALLBACK in self.codes),
                at.HAS_SECOND: int(at.SECOND in self.codes),
                at.CHECKED: at.N_WHOLE,
                at.KINDS: at.N_WHOLE + len(problem.checked),
            }
        )
        nothing = np.zeros(1)
        self.arrays: list[np.ndarray] = [nothing] * at.N_ARRAYS
        sizes = {
            at.REAL: at.N_REAL,
            at.STATE: n,
            at.STATE_NEW: n,
            at.SLOPES: n * total,
            at.TAU: max(1, model.na),
            at.FULL: model.nq + model.nv + 2,
            at.ROOM: 2 * n + len(kinds) + model.nq + model.nv + 2,
            at.DENSE: n * (3 + tableau.n_dense),
            at.STEP_RESULT: n,
            at.EXAMINED: n,
            at.WATCHED: max(1, 2 * len(kinds)),
            at.FOUND: 3 * (_MOST_EVENTS + 2 * len(kinds)),
        }
        for place, size in sizes.items():
            self.arrays[place] = np.zeros(size)
        tables = {at.TABLE_A: tableau.A, at.TABLE_C: tableau.C, at.TABLE_E: tableau.E, at.TABLE_D: tableau.D}
        for place, table in tables.items():
            self.arrays[place] = np.ascontiguousarray(table).ravel() if table.size else nothing
        if isinstance(tableau, StiffTableau):
            self._stiff(tableau, problem)
        if problem.given:
            self.arrays[at.GIVEN] = np.concatenate([np.ravel(x) for x in problem.given])
        self._tolerances(method, tableau.order)

    def _stiff(self, tableau: StiffTableau, problem: Problem) -> None:
        n, nq, ns = problem.n, problem.model.nq, problem.ns
        self.arrays[at.TABLE_G] = tableau.G
        self.real[at.GAMMA] = tableau.gamma
        sizes = {at.DERIVATIVE_T: n, at.DERIVATIVE_Q: n * nq, at.DERIVATIVE_S: n * ns, at.MATRIX: n * n, at.PIVOTS: n}
        for place, size in sizes.items():
            self.arrays[place] = np.zeros(size)

    def _set(self, values: dict[int, int]) -> None:
        for place, value in values.items():
            self.whole[place] = value

    def _tolerances(self, method: Method, order: int) -> None:
        rtol = getattr(method, "rtol", 1e-9)
        atol = getattr(method, "atol", None) or rtol
        fixed = method.h is not None
        self.real[at.RTOL], self.real[at.ATOL] = rtol, atol
        self.real[at.H_MAX] = getattr(method, "h_max", np.inf)
        self.real[at.FIXED] = method.h or 0.0
        self.real[at.H] = method.h or 0.0
        self.real[at.EXPONENT] = 1.0 / (order + 1)
        self.real[at.GAP_KEPT] = 1e-12 if fixed else max(1e-13, 0.1 * atol)
        self.real[at.GAP_SHOWN] = 2e-14

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

    def rows_into(self, grid: np.ndarray, table: np.ndarray) -> None:
        """Where rows go and when they are due."""
        self.arrays[at.GRID] = np.ascontiguousarray(grid) if len(grid) else np.zeros(1)
        self.arrays[at.ROWS] = table.reshape(-1)
        self.whole[at.N_ROWS] = len(grid)

    def bound(self, driver: Native) -> Any:
        """The driver as a function without arguments that advances this memory by one slice."""
        codes = np.zeros(at.N_CODES, dtype=np.uintp)
        for place, code in self.codes.items():
            codes[place] = code.addresses["lw_state"] if isinstance(code, Kernel) else code.address
        where = np.array([address(array) for array in self.arrays], dtype=np.uintp)
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


def row_width(problem: Problem) -> int:
    """Numbers in a row: t, q, v, a, tau, monitored numbers, extras."""
    model = problem.model
    return 1 + model.nq + 2 * model.nv + model.na + MONITORED + EXTRAS
