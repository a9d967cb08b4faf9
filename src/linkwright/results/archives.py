"""Files of results: the header that all kinds carry, and the arrays of NumPy's .npz archives.

Runs, ensembles, sweeps and studies begin with the same keys (`archive_header`), as JSON under the entry `header` of an
.npz. Sizes of arrays are looked at before anything is unpacked, and arrays are read to their ends.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np

from linkwright.errors import ResultError
from linkwright.files import recognize_archive_entry
from linkwright.results.meta import FORMAT, ascii_json
from linkwright.version import __version__

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
