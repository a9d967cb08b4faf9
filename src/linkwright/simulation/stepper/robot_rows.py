"""The rows of a stepper and the records of its workers."""

from __future__ import annotations

import numpy as np

from linkwright.compiler.native import Native, native_function
from linkwright.compiler.runtime.threads import thread_pool
from linkwright.dataclass import dataclass
from linkwright.simulation.drivers.batch import Batch, advance_rows
from linkwright.simulation.drivers.driver_records import Driver
from linkwright.simulation.drivers.status import EXTRAS
from linkwright.simulation.ensemble.run_set import RunSet
from linkwright.simulation.problem.lane_kernels import LaneKernels
from linkwright.simulation.running.run_spec import RunSpec
from linkwright.simulation.running.workspace import lane_driver

# Operations of a call below which a further thread costs more than it saves.
_OPERATIONS_PER_THREAD = 400_000


@dataclass(frozen=True, eq=False)
class RobotRows:
    """The rows of a stepper, allocated once.

    Attributes:
        q, v, extras, number: states (n, nq), (n, nv), (n, 2), and steps since their start, (n,).
        acting: efforts, then wrenches, (n, na + 6 bodies).
        given: parameters as the compiled functions take them, (n, n_given).
        failed: 1.0 where the last steps could not be made, (n,).
        batch: the record that points at all of them.
    """

    q: np.ndarray
    v: np.ndarray
    extras: np.ndarray
    number: np.ndarray
    acting: np.ndarray
    given: np.ndarray
    failed: np.ndarray
    batch: Batch


def allocate_robot_rows(spec: RunSpec[RunSet], kernels: LaneKernels, substeps: int) -> RobotRows:
    """RobotRows of zeros, and the record that points at them."""
    model, n = spec.model, len(spec.start)
    n_acting = model.na + kernels.acting.n_wrenches
    widths = {"q": model.nq, "v": model.nv, "extras": EXTRAS, "acting": n_acting, "given": kernels.n_given}
    arrays: dict[str, np.ndarray] = {name: np.zeros((n, width)) for name, width in widths.items()}
    arrays |= {name: np.zeros(n) for name in ("number", "failed")}
    batch = Batch()
    batch.substeps, batch.n_acting, batch.n_given = substeps, n_acting, kernels.n_given
    for name, array in arrays.items():
        setattr(batch, name, array.reshape(-1))
    return RobotRows(batch=batch, **arrays)


class Workers:
    """Threads that advance the rows, each with lanes of its own and its share of the rows."""

    def __init__(self, spec: RunSpec[RunSet], kernels: LaneKernels, rows: RobotRows, threads: int) -> None:
        operations = sum(kernels.kernels[name].count.total for name in ("derivative", "gaps"))
        n = len(rows.number)
        worth = 1 + n * rows.batch.substeps * spec.method.tableau.stages * operations // _OPERATIONS_PER_THREAD
        blocks = -(-n // kernels.lanes)
        self.rows = rows
        self.count = min(threads, worth, blocks)
        self.code: Native = native_function(advance_rows, kernels.lanes)
        self.drivers: list[Driver] = [lane_driver(spec, kernels) for _ in range(self.count)]
        self.edges = [min(n, kernels.lanes * (blocks * i // self.count)) for i in range(self.count + 1)]

    def advance(self) -> int:
        """Advance all rows by the steps of one call; how many failed."""
        if self.count == 1:
            return self._part(0)
        others = [thread_pool(self.count, "stepper").submit(self._part, i) for i in range(1, self.count)]
        return self._part(0) + sum(other.result() for other in others)

    def _part(self, i: int) -> int:
        address = self.rows.batch.address
        failures: int = self.code.call(self.edges[i], self.edges[i + 1], self.drivers[i].address, address)
        return failures
