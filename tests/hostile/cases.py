"""One hostile case, how it ended, and which endings are allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from linkwright.errors import LinkwrightError

RESULT, REFUSED, ARGUMENT, RAW, HANG, GROWTH = "results", "LinkwrightError", "argument", "raw", "hangs", "growth"
ENDINGS = (RESULT, REFUSED, ARGUMENT, RAW, HANG, GROWTH)
FAULTS = (RAW, HANG, GROWTH)


class Foreign(Exception):
    """An error of the caller's own objects, which the library hands on."""


class Wrong(Exception):
    """A case that ends without an error and should not: a damaged file read as if it were whole."""


@dataclass(frozen=True)
class Case:
    """Something hostile to do.

    Attributes:
        kind: the row of the table that it counts in.
        title: one line that shows what is done.
        run: does it.
        arguments: names of the misused arguments, one of which a TypeError or ValueError has to name.
        seconds: CPU time it may take.
    """

    kind: str
    title: str
    run: Callable[[], object]
    arguments: tuple[str, ...] = ()
    seconds: float = 2.0


@dataclass(frozen=True)
class Ending:
    """How a case ended: one of ENDINGS, with the error's text, CPU time [s] and growth of memory [MB]."""

    index: int
    kind: str
    title: str
    ending: str
    text: str = ""
    seconds: float = 0.0
    growth: float = 0.0

    @property
    def data(self) -> dict[str, Any]:
        return asdict(self)


def judged(error: BaseException, arguments: Sequence[str]) -> str:
    """The ending that an error means."""
    if isinstance(error, Foreign):
        return RESULT
    if isinstance(error, MemoryError):
        return GROWTH
    if isinstance(error, LinkwrightError):
        return REFUSED if str(error) else RAW
    if isinstance(error, TypeError | ValueError) and any(names(str(error), each) for each in arguments):
        return ARGUMENT
    return RAW


def names(message: str, argument: str) -> bool:
    """True if a message names an argument; a name of a letter or two has to stand first or in quotes.

    >>> names("h is -1, expected a number above zero", "h"), names("expected a number", "a")
    (True, False)
    """
    before = r"(^|['\"`(])" if len(argument) < 3 else r"\b"
    return re.search(rf"{before}{re.escape(argument)}\b", message) is not None
