"""Colors of shapes as text: `#rrggbb`, or `#rrggbbaa` where one looks through."""

from __future__ import annotations

from collections.abc import Sequence


def color_text(rgba: Sequence[float]) -> str:
    """A color of red, green, blue and, if given, opacity, each 0 to 1; NaN counts as 0.

    >>> color_text([1.0, 0.5, 0.0]), color_text([1.0, 0.5, 0.0, 1.0]), color_text([0.0, 0.0, 0.0, 0.5])
    ('#ff8000', '#ff8000', '#00000080')
    >>> color_text([float("nan"), 1.0, float("inf")])
    '#00ffff'
    """
    parts = [round(255 * min(max(0.0, float(x)), 1.0)) for x in rgba]
    return "#" + "".join(f"{x:02x}" for x in (parts[:3] if parts[3:] == [255] else parts))


def rgba_of_color(color: str) -> tuple[float, float, float, float]:
    """Red, green, blue and opacity, 0 to 1, of a color.

    >>> rgba_of_color("#ff0000"), rgba_of_color("#00000033")
    ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.2))
    """
    red, green, blue, opacity = (int((color + "ff")[i : i + 2], 16) / 255.0 for i in (1, 3, 5, 7))
    return red, green, blue, opacity
