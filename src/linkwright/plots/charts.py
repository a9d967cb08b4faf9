"""Figures with several panels of curves, each curve with its own places along the axis below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkwright.errors import ResultError
from linkwright.plots.figures import ENDINGS, blank, plain
from linkwright.results.files import write_whole


@dataclass(frozen=True, eq=False)
class Curve:
    """Values over places, (n,) and (n,), with a name; a dashed line is what the full one is held against."""

    name: str
    x: Any
    y: Any
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves that share both axes; the axes say quantity and unit, for example "torque [N m]"."""

    below: str
    beside: str
    curves: Sequence[Curve]
    title: str = ""
    log: bool = False


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure: its file name without ending, its title and its panels, in rows of `columns`."""

    name: str
    title: str
    panels: Sequence[Panel]
    columns: int = 1


def drawn(chart: Chart, folder: Any, ending: str = "pdf", width: float = 8.0) -> Path:
    """Draw a chart into a folder, which is made when it is missing.

    Args:
        ending: pdf, png or svg.
        width: of the figure, [inch].

    Returns: the file.
    """
    place = _made(Path(folder)) / f"{chart.name}.{ending}"
    rows = -(-len(chart.panels) // chart.columns)
    figure = blank(rows, width)
    figure.set_size_inches(width, 0.6 + 2.4 * rows)
    figure.suptitle(plain(chart.title), fontsize=10)
    axes = figure.subplots(rows, chart.columns, squeeze=False)
    for ax, panel in zip(axes.flat, chart.panels):
        _fill(ax, panel)
    for row in range(rows):
        _legend(axes[row, min(chart.columns, len(chart.panels)) - 1])
    for ax in list(axes.flat)[len(chart.panels) :]:
        ax.set_visible(False)
    options = {"format": ending, "metadata": ENDINGS[place.suffix.lower()], "dpi": 120}
    write_whole(place, lambda beside: figure.savefig(beside, **options))
    return place


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ResultError(f"{folder}: cannot be made ({problem.strerror}); give another folder") from None
    return folder


def _fill(ax: Any, panel: Panel) -> None:
    for curve in panel.curves:
        ax.plot(curve.x, curve.y, linewidth=1.2, linestyle="--" if curve.dashed else "-", label=plain(curve.name))
    ax.set_xlabel(panel.below)
    ax.set_ylabel(panel.beside)
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.margins(x=0.0)
    if panel.log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    if panel.title:
        ax.set_title(plain(panel.title), fontsize=9)


def _legend(ax: Any) -> None:
    """Names of the curves at the right of a row, whose panels have the same ones."""
    lines, names = ax.get_legend_handles_labels()
    if len(lines) > 1:
        ax.legend(lines, names, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
