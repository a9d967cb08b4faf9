"""Points of a sweep as a figure: one column over another, perhaps colored by a third."""

from __future__ import annotations

from typing import Any

from linkwright.errors import ArgumentError
from linkwright.plots.figures import blank_figure, plain_label

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
