"""What a page shows, written as a file of another kind by the ending of its name: picture, animation, 3D model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.files import MARK, FileKind, marked, write_whole
from linkwright.viewer.document import PageContent
from linkwright.viewer.gltf import glb
from linkwright.viewer.motion import unpacked
from linkwright.viewer.moving import gif, video

Array = np.ndarray
PAGES = (".html", ".htm")


def written(content: PageContent, path: str | os.PathLike[str]) -> str:
    """Write a scene as .svg, .gif, .glb, .mp4 or .webm; return the path."""
    file = VIEW.file(path)
    ending = file.suffix.lower()
    if not content.data["scene"]["bodies"]:
        raise ArgumentError(f"{file}: the page has no mechanism to draw; write a page, which shows the curves")
    write_whole(file, lambda beside: _WRITERS[ending](content, beside))
    return os.fspath(path)


def _svg(content: PageContent, path: Path) -> None:
    path.write_bytes(f"{content.still}\n<!-- {MARK} -->\n".encode())


def _gif(content: PageContent, path: Path) -> None:
    path.write_bytes(gif(content.data["scene"], *_motion(content)))


def _glb(content: PageContent, path: Path) -> None:
    path.write_bytes(glb(content.data["scene"], *_motion(content), content.title))


def _video(content: PageContent, path: Path) -> None:
    video(content.data["scene"], *_motion(content), path)


def _motion(content: PageContent) -> tuple[Array, Array]:
    """Times and poses of the page's frames."""
    tracks = unpacked(content.data["poses"]).astype(float)
    return unpacked(content.data["t"]) if len(content.data["t"]["base64"]) else np.zeros(len(tracks)), tracks


_WRITERS: dict[str, Callable[[PageContent, Path], None]] = {
    ".svg": _svg,
    ".gif": _gif,
    ".glb": _glb,
    ".mp4": _video,
    ".webm": _video,
}
ENDINGS = tuple(_WRITERS)
PAGE = FileKind("a page", PAGES, marked())
VIEW = FileKind("a page, picture, animation or 3D model", (*PAGES[:1], *ENDINGS, *PAGES[1:]), marked())
