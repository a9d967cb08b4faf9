"""Events of runs in lanes: their functions compiled for lanes, and what was noted of every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from linkwright.compiler import Options, cached_kernel, divide_program
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.model import Model
from linkwright.model.limits import efforts_exceeded, has_effort_limits
from linkwright.numerics.tolerances import LIMIT_SLACK
from linkwright.results.series import Event
from linkwright.simulation.drivers.driver_records import LOOKED_AT, SINGULAR
from linkwright.simulation.problem.lane_kernels import CHUNK, LaneKernels
from linkwright.simulation.problem.problem import Problem
from linkwright.simulation.root_functions import (
    Crossing,
    RootFunctions,
    crossing_text,
    event_functions,
    joint_limit_events,
    trace_events,
)
from linkwright.simulation.run_singularities import FAR, usual_sizes
from linkwright.simulation.running.row_layout import row_layout

# Parts of the paths of numbers that limits follow from.
_LIMITING = frozenset(("limits", "speed", "effort", "gear"))


@dataclass(frozen=True, eq=False)
class LaneEvents:
    """Event functions of runs in lanes.

    Attributes:
        problem: whose singular positions are watched.
        roots: kinds and names of the functions.
        kernels: those of the lanes, with the event functions among them.
        vary: True if limits follow from inputs of the mechanism.
    """

    problem: Problem
    roots: RootFunctions
    kernels: LaneKernels
    vary: bool

    def at_start(self, t: float, starts: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The event functions at the starts (runs, nq + nv), (runs, n); p are values of the inputs."""
        nq, runs = self.problem.model.nq, len(starts)
        if not self.roots.kinds:
            return np.zeros((runs, 0))
        given = self.kernels.given_numbers(p, runs)[:, self.kernels.starts["watch"] :]
        found: np.ndarray = self.kernels.kernels["watch"](np.array([t, 0.0]), starts[:, :nq], starts[:, nq:], given)
        return np.broadcast_to(found, (runs, len(self.roots.kinds)))

    def unfit(self, values: np.ndarray) -> np.ndarray:
        """Mask of the runs that start near a singular position or where a loop closes, from the event functions."""
        blocks = [i + 1 for i, (_, end) in enumerate(self.roots.kinds) if end == SINGULAR]
        switching = [i for i, (_, end) in enumerate(self.roots.kinds) if end == LOOKED_AT]
        far = np.abs(values[:, blocks]) > FAR * usual_sizes(self.problem)
        return ~(far.all(axis=1) & (values[:, switching] > 0.0).all(axis=1))


def lane_events(
    problem: Problem,
    kernels: LaneKernels,
    crossings: Sequence[Crossing],
    stop_at_limits: bool,
    switching: Sequence[Crossing] = (),
) -> LaneEvents | None:
    """Event functions for lanes; None where one of the caller's cannot be compiled.

    Runs leave their lanes where a function of `switching` passes zero. Functions of the mechanism alone are kept with
    the model.
    """

    def made() -> LaneEvents:
        return _make_lane_events(problem, kernels, (*crossings, *switching), stop_at_limits, len(switching))

    if not crossings and not switching:
        found: LaneEvents = problem.model.nominal_cache.get(("lane events", kernels, stop_at_limits), made)
        return found
    try:
        return made()
    except (LinkwrightError, TypeError, ValueError, AttributeError):
        return None


def _make_lane_events(
    problem: Problem, kernels: LaneKernels, crossings: Sequence[Crossing], stop_at_limits: bool, switches: int
) -> LaneEvents:
    functions = event_functions(problem, crossings, stop_at_limits)
    n = len(functions.kinds) - switches
    kinds = (*functions.kinds[:n], *((direction, LOOKED_AT) for direction, _ in functions.kinds[n:]))
    roots = RootFunctions(None, kinds, functions.names, functions.limits)
    if not functions.kinds:
        return LaneEvents(problem, roots, kernels, False)
    early, late = divide_program(trace_events(problem.model, functions.own, crossings, in_lanes=True), ["p"])
    first = cached_kernel(b"lane events early" + early.digest, lambda: early)
    code = cached_kernel(b"lane events" + late.digest, lambda: late, Options(lanes=kernels.lanes, chunk=CHUNK))
    return LaneEvents(problem, roots, kernels.watching(code, first), _limits_vary(problem.model))


def _limits_vary(model: Model) -> bool:
    """Return True if limits follow from inputs of the mechanism, so that every run has its own."""
    uses = [part for each in model.parameters.records for use in each.uses for part in use.split(".")]
    return not _LIMITING.isdisjoint(uses)


LaneNotes = list[list[float]]
"""Events of a run: time after the start, number of the function, direction, run and size of the step of each."""


@dataclass(frozen=True, eq=False)
class LaneRuns:
    """What runs in lanes left behind.

    Attributes:
        found: the events of each that has some.
        start: the event functions at their starts, (runs, n).
        rows: their rows, (runs, rows, numbers).
        origin: the caller's time at the start, [s].
        model_of: the model of a run.
    """

    found: Mapping[int, LaneNotes]
    start: np.ndarray
    rows: np.ndarray
    origin: float
    model_of: Callable[[int], Model]


def events_of_runs(about: LaneEvents, left: LaneRuns) -> dict[int, list[Event]]:
    """Events of every run that has some, in the order of their times, as `simulate` lists them."""
    out: dict[int, list[Event]] = {}
    known: dict[int, list[str]] = {}
    nominal = [limit.description for limit in joint_limit_events(about.problem.model)]

    def limit(run: int, number: int) -> str:
        if not about.vary:
            return nominal[number]
        if run not in known:
            known[run] = [each.description for each in joint_limit_events(left.model_of(run))]
        return known[run][number]

    for run, notes in sorted(left.found.items()):
        for since_start, number, way, *_ in sorted(notes):
            kind, name = about.roots.names[int(number)]
            text = limit(run, int(number)) if kind == "limit" else crossing_text(name, way)
            out.setdefault(run, []).append(Event(left.origin + since_start, kind, name, text))
    for run, event in [*_start_limit_events(about, left, limit), *_effort_limit_events(about, left)]:
        out.setdefault(run, []).append(event)
    return {run: sorted(events, key=lambda event: event.t) for run, events in out.items()}


def _start_limit_events(
    about: LaneEvents, left: LaneRuns, limit: Callable[[int, int], str]
) -> Iterator[tuple[int, Event]]:
    """Limits that runs break at their start."""
    names = [name for kind, name in about.roots.names if kind == "limit"]
    for run, i in np.argwhere(left.start[:, : len(names)] < -LIMIT_SLACK).tolist():
        yield run, Event(left.origin, "limit", names[i], f"{limit(run, i)}: it starts beyond it")


def _effort_limit_events(about: LaneEvents, left: LaneRuns) -> Iterator[tuple[int, Event]]:
    """Efforts that leave their limits between rows."""
    model = about.problem.model
    if not has_effort_limits(model.kernels):
        return
    efforts = row_layout(model).tau
    for run, rows in enumerate(left.rows):
        kernels = left.model_of(run).kernels if about.vary else model.kernels
        for k, each in efforts_exceeded(kernels, rows[:, efforts]):
            yield run, Event(float(rows[k, 0]), "limit", each.subject, str(each))
