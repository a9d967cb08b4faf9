"""MATLAB's .mat (version 5): one column vector per series under a plain name, and the header as text.

The reader behind `loadmat` can crash the whole process on a damaged file. So the description every such file begins
with carries a hash of all the rest, and a file whose hash is wrong or missing is not given to it.
"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linkwright.results import run_archive
from linkwright.results.run_archive import RunArchive

_TITLE = "MATLAB 5.0 MAT-file, linkwright run, hash "
_LENGTH = 116  # bytes of description
_CHUNK = 1 << 20
_HEADER = 128  # bytes before the first variable
_COMPRESSED = 15  # kind of a variable that is compressed


def write(content: RunArchive, path: Path) -> None:
    """Write an archive."""
    keys = ("t", *run_archive.read_header(content.header, str(path)).keys)
    variables: dict[str, Any] = dict(zip(keys, content.columns, strict=True)) | {"header": content.header}
    from scipy.io import savemat  # takes long to import, and most runs are never saved so

    savemat(str(path), variables, appendmat=False, oned_as="column")
    with path.open("r+b") as stream:
        description = f"{_TITLE}{_hash_content(stream)}".ljust(_LENGTH).encode("ascii")
        stream.seek(0)
        stream.write(description)


def probe(path: Path) -> bool:
    """Return True if a file has the description of a run."""
    with path.open("rb") as stream:
        return stream.read(len(_TITLE)) == _TITLE.encode()


def read(path: Path, file: str) -> tuple[RunArchive, None]:
    """The archive in a file; its hash has been checked."""
    with path.open("rb") as stream:
        description = stream.read(_LENGTH).decode("latin-1")
        if not description.startswith(_TITLE):
            raise run_archive.foreign_file_error(file)
        if description.removeprefix(_TITLE).strip() != _hash_content(stream):
            raise run_archive.damaged_file_error(file, "its content is not what was written")
    if _has_packed_variables(path):
        raise run_archive.damaged_file_error(file, "it holds compressed variables, which runs do not")
    from scipy.io import loadmat

    data = loadmat(str(path), appendmat=False)
    header = str(data["header"].item())
    keys = ("t", *run_archive.read_header(header, file).keys)
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
