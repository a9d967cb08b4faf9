"""Runs whose loops close and open: one phase after the other, each with its own mechanism, in one result.

`simulation/api.py` enters here for runs with `Close` or `Open` events: `switched_spec` checks them, and
`SwitchedRun` computes the phases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, AssemblyError, CompilerError, MechanismError, SingularityError
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.model import Model
from linkwright.results.recording import Recording, State
from linkwright.results.result import Result
from linkwright.results.series import Event
from linkwright.simulation.drivers.driver_records import (
    STOPPED,
    Counts,
)
from linkwright.simulation.integrators import Method
from linkwright.simulation.problem.problem import Problem
from linkwright.simulation.root_functions import CROSSING
from linkwright.simulation.running.flexible_links import axial_load_shares
from linkwright.simulation.running.metadata import acceleration_agreement
from linkwright.simulation.running.run import Runner, phase_runner
from linkwright.simulation.running.run_spec import RunSpec, Start
from linkwright.simulation.running.run_workspace import RunWorkspace
from linkwright.simulation.switching.impulses import ClosedState, closed_at, holds_along
from linkwright.simulation.switching.switch_events import SwitchEvents
from linkwright.simulation.switching.switches import (
    Close,
    Open,
    Switch,
    every_loop,
    know_topologies,
    model_with_loops,
    pose_from_data,
    require_switches,
    switch_title,
    written_pose,
    written_topologies,
)

MOST_SWITCHES = 1000
MOST_AT_ONCE = 50
_LOOKS = 100
_LISTS = ("impulses", "phases", "agreements", "_times")

Array = np.ndarray


@dataclass(eq=False)
class SwitchedRun:
    """State of a run with switches: closed loops, their anchors, and the events noted so far."""

    spec: RunSpec[Start]
    recording: Recording
    closed: frozenset[str] = frozenset()
    anchors: dict[str, RigidTransform] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    impulses: list[dict[str, Any]] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    agreements: list[dict[str, Any]] = field(default_factory=list)
    refused: str = ""
    axial_loads: dict[str, float] = field(default_factory=dict)
    _extras: Array = field(default_factory=lambda: np.zeros(2))
    _last: Runner | None = None
    _times: list[float] = field(default_factory=list)
    _earlier: bool = False

    def __post_init__(self) -> None:
        spec = self.spec
        self.closed = frozenset(joint.name for joint in spec.model.mechanism.loops)
        self._switch_events = SwitchEvents(spec)

    def run(self) -> Runner:
        """Run all phases to the end and return the runner of the last one."""
        t, q, v = 0.0, self.spec.start.q, self.spec.start.v
        fired: list[Switch] = []
        resumed = self.recording.state
        if resumed is None:
            self._switch_events.require_apart(q, self.closed)
        else:
            t, q, v = self._restore_phase(resumed.about["phase"])
        while True:
            try:
                now = self.spec.times.origin + t
                if fired:
                    q, v = self._switch_loops(now, q, v, fired)
                if resumed is None:
                    self._let_go(now, q, v)
                runner, resumed = self._phase(t, q, v, resumed), None
            except (AssemblyError, MechanismError, SingularityError) as error:
                if self._last is None:
                    raise
                self.refused = str(error)
                self._note(Event(now, "refused", fired[0].loop, str(error)))
                return self._last
            fired = self._fired_switches(runner)
            if not fired:
                return runner
            t, (q, v) = runner.elapsed_time, runner.full_state()

    def meta(self) -> dict[str, Any]:
        """For the meta of the run: its switches, what closed when and how hard, and the agreement of all phases."""
        switches: dict[str, Any] = {"switches": [exact_text(each) for each in self.spec.switches]}
        switches |= {"phases": self.phases, "impulses": self.impulses}
        return switches | ({"agreement": _combined_agreement(self.agreements)} if self.spec.check else {})

    def _model(self, q: Array) -> Model:
        return model_with_loops(self.spec.model, self.closed, self.anchors, q)

    def _phase_as_json(self, t: float, q: Array, v: Array) -> dict[str, Any]:
        """The beginning of a phase as JSON data, from which a resumed run begins it once more."""
        return {
            "t": t,
            "q": q.tolist(),
            "v": v.tolist(),
            "rows": len(self.recording.rows),
            "closed": sorted(self.closed),
            "anchors": {name: written_pose(x) for name, x in self.anchors.items()},
            "topologies": written_topologies(self.spec.model, self.anchors),
            "extras": self._extras.tolist(),
            "earlier": self._last is not None or self._earlier,
            **{name: list(getattr(self, name)) for name in _LISTS},
        }

    def _restore_phase(self, written: dict[str, Any]) -> tuple[float, Array, Array]:
        """Set the state to the beginning of a phase; return its time, coordinates and velocities."""
        named = self._switch_events.named
        self.closed = frozenset(written["closed"])
        self.anchors = {name: pose_from_data(x) for name, x in written["anchors"].items()}
        know_topologies(self.spec.model, written["topologies"])
        self.events += [e for e in self.recording.events if not (e.kind == CROSSING and e.name in named)]
        self._extras, self._earlier = np.array(written["extras"]), written["earlier"]
        for name in _LISTS:
            getattr(self, name)[:] = written[name]
        return written["t"], np.array(written["q"]), np.array(written["v"])

    def _phase(self, t: float, q: Array, v: Array, resumed: State | None = None) -> Runner:
        """Run one phase, from a switch at t after the start of the run to the next switch."""
        spec, model = self.spec, self._model(q)
        began = self._phase_as_json(t, q, v) if resumed is None else resumed.about["phase"]
        first, now = began["rows"], spec.times.origin + t
        made = self._problem(model)
        crossings = (*spec.crossings, *self._switch_events.crossings(model, self.closed, (now, q, v)))
        roots = self._switch_events.root_functions(made, crossings, spec.stops_at_limits)
        workspace = RunWorkspace(made, spec.method, roots)
        times = spec.times.after(t) if began["earlier"] else spec.times
        workspace.begin_run((q, v), t, spec.actuation, times.origin)
        self._carried_over(workspace, first)
        self._switch_events.held = workspace.tau
        runner = phase_runner(
            spec, workspace, self.recording, crossings, times,
            progress=self._progress(t), events=self.events, phase=began,
        )  # fmt: skip
        if resumed is not None:
            runner.resume(resumed)
        self.phases.append({"t": now, "closed": sorted(self.closed)})
        runner.to(spec.times.duration)
        self._last = runner
        rows = self.recording.rows[first:]
        for name, share in axial_load_shares(model, made.acting, spec.actuation.loads, rows).items():
            self.axial_loads[name] = max(share, self.axial_loads.get(name, 0.0))
        if spec.check:
            self.agreements.append(acceleration_agreement(runner.problem, rows, spec.actuation.loads))
        return runner

    def _problem(self, model: Model) -> Problem:
        try:
            return replace(self.spec, model=model).problem
        except (ZeroDivisionError, CompilerError) as error:
            held = ", ".join(f"'{name}'" for name in sorted(self.closed)) or "none"
            raise MechanismError(
                f"'{model.mechanism.name}' has no equations of motion when of its loops {held} hold: a body without "
                f"mass is free to move then; give every body mass and inertia ({error})"
            ) from error

    def _carried_over(self, workspace: RunWorkspace, rows: int) -> None:
        """Carry rows written, counts, work and losses over from the earlier phases."""
        workspace.driver.step.written = rows
        if self._last is not None:
            for name in Counts.fields:
                setattr(workspace.driver.counts, name, getattr(self._last.workspace.driver.counts, name))
            n = workspace.problem.n
            workspace.state[n - 2 : n] = self._extras

    def _progress(self, t: float) -> Callable[[float], Any] | None:
        progress, last = self.spec.output.progress, self.spec.times.duration
        return None if progress is None else lambda share: progress((t + share * (last - t)) / last)

    def _fired_switches(self, runner: Runner) -> list[Switch]:
        """Switches that ended the phase; none when it ended otherwise (end time, limit, event of the caller)."""
        named = self._switch_events.named
        fired = [named[e.name] for e in self.events if e.kind == CROSSING and e.name in named]
        self.events[:] = [e for e in self.events if not (e.kind == CROSSING and e.name in named)]
        if runner.status != STOPPED or not fired or runner.ended is not None:
            return []
        t, (q, v) = runner.now, runner.full_state()
        n = runner.problem.n
        self._extras = runner.workspace.state[n - 2 : n].copy()
        self._times.append(t)
        return fired + self._switch_events.together(fired, self.closed, (t, q, v))

    def _switch_loops(self, t: float, q: Array, v: Array, fired: list[Switch]) -> tuple[Array, Array]:
        self._require_progress(t)
        for each in fired:
            if isinstance(each, Open) and each.loop in self.closed:
                self._open_loops(t, each.loop, "it is no longer pushed" if each.by_force else "as requested")
        closing = [each for each in fired if isinstance(each, Close) and each.loop not in self.closed]
        if not closing:
            return q, v
        done = closed_at(
            self.spec.model,
            (q, v),
            self.closed,
            self.anchors,
            closing,
            self._switch_events.pushing(self.closed, closing),
        )
        self._extras[1] += sum(done.impact.lost.values())
        self._note_impacts(t, closing, done)
        for name in sorted(self.closed - done.closed):
            self._open_loops(t, name, "let go rather than pull in the impact")
        self.closed, self.anchors = done.closed, done.anchors
        return done.q, done.impact.v

    def _require_progress(self, t: float) -> None:
        many = len(self._times) > MOST_SWITCHES
        if many or (len(self._times) >= MOST_AT_ONCE and self._times[-MOST_AT_ONCE] == t):
            n, where = (MOST_SWITCHES, "in the run") if many else (MOST_AT_ONCE, "in one instant")
            raise SingularityError(
                f"loops closed and opened {n} times {where}, so the run does not get on; look for switches that undo "
                "each other, or take a larger settle in Close(...)"
            )

    def _let_go(self, t: float, q: Array, v: Array) -> None:
        """Open the loops that would have to pull from now on."""
        while (name := self._switch_events.pulling(self._model(q), self.closed, (t, q, v))) is not None:
            self._open_loops(t, name, "its force would have to pull")

    def _open_loops(self, t: float, name: str, why: str) -> None:
        self.closed -= {name}
        self.anchors.pop(name, None)
        self._note(Event(t, "opened", name, f"loop '{name}' opens: {why}"))

    def _note_impacts(self, t: float, closing: list[Close], done: ClosedState) -> None:
        found, bodies = done.impact, every_loop(self.spec.model.mechanism)
        for name in (each.loop for each in closing if each.loop in found.kept):
            kind = "bounced" if name in done.bounced else "closed"
            moment, force = (np.array2string(x + 0.0, precision=6) for x in np.split(found.wrenches[name], 2))
            text = (
                f"loop '{name}' {'parts again' if kind == 'bounced' else 'closes'}: impulse of force {force} N s and "
                f"of moment {moment} N m s on '{bodies[name].child}' in its axes, kinetic energy lost "
                f"{found.lost[name]:.6g} J"
            )
            self._note(Event(t, kind, name, text))
        for name, wrench in found.wrenches.items():
            self.impulses.append({"t": t, "loop": name, "impulse": wrench.tolist(), "lost": found.lost[name]})

    def _note(self, event: Event) -> None:
        self.events.append(event)
        self.recording.note(event)

    def with_refusal(self, run: Result) -> Result:
        """The run, with the reason as its end where a loop could not close."""
        if not self.refused:
            return run
        ended = run.meta["ended"] | {"kind": "refused", "text": self.refused}
        events = [
            replace(each, name="refused", text=self.refused) if each.kind == "end" else each for each in run.events
        ]
        return Result(run.t, run.series, run.meta | {"complete": False, "ended": ended}, tuple(events))


def most_rows(spec: RunSpec[Start]) -> int:
    """Rows that a run with switches may have: two more at every switch."""
    return len(spec.times.shown) + 2 * MOST_SWITCHES


def switched_spec(spec: RunSpec[Start]) -> RunSpec[Start]:
    """The specification with steps short enough not to step over a contact; refuses what switches do not go with."""
    _require_fit(spec)
    return replace(spec, method=limit_longest_step(spec.method, spec.times.duration))


def _require_fit(spec: RunSpec[Start]) -> None:
    require_switches(spec.model, spec.switches)
    _require_normals(spec)
    if isinstance(spec.formulation, VirtualSprings):
        raise ArgumentError("Close(...) closes loops at once, and VirtualSprings(...) never does; take Multipliers()")
    if spec.actuation.states:
        raise ArgumentError("a law with states of its own cannot drive a run with Close(...) or Open(...)")
    if spec.output.pace is not None:
        raise ArgumentError(
            "a run with Close(...) or Open(...) cannot be held back to the clock; leave pace or the events out"
        )


def _require_normals(spec: RunSpec[Start]) -> None:
    """Refuse normals along which a loop cannot push; anchored loops are checked where they close."""
    known = every_loop(spec.model.mechanism)
    anchored = {each.loop for each in spec.switches if isinstance(each, Close) and each.anchor}
    for each in spec.switches:
        pushes = each.by_force if isinstance(each, Open) else each.restitution > 0.0
        joint = known[each.loop]
        if not pushes or each.normal is None or joint.kind.rod_length is not None or each.loop in anchored:
            continue
        if not holds_along(joint, each.normal):
            kind = type(joint.kind).__name__.lower()
            raise ArgumentError(
                f"{switch_title(each)} has the normal {each.normal}, along which a {kind} joint is free; turn the "
                "normal"
            )


def limit_longest_step(method: Method, duration: float) -> Method:
    """The method with steps short enough not to step over a contact, unless the caller set the longest step."""
    if method.h is not None or getattr(method, "h_max", 0.0) < float("inf"):
        return method
    return replace(method, h_max=duration / _LOOKS)  # type: ignore[type-var]


def _combined_agreement(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Agreement of all phases: the methods used, all samples, the largest difference."""
    compared = [each for each in found if each]
    if not compared:
        return {}
    methods = ", ".join(dict.fromkeys(each["method"] for each in compared))
    samples = sum(each["samples"] for each in compared)
    return {"method": methods, "samples": samples, "relative": max(each["relative"] for each in compared)}
