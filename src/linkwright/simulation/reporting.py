"""What a run says about itself: how it was computed, how it ended, how well it kept energy and closure."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.formats import to_yaml
from linkwright.model import Model
from linkwright.results.meta import provenance
from linkwright.results.recording import Recording
from linkwright.results.result import Result
from linkwright.results.series import Event
from linkwright.simulation.callbacks import Callback
from linkwright.simulation.drivers import places as at
from linkwright.simulation.efforts import Drive
from linkwright.simulation.methods import Method
from linkwright.simulation.problem import Problem
from linkwright.simulation.run import Runner
from linkwright.simulation.starting import Start

_log = logging.getLogger(__name__)
_SAMPLES = 8

_ENDS = {
    at.DONE: ("done", "the end time was reached"),
    at.STOPPED: ("event", "an event ended the run"),
    at.UNDERFLOW: ("underflow", "the step became too small to change the time"),
    at.BLOWN: ("blown", "a step of fixed size gave numbers that are not finite"),
    at.FAILED: ("failed", "the accelerations cannot be computed"),
}


def beginning(
    model: Model, problem: Problem, method: Method, drive: Drive, start: Start, t_start: float, t_end: float
) -> dict[str, Any]:
    """The meta known before the first step."""
    known = model.__dict__.setdefault("_provenance", {})
    if not known:
        known.update(provenance(model.mechanism.name, to_yaml(model.mechanism)))
    meta = {
        **known,
        "formulation": problem.words,
        "method": repr(method),
        "tolerances": {name: getattr(method, name, None) for name in ("rtol", "atol", "h", "h_max")},
        "effort": drive.words,
        "span": [t_start, t_end],
        "start": {"gap": start.gap, "gap rate": start.gap_rate, "moved": start.moved, "text": start.words},
    }
    if not np.isfinite(meta["tolerances"]["h_max"] or 0.0):
        meta["tolerances"]["h_max"] = None
    return meta


def result(
    model: Model, runner: Runner, recording: Recording, meta: dict[str, Any], start: Start, check: bool
) -> Result:
    """The rows with all that is known after the last step."""
    kind, text = _ending(model, runner)
    t = float(runner.memory.real[at.T])
    events = list(runner.events)
    if start.words:
        events.insert(0, Event(float(meta["span"][0]), "start", "", start.words))
    if runner.status != at.DONE:
        events.append(Event(t, "end", kind, text))
    if runner.status not in (at.DONE, at.STOPPED):
        _log.warning("%s: the run ended at t = %.9g s: %s", model.mechanism.name, t, text)
    table = recording.table[: recording.committed]
    full = meta | {
        "complete": runner.status in (at.DONE, at.STOPPED),
        "ended": {"t": t, "kind": kind, "text": text},
        "stats": _stats(runner),
        "closure": _largest(table, model, 0),
        "closure rate": _largest(table, model, 1),
        "energy balance": _balance(table, model),
    }
    if check:
        full["agreement"] = agreement(model, table)
    return recording.result(full, events)


def _ending(model: Model, runner: Runner) -> tuple[str, str]:
    kind, text = _ENDS[runner.status]
    if runner.status == at.STOPPED and runner.events:
        return kind, runner.events[-1].text
    if runner.status in (at.UNDERFLOW, at.FAILED, at.BLOWN):
        q = runner.memory.state[: model.nq].copy()
        if not np.isfinite(q).all():
            return kind, f"{text}; the state is no longer finite"
        near = model.singularity(q)
        if near.constraint < 1e-6:
            return "singularity", (
                f"the loops' equations lose rank there (smallest singular value {near.constraint:.1e} of the largest), "
                "so the motion may branch; start elsewhere, or pass on_singularity='continue'"
            )
        fallback = runner.memory.codes.get(at.FALLBACK)
        if isinstance(fallback, Callback) and isinstance(fallback.error, LinkwrightError):
            return kind, f"{text}: {fallback.error}"
    return kind, text


def _stats(runner: Runner) -> dict[str, int]:
    whole = runner.memory.whole
    places = {
        "steps": at.STEPS,
        "rejected": at.REJECTED,
        "evaluations": at.EVALUATIONS,
        "projections": at.PROJECTIONS,
        "fallbacks": at.FALLBACKS,
    }
    return {name: int(whole[place]) for name, place in places.items()} | {"slices": runner.slices}


def _monitored(model: Model) -> int:
    return 1 + model.nq + 2 * model.nv + model.na


def _largest(table: np.ndarray, model: Model, which: int) -> float:
    return float(np.max(table[:, _monitored(model) + which], initial=0.0))


def _balance(table: np.ndarray, model: Model) -> dict[str, float]:
    """How far kinetic and potential energy less work plus losses wander; also relative to the peak kinetic energy."""
    if not len(table):
        return {"drift": 0.0, "relative": 0.0}
    kinetic, potential, work, lost = table[:, _monitored(model) + 2 :].T
    balance = kinetic + potential - work + lost
    drift, peak = float(np.abs(balance - balance[0]).max()), float(kinetic.max())
    return {"drift": drift, "relative": drift / peak if peak > 0 else 0.0}


def agreement(model: Model, table: np.ndarray) -> dict[str, Any]:
    """Accelerations of some rows by a second method: the largest difference, relative to the largest acceleration."""
    return {}
