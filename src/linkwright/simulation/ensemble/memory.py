"""The memory of many runs: what all workers share, and the lanes of one worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import Native, address
from linkwright.model import Model
from linkwright.simulation.drivers import lanes_places as at
from linkwright.simulation.ensemble.codes import LaneCodes
from linkwright.simulation.methods.methods import Method
from linkwright.simulation.methods.tableaus import Tableau
from linkwright.simulation.problem.problem import EXTRAS
from linkwright.simulation.running.times import Times

MONITORED = 4


@dataclass(frozen=True, eq=False)
class Shared:
    """Tables that all workers read, and the rows, counts and end times that they write, each for its own runs."""

    model: Model
    method: Method
    codes: LaneCodes
    effort: Kernel | None
    times: Times
    tables: list[np.ndarray]
    stats: np.ndarray

    @property
    def runs(self) -> int:
        return len(self.stats)

    @property
    def rows(self) -> np.ndarray:
        """(runs, rows, numbers)."""
        return self.tables[at.ROWS].reshape(self.runs, len(self.tables[at.GRID]), -1)

    @property
    def tableau(self) -> Tableau:
        assert isinstance(self.method.tableau, Tableau)
        return self.method.tableau


def shared(
    model: Model,
    method: Method,
    codes: LaneCodes,
    effort: Kernel | None,
    times: Times,
    starts: np.ndarray,
    taus: np.ndarray,
    parameters: np.ndarray,
) -> Shared:
    """Everything runs need before their first step; `starts` (runs, nq + nv), `taus` (runs, na)."""
    runs, tableau = len(starts), method.tableau
    width = 1 + model.nq + 2 * model.nv + model.na + MONITORED + EXTRAS
    tables: list[np.ndarray] = [np.zeros(1)] * at.N_TABLES
    tables[at.SETTINGS] = _settings(method, tableau.order, times)
    for place, table in ((at.TABLE_A, tableau.A), (at.TABLE_C, tableau.C), (at.TABLE_E, tableau.E)):
        tables[place] = _flat(table)
    tables[at.TABLE_D] = _flat(tableau.D)
    tables[at.GRID] = _flat(times.since_start)
    tables[at.ROWS] = np.full(runs * len(times.shown) * width, np.nan)
    tables[at.STARTS], tables[at.TAUS], tables[at.GIVENS] = map(_flat, (starts, taus, codes.given(parameters)))
    tables[at.ENDS] = np.zeros(runs)
    return Shared(model, method, codes, effort, times, tables, np.zeros((runs, at.N_STATS), dtype=np.int64))


def _flat(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, dtype=float).ravel() if x.size else np.zeros(1)


def _settings(method: Method, order: int, times: Times) -> np.ndarray:
    out = np.zeros(at.N_SETTINGS)
    rtol = getattr(method, "rtol", 1e-9)
    atol = getattr(method, "atol", None) or rtol
    out[[at.T_END, at.ORIGIN]] = times.duration, times.origin
    out[[at.RTOL, at.ATOL, at.H_MAX]] = rtol, atol, getattr(method, "h_max", np.inf)
    out[at.EXPONENT], out[at.FIXED] = 1.0 / (order + 1), method.h or 0.0
    out[at.GAP_KEPT] = 1e-12 if method.h is not None else max(1e-13, 0.1 * atol)
    out[at.GAP_SHOWN] = 1e-13
    return out


class Worker:
    """The lanes of one worker; `seconds` is the CPU time it has spent on them."""

    def __init__(self, about: Shared) -> None:
        self.about = about
        self.seconds = 0.0
        self.whole = np.zeros(at.N_WHOLE, dtype=np.int64)
        for place, value in _sizes(about).items():
            self.whole[place] = value
        lanes, n = about.codes.lanes, int(self.whole[at.N])
        self.marks = np.full(at.N_MARKS * lanes + about.tableau.total, -1, dtype=np.int64)
        tableau, model = about.tableau, about.model
        sizes = {
            at.REAL: at.N_LANE_REAL,
            at.STATE: n,
            at.STATE_NEW: n,
            at.SLOPES: n * tableau.total,
            at.TAU: max(1, model.na),
            at.GIVEN: max(1, about.codes.n_given),
            at.ROOM: 2 * n,
            at.STAGE: n,
            at.WEIGHTS: tableau.total,
            at.ROW_STATE: n,
            at.ROW_ROOM: n + MONITORED,
            at.ZEROS: n,
        }
        self.where = [_aligned_rows(sizes[place], lanes) for place in range(at.N_LANE_ARRAYS)]
        self._quiet_lanes()

    def _quiet_lanes(self) -> None:
        """Lanes that never get a run stand where the first run starts, where all numbers are good."""
        size = self.about.model.nq + self.about.model.nv
        first = self.about.tables[at.STARTS][:size, None]
        for place in (at.STATE, at.STATE_NEW, at.ROW_STATE):
            self.where[place][:size] = first
        if self.about.codes.n_given:
            self.where[at.GIVEN][:] = self.about.tables[at.GIVENS][: self.about.codes.n_given, None]

    def queue(self, first: int, last: int, more: bool) -> None:
        """The runs to take next, and whether others may follow."""
        self.whole[at.NEXT_RUN], self.whole[at.LAST_RUN], self.whole[at.MORE] = first, last, int(more)

    def bound(self, driver: Native) -> Any:
        """The driver as a function without arguments."""
        codes = np.zeros(at.N_CODES, dtype=np.uintp)
        for place, code in self._codes().items():
            codes[place] = code.addresses["lw_block"]
        where = np.array([address(x) for x in self.where], dtype=np.uintp)
        tables = np.array([address(x) for x in self.about.tables], dtype=np.uintp)
        self._kept = (codes, where, tables)
        places = [address(x) for x in (self.whole, self.marks, self.about.stats.reshape(-1), codes, where, tables)]
        call = driver.call
        return lambda: call(*places)

    def by_hand(self, driver: Native) -> Any:
        """The same in Python, row by row; for tests."""
        codes: list[Any] = [None] * at.N_CODES
        for place, code in self._codes().items():
            codes[place] = block_by_hand(code)
        stats = self.about.stats.reshape(-1)
        return lambda: driver.python(self.whole, self.marks, stats, codes, self.where, self.about.tables)

    def _codes(self) -> dict[int, Kernel]:
        return self.about.codes.codes | ({} if self.about.effort is None else {at.EFFORT: self.about.effort})


def _sizes(about: Shared) -> dict[int, int]:
    model, tableau, codes = about.model, about.tableau, about.codes
    n = model.nq + model.nv + EXTRAS
    turning = any(name.endswith(".qw") for name in model.q_names)
    closed = bool(model.mechanism.loops or model.mechanism.couplings)
    return {
        at.LANES: codes.lanes,
        at.N: n + -n % 4,
        at.N_CHECKED: model.nq + model.nv,
        at.NQ: model.nq,
        at.NV: model.nv,
        at.NA: model.na,
        at.STAGES: tableau.stages,
        at.TOTAL: tableau.total,
        at.N_DENSE: tableau.n_dense,
        at.LAST_IN_ERROR: int(tableau.last_in_error),
        at.ADAPTIVE: int(about.method.h is None),
        at.N_ROWS: len(about.tables[at.GRID]),
        at.WIDTH: about.rows.shape[2],
        at.HAS_EFFORT: int(about.effort is not None),
        at.PROJECTS: int(turning or closed),
        at.N_GIVEN: codes.n_given,
        at.GAPS_GIVEN: codes.starts[at.GAPS],
        at.PROJECT_GIVEN: codes.starts[at.PROJECT],
        at.MONITOR_GIVEN: codes.starts[at.MONITOR],
    }


def _aligned_rows(n: int, lanes: int) -> np.ndarray:
    """Zeros (n, lanes) that begin on a cache line."""
    whole = np.zeros(n * lanes + 8)
    skip = (-whole.__array_interface__["data"][0] % 64) // 8
    return whole[skip : skip + n * lanes].reshape(n, lanes)


def block_by_hand(kernel: Kernel) -> Any:
    """A kernel's code for lanes as a Python function of arrays (n, lanes)."""
    import ctypes

    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(kernel.addresses["lw_block"])

    def code(*arrays: np.ndarray) -> None:
        table = np.array([x.__array_interface__["data"][0] for x in arrays], dtype=np.uintp)
        call(address(table))

    return code
