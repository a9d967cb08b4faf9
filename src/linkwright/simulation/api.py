"""Public entry point for one run, `simulate`, and its way from the specification to the result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from linkwright.checks import require_flag
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.files import require_replaceable
from linkwright.formulations.formulation import Formulation
from linkwright.model import Model
from linkwright.results.recording import Recording
from linkwright.results.result import Result
from linkwright.results.series import Sensitivity
from linkwright.simulation.integrators import DEFAULT, Method, examples_of_methods
from linkwright.simulation.problem.applied_loads import EndStops, RunWrench, model_with_stops, require_stops
from linkwright.simulation.problem.run_efforts import actuation_of
from linkwright.simulation.root_functions import Crossing
from linkwright.simulation.running.energy_balance import warn_of_lost_energy
from linkwright.simulation.running.metadata import RunBalance, result_of_runner, run_balance
from linkwright.simulation.running.run import Runner, phase_runner
from linkwright.simulation.running.run_output import Output, checked_span, output_times
from linkwright.simulation.running.run_spec import (
    MAX_STEPS,
    RunSpec,
    Start,
    checked_budget,
    require_affordable,
    start_state,
)
from linkwright.simulation.running.run_workspace import workspace_of_run
from linkwright.simulation.switching.switches import Close, EventKind, Open

if TYPE_CHECKING:
    from linkwright.control.laws import Effort
    from linkwright.simulation.switching.phases import SwitchedRun

_SPARE = 8


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run that is over, with its energy balance.

    Attributes:
        runner: that advanced it last.
        axial_loads: of beams, as shares of what buckles them, where loops closed and opened on the way.
    """

    result: Result
    balance: RunBalance
    runner: Runner
    axial_loads: dict[str, float] | None = None

    def warn(self) -> None:
        """Warn the caller of lost energy, and of axial loads that change how links bend."""
        spec = self.runner.spec
        if self.balance.is_worth_a_warning:
            name = spec.model.mechanism.name
            warn_of_lost_energy(name, self.balance.whole, "run.events shows when it drifts most")
        if spec.model.setup.tree.beams:
            self._warn_of_axial_loads(spec)

    def _warn_of_axial_loads(self, spec: RunSpec[Start]) -> None:
        from linkwright.simulation.running.flexible_links import axial_load_shares, warn_of_axial_loads

        loads, rows = self.axial_loads, self.balance.rows
        if loads is None:
            loads = axial_load_shares(spec.model, self.runner.problem.acting, spec.actuation.loads, rows)
        warn_of_axial_loads(spec.model, loads)


def execute(spec: RunSpec[Start], resume: bool = False) -> FinishedRun:
    """Run what a specification says; `resume` goes on with the unfinished run in its file."""
    if spec.switches:
        from linkwright.simulation.switching.phases import SwitchedRun, most_rows, switched_spec  # seldom needed

        spec = switched_spec(spec)
        with _recording_of_run(spec, most_rows(spec), resume) as recording:
            phases = SwitchedRun(spec, recording)
            return _finish(phases.run(), phases)
    workspace = workspace_of_run(spec)
    problem = workspace.problem
    with _recording_of_run(spec, len(spec.times.shown), resume) as recording:
        runner = phase_runner(spec, workspace, recording, spec.crossings, progress=spec.output.progress)
        if recording.state is not None:
            runner.events.extend(recording.events)
            runner.resume(recording.state)
        runner.to(spec.times.duration)
        found = _finish(runner)
        if workspace.problem is problem and not spec.crossings:
            workspace.give_back()
    return found


def _recording_of_run(spec: RunSpec[Start], rows: int, resume: bool) -> Recording:
    """The table of a run, with space for so many rows: in memory, or also in a file beside that of the result."""
    out, columns, capacity = spec.output, spec.columns, rows + _SPARE
    if out.path is None:
        return Recording(None, columns, capacity)
    from linkwright.results.run_files import SAVED_RUN

    SAVED_RUN.file(out.path)
    if not out.overwrite:
        from linkwright.results.result_reader import RUN  # readers of all formats

        require_replaceable(out.path, RUN)
    meta, request = spec.meta(), spec.request()
    return Recording(out.path, columns, capacity, meta, request, resume=resume, overwrite=out.overwrite)


def _finish(runner: Runner, phases: SwitchedRun | None = None) -> FinishedRun:
    """The result of a run that is over, saved where it is to be."""
    spec, balance = runner.spec, run_balance(runner)
    derivatives = partial(_sensitivity, spec, runner.now) if phases is None else None
    result = result_of_runner(runner, balance, None if phases is None else phases.meta, derivatives)
    if spec.model.setup.tree.beams:
        from linkwright.simulation.running.flexible_links import with_beams

        result = with_beams(spec.model, result, derivatives)
    result = result if phases is None else phases.with_refusal(result)
    if spec.output.path is not None:
        result.save(spec.output.path)
        runner.recording.discard()
    return FinishedRun(result, balance, runner, None if phases is None else phases.axial_loads)


def _sensitivity(spec: RunSpec[Start], t_end: float, *given: Any) -> Sensitivity:
    from linkwright.simulation.sensitivity import state_sensitivity  # seldom needed

    return state_sensitivity(spec, t_end, *given)


_OUTPUT = Output()


def simulate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    t_end: float = 1.0,
    effort: Effort | None = None,
    formulation: Formulation | None = None,
    method: Method | None = None,
    *,
    t_start: float = 0.0,
    output: Output | ArrayLike | None = None,
    events: Sequence[Crossing | Close | Open | EventKind] = (),
    stop_at: Sequence[Literal["singularity", "limits"]] = ("singularity",),
    check: bool = True,
    p: ArrayLike | None = None,
    resume: bool = False,
    max_steps: int = MAX_STEPS,
    wrench: RunWrench | None = None,
    stops: EndStops | None = None,
) -> Result:
    """Simulate the motion of a mechanism from a state, stepped in machine code.

    Args:
        model: from `build`.
        q, v: state at the start, (nq,), (nv,); loops a little open are closed; v None is zero.
        t_end: when to stop, [s].
        effort: constant efforts, (na,) or by actuator name, an effort law (an object with tau(t, q, v), compiled, with
            states of its own or without), `Sampled(f, rate)`, or a Python function of (t, q, v), called at every
            derivative (slow); None is zero.
        formulation: how loops are kept closed; `Multipliers()` by default.
        method: `DOP853(rtol)` by default; `DP5(...)`, `RK4(h)`, `Rodas5P(...)` for stiff springs.
        t_start: time at the start, [s]; steps count from it, so that a late start costs no digits.
        output: number of rows (201), time between rows [s], an array of times, or `Output(rows, path, progress, pace)`.
        events: `Crossing(name, function)` of (t, q, v); `Close(loop, ...)` and `Open(loop, ...)`, loops that close and
            open on the way, with their impulses in `run.meta["impulses"]`; or kinds of your own (`lw.types.EventKind`).
        stop_at: what ends the run early: "singularity", where the loops' equations lose rank, and "limits" of joints;
            limits are recorded as events in any case.
        check: compare accelerations with a second method at some instants.
        p: values of the model's inputs (`model.parameters`), (n_p,); those of the model by default.
        resume: go on with the unfinished run of `Output(path=...)`, which the same call began and something ended; the
            result is that of an uninterrupted run to the last bit. Begins at the start where there is none.
        max_steps: budget of attempted steps; a run that uses it up ends there with what was computed, and
            `run.meta["ended"]` reports "budget". Steps so short that the end is out of reach are refused at once.
        wrench: wrenches on bodies and frames: a `Wrench` or a list of them, constant or following laws of t, q and v,
            or {body: moment and force (6,)}, at the body's origin in its frame. Their work counts as that of the
            actuators.
        stops: joint limits that push back, `EndStops(stiffness, damping)`; None does not enforce limits. Energy in
            their springs counts as potential energy, what their dampers take as losses.

    Returns: the rows as a `Result`; `run.events` and `run.meta["ended"]` report how it ended.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> run = lw.simulate(arm, [0, 0, 0], t_end=0.5)
    >>> round(float(run.q[-1, 0]), 6)
    -1.843432
    """
    method = DEFAULT if method is None else method
    _require_simulation_arguments(model, method)
    model = model if p is None else model.with_parameters(p)
    ends, (crossings, switches) = listed_stops(stop_at), split_events(model, events)
    require_stops(model.mechanism, stops)
    model = model_with_stops(model, stops)
    out = output if isinstance(output, Output) else _OUTPUT if output is None else Output(output)
    _require_path(resume, out)
    actuation, begin = actuation_of(model, effort, wrench), start_state(model, q, v)
    times = output_times(out.rows, *checked_span(t_start, t_end))
    budget, check = checked_budget(max_steps), require_flag("check", check)
    spec = RunSpec(
        model, begin, actuation, times, method, formulation, crossings, switches, ends, out, check, budget, stops
    )
    if not switches and not any(each.stop for each in crossings) and not spec.stops_at_limits:
        require_affordable(method, times.duration, budget)
    finished = execute(spec, resume)
    finished.warn()
    return finished.result


def _require_simulation_arguments(model: Any, method: Any) -> None:
    if not isinstance(model, Model):
        raise ArgumentError(f"simulate takes a Model, found {type(model).__name__}; make one with linkwright.build")
    if not isinstance(method, Method):
        raise ArgumentError(f"method is {method!r}, expected {examples_of_methods()} or your own")


def _require_path(resume: Any, output: Output) -> None:
    if not isinstance(resume, bool):
        raise ArgumentError(f"resume is {resume!r:.60}, expected True or False")
    if resume and output.path is None:
        raise ArgumentError("resume goes on with a run in a file; name it: output=Output(rows, path=...)")


def listed_stops(stop_at: Any) -> tuple[str, ...]:
    """What ends the run early."""
    listed = isinstance(stop_at, Sequence) and not isinstance(stop_at, str)
    if not listed or not all(isinstance(each, str) and each in ("singularity", "limits") for each in stop_at):
        raise ArgumentError(f"stop_at is {stop_at!r:.60}, expected a list of 'singularity' and 'limits', or ()")
    return tuple(stop_at)


def split_events(model: Model, events: Any) -> tuple[tuple[Crossing, ...], tuple[Close | Open, ...]]:
    """The crossings among the events, and the loops that close and open; kinds of events say which they are."""
    expected = "Crossing(name, function), Close(loop, ...), Open(loop, ...) or your own kind with `events(model)`"
    crossings: list[Crossing] = []
    switches: list[Close | Open] = []
    if isinstance(events, str) or not isinstance(events, Sequence):
        raise ArgumentError(f"events is {events!r:.60}, expected a list of {expected}")
    for each in events:
        if isinstance(each, Crossing):
            crossings.append(each)
        elif isinstance(each, Close | Open):
            switches.append(each)
        elif callable(getattr(each, "events", None)):
            found = split_events(model, each.events(model))
            crossings.extend(found[0])
            switches.extend(found[1])
        else:
            raise ArgumentError(f"events holds {each!r:.60}, expected {expected}")
    return tuple(crossings), tuple(switches)
