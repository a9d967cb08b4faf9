"""A workspace as a layer of a page: which positions of a grid are inside, indices there, and the boundary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.numerics.tolerances import TINY
from linkwright.viewer.shown_motion import pack_array

Array = np.ndarray
_MOST = 60_000  # poses of the grid in a page
_MISSING = 65535
_OUTLIERS = 0.98  # a condition goes to infinity at a singularity: colors and sliders end here
_AXES = ("x", "y", "z")


class DrawnRegion(Protocol):
    """The parts of a workspace that a page draws; `analysis.workspace` returns one."""

    @property
    def frame(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def axes(self) -> tuple[Array, ...]: ...
    @property
    def code(self) -> Array: ...
    @property
    def values(self) -> Mapping[str, Array]: ...
    @property
    def units(self) -> Mapping[str, str]: ...
    @property
    def points(self) -> Array: ...
    @property
    def faces(self) -> Array: ...
    @property
    def point_values(self) -> Mapping[str, Array]: ...


def is_region(thing: Any) -> bool:
    """Return True if a record has all that a layer needs."""
    return all(
        hasattr(thing, name) for name in ("frame", "names", "axes", "code", "values", "units", "points", "faces")
    )


def region_data(found: DrawnRegion, at: Array) -> dict[str, Any]:
    """A region as data of a page.

    Args:
        found: a workspace over two or three of x, y, z.
        at: position of the frame where a component does not vary, (3,), [m].
    """
    if len(found.names) < 2 or not set(found.names) <= set(_AXES):
        raise ArgumentError(
            f"a workspace over {', '.join(found.names)} cannot be drawn at the mechanism, only one over two or three "
            "of x, y, z; its plot() and report() show it"
        )
    strides = _axis_strides(found.code.shape)
    kept = tuple(slice(None, None, s) for s in strides)
    axes = dict(zip(found.names, (axis[::s] for axis, s in zip(found.axes, strides, strict=True)), strict=True))
    shape = [len(axes[name]) if name in axes else 1 for name in _AXES]
    return {
        "title": f"{found.kind} workspace of {found.frame}" if found.frame else f"{found.kind} workspace",
        "names": list(_AXES),
        "low": [float(axes[name][0]) if name in axes else float(x) for name, x in zip(_AXES, at, strict=True)],
        "step": [float(axes[name][1] - axes[name][0]) if name in axes else 0.0 for name in _AXES],
        "shape": shape,
        "inside": pack_array((found.code[kept] == 0).ravel(), "u2"),
        "indices": [
            _packed_index(name, found.units.get(name, ""), x[kept], found.code[kept] == 0)
            for name, x in found.values.items()
        ],
        "surface": _packed_surface(found) if len(found.names) == 3 and len(found.faces) else None,
        "outline": _outline_segments(found, at) if len(found.names) == 2 and len(found.faces) else None,
    }


def _axis_strides(shape: tuple[int, ...]) -> list[int]:
    """Every how many-th value of each axis a page keeps."""
    strides = [1] * len(shape)
    while np.prod([-(-n // s) for n, s in zip(shape, strides, strict=True)]) > _MOST:
        k = int(np.argmax([n / s for n, s in zip(shape, strides, strict=True)]))
        strides[k] += 1
    return strides


def _packed_index(name: str, unit: str, values: Array, inside: Array) -> dict[str, Any]:
    """An index as whole numbers between its least value inside and the one that two in a hundred exceed."""
    good = np.isfinite(values)
    seen = values[good & inside]
    low, high = (float(seen.min()), float(np.quantile(seen, _OUTLIERS))) if len(seen) else (0.0, 1.0)
    share = (np.where(good, values, low) - low) / max(high - low, TINY)
    whole = np.where(good, np.round(np.clip(share, 0.0, 1.0) * (_MISSING - 1)), _MISSING)
    return {"name": name, "unit": unit, "low": low, "high": high, "values": pack_array(whole.ravel(), "u2")}


def _packed_surface(found: DrawnRegion) -> dict[str, Any]:
    order = [found.names.index(name) for name in _AXES]
    faces = np.asarray(found.faces)
    values = [pack_array(found.point_values[name]) for name in found.values]
    kind = "u2" if len(found.points) <= _MISSING else "u4"
    return {"points": pack_array(found.points[:, order]), "faces": pack_array(faces.ravel(), kind), "values": values}


def _outline_segments(found: DrawnRegion, at: Array) -> dict[str, Any]:
    """Both ends of every segment round a region of a plane, (2 m, 3)."""
    points = np.tile(np.asarray(at, dtype=float), (len(found.points), 1))
    for i, name in enumerate(found.names):
        points[:, _AXES.index(name)] = found.points[:, i]
    return pack_array(points[np.asarray(found.faces)[:, :2].ravel()])
