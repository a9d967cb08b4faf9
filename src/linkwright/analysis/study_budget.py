"""The time of a long study: it says how far it is, and ends early with what it has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from linkwright.checks import require_positive
from linkwright.compiler.runtime.progress import announce_work

T = TypeVar("T")


class _TimeIsUp(Exception):
    """Leaves the inner loops of others."""


class StudyBudget:
    """How long a study may take.

    Attributes:
        title: what is done, for people. reason: why the study ended early, "" while it goes on.
        interrupted: True after Ctrl-C.
    """

    def __init__(self, title: str, max_seconds: float | None) -> None:
        self.title, self.reason, self.interrupted = title, "", False
        self._seconds = None if max_seconds is None else require_positive("max_seconds", max_seconds)
        self._start = time.monotonic()

    def is_over(self) -> bool:
        """Return True if the study has to end."""
        if not self.reason and self._seconds is not None and time.monotonic() - self._start > self._seconds:
            self.reason = f"max_seconds = {self._seconds:g} was reached"
        return bool(self.reason)

    def steps(self, items: Sequence[T]) -> Iterator[T]:
        """The items while there is time, at least the first; each one is announced."""
        for i, item in enumerate(items):
            if i and self.is_over():
                return
            with self.announce_part(f"{i + 1} of {len(items)}"):
                yield item

    def announce_part(self, part: str) -> AbstractContextManager[None]:
        """Say what is done in the body."""
        return announce_work(f"{self.title}: {part}")

    def require_time(self) -> None:
        """Leave the body of `ending_early` when the time is over."""
        if self.is_over():
            raise _TimeIsUp

    @contextmanager
    def ending_early(self) -> Iterator[None]:
        """Go on behind the body when the time is over, or after Ctrl-C; `reason` says so."""
        try:
            yield
        except _TimeIsUp:
            pass
        except KeyboardInterrupt:
            self.reason, self.interrupted = "it was interrupted", True

    def complete(self, work: Callable[[], T]) -> T:
        """Do the short rest of a study; after Ctrl-C once more, so that what was found before is not lost."""
        with self.ending_early():
            return work()
        return work()

    def notes(self, done: str) -> tuple[str, ...]:
        """What to tell of a study that ended early: why, and what is done."""
        return (f"the study ended early, because {self.reason}: {done}",) if self.reason else ()
