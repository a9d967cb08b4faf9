"""Runs to files: the format follows the ending of the name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwright.errors import ArgumentError, ResultError
from linkwright.files import write_whole
from linkwright.results import csv_file, mat_file, nc_file, npz_file
from linkwright.results.sheet import Sheet

WRITERS: dict[str, Callable[[Sheet, Path], None]] = {
    ".npz": npz_file.write,
    ".csv": csv_file.write,
    ".mat": mat_file.write,
    ".nc": nc_file.write,
}


def save(content: Sheet, path: str | os.PathLike[str], durable: bool = True) -> None:
    """Write a run as a sheet; an older file of that name is replaced only when the new one is complete."""
    file = checked(path)
    write_whole(file, lambda beside: WRITERS[file.suffix.lower()](content, beside), durable)


def checked(path: Any) -> Path:
    """The path, if its ending is one that runs are saved under."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"the path is {path!r}, expected the name of a file")
    file = Path(path)
    if file.suffix.lower() not in WRITERS:
        known = ", ".join(WRITERS)
        raise ResultError(f"{file}: a run is saved as {known}; end the name with one of these", file=str(file))
    return file
