"""Files of results: the header that all kinds carry, the meta of a run as plain JSON data, and arrays of .npz archives.

Runs, ensembles, sweeps and studies begin with the same keys (`archive_header`), as JSON under the entry `header` of an
.npz. Sizes of arrays are looked at before anything is unpacked, and arrays are read to their ends. A run is one header
text and equal columns of numbers, which all file formats carry.

Keys of the meta that every simulation writes: `format` (1), `linkwright` (version), `mechanism` (`name`, `yaml`,
`hash`), `formulation`, `method`, `tolerances`, `closure` (largest residual), `energy_balance`, `agreement` (of the
second method), `stats`, `complete` (False for a run that was interrupted).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ResultError
from linkwright.files import recognize_archive_entry
from linkwright.results.series import Array, Event, Series
from linkwright.version import __version__

FORMAT = 1
_PLAIN = frozenset((str, int, float, bool, type(None)))
_TEXT = {str}


def run_provenance(name: str, yaml: str) -> dict[str, Any]:
    """The first keys of a run's meta: format, version, and the mechanism as its YAML text with a hash.

    >>> sorted(run_provenance("pendulum", "format: 1"))
    ['format', 'linkwright', 'mechanism']
    """
    digest = hashlib.blake2b(yaml.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return {"format": FORMAT, "linkwright": __version__, "mechanism": {"name": name, "yaml": yaml, "hash": digest}}


def hash_parts(*parts: Any) -> str:
    """Hash of arrays, texts or bytes."""
    h = hashlib.blake2b(digest_size=12)
    for each in parts:
        data = each.encode() if isinstance(each, str) else each
        data = np.ascontiguousarray(data, dtype="<f8").tobytes() if isinstance(data, np.ndarray) else data
        h.update(len(data).to_bytes(8, "little") + data)
    return h.hexdigest()


def plain_meta(meta: Any) -> dict[str, Any]:
    """A copy of the meta as JSON data: tuples become lists, NumPy numbers and arrays plain ones.

    >>> plain_meta({"steps": np.int64(3), "rtol": (1e-9,)})
    {'steps': 3, 'rtol': [1e-09]}
    """
    if not isinstance(meta, dict):
        raise ArgumentError(f"the meta of a run is {type(meta).__name__}, expected a dict")
    try:
        return _copy_plain(meta)
    except RecursionError:
        raise ArgumentError("the meta of a run must be JSON data: it holds itself, or is nested too deeply") from None


def _copy_plain(x: Any) -> Any:
    """Plain data item by item, which is quicker than JSON; anything else as JSON would have it."""
    if type(x) in _PLAIN:
        return x
    if type(x) in (list, tuple):
        return [_copy_plain(each) for each in x]
    if type(x) is dict and {*map(type, x)} <= _TEXT:
        return {key: each if type(each) in _PLAIN else _copy_plain(each) for key, each in x.items()}
    return json.loads(ascii_json(x))


def ascii_json(data: Any) -> str:
    """JSON in plain ASCII, which every file format carries unchanged."""
    try:
        return json.dumps(data, ensure_ascii=True, default=_plain_number, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the meta of a run must be JSON data: {error}") from None


def _plain_number(x: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    raise TypeError(f"a {type(x).__name__} cannot be written; use numbers, text, lists and dicts")


HEADER = "header"
_MARK = "linkwright "

# What an archive may unpack to: our own are stored without compression, and arrays that somebody compressed shrink to a
# thirtieth at best unless they are nearly constant, which small ones may be.
_SMALL = 256 << 20  # bytes
_RATIO = 32


def archive_header(kind: str, meta: Mapping[str, Any], units: Mapping[str, str], command: str = "") -> dict[str, Any]:
    """The first keys of every result's header: kind and format, version, mechanism, parameters, command, units.

    Args:
        kind: "run", "ensemble", "sweep" or "study".
        meta: how it was computed; `mechanism` (with its hash), `parameters` and `command` are taken from it.
        units: by name of a series, column or fact.
        command: the function that computed it, where the meta does not say.

    >>> archive_header("study", {}, {"reach": "m"}, "workspace")["units"]
    {'reach': 'm'}
    """
    mechanism = meta.get("mechanism")
    return {
        f"{_MARK}{kind}": FORMAT,
        "version": __version__,
        "mechanism": mechanism.get("hash", "") if isinstance(mechanism, Mapping) else "",
        "parameters": dict(meta.get("parameters") or {}),
        "command": str(meta.get("command") or command),
        "units": dict(units),
    }


def header_array(header: Mapping[str, Any]) -> np.ndarray:
    """A header as the array that an .npz holds under `HEADER`."""
    return np.frombuffer(ascii_json(header).encode("ascii"), dtype=np.uint8)


def read_header(archive: ZipFile, kind: str, file: str) -> dict[str, Any]:
    """The header of an archive of that kind; an error where it is of a later format."""
    return checked_header(json.loads(read_array(archive, HEADER).tobytes().decode("ascii")), kind, file)


def checked_header(found: dict[str, Any], kind: str, file: str) -> dict[str, Any]:
    """A header, if it is of that kind and of this format."""
    if found[f"{_MARK}{kind}"] != FORMAT:
        stated = f"the {kind} has format {found[_MARK + kind]!r} and this version reads format {FORMAT}"
        raise ResultError(f"{file}: {stated}; open it with a newer linkwright", file=file)
    return found


def holds_kind(file: Path, kind: str) -> bool:
    """Return True if an .npz has the header of that kind."""
    return recognize_archive_entry(f"{HEADER}.npy", f'{{"{_MARK}{kind}":'.encode("ascii"))(file)


@contextmanager
def open_archive(file: str | os.PathLike[str] | IO[bytes]) -> Iterator[ZipFile]:
    """An archive to read from, refused if its content is far larger than the file itself."""
    with ZipFile(file) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
        packed = sum(entry.compress_size for entry in archive.infolist())
        if unpacked > max(_SMALL, _RATIO * packed):
            raise ValueError(
                f"it would unpack {packed / 1e6:.3g} MB to {unpacked / 1e6:.4g} MB, more than {_RATIO} times as much"
            )
        yield archive


def read_array(archive: ZipFile, name: str) -> np.ndarray:
    """An array of an archive.

    The size of the entry is compared with what the array's own header states before memory is taken. `np.load` stops at
    the size that the header states, and an archive compares checksums at the end of an entry only: a damaged header
    that states a smaller shape would pass. Here the entry is read to its end.
    """
    entry = archive.getinfo(f"{name}.npy")
    with archive.open(entry) as stream:
        shape, dtype = _read_array_header(stream)
        more = entry.file_size - stream.tell() - math.prod(shape) * dtype.itemsize
        if more or dtype.hasobject:
            size = "longer" if more > 0 else "shorter" if more else "not an array of numbers, other"
            raise ValueError(f"the array '{name}' is {size} than its shape {shape} of {dtype} states")
        stream.seek(0)
        array = np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
        stream.read(1)  # the end, where the checksum is compared
    return array


def _read_array_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type that the header of an array states; the stream is behind it then."""
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"an array is of version {version} of NumPy's format, which is not read")
    shape, _, dtype = read(stream)
    return shape, dtype


_LONGEST = 31  # what the oldest of the formats takes
_TAKEN = (
    "t time header digest break case catch classdef continue else elseif end for function global if otherwise "
    "parfor persistent return spmd switch try while ans pi inf nan eps i j"
)


def make_identifiers(names: Iterable[str]) -> list[str]:
    """Letters, digits and underscores, a letter first, no two alike even if case is ignored.

    >>> make_identifiers(["theta1", "effort(leg1)", "effort[leg1]", "2nd"])
    ['theta1', 'effort_leg1', 'effort_leg1_2', 'x_2nd']
    """
    taken = set(_TAKEN.split())
    out = []
    for name in names:
        found = _free_identifier(_legal_identifier(name), taken)
        taken.add(found.lower())
        out.append(found)
    return out


def _legal_identifier(name: str) -> str:
    clean = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    return (clean if clean[:1].isalpha() else f"x_{clean}")[:_LONGEST]


def _free_identifier(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found.lower() in taken:
        number += 1
        ending = f"_{number}"
        found = name[: _LONGEST - len(ending)] + ending
    return found


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


def read_run_header(written: str, file: str) -> Header:
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
