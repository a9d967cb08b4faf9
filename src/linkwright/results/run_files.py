"""Runs to and from files: NumPy's .npz, .csv, MATLAB's .mat and netCDF."""

from __future__ import annotations

import csv
import hashlib
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile

import numpy as np

from linkwright.files import FileKind, write_whole
from linkwright.results.archives import (
    RunArchive,
    damaged_file_error,
    foreign_file_error,
    former_name,
    open_archive,
    read_array,
    read_run_header,
)
from linkwright.results.series import Array


def write_npz(content: RunArchive, path: Path) -> None:
    """Write an archive."""
    keys = ("t", *read_run_header(content.header, str(path)).keys)
    arrays = {
        **dict(zip(keys, content.columns, strict=True)),
        **_text_arrays(header=content.header, digest=content.digest),
    }
    with path.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def probe_npz(path: Path) -> bool:
    """Return True if an archive has the entries of a run."""
    with ZipFile(path) as archive:
        return {"t.npy", "header.npy", "digest.npy"} <= {*archive.namelist()}


def read_npz(path: Path, file: str) -> tuple[RunArchive, str]:
    """The archive in a file and the digest written beside it."""
    with open_archive(path) as archive:
        if "header.npy" not in archive.namelist():
            raise foreign_file_error(file)
        texts = (read_array(archive, name).tobytes() for name in ("header", "digest"))
        header, digest = (text.decode("ascii", "replace") for text in texts)
        keys = ("t", *read_run_header(header, file).keys)
        return RunArchive(header, tuple(read_array(archive, key) for key in keys)), digest


def _text_arrays(**texts: str) -> dict[str, np.ndarray]:
    return {name: np.frombuffer(text.encode("ascii"), dtype=np.uint8) for name, text in texts.items()}


_FIRST = "# linkwright run; the next line holds names, units, events and metadata as JSON"
_ROWS = 4096  # written and read at a time


def write_csv(content: RunArchive, path: Path) -> None:
    """Write an archive."""
    found = read_run_header(content.header, str(path))
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"{_FIRST}\n# {content.header}\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["t [s]", *(column_title(name, unit) for name, unit, _ in found.columns)])
        for start in range(0, found.rows, _ROWS):
            block = np.stack([x[start : start + _ROWS] for x in content.columns], axis=1)
            writer.writerows(_cells_of_rows(block))


def probe_csv(path: Path) -> bool:
    """Return True if a text begins like a run."""
    with path.open("rb") as stream:
        return stream.read(len(_FIRST)) == _FIRST.encode()


def read_csv(path: Path, file: str) -> tuple[RunArchive, None]:
    """The archive in a file; the text has no digest, so that it may be edited."""
    with path.open(encoding="utf-8", newline="") as stream:
        first, second = stream.readline(), stream.readline()
        if not first.startswith("# linkwright run") or not second.startswith("# "):
            raise foreign_file_error(file)
        header = second[2:].rstrip("\r\n")
        found = read_run_header(header, file)
        lines = csv.reader(_complete_lines(stream, file))
        scales = _column_scales(next(lines, []), [("t", "s"), *((name, unit) for name, unit, _ in found.columns)], file)
        rows = [
            _parse_numbers(cells, len(found.columns) + 1, number, file) for number, cells in enumerate(lines, start=4)
        ]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(found.columns) + 1)
    for i, scale in scales.items():
        table[:, i] = table[:, i] * scale[0] / scale[1]
    return RunArchive(header, tuple(np.ascontiguousarray(x) for x in table.T)), None


def _column_scales(titles: list[str], columns: list[tuple[str, str]], file: str) -> dict[int, tuple[float, float]]:
    """Factors (times, over) of columns whose titles were edited to have another unit than the header; others are SI."""
    written = [column_title(name, unit) for name, unit in columns]
    if titles == written:
        return {}
    if len(titles) != len(written):
        raise damaged_file_error(file, f"it has {len(titles)} titles where {len(written)} are expected")
    from linkwright.formats.tables import table_of_columns

    heads, found = table_of_columns(dict.fromkeys(titles, ()), file).heads, {}
    for i, (head, expected, (name, unit)) in enumerate(zip(heads, written, columns)):
        if head.written in (expected, name):
            continue
        if head.name not in (name, former_name(name)):
            raise damaged_file_error(
                file, f"column {i + 1} is titled '{head.written[:80]}' where '{expected}' is expected"
            )
        if head.unit and head.unit != unit:
            given = head.unit_in(f"{file}:3", unit)
            found[i] = (given.times, given.over)
    return found


def _complete_lines(lines: Iterable[str], file: str) -> Iterator[str]:
    """The lines, each with its end: a last number cut in the middle would look like another number."""
    for line in lines:
        if not line.endswith("\n"):
            raise damaged_file_error(file, "its last line has no end")
        yield line


def column_title(name: str, unit: str) -> str:
    """The title of a column, never a formula of a spreadsheet; the header above has the exact name."""
    text = f"{name} [{unit}]" if unit else name
    text = f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
    return "".join(c if c.isprintable() else "?" for c in text)


def _cells_of_rows(block: Array) -> Iterator[list[str]]:
    odd = np.isnan(block)
    for row, strange in zip(block, odd.any(axis=1)):
        yield [_exact_number_text(x) for x in row] if strange else list(map(repr, row.tolist()))


def _exact_number_text(x: np.float64) -> str:
    """A number's text; a NaN with its sign, and with all its bits when they are unusual."""
    bits = int(x.view(np.uint64))
    usual = {0x7FF8000000000000: "nan", 0xFFF8000000000000: "-nan"}
    return usual.get(bits, f"nan(0x{bits:016x})") if np.isnan(x) else repr(float(x))


def _parse_numbers(cells: list[str], n: int, line: int, file: str) -> list[float]:
    if len(cells) != n:
        raise damaged_file_error(file, f"line {line} has {len(cells)} numbers where {n} are expected")
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        return [_parse_number(cell, line, file) for cell in cells]


def _parse_number(cell: str, line: int, file: str) -> float:
    try:
        if cell.startswith("nan(0x"):
            return float(np.uint64(int(cell[4:-1], 16)).view(np.float64))
        return float(cell)
    except (ValueError, OverflowError):
        raise damaged_file_error(file, f"line {line} has {cell[:20]!r} where a number is expected") from None


_TITLE = "MATLAB 5.0 MAT-file, linkwright run, hash "
_LENGTH = 116  # bytes of description
_CHUNK = 1 << 20
_HEADER = 128  # bytes before the first variable
_COMPRESSED = 15  # kind of a variable that is compressed


def write_mat(content: RunArchive, path: Path) -> None:
    """Write an archive."""
    keys = ("t", *read_run_header(content.header, str(path)).keys)
    variables: dict[str, Any] = dict(zip(keys, content.columns, strict=True)) | {"header": content.header}
    from scipy.io import savemat  # takes long to import, and most runs are never saved so

    savemat(str(path), variables, appendmat=False, oned_as="column")
    with path.open("r+b") as stream:
        description = f"{_TITLE}{_hash_content(stream)}".ljust(_LENGTH).encode("ascii")
        stream.seek(0)
        stream.write(description)


def probe_mat(path: Path) -> bool:
    """Return True if a file has the description of a run."""
    with path.open("rb") as stream:
        return stream.read(len(_TITLE)) == _TITLE.encode()


def read_mat(path: Path, file: str) -> tuple[RunArchive, None]:
    """The archive in a file; its hash has been checked."""
    with path.open("rb") as stream:
        description = stream.read(_LENGTH).decode("latin-1")
        if not description.startswith(_TITLE):
            raise foreign_file_error(file)
        if description.removeprefix(_TITLE).strip() != _hash_content(stream):
            raise damaged_file_error(file, "its content is not what was written")
    if _has_packed_variables(path):
        raise damaged_file_error(file, "it holds compressed variables, which runs do not")
    from scipy.io import loadmat

    data = loadmat(str(path), appendmat=False)
    header = str(data["header"].item())
    keys = ("t", *read_run_header(header, file).keys)
    return RunArchive(header, tuple(np.ravel(data[key]) for key in keys)), None


def _has_packed_variables(path: Path) -> bool:
    """Return True if a variable is compressed: it could unpack to anything."""
    at, end = _HEADER, path.stat().st_size
    with path.open("rb") as stream:
        while at + 8 <= end:
            stream.seek(at)
            kind, size = struct.unpack("=2I", stream.read(8))
            if kind == _COMPRESSED:
                return True
            at += 8 + size
    return False


def _hash_content(stream: BinaryIO) -> str:
    """Hash of everything after the description."""
    h = hashlib.blake2b(digest_size=16)
    stream.seek(_LENGTH)
    while chunk := stream.read(_CHUNK):
        h.update(chunk)
    return h.hexdigest()


TIME = "time"
"""Name of the dimension and of its variable, which makes it a coordinate."""


def write_nc(content: RunArchive, path: Path) -> None:
    """Write an archive; an empty run has one row that does not count, since no dimension may be of length zero."""
    found = read_run_header(content.header, str(path))
    names = [(TIME, "time", "s"), *((key, name, unit) for key, (name, unit, _) in zip(found.keys, found.columns))]
    from scipy.io import netcdf_file  # takes long to import, and most runs are never saved so

    with netcdf_file(str(path), "w", version=2) as data:
        data.createDimension(TIME, max(1, found.rows))
        _set_attributes(data, header=content.header, digest=content.digest)
        for (key, name, unit), values in zip(names, content.columns, strict=True):
            variable = data.createVariable(key, "d", (TIME,))
            variable[:] = values if found.rows else 0.0
            _set_attributes(variable, long_name=name, units=unit)


def read_nc(path: Path, file: str) -> tuple[RunArchive, str]:
    """The archive in a file and the digest written beside it."""
    from scipy.io import netcdf_file

    with netcdf_file(str(path), "r", mmap=False) as data:
        if not hasattr(data, "header"):
            raise foreign_file_error(file)
        header = _attribute_text(data, "header")
        found = read_run_header(header, file)
        columns = [np.array(data.variables[key][:], dtype=np.float64) for key in (TIME, *found.keys)]
        return RunArchive(header, tuple(x if found.rows else x[:0] for x in columns)), _attribute_text(data, "digest")


def _attribute_text(data: Any, name: str) -> str:
    return getattr(data, name).decode("ascii", "replace")


def _set_attributes(variable: Any, **texts: str) -> None:
    for name, text in texts.items():
        if text:
            setattr(variable, name, text.encode("utf-8", "replace"))


WRITERS: dict[str, Callable[[RunArchive, Path], None]] = {
    ".npz": write_npz,
    ".csv": write_csv,
    ".mat": write_mat,
    ".nc": write_nc,
}

SAVED_RUN = FileKind("a run", tuple(WRITERS), None)


def save_sheet(content: RunArchive, path: str | os.PathLike[str], durable: bool = True) -> None:
    """Write a run as an archive; an older file of that name is replaced only when the new one is complete."""
    file = SAVED_RUN.file(path)
    write_whole(file, lambda beside: WRITERS[file.suffix.lower()](content, beside), durable)
