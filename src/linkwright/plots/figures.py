"""Figures with matplotlib: charts of several panels, runs over time, points of a sweep."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.checks import require_texts
from linkwright.errors import ArgumentError, LinkwrightError, ResultError, missing_package_text
from linkwright.files import MARK, FileKind, recognize_marks, write_whole
from linkwright.results.charts import Chart, Panel, TimeChart, charts_of_groups
from linkwright.results.result import Result
from linkwright.results.series import Series

# --- figures with matplotlib ------------------------------------------------------------------------------------------

ENDINGS: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Subject": MARK},
    ".svg": {"Date": None, "Description": MARK},
    ".png": {"Description": MARK},
}
"""Formats, and metadata: the origin, and no date, so that two equal figures are equal files."""

FIGURE = FileKind("a figure", tuple(ENDINGS), recognize_marks())

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
"""Colors that people with any kind of color vision tell apart (M. Okabe and K. Ito, 2008), the yellow darkened."""

_MOST_POINTS = 4000


def draw_chart(chart: Chart, folder: Any, ending: str = "pdf", width: float = 8.0) -> Path:
    """Draw a chart into a folder, which is made when it is missing.

    Args:
        ending: pdf, png or svg.
        width: of the figure, [inch].

    Returns: the file.
    """
    path = _make_folder(Path(folder)) / f"{chart.name}.{ending}"
    rows = -(-len(chart.panels) // chart.columns)
    figure = blank_figure(rows, width)
    figure.set_size_inches(width, 0.6 + 2.4 * rows)
    figure.suptitle(plain_label(chart.title), fontsize=10)
    axes = figure.subplots(rows, chart.columns, squeeze=False)
    for ax, panel in zip(axes.flat, chart.panels):
        draw_curves(ax, panel)
    for row in range(rows):  # names of the curves at the right of a row, whose panels have the same ones
        lines, names = axes[row, min(chart.columns, len(chart.panels)) - 1].get_legend_handles_labels()
        if len(lines) > 1:
            _add_legend(axes[row, min(chart.columns, len(chart.panels)) - 1], lines, names)
    for ax in list(axes.flat)[len(chart.panels) :]:
        ax.set_visible(False)
    save_figure(figure, path, dpi=120)
    return path


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ResultError(f"{folder}: cannot be made ({problem.strerror}); give another folder") from None
    return folder


def draw_curves(ax: Any, panel: Panel) -> None:
    """Draw the curves of a panel on axes."""
    ax.set_prop_cycle(color=PALETTE)
    for i, band in enumerate(panel.bands):
        ax.fill_between(
            band.x, band.low, band.high, label=plain_label(band.name), color=PALETTE[0], alpha=0.18 * (i + 1), lw=0.0
        )
    for curve in panel.curves:
        style = {"linestyle": "", "marker": ".", "markersize": 4} if curve.dots else {}
        style = style or {"linestyle": "--" if curve.dashed else "-", "linewidth": 1.2}
        ax.plot(curve.x, curve.y, label=plain_label(curve.name), **style)
    ax.set_xlabel(panel.below)
    _style_axes(ax, panel.beside)
    if panel.equal:
        ax.set_aspect("equal")
    if panel.log:
        ax.set_xscale("log")
        ax.set_yscale("log")
    if panel.title:
        ax.set_title(plain_label(panel.title), fontsize=9)


def _style_axes(ax: Any, beside: str) -> None:
    ax.set_ylabel(beside)
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.margins(x=0.0)


def _add_legend(ax: Any, lines: list[Any], names: list[str]) -> None:
    ax.legend(lines[: len(names)], names, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)


def save_figure(figure: Any, path: Path, **options: Any) -> None:
    """Save a figure; equal figures are equal files."""
    options |= {"format": path.suffix.lower()[1:], "metadata": ENDINGS[path.suffix.lower()]}
    drawing = BytesIO()  # matplotlib's writers fail in their own ways on a full disk
    figure.savefig(drawing, **options)
    write_whole(path, drawing.getvalue())


def plot_run(run: Result, names: str | Sequence[str] | None = None, path: Any = None, width: float = 8.0) -> Any:
    """Draw series over time, events as thin lines.

    Args:
        run: the run to draw.
        names: a series or group, or several; all series when None.
        path: file to write, ending in .pdf, .svg or .png; the figure is only returned when None.
        width: of the figure, [inch].

    Returns: the matplotlib figure.
    """
    file = requested_file(path)
    charts = charts_of_groups(choose_series(run, names), run.t)
    drawing = blank_figure(max(1, len(charts)), width, shown=file is None)
    axes = drawing.subplots(max(1, len(charts)), 1, sharex=True, squeeze=False)[:, 0]
    for ax, chart in zip(axes, charts):
        _draw_time_chart(ax, chart)
        for event in run.events:
            ax.axvline(event.t, color="0.6", linewidth=0.6, linestyle=":")
    axes[-1].set_xlabel("t [s]")
    drawing.align_ylabels()
    if file is not None:
        save_figure(drawing, file)
    return drawing


def choose_series(run: Result, names: str | Sequence[str] | None) -> list[Series]:
    """The series named one by one or by group, in the order requested."""
    if names is None:
        return list(run.series)
    groups = {each.group for each in run.series}
    found: dict[str, Series] = {}
    for name in [names] if isinstance(names, str) else require_texts("names", names):
        if name in run.names or name not in groups:
            found[name] = run.one(name)
        else:
            found |= {each.name: each for each in run.series if each.group == name}
    return list(found.values())


def _draw_time_chart(ax: Any, chart: TimeChart) -> None:
    """Draw curves over time; those beyond the colors repeat them, dashed."""
    lines = []
    for k, values in enumerate(chart.values.T):
        style = "-" if k < len(PALETTE) else "--"
        color = PALETTE[k % len(PALETTE)]
        lines += ax.plot(*thin_curve(chart.t, values), linewidth=1.2, color=color, linestyle=style)
    single = len(chart.names) == 1
    unit = f" [{plain_label(chart.unit)}]" if chart.unit else ""
    _style_axes(ax, plain_label(chart.names[0] if single else chart.title) + unit)
    if not single:
        _add_legend(ax, lines, [plain_label(name) for name in chart.names])


def thin_curve(t: Any, values: Any, most: int = _MOST_POINTS) -> tuple[Any, Any]:
    """Points of a long curve that look the same: the lowest and the highest of every piece, in their order.

    >>> import numpy as np
    >>> t, x = thin_curve(np.arange(1e6), np.sin(np.arange(1e6)), most=1000)
    >>> len(t), float(x.max()) > 0.9999999
    (1000, True)
    """
    if len(t) <= most:
        return t, values
    edges = np.linspace(0, len(t), most // 2 + 1).astype(int)
    pieces = [values[a:b] for a, b in pairwise(edges.tolist())]
    ends = ((a + int(np.argmin(x)), a + int(np.argmax(x))) for a, x in zip(edges.tolist(), pieces))
    kept = [i for pair in ends for i in sorted(pair)]
    return t[kept], values[kept]


def plain_label(name: str) -> str:
    """A name as text: no formulas, nothing unprintable, nothing a legend would leave out.

    >>> plain_label("_a$b")
    ' _a\\\\$b'
    """
    text = "".join(c if c.isprintable() else "?" for c in name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def blank_figure(rows: int, width: float, shown: bool = False) -> Any:
    """An empty figure for some panels below each other.

    One that is only shown belongs to pyplot, so that `plt.show()` opens it; in a notebook it is displayed as the value
    of its cell, without pyplot.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LinkwrightError(missing_package_text("figures", "matplotlib", "plot")) from None
    size = (width, 0.6 + 1.9 * rows)
    if shown and "ipykernel" not in sys.modules:
        from matplotlib import pyplot

        return pyplot.figure(figsize=size, layout="constrained")
    drawing = Figure(figsize=size, layout="constrained")
    drawing._repr_png_ = partial(_png_bytes, drawing)  # type: ignore[attr-defined]  # where IPython looks
    return drawing


def _png_bytes(drawing: Any) -> bytes:
    content = BytesIO()
    drawing.savefig(content, format="png", dpi=100)
    return content.getvalue()


def requested_file(path: Any) -> Path | None:
    """The path of a figure, if its ending is one that figures are saved under."""
    return None if path is None else FIGURE.file(path)


# --- points of a sweep as a figure: one column over another, perhaps colored by a third -------------------------------

Column = tuple[str, Any]
"""Name and values (n,)."""


def scatter(x: Column, y: Column, color: Column | None = None) -> Any:
    """A figure of points; those with NaN are left out."""
    for name, values in filter(None, (x, y, color)):
        if values.ndim != 1:
            raise ArgumentError(f"'{name}' has shape {values.shape[1:]} at each point, expected one number", name=name)
    figure = blank_figure(1, 6.0, shown=True)
    ax = figure.subplots()
    size = max(2.0, min(20.0, 4e4 / max(1, len(x[1]))))
    shown = ax.scatter(x[1], y[1], s=size, c=None if color is None else color[1], cmap="viridis", linewidths=0)
    if color is not None:
        figure.colorbar(shown, label=plain_label(color[0]))
    ax.set_xlabel(plain_label(x[0]))
    ax.set_ylabel(plain_label(y[0]))
    ax.grid(alpha=0.3)
    return figure
