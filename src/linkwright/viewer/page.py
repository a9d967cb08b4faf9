"""One-file HTML pages around a document: assembled, framed for notebooks, saved."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files

import numpy as np

from linkwright import checks
from linkwright.files import write_whole
from linkwright.generated_text import html_page, html_text, script_json
from linkwright.model import Model
from linkwright.viewer.body_tracks import body_tracks
from linkwright.viewer.page_content import PageContent, document
from linkwright.viewer.scene_setting import setting
from linkwright.viewer.shown_motion import ShownMotion
from linkwright.viewer.sweep_motion import actuator_sweep

_BODY = """<main>
<div id="linkwright"></div>
<noscript class="still"><p>The animation needs JavaScript; this picture, the text and the tables do not.</p>
{still}</noscript>
{body}
</main>
<footer><details class="notices"><summary>Third-party notices</summary><pre>{notices}</pre></details></footer>
<script type="application/json" id="linkwright-data">{data}</script>
{before}<script>{script}</script>
"""


@cache
def bundle_file(name: str) -> str:
    """A file of the built viewer, as text with plain line ends."""
    text = files("linkwright.viewer").joinpath("bundle").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def page(content: PageContent, body: str = "", connect: str = "'none'", before: str = "") -> str:
    """The whole page as text.

    Args:
        content: what is shown.
        body: HTML that follows the animation; its maker has escaped every name in it.
        connect: where the page may fetch from; nowhere unless it is a live one.
        before: a script of ours that runs before that of the page.
    """
    inside = _BODY.format(
        still=content.still,
        body=body,
        notices=html_text(bundle_file("NOTICES.txt")),
        data=script_json(content.data),
        before=f"<script>{before}</script>\n" if before else "",
        script=bundle_file("viewer.js"),
    )
    scripts = [before, bundle_file("viewer.js")] if before else [bundle_file("viewer.js")]
    return html_page(content.title, bundle_file("viewer.css"), inside, scripts, connect)


def inline_frame(text: str, height: int = 560) -> str:
    """A page as an inline frame for notebooks."""
    return (
        f'<iframe srcdoc="{html_text(text)}" sandbox="allow-scripts allow-downloads" '
        f'style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>'
    )


def mechanism_page(model: Model, still: bool = False) -> str:
    """A page that shows a mechanism at its home configuration, its actuators moving unless `still`."""
    return page(mechanism_content(model, still))


def mechanism_content(model: Model, still: bool = False) -> PageContent:
    """The content of that page."""
    q = model.assemble().q
    if still:
        return document(model, ShownMotion(np.zeros(1), q[None]))
    scene = setting(model.mechanism, body_tracks(model, q[None])[0], {})
    return document(model, actuator_sweep(model, q, scene.extent))


def save_page(text: str, path: str | os.PathLike[str]) -> str:
    """Write a page under a temporary name first, so that it appears complete or not at all; return the path."""
    write_whole(checks.require_path("path", path), text)
    return os.fspath(path)
