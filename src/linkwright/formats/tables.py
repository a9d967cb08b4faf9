"""Tables in CSV files: titles, with units in brackets where they are given, and rows of text."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from pathlib import Path

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.files import require_regular
from linkwright.mechanism.names import suggestion

LARGEST = 1 << 30  # bytes of a table


@dataclass(frozen=True)
class TextTable:
    """A table as it is written.

    Attributes:
        path: of the file. titles: of the columns, without units. units: by title, "" where none is given.
        rows: cells with the number of their line in the file. line: that of the titles.
    """

    path: str
    titles: tuple[str, ...]
    units: dict[str, str]
    rows: tuple[tuple[int, Sequence[str]], ...]
    line: int = 1

    def require(self, names: Sequence[str]) -> None:
        """Refuse a table without some columns."""
        for name in names:
            if name not in self.titles:
                near = suggestion(name, self.titles)
                wanted = ", ".join(names)
                raise ArgumentError(f"{self.path}:{self.line}: the column '{name}' is missing{near}; it needs {wanted}")

    def texts(self, title: str) -> list[str]:
        """Cells of a column; "" where a row is too short."""
        i = self.titles.index(title)
        return [cells[i].strip() if i < len(cells) else "" for _, cells in self.rows]

    def numbers(self, title: str) -> list[float]:
        """Finite numbers of a column."""
        found = []
        for (line, _), written in zip(self.rows, self.texts(title), strict=True):
            try:
                value = float(written)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                raise ArgumentError(f"{self.path}:{line}: {title} is '{written}'; write a finite number")
            found.append(value)
        return found


def read_table(path: str | os.PathLike[str], what: str, columns: Sequence[str] = ()) -> TextTable:
    """The table of a CSV file with some columns; `what` names it in messages. Lines that begin with # are remarks."""
    require_regular(Path(path), LARGEST)
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as stream:
            lines = [(n, line) for n, line in enumerate(stream, start=1) if not line.startswith("#")]
            reader = csv.reader(line for _, line in lines)
            rows = [(lines[reader.line_num - 1][0], row) for row in reader if row]
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{path}: the {what} cannot be read ({reason})") from None
    if not rows:
        raise ArgumentError(f"{path}: the {what} is empty; begin it with the titles of its columns")
    heads = [title.strip().rstrip("]").partition("[") for title in rows[0][1]]
    titles = tuple(name.strip() for name, _, _ in heads)
    units = {name.strip(): unit.strip() for name, _, unit in heads}
    table = TextTable(str(path), titles, units, tuple(rows[1:]), rows[0][0])
    table.require(columns)
    if not table.rows:
        raise ArgumentError(f"{path}: the {what} has no rows under its titles; add at least one")
    return table
