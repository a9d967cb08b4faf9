"""Meshes of a page: read, divided by color, simplified to the page's budget, packed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.formats.meshes import Triangles, load_mesh, may_be_opened, simplify_surface
from linkwright.formats.xml import color_text
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.shapes import Mesh, Shape
from linkwright.viewer.shown_motion import pack_array

Array = np.ndarray
BUDGET = 60_000  # triangles of a page, about 0.8 megabytes; the simplification keeps it within some percent
_FEW = 3  # names in a note
_STEPS = 65_535  # of a coordinate between the ends of a surface


@dataclass(frozen=True)
class Part:
    """A piece of a mesh of one color: its number among the page's surfaces, and the color its file gives it."""

    number: int
    color: str | None


@dataclass(frozen=True, eq=False)
class Surfaces:
    """The meshes of a page.

    Attributes:
        parts: the pieces of every mesh that is drawn.
        data: the surfaces, packed.
        notes: what was simplified or left out.
    """

    parts: dict[Mesh, tuple[Part, ...]] = field(default_factory=dict)
    data: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()

    def is_drawn(self, shapes: Iterable[Shape]) -> bool:
        """Return True if a page draws some of the shapes: simple solids, and meshes that could be read."""
        return any(not isinstance(shape.solid, Mesh) or shape.solid in self.parts for shape in shapes)


def mechanism_surfaces(mech: Mechanism, budget: int = BUDGET) -> Surfaces:
    """The meshes of a mechanism's shapes with at most `budget` triangles together."""
    shapes = [shape for body in mech.bodies for shape in body.shapes] + list(mech.base_shapes)
    meshes = dict.fromkeys(shape.solid for shape in shapes if isinstance(shape.solid, Mesh))
    read: dict[Mesh, tuple[tuple[str | None, Triangles], ...]] = {}
    missing: dict[str, str] = {}
    for mesh in meshes:
        try:
            read[mesh] = _colored_pieces(mesh, _modification_stamp(mesh))
        except LinkwrightError as error:
            missing[mesh.file] = _first_finding_text(error)
    return _pack_surfaces(read, missing, budget)


def _pack_surfaces(read: dict[Mesh, Any], missing: dict[str, str], budget: int) -> Surfaces:
    level = triangle_share([len(piece.faces) for pieces in read.values() for _, piece in pieces], budget)
    parts: dict[Mesh, tuple[Part, ...]] = {}
    data: list[dict[str, Any]] = []
    drawn = 0
    for mesh, pieces in read.items():
        try:
            thin = _simplified_pieces(mesh, _modification_stamp(mesh), level)
        except LinkwrightError as error:
            missing[mesh.file] = _first_finding_text(error)
            continue
        parts[mesh] = tuple(Part(len(data) + k, color) for k, (color, _) in enumerate(pieces))
        data += [surface_data(piece) for piece in thin]
        drawn += sum(len(piece.faces) for piece in thin)
    whole = sum(len(piece.faces) for mesh in parts for _, piece in read[mesh])
    return Surfaces(parts, tuple(data), (*_simplified_note(whole, drawn), *_missing_note(missing)))


def triangle_share(sizes: list[int], budget: int) -> int:
    """The largest number of triangles a surface may keep, so that all together fit the budget; small ones stay whole.

    >>> triangle_share([10, 50, 200], 120), triangle_share([10, 20], 120)
    (60, 20)
    """
    left = budget
    for k, size in enumerate(sorted(sizes)):
        if size * (len(sizes) - k) > left:
            return max(left // (len(sizes) - k), 4)
        left -= size
    return max(sizes, default=0)


def _modification_stamp(mesh: Mesh) -> int:
    """When a mesh was changed last, so that a changed one is read again."""
    if not may_be_opened(mesh.file):
        raise LinkwrightError("it is not below the current folder; load the model here, with folders=[...]")
    try:
        return Path(mesh.file).stat().st_mtime_ns
    except OSError as error:
        raise LinkwrightError(f"it cannot be opened ({error.strerror})") from None


@lru_cache(maxsize=128)
def _colored_pieces(mesh: Mesh, stamp: int) -> tuple[tuple[str | None, Triangles], ...]:
    """The triangles of a mesh, divided by color."""
    surface = load_mesh(mesh)
    if surface.colors is None:
        return ((None, surface),)
    colors, which = np.unique(surface.colors, axis=0, return_inverse=True)
    pieces = ((color_text(c / 255.0), surface.faces[which.reshape(-1) == k]) for k, c in enumerate(colors))
    return tuple((color, Triangles(surface.vertices, faces)) for color, faces in pieces)


@lru_cache(maxsize=256)
def _simplified_pieces(mesh: Mesh, stamp: int, most: int) -> tuple[Triangles, ...]:
    return tuple(simplify_surface(piece, most) for _, piece in _colored_pieces(mesh, stamp))


def surface_data(surface: Triangles) -> dict[str, Any]:
    """A surface for the page: corners as whole numbers of steps from their lowest, and triangles."""
    if not len(surface.faces):
        return {"low": [0.0] * 3, "step": [0.0] * 3, "corners": pack_array([], "u2"), "faces": pack_array([], "u2")}
    low = surface.vertices.min(axis=0)
    step = np.ptp(surface.vertices, axis=0) / _STEPS
    corners = np.round((surface.vertices - low) / np.where(step > 0.0, step, 1.0))
    kind = "u2" if len(corners) <= _STEPS else "u4"
    return {
        "low": low.tolist(),
        "step": step.tolist(),
        "corners": pack_array(corners, "u2"),
        "faces": pack_array(surface.faces, kind),
    }


def _first_finding_text(error: LinkwrightError) -> str:
    found = getattr(error, "findings", ())
    return str(found[0].message if found else error)


def _simplified_note(whole: int, drawn: int) -> list[str]:
    if drawn >= 0.99 * whole:
        return []
    return [f"Meshes are simplified: {drawn} of {whole} triangles are drawn."]


def _missing_note(missing: dict[str, str]) -> list[str]:
    if not missing:
        return []
    named = "; ".join(f"{Path(file).name}: {why}" for file, why in list(missing.items())[:_FEW])
    more = f"; and {len(missing) - _FEW} more" if len(missing) > _FEW else ""
    count = "1 mesh is" if len(missing) == 1 else f"{len(missing)} meshes are"
    return [f"{count} not drawn ({named}{more})."]
