"""The meta of a run: method, end, statistics, energy balance, closure, agreement with a second method.

All but the end is found out when the meta is first read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.tree.tree_functions import WRENCH_PARTS
from linkwright.model import Model
from linkwright.model.limits import efforts_exceeded
from linkwright.numerics.tolerances import REGULAR_STATE
from linkwright.plans.scales import slight_accelerations
from linkwright.results.result import Details, Result
from linkwright.results.series import Event, Sensitivity
from linkwright.simulation.drivers.driver_records import (
    BLOWN,
    DONE,
    EXHAUSTED,
    EXTRAS,
    FAILED,
    STOPPED,
    UNDERFLOW,
)
from linkwright.simulation.integrators import Method
from linkwright.simulation.problem.applied_loads import NO_WRENCH, WrenchLaw
from linkwright.simulation.problem.problem import Problem
from linkwright.simulation.root_functions import RootFunctions
from linkwright.simulation.running.energy_balance import (
    REMEDY,
    EnergyBalance,
    balance_bound,
    balanced_energy,
    energy_balance,
    surely_balances,
)
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run import Runner
from linkwright.simulation.running.run_spec import RunSpec, Start, used_up

# Times the numbers of the last good state, beyond which those of a step are out of bounds.
_BEYOND = 1e6


def left_all_bounds(runner: Runner) -> bool:
    """Return True if an unstable step has brought the state out of all bounds."""
    d = runner.workspace.driver
    moving = d.shape.nq + d.shape.ns
    accepted, state = (float(np.abs(x.flat[:moving]).max()) for x in (d.y, d.y_new))
    return not state < _BEYOND * (1.0 + accepted)


def not_finite_message(runner: Runner) -> str:
    """Message about the law whose last value is not finite, with actuator or body, value and time; "" without one.

    Where an unstable step has brought the state out of all bounds the law is not at fault.
    """
    d, actuation, model = runner.workspace.driver, runner.spec.actuation, runner.problem.model
    if left_all_bounds(runner):
        return ""
    when, given = f"at t = {d.clock.flat[0]:.9g} s", runner.workspace.tau
    for name, value in zip(model.actuated, given[: d.shape.na], strict=False):
        if not np.isfinite(value):
            return f"{actuation.title} gave {value} for actuator '{name}' {when}; the run ends there"
    for k, value in enumerate(given[d.shape.na :]):
        if not np.isfinite(value) and actuation.loads.wrenches:
            on = actuation.loads.wrenches[k // 6].on
            part = WRENCH_PARTS[k % 6]
            return f"the law of the wrench on '{on}' gave {value} for its {part} {when}; the run ends there"
    return _states_not_finite(runner, when) if actuation.states else ""


def _states_not_finite(runner: Runner, when: str) -> str:
    """The same for states of a controller and their rates."""
    d, n = runner.workspace.driver, runner.spec.actuation.states
    own = d.shape.nq + d.shape.ns + EXTRAS
    rates = d.k.flat.reshape(-1, d.shape.stride)[:, own : own + n]
    for i in np.flatnonzero(~np.isfinite(rates).all(axis=0)):
        return (
            f"{runner.spec.actuation.title} gave a rate of its state {i} that is not finite {when}; the run ends there"
        )
    return ""


_log = logging.getLogger(__name__)
_SAMPLES = 8
_GOOD = ("done", "event")
BROKEN_OFF = ("underflow", "blown", "failed", "not finite")

_WAYS_OUT = {
    False: "start elsewhere, or pass stop_at=() to go on",
    True: "the motion could not be continued through it; start elsewhere, or tighten the tolerances",
}

_WILD = 1e9
"""[rad/s, m/s] No mechanism moves faster: accelerations that cannot be found there are no fault of its equations."""

_ENDS = {
    DONE: ("done", "the end time was reached"),
    STOPPED: ("event", "an event ended the run"),
    UNDERFLOW: ("underflow", "the step became too small to change the time"),
    BLOWN: (
        "blown",
        "a step of fixed size gave numbers that are not finite, or out of all bounds; take a smaller step",
    ),
    FAILED: ("failed", "the accelerations cannot be computed"),
    EXHAUSTED: ("budget", "the budget of steps is used up"),
}


def result_of_runner(
    runner: Runner,
    balance: RunBalance,
    more: Callable[[], dict[str, Any]] | None = None,
    derivatives: Callable[..., Sensitivity] | None = None,
) -> Result:
    """The rows with all that is known after the last step; `more` adds to the meta."""
    spec, ended = runner.spec, run_ending(runner)
    if ended.kind not in _GOOD:
        name = runner.problem.model.mechanism.name
        _log.warning("%s: the run ended at t = %.9g s: %s", name, ended.t, ended.text)
    pace = spec.output.pace
    known = {"stats": _step_counts(runner)} | ({} if pace is None else {"real_time": pace.report()})
    found = partial(
        _run_details, runner.problem, spec, ended, balance, runner.workspace.roots, (*runner.events,), known, more
    )
    return runner.recording.result_of_run(found, derivatives)


def _run_details(
    problem: Problem,
    spec: RunSpec[Start],
    ended: End,
    balance: RunBalance,
    roots: RootFunctions,
    events: tuple[Event, ...],
    known: dict[str, Any],
    more: Callable[[], dict[str, Any]] | None,
) -> Details:
    """Meta and events of a run."""
    model, rows = problem.model, balance.rows
    if spec.start.description:
        events = (Event(spec.times.origin, "start", "", spec.start.description), *events)
    more_events = [*_limit_events(model, roots, rows), *_energy_lost(balance)]
    events = tuple(sorted([*events, *more_events], key=lambda event: event.t))
    if not ended.done:
        events = (*events, Event(ended.t, "end", ended.kind, ended.text))
    largest = rows[:, row_layout(model).closure].max(axis=0, initial=0.0)
    meta = spec.meta() | {
        "complete": ended.kind in _GOOD,
        "ended": ended.meta(),
        "closure": float(largest[0]),
        "closure_rate": float(largest[1]),
        "energy_balance": balance.whole.data(),
    }
    meta |= known
    if spec.check and more is None:
        meta["agreement"] = acceleration_agreement(problem, rows, spec.actuation.loads)
    return meta | ({} if more is None else more()), events


@dataclass(frozen=True, eq=False)
class RunBalance:
    """What decides the energy balance of a run that is over."""

    model: Model
    method: Method
    rows: np.ndarray
    steps: int
    broke_off: bool

    @cached_property
    def whole(self) -> EnergyBalance:
        """The balance itself."""
        layout = row_layout(self.model)
        bound = balance_bound(self.method, self.rows[:, layout.q], self.rows[:, layout.v], self.steps)
        return energy_balance(self.energies, bound)

    @property
    def energies(self) -> np.ndarray:
        """Kinetic and potential energy, work and losses, (rows, 4)."""
        return self.rows[:, row_layout(self.model).energies]

    @property
    def is_worth_a_warning(self) -> bool:
        """True if energy was lost in a run whose end does not report worse."""
        return not self.broke_off and not self.holds

    @property
    def holds(self) -> bool:
        """True if no energy was lost; most runs show that at once."""
        return surely_balances(self.energies, self.method) or bool(self.whole.holds)


def run_balance(runner: Runner) -> RunBalance:
    """The energy balance of a run that is over."""
    steps, rows = int(runner.workspace.driver.counts.steps), runner.recording.rows
    broke_off = _ENDS[runner.status][0] in BROKEN_OFF
    return RunBalance(runner.problem.model, runner.spec.method, rows, steps, broke_off)


def _energy_lost(found: RunBalance) -> list[Event]:
    """The event of a run whose energy does not balance, at the row before the largest jump of the balance."""
    if found.holds:
        return []
    rows, balance = found.rows, found.whole
    k = int(np.nanargmax(np.abs(np.diff(balanced_energy(found.energies)))))
    text = (
        f"energy less work and losses changes by {balance.drift:.2g} J, {balance.relative:.1e} of the energy exchanged "
        f"where {balance.bound:.0e} is explained by the accuracy asked for, most between t = {rows[k, 0]:.6g} and "
        f"{rows[k + 1, 0]:.6g} s: the motion after it is unreliable; {REMEDY}"
    )
    return [Event(float(rows[k, 0]), "accuracy", "energy", text)]


def _limit_events(model: Model, roots: RootFunctions, rows: np.ndarray) -> list[Event]:
    """Positions and velocities beyond their limits at the start, and efforts that leave theirs between rows."""
    if not len(rows) or not np.isfinite(rows[0]).all():
        return []
    t, (q, v, _, tau) = rows[:, 0], row_layout(model).motion(rows)
    found = [
        Event(float(t[0]), "limit", name, f"{text}: it starts beyond it") for name, text in roots.beyond(q[0], v[0])
    ]
    left = efforts_exceeded(model.kernels, tau)
    return found + [Event(float(t[k]), "limit", each.subject, str(each)) for k, each in left]


class End(NamedTuple):
    """Time, kind and message of the end of a run, `done` where the end time was reached; else the state there."""

    t: float
    kind: str
    text: str
    done: bool = False
    q: np.ndarray | None = None
    v: np.ndarray | None = None

    def meta(self) -> dict[str, Any]:
        """The end as JSON data; states with numbers that are not finite are left out."""
        state = {"q": self.q, "v": self.v}
        known = {name: x.tolist() for name, x in state.items() if x is not None and np.isfinite(x).all()}
        return {"t": self.t, "kind": self.kind, "text": self.text} | known


def run_ending(runner: Runner) -> End:
    """The end of the run."""
    model, t, found = runner.problem.model, runner.now, runner.ended
    kind, text = _ENDS[runner.status]
    if runner.status == DONE:
        return End(t, kind, text, True)
    if found is not None:
        assert found.event is not None
        text = f"{found.event.text}; {_WAYS_OUT[runner.spec.goes_through]}"
        return End(found.t, "singularity", text, q=found.q, v=found.v)
    q, v = runner.full_state()  # type: tuple[np.ndarray, np.ndarray | None]
    if runner.status == STOPPED and runner.events:
        text = runner.events[-1].text
    elif runner.status in (UNDERFLOW, FAILED, BLOWN):
        kind, text = _end_reason(model, runner, kind, text)
        v = None if kind == "singularity" and runner.problem.expands else v
    elif runner.status == EXHAUSTED:
        text = _step_budget_text(runner)
    return End(t, kind, text, q=q, v=v)


def _step_budget_text(runner: Runner) -> str:
    counts, step = runner.workspace.driver.counts, runner.workspace.driver.step
    work = f"{int(counts.steps)} accepted and {int(counts.rejected)} rejected, the next of {step.h:.2g} s"
    return used_up(runner.spec.max_steps, work if step.h > 0.0 else f"{int(counts.steps)} of a fixed size")


def _end_reason(model: Model, runner: Runner, kind: str, text: str) -> tuple[str, str]:
    q = runner.workspace.state[: model.nq].copy()
    if not np.isfinite(q).all():
        return kind, f"{text}; the state is no longer finite"
    if runner.status == BLOWN and left_all_bounds(runner):
        return kind, text
    if runner.status == FAILED and _left_by_steps(runner):
        return _ENDS[BLOWN]
    from linkwright.simulation.drivers.neighborhood import MOST_STEPS  # seldom needed

    if runner.status == FAILED and runner.workspace.driver.tangent.steps > MOST_STEPS:
        return kind, f"one step took more than {MOST_STEPS} near a singular position; take a smaller step"
    near = model.singularity(q)
    if near.constraint < REGULAR_STATE:
        size = f"smallest singular value {near.constraint:.1e} of the largest"
        way_out = _WAYS_OUT[runner.spec.goes_through]
        return "singularity", f"the loops' equations lose rank ({size}), so the motion may branch; {way_out}"
    if found := not_finite_message(runner):
        return "not finite", found
    return kind, text if runner.fault is None else f"{text} ({runner.fault})"


def _left_by_steps(runner: Runner) -> bool:
    """Return True if steps have brought the state to speeds that no mechanism has; a start may have them too."""
    nq, nv = runner.problem.model.nq, runner.problem.model.nv
    stepped = runner.workspace.driver.counts.steps > 0
    return bool(stepped and np.abs(runner.workspace.state[: nq + nv]).max() > _WILD)


def _step_counts(runner: Runner) -> dict[str, int]:
    counts = runner.workspace.driver.counts
    return {name: int(getattr(counts, name)) for name in counts.fields}


def acceleration_agreement(problem: Problem, rows: np.ndarray, loads: WrenchLaw = NO_WRENCH) -> dict[str, Any]:
    """Accelerations of some rows by a second method: the largest difference, relative to the largest one.

    At rest, where the largest is rounding itself, relative to a slight acceleration of the mechanism.
    """
    model = problem.model
    if not len(rows) or (model.has_loops and problem.watched is None):
        return {}
    picked = rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLES).astype(int))]
    q, v, a, tau = row_layout(model).motion(picked)
    outer: tuple[np.ndarray, ...] = ()
    if loads.wrenches:
        here, given = model.setup_here, loads.rows(picked[:, 0], q, v)
        outer = (np.array([problem.acting.outer(here, *each)[0] for each in zip(q, given, strict=True)]),)
    description, other = second_opinion(problem, q, v, tau, *outer)
    size = max(float(np.abs(a).max()), float(slight_accelerations(model.mechanism).max()))
    return {
        "method": description,
        "samples": len(picked),
        "relative": float(np.abs(other - a).max()) / size,
    }


def second_opinion(problem: Problem, q: Any, v: Any, tau: Any, *outer: Any) -> tuple[str, np.ndarray]:
    """Accelerations by another method: independent velocities against multipliers, composite bodies against sweeps."""
    model = problem.model
    if problem.expands:
        return "Multipliers()", model.forward_dynamics(q, v, tau, *outer)
    if problem.watched is not None:
        part = problem.watched.stage.partition
        row = problem.watched.function(stepping_functions.minimal_row, wrench=bool(outer))
        return "Minimal()", row(q, v[:, list(part.independent)], tau, *outer)[:, model.nv :]
    M, h = model.mass_matrix(q), model.bias_forces(q, v)
    if outer:
        h = model.generalized_forces(q, v, np.zeros_like(v), *outer)
    force = np.zeros_like(v)
    force[:, [d.speed for d in model.setup.drives if d.speed is not None]] = tau
    return "inertia matrix", np.linalg.solve(M, (force - h)[..., None])[..., 0]
