"""Public entry point for one run: `simulate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from linkwright.checks import flag
from linkwright.errors import ArgumentError
from linkwright.formulations.formulation import Formulation
from linkwright.model import Model
from linkwright.results.result import Result
from linkwright.results.sensitivity import Sensitivity
from linkwright.simulation.events.root_functions import Crossing, root_functions
from linkwright.simulation.methods.methods import DEFAULT, Method
from linkwright.simulation.problem.applied_loads import AppliedLoads
from linkwright.simulation.problem.efforts import actuation_of
from linkwright.simulation.problem.problem import problem
from linkwright.simulation.problem.wrenches import RunWrench
from linkwright.simulation.running import metadata
from linkwright.simulation.running.axial_loads import warn_of_axial_loads
from linkwright.simulation.running.beam_series import with_beams
from linkwright.simulation.running.budget import MAX_STEPS, checked_budget, require_affordable
from linkwright.simulation.running.energy_balance import warn_of_lost_energy
from linkwright.simulation.running.output import Output
from linkwright.simulation.running.request import run_request
from linkwright.simulation.running.row_layout import row_columns
from linkwright.simulation.running.run import Runner
from linkwright.simulation.running.starting import start
from linkwright.simulation.running.table import table
from linkwright.simulation.running.times import checked_span, output_times
from linkwright.simulation.running.workspace import Workspace, load
from linkwright.simulation.switching.switches import Close, Open

if TYPE_CHECKING:
    from linkwright.control.laws import Effort

_SPARE = 8
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
    events: Sequence[Crossing | Close | Open] = (),
    stop_at: Sequence[Literal["singularity", "limits"]] = ("singularity",),
    check: bool = True,
    p: ArrayLike | None = None,
    resume: bool = False,
    max_steps: int = MAX_STEPS,
    wrench: RunWrench | None = None,
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
            open on the way, with their impulses in `run.meta["impulses"]`.
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

    Returns: the rows as a `Result`; `run.events` and `run.meta["ended"]` report how it ended.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> run = lw.simulate(arm, [0, 0, 0], t_end=0.5)
    >>> round(float(run.q[-1, 0]), 6)
    -1.843432
    """
    run, balance, warn_of_loads = balanced_run(
        model, q, v, t_end, effort, formulation, method, t_start=t_start, output=output, events=events, stop_at=stop_at,
        check=check, p=p, resume=resume, max_steps=max_steps, wrench=wrench,
    )  # fmt: skip
    if balance.is_worth_a_warning:
        warn_of_lost_energy(model.mechanism.name, balance.whole, "run.events shows when it drifts most")
    warn_of_loads()
    return run


def balanced_run(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None,
    t_end: float,
    effort: Effort | None = None,
    formulation: Formulation | None = None,
    method: Method | None = None,
    *,
    t_start: float = 0.0,
    output: Output | ArrayLike | None = None,
    events: Sequence[Crossing | Close | Open] = (),
    stop_at: Sequence[Literal["singularity", "limits"]] = ("singularity",),
    check: bool = True,
    p: ArrayLike | None = None,
    resume: bool = False,
    max_steps: int = MAX_STEPS,
    wrench: RunWrench | None = None,
) -> tuple[Result, metadata.RunBalance, Callable[[], None]]:
    """What `simulate` returns, its energy balance, and a warning of axial loads of beams: the caller gives them."""
    method = DEFAULT if method is None else method
    _require(model, method)
    model = model if p is None else model.with_parameters(p)
    stops, (crossings, switches) = listed_stops(stop_at), split_events(listed_events(events))
    out = output if isinstance(output, Output) else _OUTPUT if output is None else Output(output)
    _require_path(resume, out)
    actuation = actuation_of(model, effort, wrench)
    made = problem(model, formulation, AppliedLoads(actuation.loads.sites), actuation.states)
    begin = start(model, q, v)
    times = output_times(out.rows, *checked_span(t_start, t_end))
    budget, check = checked_budget(max_steps), flag("check", check)
    if not switches and not any(each.stop for each in crossings) and "limits" not in stops:
        require_affordable(method, times.duration, budget)
    at_limits, go_through = "limits" in stops, "singularity" not in stops
    if switches:
        from linkwright.simulation.switching.phases import Request, phased, require_fit

        request = Request(model, switches, formulation, method, actuation, effort, times, crossings, at_limits)
        request = replace(request, go_through=go_through, progress=out.progress, check=check, max_steps=budget)
        require_fit(request, out.pace)
        return *phased(request, begin, out, resume, stops), lambda: None
    roots = root_functions(made, crossings, at_limits)
    workspace = Workspace(made, method, roots.code, roots.kinds) if crossings else Workspace.of(made, method, roots)
    about = metadata.RunStart(made, method, actuation, begin, (times.origin, times.end))
    requested = partial(run_request, about, times, crossings, (), stops)
    load(workspace, (begin.q, begin.v), actuation, times.origin, 0.0, method)
    with table(
        out, resume, row_columns(model, actuation.states), len(times.shown) + _SPARE, about.meta, requested
    ) as rows:
        workspace.rows_into(times.since_start, rows.rows, times.shown)
        runner = Runner(
            made, workspace, actuation, roots, rows, out.progress, go_through, (crossings, at_limits), out.pace
        )
        runner.max_steps = budget
        if rows.state is not None:
            runner.events.extend(rows.events)
            runner.resume(rows.state)
        runner.to(times.duration)
        derivatives = partial(_sensitivity, about, runner.now)
        balance = metadata.run_balance(runner, method)
        result = metadata.result(runner, about, balance, check, derivatives=derivatives)
        result = with_beams(model, result, derivatives)
        loads = partial(warn_of_axial_loads, model, runner.problem.acting, actuation.loads, balance.rows)
        if runner.problem is made and not crossings:
            workspace.give_back(method, roots)
        if out.path is not None:
            result.save(out.path)
            rows.discard()
    return result, balance, loads


def _sensitivity(begin: metadata.RunStart, t_end: float, *given: Any) -> Sensitivity:
    from linkwright.simulation.sensitivity import sensitivity  # seldom needed

    return sensitivity(begin, t_end, *given)


def _require(model: Any, method: Any) -> None:
    if not isinstance(model, Model):
        raise ArgumentError(f"simulate takes a Model, found {type(model).__name__}; make one with linkwright.build")
    if not isinstance(method, Method):
        raise ArgumentError(f"method is {method!r}, expected RK4(h), DP5(...), DOP853(...), Rodas5P(...) or your own")


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


def listed_events(events: Any) -> tuple[Crossing | Close | Open, ...]:
    """Crossings, and loops that close and open."""
    expected = "Crossing(name, function), Close(loop, ...) or Open(loop, ...)"
    if isinstance(events, str) or not isinstance(events, Sequence):
        raise ArgumentError(f"events is {events!r:.60}, expected a list of {expected}")
    for each in events:
        if not isinstance(each, Crossing | Close | Open):
            raise ArgumentError(f"events holds {each!r:.60}, expected {expected}")
    return tuple(events)


def split_events(events: Sequence[Crossing | Close | Open]) -> tuple[tuple[Crossing, ...], tuple[Close | Open, ...]]:
    """The crossings among the events, and the loops that close and open."""
    crossings = tuple(each for each in events if isinstance(each, Crossing))
    return crossings, tuple(each for each in events if isinstance(each, Close | Open))
