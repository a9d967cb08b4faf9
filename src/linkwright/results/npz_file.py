"""NumPy's .npz: one array per series under a plain name, and the header."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np

from linkwright.results import run_archive
from linkwright.results.archives import open_archive, read_array
from linkwright.results.run_archive import RunArchive


def write(content: RunArchive, path: Path) -> None:
    """Write an archive."""
    keys = ("t", *run_archive.read_header(content.header, str(path)).keys)
    arrays = {
        **dict(zip(keys, content.columns, strict=True)),
        **_text_arrays(header=content.header, digest=content.digest),
    }
    with path.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def probe(path: Path) -> bool:
    """Return True if an archive has the entries of a run."""
    with ZipFile(path) as archive:
        return {"t.npy", "header.npy", "digest.npy"} <= {*archive.namelist()}


def read(path: Path, file: str) -> tuple[RunArchive, str]:
    """The archive in a file and the digest written beside it."""
    with open_archive(path) as archive:
        if "header.npy" not in archive.namelist():
            raise run_archive.foreign_file_error(file)
        texts = (read_array(archive, name).tobytes() for name in ("header", "digest"))
        header, digest = (text.decode("ascii", "replace") for text in texts)
        keys = ("t", *run_archive.read_header(header, file).keys)
        return RunArchive(header, tuple(read_array(archive, key) for key in keys)), digest


def _text_arrays(**texts: str) -> dict[str, np.ndarray]:
    return {name: np.frombuffer(text.encode("ascii"), dtype=np.uint8) for name, text in texts.items()}
