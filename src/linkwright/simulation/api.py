"""Public entry point for one run: `simulate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from linkwright.errors import ArgumentError
from linkwright.formulations.formulation import Formulation
from linkwright.model import Model
from linkwright.results.result import Result
from linkwright.simulation.events.watching import Crossing, watch
from linkwright.simulation.methods.methods import DOP853, Method
from linkwright.simulation.problem.efforts import drive
from linkwright.simulation.problem.problem import problem
from linkwright.simulation.report import reporting
from linkwright.simulation.report.beam_series import with_beams
from linkwright.simulation.running.columns import columns
from linkwright.simulation.running.memory import Memory, load
from linkwright.simulation.running.pacing import Pace
from linkwright.simulation.running.run import Runner
from linkwright.simulation.running.starting import start
from linkwright.simulation.running.table import table
from linkwright.simulation.running.times import checked_span, output_times
from linkwright.simulation.switching.phases import Request, phased, require_fit
from linkwright.simulation.switching.switches import Close, Open, listed

if TYPE_CHECKING:
    from linkwright.control.laws import Effort

_SPARE = 8


def simulate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    t_end: float = 1.0,
    effort: Effort | None = None,
    formulation: Formulation | None = None,
    method: Method | None = None,
    t_start: float = 0.0,
    output: ArrayLike | None = None,
    events: Sequence[Crossing] = (),
    stop_at_limits: bool = False,
    on_singularity: Literal["stop", "continue"] = "stop",
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[float], object] | None = None,
    check: bool = True,
    pace: Pace | None = None,
    switches: Sequence[Close | Open] = (),
) -> Result:
    """Simulate the motion of a mechanism from a state, stepped in machine code.

    Args:
        model: from `build`.
        q, v: state at the start, (nq,), (nv,); loops a little open are closed; v None is zero.
        t_end: when to stop, [s].
        effort: constant efforts, (na,) or by actuator name, an effort law (an object with tau(t, q, v), compiled),
            `Sampled(f, rate)`, or a Python function of (t, q, v), called at every derivative (slow); None is zero.
        formulation: how loops are kept closed; `Multipliers()` by default.
        method: `DOP853(rtol)` by default; `DP5(...)`, `RK4(h)`, `Rodas5P(...)` for stiff springs.
        t_start: time at the start, [s]; steps count from it, so that a late start costs no digits.
        output: number of rows (201), time between rows [s], or an array of times.
        events: `Crossing(name, function)` of (t, q, v).
        stop_at_limits: end the run where a joint reaches a limit; limits are events in any case.
        on_singularity: "stop" or "continue" where the loops' equations lose rank.
        path: where to save the result; what was computed so far can be opened there after a crash.
        progress: called with the share done, now and then.
        check: compare accelerations with a second method at some instants.
        pace: `Pace()` holds the run back to the wall clock; `run.meta["real time"]` reports deadlines.
        switches: `Close(loop, ...)` and `Open(loop, ...)`: loops that close and open on the way; `run.meta["impulses"]`
            has the impulses.

    Returns: the rows as a `Result`; `run.events` and `run.meta["ended"]` report how it ended.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> run = lw.simulate(arm, [0, 0, 0], t_end=0.5)
    >>> round(float(run.q[-1, 0]), 6)
    -1.843432
    """
    method = DOP853() if method is None else method
    _require(model, method, on_singularity, events)
    made = problem(model, formulation)
    begin = start(model, q, v)
    times = output_times(output, *checked_span(t_start, t_end))
    driven = drive(model, effort)
    if chosen := listed(switches):
        request = Request(model, chosen, formulation, method, driven, effort, times, events, stop_at_limits)
        request = replace(request, go_through=on_singularity == "continue", progress=progress, check=check)
        require_fit(request, pace)
        return phased(request, begin, path)
    watched = watch(made, events, stop_at_limits)
    memory = Memory(made, method, watched.code, watched.kinds)
    meta = reporting.beginning(model, made, method, driven, begin, (float(t_start), float(t_end)))
    rows = table(path, columns(model), len(times.shown) + _SPARE, meta)
    load(memory, (begin.q, begin.v), driven, times, rows.rows, 0.0, method)
    runner = Runner(
        made, memory, driven, watched, rows, progress, on_singularity == "continue", (events, stop_at_limits), pace
    )
    runner.to(times.duration)
    result = with_beams(model, reporting.result(runner, meta, begin, check))
    if path is not None:
        result.save(path)
        rows.discard()
    return result


def _require(model: Any, method: Any, on_singularity: str, events: Any) -> None:
    if not isinstance(model, Model):
        raise ArgumentError(f"simulate takes a Model, found {type(model).__name__}; make one with linkwright.build")
    if not isinstance(method, Method):
        raise ArgumentError(f"method is {method!r}, expected RK4(h), DP5(...), DOP853(...) or Rodas5P(...)")
    if on_singularity not in ("stop", "continue"):
        raise ArgumentError(f"on_singularity is {on_singularity!r}, expected 'stop' or 'continue'")
    if not isinstance(events, Sequence) or isinstance(events, str):
        raise ArgumentError(f"events is {events!r:.60}, expected a list of Crossing(name, function)")
