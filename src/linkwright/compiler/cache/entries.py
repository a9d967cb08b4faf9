"""Compiled code kept on disk, in a folder that only its owner can write, signed with a key of the user.

Running cached object code means trusting whoever wrote it. So a folder that others own or may enter is not used, an
entry must be a regular file of the user's alone, and it must carry the signature of the user's key (`key`): one that
was forged, damaged or brought from elsewhere is made again, and never parsed. An entry is magic bytes, the signature of
all that follows, the length of a JSON description, the description, the code. Nothing in it is unpickled. Entries
appear under their final name in one step, so readers never see half of one.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import re
import struct
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, astuple, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkwright.compiler.cache.eviction import SUFFIX, WRITING, count_new_entry
from linkwright.compiler.cache.key import SIGNATURE, folder_fault, read_own_file, sign_bytes, user_key
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.trace.program import Port, Signature, UnitVector
from linkwright.dataclass import dataclass

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
