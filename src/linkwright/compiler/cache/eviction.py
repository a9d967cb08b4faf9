"""Bound on the cache: entries are counted as they are written, and the longest unused go when there are too many.

Looking at every file of a full folder takes half a second, so it is done only when the count says that the folder is
full. The count is a small file that writers add to; it may be lost or wrong after a kill, and is right again after the
next look.
"""

from __future__ import annotations

import os
import random
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SUFFIX = ".lwk"
WRITING = ".writing-"
SIZE_LIMIT = 512 * 2**20
"""Bytes that the folder may hold."""
MOST_ENTRIES = 50_000

# One write in so many looks whatever the count says.
LOOK_EVERY = 5000

_COUNT = struct.Struct("<qq")  # bytes, entries
_NAME = ".count"
_KEPT = 0.8
_STALE = 3600.0
_TRIES = 20


def count_new_entry(folder: Path, size: int) -> None:
    """Count an entry of so many bytes, and remove the longest unused ones when there are too many."""
    total = _add_to_count(folder, size, 1)
    if total is None or total[0] > SIZE_LIMIT or total[1] > MOST_ENTRIES or random.random() * LOOK_EVERY < 1.0:
        _add_to_count(folder, None, 0)  # others write on meanwhile, and do not look too
        _add_to_count(folder, *evict_entries(folder))


def evict_entries(folder: Path) -> tuple[int, int]:
    """Remove entries longest unused, if there are too many, until a fifth is free; bytes and entries that stay."""
    found, size = _list_cache_entries(folder), 0
    total, entries = sum(size for _, size, _ in found), len(found)
    if total <= SIZE_LIMIT and entries <= MOST_ENTRIES:
        return total, entries
    for _, size, path in sorted(found):
        if total <= _KEPT * SIZE_LIMIT and entries <= _KEPT * MOST_ENTRIES:
            break
        with suppress(OSError):
            os.unlink(path)
        total, entries = total - size, entries - 1
    return total, entries


def _list_cache_entries(folder: Path) -> list[tuple[float, int, str]]:
    """Time, size and path of every entry; what a killed writer left is removed."""
    found = []
    with os.scandir(folder) as files:
        for file in files:
            with suppress(OSError):
                status = file.stat(follow_symlinks=False)
                if file.name.endswith(SUFFIX):
                    found.append((status.st_mtime, status.st_size, file.path))
                elif file.name.startswith(WRITING) and time.time() - status.st_mtime > _STALE:
                    os.unlink(file.path)
    return found


def _add_to_count(folder: Path, size: int | None, entries: int) -> tuple[int, int] | None:
    """Add to the count, or begin it anew (None); what it is then, or None where it is not known."""
    try:
        with _lock_count_file(folder / _NAME) as handle:
            data = os.read(handle, _COUNT.size)
            known = len(data) == _COUNT.size and size is not None
            total = _COUNT.unpack(data) if known else (0, 0)
            total = (total[0] + (size or 0), total[1] + entries)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, _COUNT.pack(*total))
            return total if known else None
    except (OSError, struct.error):
        return (0, 0)  # nobody counts: one write in so many looks


@contextmanager
def _lock_count_file(path: Path) -> Iterator[int]:
    """The open count, held for a moment; an error where somebody holds it for longer, or it is not a plain file."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
    try:
        try:
            import fcntl
        except ImportError:  # Windows: a count that two add to at once is a little wrong
            yield handle
            return
        for left in reversed(range(_TRIES)):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if not left:
                    raise
                time.sleep(0.001)
        yield handle
    finally:
        os.close(handle)
