"""Compiled code and decisions kept on disk, signed with the user's key, in a folder of the user's own.

The key lies outside the cache, in the folder for data of the user, so that a cache that somebody else has prepared or
copied is not believed; where there is no such folder, in the cache. It is made at random once, readable for its owner
alone.

Looking at every file of a full folder takes half a second, so it is done only when the count says that the folder is
full. The count is a small file that writers add to; it may be lost or wrong after a kill, and is right again after the
next look.

Running cached object code means trusting whoever wrote it. So a folder that others own or may enter is not used, an
entry must be a regular file of the user's alone, and it must carry the signature of the user's key (`key`): one that
was forged, damaged or brought from elsewhere is made again, and never parsed. An entry is magic bytes, the signature of
all that follows, the length of a JSON description, the description, the code. Nothing in it is unpickled. Entries
appear under their final name in one step, so readers never see half of one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import random
import re
import secrets
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.trace.program import Port, Signature, UnitVector
from linkwright.dataclass import dataclass

# --- the user's key, which signs compiled code, and files and folders that are the user's alone -----------------------

SIGNATURE = 32
_SIZE = 32
_KEY_NAME = "cache.key"
_known: dict[tuple[str | int | None, ...], bytes] = {}


def user_key(folder: Path) -> bytes:
    """The key that signs entries of a cache folder; made when there is none yet."""
    known = _known.get(about := (str(folder), *_key_owner()))
    if known is None:
        known = _known[about] = _found_key(folder)
    return known


def _key_owner() -> tuple[str | int | None, ...]:
    """Everything that decides where the key of a user lies."""
    named = (os.environ.get(name) for name in ("HOME", "USERPROFILE", "APPDATA", "XDG_DATA_HOME"))
    return (os.getuid() if hasattr(os, "getuid") else 0, *named)


def _found_key(folder: Path) -> bytes:
    folders = [where for where in (_data_folder(), folder) if where is not None]
    for where in folders:
        try:
            where.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _read_or_made(where / _KEY_NAME)
        except (OSError, ValueError):
            if where == folders[-1]:
                raise
    raise OSError("a folder for the key was not found")


def sign_bytes(body: bytes, key: bytes) -> bytes:
    """Signature of some bytes: keyed BLAKE2b, which only who has the key can make."""
    return hashlib.blake2b(body, digest_size=SIGNATURE, key=key).digest()


def read_own_file(path: Path, largest: int) -> bytes:
    """Read a regular file that belongs to the user alone; pipes and devices are not waited for.

    Raises: ValueError when it is anything else, or larger than so many bytes.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is not a regular file")
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077):
            raise ValueError("it is not this user's alone")
        if found.st_size > largest:
            raise ValueError(f"it has {found.st_size} bytes")
        return file.read(largest + 1)


def folder_fault(path: Path) -> str:
    """Return the reason not to use a folder; empty when it may be used."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a plain folder"
    if sys.platform == "win32":
        return ""
    if found.st_uid != os.getuid():
        return "it belongs to someone else"
    if found.st_mode & 0o077:
        return f"its mode is {stat.S_IMODE(found.st_mode):o}, expected 700 (chmod 700 {path})"
    return ""


def _data_folder() -> Path | None:
    """The user's own folder for data of programs; None for a user without a home."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "linkwright"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "linkwright"
        return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "linkwright"
    except RuntimeError:
        return None


def _read_or_made(path: Path) -> bytes:
    """The key in a file; one that others may have read, or that is not a key, is replaced."""
    for _ in range(3):
        try:
            key = read_own_file(path, _SIZE)
            if len(key) == _SIZE:
                return key
        except FileNotFoundError:
            pass
        except (OSError, ValueError):
            if path.is_dir() and not path.is_symlink():
                raise
        _make_key(path)
    raise ValueError(f"{path} is not a key")


def _make_key(path: Path) -> None:
    """Put a new key there; of several processes that do it at once one wins, and all read the same afterwards."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".key-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_SIZE))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)  # fails when there is one already
        except FileExistsError:
            if not _is_key(path):
                os.replace(temporary, path)
        except OSError:  # a file system without links
            os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _is_key(path: Path) -> bool:
    try:
        return len(read_own_file(path, _SIZE)) == _SIZE
    except (OSError, ValueError):
        return False


# --- bound on the cache -----------------------------------------------------------------------------------------------

SUFFIX = ".lwk"
WRITING = ".writing-"
SIZE_LIMIT = 512 * 2**20
"""Bytes that the folder may hold."""
MOST_ENTRIES = 50_000

# One write in so many looks whatever the count says.
LOOK_EVERY = 5000

_COUNT = struct.Struct("<qq")  # bytes, entries
_COUNT_NAME = ".count"
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
        with _lock_count_file(folder / _COUNT_NAME) as handle:
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


# --- compiled code kept on disk, in a folder that only its owner can write, signed with a key of the user -------------

_log = logging.getLogger(__name__)

VARIABLE = "LINKWRIGHT_CACHE"
"""Environment variable: another folder, or `off`."""


def cache_folder() -> Path | None:
    """The user's own folder for compiled code, made on first use; None when switched off or not safe to use."""
    given = os.environ.get(VARIABLE, "")
    if given.lower() == "off":
        return None
    try:
        path = _given_folder(given) if given else _platform_folder() / "linkwright"
        if not os.path.lexists(path):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        fault = folder_fault(path)
    except (OSError, RuntimeError) as error:
        path, fault = Path(given or "linkwright"), str(error)
    if fault:
        warn_once(
            f"compiled code is not kept: cache folder {path}: {fault}; set {VARIABLE} to a folder of your own or to off"
        )
        return None
    return path


_given_folder = lru_cache(maxsize=4)(Path)


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@lru_cache(maxsize=256)
def warn_once(message: str) -> None:
    """Log a warning the first time it is worth saying."""
    _log.warning(message)


_MAGIC = b"LWKERN03"
_LARGEST_ENTRY = 256 * 2**20
_LARGEST_TEXT = 2**20


@dataclass(frozen=True)
class Entry:
    """Compiled code of a key, with the interface of its program."""

    signature: Signature
    count: OpCount
    lanes: int
    code: bytes
    data: bytes = b""
    """Tables of a rolled program; empty for straight ones."""
    shared: str = ""
    """Key of the entry that holds the code, when keys share it; `code` is then filled in by `read_entry`."""


def read_entry(key: str) -> Entry | None:
    """The entry of a key; None when there is none or it cannot be believed."""
    folder = cache_folder()
    if folder is None:
        return None
    path = folder / (key + SUFFIX)
    try:
        entry = _decode_entry(read_own_file(path, _LARGEST_ENTRY), key, user_key(folder))
        with suppress(OSError):
            os.utime(path)  # marks it as recently used
        return entry if not entry.shared else _with_shared_code(entry)
    except (FileNotFoundError, _OtherVersion):
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        warn_once(f"cache entry {path.name} is unreadable and will be made again: {error}")
        return None


class _OtherVersion(ValueError):
    """An entry that another version of linkwright wrote: no fault, and made again without a message."""


def _with_shared_code(entry: Entry) -> Entry | None:
    holder = read_entry(entry.shared)
    return None if holder is None else replace(entry, code=holder.code)


def write_entry(key: str, entry: Entry) -> None:
    """Keep an entry; a cache that cannot be written is a warning, never a failure."""
    folder = cache_folder()
    if folder is None:
        return
    try:
        data = _encode_entry(entry, key, user_key(folder))
        if len(data) <= _LARGEST_ENTRY:
            _write_in_one_step(folder / (key + SUFFIX), data)
            count_new_entry(folder, len(data))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error  # without the name of a temporary file, which differs
        warn_once(f"compiled code could not be kept in {folder}: {reason}")


def recall_text(key: str) -> str | None:
    """The text kept under a key (letters and digits), or None."""
    entry = read_entry(f"note-{key}")
    return None if entry is None else entry.code.decode("utf-8", errors="replace")


def keep_text(key: str, text: str) -> None:
    """Keep a text under a key; like all of the cache it may be gone tomorrow."""
    write_entry(f"note-{key}", Entry(Signature((), (), "dict"), OpCount(), 0, text.encode()))


def _encode_entry(entry: Entry, key: str, secret: bytes) -> bytes:
    text = {
        "key": key,
        "inputs": [[port.name, port.shape, [astuple(u) for u in port.units]] for port in entry.signature.inputs],
        "outputs": [[port.name, port.shape, []] for port in entry.signature.outputs],
        "form": entry.signature.form,
        "count": asdict(entry.count),
        "lanes": entry.lanes,
        "data": len(entry.data),
        "shared": entry.shared,
    }
    description = json.dumps(text).encode()
    code = b"" if entry.shared else entry.code
    body = struct.pack("<I", len(description)) + description + entry.data + code
    return _MAGIC + sign_bytes(body, secret) + body


def _decode_entry(data: bytes, key: str, secret: bytes) -> Entry:
    if data[:6] == _MAGIC[:6] and data[: len(_MAGIC)] != _MAGIC:
        raise _OtherVersion
    start = len(_MAGIC) + SIGNATURE
    if data[:6] == _MAGIC[:6] and data[: len(_MAGIC)] != _MAGIC:
        raise FileNotFoundError("it is of another version, which is nothing to report")
    body = data[start:]
    signed = hmac.compare_digest(data[len(_MAGIC) : start], sign_bytes(body, secret))
    if data[: len(_MAGIC)] != _MAGIC or not signed or len(body) < 4:
        raise ValueError("it is truncated, damaged or not signed by this user")
    (size,) = struct.unpack_from("<I", body)
    if size > min(_LARGEST_TEXT, len(body) - 4):
        raise ValueError("its description is too long")
    text = json.loads(body[4 : 4 + size])
    if not isinstance(text, dict) or text["key"] != key:
        raise ValueError("it was written for something else")
    interface = Signature(_parse_ports(text["inputs"]), _parse_ports(text["outputs"]), _parse_form(text["form"]))
    start, middle = 4 + size, 4 + size + int(text["data"])
    count = OpCount(**{name: int(n) for name, n in text["count"].items()})
    shared = str(text["shared"])
    if shared and not re.fullmatch(r"code-[0-9a-f]{40}", shared):
        raise ValueError("it names code under a key that is not valid")
    return Entry(interface, count, int(text["lanes"]), body[middle:], body[start:middle], shared)


def _parse_ports(found: Any) -> tuple[Port, ...]:
    out = []
    for name, shape, units in found:
        unit = tuple(UnitVector(int(at), int(size), str(title), float(within)) for at, size, title, within in units)
        out.append(Port(str(name), tuple(int(n) for n in shape), unit))
    return tuple(out)


def _parse_form(found: Any) -> Any:
    if found not in ("array", "tuple", "dict"):
        raise ValueError(f"unknown form {found!r}")
    return found


def _write_in_one_step(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=WRITING)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise
