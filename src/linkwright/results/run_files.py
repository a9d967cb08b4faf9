"""Runs to files: the format follows the ending of the name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from linkwright.files import FileKind, write_whole
from linkwright.results import csv_file, mat_file, nc_file, npz_file
from linkwright.results.run_archive import RunArchive

WRITERS: dict[str, Callable[[RunArchive, Path], None]] = {
    ".npz": npz_file.write,
    ".csv": csv_file.write,
    ".mat": mat_file.write,
    ".nc": nc_file.write,
}

_RUN = FileKind("a run", tuple(WRITERS), None)


def save_sheet(content: RunArchive, path: str | os.PathLike[str], durable: bool = True) -> None:
    """Write a run as an archive; an older file of that name is replaced only when the new one is complete."""
    file = _RUN.file(path)
    write_whole(file, lambda beside: WRITERS[file.suffix.lower()](content, beside), durable)
