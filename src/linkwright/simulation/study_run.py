"""Run a study: the same file gives the same run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.control.control_descriptions import law_from_description
from linkwright.control.laws import Table
from linkwright.errors import ArgumentError
from linkwright.files import require_inside
from linkwright.formats.study import Study, from_study_text, to_study_text
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.multipliers import Baumgarte, Multipliers
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.method_registry import DEFAULT_NAME, method_class, method_options
from linkwright.model import Model, build
from linkwright.model.wrench import Wrench
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import Method
from linkwright.simulation.running.run_output import Output, Pace
from linkwright.simulation.running.run_spec import MAX_STEPS
from linkwright.simulation.switching.switches import Close, Open, Switch


def run_study(
    study: Study,
    mech: Mechanism,
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[float], object] | None = None,
    pace: Pace | None = None,
    *,
    allow_outside: bool = False,
    overwrite: bool = False,
    resume: bool = False,
) -> Result:
    """Run what a study describes.

    Args:
        study: from `load_study`.
        mech: the mechanism it names, loaded with `study.parameters` by the caller, who knows catalog and folder.
        path: where to save the run; the study's own `save` when None.
        progress: called with the share done, now and then.
        pace: `Pace()` holds the run back to the wall clock.
        allow_outside: let the study's own `save` name a file outside the current folder.
        overwrite: replace an unfinished run of that name, and a file that is not a run, too.
        resume: go on with the unfinished run of this study.

    Returns: the run; `meta["study"]` holds the study's text.
    """
    checks.require_instance("study", study, Study, "a Study from linkwright.load_study")
    checks.require_instance("mech", mech, Mechanism, "the Mechanism that the study names")
    if path is not None:
        checks.require_path("path", path)
    allow_outside, overwrite = (
        checks.require_flag("allow_outside", allow_outside),
        checks.require_flag("overwrite", overwrite),
    )
    text = to_study_text(study)
    study, target = from_study_text(text, "study"), path or study.output.save
    if path is None and target is not None and not allow_outside:
        require_inside(target, "the study saves its run", "give another file (path=..., --output)")
    model = build(mech, actuated=None if study.actuated is None else list(study.actuated))
    q, v = study_start(model, study)
    span = (study.t_start, study.t_end)
    effort = None if study.effort is None else law_from_description(model, study.effort.model_dump(), span, q)
    rows = study.output.rows if study.output.step is None else study.output.step
    run = simulate(
        model,
        q,
        v,
        t_start=study.t_start,
        t_end=study.t_end,
        effort=effort,
        formulation=study_formulation(study),
        method=study_method(study),
        output=Output(rows, target, progress, pace, overwrite),
        events=study_switches(study),
        max_steps=MAX_STEPS if study.max_steps is None else study.max_steps,
        stop_at=("singularity", "limits") if study.stop_at_limits else ("singularity",),
        resume=resume,
        wrench=study_wrenches(study),
    )
    run = Result(run.t, run.series, {**run.meta, "study": text}, run.events)
    if target is not None:
        run.save(target)
    return run


def study_start(model: Model, study: Study) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities at the start; the others are assembled, or follow from the independent velocities."""
    given = study.start
    q = model.assemble(fixed=given.q).q if isinstance(given.q, dict) else np.array(given.q)
    if not isinstance(given.v, dict):
        return q, np.array(given.v)
    for name in given.v:
        if name not in model.independent:
            raise ArgumentError(
                f"start.v names '{name}', which is not an independent velocity{suggest_name(name, model.independent)}"
            )
    return q, model.independent_map(q) @ np.array([given.v.get(name, 0.0) for name in model.independent])


def study_switches(study: Study) -> list[Switch]:
    """The study's switches as objects."""
    out: list[Switch] = []
    for given in study.switches:
        when = None if given.at is None else _instant_function(given.at)
        if given.open is not None:
            out.append(Open(given.open, when, normal=given.normal))
            continue
        assert given.close is not None
        how = {"restitution": given.restitution, "settle": given.settle, "anchor": given.anchor}
        out.append(Close(given.close, when, normal=given.normal, **how))
    return out


def study_wrenches(study: Study) -> list[Wrench]:
    """The study's wrenches as objects."""
    out = []
    for given in study.wrenches:
        parts = {
            name: _vector_or_table(f"wrenches: {name} on '{given.body}'", getattr(given, name), given.times)
            for name in _PARTS
        }
        out.append(
            Wrench(given.body, at=given.at, axes=given.axes, **{k: x for k, x in parts.items() if x is not None})
        )
    return out


_PARTS = ("force", "moment")


def _vector_or_table(title: str, rows: Any, times: Any) -> Any:
    """Three numbers, or a table of them over time with straight lines between."""
    if rows is None:
        return None
    values = np.array(rows, dtype=float)
    if times is None:
        if values.size != 3:
            raise ArgumentError(f"{title} has {values.size} numbers, expected 3; a table needs 'times'")
        return values.reshape(3)
    return Table(times, values, between="line")


def _instant_function(instant: float) -> Callable[..., Any]:
    """A function that falls through zero at an instant."""
    return lambda t, q, v: instant - t


def study_formulation(study: Study) -> Formulation:
    """The study's formulation as an object."""
    given = study.formulation
    match given.name:
        case "baumgarte":
            assert given.rate is not None
            return Multipliers(Baumgarte(given.rate))
        case "minimal":
            return Minimal()
        case "virtual-springs":
            assert given.stiffness is not None
            return VirtualSprings(given.stiffness, given.damping or 0.0)
    return Multipliers()


def study_method(study: Study) -> Method:
    """The study's method as an object."""
    given = study.method
    name, options = given.name or DEFAULT_NAME, given.model_dump(exclude={"name"})
    made: Method = method_class(name)(**method_options(name, options))
    return made
