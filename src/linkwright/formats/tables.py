"""Tables of numbers under titles, `name` or `name [unit]`: CSV files, data frames, arrays by title.

This is the one reader of tables: a title with a unit is converted to SI by its dimension, one without is SI, an unknown
unit or a wrong dimension is refused by name.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.files import require_regular
from linkwright.formats.units import Unit, UnitError, unit_that_fits
from linkwright.mechanism.names import suggest_name

Array = np.ndarray
LARGEST = 1 << 30  # bytes of a table
_HEAD = re.compile(r"'?(?P<name>.*?)\s*\[(?P<unit>[^\[\]]*)\]", re.DOTALL)
_SHOWN = 20  # titles in a message


@dataclass(frozen=True)
class ColumnHead:
    """The title of a column as it is written, and the name and unit in it; the unit is "" where there is none."""

    written: str
    name: str
    unit: str

    @staticmethod
    def of(title: str) -> ColumnHead:
        """Read a title.

        >>> ColumnHead.of("motor [deg]"), ColumnHead.of("t").unit, ColumnHead.of("'-x [mm]").name
        (ColumnHead(written='motor [deg]', name='motor', unit='deg'), '', '-x')
        """
        written = title.strip()
        match = _HEAD.fullmatch(written)
        if match is None:
            return ColumnHead(written, written[1:] if written[:2] in _QUOTED else written, "")
        unit = match["unit"].strip()
        return ColumnHead(written, match["name"].strip(), "" if unit in ("-", "1") else unit)

    def unit_in(self, where: str, *units: str) -> Unit:
        """The unit, which must fit one of `units`; `where` is where the title stands, for messages."""
        try:
            return unit_that_fits(self.unit, *units)
        except UnitError as error:
            raise ArgumentError(f"{where}: column '{self.name}': {error}") from None


_QUOTED = ("'=", "'+", "'-", "'@")  # of titles that a spreadsheet would take for a formula


@dataclass(frozen=True, eq=False)
class TitledTable:
    """A table as it is written; `numbers` and `texts` give its columns.

    Attributes:
        source: the file, or what the table was given as; messages begin with it.
        heads: titles of the columns. columns: their cells, texts of a file or numbers, a sequence of each.
        lines: of the rows in the file, 0 where it is not one. line: of the titles.
    """

    source: str
    heads: tuple[ColumnHead, ...]
    columns: tuple[Sequence[Any] | Array, ...]
    lines: tuple[int, ...] = ()
    line: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, without units."""
        return tuple(head.name for head in self.heads)

    def __contains__(self, name: str) -> bool:
        return bool(self._indices_of(name))

    def require(self, names: Iterable[str]) -> None:
        """Refuse a table without some columns."""
        names = list(names)
        for name in names:
            if name not in self:
                self._require_commas()
                found = ", ".join(f"'{head.written}'" for head in self.heads[:_SHOWN])
                more = f" and {len(self.heads) - _SHOWN} more" if len(self.heads) > _SHOWN else ""
                spare = [each for each in self.names if each not in names]
                raise ArgumentError(
                    f"{self._at_titles()}: the column '{name}' is missing{suggest_name(name, spare, most=0)}; it has "
                    f"{found}"
                    f"{more}, and it needs {', '.join(names)}"
                )

    def _require_commas(self) -> None:
        """Refuse a table whose only title holds other separators."""
        title = self.heads[0].written if len(self.heads) == 1 else ""
        for sign, word in ((";", "';'"), ("\t", "tabs")):
            if sign in title:
                way_out = "save the file with commas, and numbers with points"
                raise ArgumentError(f"{self._at_titles()}: columns are separated by {word}; {way_out}")

    def texts(self, name: str) -> list[str]:
        """Cells of a column; "" where a row is too short."""
        return [str(cell) for cell in self.columns[self._index_of(name)]]

    def numbers(self, name: str, *units: str) -> Array:
        """Finite numbers of a column in SI, (n,).

        Args:
            units: SI units of the dimensions that it may have, "" for a plain number; left out, any.
        """
        i = self._index_of(name)
        head, unit = self.heads[i], self.unit_of(name, *units)
        try:
            values = np.array(list(map(float, self.columns[i])))
        except (TypeError, ValueError):
            values = np.array([math.nan])
        if not np.isfinite(values).all():
            raise self._no_number(head, self.columns[i])
        return values if unit is None else values * unit.times / unit.over

    def stack(self, units: Mapping[str, str]) -> Array:
        """Columns side by side, (n, k), from their names and SI units."""
        return np.stack([self.numbers(name, unit) for name, unit in units.items()], axis=1)

    def unit_of(self, name: str, *units: str) -> Unit | None:
        """The unit that the title of a column names, which must fit one of `units`; None where it names none."""
        head = self.heads[self._index_of(name)]
        if not head.unit or head.written == name:
            return None
        return head.unit_in(self._at_titles(), *units)

    def _indices_of(self, name: str) -> list[int]:
        """Numbers of the columns of a name: those whose whole title it is, else those with it before a unit."""
        whole = [i for i, head in enumerate(self.heads) if head.written == name]
        return whole or [i for i, head in enumerate(self.heads) if head.name == name]

    def _index_of(self, name: str) -> int:
        self.require([name])
        first, *more = self._indices_of(name)
        if more:
            titles = " and ".join(f"'{self.heads[i].written}'" for i in (first, *more))
            raise ArgumentError(f"{self._at_titles()}: the column '{name}' stands there as {titles}; leave one")
        return first

    def _no_number(self, head: ColumnHead, cells: Sequence[Any] | Array) -> ArgumentError:
        """The error about the first cell that is not a finite number."""
        k = next(k for k, cell in enumerate(cells) if not _is_number_cell(cell, finite=True))
        text = str(cells[k])[:40]
        pointed = text.replace(",", ".")
        point = f", with a point: {pointed}" if _is_number_cell(pointed, finite=True) else ""
        return ArgumentError(f"{self.row_position(k)}: {head.name} is '{text}'; write a finite number{point}")

    def row_position(self, k: int) -> str:
        """Where a row stands, for messages: the line of its file, or its number in a data frame."""
        return f"{self.source}:{self.lines[k]}" if self.lines else f"{self.source}, row {k}"

    def _at_titles(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


def is_table(given: Any) -> bool:
    """Return True for a file name, a data frame, and a table itself."""
    return isinstance(given, str | os.PathLike | TitledTable) or _is_frame(given)


def _is_frame(given: Any) -> bool:
    return not isinstance(given, type) and hasattr(given, "columns") and hasattr(given, "iloc")


def read_table(given: Any, what: str, columns: Iterable[str] = ()) -> TitledTable:
    """The table of a CSV file or of a data frame, with some columns; `what` names it in messages.

    In files, lines that begin with # are remarks; titles may stand in the last of them, above rows of numbers.
    """
    table = (
        given
        if isinstance(given, TitledTable)
        else _of_frame(given, what)
        if _is_frame(given)
        else _of_csv(given, what)
    )
    table.require(columns)
    if not any(map(len, table.columns)):
        raise ArgumentError(f"{table.source}: the {what} has no rows under its titles; add at least one")
    return table


def table_of_columns(columns: Mapping[Any, Any], source: str) -> TitledTable:
    """The table of arrays (n,) by title."""
    heads = tuple(ColumnHead.of(str(title)) for title in columns)
    return TitledTable(source, heads, tuple(np.ravel(np.asarray(x)) for x in columns.values()))


def _of_frame(frame: Any, what: str) -> TitledTable:
    """The table of a data frame; a named index is a column too, and units may be in `attrs["units"]`."""
    units = frame.attrs.get("units", {}) if isinstance(getattr(frame, "attrs", None), dict) else {}
    named = {f"{title} [{units[title]}]" if units.get(title) else title: frame[title] for title in frame.columns}
    if getattr(frame.index, "name", None) is not None and frame.index.name not in frame.columns:
        named = {frame.index.name: frame.index, **named}
    return table_of_columns(named, f"the {what}")


def _of_csv(path: str | os.PathLike[str], what: str) -> TitledTable:
    require_regular(Path(path), LARGEST)
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as stream:
            every = list(enumerate(stream, start=1))
            lines = [(n, line) for n, line in every if not line.startswith("#")]
            reader = csv.reader(line for _, line in lines)
            rows = [(lines[reader.line_num - 1][0], row) for row in reader if row]
    except FileNotFoundError:
        raise ArgumentError(f"{path}: there is no such file; check the name and the folder") from None
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{path}: the {what} cannot be read ({reason})") from None
    if not rows:
        raise ArgumentError(f"{path}: the {what} is empty; begin it with the titles of its columns")
    rows = _with_titles(rows, every, str(path), what)
    (line, titles), *cells = rows
    heads = tuple(map(ColumnHead.of, titles))
    return TitledTable(str(path), heads, tuple(_cells_by_column(cells, len(heads))), tuple(n for n, _ in cells), line)


def _cells_by_column(rows: Sequence[tuple[int, Sequence[str]]], n: int) -> list[list[str]]:
    """Cells by column; "" where a row is too short."""
    return [[row[i].strip() if i < len(row) else "" for _, row in rows] for i in range(n)]


def _with_titles(rows: list[Any], every: Sequence[tuple[int, str]], path: str, what: str) -> list[Any]:
    """The rows, with the last remark above them as titles where they begin with numbers, as `numpy.savetxt` writes."""
    line, first = rows[0]
    if not all(map(_is_number_cell, first)):
        return rows
    remarks = [(n, text) for n, text in every if n < line and text.startswith("#")]
    titles = next(csv.reader([remarks[-1][1].lstrip("# ")]), []) if remarks else []
    if len(titles) != len(first):
        raise ArgumentError(f"{path}:{line}: the {what} has no titles; begin it with the titles of its columns")
    return [(remarks[-1][0], titles), *rows]


def _is_number_cell(cell: Any, finite: bool = False) -> bool:
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return False
    return math.isfinite(value) or not finite
