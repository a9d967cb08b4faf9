"""HTML report of a run: animation, curves, tables, how it was computed, and what is needed to repeat it.

"How it was computed" lists `run.meta`, which `simulation/running/metadata.py` fills; a new entry there appears here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linkwright.checks import require_instance
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import counted_noun
from linkwright.model import Model
from linkwright.readable_text import fitting_unit, number_text
from linkwright.results.result import Result
from linkwright.results.series import SeriesSummary, summarize_series
from linkwright.viewer import markup
from linkwright.viewer.page import inline_frame, page, save_page
from linkwright.viewer.page_content import PageContent, curves_only, document
from linkwright.viewer.page_titles import run_title
from linkwright.viewer.runs import REACTION_ROUNDING, Shown, compare_runs, power_series, run_statements, shown_run


def write_run_report(
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
        title: heading of the page; unless given, the mechanism and how it is moved.
        paths: frames or bodies whose path is drawn; the platform unless given.
        reactions: compute the wrenches in all joints for the animation.
        compare: another run, whose curves are drawn dotted and whose mechanism is drawn pale.
    """
    return save_page(run_report_page(run, title, paths, reactions, compare), path)


def run_report_page(
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
    found = shown_run(run, reactions)
    if compare is not None:
        found = compare_runs(found, shown_run(require_instance("compare", compare, Result, "another run"), reactions))
    heading = title or run_title(run, None if found.model is None else found.model.mechanism)
    if found.model is None:
        content = curves_only(found.motion, heading, found.notes)
    else:
        content = document(found.model, found.motion, heading, paths, found.notes)
    return content, report_body(found)


def run_notebook_html(run: Result) -> str:
    """A run as HTML for notebooks: the report in a frame."""
    return inline_frame(run_report_page(run, reactions=False))


def report_body(found: Shown) -> str:
    """The part of a report below the animation."""
    run, model = found.run, found.model
    parts = [markup.page_section("About the mechanism", markup.facts_list(_mechanism_rows(model)))] if model else []
    parts.append(markup.page_section("Actuators", _actuator_rows(run, model)))
    if found.motion.reactions:
        parts.append(markup.page_section("Forces and moments in the joints", _reaction_rows(found)))
    parts.append(markup.page_section("All values", _all_values(run)))
    if run.events:
        events = (f"t = {number_text(event.t)} s: {event.text or f'{event.kind} {event.name}'}" for event in run.events)
        parts.append(markup.page_section("What happened", markup.message_list(events)))
    parts.append(
        markup.page_section(
            "How it was computed",
            markup.statement_paragraph(run_statements(run)),
            markup.folded_section("Details", markup.facts_list(_meta_rows(run))),
        )
    )
    parts.append(markup.page_section("Repeat it", *_study_and_mechanism(run)))
    return f'<div id="report">{"".join(parts)}</div>'


def _mechanism_rows(model: Model) -> Iterator[tuple[str, str]]:
    mech = model.mechanism
    yield "name", mech.name
    yield "degrees of freedom", str(model.mobility)
    yield "moving bodies", str(len(mech.bodies))
    yield "joints", f"{len(mech.joints)} in the tree, {len(mech.loops)} closing loops"
    yield "coordinates and velocities", f"{model.nq} and {model.nv}"
    yield "actuators", ", ".join(model.actuated) or "none"
    if model.redundant_equations:
        yield "redundant closure equations", str(len(model.redundant_equations))
    limited: dict[str, list[str]] = {}
    for joint in (*mech.joints, *mech.loops):
        if joint.limits.lower or joint.limits.upper:
            limited.setdefault(_position_range(joint), []).append(joint.name)
    yield "limits of positions", "; ".join(f"{', '.join(names)}: {x}" for x, names in limited.items()) or "none"
    for quantity in ("speed", "effort"):
        yield f"limits of {quantity}", "; ".join(_magnitude_bounds(mech, quantity)) or "none"
    if mech.source:
        yield "source", re.sub(r"(?<![.:])\n", " ", mech.source.strip())


def _position_range(joint: Any) -> str:
    """The range of a joint's positions with its units; "-" where it is open."""
    low, high = joint.limits.lower or (None,), joint.limits.upper or (None,)
    units = [part.unit for part in joint.kind.coordinates]
    return ", ".join(f"{number_text(a)} to {number_text(b)} {unit}".rstrip() for a, b, unit in zip(low, high, units))


def _magnitude_bounds(mech: Mechanism, quantity: str) -> Iterator[str]:
    """Bounds of joints and actuators on the magnitude of a speed or an effort."""
    actuators = {actuator.name for actuator in mech.actuators}
    for path, bound in mech.numbers.items():
        owner, found, part = path.partition(".")[2].rpartition(f".{quantity}")
        of_joint = owner.endswith(".limits")
        if found and np.isfinite(bound.value) and (of_joint or (path.startswith("actuators.") and owner in actuators)):
            yield f"{owner.removesuffix('.limits')}{part} {number_text(bound.value)} {bound.unit}"


_HEADS = ("", "unit", "peak", "RMS", "smallest", "largest", "first", "last")


def _actuator_rows(run: Result, model: Model | None) -> str:
    """Peak, RMS and range of efforts and power, and who breaks a limit."""
    series = [each for each in run.series if each.group == "tau"]
    series += power_series(run, model) if model else []
    if not series:
        return markup.message_list(["The run has no actuator efforts."])
    return markup.markup_table(_HEADS, map(_series_row, summarize_series(run.t, tuple(series))))


def _reaction_rows(found: Shown) -> str:
    """Peak force and moment in every joint, and when."""
    heads = ("", "peak force [N]", "at [s]", "peak moment [N m]", "at [s]")
    columns = []
    for part in (slice(3, 6), slice(0, 3)):
        sizes = [np.linalg.norm(wrench[:, part], axis=1) for wrench in found.motion.reactions.values()]
        at = [int(np.nanargmax(x)) if np.isfinite(x).any() else 0 for x in sizes]
        peaks = np.array([x[k] for x, k in zip(sizes, at, strict=True)])
        largest = float(np.nanmax(peaks, initial=0.0))
        peaks[peaks <= REACTION_ROUNDING * largest] = 0.0
        columns += [
            list(map(number_text, peaks)),
            [number_text(found.motion.t[k]) if x else "-" for k, x in zip(at, peaks)],
        ]
    rows = [list(row) for row in zip(found.motion.reactions, *columns, strict=True)]
    note = []
    if found.model is not None and found.model.redundant_equations:
        n = len(found.model.redundant_equations)
        note = [
            f"{counted_noun(n, 'closure equation follows', 'closure equations follow')} from others, so rigid links "
            "do not "
            "determine all reactions: these are the ones of least norm. Elastic links or clearances share the load "
            "differently."
        ]
    return markup.statement_paragraph(note) + markup.markup_table(heads, rows)


def _all_values(run: Result) -> str:
    return markup.folded_section(
        f"{len(run.series)} series", markup.markup_table(_HEADS, map(_series_row, run.summary()))
    )


def _series_row(each: SeriesSummary) -> list[str]:
    numbers = (each.peak, each.rms, each.low, each.high, each.first, each.last)
    factor, unit = fitting_unit([each.peak], each.unit)
    return [each.name, unit, *(number_text(factor * x, among=factor * each.peak) for x in numbers)]


_HIDDEN = {"mechanism", "format", "study"}


def _meta_rows(run: Result) -> Iterator[tuple[str, str]]:
    """The run's meta as text, nested entries joined by commas."""
    yield (
        "samples",
        f"{len(run.t)}" + (f", from {number_text(run.t[0])} to {number_text(run.t[-1])} s" if len(run.t) else ""),
    )
    if len(run.closure) and np.isfinite(run.closure).any():
        yield "largest closure residual", f"{np.nanmax(run.closure):.3g} m"
    for key, value in run.meta.items():
        if key not in _HIDDEN and value not in (None, {}, [], ""):
            yield ("linkwright version" if key == "linkwright" else key), _meta_text(value)
    about = run.meta.get("mechanism")
    if isinstance(about, dict) and "hash" in about:
        yield "hash of the mechanism", str(about["hash"])


def _meta_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_meta_text(each)}" for key, each in value.items() if each not in (None, "", {}, []))
    if isinstance(value, list):
        return ", ".join(map(_meta_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_text(value) if isinstance(value, float) else str(value)


def _study_and_mechanism(run: Result) -> list[str]:
    """The study and the mechanism as text and as files."""
    about, study = run.meta.get("mechanism"), run.meta.get("study")
    parts = []
    if isinstance(study, str):
        parts += [
            markup.download_link("Save the study", "study.yaml", study),
            markup.folded_section("Study", markup.preformatted_text(study)),
        ]
    if isinstance(about, dict) and isinstance(about.get("yaml"), str):
        text = about["yaml"]
        parts.append(markup.download_link("Save the mechanism", "mechanism.yaml", text))
        parts.append(markup.folded_section("Mechanism", markup.preformatted_text(text)))
    return parts or [markup.message_list(["The run does not hold its mechanism."])]
