"""Public entry point for many runs: `simulate_many`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.checks import require_flag, require_integer
from linkwright.compiler.runtime.code import MOST_THREADS, available_threads
from linkwright.errors import ArgumentError
from linkwright.files import FileKind, require_replaceable
from linkwright.model import Model
from linkwright.results.archives import holds_kind
from linkwright.results.recording import LaneTables, Recording, RunEnd
from linkwright.results.series import Event
from linkwright.simulation.api import listed_stops, split_events
from linkwright.simulation.drivers.driver_records import DONE, EXAMINE, EXHAUSTED, FAILED, GOING, STOPPED
from linkwright.simulation.ensemble.ensemble_record import COUNTS, INTERRUPTED, Ensemble, final_rows, npz_path
from linkwright.simulation.ensemble.lane_events import LaneEvents, LaneNotes, LaneRuns, events_of_runs, lane_events
from linkwright.simulation.ensemble.lane_workers import Advanced, Shared, run_all, share_run_set
from linkwright.simulation.ensemble.repeats import Repeats
from linkwright.simulation.ensemble.run_set import (
    RunSet,
    closed_starts,
    given_rows,
    lane_actuation,
    number_of_runs,
    vary_model,
)
from linkwright.simulation.integrators import DEFAULT, Given, Method, examples_of_methods
from linkwright.simulation.problem.applied_loads import (
    AppliedLoads,
    EndStops,
    RunWrench,
    model_with_stops,
    require_stops,
    wrench_law,
)
from linkwright.simulation.problem.lane_kernels import LaneKernels, lane_kernels
from linkwright.simulation.root_functions import Crossing
from linkwright.simulation.running.energy_balance import (
    EnergyBalance,
    balance_of_runs,
    warn_of_lost_energy,
)
from linkwright.simulation.running.flexible_links import (
    axial_load_shares,
    bends_without_shortening,
    warn_of_axial_loads,
)
from linkwright.simulation.running.metadata import BROKEN_OFF
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run_output import Output, checked_span, output_times
from linkwright.simulation.running.run_spec import MAX_STEPS, RunSpec, checked_budget, require_affordable, used_up
from linkwright.simulation.switching.switches import Close, EventKind, Open

if TYPE_CHECKING:
    from linkwright.control.laws import Law

_log = logging.getLogger(__name__)
_ENSEMBLE = FileKind("an ensemble", (".npz",), lambda file: holds_kind(file, "ensemble"))
_ROWS = 21
_MOST_NUMBERS = 1 << 29
_STATUS = {GOING: "interrupted", DONE: "done", EXHAUSTED: "budget"}
_REASONS = {
    "interrupted": INTERRUPTED,
    "doubtful": "the accelerations are ill-conditioned here; the ensemble was interrupted before the run was repeated",
}


def simulate_many(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    t_end: float = 1.0,
    effort: ArrayLike | Mapping[str, ArrayLike] | Law | None = None,
    method: Method | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    t_start: float = 0.0,
    output: ArrayLike | None = None,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
    *,
    p: ArrayLike | None = None,
    path: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    max_steps: int = MAX_STEPS,
    wrench: RunWrench | None = None,
    events: Sequence[Crossing | Close | Open | EventKind] = (),
    stop_at: Sequence[Literal["singularity", "limits"]] | None = None,
    stops: EndStops | None = None,
) -> Ensemble:
    """Simulate many runs of one mechanism that differ in start, efforts or parameters, in the processor's lanes.

    Every run keeps its own time and step, so its numbers depend neither on its neighbors nor on the threads. Loops are
    kept closed by `Multipliers`. Events are watched where they are named. A run that meets ill-conditioned
    accelerations or a loop that closes or opens, or watched a singular position, is repeated by `simulate`, which
    reports more; with `Rodas5P` all runs are done one by one on the threads. Ctrl-C ends the call with what was
    computed so far.

    Args:
        model: from `build`.
        q, v: states at the start, for all runs (nq,), (nv,), or for each (runs, nq), (runs, nv); v None is zero.
        t_end: when to stop, [s].
        effort: constant efforts (na,) or (runs, na), or by actuator name a number or (runs,), or an effort law (an
            object with tau(t, q, v)) for all runs.
        method: `DOP853(rtol)` by default; `DP5(...)`, `RK4(h)`, `Rodas5P(...)` for stiff springs.
        parameters: values (runs,) for each run by the name of a parameter of the file or the path of any number
            ("joints.B.at.x"). Also "body.mass" (runs,), "body.com" (runs, 3), "body.tensor" (runs, 3, 3) about the mass
            center, "joint.stiffness", "joint.rest", "joint.viscous", "joint.coulomb" (runs, nv of the joint) where the
            joint has a spring or friction, and "gravity" (runs, 3). SI units. What is not an input of the model yet
            is compiled as one, once.
        t_start: time at the start, [s]; steps count from it, so that a late start costs no digits.
        output: number of rows (21), time between rows [s], or an array of times.
        threads: how many; all processors by default.
        progress: called with the share of runs that are over, now and then.
        p: values of all inputs of the model for each run, (runs, n_p), instead of `parameters`.
        path: where to save the ensemble, a .npz; runs that have ended are kept beside it, whatever ends the process.
        resume: compute only the runs that an interrupted call of the same request has not kept there.
        overwrite: replace an unfinished ensemble of that name, and a file that is not an ensemble.
        max_steps: budget of attempted steps of each run; a run that uses it up has the status "budget".
        wrench: wrenches on bodies and frames for all runs, as in `simulate`; laws must be written for any scalar.
        stops: joint limits that push back, as in `simulate`.
        events: `Crossing`, `Close` and `Open`, as in `simulate`; `ensemble.events` lists those of every run, limits of
            joints among them.
        stop_at: what ends a run early, as in `simulate`: "singularity", "limits", or (); given, all events are watched.

    Returns: all runs as an `Ensemble`; `ensemble[i]` is a `Result`, `ensemble["theta1"]` is (runs, rows).

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> many = lw.simulate_many(arm, [[0, 0, 0], [0.1, 0, 0]], t_end=0.5, threads=1)
    >>> many.status, many.q.shape, round(float(many[0].q[-1, 0]), 6)
    (('done', 'done'), (2, 21, 3), -1.843432)
    """
    method = DEFAULT if method is None else method
    _require_ensemble_arguments(model, method, threads, path, resume)
    out = Output(path=path, progress=progress, overwrite=overwrite)
    crossings, switches = split_events(model, events)
    watching = bool(crossings or switches or stop_at is not None)
    ends = ("singularity",) if stop_at is None else listed_stops(stop_at)
    times = output_times(_ROWS if output is None else output, *checked_span(t_start, t_end))
    require_affordable(method, times.duration, checked_budget(max_steps))
    require_stops(model.mechanism, stops)
    found = vary_model(model_with_stops(model, stops), parameters, p)
    model, loads = found.model, wrench_law(found.model, wrench)
    kernels = lane_kernels(model, acting=AppliedLoads(loads.sites))
    actuation, taus = lane_actuation(model, effort, loads, kernels.lanes)
    q, v = given_rows("q", q, model.nq), given_rows("v", np.zeros(model.nv) if v is None else v, model.nv)
    runs = number_of_runs(q=q, v=v, effort=taus, parameters=found.values)
    _require_bounded_table(runs, len(times.shown), row_layout(model, actuation.states).width)
    starts = np.broadcast_to(closed_starts(found, q, v), (runs, model.nq + model.nv))
    start = RunSet(starts, np.broadcast_to(taus, (runs, model.na)), found)
    method = _method_for(switches, method, times.duration)
    spec = RunSpec(
        model, start, actuation, times, method, None, crossings, switches, ends, out, False, max_steps, stops
    )
    ensemble, balance, rows = _execute(spec, watching, threads, resume)
    broke_off = np.isin(ensemble.status, BROKEN_OFF)  # their ends report worse
    balance = replace(balance, drift=np.where(broke_off, 0.0, balance.drift))
    warn_of_lost_energy(model.mechanism.name, balance, "ensemble.meta['energy_balance'] has the numbers of the runs")
    if bends_without_shortening(model):
        p = np.repeat(np.broadcast_to(found.values, (runs, found.values.shape[1])), rows.shape[1], axis=0)
        rows = rows.reshape(len(p), -1)
        warn_of_axial_loads(model, axial_load_shares(model, spec.acting, loads, rows, p if p.size else None))
    return ensemble


def _execute(
    spec: RunSpec[RunSet], watching: bool, threads: int | None, resume: bool
) -> tuple[Ensemble, EnergyBalance, np.ndarray]:
    """Run what a specification says; return the ensemble, the energy balance of its runs and their rows."""
    kernels, in_lanes = spec.lanes, spec.method.is_explicit
    events = _lane_events(spec, kernels) if watching and in_lanes else None
    in_lanes = in_lanes and (events is not None or not watching)
    about = share_run_set(spec, kernels, events)
    one_by_one, runs = Repeats(about, watching), len(spec.start)
    meta, seconds = spec.meta(), ()  # type: dict[str, Any], tuple[float, ...]
    with _recording_of_ensemble(about, watching, resume) as recording:
        one_by_one.resume(recording)
        if in_lanes:
            finished, known, seconds = _in_lanes(one_by_one, events, recording, threads)
            meta |= known
        else:
            left = [i for i in range(runs) if i not in recording.ends]
            finished = not left or one_by_one.repeat(left, recording, _count_threads(threads, runs, 1))
            meta |= one_by_one.notes() if watching else {}
        balance = _energy_balance(about)
        meta["energy_balance"] = _balance_data(balance)
        ensemble = replace(_make_ensemble(about, recording.ends, meta), thread_seconds=seconds)
        if finished and spec.output.path is not None:
            ensemble.save(spec.output.path)
            recording.discard()
        elif recording.path is not None:
            text = "the ensemble was interrupted; the runs that had ended are in %s, and resume=True goes on"
            _log.warning(text, recording.path)
    return ensemble, balance, about.rows


def _recording_of_ensemble(about: Shared, watching: bool, resume: bool) -> Recording:
    """The recording of the runs, in a file beside that of the ensemble if it has one; it may have some already."""
    spec, out, column = about.spec, about.spec.output, about.runs.column
    if out.path is None:
        return Recording(None, spec.columns, 0)
    path = npz_path(out.path)
    if not out.overwrite:
        require_replaceable(path, _ENSEMBLE)
    lanes = LaneTables(spec.times.shown, about.rows, about.last, {name: column(name) for name in ("end", *COUNTS)})
    request = spec.request() | ({"watched": True} if watching else {})
    found = Recording(path, spec.columns, 0, spec.meta(), request, lanes=lanes, resume=resume, overwrite=out.overwrite)
    column("status")[list(found.ended)] = DONE
    column("status")[list(found.ends)] = FAILED
    return found


def _runs_left(about: Shared) -> list[range]:
    """Runs that are not there yet, as ranges."""
    missing = np.flatnonzero(about.runs.column("status") == GOING)
    parts = np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1)
    return [range(int(part[0]), int(part[-1]) + 1) for part in parts if len(part)]


def _energy_balance(about: Shared) -> EnergyBalance:
    """The energy balance of every run, (runs,), from its rows."""
    rows, layout = about.rows, row_layout(about.spec.model)
    q, v, energies = (rows[..., part] for part in (layout.q, layout.v, layout.energies))
    return balance_of_runs(energies, about.spec.method, q, v, about.runs.column("steps"))


def _balance_data(balance: EnergyBalance) -> dict[str, Any]:
    """The largest drift of all runs, and the runs whose energy does not balance."""
    largest = {name: float(getattr(balance, name).max()) for name in ("drift", "relative")}
    return largest | {"runs": np.flatnonzero(~balance.holds).tolist()}


def _lane_events(spec: RunSpec[RunSet], kernels: LaneKernels) -> LaneEvents | None:
    """Event functions for lanes; None where runs must be done one by one."""
    switching: tuple[Crossing, ...] | None = ()
    if spec.switches:
        from linkwright.simulation.switching.switch_events import first_crossings  # seldom needed

        switching = first_crossings(spec.model, spec.switches)
    if switching is None:
        return None
    return lane_events(spec.problem, kernels, spec.crossings, spec.stops_at_limits, switching)


def _method_for(switches: Sequence[Close | Open], method: Method, duration: float) -> Method:
    """The method, with steps no longer than those of `simulate` where loops may close."""
    if not switches:
        return method
    from linkwright.simulation.switching.phases import limit_longest_step  # seldom needed

    return limit_longest_step(method, duration)


def _in_lanes(
    one_by_one: Repeats,
    watched: LaneEvents | None,
    recording: Recording,
    threads: int | None,
) -> tuple[bool, dict[str, Any], tuple[float, ...]]:
    """Advance runs in lanes and repeat those that did not end there.

    Returns: False if interrupted, what is known about the runs, and the CPU time of each thread, [s].
    """
    about, spec, runs = one_by_one.about, one_by_one.about.spec, len(one_by_one.about.runs)
    start = np.zeros((runs, 0)) if watched is None else _left_at_start(watched, about)
    missing = _runs_left(about)
    workers = _count_threads(threads, sum(map(len, missing)), about.kernels.lanes)
    status = about.runs.column("status")

    def keep(ended: list[int], events: Mapping[int, LaneNotes]) -> None:  # the others are repeated later
        done = [i for i in ended if status[i] == DONE]
        recording.keep_runs(done, notes={i: events[i] for i in done if i in events}, now=False)

    kept = None if spec.output.path is None else keep
    done = run_all(about, workers, missing, kept) if missing else Advanced()
    meta: dict[str, Any] = {}
    finished = done.finished
    if finished:
        again = one_by_one.doubtful(recording)
        finished = not again or one_by_one.repeat(again, recording, _count_threads(threads, runs, 1))
    meta["repeated_carefully"] = len(recording.ends if watched is None else one_by_one.noted)
    if watched is not None:
        known = {i: notes for i, notes in recording.notes.items() if i not in one_by_one.noted} | done.events
        left = LaneRuns(known, start, about.rows, spec.times.origin, spec.start.varied.of)
        events = {i: each for i, each in events_of_runs(watched, left).items() if i not in one_by_one.noted}
        _keep_stopped(about, events, done.events, recording)
        meta |= one_by_one.notes(events)
    return finished, meta, tuple(done.seconds)


def _left_at_start(watched: LaneEvents, about: Shared) -> np.ndarray:
    """The event functions at the starts; runs that begin near a singular position are left to `simulate`."""
    start = about.spec.start
    values = watched.at_start(about.spec.times.origin, start.states, start.varied.values)
    about.runs.column("status")[watched.unfit(values)] = EXAMINE
    return values


def _keep_stopped(
    about: Shared, events: Mapping[int, list[Event]], notes: Mapping[int, LaneNotes], recording: Recording
) -> None:
    """Have the recording take the ends of runs that events ended in their lanes."""
    stopped = np.flatnonzero(about.runs.column("status") == STOPPED).tolist()
    ends = {i: about.spec.times.origin + about.runs[i].end for i in stopped}
    found = {i: RunEnd("event", _last_text(events[i], t), t) for i, t in ends.items()}
    recording.keep_runs(ends, found, {i: notes[i] for i in stopped})


def _last_text(events: list[Event], t: float) -> str:
    """Text of the event that ended a run at time t."""
    return [event.text for event in events if event.t <= t][-1]


def _require_ensemble_arguments(model: Any, method: Any, threads: Any, path: Any, resume: Any) -> None:
    if not isinstance(model, Model):
        raise ArgumentError(
            f"simulate_many takes a Model, found {type(model).__name__}; make one with linkwright.build"
        )
    if not isinstance(method, Method) or isinstance(method, Given):
        raise ArgumentError(f"method is {method!r}, expected {examples_of_methods()} or your own")
    if threads is not None:
        require_integer("threads", threads, 1, MOST_THREADS)
    if require_flag("resume", resume) and path is None:
        raise ArgumentError("resume goes on with an ensemble in a file; name it: path=...")


def _steps_used_text(about: Shared, i: int) -> str:
    run = about.runs[i]
    return used_up(about.spec.max_steps, f"{run.steps} accepted and {run.rejected} rejected")


def _count_threads(wanted: int | None, runs: int, lanes: int) -> int:
    return min(wanted or available_threads(), -(-runs // lanes))


def _require_bounded_table(runs: int, rows: int, width: int) -> None:
    numbers = runs * rows * width
    if numbers > _MOST_NUMBERS:
        raise ArgumentError(
            f"{runs} runs of {rows} rows need {8e-9 * numbers:.1f} GB; request fewer rows (output) or runs"
        )


def _log_unfinished_runs(mechanism: str, reasons: Mapping[int, str], runs: int) -> None:
    """Say how many runs are not done, and why: where the call was interrupted, that, else the reason of the first."""
    of, interrupted = f"{len(reasons)} of {runs} runs are not done", set(_REASONS.values())
    if interrupted & set(reasons.values()):
        _log.warning("%s: interrupted: %s; the others are complete", mechanism, of)
        reasons = {i: text for i, text in reasons.items() if text not in interrupted}
    if reasons:
        _log.warning("%s: %s; run %d: %s", mechanism, of, *next(iter(reasons.items())))


def _make_ensemble(about: Shared, repeated: Mapping[int, RunEnd], more: dict[str, Any]) -> Ensemble:
    spec = about.spec
    status = [_STATUS.get(x, "doubtful") for x in about.runs.column("status").tolist()]
    ended = spec.times.origin + about.runs.column("end")
    reasons = {i: _REASONS.get(kind) or _steps_used_text(about, i) for i, kind in enumerate(status) if kind != "done"}
    for i, (kind, text, t) in repeated.items():
        status[i], ended[i] = kind, t
        reasons.pop(i, None)
        if kind != "done":
            reasons[i] = text
    reasons = dict(sorted(reasons.items()))
    if reasons:
        _log_unfinished_runs(spec.model.mechanism.name, reasons, len(about.runs))
    meta = {"repeated_carefully": len(repeated), "lanes": about.kernels.lanes} | more | {"complete": not reasons}
    counts = {name: about.runs.column(name).copy() for name in COUNTS}
    shown = np.array(spec.times.shown)
    final = final_rows(about.rows, about.last)
    names, values = spec.columns.items, about.rows[:, :, 1:]
    return Ensemble(shown, values, names, tuple(status), ended, reasons, counts, meta, final)
