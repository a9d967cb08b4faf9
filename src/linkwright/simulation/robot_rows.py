"""The rows of a stepper: the workers that step them, careful steps of single rows, and their energies."""

from __future__ import annotations

import time
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.compiler.native import Native, Rows, native_function, quick_native
from linkwright.compiler.runtime.code import thread_pool
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.functions.design_inputs import BoundKernel
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.model import Model
from linkwright.simulation.drivers.batch import Batch, advance_lone_rows, advance_rows
from linkwright.simulation.drivers.driver_records import DONE, EXAMINE, EXTRAS, FULL_LIST, GOING, SWITCH, Driver
from linkwright.simulation.ensemble.run_set import RunSet
from linkwright.simulation.problem.callbacks import NO_RESULT, LazyKernel, take_errors
from linkwright.simulation.problem.lane_kernels import LaneKernels
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.running.energy_balance import STEPPER_SHARE, EnergyBalance, rounding_of
from linkwright.simulation.running.run_spec import RunSpec, Start
from linkwright.simulation.running.run_workspace import (
    RunWorkspace,
    fixed_fields,
    flat_table,
    lane_driver,
    tangent_method,
    workspace_of_run,
)

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
    batch.n, batch.substeps, batch.n_acting, batch.n_given = n, substeps, n_acting, kernels.n_given
    for name, array in arrays.items():
        setattr(batch, name, array.reshape(-1))
    return RobotRows(batch=batch, **arrays)


class Workers:
    """Threads that advance the rows, each with lanes of its own and its share of the rows."""

    def __init__(self, spec: RunSpec[RunSet], kernels: LaneKernels, rows: RobotRows, threads: int) -> None:
        operations = sum(kernels.kernels[name].count.total for name in ("dynamics", "rates", "gaps"))
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


# Attempts of steps between two looks at Ctrl-C, and slices of them that one call may take.
_BUDGET, _MOST_SLICES = 512, 200
_MODELS_KEPT = 16

# Rows that failed, below which a further thread costs more than it saves.
_ROWS_PER_THREAD = 16


@dataclass(frozen=True, eq=False)
class CarefulSteps:
    """The steps of `drivers.batch`, one row at a time, where those cannot be made.

    Attributes:
        spec: of all robots.
        rows: of the stepper.
        alone: rows that go one by one in machine code, of each thread.
    """

    spec: RunSpec[RunSet]
    rows: RobotRows
    alone: list[LoneRows] = field(default_factory=list)

    def advance_failed(self, values: np.ndarray, threads: int) -> int:
        """Advance the rows that failed one by one, at one set of values of the inputs or each at its own.

        Near a singular position of many robots this is the usual case, so it never returns to Python in between.
        Returns how many are left.
        """
        failed = np.flatnonzero(self.rows.failed > 0.0)
        parts = min(threads, -(-len(failed) // _ROWS_PER_THREAD))
        while len(self.alone) < parts:
            self.alone.append(LoneRows(self))
        chosen = values[failed] if len(values) > 1 else values
        own, batch = self.alone[0].given_numbers(chosen, len(failed)), self.rows.batch
        batch.n_alone, batch.alone, batch.n_own, batch.own = len(failed), failed, own.shape[1], flat_table(own)
        pool = thread_pool(parts, "stepper")
        others = [pool.submit(self.alone[i].advance, i, parts) for i in range(1, parts)]
        return self.alone[0].advance(0, parts) + sum(other.result() for other in others)

    def advance_state(self, y: np.ndarray, given: np.ndarray, p: np.ndarray, substeps: int) -> np.ndarray:
        """The state (q, v, extras) after some steps under what is given (efforts, wrenches); raises where it has none.

        Raises:
            LinkwrightError: with the reason.
        """
        y = self._run(self._row_spec(y, given, p), y, substeps)
        if not np.isfinite(y).all():
            raise LinkwrightError("a step of fixed size gave numbers that are not finite; take a smaller h")
        return y

    def _row_spec(self, y: np.ndarray, given: np.ndarray, p: np.ndarray) -> RunSpec[Start]:
        """One robot as a run of its own, from a state under constant efforts and wrenches."""
        model, loads = self._model_at(p), self.spec.actuation.loads
        start = Start(y[: model.nq], y[model.nq : model.nq + model.nv])
        spec: RunSpec[Any] = self.spec
        return replace(spec, model=model, start=start, actuation=RunActuation(given, loads=loads))

    def _run(self, spec: RunSpec[Start], y: np.ndarray, substeps: int) -> np.ndarray:
        workspace = workspace_of_run(spec)
        driver, n = workspace.driver, len(y)
        workspace.state[:n] = y
        driver.settings.t_end = substeps * (spec.method.h or 0.0)
        advance, status = workspace.slice_function(), GOING
        for _ in range(_MOST_SLICES):
            driver.budget = _BUDGET
            status = advance()
            workspace.follow_tangents()
            driver.events.n_found = driver.tangent.n_passed = 0
            if status not in (GOING, EXAMINE, SWITCH, FULL_LIST):
                break
        found, error = workspace.state[:n].copy(), take_errors(workspace.functions.values())
        workspace.give_back()
        if error is not None and not isinstance(error, NO_RESULT):
            raise error
        if status != DONE:
            raise LinkwrightError("the loops' equations lose rank, and the motion could not be continued through it")
        return found

    def _model_at(self, p: np.ndarray) -> Model:
        """The model at values of its inputs; a row that is repaired is mostly repaired again."""
        model = self.spec.model
        if model.setup.inputs is None:
            return model
        return model.cache.recent("repaired rows", p.tobytes(), lambda: model.with_parameters(p), _MODELS_KEPT)


# Functions that rows alone call, by field of `Mechanics`; those of Python are left out.
_COMPILED = (
    "dynamics", "second", "rates", "gaps", "project", "size", "equations", "residual", "displace", "terms"
)  # fmt: skip


class LoneRows:
    """Rows that failed in their lanes on one thread, one after the other in the records of single runs.

    One record is for ordinary steps, one for steps in tangent coordinates. Functions of the mechanism read their
    parameters where the driver puts those of the row.
    """

    def __init__(self, careful: CarefulSteps) -> None:
        spec, problem = careful.spec, careful.spec.problem
        self.batch = careful.rows.batch
        functions = {n: problem.functions[n] for n in _COMPILED}
        functions |= {n: x.code for n, x in functions.items() if isinstance(x, LazyKernel)}
        self._bound = {n: x for n, x in functions.items() if isinstance(x, BoundKernel)}
        edges = np.cumsum([0, *(len(x.early_results) for x in self._bound.values())]).tolist()
        given = np.zeros(max(1, edges[-1]))
        for (name, bound), start, end in zip(self._bound.items(), edges, edges[1:], strict=False):
            functions[name] = replace(bound, early_results=given[start:end])
        problem = replace(problem, functions=functions)
        self.workspaces = [RunWorkspace(problem, each) for each in (spec.method, tangent_method(spec.method))]
        for workspace in self.workspaces:
            workspace.driver.mechanics.given = Rows(given[:, None])
            workspace.driver.settings.t_end = self.batch.substeps * (spec.method.h or 0.0)
        common = set.intersection(*(set(fixed_fields(each.driver)) for each in self.workspaces))
        fixed = tuple(x for x in fixed_fields(self.workspaces[0].driver) if x in common)
        self._code = quick_native(advance_lone_rows, fixed)

    def given_numbers(self, p: np.ndarray, n: int) -> np.ndarray:
        """What the functions are given at values (1, n_p) or (n, n_p) of the inputs, (n, numbers)."""
        if not self._bound:
            return np.zeros((n, 0))
        found = np.concatenate([code.early_results_at(p) for code in self._bound.values()], axis=1)
        return np.broadcast_to(found, (n, found.shape[1]))

    def advance(self, part: int, parts: int) -> int:
        """Advance one of so many parts of the rows that failed; how many are left."""
        began = time.perf_counter()
        drivers = [each.driver.address for each in self.workspaces]
        failures: int = self._code(part, parts, *drivers, self.batch.address)
        for each in self.workspaces:
            each.ran(time.perf_counter() - began)
        return failures


Array = np.ndarray

# Some robots by number, or all of them, which NumPy goes through quicker.
Chosen = Array | slice
EVERY = slice(None)


class RobotEnergies:
    """Energies of robots since their start.

    A start is a copy of the state. Its energies are computed when they are first needed. What a robot exchanged is
    seen at its start and whenever somebody looks.
    """

    def __init__(self, model: Model, rows: RobotRows) -> None:
        self._model, self._rows = model, rows
        n = len(rows.number)
        self._start = np.zeros((n, model.nq + model.nv))
        self._before = np.zeros((n, 4))
        self._unknown = np.ones(n, dtype=bool)
        self._exchanged = np.zeros(n)
        self._kernels = model.kernels
        self._values = np.zeros((1, 0))

    def begin(self, chosen: Chosen) -> None:
        """Count from the present states on."""
        rows, nq = self._rows, self._model.nq
        self._start[chosen, :nq], self._start[chosen, nq:] = rows.q[chosen], rows.v[chosen]
        self._before[chosen, 2:] = rows.extras[chosen]
        self._unknown[chosen], self._exchanged[chosen] = True, 0.0

    def set_parameters(self, values: Array) -> None:
        """Take other values of the mechanism's inputs, (1, n_p) or (n, n_p), and count from now on."""
        self._values = values
        if self._model.setup.inputs is not None:
            self._kernels = self._model.kernels.at(values)
        self.begin(EVERY)

    def balance(self, chosen: Chosen) -> EnergyBalance:
        """Drift of energy less work plus losses since the start; robots that failed count as balanced."""
        rows, before = self._rows, self._energies_at_start(chosen)
        kernels = self._kernels_at(chosen)
        now = self._stored_energy(kernels, rows.q[chosen], rows.v[chosen])
        changes = np.concatenate([now, rows.extras[chosen]], axis=1) - before
        drift = np.abs(changes[:, 0] + changes[:, 1] - changes[:, 2] + changes[:, 3])
        seen = np.maximum(np.abs(changes[:, 1:]).max(axis=1), np.maximum(before[:, 0], now[:, 0]))
        exchanged = self._exchanged[chosen] = np.fmax(self._exchanged[chosen], seen)
        largest = np.maximum(np.abs(now), np.abs(before[:, :2])).max(axis=1)
        drift[np.isnan(drift)] = 0.0
        return EnergyBalance(drift, exchanged, np.full(len(drift), STEPPER_SHARE), rounding_of(largest))

    def state(self) -> dict[str, Array]:
        """What a pickle keeps."""
        return {name: getattr(self, name) for name in ("_start", "_before", "_unknown", "_exchanged")}

    def restore(self, state: dict[str, Array]) -> None:
        """Go on with what a pickle kept."""
        for name, array in state.items():
            getattr(self, name)[:] = array

    def _energies_at_start(self, chosen: Chosen) -> Array:
        """Energies at the start, (k, 4)."""
        unknown = self._unknown[chosen]
        if unknown.any():
            rows: Any = np.flatnonzero(self._unknown) if isinstance(chosen, slice) else chosen[unknown]
            rows = EVERY if len(rows) == len(self._unknown) else rows
            start, nq = self._start[rows], self._model.nq
            self._before[rows, :2] = self._stored_energy(self._kernels_at(rows), start[:, :nq], start[:, nq:])
            self._unknown[rows] = False
        return self._before[chosen]

    def _kernels_at(self, chosen: Chosen) -> Kernels:
        """Functions at the values of some robots."""
        if isinstance(chosen, slice) or len(self._values) == 1:
            return self._kernels
        return self._model.kernels.at(self._values[chosen])

    def _stored_energy(self, kernels: Kernels, q: Array, v: Array) -> Array:
        """Kinetic and potential energy, (k, 2), [J]."""
        stored: Array = kernels.function(tree_functions.energies)(q, v)
        return stored
