"""Records that drivers work on: a template settled once for a problem, a method and its events, copied for every run.

A single run is one lane; many runs, and the robots of a stepper, are as many lanes as the processor has.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import FixedFields, FunctionPointer, built_function, quick_native
from linkwright.functions.driver_functions import compiled_pointer
from linkwright.functions.stages import VelocityPartitionPlan
from linkwright.functions.store import Kernels
from linkwright.model import Model
from linkwright.numerics.tolerances import CLOSED, SOLVED
from linkwright.simulation.drivers.driver_records import (
    IDLE,
    MONITORED,
    MOST_EXAMINED,
    MOST_PASSED,
    NOTED,
    PASSED,
    VERDICT,
    Driver,
)
from linkwright.simulation.integrators import DEFAULT, DOP853, Method, StiffTableau
from linkwright.simulation.problem.acceleration_fallback import NEIGHBORHOOD, ScaledClosure
from linkwright.simulation.problem.callbacks import Callback, LazyKernel
from linkwright.simulation.problem.problem import Function, Problem, jacobian_kernel
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.root_functions import NO_ROOTS, RootFunctions, root_functions
from linkwright.simulation.run_singularities import FAR, REGULAR, TYPE_2, is_watching_actuators, usual_sizes
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run_spec import RunSpec, Start

if TYPE_CHECKING:  # of many runs only
    from linkwright.simulation.problem.lane_kernels import LaneKernels

_MOST_EVENTS = 512

# Determinants below this share of their usual size: the equations are asked whether they are about to lose rank.
WATCHED = 0.3

# Shares of the usual smallest singular value that stages and ends of steps in tangent coordinates keep away by.
STAGE_NEAR, END_NEAR = 3e-5, 2e-4

# And below which a row across a crossing is found from states beside it.
ROW_NEAR = 5e-3

_FAIR_SHARE = 0.1
_KEPT = 16

# Seconds of runs of one problem after which its functions are compiled with all efforts; a run counts as some at least.
_OPTIMIZE_AFTER = 0.1
_SHORT_RUN = 0.005
_IDLE = 2
_UNBOUNDED = 1 << 50

# Attempts that meet numbers that are not finite, after which a run leaves its lane.
_MOST_DOUBTS = 8

Kind = tuple[int, int]
Kinds = tuple[Kind, ...]


def padded_size(n: int) -> int:
    """The numbers of a state filled up to a multiple of four."""
    return n + -n % 4


def flat_table(x: np.ndarray) -> np.ndarray:
    """A table as one contiguous array of at least one number."""
    if x.ndim == 1 and x.size and x.dtype == np.float64 and x.flags.c_contiguous:
        return x
    return np.ascontiguousarray(x, dtype=float).ravel() if x.size else np.zeros(1)


def set_method(d: Driver, method: Method) -> None:
    """A method and its step control."""
    set_tableau(d, method)
    d.settings.max_steps = np.inf
    d.settings.gap_kept = CLOSED if method.h is not None else max(SOLVED, 0.1 * d.method.atol)
    d.settings.gap_shown, d.settings.most_projections = 2e-14, 3
    if method.h is not None:  # a row at the end of a fixed step is the state itself, as a `Stepper` gives it
        d.settings.gap_shown, d.settings.most_projections = d.settings.gap_kept, 4


def set_tableau(d: Driver, method: Method) -> None:
    """The numbers of a method, and its tolerances."""
    m, tableau = d.method, method.tableau
    stiff = isinstance(tableau, StiffTableau)
    m.stiff, m.adaptive, m.h = int(stiff), int(method.h is None), method.h or 0.0
    m.stages, m.total, m.n_dense = tableau.stages, tableau.total, tableau.n_dense
    m.end, m.last_in_error = tableau.stages + int(stiff), int(tableau.last_in_error)
    m.exponent, m.h_max = 1.0 / (tableau.order + 1), getattr(method, "h_max", np.inf)
    m.rtol = getattr(method, "rtol", 1e-9)
    m.atol = getattr(method, "atol", None) or m.rtol
    m.a, m.c, m.e, m.d = (flat_table(x) for x in (tableau.A, tableau.C, tableau.E, tableau.D))
    if isinstance(tableau, StiffTableau):
        m.g, m.gamma = flat_table(tableau.G), tableau.gamma


def step_sizes(stride: int, method: Method) -> dict[str, int]:
    """Numbers in the arrays that every driver needs."""
    tableau = method.tableau
    rows = 1 + max(tableau.total, tableau.stages + 1)
    states = dict.fromkeys(("y", "y_new", "stage", "zeros", "output.state"), stride)
    more = {"k": stride * rows, "work": 2 * stride, "output.rates": stride + MONITORED}
    return states | more | {"clock": 2, "powers": tableau.n_dense, "weights": rows, "used": rows}


def template(problem: Problem, method: Method, kinds: Kinds, lanes: LaneKernels | None = None) -> Driver:
    """The record for a problem, a method and the directions and ends of events; kept with the model.

    Of many runs side by side, `lanes` are the functions of the problem and where each finds its parameters.
    """
    key = (problem, method, kinds)
    return problem.model.cache.recent("templates", key, lambda: _make_driver(problem, method, kinds, lanes), _KEPT)


def _make_driver(problem: Problem, method: Method, kinds: Kinds, lanes: LaneKernels | None) -> Driver:
    d = driver_without_functions(problem, method, kinds, lanes)
    _set_driver_functions(d, problem, lanes)
    return d


def driver_without_functions(
    problem: Problem, method: Method, kinds: Kinds, lanes: LaneKernels | None = None
) -> Driver:
    """The record of a problem, a method and events, in which the functions of the mechanics are still to be set."""
    sizes = step_sizes(padded_size(problem.n), method)
    sizes |= {"shape.checked": len(problem.checked), "mechanics.tau": max(1, problem.n_acting)}
    sizes |= _single_sizes(problem, method, len(kinds)) if lanes is None else _lane_sizes(lanes, len(kinds))
    if problem.has_tangents:
        most = step_sizes(padded_size(problem.n), tangent_method(method))
        sizes |= {name: max(size, sizes[name]) for name, size in most.items()}
    d = Driver(1 if lanes is None else lanes.lanes, sizes)
    set_method(d, method)
    _set_driver_shape(d, problem)
    d.mechanics.solves, d.mechanics.projects = int(problem.solves), int(problem.projects)
    set_events(d, problem, kinds)
    if problem.has_tangents:
        _set_tangents(d, problem.model, method)
    d.output.width, d.output.n_states = row_layout(problem, problem.states).width, problem.states
    d.settings.most_doubts = _UNBOUNDED if lanes is None else _MOST_DOUBTS
    if lanes is None:
        d.step.h, d.step.fresh = d.method.h, 1.0
    else:
        d.step.run, d.step.status = -1, IDLE
    return d


def _lane_sizes(lanes: LaneKernels, n_events: int) -> dict[str, int]:
    """Numbers in the arrays that only many runs side by side need."""
    return {"mechanics.given": max(1, lanes.n_given)} | event_sizes(n_events, lanes.lanes * n_events)


def _single_sizes(problem: Problem, method: Method, n_events: int) -> dict[str, int]:
    """Numbers in the arrays that only a single run needs."""
    n, stride = problem.n, padded_size(problem.n)
    nq, nv, ns = problem.nq, problem.nv, problem.ns
    sizes = {
        "mechanics.work": nq + nv + 2,
        "output.whole": 2 * nv + 1,
        "events.examined": stride * MOST_EXAMINED,
    }
    sizes |= event_sizes(n_events, MOST_EXAMINED)
    sizes |= dict.fromkeys(("events.regular", "events.before"), stride)
    if "equations" in problem.functions:
        rows = len(problem.model.scales.rows)
        sizes |= {"events.equations": rows * problem.model.nv, "events.gram": rows * rows, "events.column": rows}
    if problem.has_tangents:
        sizes |= _tangent_sizes(problem.model)
    if isinstance(method.tableau, StiffTableau):
        sizes |= {"linear.by_t": n, "linear.by_q": n * nq, "linear.by_s": n * ns}
        sizes |= {"linear.matrix": n * n, "linear.pivots": n}
    return sizes


def _tangent_sizes(model: Model) -> dict[str, int]:
    """Numbers in the arrays that steps in tangent coordinates need."""
    n, m, r = model.nv, len(model.scales.rows), model.closure_rank.rank
    sizes = {
        "order": m,
        "pivots": r,
        "inverse_diagonal": r,
        "small_pivots": n - r,
        "triangle": m * n,
        "reflections": r * n,
        "Q": n * n,
    }
    sizes |= {
        "along": n * (n - r),
        "J": m * n,
        "J_beginning": m * n,
        "JQ": r * n,
        "X": r * (n - r),
        "P": n * (n - r),
        "mass": n * n,
        "right": n + m,
    }
    sizes |= {"small": (n - r) ** 2, "gap": m, "normal": n, "zeta": n - r, "x": n, "q": model.nq, "a": n, "a_end": n}
    sizes |= {"q_least": model.nq, "row": 2 * n, "verdict": VERDICT, "passed": PASSED * MOST_PASSED}
    sizes |= {"q_singular": model.nq, "passed_q": model.nq * MOST_PASSED, "passed_v": n * MOST_PASSED}
    return {f"tangent.{name}": size for name, size in sizes.items()} | _search_sizes(model.nq, n, m, r)


def _search_sizes(nq: int, n: int, m: int, r: int) -> dict[str, int]:
    """Numbers in the arrays of the search for singular configurations."""
    lost = most_lost(r)
    tall, wide = m - r + lost, n - r + lost
    sizes = {"q": nq, "q_from": nq, "q_at": nq, "order": m, "A": m * n, "reflections": r * n, "Q": n * n}
    sizes |= {"U": m * r, "after": m * n, "before": m * n, "changes": wide * tall * wide, "right": max(m, tall * wide)}
    sizes |= {"columns": wide, "mirrors": wide * max(wide, tall * wide), "square": wide * wide, "gram": m * m}
    sizes |= {"along": n, "x": n, "matrix": r * r, "real": r, "imaginary": r}
    return {f"search.{name}": size for name, size in sizes.items()}


def most_lost(rank: int) -> int:
    """Equations of a rank that a singular configuration may lose at once."""
    return (rank + 1) // 2


def far_from_stages(stages: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Fractions of a step far from its stages, and half as far from those of its interpolant, which rows are read from.

    The distance to the stages is a fair share of the way there.
    """
    found = []
    for low, high in pairwise(sorted(set(stages.tolist()))):
        inside = [x for x in between.tolist() if low < x < high]
        x = max(
            (0.5 * (low + high), *(low + (x - low) / 1.5 for x in inside), *(high - (high - x) / 1.5 for x in inside)),
            key=lambda x: min(x - low, high - x, *(2.0 * abs(x - other) for other in inside)),
        )
        if min(x - low, high - x) > _FAIR_SHARE * x:
            found.append(x)
    return np.array(found)


def tangent_method(method: Method) -> DOP853:
    """The method of steps in tangent coordinates: its own stages are far apart, and it chooses its steps."""
    rtol = getattr(method, "rtol", DEFAULT.rtol)
    return DOP853(rtol, getattr(method, "atol", None), getattr(method, "h_max", np.inf))


def _set_tangents(d: Driver, model: Model, method: Method) -> None:
    tableau = tangent_method(method).tableau
    d.tangent.switches = int(not isinstance(method, DOP853))
    fractions = far_from_stages(tableau.C[: tableau.stages + 1], tableau.C[tableau.stages + 1 :])
    d.tangent.fractions, d.tangent.n_fractions = flat_table(fractions), len(fractions)
    t, scales, closure = d.tangent, model.scales, ScaledClosure(model.kinematics)
    d.search.most_lost = most_lost(closure.rank)
    t.able, t.nv, t.n_rows, t.rank = 1, model.nv, len(scales.rows), closure.rank
    t.turning = int(any(name.endswith(".qw") for name in model.q_names))
    t.speeds, t.inverse_speeds, t.row_shares, t.units = (
        flat_table(scales.speeds),
        flat_table(1.0 / scales.speeds),
        flat_table(1.0 / scales.rows),
        flat_table(scales.speeds / scales.rows[:, None]),
    )
    t.enter_share, t.watch_share = NEIGHBORHOOD * closure.usual_loosest, WATCHED
    t.leave_share, t.beside_share = 4.0 * t.enter_share, t.enter_share
    t.row_share = ROW_NEAR * closure.usual_loosest
    t.stage_share, t.end_share = STAGE_NEAR * closure.usual_loosest, END_NEAR * closure.usual_loosest


def event_sizes(n: int, more: int) -> dict[str, int]:
    """Numbers in the arrays of n event functions; more events than these may happen in one step."""
    rows = dict.fromkeys(("events.old", "events.new", "events.inside"), n)
    return rows | {"events.kinds": 2 * n, "events.found": NOTED * (_MOST_EVENTS + 2 * n + more)}


# Whole numbers that are the same in every step of a problem, a method and its events.
_FIXED = {
    "shape": ("n", "stride", "nq", "ns", "nv", "na", "n_acting", "n_checked"),
    "method": ("stiff", "adaptive", "stages", "total", "end", "last_in_error", "n_dense"),
    "mechanics": ("solves", "projects"),
    "events": ("n",),
    "tangent": ("able", "switches", "turning", "nv", "n_rows", "rank", "n_fractions"),
    "search": ("most_lost",),
}


def fixed_fields(d: Driver) -> FixedFields:
    """What code for the runs of this record alone need not read: its small matrices are unrolled."""
    parts = {name: getattr(d, name) for name in _FIXED}
    return tuple((type(part), name, getattr(part, name)) for at, part in parts.items() for name in _FIXED[at])


def _set_driver_shape(d: Driver, problem: Problem) -> None:
    shape = d.shape
    shape.n, shape.stride = problem.n, padded_size(problem.n)
    shape.nq, shape.ns, shape.nv, shape.na = problem.nq, problem.ns, problem.nv, problem.na
    shape.n_acting, shape.n_checked = problem.n_acting, len(problem.checked)
    shape.checked[:] = problem.checked


def _set_driver_functions(d: Driver, problem: Problem, lanes: LaneKernels | None) -> None:
    m = d.mechanics
    entry = "lw_state" if lanes is None else "lw_block"
    for name, code in problem.functions.items():
        setattr(m, name, function_pointer(code, entry, draft=lanes is None))
    for name, start in ({} if lanes is None else lanes.starts).items():
        setattr(m, f"{name}_given", start)


def set_events(d: Driver, problem: Problem, kinds: Kinds) -> None:
    """Directions and ends of events, and what singular positions are found by."""
    e = d.events
    e.n, e.most_found = len(kinds), _MOST_EVENTS + d.lanes * len(kinds)
    e.kinds[:] = [x for kind in kinds for x in kind]
    e.usual = flat_table(usual_sizes(problem))
    e.far_share, e.regular_share, e.t_regular = FAR, REGULAR, -1.0
    e.unit, e.n_usual = min(1.0, problem.model.scales.length), len(usual_sizes(problem))
    e.hold_share, e.of_actuators = TYPE_2, int(problem.watched is not None and is_watching_actuators(problem))
    if "equations" in problem.functions:
        scales, rank = problem.model.scales, problem.model.closure_rank
        e.n_equations, e.n_columns, e.rank = len(scales.rows), problem.model.nv, rank.rank
        e.order = np.array([*rank.kept, *rank.redundant], dtype=np.int64)
        e.units = flat_table(scales.speeds / scales.rows[:, None])


def _idle_workspaces(problem: Problem, method: Method, roots: RootFunctions) -> list[RunWorkspace]:
    """Workspaces of earlier runs that are over."""
    found: list[RunWorkspace] = problem.model.cache.recent("idle workspaces", (problem, method, roots), list, _KEPT)
    return found


class RunWorkspace:
    """The record of a run, which a driver advances in place, slice by slice.

    Attributes:
        problem, roots: functions of the motion and of its events, as they are now.
        method: how to step.
        driver: the record.
        state: coordinates, velocities of the state, extras, filled up with zeros; a part of the record.
        tau: efforts; a part of the record.
        functions: functions of the mechanics by field of `Mechanics`.
    """

    def __init__(self, problem: Problem, method: Method, roots: RootFunctions = NO_ROOTS) -> None:
        self.problem, self.method, self.roots = problem, method, roots
        self._in_tangents = 0
        self.driver = template(problem, method, roots.kinds).copy()
        self.state, self.tau = self.driver.y.flat, self.driver.mechanics.tau.flat
        self.functions: dict[str, Function] = {}
        self._spent, self._drafts = 0.0, True
        for name, code in problem.functions.items():  # since the template was made some may have been compiled
            self.put(name, code)
        if roots.code is not None:
            self.put("watch", roots.code)
        self._fresh: tuple[Any, dict[str, Function]] = self.driver.contents(), dict(self.functions)

    @classmethod
    def of(cls, problem: Problem, method: Method, roots: RootFunctions) -> RunWorkspace:
        """A workspace as new: one that was given back, or another."""
        try:
            return _idle_workspaces(problem, method, roots).pop()
        except IndexError:
            return cls(problem, method, roots)

    def give_back(self) -> None:
        """Let the next run have the workspace; nobody uses it any more."""
        contents, functions = self._fresh
        if contents is None:  # a run became long: the next one begins with what was compiled for it
            return
        idle = _idle_workspaces(self.problem, self.method, self.roots)
        if self.functions.keys() >= functions.keys() and len(idle) < _IDLE:
            self._spent += _SHORT_RUN
            self.driver.restore(contents)
            self._in_tangents = 0
            self.functions = dict(functions)
            idle.append(self)

    def put(self, name: str, code: Function) -> None:
        """Have the driver call another function."""
        self.functions[name] = code
        setattr(self.driver.mechanics, name, function_pointer(code, draft=self._drafts))

    def ran(self, spent: float) -> None:
        """Count the time [s] of a slice; drafts of functions are replaced when they have run for a while."""
        self._spent += spent
        if self._drafts and self._spent > _OPTIMIZE_AFTER:
            self.optimize()

    def optimize(self) -> None:
        """Have the driver call functions compiled with LLVM's efforts; the bits are the same."""
        if not self._drafts:
            return
        self._drafts, self._fresh = False, (None, self._fresh[1])
        for name, code in dict(self.functions).items():
            self.put(name, code)

    def begin_run(self, state: tuple[np.ndarray, np.ndarray], t: float, actuation: RunActuation, origin: float) -> None:
        """Put a state (q, v) at a time t after the start, which is at `origin`, and what drives it into the record.

        Refuses what does not go together; `rows_into` follows.
        """
        self.begin(*state)
        d = self.driver
        d.step.t = d.settings.t_start = t
        d.settings.origin = origin
        self.tau[: len(actuation.start)] = actuation.start
        if actuation.code is not None:
            self.put("controller" if actuation.states else "effort", actuation.code)
        if actuation.again is not None:
            self.put("effort_again", actuation.again)
        if actuation.wrench is not None:
            self.put("wrench", actuation.wrench)
        if not self.method.is_explicit:
            self.put("jacobian", jacobian_kernel(self.problem, actuation, type(self.method).__name__))

    def begin(self, q: np.ndarray, v: np.ndarray) -> None:
        """Set the state from coordinates and all velocities."""
        speeds = v if self.problem.independent is None else v[list(self.problem.independent)]
        self.state[: len(q)] = q
        self.state[len(q) : len(q) + len(speeds)] = speeds

    def continue_with(self, problem: Problem, roots: RootFunctions, q: np.ndarray, v: np.ndarray) -> None:
        """Go on with other functions and other velocities in the state; the extras stay."""
        self.problem, self.roots = problem, roots
        for name, code in (problem.functions | ({} if roots.code is None else {"watch": roots.code})).items():
            self.put(name, code)
        self.begin(q, v)
        self.driver.shape.checked[:] = problem.checked
        self.driver.step.fresh = 1.0

    def follow_tangents(self) -> None:
        """Have steps in tangent coordinates their own method, and ordinary ones theirs; fixed steps keep to their
        times."""
        d = self.driver
        if d.tangent.on == self._in_tangents or isinstance(self.method, DOP853):
            return
        self._in_tangents = d.tangent.on
        set_tableau(d, tangent_method(self.method) if d.tangent.on else self.method)
        if self.method.h is not None:
            d.step.h, d.step.number = self.method.h, np.floor((d.step.t - d.settings.t_start) / self.method.h + 1e-6)

    def rows_into(self, grid: np.ndarray, table: np.ndarray, shown: np.ndarray | None = None) -> None:
        """Set the table of the rows, the times at which they are due after the start, and their times in the result."""
        output, n = self.driver.output, len(grid)
        output.grid = flat_table(grid)
        output.shown = flat_table(grid if shown is None else shown)
        output.rows, output.n_rows = table.reshape(-1), n

    def slice_function(self, on_time: bool = False) -> Any:
        """A function without arguments that advances the run by one slice; `on_time`: it is not optimized meanwhile."""
        driver = quick_native(built_function("linkwright.simulation.drivers.stepping", "advance_lanes"))
        if on_time:
            self.optimize()
            driver.optimize()
        return partial(driver, self.driver.address)

    def in_python(self) -> Any:
        """The same function in Python, number by number; for tests."""
        from linkwright.simulation.drivers.stepping import advance_lanes

        return partial(advance_lanes, self.driver)


def workspace_of_run(spec: RunSpec[Start]) -> RunWorkspace:
    """The workspace of a run at its start."""
    problem = spec.problem
    roots = root_functions(problem, spec.crossings, spec.stops_at_limits)
    workspace = (RunWorkspace if spec.crossings else RunWorkspace.of)(problem, spec.method, roots)
    workspace.begin_run((spec.start.q, spec.start.v), 0.0, spec.actuation, spec.times.origin)
    return workspace


def lane_driver(
    spec: RunSpec[Any],
    kernels: LaneKernels,
    kinds: Kinds = (),
    watched: Kernels[VelocityPartitionPlan] | None = None,
) -> Driver:
    """The record of runs side by side, with the laws of efforts and wrenches; `watched` is for singular positions."""
    from linkwright.simulation.problem.lane_kernels import lane_problem

    actuation = spec.actuation
    given = {"controller" if actuation.states else "effort": actuation.code, "wrench": actuation.wrench}
    laws = {name: code for name, code in given.items() if isinstance(code, Kernel)}
    problem = lane_problem(spec.model, kernels, laws, actuation.states, watched)
    return template(problem, spec.method, kinds, kernels).copy()


def function_pointer(code: Function, entry: str = "lw_state", draft: bool = False) -> FunctionPointer:
    """A function of the mechanics as drivers call it."""
    if isinstance(code, Callback):
        return FunctionPointer(code.address, code)
    return code.pointer(draft) if isinstance(code, LazyKernel) else compiled_pointer(code, entry, draft)
