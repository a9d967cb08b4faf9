"""The interface of records that evaluate a design: each can be drawn, reported, saved and printed as JSON."""

from __future__ import annotations

import csv
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.files import FileKind, archived, by_ending, marked, write_whole
from linkwright.results import drawers
from linkwright.results.charts import AnyPanel
from linkwright.results.meta import FORMAT
from linkwright.version import __version__


@dataclass(frozen=True)
class ShownTable:
    """Rows under heads; the first column names the rows, the others hold numbers or text."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Content:
    """What an evaluation shows and saves.

    Attributes:
        title: heading. facts: names to short values. notes: messages about what was left out or assumed.
        tables, panels: for the report and the figure.
        arrays: numbers to save, by name; those of equal length along the first axis are columns of a CSV file.
    """

    title: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[ShownTable] = ()
    panels: Sequence[AnyPanel] = ()
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: Sequence[str] = ()


class Evaluation(ABC):
    """A record that evaluates a design; `plot`, `report`, `save` and `data` are the same for all."""

    @abstractmethod
    def _content(self) -> Content:
        """Tables, panels and arrays of the record."""

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Matplotlib figure, saved as PDF, SVG or PNG when a path is given."""
        return drawers.drawer("evaluation plot")(self._content(), path, **options)

    def report(self, path: str | os.PathLike[str]) -> str:
        """Write one HTML file with the tables, and with the figure where matplotlib is installed; return the path."""
        return drawers.drawer("evaluation report")(self._content(), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers as .npz, .json or .csv; the file appears complete or not at all."""
        content, file = self._content(), EVALUATION.file(path)
        write_whole(file, lambda beside: _WRITERS[file.suffix.lower()](content, beside))

    def data(self) -> dict[str, Any]:
        """Facts, tables and notes as JSON data; numbers that are not finite are None."""
        content = self._content()
        tables = {each.title: [dict(zip(each.heads, row, strict=True)) for row in each.rows] for each in content.tables}
        return plain({"title": content.title, **content.facts, "tables": tables, "notes": list(content.notes)})

    def __str__(self) -> str:
        content = self._content()
        facts = (f"  {name}: {shown(x)}" for name, x in content.facts.items())
        return "\n".join([content.title, *facts, *(f"  Note: {note}" for note in content.notes)])

    def __repr__(self) -> str:
        try:
            return str(self)
        except Exception:  # a record made by hand may hold anything, and debuggers show it all the same
            return f"{type(self).__name__}(...)"


def plain(x: Any) -> Any:
    """Plain JSON data; numbers that are not finite are None.

    >>> plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), True)})
    {'a': [1.0, None], 'b': [2, True]}
    """
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {str(key): plain(each) for key, each in x.items()}
    if isinstance(x, list | tuple):
        return [plain(each) for each in x]
    return None if isinstance(x, float) and not np.isfinite(x) else x


def shown(x: Any) -> str:
    """A value of a table or a fact as text.

    >>> shown(0.123456789), shown((1.0, 2.0)), shown("rad")
    ('0.123457', '1, 2', 'rad')
    """
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, bool):
        return "yes" if x else "no"
    if isinstance(x, float):
        return f"{x:.6g}"
    return ", ".join(map(shown, x)) if isinstance(x, list | tuple) else str(x)


def _header(content: Content) -> dict[str, Any]:
    return plain({"linkwright evaluation": FORMAT, "version": __version__, "title": content.title, **content.facts})


def _write_npz(content: Content, path: Path) -> None:
    with path.open("wb") as stream:
        np.savez_compressed(stream, header=np.array(json.dumps(_header(content))), **content.arrays)  # type: ignore[arg-type]


def _write_json(content: Content, path: Path) -> None:
    data = {**_header(content), "notes": list(content.notes), "arrays": plain(dict(content.arrays))}
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")


def _write_csv(content: Content, path: Path) -> None:
    """The arrays as columns; those with more axes than one have a column for each element."""
    arrays = {name: np.atleast_1d(x) for name, x in content.arrays.items()}
    rows = max((len(x) for x in arrays.values()), default=0)
    columns: dict[str, np.ndarray] = {}
    for name, x in arrays.items():
        if len(x) == rows:
            flat = x.reshape(rows, -1)
            columns |= {name if flat.shape[1] == 1 else f"{name}[{i}]": flat[:, i] for i in range(flat.shape[1])}
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"# {json.dumps(_header(content))}\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(map(repr, x.tolist()) for x in columns.values()), strict=True))


_WRITERS: dict[str, Callable[[Content, Path], None]] = {".npz": _write_npz, ".json": _write_json, ".csv": _write_csv}
_OWN = marked(b'{"linkwright evaluation":')
_OWN_NPZ = archived("header.npy", "linkwright evaluation".encode("utf-32-le"))  # as NumPy keeps text
EVALUATION = FileKind("an evaluation", tuple(_WRITERS), by_ending({".npz": _OWN_NPZ, ".json": _OWN, ".csv": _OWN}))
