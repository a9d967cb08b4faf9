"""A stamp of the library's own source, so that code cached by another version is never run."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path


@lru_cache
def source_stamp(*more: str) -> str:
    """Hash of the sizes and times of the files that decide what is traced and how, and of `more` packages."""
    root = Path(__file__).parent.parent
    packages = ("algebra", "mechanism", "recursion", "loops", "formulations", "compiler", "kernels", *more)
    files = sorted(path for package in packages for path in (root / package).rglob("*.py"))
    facts = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()
