"""Runs whose loops close and open: one phase after the other, each with its own machine, in one result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.algebra.pose import Pose
from linkwright.errors import AssemblyError, CompilerError, MechanismError, SingularityError
from linkwright.model import Model
from linkwright.results.series import Event
from linkwright.simulation.drivers import status
from linkwright.simulation.drivers.records import Counts
from linkwright.simulation.events.watching import Crossing
from linkwright.simulation.methods.methods import Method
from linkwright.simulation.problem.efforts import Drive
from linkwright.simulation.problem.problem import Problem, problem
from linkwright.simulation.report.reporting import agreement
from linkwright.simulation.running.memory import Memory, load
from linkwright.simulation.running.run import Runner
from linkwright.simulation.running.table import Table
from linkwright.simulation.running.times import Times
from linkwright.simulation.switching.armed import Armed
from linkwright.simulation.switching.closing import Closed, closed_at
from linkwright.simulation.switching.switches import Close, Open, Switch, every_loop
from linkwright.simulation.switching.topologies import topology

MOST_SWITCHES = 1000
MOST_AT_ONCE = 50

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Asked:
    """What the caller of a run with switches wants, checked."""

    model: Model
    switches: tuple[Switch, ...]
    formulation: Any
    method: Method
    driven: Drive
    effort: Any
    times: Times
    events: Sequence[Crossing] = ()
    stop_at_limits: bool = False
    go_through: bool = False
    progress: Callable[[float], Any] | None = None
    check: bool = True


@dataclass(eq=False)
class Phases:
    """A run as it goes: which loops are closed, where they are anchored, and what was noted on the way."""

    asked: Asked
    table: Table
    closed: frozenset[str]
    anchors: dict[str, Pose] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    impulses: list[dict[str, Any]] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    agreements: list[dict[str, Any]] = field(default_factory=list)
    refused: str = ""
    _extras: Array = field(default_factory=lambda: np.zeros(2))
    _last: Runner | None = None
    _times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._armed = Armed(self.asked.model, self.asked.switches, self.asked.driven, self.asked.effort)

    def run(self, q: Array, v: Array) -> Runner:
        """Phase after phase until the end; the last one's runner."""
        self._armed.require_apart(q, self.closed)
        t = 0.0
        fired: list[Switch] = []
        while True:
            try:
                now = self.asked.times.origin + t
                if fired:
                    q, v = self._switched(now, q, v, fired)
                self._let_go(now, q, v)
                runner = self._phase(t, q, v)
            except (AssemblyError, MechanismError, SingularityError) as error:
                if self._last is None:
                    raise
                self.refused = str(error)
                self._note(Event(now, "refused", fired[0].loop, str(error)))
                return self._last
            fired = self._fired(runner)
            if not fired:
                return runner
            t, (q, v) = runner.elapsed, runner.full_state()

    def _machine(self, q: Array) -> Model:
        return topology(self.asked.model, self.closed, self.anchors, q)

    def _phase(self, t: float, q: Array, v: Array) -> Runner:
        """From a switch at t after the start of the run to the next."""
        asked, machine, first = self.asked, self._machine(q), self.table.count
        now = asked.times.origin + t
        made = self._problem(machine)
        crossings = (*asked.events, *self._armed.crossings(machine, self.closed, (now, q, v)))
        watched = self._armed.watch(made, crossings, asked.stop_at_limits)
        memory = Memory(made, asked.method, watched.code, watched.kinds)
        times = asked.times if self._last is None else asked.times.after(t)
        load(memory, (q, v), asked.driven, times, self.table.rows, t, asked.method)
        self._carried_over(memory, first)
        self._armed.held = memory.tau
        runner = Runner(
            made, memory, asked.driven, watched, self.table, self._progress(t), asked.go_through,
            (crossings, asked.stop_at_limits), None, self.events,
            slices=self._last.slices if self._last else 0,
        )  # fmt: skip
        self.phases.append({"t": now, "closed": sorted(self.closed)})
        runner.to(asked.times.duration)
        self._last = runner
        if asked.check:
            self.agreements.append(agreement(runner.problem, self.table.rows[first : self.table.count]))
        return runner

    def _problem(self, machine: Model) -> Problem:
        try:
            return problem(machine, self.asked.formulation)
        except (ZeroDivisionError, CompilerError) as error:
            held = ", ".join(f"'{name}'" for name in sorted(self.closed)) or "none"
            raise MechanismError(
                f"'{machine.mechanism.name}' has no equations of motion when of its loops {held} hold: a body without "
                f"mass is free to move then; give every body mass and inertia ({error})"
            ) from error

    def _carried_over(self, memory: Memory, rows: int) -> None:
        """Rows written, counts, work and losses of the phases before."""
        memory.driver.step.written = rows
        if self._last is not None:
            for name in Counts.fields:
                setattr(memory.driver.counts, name, getattr(self._last.memory.driver.counts, name))
            n = memory.problem.n
            memory.state[n - 2 : n] = self._extras

    def _progress(self, t: float) -> Callable[[float], Any] | None:
        told, last = self.asked.progress, self.asked.times.duration
        return None if told is None else lambda share: told((t + share * (last - t)) / last)

    def _fired(self, runner: Runner) -> list[Switch]:
        """The switches at which the phase ended; none at its end, at limits and at the caller's own events."""
        named = self._armed.named
        fired = [named[e.name] for e in self.events if e.kind == "crossing" and e.name in named]
        self.events[:] = [e for e in self.events if not (e.kind == "crossing" and e.name in named)]
        if runner.status != status.STOPPED or not fired or runner.ended is not None:
            return []
        t, (q, v) = runner.now, runner.full_state()
        n = runner.problem.n
        self._extras = runner.memory.state[n - 2 : n].copy()
        self._times.append(t)
        return fired + self._armed.together(fired, self.closed, (t, q, v))

    def _switched(self, t: float, q: Array, v: Array, fired: list[Switch]) -> tuple[Array, Array]:
        self._require_progress(t)
        for each in fired:
            if isinstance(each, Open) and each.loop in self.closed:
                self._opened(t, each.loop, "it is no longer pushed" if each.by_force else "told to")
        closing = [each for each in fired if isinstance(each, Close) and each.loop not in self.closed]
        if not closing:
            return q, v
        done = closed_at(
            self.asked.model, (q, v), self.closed, self.anchors, closing, self._armed.pushing(self.closed, closing)
        )
        self._extras[1] += sum(done.impact.lost.values())
        self._told(t, closing, done)
        for name in sorted(self.closed - done.closed):
            self._opened(t, name, "let go rather than pull in the impact")
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
        while (name := self._armed.pulling(self._machine(q), self.closed, (t, q, v))) is not None:
            self._opened(t, name, "its force would have to pull")

    def _opened(self, t: float, name: str, why: str) -> None:
        self.closed -= {name}
        self.anchors.pop(name, None)
        self._note(Event(t, "opened", name, f"loop '{name}' opens: {why}"))

    def _told(self, t: float, closing: list[Close], done: Closed) -> None:
        found, bodies = done.impact, every_loop(self.asked.model.mechanism)
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
        self.table.note(event)
