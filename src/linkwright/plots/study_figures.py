"""Figures of studies: curves, maps and surfaces side by side."""

from __future__ import annotations

from typing import Any

from linkwright.errors import ArgumentError
from linkwright.plots.figures import blank_figure, draw_curves, plain_label, requested_file, save_figure
from linkwright.results.charts import AnyPanel, Bars, Map, Panel, Strip, Surface
from linkwright.results.study_result import StudyContent

_OUTSIDE = ("#8a8a8a", "#c9c9c9", "#e07b39", "#7a6fb0", "#d4b13f")
_MOST = 0.98  # share of values that colors tell apart
_BESIDE_Z = 0.2  # width of the gap between axes in space and their color bar, into which the label of z reaches


def plot_study(
    content: StudyContent, path: Any = None, width: float = 8.0, columns: int | None = None, shown: bool = True
) -> Any:
    """Draw the panels of a study.

    Args:
        content: what the study shows.
        path: file to write, ending in .pdf, .svg or .png; the figure is only returned when None.
        width: of the figure, [inch].
        columns: panels side by side; two where there are more than two.
        shown: let pyplot show a figure that is not written.

    Returns: the matplotlib figure.
    """
    file = requested_file(path)
    if not content.panels:
        raise ArgumentError(f"{content.title}: there is nothing to draw; its tables are in the report")
    n = len(content.panels)
    across = columns or (2 if n > 1 else 1)
    rows = -(-n // across)
    drawing = blank_figure(rows, width, shown=shown and file is None)
    tall = (
        3.2
        if any(not isinstance(each, Panel | Bars | Strip) or getattr(each, "equal", False) for each in content.panels)
        else 2.4
    )
    drawing.set_size_inches(width, 0.6 + tall * rows * (2.0 / across if tall > 3.0 else 1.0))
    drawing.suptitle(plain_label(content.title), fontsize=10)
    for i, panel in enumerate(content.panels):
        _draw_panel(drawing, (rows, across, i + 1), panel)
    if file is not None:
        save_figure(drawing, file, dpi=120)
    return drawing


def _draw_panel(drawing: Any, slot: tuple[int, int, int], panel: AnyPanel) -> None:
    if isinstance(panel, Surface):
        return _draw_surface(drawing, drawing.add_subplot(*slot, projection="3d"), panel)
    ax = drawing.add_subplot(*slot)
    if isinstance(panel, Bars):
        ax.stairs(panel.counts, panel.edges, fill=True, alpha=0.6)
        ax.set_xlabel(plain_label(panel.below))
        ax.set_ylabel(plain_label(panel.beside))
        ax.set_title(plain_label(panel.title), fontsize=9)
        return None
    if isinstance(panel, Strip):
        return _draw_strip(ax, panel)
    if isinstance(panel, Map):
        return _draw_map(drawing, ax, panel)
    draw_curves(ax, panel)
    if 1 < len(panel.curves) + len(panel.bands) <= 12:
        ax.legend(frameon=False, fontsize=7)
    return None


def _draw_strip(ax: Any, panel: Strip) -> None:
    for i, (name, stretches) in enumerate(panel.parts.items()):
        color = "#2a9d5c" if name == "inside" else _OUTSIDE[i % len(_OUTSIDE)]
        ax.broken_barh([(a, b - a) for a, b in stretches], (0.0, 1.0), color=color, label=plain_label(name))
    ax.set_yticks([])
    ax.locator_params(axis="x", nbins=5)
    ax.set_ylim(-0.4, 2.2)
    ax.margins(x=0.02)
    ax.set_xlabel(plain_label(panel.below))
    ax.set_title(plain_label(panel.title), fontsize=9)
    ax.legend(frameon=False, fontsize=7, loc="upper left")


def _color_scale(values: Any) -> tuple[dict[str, Any], str]:
    """The scale of colors, and what their label says: values far above nearly all others would leave one color.

    They end at the value that two in a hundred exceed, as on pages; over more than a decade they are logarithmic.
    """
    import numpy as np

    seen = np.asarray(values, dtype=float)
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return {}, ""
    low, high, top = float(seen.min()), float(np.quantile(seen, _MOST)), float(seen.max())
    if not high > low or top - low <= 2.0 * (high - low):
        return {}, ""
    from matplotlib.colors import LogNorm, Normalize

    scale = LogNorm if 0.0 < 10.0 * low < high else Normalize
    return {"norm": scale(low, high)}, f" (2 % are above {high:.3g}, up to {top:.3g})"


def _draw_map(drawing: Any, ax: Any, panel: Map) -> None:
    limits, remark = _color_scale(panel.values)
    if panel.triangles is None or not len(panel.triangles):
        mesh = ax.pcolormesh(panel.x, panel.y, panel.values.T, shading="nearest", cmap="viridis", **limits)
    else:
        corners = (panel.points[:, 0], panel.points[:, 1], panel.triangles)
        mesh = ax.tripcolor(*corners, panel.at_points, shading="gouraud", cmap="viridis", **limits)
    low, high = mesh.get_clim()
    if high > low:
        extend = "max" if limits else "neither"
        drawing.colorbar(mesh, ax=ax, label=plain_label(panel.quantity + remark), extend=extend)
    if panel.equal:
        ax.set_aspect("equal")
    ax.set_xlabel(panel.below)
    ax.set_ylabel(panel.beside)
    ax.set_title(plain_label(panel.title), fontsize=9)


def _draw_surface(drawing: Any, ax: Any, panel: Surface) -> None:
    x, y, z = panel.points.T
    mesh = ax.plot_trisurf(x, y, z, triangles=panel.triangles, cmap="viridis", linewidth=0.0, antialiased=True)
    if panel.values is not None:
        mesh.set_array(panel.values[panel.triangles].mean(axis=1))
        limits, remark = _color_scale(mesh.get_array())
        mesh.set(**limits)
        if not limits:
            mesh.autoscale()
        extend = "max" if limits else "neither"
        drawing.colorbar(
            mesh, ax=ax, label=plain_label(panel.quantity + remark), shrink=0.7, extend=extend, pad=_BESIDE_Z
        )
    ax.set_xlabel(panel.labels[0])
    ax.set_ylabel(panel.labels[1])
    ax.set_zlabel(panel.labels[2])
    ax.set_aspect("equal")
    ax.set_title(plain_label(panel.title), fontsize=9)
