"""NumPy's .npz: one array per series under a plain name, and the header."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np

from linkwright.results import sheet
from linkwright.results.sheet import Sheet


def write(content: Sheet, path: Path) -> None:
    """Write a sheet."""
    keys = ("t", *sheet.header(content.header, str(path)).keys)
    arrays = {**dict(zip(keys, content.columns, strict=True)), **_texts(header=content.header, digest=content.digest)}
    with path.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def probe(path: Path) -> bool:
    """Return True if an archive has the entries of a run."""
    with ZipFile(path) as archive:
        return {"t.npy", "header.npy", "digest.npy"} <= {*archive.namelist()}


def read(path: Path, file: str) -> tuple[Sheet, str]:
    """The sheet in a file and the digest written beside it."""
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
        if "header" not in data.files:
            raise sheet.foreign(file)
        header, digest = (data[name].tobytes().decode("ascii", "replace") for name in ("header", "digest"))
        keys = ("t", *sheet.header(header, file).keys)
        return Sheet(header, tuple(data[key] for key in keys)), digest


def _texts(**texts: str) -> dict[str, np.ndarray]:
    return {name: np.frombuffer(text.encode("ascii"), dtype=np.uint8) for name, text in texts.items()}
