"""The result of a run whose loops close and open."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from linkwright.errors import ArgumentError
from linkwright.formulations.springs import VirtualSprings
from linkwright.mechanism.joints import Distance
from linkwright.results.result import Result
from linkwright.simulation.methods.methods import RK4, Method
from linkwright.simulation.problem.problem import problem
from linkwright.simulation.report import reporting
from linkwright.simulation.report.beam_series import with_beams
from linkwright.simulation.running.columns import columns
from linkwright.simulation.running.starting import Start
from linkwright.simulation.running.table import table
from linkwright.simulation.switching.impulses import holds_along
from linkwright.simulation.switching.switches import Close, Open, every_loop, require_switches, titled
from linkwright.simulation.switching.switching import MOST_SWITCHES, Asked, Phases

_SPARE = 8
_LOOKS = 100


def require_fit(asked: Asked, pace: Any) -> None:
    """Refuse what does not go together with switches."""
    require_switches(asked.model, asked.switches)
    _require_normals(asked)
    if isinstance(asked.formulation, VirtualSprings):
        raise ArgumentError("switches close loops at once, and VirtualSprings(...) never does; take Multipliers()")
    if pace is not None:
        raise ArgumentError("a run with switches cannot be held back to the clock; leave pace or switches out")
    if asked.model.kernels.setup.inertias is not None:
        raise ArgumentError("switches need a machine built without inertias_as_inputs; build it again")


def _require_normals(asked: Asked) -> None:
    """Refuse normals along which a loop cannot push; anchored loops are looked at where they are met."""
    known = every_loop(asked.model.mechanism)
    anchored = {each.loop for each in asked.switches if isinstance(each, Close) and each.anchor}
    for each in asked.switches:
        pushes = each.by_force if isinstance(each, Open) else each.restitution > 0.0
        joint = known[each.loop]
        if not pushes or each.normal is None or isinstance(joint.kind, Distance) or each.loop in anchored:
            continue
        if not holds_along(joint, each.normal):
            kind = type(joint.kind).__name__.lower()
            raise ArgumentError(
                f"{titled(each)} has the normal {each.normal}, along which a {kind} joint is free; turn the normal"
            )


def phased(asked: Asked, begin: Start, path: str | os.PathLike[str] | None) -> Result:
    """All phases of a run in one result: `meta["phases"]` and `meta["impulses"]` say what closed, when and how hard."""
    model, asked = asked.model, replace(asked, method=_watchful(asked.method, asked.times.duration))
    first = problem(model, asked.formulation)
    meta = reporting.beginning(model, first, asked.method, asked.driven, begin, (asked.times.origin, asked.times.end))
    rows = table(path, columns(model), len(asked.times.shown) + 2 * MOST_SWITCHES + _SPARE, meta)
    phases = Phases(asked, rows, frozenset(joint.name for joint in model.mechanism.loops))
    runner = phases.run(begin.q, begin.v)
    meta |= {"switches": [repr(each) for each in asked.switches]}
    meta |= {"phases": phases.phases, "impulses": phases.impulses}
    if asked.check:
        meta["agreement"] = _together(phases.agreements)
    result = with_beams(model, reporting.result(runner, meta, begin, False))
    result = _refused(result, phases.refused) if phases.refused else result
    if path is not None:
        result.save(path)
        rows.discard()
    return result


def _watchful(method: Method, duration: float) -> Method:
    """The method with steps short enough not to step over a meeting, unless the caller said how long they may be."""
    if method.h is not None or isinstance(method, RK4) or method.h_max < float("inf"):
        return method
    return replace(method, h_max=duration / _LOOKS)


def _together(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The second opinions of all phases: the methods met, all samples, the largest difference."""
    said = [each for each in found if each]
    if not said:
        return {}
    methods = ", ".join(dict.fromkeys(each["method"] for each in said))
    samples = sum(each["samples"] for each in said)
    return {"method": methods, "samples": samples, "relative": max(each["relative"] for each in said)}


def _refused(run: Result, why: str) -> Result:
    """The run with the reason why a loop could not close as its end."""
    ended = run.meta["ended"] | {"kind": "refused", "text": why}
    events = tuple(replace(each, name="refused", text=why) if each.kind == "end" else each for each in run.events)
    return Result(run.t, run.series, run.meta | {"complete": False, "ended": ended}, events)
