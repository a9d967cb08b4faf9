"""Short texts kept beside compiled code: decisions that took time to make."""

from __future__ import annotations

from linkwright.compiler.cache.entries import Entry, read_entry, write_entry
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.trace.program import Signature


def recall(key: str) -> str | None:
    """The text kept under a key (letters and digits), or None."""
    entry = read_entry(f"note-{key}")
    return None if entry is None else entry.code.decode("utf-8", errors="replace")


def keep(key: str, text: str) -> None:
    """Keep a text under a key; like all of the cache it may be gone tomorrow."""
    write_entry(f"note-{key}", Entry(Signature((), (), "dict"), OpCount(), 0, text.encode()))
