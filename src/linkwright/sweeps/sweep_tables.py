"""The rows of a sweep to files, column by column or chunk by chunk, without holding them all."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.files import FileKind, write_whole
from linkwright.results.archives import HEADER, ascii_json, header_array
from linkwright.results.labeled_tables import import_optional
from linkwright.results.run_files import column_title

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
