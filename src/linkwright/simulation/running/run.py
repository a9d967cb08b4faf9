"""Segments of a run: native slices, samples of controllers, and decisions where a driver stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.recursion.twist_recursion import normalize_quaternions, quaternion_slices
from linkwright.results.recording import Recording, State
from linkwright.results.series import Event
from linkwright.simulation.drivers.driver_records import (
    BLOWN,
    DONE,
    EXAMINE,
    FAILED,
    FULL_LIST,
    GOING,
    JUMPED,
    LINGERS,
    NOTED,
    PASSED,
    REGULAR_PASSAGE,
    STOPPED,
    SWITCH,
    UNDEFINED,
    UNDERFLOW,
)
from linkwright.simulation.problem.callbacks import NO_RESULT, take_errors
from linkwright.simulation.problem.problem import Problem, in_velocities, jacobian_kernel
from linkwright.simulation.root_functions import (
    CONDITIONING,
    CROSSING,
    SINGULARITY,
    Crossing,
    event_not_finite_error,
    root_functions,
)
from linkwright.simulation.run_singularities import (
    Passage,
    PassedSingularity,
    branch_jump_event,
    change_point_event,
    largest_configuration_difference,
    left_branch,
    other_independents,
    partition_determinant,
    passed_position,
    singular_passage,
    stays_singular,
    type_2,
)
from linkwright.simulation.running.run_output import Times
from linkwright.simulation.running.run_spec import RunSpec, Start
from linkwright.simulation.running.run_workspace import RunWorkspace

SLICE = 0.02
"""Seconds of native work between looks at the clock, at Ctrl-C and at the progress bar."""

_FIRST_BUDGET = 512
_LARGEST_BUDGET = 1 << 22
_MOST_CHANGES = 1000
_POOR = 0.1

# Instants closer than this share of a step are one passage; so are losses of rank in configurations closer than it.
_SAME = 1e-3
_ENDS = (UNDERFLOW, FAILED, BLOWN)

# A quaternion so many times longer or shorter than a unit says nothing about an orientation.
_NO_UNIT = 2.0

# Functions that the caller gave: all that they raise is the caller's.
_OF_CALLER = ("effort", "wrench", "watch")

# Arrays of the driver that mean nothing between two slices.
_PASSING = (
    *(f"events.{name}" for name in ("examined", "found", "equations", "gram", "column")),
    *(f"tangent.{name}" for name in ("J", "JQ", "X", "P", "mass", "right", "small", "reflections", "gap")),
)


@dataclass(eq=False)
class Runner:
    """Advances a run to its end; `status` is the last result of the driver, `ended` the singularity that ended it.

    `crossings` are the caller's events and those of switches. `fault` is why a function of the mechanics had no result
    in the last slice.
    """

    spec: RunSpec[Start]
    workspace: RunWorkspace
    recording: Recording
    crossings: tuple[Crossing, ...] = ()
    progress: Callable[[float], Any] | None = None
    events: list[Event] = field(default_factory=list)
    status: int = GOING
    changes: int = 0
    ended: Passage | None = None
    fault: BaseException | None = None
    phase: dict[str, Any] | None = None
    _candidates: list[tuple[float, int, float]] = field(default_factory=list)
    _crossings: list[Passage] = field(default_factory=list)
    _last: Passage | None = None
    _crossing: PassedSingularity | None = None
    _poor: bool = False
    _first: float | None = None
    _samples: int = 0
    _within: bool = False

    def __post_init__(self) -> None:
        self._budget, self._pace = _FIRST_BUDGET, self.spec.output.pace
        take_errors(self.workspace.functions.values())
        self._bind()

    @property
    def problem(self) -> Problem:
        """Functions of the motion, as they are now."""
        return self.workspace.problem

    def state(self) -> State:
        """Everything from which the run goes on, between two slices."""
        about = {
            "first": self._first,
            "samples": self._samples,
            "within": self._within,
            "changes": self.changes,
            "independent": None if self.problem.independent is None else list(self.problem.independent),
            "last": None if self._last is None else _written_passage(self._last),
            "crossing": None if self._crossing is None else _written_crossing(self._crossing),
        }
        more = {} if self.phase is None else {"phase": self.phase}
        return State(about | more, self.workspace.driver.numbers(_PASSING))

    def resume(self, state: State) -> None:
        """Go on from a state of an equal run; `events` are given to the runner by the caller."""
        about = state.about
        self._first, self._samples, self._within = about["first"], about["samples"], about["within"]
        self.changes = about["changes"]
        independent = about["independent"]
        if independent is not None and tuple(independent) != tuple(self.problem.independent or ()):
            self._in_independents(in_velocities(self.problem, tuple(independent)), *self.full_state())
        self._last = None if about["last"] is None else _read_passage(about["last"])
        self._crossing = None if about["crossing"] is None else _read_passed_singularity(about["crossing"])
        self.workspace.driver.set_numbers(state.numbers, _PASSING)
        self.workspace.follow_tangents()

    def _bind(self) -> None:
        if self.problem.partitioned is not None:
            q = self.workspace.state[: self.problem.model.nq].copy()
            self.workspace.driver.clock[1] = _POOR * abs(partition_determinant(self.problem, q))
        self._advance = self.workspace.slice_function(on_time=self._pace is not None)

    @property
    def elapsed_time(self) -> float:
        """Time reached, counted from the start of the run, [s]."""
        return self.workspace.driver.step.t

    @property
    def now(self) -> float:
        """Time reached as the caller counts it, [s]."""
        return self._shown_time(self.elapsed_time)

    def _shown_time(self, t: float) -> float:
        return self.workspace.driver.settings.origin + t

    def to(self, t_end: float) -> None:
        """Advance to a time after the start of the run; samples of a controller on the way."""
        step, settings = self.workspace.driver.step, self.workspace.driver.settings
        settings.max_steps = self.spec.max_steps
        since = step.t
        first = self._first = since if self._first is None else self._first
        while True:
            if not self._within:
                settings.t_end = t_end
                if self.spec.actuation.sampled is not None:
                    self._sample()
                    self._samples += 1
                    settings.t_end = min(t_end, first + self._samples * self.spec.actuation.period)
            self._within = True
            self.status = self._segment(since, t_end)
            self._within = False
            if self.status != DONE or step.t >= t_end:
                return
            step.fresh = 1.0
            self.recording.keep(self.state)

    def _sample(self) -> None:
        assert self.spec.actuation.sampled is not None
        q, v = self.full_state()
        tau = self.spec.actuation.sampled(self.now, q, v)
        self.workspace.tau[: len(tau)] = tau

    def full_state(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and all velocities at the time reached."""
        nq, ns = self.problem.model.nq, self.problem.ns
        q, s = self.workspace.state[:nq].copy(), self.workspace.state[nq : nq + ns].copy()
        if not self.problem.expands:
            return q, s
        code = self.problem.functions["expand"]
        return q, np.asarray(code(q, s))

    def _segment(self, since: float, t_end: float) -> int:
        """Run slices until the driver returns a status that ends the segment; the clock counts from `since`."""
        driver = self.workspace.driver
        step = driver.step
        while True:
            driver.budget = self._budget if self._pace is None else self._pace.budget(step.h)
            if self._crossing is not None:
                driver.budget = 1
            began = time.perf_counter()
            status = self._advance()
            spent = time.perf_counter() - began
            self.workspace.ran(spent)
            self.workspace.follow_tangents()
            self._take_over()
            if self._pace is not None:
                self._pace.wait_until(step.t - since)
            if self._is_out_of_bounds():
                return BLOWN
            if not self._examine_last_step():
                return STOPPED
            if status in _ENDS and self._other_set():
                continue
            if status not in (GOING, FULL_LIST, EXAMINE, SWITCH):
                return status
            if driver.budget == 0 and self._crossing is None:
                wanted = self._budget * SLICE / max(spent, 1e-5)
                self._budget = int(min(max(wanted, 1), 8 * self._budget, _LARGEST_BUDGET))
            self.recording.keep(self.state)
            if self.progress is not None:
                self.recording.write()
                first = self._first or 0.0
                checks.result_of("progress", self.progress, (step.t - first) / (t_end - first))

    def _is_out_of_bounds(self) -> bool:
        """Return True if a state within the last step has quaternions so far from unit length that it means nothing.

        Only a step far too long leads there: the ends of steps are brought to unit length.
        """
        quaternions = quaternion_slices(self.problem.model.setup.simplified) if self._candidates else []
        for _, way, _ in self._candidates:
            state = self._examined_state(way)
            if any(not 1.0 / _NO_UNIT < float(np.linalg.norm(state[own])) < _NO_UNIT for own in quaternions):
                return True
        return False

    def _examined_state(self, way: int) -> np.ndarray:
        """State number `way` of those kept in the last step; without a number, the end of the step."""
        if way <= 0:
            return self.workspace.state
        stride = self.workspace.driver.shape.stride
        return self.workspace.driver.events.examined.flat[(way - 1) * stride : way * stride]

    def _examine_last_step(self) -> bool:
        """Examine the singularities of the last step; return True if the run goes on."""
        if self._poor:
            self._poor = False
            if not self._other_set():
                self.workspace.driver.clock[1] *= 0.1
        candidates, self._candidates = self._candidates, []
        for since_start, way, size in candidates:
            found = self._make_passage(since_start, way)
            if found.true and self.problem.has_tangents:  # steps in tangent coordinates note what they pass themselves
                continue
            if found.true and (way == LINGERS or self.spec.goes_through):
                self._remember(since_start, found)
            if way != LINGERS and self._note_passage(found, size) and found.true and not self.spec.goes_through:
                return self._ends_with(found)
        for found in self._crossings:
            assert found.event is not None
            self._note(found.event)
            if not self.spec.goes_through:
                return self._ends_with(found)
        return self._branch_examined()

    def _positions_passed(self) -> list[Passage]:
        """Singular positions that steps in tangent coordinates passed, or turned beside."""
        t, nq, nv = self.workspace.driver.tangent, self.problem.model.nq, self.problem.model.nv
        found: list[Passage] = []
        for i in range(t.n_passed):
            at, mismatch, lost, exact = t.passed[PASSED * i : PASSED * (i + 1)].tolist()
            q, v, at = t.passed_q[nq * i :][:nq].copy(), t.passed_v[nv * i :][:nv].copy(), self._shown_time(at)
            event = (
                passed_position(at, mismatch, int(lost)) if exact else change_point_event(self.problem, at, mismatch)
            )
            found.append(Passage(at, bool(exact), event, q, v))
        t.n_passed = 0
        return found

    def _ends_with(self, found: Passage) -> bool:
        self.ended = found
        self.recording.cut(found.t)
        return False

    def _remember(self, since_start: float, found: Passage) -> None:
        """Keep a passage until the configuration is regular again, with the last one that was regular before it."""
        if self._crossing is None and self.workspace.driver.events.t_regular >= 0.0:
            before = self.workspace.driver.events.before.flat[: self.problem.model.nq].copy()
            self._crossing = PassedSingularity(since_start, found.q, before, found.v)

    def _branch_examined(self) -> bool:
        """See whether the motion after a passage is on the branch it came on, once it is regular again."""
        if self._crossing is None:
            return True
        model, nq = self.problem.model, self.problem.model.nq
        crossing = replace(self._crossing, t=self._shown_time(self._crossing.t))
        regular = self.workspace.driver.events.t_regular > self._crossing.t
        if regular:
            event = left_branch(model, crossing, self.workspace.driver.events.regular.flat[:nq].copy())
        else:
            event = stays_singular(model, crossing, self.workspace.state[:nq].copy())
        if event is not None:
            self._note(event)
        if regular or event is not None:
            self._crossing = None
        if event is None:
            return True
        self.workspace.driver.events.t_regular = -1.0
        return self._ends_with(Passage(event.t, True, event, crossing.q, crossing.v))  # there it is another motion

    def _note_passage(self, found: Passage, size: float) -> bool:
        """Note the event of a passage in a step of a size, if it has one that does not repeat the last."""
        if found.event is None or self._noted_before(found, size):
            return False
        self._last = found
        self._note(found.event)
        return True

    def _noted_before(self, found: Passage, size: float) -> bool:
        """Return True if a passage repeats the last one: several loops pass it together, in rough steps not at once."""
        last = self._last
        if last is None or last.event is None or found.event is None or last.event.name != found.event.name:
            return False
        soon = found.t - last.t <= _SAME * size
        return soon or (found.true and largest_configuration_difference(self.problem, found.q, last.q) < _SAME)

    def _make_passage(self, since_start: float, way: int) -> Passage:
        """Passage at an instant of least determinant, the state of which is number `way` of those kept.

        At the end of a step: the determinant stays near zero, or it changed its sign without such an instant.
        """
        t, nq = self._shown_time(since_start), self.problem.model.nq
        if way == REGULAR_PASSAGE:
            return Passage(t, False, type_2(t), self.workspace.state[:nq].copy())
        if way == JUMPED:
            return Passage(t, False, branch_jump_event(t), self.workspace.state[:nq].copy())
        state = self._examined_state(way)
        found = singular_passage(
            self.problem, normalize_quaternions(self.problem.model.setup.simplified, state[:nq]), t
        )
        if self.problem.expands:  # velocities do not follow from independent ones there
            return found
        return replace(found, v=state[nq : nq + self.problem.ns].copy())

    def _other_set(self) -> bool:
        """Go on in other independent velocities when the present ones are near their own singularity."""
        if not self.problem.expands or self.changes >= _MOST_CHANGES:
            return False
        q, v = self.full_state()
        found = other_independents(self.problem, q)
        if found is None:
            return False
        self.changes += 1
        names = [found.model.v_names[i] for i in found.independent or ()]
        self._note(
            Event(self.now, "coordinates", ", ".join(names), f"the independent velocities are now {', '.join(names)}")
        )
        self._in_independents(found, q, v)
        return True

    def _in_independents(self, found: Problem, q: np.ndarray, v: np.ndarray) -> None:
        """Go on from a state with the problem in other independent velocities."""
        roots = root_functions(found, self.crossings, self.spec.stops_at_limits)
        self.workspace.continue_with(found, roots, q, v)
        self.workspace.driver.settings.max_steps = self.spec.max_steps
        if "jacobian" in self.workspace.functions:
            self.workspace.put("jacobian", jacobian_kernel(found, self.spec.actuation, type(self.spec.method).__name__))
        self._bind()

    def _note(self, event: Event) -> None:
        self.events.append(event)
        self.recording.note(event)

    def _take_over(self) -> None:
        """Rows and events of the slice; then what callbacks raised."""
        positions = self._positions_passed()
        self._crossings = [found for found in positions if found.true]
        for found in positions:
            if not found.true and found.event is not None:
                self._note(found.event)
        events = self.workspace.driver.events
        fresh = events.found[: NOTED * events.n_found].reshape(-1, NOTED).tolist() if events.n_found else []
        undefined = None
        for since_start, number, way, _, size in sorted(fresh):
            t = self._shown_time(since_start)
            kind, name = self.workspace.roots.names[int(number)]
            if kind == CROSSING and way == UNDEFINED:
                undefined = undefined or event_not_finite_error(f"'{name}'", t)
            elif kind == SINGULARITY and way == REGULAR_PASSAGE and not self._candidates:
                self._note_passage(self._make_passage(since_start, REGULAR_PASSAGE), size)
            elif kind == SINGULARITY:
                self._candidates.append((since_start, int(way), size))
            elif kind == CONDITIONING:
                self._poor = True
            else:
                self._note(self.workspace.roots.event(t, int(number), way))
        events.n_found = 0
        self.recording.commit(self.workspace.driver.step.written, now=False)
        functions = self.workspace.functions
        theirs = take_errors(functions.get(name) for name in _OF_CALLER)
        self.fault = take_errors(functions.values())
        if theirs is not None:
            raise theirs
        if self.fault is not None and not isinstance(self.fault, NO_RESULT):
            raise self.fault
        if undefined is not None:
            raise undefined


def phase_runner(
    spec: RunSpec[Start],
    workspace: RunWorkspace,
    recording: Recording,
    crossings: tuple[Crossing, ...],
    times: Times | None = None,
    *,
    progress: Callable[[float], Any] | None = None,
    events: list[Event] | None = None,
    phase: dict[str, Any] | None = None,
) -> Runner:
    """The runner of a workspace that has begun, with the rows of the run or those of a later phase.

    Args:
        spec: what is computed.
        workspace: with the state at the beginning.
        recording: takes the rows.
        crossings: the caller's, and those of switches.
        times: of the rows; all those of the run by default.
        progress: called with the share done.
        events: a list to which events are added.
        phase: beginning of the phase as JSON data, for the state of the run.
    """
    times = spec.times if times is None else times
    workspace.rows_into(times.since_start, recording.table, times.shown)
    listed = [] if events is None else events
    return Runner(spec, workspace, recording, crossings, progress, listed, phase=phase)


def _written_passage(found: Passage) -> list[Any]:
    event = None if found.event is None else [found.event.t, found.event.kind, found.event.name, found.event.text]
    return [found.t, found.true, event, found.q.tolist()]


def _read_passage(written: list[Any]) -> Passage:
    t, true, event, q = written
    return Passage(t, true, None if event is None else Event(*event), np.array(q))


def _written_crossing(found: PassedSingularity) -> list[Any]:
    return [found.t, found.q.tolist(), found.before.tolist(), None if found.v is None else found.v.tolist()]


def _read_passed_singularity(written: list[Any]) -> PassedSingularity:
    t, q, before, v = written
    return PassedSingularity(t, np.array(q), np.array(before), None if v is None else np.array(v))
