"""A run as a figure: one panel per group and unit, times below, events as thin lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkwright.errors import ArgumentError, LinkwrightError, ResultError
from linkwright.results.files import write_whole
from linkwright.results.result import Result
from linkwright.results.series import Series

TITLES = {"q": "coordinates", "v": "speeds", "a": "accelerations", "tau": "efforts", "": "other series"}
ENDINGS = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
"""Formats, and what keeps two equal figures equal files."""

_MOST_LABELS = 12
Panel = tuple[Series, ...]


def figure(run: Result, names: str | Sequence[str] | None = None, path: Any = None, width: float = 8.0) -> Any:
    """Draw series over time.

    Args:
        run: what to draw.
        names: a series or group, or several; all series when None.
        path: file to write, ending in .pdf, .svg or .png; the figure is only returned when None.
        width: of the figure, [inch].

    Returns: the matplotlib figure.
    """
    place = _place(path)
    panels = grouped(chosen(run, names))
    drawn = blank(max(1, len(panels)), width)
    axes = drawn.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
    for ax, panel in zip(axes, panels):
        _fill(ax, run, panel)
    axes[-1].set_xlabel("t [s]")
    drawn.align_ylabels()
    if place is not None:
        options: dict[str, Any] = {"format": place.suffix.lower()[1:], "metadata": ENDINGS[place.suffix.lower()]}
        write_whole(place, lambda beside: drawn.savefig(beside, **options))
    return drawn


def chosen(run: Result, names: str | Sequence[str] | None) -> list[Series]:
    """The series named one by one or by group, in the order asked for."""
    if names is None:
        return list(run.series)
    groups = {each.group for each in run.series}
    found: dict[str, Series] = {}
    for name in [names] if isinstance(names, str) else names:
        if name in run.names or name not in groups:
            found[name] = run.one(name)
        else:
            found |= {each.name: each for each in run.series if each.group == name}
    return list(found.values())


def grouped(series: Sequence[Series]) -> list[Panel]:
    """Series of one group and unit together, in the order of their first ones."""
    panels: dict[tuple[str, str], list[Series]] = {}
    for each in series:
        panels.setdefault((each.group, each.unit), []).append(each)
    return [tuple(panel) for panel in panels.values()]


def _fill(ax: Any, run: Result, panel: Panel) -> None:
    lines = [ax.plot(run.t, each.values, linewidth=1.2)[0] for each in panel]
    for event in run.events:
        ax.axvline(event.t, color="0.6", linewidth=0.6, linestyle=":")
    unit = f" [{plain(panel[0].unit)}]" if panel[0].unit else ""
    single = len(panel) == 1
    ax.set_ylabel((plain(panel[0].name) if single else plain(TITLES.get(panel[0].group, panel[0].group))) + unit)
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.margins(x=0.0)
    if not single:
        _legend(ax, lines, [plain(each.name) for each in panel])


def _legend(ax: Any, lines: list[Any], names: list[str]) -> None:
    if len(names) > _MOST_LABELS:
        names = [*names[: _MOST_LABELS - 1], f"and {len(names) - _MOST_LABELS + 1} more"]
    ax.legend(lines[: len(names)], names, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)


def plain(name: str) -> str:
    """A name as text: no formulas, nothing unprintable, nothing a legend would leave out.

    >>> plain("_a$b")
    ' _a\\\\$b'
    """
    text = "".join(c if c.isprintable() else "?" for c in name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def blank(rows: int, width: float) -> Any:
    """An empty figure for some panels below each other."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LinkwrightError(
            "figures need matplotlib, which is not installed; install it with: pip install 'linkwright[plot]'"
        ) from None
    return Figure(figsize=(width, 0.6 + 1.9 * rows), layout="constrained")


def _place(path: Any) -> Path | None:
    if path is None:
        return None
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"the path is {path!r}, expected the name of a file")
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise ResultError(f"{place}: a figure is saved as {known}; end the name with one of these", file=str(place))
    return place
