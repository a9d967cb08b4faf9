"""Names people meant to write."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(name: object, known: Iterable[str]) -> str:
    """A closing clause for an unknown name: the closest known one, or what there is."""
    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=1)
    if close:
        return f" (did you mean '{close[0]}'?)"
    listed = ", ".join(f"'{k}'" for k in known[:8]) + (", ..." if len(known) > 8 else "")
    return f" (known: {listed})" if known else " (there are none)"
