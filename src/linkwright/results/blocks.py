"""Files of checked blocks, which only grow: whatever ends the writer, all blocks written before can be read.

A block is a head (JSON in ASCII) and a body (bytes) between its lengths and a digest. The digest is over the block and
the digest of the block before it, so that a block that was changed, moved, left out or added is noticed, and a reader
ends at the last sound one. The writer holds a lock on its file, and looks before it writes whether somebody else has
changed it. Rows go through the operating system's write, not through mapped memory: a file cut short by somebody else
is then an error with a message, and not the end of the process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from linkwright.dataclass import dataclass
from linkwright.errors import ResultError
from linkwright.files import (
    is_taken,
    lock_file,
    open_temporary_file,
    remove_abandoned_files,
    sync_folder,
    unwritable_file_error,
)
from linkwright.results.archives import ascii_json

_MAGIC = b"lwblock\x02"
_LENGTHS = struct.Struct("<8sQQ")  # magic, bytes of the head, bytes of the body
_DIGEST = 16
_LONGEST_HEAD = 64 * 2**20
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class CheckedBlock(NamedTuple):
    """Head and body of a block."""

    head: dict[str, Any]
    body: bytes


@dataclass(frozen=True, eq=False)
class SoundBlocks:
    """The sound blocks of a file.

    Attributes:
        blocks: one after the other; the first says what the file is.
        size: bytes they take; the file may hold more that is not sound.
        digest: of the last block.
        lost: bytes behind them: a block that was being written when the writer was ended, or damage.
    """

    blocks: tuple[CheckedBlock, ...]
    size: int
    digest: bytes
    lost: int


def read_blocks(path: Path) -> SoundBlocks:
    """Read the sound blocks of a regular file; there may be none."""
    handle = os.open(path, os.O_RDONLY | _BINARY | getattr(os, "O_NONBLOCK", 0))  # a pipe must not be waited for
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ResultError(f"{path}: this is not a regular file; name a file that a run has written", file=str(path))
        content = stream.read()
    blocks, size, digest = [], 0, b""
    for block, end, chained in _find_sound_blocks(content):
        blocks.append(block)
        size, digest = end, chained
    return SoundBlocks(tuple(blocks), size, digest, len(content) - size)


def _find_sound_blocks(content: bytes) -> Iterator[tuple[CheckedBlock, int, bytes]]:
    """Sound blocks with the byte at which each ends and its digest."""
    at, digest = 0, b""
    while at + _LENGTHS.size + _DIGEST <= len(content):
        magic, head, body = _LENGTHS.unpack_from(content, at)
        start = at + _LENGTHS.size
        end = start + head + body
        if magic != _MAGIC or head > _LONGEST_HEAD or end + _DIGEST > len(content):
            return
        found = _chained_digest(digest, memoryview(content)[at:end])
        if found != content[end : end + _DIGEST]:
            return
        try:
            about = json.loads(content[start : start + head])
        except (ValueError, RecursionError):
            return
        if not isinstance(about, dict):
            return
        at, digest = end + _DIGEST, found
        yield CheckedBlock(about, content[start + head : end]), at, digest


def _chained_digest(before: bytes, *parts: Any) -> bytes:
    h = hashlib.blake2b(before, digest_size=_DIGEST)
    for each in parts:
        h.update(each)
    return h.digest()


class BlockWriter:
    """Appends blocks to a file that belongs to this writer alone.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = BlockWriter(Path(folder) / "x.unfinished")
    ...     writer.append({"a": 1}, b"numbers")
    ...     writer.close()
    ...     read_blocks(writer.path).blocks
    (CheckedBlock(head={'a': 1}, body=b'numbers'),)
    """

    def __init__(self, path: Path, after: SoundBlocks | None = None) -> None:
        """Make a new file, or go on behind the sound blocks of one that is there.

        A new file gets its name with its first block, so that nobody ever sees one without.

        Raises: ResultError when another writer holds the file, or when it cannot be written.
        """
        self.path = path
        self._size, self._digest = (0, b"") if after is None else (after.size, after.digest)
        self._unnamed: Path | None = None
        flags = os.O_RDWR | _BINARY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            if after is not None:
                self._handle = os.open(path, flags)
            else:
                remove_abandoned_files(path.parent)
                self._handle, self._unnamed = open_temporary_file(path)
        except (OSError, ValueError) as error:
            raise unwritable_file_error(path, error) from None
        try:
            _lock_file(self._handle, path)
            os.ftruncate(self._handle, self._size)
            os.lseek(self._handle, self._size, os.SEEK_SET)
        except OSError as error:
            os.close(self._handle)
            raise unwritable_file_error(path, error) from None
        except ResultError:
            os.close(self._handle)
            raise

    def append(self, head: dict[str, Any], *body: Any) -> None:
        """Write a block whose body is made of some parts (bytes or contiguous arrays).

        Raises: FileExistsError when it is the first and something else has the name; ResultError when it cannot be
            written.
        """
        written = ascii_json(head).encode("ascii")
        parts = [memoryview(each).cast("B") for each in body if len(each)]
        lengths = _LENGTHS.pack(_MAGIC, len(written), sum(each.nbytes for each in parts))
        digest = _chained_digest(self._digest, lengths, written, *parts)
        self._require_own()
        try:
            _write_all(self._handle, b"".join((lengths, written, *parts, digest)))
        except OSError as error:
            with contextlib.suppress(OSError):  # a part of a block is of no use
                os.ftruncate(self._handle, self._size)
                os.lseek(self._handle, self._size, os.SEEK_SET)
            raise unwritable_file_error(self.path, error, f"; what was written before is in {self.path}") from None
        self._size += len(lengths) + len(written) + sum(each.nbytes for each in parts) + _DIGEST
        self._digest = digest
        if self._unnamed is not None:
            self._name(self._unnamed)

    def _name(self, unnamed: Path) -> None:
        """Give the file its name, unless something else has it."""
        self._unnamed = None
        try:
            if os.name == "posix":
                os.link(unnamed, self.path)
                os.unlink(unnamed)
            else:  # a file that is open cannot be renamed there
                os.close(self._handle)
                os.rename(unnamed, self.path)
                self._handle = os.open(self.path, os.O_RDWR | _BINARY)
                os.lseek(self._handle, self._size, os.SEEK_SET)
        except FileExistsError:
            self._unnamed = unnamed
            self.close()
            raise
        except OSError as error:
            if os.name != "posix" or not _name_without_links(unnamed, self.path):
                raise unwritable_file_error(self.path, error) from None

    def sync(self) -> None:
        """Send everything to the disk now, against loss of power; a killed process loses nothing without it."""
        os.fsync(self._handle)

    def close(self) -> None:
        """Let go of the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        if self._unnamed is not None:
            self._unnamed.unlink(missing_ok=True)
            self._unnamed = None

    def remove(self) -> None:
        """Remove the file, unless somebody else has put another one there."""
        own = self._handle >= 0 and _file_identity(os.fstat(self._handle)) == _identity_of(self.path)
        self.close()
        if own:
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)

    def _require_own(self) -> None:
        """Refuse to go on in a file that somebody else has cut, written to, removed or replaced."""
        status = os.fstat(self._handle)
        if status.st_size != self._size or (os.name == "posix" and status.st_nlink == 0):
            raise ResultError(
                f"{self.path}: somebody else has changed or removed the file while the run was writing it; nothing is "
                "written over it; run again under another name",
                file=str(self.path),
            )


def open_unfinished(
    path: Path,
    first: tuple[dict[str, Any], bytes],
    resume: bool,
    overwrite: bool,
    check: Callable[[SoundBlocks], None],
    in_the_way: Callable[[Path], ResultError],
) -> tuple[BlockWriter, SoundBlocks | None]:
    """Begin a file with its first block, or go on with the one that is there, whose blocks are returned too.

    Args:
        path: the file.
        first: head and body of the first block of a new file.
        resume: go on with the file that is there.
        overwrite: replace it.
        check: refuses the blocks of a file that is not gone on with.
        in_the_way: the error where a file is there and is neither.
    """
    if resume and is_taken(path) and path.exists():  # not a link to nothing
        content = read_blocks(path)
        check(content)
        return BlockWriter(path, content), content
    if overwrite:
        make_way(path)
    if is_taken(path):
        raise in_the_way(path)
    writer = BlockWriter(path)
    try:
        writer.append(*first)
    except FileExistsError:
        writer.close()
        raise in_the_way(path) from None
    except BaseException:
        writer.close()
        raise
    return writer, None


def _name_without_links(unnamed: Path, path: Path) -> bool:
    """Name a file on a file system without links; return True if that could be done."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        os.replace(unnamed, path)
    except FileExistsError:
        raise
    except OSError:
        return False
    return True


def _write_all(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _lock_file(handle: int, path: Path) -> None:
    """Hold the file until it is closed; file systems without locks go without."""
    try:
        lock_file(handle)
    except BlockingIOError:
        raise ResultError(
            f"{path}: another process is writing this run; wait until it ends, or choose another name", file=str(path)
        ) from None


def make_way(path: Path) -> None:
    """Remove a file that nobody writes, to begin another of that name."""
    if is_taken(path) and not path.is_symlink() and path.is_file():
        BlockWriter(path, SoundBlocks((), path.stat().st_size, b"", 0)).remove()


def _file_identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _identity_of(path: Path) -> tuple[int, int] | None:
    try:
        return _file_identity(os.stat(path, follow_symlinks=False))
    except OSError:
        return None
