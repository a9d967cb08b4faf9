"""One-file HTML pages around a document, and the same as a file of another kind: picture, animation, 3D model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.errors import ArgumentError
from linkwright.files import MARK, FileKind, recognize_marks, write_whole
from linkwright.generated_text import html_page, html_text, script_json
from linkwright.mechanism.parameterized_mechanism import parameterize_mechanism
from linkwright.model import Model
from linkwright.viewer.animation import gif_bytes, write_video
from linkwright.viewer.body_tracks import body_tracks
from linkwright.viewer.gltf import glb_bytes
from linkwright.viewer.page_content import PageContent, document
from linkwright.viewer.page_mechanism import engine_entries
from linkwright.viewer.scene_program import scene_program, shape_entry
from linkwright.viewer.scene_setting import setting
from linkwright.viewer.shown_motion import ShownMotion, unpack_array
from linkwright.viewer.sweep_motion import actuator_sweep

# --- one-file HTML pages around a document: assembled, framed for notebooks, saved ------------------------------------

_BODY = """<main>
<div id="linkwright"></div>
<noscript class="still"><p>The animation needs JavaScript; this picture, the text and the tables do not.</p>
{still}</noscript>
{body}
</main>
<footer><details class="notices"><summary>Third-party notices</summary><pre>{notices}</pre></details></footer>
<script type="application/json" id="linkwright-data">{data}</script>
<script>{script}</script>
"""


@cache
def bundle_file(name: str) -> str:
    """A file of the built viewer, as text with plain line ends."""
    text = files("linkwright.viewer").joinpath("bundle").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def page(content: PageContent, body: str = "", style: str = "") -> str:
    """The whole page as text, with the engine of its mechanism.

    Args:
        content: what is shown.
        body: HTML that follows the animation; its maker has escaped every name in it.
        style: CSS of the body.
    """
    data = content.data | ({} if content.model is None else engine_entries(content.model))
    if data.get("parameters") and content.model is not None and content.draw is not None:
        names = [each["name"] for each in data["parameters"]]
        found = scene_program(parameterize_mechanism(content.model.mechanism, names), content.draw)
        data |= {} if found is None else {"shape": shape_entry(found)}
        data["parameters"] = [_slider_within(each, content.bounds) for each in data["parameters"]]
    inside = _BODY.format(
        still=content.still,
        body=body,
        notices=html_text(bundle_file("NOTICES.txt")),
        data=script_json(data),
        script=bundle_file("viewer.js"),
    )
    script = bundle_file("viewer.js")
    return html_page(content.title, bundle_file("viewer.css") + style, inside, [script], computes="engine" in data)


def _slider_within(slider: dict[str, Any], bounds: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """A slider with the range that was given for it, widened to its value."""
    low, high = bounds.get(slider["name"], (slider["low"], slider["high"]))
    return {**slider, "low": min(low, slider["value"]), "high": max(high, slider["value"])}


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


# --- what a page shows, written as a file of another kind by the ending of its name -----------------------------------

Array = np.ndarray
PAGES = (".html", ".htm")


def write_scene(content: PageContent, path: str | os.PathLike[str]) -> str:
    """Write a scene as .svg, .gif, .glb, .mp4 or .webm; return the path."""
    file = VIEW.file(path)
    ending = file.suffix.lower()
    if not content.data["scene"]["bodies"]:
        raise ArgumentError(f"{file}: the page has no mechanism to draw; write a page, which shows the curves")
    write_whole(file, lambda beside: _WRITERS[ending](content, beside))
    return os.fspath(path)


def _write_svg(content: PageContent, path: Path) -> None:
    path.write_bytes(f"{content.still}\n<!-- {MARK} -->\n".encode())


def _write_gif(content: PageContent, path: Path) -> None:
    path.write_bytes(gif_bytes(content.data["scene"], *_times_and_poses(content)))


def _write_glb(content: PageContent, path: Path) -> None:
    path.write_bytes(glb_bytes(content.data["scene"], *_times_and_poses(content), content.title))


def _write_video_file(content: PageContent, path: Path) -> None:
    write_video(content.data["scene"], *_times_and_poses(content), path)


def _times_and_poses(content: PageContent) -> tuple[Array, Array]:
    """Times and poses of the page's frames."""
    tracks = unpack_array(content.data["poses"]).astype(float)
    return unpack_array(content.data["t"]) if len(content.data["t"]["base64"]) else np.zeros(len(tracks)), tracks


_WRITERS: dict[str, Callable[[PageContent, Path], None]] = {
    ".svg": _write_svg,
    ".gif": _write_gif,
    ".glb": _write_glb,
    ".mp4": _write_video_file,
    ".webm": _write_video_file,
}
ENDINGS = tuple(_WRITERS)
PAGE = FileKind("a page", PAGES, recognize_marks())
VIEW = FileKind("a page, picture, animation or 3D model", (*PAGES[:1], *ENDINGS, *PAGES[1:]), recognize_marks())
