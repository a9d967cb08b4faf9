"""HTML report of a study: its facts, tables, notes and figure on one page without scripts."""

from __future__ import annotations

import base64
import io
import os

from linkwright.errors import LinkwrightError
from linkwright.generated_text import html_page, html_text
from linkwright.results import attached_functions
from linkwright.results.study_result import StudyContent, describe_study
from linkwright.viewer import markup
from linkwright.viewer.page import inline_frame, save_page

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.2rem .7rem;border-bottom:1px solid #ddd;"
    "text-align:right}th[scope=row]{text-align:left;font-weight:normal}caption{text-align:left;font-weight:bold}"
    "dt{float:left;clear:left;width:16rem;color:#666}dd{margin:0 0 0 17rem}img{max-width:100%}" + markup.ALIGNED
)


def write_study_report(content: StudyContent, path: str | os.PathLike[str]) -> str:
    """Write a study as one HTML file; return the path."""
    return save_page(study_report_page(content), path)


def study_notebook_html(content: StudyContent) -> str:
    """A study as HTML for notebooks: the report in a frame."""
    return inline_frame(study_report_page(content))


def study_report_page(content: StudyContent) -> str:
    """The report as HTML text."""
    inside = f"<main><h1>{html_text(content.title)}</h1>{_study_body(content)}</main>"
    return html_page(content.title, _STYLE, inside)


def _study_body(content: StudyContent) -> str:
    picture = _study_picture(content) if content.panels else ""
    return markup.description_markup(describe_study(content), picture, title=False)


def _study_picture(content: StudyContent) -> str:
    """The figure as a PNG inside the page, or the reason why there is none."""
    try:
        drawing = attached_functions.attached_function("study plot")(content, shown=False)
    except LinkwrightError as error:
        return markup.message_list([f"The figure is not shown: {error}"])
    stream = io.BytesIO()
    drawing.savefig(stream, format="png", dpi=110, metadata={"Software": None})
    picture = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<p><img alt="{html_text(content.title)}" src="data:image/png;base64,{picture}"></p>'
