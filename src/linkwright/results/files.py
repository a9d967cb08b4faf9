"""Runs to files: the format follows the ending of the name, and no file is half written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwright.errors import ArgumentError, ResultError
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


def write_whole(path: Path, write: Callable[[Path], None], durable: bool = True) -> None:
    """Let `write` fill a temporary file and move it to `path` when it is complete.

    Durable: the content is on the disk before it takes the name, and the name before this returns, so that loss of
    power leaves the older file or the new one.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        handle, beside = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        try:
            write(Path(beside))
            os.chmod(beside, 0o666 & ~_umask())
            if durable:
                _sync(beside)
            os.replace(beside, path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None
    if durable:
        sync_folder(path.parent)


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk; systems that cannot do it keep their own order."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def unwritable(path: Path, error: Exception, kept: str | None = None) -> ResultError:
    """The error for a file that could not be written."""
    reason = getattr(error, "strerror", None) or str(error)
    if kept is None:
        kept = "; the older file of that name is unchanged" if _is_file(path) else ""
    return ResultError(
        f"{path}: cannot be written ({reason}){kept}; choose a folder with free space and write access",
        file=str(path),
    )


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
