"""Names in messages: suggestions for unknown ones, and lists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 80
_COMPARED = 300


def suggest_name(name: object, known: Iterable[str], most: int = 8) -> str:
    """A closing clause for an unknown name: the closest known one, or what there is; in bounded time.

    Names of more than 80 characters are not compared, and no more than the 300 whose lengths are closest. Of the known
    names at most `most` are listed, with 0 none.
    """
    known, wanted = list(dict.fromkeys(known)), str(name)
    near = sorted((k for k in known if len(k) <= _LONGEST), key=lambda k: abs(len(k) - len(wanted)))[:_COMPARED]
    close = difflib.get_close_matches(wanted, near, n=2) if len(wanted) <= _LONGEST else []
    if close:
        equal = [k for k in close if _likeness(wanted, k) == _likeness(wanted, close[0])]
        names = " or ".join(f"'{k}'" for k in sorted(equal))
        return f" (did you mean {names}?)"
    if not most:
        return ""
    listed = ", ".join(f"'{k}'" for k in known[:most]) + (", ..." if len(known) > most else "")
    return f" (known: {listed})" if known else " (there are none)"


def _likeness(wanted: str, known: str) -> float:
    return difflib.SequenceMatcher(None, known, wanted).ratio()


def counted_noun(n: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> counted_noun(1, "freedom"), counted_noun(2, "freedom"), counted_noun(0, "body", "bodies")
    ('1 freedom', '2 freedoms', '0 bodies')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"


def list_of_names(one: str, many: str, names: tuple[str, ...] | list[str], most: int = 6) -> str:
    """Names in quotes after the noun, the rest counted.

    >>> list_of_names("joint", "joints", ["a"]), list_of_names("joint", "joints", list("abc"), most=2)
    ("joint 'a'", "joints 'a', 'b' and 1 more")
    """
    shown = ", ".join(f"'{name}'" for name in names[:most])
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{one if len(names) == 1 else many} {shown}{more}"
