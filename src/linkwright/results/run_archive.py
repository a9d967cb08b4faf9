"""A run as one header text and equal columns of numbers, which all file formats carry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.errors import ResultError
from linkwright.results.archives import archive_header
from linkwright.results.identifiers import make_identifiers
from linkwright.results.meta import FORMAT, ascii_json
from linkwright.results.series import Array, Event, Series

KIND = "linkwright run"
CLOSURE = ("closure residual", "m", "closure")
_FORMER = ("closure gap", "m", "closure")


def former_name(series: str) -> str:
    """The name that a series had in older files; its own where it has not changed."""
    return _FORMER[0] if series == CLOSURE[0] else series


@dataclass(frozen=True, eq=False)
class RunArchive:
    """The header as JSON in ASCII, and the time followed by the series, each (n,)."""

    header: str
    columns: tuple[Array, ...]

    @property
    def digest(self) -> str:
        """Hash of header and numbers, by which a damaged file is noticed."""
        h = hashlib.blake2b(self.header.encode("ascii", "replace"), digest_size=16)
        for each in self.columns:
            h.update(each.astype("<f8").tobytes())
        return h.hexdigest()


@dataclass(frozen=True)
class Header:
    """Content of a header: number of rows, the series without numbers, their keys in files, events and meta."""

    rows: int
    columns: tuple[tuple[str, str, str], ...]
    keys: tuple[str, ...]
    events: tuple[Event, ...]
    meta: dict[str, Any]


def header_text(columns: Any, rows: int, events: Any = (), meta: Any = None) -> str:
    """The header of a run whose columns have these (name, unit, group)."""
    columns = [list(each) for each in columns]
    return ascii_json(
        {
            **archive_header("run", meta or {}, {name: unit for name, unit, _ in columns}),
            "rows": rows,
            "columns": columns,
            "keys": make_identifiers(name for name, _, _ in columns),
            "events": [[e.t, e.kind, e.name, e.text] for e in events],
            "meta": meta or {},
        }
    )


def archive_of_run(t: Array, series: Iterable[Series], events: Iterable[Event], meta: dict[str, Any]) -> RunArchive:
    """The parts of a run as an archive."""
    series = tuple(series)
    header = header_text([(each.name, each.unit, each.group) for each in series], len(t), events, meta)
    return RunArchive(header, (t, *(each.values for each in series)))


def read_header(written: str, file: str) -> Header:
    """Read a header again; an error when it is not one of ours or of a later format."""
    try:
        data = json.loads(written)
    except (ValueError, RecursionError):
        raise damaged_file_error(file, "its header is not readable") from None
    if not isinstance(data, dict) or KIND not in data:
        raise foreign_file_error(file)
    if data[KIND] != FORMAT:
        raise ResultError(
            f"{file}: the run has format {data[KIND]!r} and this version reads format {FORMAT}; "
            "open it with a newer linkwright",
            file=file,
        )
    try:
        return _parse_header(data)
    except (KeyError, TypeError, ValueError):
        raise damaged_file_error(file, "its header lacks something") from None


def written_columns(written: Iterable[Any]) -> tuple[tuple[str, str, str], ...]:
    """Name, unit and group of every series of a file; "closure gap" is the former name of the closure residual."""
    columns = ((str(name), str(unit), str(group)) for name, unit, group in written)
    return tuple((CLOSURE if each == _FORMER else each) for each in columns)


def _parse_header(data: dict[str, Any]) -> Header:
    columns = written_columns(data["columns"])
    keys = tuple(map(str, data["keys"]))
    events = tuple(Event(float(t), str(kind), str(name), str(about)) for t, kind, name, about in data["events"])
    rows, meta = data["rows"], data["meta"]
    if type(rows) is not int or rows < 0 or not isinstance(meta, dict) or len(keys) != len(columns):
        raise ValueError
    return Header(rows, columns, keys, events, meta)


def series_of_header(found: Header, columns: Any) -> tuple[Series, ...]:
    """The header's series with their numbers."""
    return tuple(Series(name, x, unit, group) for (name, unit, group), x in zip(found.columns, columns, strict=True))


def damaged_file_error(file: str, how: str) -> ResultError:
    """The error for a file that was one of ours."""
    return ResultError(f"{file}: the file is damaged, {how}; use a copy or run again", file=file)


def foreign_file_error(file: str) -> ResultError:
    """The error for a file that never was one of ours."""
    return ResultError(f"{file}: this file holds no linkwright run; name a file written by run.save", file=file)
