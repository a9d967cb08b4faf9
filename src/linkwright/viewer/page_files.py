"""What a page shows, written as a file of another kind by the ending of its name: picture, animation, 3D model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.files import MARK, FileKind, recognize_marks, write_whole
from linkwright.viewer.animation import gif_bytes, write_video
from linkwright.viewer.gltf import glb_bytes
from linkwright.viewer.page_content import PageContent
from linkwright.viewer.shown_motion import unpack_array

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
