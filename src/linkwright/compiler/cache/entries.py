"""Compiled code kept on disk, in a folder that only its owner can write.

Running cached object code means trusting whoever can write the folder, so a folder that others own or may enter is not
used. An entry is magic bytes, a checksum of all that follows, the length of a JSON description, the description, the
code. Nothing in it is unpickled. Entries appear under their final name in one step, so readers never see half of one.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import random
import re
import stat
import struct
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.trace.program import Port, Signature, UnitVector

_log = logging.getLogger(__name__)

VARIABLE = "LINKWRIGHT_CACHE"
"""Environment variable: another folder, or `off`."""


def cache_folder() -> Path | None:
    """The user's own folder for compiled code, made on first use; None when switched off or not safe to use."""
    given = os.environ.get(VARIABLE, "")
    if given.lower() == "off":
        return None
    try:
        path = Path(given) if given else _platform_folder() / "linkwright"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        fault = _fault(path)
    except (OSError, RuntimeError) as error:
        path, fault = Path(given or "linkwright"), str(error)
    if fault:
        warn_once(
            f"compiled code is not kept: cache folder {path}: {fault}; set {VARIABLE} to a folder of your own or to off"
        )
        return None
    return path


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _fault(path: Path) -> str:
    """Return the reason not to use the folder; empty when it may be used."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a plain folder"
    if sys.platform == "win32":
        return ""
    if found.st_uid != os.getuid():
        return "it belongs to someone else"
    if found.st_mode & 0o077:
        return f"its mode is {stat.S_IMODE(found.st_mode):o}, expected 700"
    return ""


@lru_cache(maxsize=256)
def warn_once(message: str) -> None:
    """Log a warning the first time it is worth saying."""
    _log.warning(message)


_MAGIC = b"LWKERN02"
_CHECKSUM = 32
_SUFFIX = ".lwk"
_LARGEST_ENTRY = 256 * 2**20
_LARGEST_TEXT = 2**20
SIZE_LIMIT = 512 * 2**20
"""Bytes the folder may hold; beyond it the entries longest unused are removed."""

# Looking at a full folder takes half a second: one write in so many looks, whatever processes they come from.
LOOK_EVERY = 200


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
    path = folder / (key + _SUFFIX)
    try:
        if path.stat().st_size > _LARGEST_ENTRY:
            return None
        entry = _decoded(path.read_bytes(), key)
        with suppress(OSError):
            os.utime(path)  # marks it as recently used
        return entry if not entry.shared else _with_shared_code(entry)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        warn_once(f"cache entry {path.name} is unreadable and will be made again: {error}")
        return None


def _with_shared_code(entry: Entry) -> Entry | None:
    holder = read_entry(entry.shared)
    return None if holder is None else replace(entry, code=holder.code)


def write_entry(key: str, entry: Entry) -> None:
    """Keep an entry; a cache that cannot be written is a warning, never a failure."""
    folder = cache_folder()
    if folder is None:
        return
    try:
        _write_in_one_step(folder / (key + _SUFFIX), _encoded(entry, key))
        if random.random() * LOOK_EVERY < 1.0:
            _evict(folder, SIZE_LIMIT)
    except OSError as error:
        warn_once(f"compiled code could not be kept in {folder}: {error}")


def recall(key: str) -> str | None:
    """The text kept under a key (letters and digits), or None."""
    entry = read_entry(f"note-{key}")
    return None if entry is None else entry.code.decode("utf-8", errors="replace")


def keep(key: str, text: str) -> None:
    """Keep a text under a key; like all of the cache it may be gone tomorrow."""
    write_entry(f"note-{key}", Entry(Signature((), (), "dict"), OpCount(), 0, text.encode()))


def _encoded(entry: Entry, key: str) -> bytes:
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
    return _MAGIC + _checksum(body) + body


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM).digest()


def _decoded(data: bytes, key: str) -> Entry:
    start = len(_MAGIC) + _CHECKSUM
    body = data[start:]
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : start] != _checksum(body) or len(body) < 4:
        raise ValueError("it is truncated, damaged or not ours")
    (size,) = struct.unpack_from("<I", body)
    if size > min(_LARGEST_TEXT, len(body) - 4):
        raise ValueError("its description is too long")
    text = json.loads(body[4 : 4 + size])
    if not isinstance(text, dict) or text["key"] != key:
        raise ValueError("it was written for something else")
    signature = Signature(_ports(text["inputs"]), _ports(text["outputs"]), _form(text["form"]))
    start, middle = 4 + size, 4 + size + int(text["data"])
    count = OpCount(**{name: int(n) for name, n in text["count"].items()})
    shared = str(text["shared"])
    if shared and not re.fullmatch(r"code-[0-9a-f]{40}", shared):
        raise ValueError("it names code under a key that is not valid")
    return Entry(signature, count, int(text["lanes"]), body[middle:], body[start:middle], shared)


def _ports(found: Any) -> tuple[Port, ...]:
    out = []
    for name, shape, units in found:
        unit = tuple(UnitVector(int(at), int(size), str(title), float(within)) for at, size, title, within in units)
        out.append(Port(str(name), tuple(int(n) for n in shape), unit))
    return tuple(out)


def _form(found: Any) -> Any:
    if found not in ("array", "tuple", "dict"):
        raise ValueError(f"unknown form {found!r}")
    return found


def _write_in_one_step(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _evict(folder: Path, limit: int) -> None:
    """Remove the entries longest unused until the folder is a fifth below its limit."""
    found = []
    with os.scandir(folder) as files:
        for file in files:
            with suppress(OSError):
                status = file.stat(follow_symlinks=False)
                found.append((status.st_mtime, status.st_size, file.path))
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return
    for _, size, path in sorted(found):
        with suppress(OSError):
            os.unlink(path)
            total -= size
        if total <= 0.8 * limit:
            return
