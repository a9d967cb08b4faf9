"""HTML report of a study, an ensemble or a sweep: its mechanism where it has one, facts, tables, notes and charts."""

from __future__ import annotations

import os
from dataclasses import replace

from linkwright.generated_text import html_page, html_text, script_json
from linkwright.results.charts import Surface, fit_units
from linkwright.results.study_result import StudyContent, describe_study
from linkwright.viewer import markup
from linkwright.viewer.chart_data import chart_data
from linkwright.viewer.page import bundle_file, inline_frame, page, save_page
from linkwright.viewer.study_page import study_page_content

_CHARTS = """<div id="charts"></div>
<noscript><p>The charts need JavaScript; the text and the tables do not.</p></noscript>
"""
_SCRIPTS = """<script type="application/json" id="linkwright-data">{data}</script>
<script>{script}</script>
"""


def write_study_report(content: StudyContent, path: str | os.PathLike[str]) -> str:
    """Write a study as one HTML file; return the path."""
    return save_page(study_report_page(content), path)


def write_explanation_report(content: StudyContent, explanation: str, style: str, path: str | os.PathLike[str]) -> str:
    """Write an explanation, HTML with its own style, beside the mechanism of a study; return the path."""
    shown = study_page_content(content)
    if shown is None:
        return save_page(html_page(content.title, bundle_file("study.css") + style, explanation), path)
    return save_page(page(shown, explanation, style), path)


def study_notebook_html(content: StudyContent) -> str:
    """A study as HTML for notebooks: the report in a frame."""
    return inline_frame(study_report_page(content))


def study_report_page(content: StudyContent) -> str:
    """The report as HTML text; without a mechanism and charts it has no script.

    The boundary of a workspace that is drawn round its mechanism is not drawn once more by itself.
    """
    shown = study_page_content(content)
    drawn = shown is not None and "workspace" in shown.data
    panels = [panel for panel in content.panels if not (drawn and isinstance(panel, Surface))]
    charts = [chart_data(fit_units(panel)) for panel in panels]
    body = markup.description_markup(describe_study(content), _CHARTS if charts else "", title=False)
    if shown is not None:
        return page(replace(shown, data={**shown.data, "charts": charts}), f'<div id="report">{body}</div>')
    inside = f'<main id="report"><h1>{html_text(content.title)}</h1>{body}</main>\n'
    script = bundle_file("study.js") if charts else ""
    inside += _SCRIPTS.format(data=script_json(charts), script=script) if charts else ""
    return html_page(content.title, bundle_file("study.css"), inside, [script] if charts else ())
