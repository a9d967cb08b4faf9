"""A scene as an SVG picture: for printing, for papers, and for pages where nothing can be drawn in 3D."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.generated_text import html_text
from linkwright.viewer.flat_drawing import (
    Camera,
    Patch,
    PictureFrame,
    lighten_color,
    opening_camera,
    path_lines,
    picture_frame,
    scene_patches,
)

Array = np.ndarray
WIDTH, HEIGHT = 900, 600


def still_svg(
    scene: dict[str, Any], tracks: Array, title: str, row: int = 0, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> str:
    """A picture of a scene at one row of its poses (n, n_bodies, 7), with the paths of all rows."""
    view = opening_camera(scene)
    good = tracks[np.isfinite(tracks).all(axis=(1, 2))]
    shown = tracks[row] if np.isfinite(tracks[row]).all() else good[0] if len(good) else tracks[row]
    lines = path_lines(scene, good, view)
    parts = scene_patches(scene, shown, view)
    frame = picture_frame([*parts, *lines], *size)
    return svg_text([*lines, *parts], frame, title, scene, view)


def svg_text(parts: list[Patch], frame: PictureFrame, title: str, scene: dict[str, Any], view: Camera) -> str:
    """Patches as an SVG text, with a scale bar."""
    w, h = frame.width, frame.height
    body = "".join(_patch_element(part, frame) for part in parts if np.isfinite(part.points).all())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" '
        f'aria-label="{html_text(title)}"><title>{html_text(title)}</title>'
        f'<rect width="{w}" height="{h}" fill="#ffffff"/><g stroke-linejoin="round" stroke-linecap="round" '
        f'stroke-width="0.8">{body}</g>{scale_bar(frame)}</svg>'
    )


def _patch_element(part: Patch, frame: PictureFrame) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in frame.pixels(part.points))
    faint = f' opacity="{part.opacity:.2f}"' if part.opacity < 1.0 else ""
    if part.width:
        width = max(frame.scale * part.width, 0.8)
        return f'<polyline points="{points}" fill="none" stroke="{part.color}" stroke-width="{width:.1f}"{faint}/>'
    return f'<polygon points="{points}" fill="{part.color}" stroke="{lighten_color(part.color, -0.25)}"{faint}/>'


def scale_bar(frame: PictureFrame) -> str:
    """A bar of a round length in the lower right corner, with its length."""
    size = round_length(0.14 * frame.width / frame.scale)
    long = size * frame.scale
    x, y = frame.width - 14 - long, frame.height - 14
    text = f"{1000 * size:.4g} mm" if size < 0.0999 else f"{size:.4g} m"
    return (
        f'<path d="M{x:.1f} {y - 5}v5h{long:.1f}v-5" fill="none" stroke="#5b6470" stroke-width="1.5"/>'
        f'<text x="{x + 0.5 * long:.1f}" y="{y - 8}" font-family="sans-serif" font-size="12" fill="#5b6470" '
        f'text-anchor="middle">{text}</text>'
    )


def round_length(x: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above x.

    >>> round_length(0.3), round_length(0.051)
    (0.2, 0.05)
    """
    power = 10.0 ** np.floor(np.log10(x))
    return float(f"{max(k for k in (1, 2, 5) if k * power <= x * (1 + 1e-9)) * power:.12g}")
