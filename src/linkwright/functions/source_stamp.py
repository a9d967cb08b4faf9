"""A stamp of the library's own source, so that code cached by another version is never run."""

from __future__ import annotations

import hashlib
import inspect
import os
from functools import lru_cache

from linkwright.joints.joint_registry import foreign_sources

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_TRACED = (
    "numerics",
    "algebra",
    "joints",
    "forces",
    "mechanism",
    "recursion",
    "loops",
    "formulations",
    "compiler",
    "functions",
    "papers",
)


def source_stamp(*more: str) -> str:
    """Hash of the files that decide what is traced and how, of `more` packages, and of users' kinds of joint."""
    return _source_digest((*_TRACED, *more), foreign_sources())


@lru_cache
def _source_digest(packages: tuple[str, ...], foreign: str) -> str:
    facts = [
        *(_source_file_facts(os.path.join(_ROOT, package)) for package in packages),
        *([foreign] if foreign else []),
    ]
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


@lru_cache
def _source_file_facts(folder: str) -> list[tuple[str, int, int]]:
    """Name, size and time of every source file below a folder, by name."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                found.append((entry.name, status.st_size, status.st_mtime_ns))
            elif entry.is_dir() and entry.name != "__pycache__":
                found += _source_file_facts(entry.path)
    return sorted(found)


@lru_cache
def class_source(kind: type) -> str:
    """Source of a class that users may have written, and "" of our own, which the stamp covers."""
    if kind.__module__.startswith("linkwright."):
        return ""
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):  # typed at a prompt: a class of its own in every process
        return f"{kind.__qualname__} {os.getpid()} {id(kind)}"
