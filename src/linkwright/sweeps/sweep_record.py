"""The record of a sweep: points, results and failures, in memory, in a file read by columns, and as tables."""

from __future__ import annotations

import json
import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linkwright.checks import require_flag, require_integer, require_mapping, require_path, require_text, require_texts
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ResultError
from linkwright.files import FileKind, require_regular, write_whole
from linkwright.mechanism.names import suggest_name
from linkwright.readable_text import Description
from linkwright.results.archives import (
    HEADER,
    archive_header,
    ascii_json,
    header_array,
    open_archive,
    read_array,
    read_header,
)
from linkwright.results.attached_functions import attached_function
from linkwright.results.charts import Curve, Map, Panel, axis_label
from linkwright.results.labeled_tables import import_optional
from linkwright.results.run_files import column_title
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

# --- the rows of a sweep to files, column by column or chunk by chunk, without holding them all -----------------------

Array = np.ndarray


@dataclass(frozen=True)
class TableRows:
    """Columns of equal length whose rows come in pieces, as often as they are wanted.

    Attributes:
        head: what else belongs to the table, as plain JSON data.
        shapes: shape of an entry of each column. count: number of rows.
        pieces: columns of consecutive rows.
    """

    head: dict[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    count: int
    pieces: Callable[[], Iterable[Mapping[str, Array]]]


def write_table(rows: TableRows, path: Path) -> None:
    """Write a table in the format of the file's ending; the file appears complete or not at all."""
    write_whole(path, lambda beside: writer_for(path)(rows, beside))


def writer_for(path: Path) -> Callable[[TableRows, Path], None]:
    """The writer of a file's ending."""
    return WRITERS[SWEEP.file(path).suffix.lower()]


def _write_npz_table(rows: TableRows, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        head = header_array(rows.head)
        _write_member(archive, HEADER, head.shape, head.dtype, [head])
        for i, (name, shape) in enumerate(rows.shapes.items()):
            _write_member(archive, f"c{i}", (rows.count, *shape), np.dtype(float), (x[name] for x in rows.pieces()))


def _write_member(
    archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], pieces: Iterable[Array]
) -> None:
    with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as stream:
        _write_array(stream, shape, dtype, pieces)  # type: ignore[arg-type]


def _write_array(stream: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], pieces: Iterable[Array]) -> None:
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    for piece in pieces:
        stream.write(np.ascontiguousarray(piece, dtype=dtype).tobytes())


def _write_csv_table(rows: TableRows, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(",".join(column_title(name, "") for name in _flat_names(rows.shapes)) + "\n")
        for piece in rows.pieces():
            np.savetxt(
                stream, np.stack(list(_flat_columns(piece, rows.shapes).values()), axis=1), fmt="%.17g", delimiter=","
            )


def _write_parquet_table(rows: TableRows, path: Path) -> None:
    pyarrow = import_optional("pyarrow", "parquet files")
    import pyarrow.parquet as parquet

    schema = pyarrow.schema([(name, pyarrow.float64()) for name in _flat_names(rows.shapes)])
    schema = schema.with_metadata({"sweep": ascii_json(rows.head)})
    with parquet.ParquetWriter(path, schema) as writer:
        for piece in rows.pieces():
            writer.write_table(pyarrow.table(_flat_columns(piece, rows.shapes), schema=schema))


WRITERS: dict[str, Callable[[TableRows, Path], None]] = {
    ".npz": _write_npz_table,
    ".parquet": _write_parquet_table,
    ".csv": _write_csv_table,
}
SWEEP = FileKind("a sweep", tuple(WRITERS), None)


def _flat_names(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[str]:
    for name, shape in shapes.items():
        for index in np.ndindex(*shape):
            yield f"{name}[{','.join(map(str, index))}]" if index else name


def _flat_columns(piece: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """Columns of single numbers, entries of arrays by their indices."""
    columns = [piece[name][(slice(None), *index)] for name, shape in shapes.items() for index in np.ndindex(*shape)]
    return dict(zip(_flat_names(shapes), columns, strict=True))


def flat_columns(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Columns of single numbers: entries of arrays become columns `name[i]`."""
    return _flat_columns(columns, {name: x.shape[1:] for name, x in columns.items()})


# --- the record of a sweep --------------------------------------------------------------------------------------------

_PIECE = 8192  # rows written at a time
_MOST_CHARTS, _MOST_DOTS = 4, 20_000


class LazyColumns(Mapping[str, Array]):
    """LazyColumns by name, each made when it is first read."""

    def __init__(self, names: tuple[str, ...], made: Callable[[str], Array]) -> None:
        self._names = names
        self._made = lru_cache(maxsize=None)(made)

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise ArgumentError(f"the sweep has no column '{name}'{suggest_name(name, self._names)}", name=name)
        return self._made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __reduce__(self) -> Any:
        return _made_columns, (dict(self),)


def _made_columns(columns: dict[str, Array]) -> LazyColumns:
    """Columns that are there already, as they come out of a pickle."""
    return LazyColumns(tuple(columns), columns.__getitem__)


@dataclass(frozen=True, eq=False)
class Sweep(StudyResult):
    """Results of a function at many points.

    Attributes:
        points: the quantities that were varied, (n,) by name.
        values: results, (n, ...) by name; NaN at points that failed.
        failures: reasons by the point's number, in order.
        meta: how it was computed, as plain JSON data: points, function, chunks, units, versions.
        interrupted: True if it ended at Ctrl-C with the points that were finished.
    """

    points: Mapping[str, Array]
    values: Mapping[str, Array]
    failures: Mapping[int, str]
    meta: dict[str, Any]
    interrupted: bool = False

    repr_is_table = False  # its numbers may be in a file, unread

    def __post_init__(self) -> None:
        for name in ("points", "values", "failures", "meta"):
            require_mapping(name, getattr(self, name), "a dictionary")
        for name in ("points", "values"):
            require_texts(name, [*getattr(self, name)], "a dictionary of arrays by name")
        require_integer("meta['count']", self.meta.get("count"), 0)

    def __len__(self) -> int:
        return int(self.meta["count"])

    @property
    def units(self) -> Mapping[str, str]:
        """Units of points and results by name, where the function said them."""
        return dict(self.meta.get("units", {}))

    @property
    def studied(self) -> StudiedMechanism | None:  # type: ignore[override]
        """The mechanism of a sweep over its numbers, with the best designs."""
        about = self.meta.get("mechanism")
        if about is None:
            return None
        bounds = {name: (float(x.min()), float(x.max())) for name, x in self.points.items() if len(x)}
        best = [row for table in self._best_points() for row in table.records]
        designs = {f"best {row['best_by']}": {name: row[name] for name in self.points} for row in best}
        return StudiedMechanism(about["name"], about["yaml"], (), tuple(self.points), bounds=bounds, designs=designs)

    def _headline(self) -> Description:
        """How many points of what, and how many failed."""
        names = (("points", f"{len(self)} of {', '.join(self.points)}"), ("results", ", ".join(self.values)))
        return Description("sweep", (*names, ("failed", str(len(self.failures)))))

    def content(self, x: str = "", y: str = "", color: str | None = None) -> StudyContent:
        """The best points, the range of every column, reasons of failures, and charts: of y over x where named."""
        columns = flat_columns({name: self[name] for name in (*self.points, *self.values)})
        heads = dict.fromkeys(("column", "unit", "least", "mean", "largest"), "")
        rows = [[name, self.units.get(name, ""), *_least_mean_largest(each)] for name, each in columns.items()]
        tables = [*self._best_points(), StudyTable("columns", heads, rows)]
        if self.failures:
            counts = [[reason, count] for reason, count in Counter(self.failures.values()).most_common()]
            tables.append(StudyTable("reasons", {"reason": "", "points": ""}, counts, "Why points failed"))
        facts = {"points": len(self), "varied": list(self.points), "results": list(self.values)}
        left = self.meta.get("of", len(self)) - len(self)
        notes = [f"{left} of {self.meta['of']} points are not here; the same call, or other shards, compute them"]
        panels = [self._points_chart(x, y, color)] if y else self._usual_charts()
        units = {name: self.units[name] for name in columns if name in self.units}
        title = f"Sweep of {self.meta['mechanism']['name']}" if "mechanism" in self.meta else "Sweep"
        return StudyContent(
            title, {**facts, "failed": len(self.failures)}, tables, panels, columns, notes if left else [], units
        )

    def _best_points(self) -> list[StudyTable]:
        """The best point by each result of which the function said what is good."""
        rows = []
        for name, goal in self.meta.get("goals", {}).items():
            if name in self.values and np.isfinite(self[name]).any():
                best = self.best(name, largest=goal == "largest")
                at = best.pop("index")
                rows.append([name, *best.values(), at if len(self) == self.meta.get("of") else None])
                names = [*best]
        if not rows:
            return []
        columns = {"best_by": "", **{x: self.units.get(x, "") for x in names}, "point": ""}
        return [StudyTable("best", columns, rows, "Best points", {x: x for x in names})]

    def _usual_charts(self) -> list[Panel | Map]:
        """Results over what was varied: curves of one quantity, colors over two, dots of the first result over more."""
        varied = [name for name, x in self.points.items() if len(x) and np.ptp(x) > 0.0]
        numbers = [name for name, x in self.values.items() if x.ndim == 1 and np.isfinite(x).any()]
        results = [name for name in numbers if np.nanmax(self[name]) > np.nanmin(self[name])] or numbers
        if len(varied) == 2:
            return [self._points_chart(varied[0], varied[1], name) for name in results[:_MOST_CHARTS]]
        pairs = [(x, y) for x in varied for y in (results if len(varied) == 1 else results[:1])]
        return [self._points_chart(x, y, None) for x, y in pairs[:_MOST_CHARTS]]

    def _points_chart(self, x: str, y: str, color: str | None) -> Panel | Map:
        """Points of two columns, perhaps colored by a third; of a whole grid of these two, its cells."""
        named = [name for name in (x, y, color) if name is not None]
        for name in named:
            if self[name].ndim != 1:
                shape = self[name].shape[1:]
                raise ArgumentError(f"'{name}' has shape {shape} at each point, expected one number", name=name)
        columns = [self[name][:: -(-len(self) // _MOST_DOTS) or 1] for name in named]
        below, beside, *quantity = (axis_label(name, self.units.get(name, "")) for name in named)
        if color is None:
            order = np.argsort(columns[0], kind="stable")
            dots = [*self.points] != [x] or self.meta["points"]["kind"] != "grid"
            return Panel(below, beside, [Curve("designs", columns[0][order], columns[1][order], dots=dots)])
        if (grid := self._grid_cells(x, y, color)) is not None:
            return Map(below, beside, *grid, quantity[0], equal=False)
        good = np.isfinite(columns).all(axis=0)
        points, none = np.stack(columns[:2], axis=1)[good], np.zeros(0)
        values = columns[2][good]
        return Map(below, beside, none, none, none, quantity[0], equal=False, points=points, at_points=values)

    def _grid_cells(self, x: str, y: str, color: str) -> tuple[Array, Array, Array] | None:
        """Values of both axes and cells (len(x), len(y)) of a sweep over a whole grid of two quantities."""
        axes = self.meta["points"].get("axes", {}) if self.meta["points"]["kind"] == "grid" else {}
        if {*axes} != {x, y} or len(self) != self.meta["of"]:
            return None
        shape = tuple(size for size, _ in axes.values())
        tables = {name: self[name].reshape(shape) for name in (x, y, color)}
        if [*axes] != [x, y]:
            tables = {name: each.T for name, each in tables.items()}
        return tables[x][:, 0], tables[y][0], tables[color]

    def __getitem__(self, name: str) -> Array:
        """A quantity that was varied, or a result, by name."""
        require_text("name", name)
        if name in self.points:
            return self.points[name]
        if name in self.values:
            return self.values[name]
        known = (*self.points, *self.values)
        raise ArgumentError(f"the sweep has no column '{name}'{suggest_name(name, known)}", name=name)

    def best(self, name: str, largest: bool = False) -> dict[str, float]:
        """The point with the smallest (or largest) value of a result of one number, and all results there.

        Points where it is NaN do not count.
        """
        x = self[name]
        require_flag("largest", largest)
        if x.ndim != 1:
            raise ArgumentError(f"'{name}' has shape {x.shape[1:]} at each point, expected one number", name=name)
        if np.isnan(x).all():
            raise ArgumentError(f"'{name}' is NaN at all {len(self)} points; see failures", name=name)
        i = int(np.nanargmax(x) if largest else np.nanargmin(x))
        flat = flat_columns({key: self[key][i : i + 1] for key in (*self.points, *self.values)})
        return {key: float(column[0]) for key, column in flat.items()} | {"index": i}

    def to_dataframe(self, table: str | None = None) -> Any:
        """One row per point, results of several numbers in a column for each; or a table of `content` by its name."""
        if table is not None:
            return super().to_dataframe(table)
        frame = import_optional("pandas", "data frames").DataFrame(
            flat_columns({name: self[name] for name in (*self.points, *self.values)})
        )
        if self.failures:
            frame["reason"] = [self.failures.get(i, "") for i in range(len(self))]
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self) -> Any:
        """A Dataset: over a grid with one dimension per axis, else with the dimension `point`."""
        xarray = import_optional("xarray", "labeled arrays")
        grid = self.meta["points"]
        if grid["kind"] == "grid" and len(self) == self.meta["of"]:
            shape = tuple(size for size, _ in grid["axes"].values())
            coordinates: dict[str, Any] = {
                name: np.moveaxis(self.points[name].reshape(shape), k, 0).reshape(shape[k], -1)[:, 0]
                for k, name in enumerate(grid["axes"])
            }
            lead, dimensions = shape, tuple(grid["axes"])
        else:
            lead, dimensions = (len(self),), ("point",)
            coordinates = {name: ("point", x) for name, x in self.points.items()}
        data = {}
        for name, x in self.values.items():
            inner = tuple(f"{name}_{k}" for k in range(x.ndim - 1))
            data[name] = ((*dimensions, *inner), x.reshape(*lead, *x.shape[1:]))
        return xarray.Dataset(data, coordinates, {"linkwright": json.dumps(self.meta)})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as .npz or .json, which `lw.open_result` reads, .parquet or .csv; it appears complete or not at all."""
        if require_path("path", path).suffix.lower() == ".json":
            super().save(path)
            return
        columns = {name: self[name] for name in (*self.points, *self.values)}

        def pieces() -> Iterator[dict[str, Array]]:
            starts = range(0, len(self), _PIECE)
            return ({name: x[i : i + _PIECE] for name, x in columns.items()} for i in starts)

        shapes = {name: x.shape[1:] for name, x in columns.items()}
        write_table(TableRows(self.head(), shapes, len(self), pieces), checked_path(path))

    def head(self) -> dict[str, Any]:
        """What a file holds besides the columns."""
        return record_head(tuple(self.points), tuple(self.values), self.failures, self.meta)

    def plot(self, path: Any = None, *, x: str = "", y: str = "", color: str | None = None, **options: Any) -> Any:
        """Figure of the results over what was varied, or of y over x, colored by a third column; see `content`."""
        return attached_function("study plot")(self.content(x, y, color), path, **options)

    def report(self, path: str | os.PathLike[str], *, x: str = "", y: str = "", color: str | None = None) -> str:
        """Write one HTML file with the tables and charts of `content`, and the mechanism; return the path."""
        return attached_function("study report")(replace(self.content(x, y, color), studied=self.studied), path)


def _least_mean_largest(x: Array) -> list[float]:
    finite = x[np.isfinite(x)]
    return [float(finite.min()), float(finite.mean()), float(finite.max())] if len(finite) else [np.nan] * 3


def record_head(
    points: tuple[str, ...], values: tuple[str, ...], failures: Mapping[int, str], meta: Any
) -> dict[str, Any]:
    """What a file holds besides the columns, as plain JSON data."""
    return {
        **archive_header("sweep", meta, meta.get("units", {}), "sweep"),
        "points": list(points),
        "values": list(values),
        "failures": [[i, failures[i]] for i in sorted(failures)],
        "meta": meta,
    }


def read_sweep(path: str | os.PathLike[str]) -> Sweep:
    """The sweep that `lw.sweep(path=...)` or `Sweep.save` wrote as .npz; columns are read when they are used.

    >>> read_sweep("nowhere.npz")
    Traceback (most recent call last):
        ...
    linkwright.errors.ResultError: nowhere.npz: there is no such file; check the name and the folder
    """
    file = checked_path(path)
    if file.suffix.lower() != ".npz":
        raise ResultError(f"{file}: only .npz is read again; a .parquet or .csv opens in other tools", file=str(file))
    require_regular(file)
    try:
        with open_archive(file) as archive:
            found = read_header(archive, "sweep", str(file))
            numbers = {name: f"c{i}" for i, name in enumerate([*found["points"], *found["values"]])}
            if any(f"{x}.npy" not in archive.namelist() for x in numbers.values()):
                raise ValueError("a column is missing")
            failures = {int(i): str(reason) for i, reason in found["failures"]}
    except FileNotFoundError:
        raise ResultError(f"{file}: there is no such file; check the name and the folder", file=str(file)) from None
    except Exception as error:  # damaged archives fail in many ways
        raise ResultError(f"{file}: not a saved sweep ({error}); name another file", file=str(file)) from None

    def column(name: str) -> Array:
        try:
            with open_archive(file) as archive:
                x = read_array(archive, numbers[name])
        except Exception as error:
            raise ResultError(f"{file}: column '{name}' cannot be read ({error})", file=str(file)) from None
        x.setflags(write=False)
        return np.asarray(x)

    points, values = tuple(found["points"]), tuple(found["values"])
    return Sweep(LazyColumns(points, column), LazyColumns(values, column), failures, found["meta"])


def checked_path(path: Any) -> Path:
    """The path, if a sweep can be saved under its ending."""
    file = require_path("path", path)
    writer_for(file)
    return file
