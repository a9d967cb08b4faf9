"""Figures with matplotlib: the charts of runs, studies, ensembles and sweeps."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.checks import require_texts
from linkwright.errors import ArgumentError, LinkwrightError, ResultError, missing_package_text
from linkwright.files import MARK, FileKind, recognize_marks, write_whole
from linkwright.results.charts import (
    AnyPanel,
    Chart,
    Map,
    Panel,
    Surface,
    axis_label,
    charts_of_groups,
    color_scale,
    fit_units,
    split_label,
)
from linkwright.results.result import Result
from linkwright.results.series import Series
from linkwright.results.study_result import StudyContent
from linkwright.results.thinning import peaks_kept

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
_FEW_DOTS = 20
_MOST_NAMES = 12  # of curves beside a panel
_BESIDE_Z = 0.2  # width of the gap between axes in space and their color bar, into which the label of z reaches


def plot_study(
    content: StudyContent, path: Any = None, width: float = 8.0, columns: int | None = None, shown: bool = True
) -> Any:
    """Draw the panels of a study.

    Args:
        content: what the study shows.
        path: file to write, ending in .pdf, .svg or .png; the figure is only returned when None.
        width: of the figure, [inch].
        columns: panels side by side; two where there are more than one.
        shown: let pyplot show a figure that is not written.

    Returns: the matplotlib figure.
    """
    file = None if path is None else FIGURE.file(path)
    if not content.panels:
        raise ArgumentError(f"{content.title}: there is nothing to draw; its tables are in the report")
    across = columns or min(2, len(content.panels))
    drawing = _draw_panels(content.title, [*map(fit_units, content.panels)], across, width, shown and file is None)
    return _save_figure(drawing, file, dpi=120)


def draw_chart(chart: Chart, folder: Any, ending: str = "pdf", width: float = 8.0) -> Path:
    """Draw a chart into a folder, which is made when it is missing; return the file.

    Args:
        ending: pdf, png or svg.
        width: of the figure, [inch].
    """
    path = Path(folder) / f"{chart.name}.{ending}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ResultError(f"{folder}: cannot be made ({problem.strerror}); give another folder") from None
    _save_figure(_draw_panels(chart.title, chart.panels, chart.columns, width, False), path, dpi=120)
    return path


def plot_run(run: Result, names: str | Sequence[str] | None = None, path: Any = None, width: float = 8.0) -> Any:
    """Draw series over time, events as thin lines.

    Args:
        run: the run to draw.
        names: a series or group, or several; all series when None.
        path: file to write, ending in .pdf, .svg or .png; the figure is only returned when None.
        width: of the figure, [inch].

    Returns: the matplotlib figure.
    """
    file = None if path is None else FIGURE.file(path)
    panels = [*map(_name_single_curve, charts_of_groups(choose_series(run, names), run.t))]
    drawing = _draw_panels("", panels or [Panel("t [s]", "")], 1, width, file is None, shared=True)
    for ax in drawing.axes:
        for event in run.events:
            ax.axvline(event.t, color="0.6", linewidth=0.6, linestyle=":")
    return _save_figure(drawing, file)


def _name_single_curve(panel: Panel) -> Panel:
    """A panel whose only curve names its axis."""
    if len(panel.curves) != 1:
        return panel
    return replace(panel, beside=axis_label(panel.curves[0].name, split_label(panel.beside)[1]))


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


# --- panels -----------------------------------------------------------------------------------------------------------


def _draw_panels(
    title: str, panels: Sequence[AnyPanel], columns: int, width: float, shown: bool, shared: bool = False
) -> Any:
    """A figure of panels in rows; those that are `shared` have one axis of x below them all."""
    rows = -(-len(panels) // columns)
    shapes = [_height_over_width(each) for each in panels if isinstance(each, Surface) or each.equal]
    tall = max(1.8, 6.4 / columns * max(shapes)) if shapes else 1.9 if shared else 2.4
    drawing = _blank_figure((width, 0.6 + tall * rows), shown)
    if title:
        drawing.suptitle(plain_label(title), fontsize=10)
    first = None
    for i, panel in enumerate(panels):
        space = {"projection": "3d"} if isinstance(panel, Surface) else {}
        ax = drawing.add_subplot(rows, columns, i + 1, sharex=first if shared else None, **space)
        first = first or ax
        if isinstance(panel, Surface):
            _draw_surface(drawing, ax, panel)
        elif isinstance(panel, Map):
            _draw_map(drawing, ax, panel)
        else:
            _draw_curves(ax, panel)
            beside = panels[i + 1] if (i + 1) % columns and i + 1 < len(panels) else None
            if not (isinstance(beside, Panel) and _names(beside) == _names(panel)):  # equal names once in a row
                _add_legend(ax)
        above = (panel.title, _outliers_remark(panel))
        ax.set_title("\n".join(filter(None, map(plain_label, above))), fontsize=9)
        if shared and i + 1 < len(panels):
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
    drawing.align_ylabels()
    return drawing


def _height_over_width(panel: AnyPanel) -> float:
    """Of a chart whose axes have one scale, at most a square."""
    if isinstance(panel, Surface):
        return 1.0
    if isinstance(panel, Panel):
        columns: Any = [np.concatenate([np.ravel(getattr(each, name)) for each in panel.curves]) for name in "xy"]
    else:
        columns = (panel.x, panel.y) if panel.points is None else np.asarray(panel.points).T
    wide, high = (np.nanmax(x) - np.nanmin(x) if len(x) else 0.0 for x in columns)
    return float(np.clip(high / wide, 0.2, 1.0)) if wide > 0.0 else 1.0


def _names(panel: Panel) -> list[str]:
    return [*(each.name for each in panel.curves), *(each.name for each in panel.bands)]


def _draw_curves(ax: Any, panel: Panel) -> None:
    """Draw areas, curves and limits; curves beyond the colors repeat them, dashed."""
    for i, band in enumerate(panel.bands):
        one = bool(panel.curves)  # areas about the first curve have its color
        color, pale = PALETTE[0 if one else i % len(PALETTE)], 0.18 * (i + 1) if one else 0.6
        ax.fill_between(band.x, band.low, band.high, label=plain_label(band.name), color=color, alpha=pale, lw=0.0)
    colors = {}
    for k, curve in enumerate(panel.curves):
        colors[curve.name] = PALETTE[k % len(PALETTE)]
        dashed = curve.dashed or k >= len(PALETTE)
        style = {"linestyle": "--" if dashed else "-", "linewidth": 1.2, "color": colors[curve.name]}
        if curve.dots:
            style |= {"linestyle": "", "marker": ".", "markersize": 8 if len(curve.x) < _FEW_DOTS else 4}
        ax.plot(*_drawn_points(curve.x, curve.y), label=plain_label(curve.name), **style)
        if curve.other is not None:
            ax.plot(*_drawn_points(*curve.other), color=colors[curve.name], linestyle=":", linewidth=1.2)
    for name, value in panel.limits:
        ax.axhline(value, color=colors.get(name, "0.5"), linestyle=(0, (8, 4)), linewidth=0.8)
    ax.set_xlabel(plain_label(panel.below))
    ax.set_ylabel(plain_label(panel.beside))
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.margins(x=0.0 if any(not each.dots for each in panel.curves) or panel.bands else 0.03)
    if not panel.beside:
        ax.set_yticks([])
    if panel.equal:
        ax.set_aspect("equal")
    if panel.log:
        ax.set_xscale("log")
        ax.set_yscale("log")
        _write_plain_numbers(ax.xaxis, ax.yaxis)
    elif panel.counts:
        ax.xaxis.get_major_locator().set_params(integer=True)


def _write_plain_numbers(*axes: Any) -> None:
    """Numbers of logarithmic axes as "0.4", not as a factor and a power of ten."""
    from matplotlib.ticker import LogFormatter

    class PlainNumbers(LogFormatter):
        def __call__(self, x: float, pos: Any = None) -> str:
            return f"{x:g}" if super().__call__(x, pos) else ""

    for axis in axes:
        axis.set_major_formatter(PlainNumbers())
        axis.set_minor_formatter(PlainNumbers(minor_thresholds=(2, 0.5)))


def _add_legend(ax: Any) -> None:
    lines, names = ax.get_legend_handles_labels()
    if 1 < len(lines) <= _MOST_NAMES:
        ax.legend(lines, names, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)


def _draw_map(drawing: Any, ax: Any, panel: Map) -> None:
    limits, extend = _colors_of(panel)
    if panel.points is None or (panel.triangles is not None and not len(panel.triangles)):
        mesh = ax.pcolormesh(panel.x, panel.y, panel.values.T, shading="nearest", **limits)
    elif panel.triangles is None:
        size = max(2.0, min(20.0, 4e4 / max(1, len(panel.points))))
        mesh = ax.scatter(*panel.points.T, s=size, c=panel.at_points, linewidths=0, **limits)
    else:
        mesh = ax.tripcolor(*panel.points.T, panel.triangles, panel.at_points, shading="gouraud", **limits)
    low, high = mesh.get_clim()
    if high > low:
        _add_color_bar(drawing, mesh, panel, ax=ax, extend=extend)
    if panel.equal:
        ax.set_aspect("equal")
    ax.set_xlabel(plain_label(panel.below))
    ax.set_ylabel(plain_label(panel.beside))


def _draw_surface(drawing: Any, ax: Any, panel: Surface) -> None:
    mesh = ax.plot_trisurf(*panel.points.T, triangles=panel.triangles, cmap="viridis", linewidth=0.0, antialiased=True)
    if panel.values is not None:
        mesh.set_array(panel.values[panel.triangles].mean(axis=1))
        limits, extend = _colors_of(panel)
        mesh.set(**limits)
        _add_color_bar(drawing, mesh, panel, ax=ax, shrink=0.7, extend=extend, pad=_BESIDE_Z)
    for axis, label in zip((ax.set_xlabel, ax.set_ylabel, ax.set_zlabel), panel.labels, strict=True):
        axis(label)
    ax.set_aspect("equal")


def _add_color_bar(drawing: Any, mesh: Any, panel: Map | Surface, **more: Any) -> None:
    bar = drawing.colorbar(mesh, label=plain_label(panel.quantity), **more)
    if color_scale(panel.colored_values)[1]:
        _write_plain_numbers(bar.long_axis)


def _colors_of(panel: Map | Surface) -> tuple[dict[str, Any], str]:
    """Colors of values, and whether their bar goes on above."""
    from matplotlib.colors import LogNorm, Normalize

    ends, log, remark = color_scale(panel.colored_values)
    norm = (LogNorm if log else Normalize)(*(ends or (None, None)))
    return {"norm": norm, "cmap": "viridis"}, "max" if remark else "neither"


def _outliers_remark(panel: AnyPanel) -> str:
    """What the colors do not tell apart; above the axes, because color bars are short."""
    return "" if isinstance(panel, Panel) else color_scale(panel.colored_values)[2]


def _drawn_points(x: Any, y: Any) -> tuple[Any, Any]:
    """Points of a curve; of a long one those that look the same."""
    kept = peaks_kept(np.asarray(y, dtype=float)[:, None], _MOST_POINTS)
    return np.asarray(x)[kept], np.asarray(y)[kept]


def plain_label(name: str) -> str:
    """A name as text: no formulas, nothing unprintable, nothing a legend would leave out.

    >>> plain_label("_a$b")
    ' _a\\\\$b'
    """
    text = "".join(c if c.isprintable() else "?" for c in name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


# --- figures ----------------------------------------------------------------------------------------------------------


def _blank_figure(size: tuple[float, float], shown: bool) -> Any:
    """An empty figure.

    One that is only shown belongs to pyplot, so that `plt.show()` opens it; in a notebook it is displayed as the value
    of its cell, without pyplot.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LinkwrightError(missing_package_text("figures", "matplotlib", "plot")) from None
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


def _save_figure(figure: Any, path: Path | None, **options: Any) -> Any:
    """Save a figure where a path is given; equal figures are equal files."""
    if path is not None:
        options |= {"format": path.suffix.lower()[1:], "metadata": ENDINGS[path.suffix.lower()]}
        drawing = BytesIO()  # matplotlib's writers fail in their own ways on a full disk
        figure.savefig(drawing, **options)
        write_whole(path, drawing.getvalue())
    return figure
