"""A motion as an animated GIF, or as a video where a program that encodes it is installed; no browser is needed."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError, missing_package_text
from linkwright.files import MARK
from linkwright.viewer.flat_drawing import (
    Patch,
    PictureFrame,
    enlarge_picture,
    lighten_color,
    opening_camera,
    path_lines,
    picture_frame,
    scene_patches,
)

Array = np.ndarray
_RATE = 20  # frames per second
_LONGEST = 240  # frames
_FINE = 2  # pixels drawn for one that is kept, in both directions
_LOOKS = 24  # poses that decide how much of the world is seen
_COLORS = 96


def gif_bytes(scene: dict[str, Any], t: Array, tracks: Array, size: tuple[int, int] = (640, 480)) -> bytes:
    """A motion of poses (n, n_bodies, 7) at times (n,) as the bytes of an animated GIF that repeats."""
    pictures = [image.quantize(_COLORS, dither=0) for image in _pictures_at_times(scene, t, tracks, size)]
    stream, pause = BytesIO(), round(1000 * _time_span(t) / max(len(pictures), 1)) if _time_span(t) > 0 else 100
    pictures[0].save(
        stream,
        "GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=max(pause, 20),
        loop=0,
        optimize=True,
        comment=MARK,
    )
    return stream.getvalue()


def write_video(scene: dict[str, Any], t: Array, tracks: Array, path: Path, size: tuple[int, int] = (960, 720)) -> None:
    """Write a motion as .mp4 or .webm with the ffmpeg of the package imageio-ffmpeg."""
    try:
        import imageio_ffmpeg
    except ImportError:
        text = f"{missing_package_text('videos', 'imageio-ffmpeg', 'video')}; or write a .gif"
        raise LinkwrightError(text) from None
    codec = "libvpx-vp9" if path.suffix.lower() == ".webm" else "libx264"
    origin = ["-metadata", f"comment={MARK}"]
    writer = imageio_ffmpeg.write_frames(
        str(path), size, fps=_RATE, codec=codec, macro_block_size=2, output_params=origin
    )
    writer.send(None)
    for image in _pictures_at_times(scene, t, tracks, size):
        writer.send(image.tobytes())
    writer.close()


def _time_span(t: Array) -> float:
    return float(t[-1] - t[0]) if len(t) else 0.0


def _pictures_at_times(scene: dict[str, Any], t: Array, tracks: Array, size: tuple[int, int]) -> Iterator[Any]:
    """Pictures at even times, of the poses nearest to them."""
    view = opening_camera(scene)
    good = np.flatnonzero(np.isfinite(tracks).all(axis=(1, 2)))
    if not len(good):
        raise LinkwrightError("the motion has no pose that could be drawn")
    lines = path_lines(scene, tracks[good], view)
    count = int(min(_LONGEST, max(1, round(_RATE * _time_span(t[good])))))
    times = np.linspace(t[good[0]], t[good[-1]], count, endpoint=count == 1)
    rows = good[np.clip(np.searchsorted(t[good], times), 0, len(good) - 1)]
    looks = good[np.unique(np.linspace(0, len(good) - 1, _LOOKS).astype(int))]
    seen = [p for row in looks for p in scene_patches(scene, tracks[row], view)]
    frame = enlarge_picture(picture_frame([*seen, *lines], *size), _FINE)
    return (_draw_picture([*lines, *scene_patches(scene, tracks[row], view)], frame, size) for row in rows)


def _draw_picture(parts: list[Patch], frame: PictureFrame, size: tuple[int, int]) -> Any:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise LinkwrightError(missing_package_text("pictures", "Pillow", "plot")) from None
    image = Image.new("RGB", (frame.width, frame.height), "#ffffff")
    pen = ImageDraw.Draw(image, "RGBA")
    for part in parts:
        points = [(float(x), float(y)) for x, y in frame.pixels(part.points)]
        color = f"{part.color}{round(255 * part.opacity):02x}"
        if part.width:
            pen.line(points, fill=color, width=max(2, round(frame.scale * part.width)), joint="curve")
        elif len(points) > 2:
            pen.polygon(points, fill=color, outline=lighten_color(part.color, -0.25))
    return image.resize(size, Image.Resampling.LANCZOS)
