"""HTML report of a run: animation, curves, tables, how it was computed, and what is needed to repeat it.

"How it was computed" lists `run.meta`, which `simulation/running/metadata.py` fills; a new entry there appears here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linkwright.checks import instance
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import counted
from linkwright.model import Model
from linkwright.results.result import Result
from linkwright.results.summary import SeriesSummary, summaries
from linkwright.viewer import markup
from linkwright.viewer.account import account
from linkwright.viewer.comparing import compared
from linkwright.viewer.document import PageContent, curves_only, document
from linkwright.viewer.page import framed, page, saved
from linkwright.viewer.runs import Shown, power, shown


def report(
    run: Result,
    path: str | os.PathLike[str],
    title: str | None = None,
    paths: Sequence[str] | None = None,
    reactions: bool = True,
    compare: Result | None = None,
) -> str:
    """Write a run as one HTML file that opens by double-click; return the path.

    Args:
        run: from `simulate` or `open_result`.
        path: where to write.
        title: heading of the page; the mechanism's name unless given.
        paths: frames or bodies whose path is drawn; the platform unless given.
        reactions: compute the wrenches in all joints for the animation.
        compare: another run, whose curves are drawn dotted and whose mechanism is drawn pale.
    """
    return saved(report_page(run, title, paths, reactions, compare), path)


def report_page(
    run: Result,
    title: str | None = None,
    paths: Sequence[str] | None = None,
    reactions: bool = True,
    compare: Result | None = None,
) -> str:
    """The report as HTML text."""
    content, below = report_content(run, title, paths, reactions, compare)
    return page(content, below)


def report_content(
    run: Result,
    title: str | None = None,
    paths: Sequence[str] | None = None,
    reactions: bool = True,
    compare: Result | None = None,
) -> tuple[PageContent, str]:
    """The content of the page of a report, and the HTML below the animation."""
    found = shown(run, reactions)
    if compare is not None:
        found = compared(found, shown(instance("compare", compare, Result, "another run"), reactions))
    heading = title or _name(run)
    if found.model is None:
        content = curves_only(found.motion, heading, found.notes)
    else:
        content = document(found.model, found.motion, heading, paths, found.notes)
    return content, body(found)


def notebook(run: Result) -> str:
    """A run as HTML for notebooks: the report in a frame."""
    return framed(report_page(run, reactions=False))


def body(found: Shown) -> str:
    """The part of a report below the animation."""
    run, model = found.run, found.model
    parts = [markup.section("About the mechanism", markup.facts(_mechanism(model)))] if model else []
    parts.append(markup.section("Actuators", _actuators(run, model)))
    if found.motion.reactions:
        parts.append(markup.section("Forces and moments in the joints", _reactions(found)))
    parts.append(markup.section("All values", _all_values(run)))
    if run.events:
        events = (f"t = {event.t:.6g} s: {event.text or f'{event.kind} {event.name}'}" for event in run.events)
        parts.append(markup.section("What happened", markup.listed(events)))
    parts.append(
        markup.section(
            "How it was computed",
            markup.paragraph(account(run)),
            markup.folded("Details", markup.facts(_computed(run))),
        )
    )
    parts.append(markup.section("Repeat it", *_repeat(run)))
    return f'<div id="report">{"".join(parts)}</div>'


def _name(run: Result) -> str:
    about = run.meta.get("mechanism")
    return str(about["name"]) if isinstance(about, dict) and "name" in about else "Run"


def _mechanism(model: Model) -> Iterator[tuple[str, str]]:
    mech = model.mechanism
    yield "name", mech.name
    yield "degrees of freedom", str(model.mobility)
    yield "moving bodies", str(len(mech.bodies))
    yield "joints", f"{len(mech.joints)} in the tree, {len(mech.loops)} closing loops"
    yield "coordinates and velocities", f"{model.nq} and {model.nv}"
    yield "actuators", ", ".join(model.actuated) or "none"
    if model.redundant_equations:
        yield "redundant closure equations", str(len(model.redundant_equations))
    limits = [_limit(joint) for joint in (*mech.joints, *mech.loops) if joint.limits.lower or joint.limits.upper]
    yield "limits of positions", "; ".join(limits) or "none"
    for quantity in ("speed", "effort"):
        yield f"limits of {quantity}", "; ".join(_magnitudes(mech, quantity)) or "none"
    if mech.source:
        yield "source", mech.source


def _limit(joint: Any) -> str:
    low, high = joint.limits.lower or ("-",), joint.limits.upper or ("-",)
    pairs = (
        f"{markup.figure(a) if a != '-' else a} to {markup.figure(b) if b != '-' else b}" for a, b in zip(low, high)
    )
    return f"{joint.name} {', '.join(pairs)}"


def _magnitudes(mech: Mechanism, quantity: str) -> Iterator[str]:
    """Bounds of joints and actuators on the magnitude of a speed or an effort."""
    actuators = {actuator.name for actuator in mech.actuators}
    for path, bound in mech.numbers.items():
        owner, found, part = path.partition(".")[2].rpartition(f".{quantity}")
        of_joint = owner.endswith(".limits")
        if found and np.isfinite(bound.value) and (of_joint or (path.startswith("actuators.") and owner in actuators)):
            yield f"{owner.removesuffix('.limits')}{part} {markup.figure(bound.value)} {bound.unit}"


_HEADS = ("", "unit", "peak", "RMS", "smallest", "largest", "first", "last")


def _actuators(run: Result, model: Model | None) -> str:
    """Peak, RMS and range of efforts and power, and who breaks a limit."""
    series = [each for each in run.series if each.group == "tau"]
    series += power(run, model) if model else []
    if not series:
        return markup.listed(["The run has no actuator efforts."])
    return markup.table(_HEADS, map(_row, summaries(run.t, tuple(series))))


def _reactions(found: Shown) -> str:
    """Peak force and moment in every joint, and when."""
    heads = ("", "peak force [N]", "at [s]", "peak moment [N m]", "at [s]")
    rows = []
    for name, wrench in found.motion.reactions.items():
        row = [name]
        for part in (slice(3, 6), slice(0, 3)):
            size = np.linalg.norm(wrench[:, part], axis=1)
            k = int(np.nanargmax(size)) if np.isfinite(size).any() else 0
            row += [markup.figure(size[k]), markup.figure(found.motion.t[k])]
        rows.append(row)
    note = []
    if found.model is not None and found.model.redundant_equations:
        n = len(found.model.redundant_equations)
        note = [
            f"{counted(n, 'closure equation follows', 'closure equations follow')} from others, so rigid links do not "
            "determine all reactions: these are the ones of least norm. Elastic links or clearances share the load "
            "differently."
        ]
    return markup.paragraph(note) + markup.table(heads, rows)


def _all_values(run: Result) -> str:
    return markup.folded(f"{len(run.series)} series", markup.table(_HEADS, map(_row, run.summary())))


def _row(each: SeriesSummary) -> list[str]:
    numbers = (each.peak, each.rms, each.low, each.high, each.first, each.last)
    return [each.name, each.unit, *map(markup.figure, numbers)]


_HIDDEN = {"mechanism", "format", "study"}


def _computed(run: Result) -> Iterator[tuple[str, str]]:
    """The run's meta as text, nested entries joined by commas."""
    yield "samples", f"{len(run.t)}" + (f", from {run.t[0]:.6g} to {run.t[-1]:.6g} s" if len(run.t) else "")
    if len(run.closure) and np.isfinite(run.closure).any():
        yield "largest closure residual", f"{np.nanmax(run.closure):.3g} m"
    for key, value in run.meta.items():
        if key not in _HIDDEN and value not in (None, {}, [], ""):
            yield ("linkwright version" if key == "linkwright" else key), _text(value)
    about = run.meta.get("mechanism")
    if isinstance(about, dict) and "hash" in about:
        yield "hash of the mechanism", str(about["hash"])


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(each)}" for key, each in value.items() if each not in (None, "", {}, []))
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return markup.figure(value) if isinstance(value, float) else str(value)


def _repeat(run: Result) -> list[str]:
    """The study and the mechanism as text and as files."""
    about, study = run.meta.get("mechanism"), run.meta.get("study")
    parts = []
    if isinstance(study, str):
        parts += [
            markup.download("Save the study", "study.yaml", study),
            markup.folded("Study", markup.preformatted(study)),
        ]
    if isinstance(about, dict) and isinstance(about.get("yaml"), str):
        text = about["yaml"]
        parts.append(markup.download("Save the mechanism", "mechanism.yaml", text))
        parts.append(markup.folded("Mechanism", markup.preformatted(text)))
    return parts or [markup.listed(["The run does not hold its mechanism."])]
