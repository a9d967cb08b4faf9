"""The shape of every study: a record with stable names that is drawn, reported, saved, opened and given as JSON."""

from __future__ import annotations

import csv
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.files import FileKind, by_ending, recognize_marks, write_whole
from linkwright.readable_text import Description, PrintableTable, described_table, value_text
from linkwright.results import attached_functions, charts
from linkwright.results.archives import (
    archive_header,
    checked_header,
    header_array,
    holds_kind,
    open_archive,
    read_array,
    read_header,
)
from linkwright.results.labeled_tables import import_optional
from linkwright.results.studied_mechanism import StudiedMechanism, studied_from_header


@dataclass(frozen=True)
class StudyTable:
    """Rows of a study.

    Attributes:
        key: its name in `data()`. columns: units by the names of the columns, "" without; the first names the rows.
        rows: numbers or text. title, titles: for people, of the table and of columns; the names as words when left out.
    """

    key: str
    columns: Mapping[str, str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The title for people."""
        return self.title or words_of_key(self.key).capitalize()

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, eq=False)
class StudyContent:
    """What a study shows, saves and gives as data.

    Attributes:
        title: heading. facts: values by stable names. units, titles: of facts and arrays, by name.
        notes: messages about what was left out or assumed. tables, panels: for the report and the figure.
        arrays: numbers to save, by name; those of equal length along the first axis are columns of a CSV file.
        studied: the mechanism, which the report draws and computes.
    """

    title: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[StudyTable] = ()
    panels: Sequence[charts.AnyPanel] = ()
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: Sequence[str] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    studied: StudiedMechanism | None = None


class StudyResult(PrintableTable, ABC):
    """A record of a study; `content` says what it holds, all else follows from that.

    Attributes:
        doubts: reasons not to believe the values; the command line saves them only if told to.
        interrupted: True if the study ended at Ctrl-C with what it had; the command line ends with 130 then.
        studied: the mechanism, which the report draws and computes; None for a report of charts and tables.
    """

    doubts: tuple[str, ...] = ()
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    @abstractmethod
    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""

    @property
    def study(self) -> str:
        """The kind of record, for example "workspace" or "timed_path"."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Matplotlib figure, saved as PDF, SVG or PNG when a path is given."""
        return attached_functions.attached_function("study plot")(self.content(), path, **options)

    def report(self, path: str | os.PathLike[str]) -> str:
        """Write one HTML file with the mechanism, which can be moved, and the tables and charts; return the path."""
        return attached_functions.attached_function("study report")(self._content_with_mechanism(), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as .npz or .json, which `lw.open_result` reads again, or the columns as .csv.

        The file appears complete or not at all.
        """
        content, file = self._content_with_mechanism(), STUDY_RESULT.file(path)
        write_whole(file, lambda beside: _WRITERS[file.suffix.lower()](self.study, content, beside))

    def data(self) -> dict[str, Any]:
        """The study as JSON data: facts and tables by stable names, `units` of them; None for numbers not finite.

        Units of a column are under "table.column".
        """
        content = self.content()
        units = {name: unit for name, unit in content.units.items() if name in content.facts}
        units |= {f"{t.key}.{name}": unit for t in content.tables for name, unit in t.columns.items() if unit}
        tables = {each.key: each.records for each in content.tables}
        head = {"study": self.study, "title": content.title}
        return plain_json({**head, **content.facts, **tables, "units": units, "notes": list(content.notes)})

    def to_dataframe(self, table: str | None = None) -> Any:
        """A table of the study as a pandas DataFrame, the first one unless named; units are in `attrs["units"]`."""
        tables = {each.key: each for each in self.content().tables}
        named = None if table is None else str(table)
        if not tables or (named is not None and named not in tables):
            raise ArgumentError(f"the study has no table {table!r}; it has {', '.join(tables) or 'none'}", name="table")
        found = tables[named] if named is not None else next(iter(tables.values()))
        frame = import_optional("pandas", "data frames").DataFrame(found.records, columns=list(found.columns))
        frame.attrs["units"] = {name: unit for name, unit in found.columns.items() if unit}
        return frame

    def _content_with_mechanism(self) -> StudyContent:
        """The content with the mechanism of the record."""
        found = self.content()
        return found if self.studied is None else replace(found, studied=self.studied)

    def _describe(self) -> Description:
        """What is printed of the study."""
        return describe_study(self.content())

    def _repr_html_(self) -> str:
        """The report in a frame where the study has a mechanism, else what is printed."""
        found = self._content_with_mechanism()
        if found.studied is None:
            return super()._repr_html_()
        return str(attached_functions.attached_function("study html")(found))


@dataclass(frozen=True, eq=False)
class SavedStudy(StudyResult):
    """A study that was opened from a file: the same data, figure and report as when it was saved.

    Attributes:
        kind: of the record that was saved, its `study`. saved: its content.
    """

    kind: str
    saved: StudyContent

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays, as they were saved."""
        return self.saved

    @property
    def study(self) -> str:
        """The kind of record that was saved."""
        return self.kind

    def __getitem__(self, name: str) -> Any:
        """An array, a fact or the rows of a table, by its name."""
        content = self.saved
        tables = {each.key: each.records for each in content.tables}
        for known in (content.arrays, content.facts, tables):
            if name in known:
                return known[name]
        every = ", ".join([*content.arrays, *content.facts, *tables])
        raise ArgumentError(f"the study has no '{name}'; it has {every}", name=str(name))


def describe_study(content: StudyContent) -> Description:
    """A study for people: facts with their units, tables in four digits and fitting prefixes, notes."""
    facts = [
        (content.titles.get(name, words_of_key(name)), value_text(x, content.units.get(name, "")) or "none")
        for name, x in content.facts.items()
    ]
    tables = [described_table(each.heading, each.columns, each.rows, each.titles) for each in content.tables]
    return Description(content.title, tuple(facts), tuple(tables), tuple(content.notes))


def data_schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of what `data()` returns and the verbs print with --json."""
    scalar = {"type": ["number", "string", "boolean", "null"]}
    value = {"anyOf": [scalar, {"type": "array"}, {"type": "object"}]}
    row = {"type": "object", "additionalProperties": value}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of linkwright",
        "type": "object",
        "required": ["study", "title", "units", "notes"],
        "properties": {
            "study": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
            "title": {"type": "string"},
            "units": {"type": "object", "additionalProperties": {"type": "string"}},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
        "patternProperties": {"^[a-z][a-z0-9_]*$": {"anyOf": [value, {"type": "array", "items": row}]}},
        "additionalProperties": False,
    }


def words_of_key(key: str) -> str:
    """A stable name as words for people.

    >>> words_of_key("mean_speed")
    'mean speed'
    """
    return key.replace("_", " ")


def plain_json(x: Any) -> Any:
    """Plain JSON data; numbers that are not finite are None.

    >>> plain_json({"a": np.array([1.0, np.nan]), "b": (np.int64(2), True)})
    {'a': [1.0, None], 'b': [2, True]}
    """
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {str(key): plain_json(each) for key, each in x.items()}
    if isinstance(x, list | tuple):
        return [plain_json(each) for each in x]
    return None if isinstance(x, float) and not np.isfinite(x) else x


def _study_header(study: str, content: StudyContent) -> dict[str, Any]:
    """What a file says besides the arrays."""
    studied = {} if content.studied is None else content.studied.header()
    return {
        **archive_header("study", studied, content.units, study),
        **({"studied": studied} if studied else {}),
        "study": study,
        "title": content.title,
        "facts": _encode_exactly(content.facts),
        "titles": dict(content.titles),
        "notes": list(content.notes),
        "tables": [
            {**{name: getattr(t, name) for name in ("key", "title")}, "columns": dict(t.columns)}
            | {"titles": dict(t.titles), "rows": _encode_exactly(t.rows)}
            for t in content.tables
        ],
        "panels": [charts.panel_data(each, _encode_exactly) for each in content.panels],
    }


def _encode_exactly(x: Any) -> Any:
    """JSON data from which the numbers come back exactly; those that are not finite are marked texts."""
    if isinstance(x, np.ndarray | np.generic):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {str(key): _encode_exactly(each) for key, each in x.items()}
    if isinstance(x, list | tuple):
        return [_encode_exactly(each) for each in x]
    return {"number": repr(x)} if isinstance(x, float) and not np.isfinite(x) else x


def _decode_exactly(x: Any) -> Any:
    """What `_encode_exactly` was given, with lists for arrays and tuples."""
    if isinstance(x, dict):
        return float(x["number"]) if x.keys() == {"number"} else {key: _decode_exactly(each) for key, each in x.items()}
    return [_decode_exactly(each) for each in x] if isinstance(x, list) else x


def _write_npz(study: str, content: StudyContent, path: Path) -> None:
    with path.open("wb") as stream:
        header = header_array(_study_header(study, content))
        np.savez_compressed(stream, header=header, **_saved_arrays(content))  # type: ignore[arg-type]


def _saved_arrays(content: StudyContent) -> dict[str, np.ndarray]:
    """The arrays, and the states of the mechanism."""
    return {**content.arrays, **({} if content.studied is None else content.studied.arrays())}


def _write_json(study: str, content: StudyContent, path: Path) -> None:
    arrays = {name: _encode_exactly(np.asarray(x)) for name, x in _saved_arrays(content).items()}
    path.write_text(json.dumps({**_study_header(study, content), "arrays": arrays}) + "\n", encoding="utf-8")


def _write_csv(study: str, content: StudyContent, path: Path) -> None:
    """The arrays as columns; those with more axes than one have a column for each element."""
    arrays = {name: np.atleast_1d(x) for name, x in content.arrays.items()}
    rows = max((len(x) for x in arrays.values()), default=0)
    columns: dict[str, np.ndarray] = {}
    for name, x in arrays.items():
        if len(x) == rows:
            flat = x.reshape(rows, -1)
            columns |= {name if flat.shape[1] == 1 else f"{name}[{i}]": flat[:, i] for i in range(flat.shape[1])}
    head = archive_header("study", {}, content.units, study)
    head |= {"study": study, "title": content.title, **plain_json(content.facts)}
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"# {json.dumps(head)}\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(map(repr, x.tolist()) for x in columns.values()), strict=True))


def read_study(path: Path) -> SavedStudy:
    """The study in a .npz or .json file that `save` wrote."""
    if path.suffix.lower() == ".json":
        head = checked_header(json.loads(path.read_text(encoding="utf-8")), "study", str(path))
        arrays = {name: np.array(_decode_exactly(x)) for name, x in head["arrays"].items()}
    else:
        with open_archive(path) as archive:
            head = read_header(archive, "study", str(path))
            names = [name[:-4] for name in archive.namelist() if name != "header.npy"]
            arrays = {name: read_array(archive, name) for name in names}
    tables = [
        StudyTable(t["key"], t["columns"], _decode_exactly(t["rows"]), t["title"], t["titles"]) for t in head["tables"]
    ]
    panels = [charts.panel_from_data(each, _decode_exactly) for each in head["panels"]]
    facts, notes = _decode_exactly(head["facts"]), tuple(head["notes"])
    studied = studied_from_header(head, arrays)
    content = StudyContent(head["title"], facts, tables, panels, arrays, notes, head["units"], head["titles"], studied)
    return SavedStudy(str(head["study"]), content)


_WRITERS: dict[str, Callable[[str, StudyContent, Path], None]] = {
    ".npz": _write_npz,
    ".json": _write_json,
    ".csv": _write_csv,
}
_OWN = recognize_marks(b'{"linkwright study":')
_PROBES = {".npz": lambda file: holds_kind(file, "study"), ".json": _OWN, ".csv": _OWN}
STUDY_RESULT = FileKind("a study", tuple(_WRITERS), by_ending(_PROBES))
