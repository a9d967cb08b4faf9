"""A stamp of the library's own source, so that code cached by another version is never run."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_TRACED = (
    "numerics",
    "algebra",
    "joints",
    "mechanism",
    "recursion",
    "loops",
    "formulations",
    "compiler",
    "functions",
    "papers",
)


@lru_cache
def source_stamp(*more: str) -> str:
    """Hash of the sizes and times of the files that decide what is traced and how, and of `more` packages."""
    packages = (*_TRACED, *more)
    facts = [_facts(os.path.join(_ROOT, package)) for package in packages]
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


@lru_cache
def _facts(folder: str) -> list[tuple[str, int, int]]:
    """Name, size and time of every source file below a folder, by name."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                found.append((entry.name, status.st_size, status.st_mtime_ns))
            elif entry.is_dir() and entry.name != "__pycache__":
                found += _facts(entry.path)
    return sorted(found)
