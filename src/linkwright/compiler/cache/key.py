"""The user's key, which signs compiled code, and files and folders that are the user's alone.

The key lies outside the cache, in the folder for data of the user, so that a cache that somebody else has prepared or
copied is not believed; where there is no such folder, in the cache. It is made at random once, readable for its owner
alone.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

SIGNATURE = 32
_SIZE = 32
_NAME = "cache.key"
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
            return _read_or_made(where / _NAME)
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
