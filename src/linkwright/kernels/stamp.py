"""A stamp of the library's own source, so that code cached by another version is never run."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path


@lru_cache
def source_stamp(*more: str) -> str:
    """Sizes and times of the files that decide what is traced and how it is compiled, and of `more` rooms, hashed."""
    root = Path(__file__).parent.parent
    rooms = ("algebra", "mechanism", "recursion", "loops", "formulations", "compiler", "kernels", *more)
    files = sorted(path for room in rooms for path in (root / room).rglob("*.py"))
    facts = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()
