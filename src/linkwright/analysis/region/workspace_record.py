"""The record of a workspace: which poses are inside, why others are not, boundary, volume, slices, files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwright.analysis.performance.indices_record import UNITS, least_mean_largest
from linkwright.analysis.region.boundary import LevelSet, PlaneMesh, level_set, plane_mesh
from linkwright.analysis.region.grid_exploration import UNDECIDED
from linkwright.checks import require_number, require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.files import MARK, FileKind, recognize_marks, write_whole
from linkwright.results.charts import AnyPanel, Curve, Map, Panel, Surface, axis_label, stretches
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable, plain_json

Array = np.ndarray
_SIZES = {"m": "length", "m^2": "area"}


@dataclass(frozen=True, eq=False)
class Workspace(StudyResult):
    """Poses of a grid that a mechanism reaches within its limits and bounds.

    Attributes:
        mechanism: name. frame: the frame that moves. kind: "constant orientation", "orientation", "mixed",
            "reach", "dexterous", "total orientation" or "inclusive orientation".
        names: components that vary. axes: their values. shape of the arrays below: one axis each.
        code: 0 inside, others by `reasons`. values: indices by name, NaN where a pose is not reached; of
            several orientations each index is the worst of all, or the best of any, as they were combined.
        reasons: what each code means.
        volume: length, area or volume inside, in `unit`; where the boundary was refined, by its crossing points,
            extrapolated from half the resolution.
        error: bound of the error of `volume`, which holds for 98 % of random five-bars and is mostly ten times too
            large; it does not see necks and parts thinner than a cell. NaN where numbers of values are even, or where
            the region is a few cells thin, which a note says.
        bounds: of cells that are inside at all corners, and at any: the volume lies between unless the region has
            parts or holes smaller than a cell. The second is infinite where the region reaches the end of the grid:
            `volume` is then that of the part within the grid.
        points, faces: mesh of the boundary, (n, k) and triangles (m, 3) or segments (m, 2); empty without refinement.
        point_values: indices at the points.
        notes: messages. interrupted: True if it ended at Ctrl-C.
    """

    mechanism: str
    frame: str
    kind: str
    names: tuple[str, ...]
    axes: tuple[Array, ...]
    code: Array
    values: Mapping[str, Array]
    reasons: tuple[str, ...]
    volume: float
    error: float
    bounds: tuple[float, float]
    unit: str
    points: Array
    faces: Array
    point_values: Mapping[str, Array]
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    @property
    def inside(self) -> Array:
        """Poses inside, of bool."""
        return self.code == 0

    @property
    def share(self) -> float:
        """Share of the grid's poses that is inside."""
        return float(np.mean(self.inside))

    @property
    def units(self) -> dict[str, str]:
        """Units of the indices, by name."""
        return {name: UNITS.get(name, "") for name in self.values}

    @property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Least and largest value of each component inside: of the grid's poses and of the refined boundary."""
        found = {}
        for i, (name, axis) in enumerate(zip(self.names, self.axes, strict=True)):
            some = axis[np.any(self.inside, axis=tuple(j for j in range(self.code.ndim) if j != i))]
            at = np.concatenate([some, self.points[:, i]]) if len(self.points) else some
            found[name] = (float(at.min()), float(at.max())) if len(some) else (np.nan, np.nan)
        return found

    def slice(self, value: str | None = None, **at: float) -> tuple[tuple[str, ...], tuple[Array, ...], Array]:
        """A plane of the grid: names and values of its axes, and codes or an index there.

        Args:
            value: name of an index; None gives the codes.
            at: component = value that is held; the nearest value of the grid is taken.
        """
        array, names, axes = self.code if value is None else self._index(value), list(self.names), list(self.axes)
        for name, x in at.items():
            if name not in names:
                raise ArgumentError(f"the grid has no axis '{name}'; it has {', '.join(self.names)}")
            i = names.index(name)
            array = np.take(array, int(np.argmin(np.abs(axes[i] - require_number(name, x)))), axis=i)
            del names[i], axes[i]
        return tuple(names), tuple(axes), array

    def _index(self, name: str) -> Array:
        require_text("value", name)
        if name not in self.values:
            known = ", ".join(self.values) or "none"
            raise ArgumentError(f"the workspace has no index '{name}' (it has {known}); name it in show")
        return np.asarray(self.values[name])

    def level(self, name: str, value: float) -> LevelSet:
        """The surface (three axes) or lines (two) inside the region on which an index has a value.

        Singularities lie near a small level of "type2", which is above zero on both sides.
        """
        if len(self.names) == 1:
            raise ArgumentError("a level needs a grid of two or three axes; this one has one")
        return level_set(
            self.axes,
            np.where(self.inside, self._index(require_text("name", name)), np.nan),
            require_number("value", value),
        )

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the boundary as .ply or .vtk (triangles with indices), the grid as .vti, or both as .json for pages.

        The JSON data has the axes with their units, points and faces of the boundary, the indices at the points, and
        codes and indices over the grid (last axis fastest).
        """
        file = WORKSPACE.file(path)
        ending = file.suffix.lower()
        if ending != ".json" and (len(self.names) != 3 or (ending != ".vti" and not len(self.faces))):
            raise ArgumentError(f"{file}: this file needs three axes, and a boundary that was refined and is not empty")
        write_whole(file, _MESHES[ending](self))

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        counts = np.bincount(self.code.ravel(), minlength=len(self.reasons))
        rows = [
            [reason, int(n), n / self.code.size]
            for reason, n in zip(self.reasons, counts, strict=True)
            if n or reason != self.reasons[UNDECIDED]
        ]
        facts = {
            "mechanism": self.mechanism,
            "frame": self.frame,
            "kind": self.kind,
            "poses": self.code.size,
            "volume": self.volume,
            "error": self.error,
            "bounds": list(self.bounds),
            **{f"extent_{name}": self._rounded_extent(i) for i, name in enumerate(self.names)},
        }
        tables = [StudyTable("reasons", dict.fromkeys(("reason", "poses", "share"), ""), rows, "Poses")]
        quality = [[name, UNITS.get(name, ""), *least_mean_largest(x[self.inside])] for name, x in self.values.items()]
        if quality:
            columns = dict.fromkeys(("index", "unit", "least", "mean", "largest"), "")
            tables.append(StudyTable("indices", columns, quality, "Indices inside"))
        grid = np.stack(np.meshgrid(*self.axes, indexing="ij"), axis=-1).reshape(-1, len(self.names))
        arrays = {name: grid[:, i] for i, name in enumerate(self.names)} | {"code": self.code.ravel()}
        arrays |= {name: np.ravel(x) for name, x in self.values.items()}
        extra = {"points": self.points, "faces": self.faces} if len(self.points) else {}
        extra |= {f"points.{name}": x for name, x in self.point_values.items()}
        title, arrays = f"Workspace of {self.mechanism}", {**arrays, **extra}
        units = dict.fromkeys(("volume", "error", "bounds"), self.unit)
        units |= {f"extent_{name}": _component_unit(name) for name in self.names}
        titles = {"volume": _SIZES.get(self.unit, "volume")} | {f"extent_{name}": name for name in self.names}
        return StudyContent(title, facts, tables, self._panels(), arrays, self.notes, units, titles)

    def _rounded_extent(self, i: int) -> list[float]:
        """The extent along an axis, in the digits that the bisection of its steps gives."""
        axis = self.axes[i]
        digits = int(np.ceil(-np.log10((axis[1] - axis[0]) * 2.0**-14)))
        return [round(x, digits) + 0.0 for x in self.extent[self.names[i]]]

    def _panels(self) -> list[AnyPanel]:
        labels = [f"{name} [{_component_unit(name)}]" for name in self.names]
        shown = next(iter(self.values), None)
        quantity = shown or "code"
        if len(self.names) == 1:
            return [self._strip(labels[0]), *(self._over_axis(labels[0], name) for name in self.values)]
        panels: list[AnyPanel] = []
        if len(self.names) == 3 and len(self.faces):
            own = None if shown is None else self.point_values[shown]
            panels.append(Surface((labels[0], labels[1], labels[2]), self.points, self.faces, own, quantity, self.kind))
        held: dict[str, Any] = {} if len(self.names) == 2 else {self.names[2]: self._middle(2)}
        names, (x, y), values = self.slice(shown, **held)
        inside = self.slice(**held)[2] == 0
        values = np.where(inside, values if shown else 1.0, np.nan)
        title = ", ".join(f"{name} = {value:.4g}" for name, value in held.items())
        label = dict(zip(self.names, labels, strict=True))
        part = self._plane(shown, held)
        mesh: dict[str, Any] = (
            {} if part is None else {"points": part.points, "triangles": part.triangles, "at_points": part.values}
        )
        quantity = quantity if shown else "inside"
        panels.append(Map(label[names[0]], label[names[1]], x, y, values, quantity, title, **mesh))
        return panels

    def _strip(self, label: str) -> Panel:
        """The stretches of one axis by what they are; they meet at the boundary where it is known."""
        axis, code = self.axes[0], self.code
        last = np.flatnonzero(np.diff(code))
        ends = 0.5 * (axis[last] + axis[last + 1])
        for i, k in enumerate(last):
            crossed = self.points[(self.points[:, 0] >= axis[k]) & (self.points[:, 0] <= axis[k + 1]), 0]
            ends[i] = crossed[0] if len(crossed) == 1 else ends[i]
        edges = [float(axis[0]), *ends.tolist(), float(axis[-1])]
        kinds = [self.reasons[k] for k in code[[0, *(last + 1)]]]
        parts = {
            name: [(a, b) for a, b, kind in zip(edges, edges[1:], kinds, strict=False) if kind == name]
            for name in self.reasons
        }
        return stretches(label, {name: x for name, x in parts.items() if x}, self.kind)

    def _over_axis(self, label: str, name: str) -> Panel:
        values = np.where(self.inside, self._index(name), np.nan)
        return Panel(label, axis_label(name, UNITS.get(name, "")), [Curve(name, self.axes[0], values)])

    def _plane(self, shown: str | None, held: Mapping[str, float]) -> PlaneMesh | None:
        """The plane that is drawn, up to the boundary where that is known."""
        if not len(self.points):
            return None
        values = np.ones(self.code.shape) if shown is None else self._index(shown)
        at = [(2, int(np.argmin(np.abs(self.axes[2] - x)))) for x in held.values()]
        return plane_mesh(self.axes, self.inside, self.points, values, at[0] if at else None)

    def _middle(self, axis: int) -> float:
        """The value of an axis at which most poses are inside."""
        counts = np.sum(self.inside, axis=tuple(i for i in range(self.code.ndim) if i != axis))
        return float(self.axes[axis][int(np.argmax(counts))])


def _component_unit(name: str) -> str:
    return "rad" if name.startswith("r") else "m"


def _workspace_ply(found: Workspace) -> str:
    names = list(found.point_values)
    columns = np.column_stack([found.points, *(found.point_values[name] for name in names)])
    head = ["ply", "format ascii 1.0", f"comment {MARK}", f"element vertex {len(columns)}"]
    head += [f"property double {name}" for name in ("x", "y", "z", *names)]
    head += [f"element face {len(found.faces)}", "property list uchar int vertex_indices", "end_header"]
    return "\n".join([*head, *_number_lines(columns), *(f"3 {a} {b} {c}" for a, b, c in found.faces.tolist())]) + "\n"


def _workspace_vtk(found: Workspace) -> str:
    n, m = len(found.points), len(found.faces)
    lines = ["# vtk DataFile Version 3.0", f"boundary of {found.kind} workspace, {MARK}", "ASCII", "DATASET POLYDATA"]
    lines += [f"POINTS {n} double", *_number_lines(found.points), f"POLYGONS {m} {4 * m}"]
    lines += [f"3 {a} {b} {c}" for a, b, c in found.faces.tolist()]
    lines += [f"POINT_DATA {n}"] if found.point_values else []
    for name, x in found.point_values.items():
        lines += [f"SCALARS {name} double 1", "LOOKUP_TABLE default", *map(repr, x.tolist())]
    return "\n".join(lines) + "\n"


def _workspace_vti(found: Workspace) -> str:
    extent = " ".join(f"0 {len(axis) - 1}" for axis in found.axes)
    origin = " ".join(repr(float(axis[0])) for axis in found.axes)
    spacing = " ".join(repr(float(axis[1] - axis[0])) for axis in found.axes)
    arrays = {"code": found.code, **found.values}
    parts = [
        f'<DataArray type="Float64" Name="{name}" format="ascii">{_fortran_order_numbers(x)}</DataArray>'
        for name, x in arrays.items()
    ]
    return (
        '<?xml version="1.0"?>\n'
        f'<!-- {MARK} -->\n<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian">'
        f'<ImageData WholeExtent="{extent}" Origin="{origin}" Spacing="{spacing}"><Piece Extent="{extent}"><PointData>'
        f"{''.join(parts)}</PointData></Piece></ImageData></VTKFile>\n"
    )


def _fortran_order_numbers(x: Array) -> str:
    return " ".join(map(repr, np.asarray(x, dtype=float).ravel("F").tolist()))


def _number_lines(rows: Array) -> list[str]:
    return [" ".join(map(repr, row)) for row in rows.tolist()]


def _workspace_json(found: Workspace) -> str:
    units = {name: _component_unit(name) for name in found.names}
    data = {
        "linkwright workspace": 1,
        "mechanism": found.mechanism,
        "frame": found.frame,
        "kind": found.kind,
        "axes": [{"name": n, "unit": units[n], "values": x} for n, x in zip(found.names, found.axes, strict=True)],
        "volume": found.volume,
        "error": found.error,
        "unit": found.unit,
        "boundary": {"points": found.points, "faces": found.faces, "values": dict(found.point_values)},
        "grid": {
            "reasons": found.reasons,
            "code": found.code.ravel(),
            "values": {n: x.ravel() for n, x in found.values.items()},
        },
        "units": {name: UNITS.get(name, "") for name in found.values},
        "notes": found.notes,
    }
    return json.dumps(plain_json(data)) + "\n"


_MESHES: dict[str, Callable[[Any], str]] = {
    ".ply": _workspace_ply,
    ".vtk": _workspace_vtk,
    ".vti": _workspace_vti,
    ".json": _workspace_json,
}
ENDINGS = tuple(_MESHES)
WORKSPACE = FileKind("a workspace", ENDINGS, recognize_marks(MARK.encode(), b'{"linkwright workspace":'))
