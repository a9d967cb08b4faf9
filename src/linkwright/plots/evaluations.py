"""Figures of evaluations: curves, maps and surfaces side by side."""

from __future__ import annotations

from typing import Any

from linkwright.errors import ArgumentError
from linkwright.plots.figures import blank, filled, plain, requested_file, written
from linkwright.results.charts import AnyPanel, Bars, Map, Panel, Surface
from linkwright.results.evaluation import Content


def figure(
    content: Content, path: Any = None, width: float = 8.0, columns: int | None = None, shown: bool = True
) -> Any:
    """Draw the panels of an evaluation.

    Args:
        content: what the evaluation shows.
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
    drawing = blank(rows, width, shown=shown and file is None)
    tall = (
        3.2
        if any(not isinstance(each, Panel | Bars) or getattr(each, "equal", False) for each in content.panels)
        else 2.4
    )
    drawing.set_size_inches(width, 0.6 + tall * rows * (2.0 / across if tall > 3.0 else 1.0))
    drawing.suptitle(plain(content.title), fontsize=10)
    for i, panel in enumerate(content.panels):
        _draw(drawing, (rows, across, i + 1), panel)
    if file is not None:
        written(drawing, file, dpi=120)
    return drawing


def _draw(drawing: Any, slot: tuple[int, int, int], panel: AnyPanel) -> None:
    if isinstance(panel, Surface):
        return _surface(drawing, drawing.add_subplot(*slot, projection="3d"), panel)
    ax = drawing.add_subplot(*slot)
    if isinstance(panel, Bars):
        ax.stairs(panel.counts, panel.edges, fill=True, alpha=0.6)
        ax.set_xlabel(plain(panel.below))
        ax.set_ylabel(plain(panel.beside))
        ax.set_title(plain(panel.title), fontsize=9)
        return None
    if isinstance(panel, Map):
        return _map(drawing, ax, panel)
    filled(ax, panel)
    if 1 < len(panel.curves) + len(panel.bands) <= 12:
        ax.legend(frameon=False, fontsize=7)
    return None


def _map(drawing: Any, ax: Any, panel: Map) -> None:
    if panel.triangles is None or not len(panel.triangles):
        mesh = ax.pcolormesh(panel.x, panel.y, panel.values.T, shading="nearest", cmap="viridis")
    else:
        corners = (panel.points[:, 0], panel.points[:, 1], panel.triangles)
        mesh = ax.tripcolor(*corners, panel.at_points, shading="gouraud", cmap="viridis")
    low, high = mesh.get_clim()
    if high > low:
        drawing.colorbar(mesh, ax=ax, label=plain(panel.quantity))
    if panel.equal:
        ax.set_aspect("equal")
    ax.set_xlabel(panel.below)
    ax.set_ylabel(panel.beside)
    ax.set_title(plain(panel.title), fontsize=9)


def _surface(drawing: Any, ax: Any, panel: Surface) -> None:
    x, y, z = panel.points.T
    mesh = ax.plot_trisurf(x, y, z, triangles=panel.triangles, cmap="viridis", linewidth=0.0, antialiased=True)
    if panel.values is not None:
        mesh.set_array(panel.values[panel.triangles].mean(axis=1))
        mesh.autoscale()
        drawing.colorbar(mesh, ax=ax, label=plain(panel.quantity), shrink=0.7)
    ax.set_xlabel(panel.labels[0])
    ax.set_ylabel(panel.labels[1])
    ax.set_zlabel(panel.labels[2])
    ax.set_aspect("equal")
    ax.set_title(plain(panel.title), fontsize=9)
