"""Comma-separated text: two comment lines (the second is the header), a line of names, and one line per time.

Numbers have as many digits as it takes to read the same bits again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from linkwright.results import run_archive
from linkwright.results.run_archive import RunArchive
from linkwright.results.series import Array

_FIRST = "# linkwright run; the next line holds names, units, events and metadata as JSON"
_ROWS = 4096  # written and read at a time


def write(content: RunArchive, path: Path) -> None:
    """Write an archive."""
    found = run_archive.read_header(content.header, str(path))
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"{_FIRST}\n# {content.header}\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["t [s]", *(column_title(name, unit) for name, unit, _ in found.columns)])
        for start in range(0, found.rows, _ROWS):
            block = np.stack([x[start : start + _ROWS] for x in content.columns], axis=1)
            writer.writerows(_cells_of_rows(block))


def probe(path: Path) -> bool:
    """Return True if a text begins like a run."""
    with path.open("rb") as stream:
        return stream.read(len(_FIRST)) == _FIRST.encode()


def read(path: Path, file: str) -> tuple[RunArchive, None]:
    """The archive in a file; the text has no digest, so that it may be edited."""
    with path.open(encoding="utf-8", newline="") as stream:
        first, second = stream.readline(), stream.readline()
        if not first.startswith("# linkwright run") or not second.startswith("# "):
            raise run_archive.foreign_file_error(file)
        header = second[2:].rstrip("\r\n")
        found = run_archive.read_header(header, file)
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
        raise run_archive.damaged_file_error(file, f"it has {len(titles)} titles where {len(written)} are expected")
    from linkwright.formats.tables import table_of_columns

    heads, found = table_of_columns(dict.fromkeys(titles, ()), file).heads, {}
    for i, (head, expected, (name, unit)) in enumerate(zip(heads, written, columns)):
        if head.written in (expected, name):
            continue
        if head.name not in (name, run_archive.former_name(name)):
            raise run_archive.damaged_file_error(
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
            raise run_archive.damaged_file_error(file, "its last line has no end")
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
        raise run_archive.damaged_file_error(file, f"line {line} has {len(cells)} numbers where {n} are expected")
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
        raise run_archive.damaged_file_error(
            file, f"line {line} has {cell[:20]!r} where a number is expected"
        ) from None
