"""Charts as data of a page, which draws them as matplotlib does: curves thinned to their peaks, numbers packed."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.results.charts import AnyPanel, Panel, Surface, color_scale
from linkwright.results.thinning import peaks_kept
from linkwright.viewer.shown_motion import pack_array

Array = np.ndarray
_MOST_SAMPLES = 4000


def chart_data(panel: AnyPanel, most: int = _MOST_SAMPLES) -> dict[str, Any]:
    """A chart for the page, curves with rising x thinned to about `most` samples where they are longer."""
    if isinstance(panel, Panel):
        return _panel_data(panel, most)
    head: dict[str, Any] = {"title": panel.title, "quantity": panel.quantity}
    if isinstance(panel, Surface):
        head |= {"kind": "Surface", "labels": list(panel.labels), **_triangles(panel.points, panel.triangles)}
        return head if panel.values is None else head | _colored_values("values", panel.values)
    head |= {"kind": "Map", "below": panel.below, "beside": panel.beside, "equal": panel.equal}
    if panel.points is None or (panel.triangles is not None and not len(panel.triangles)):
        grid = {"x": pack_array(panel.x), "y": pack_array(panel.y)}
        return head | grid | _colored_values("values", panel.values)
    return head | _triangles(panel.points, panel.triangles) | _colored_values("values", panel.at_points)


def _triangles(points: Any, triangles: Any) -> dict[str, Any]:
    kind = "u2" if len(points) < 2**16 else "u4"
    faces = {} if triangles is None else {"faces": pack_array(triangles, kind)}
    return {"points": pack_array(points), **faces}


def _colored_values(name: str, values: Any) -> dict[str, Any]:
    """Values, and the ends of their scale of colors."""
    ends, log, remark = color_scale(values)
    scale = {"ends": None if ends is None else list(ends), "log": log, "remark": f"({remark})" if remark else ""}
    return {name: pack_array(values), **scale}


def _panel_data(panel: Panel, most: int) -> dict[str, Any]:
    """Curves and areas; those of one x share it."""
    rows = [(each.x, each.y) for each in panel.curves]
    rows += [(x, y) for each in panel.curves if each.other is not None for x, y in [each.other]]
    columns: dict[int, tuple[Any, list[Any]]] = {}
    for x, *ys in (*rows, *((each.x, each.low, each.high) for each in panel.bands)):
        columns.setdefault(id(x), (x, []))[1].extend(ys)
    axes = {key: (i, *_thinned(x, ys, most)) for i, (key, (x, ys)) in enumerate(columns.items())}

    def packed(x: Any, **ys: Any) -> dict[str, Any]:
        i, _, kept = axes[id(x)]
        return {"x": i, **{name: pack_array(np.asarray(y)[kept]) for name, y in ys.items()}}

    curves = []
    for each in panel.curves:
        style = {name: True for name in ("dashed", "dots") if getattr(each, name)}
        other = {} if each.other is None else {"other": packed(each.other[0], y=each.other[1])}
        curves.append({"name": each.name, **packed(each.x, y=each.y), **style, **other})
    style = {name: True for name in ("log", "equal", "counts") if getattr(panel, name)}
    marks = {name: [[*each] for each in x] for name in ("limits", "constants") if (x := getattr(panel, name))}
    return {
        "kind": "Panel",
        **{name: getattr(panel, name) for name in ("title", "below", "beside")},
        "x": [pack_array(x, "f8") for _, x, _ in axes.values()],
        "curves": curves,
        "bands": [{"name": each.name, **packed(each.x, low=each.low, high=each.high)} for each in panel.bands],
        **style,
        **marks,
    }


def _thinned(x: Any, ys: list[Any], most: int) -> tuple[Array, Any]:
    """An axis and the samples of it that are kept."""
    x = np.asarray(x, dtype=float)
    if len(x) <= most or not (np.diff(x) >= 0.0).all():
        return x, slice(None)
    kept = peaks_kept(np.stack(ys, axis=1).astype(float), most)
    return x[kept], kept
