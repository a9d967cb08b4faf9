"""One line on the terminal that says why a first call takes long; nothing where the error stream is not a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_AFTER = 1.0  # [s]
_EVERY = 0.2  # [s]


@contextmanager
def compilation_shown(stream: TextIO | None = None, after: float = _AFTER) -> Iterator[None]:
    """Show what the library plans or compiles once the command has run for a second; the line is gone at the end."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield
        return
    from linkwright.compiler.runtime.progress import listening

    line = _Line(stream, after)
    _lines.append(line)
    try:
        with listening(line.begins):
            yield
    finally:
        _lines.remove(line)
        line.end()


def other_progress() -> None:
    """Keep the line away for the rest of the command, which shows its own bar."""
    for line in _lines:
        line.end()


_lines: list[_Line] = []


class _Line:
    """Draws the latest announcement and the time since the command began, while that work lasts."""

    def __init__(self, stream: TextIO, after: float) -> None:
        self._stream = stream
        self._start = time.monotonic()
        self._after = after
        self._work = ""
        self._shown = False
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begins(self, work: str) -> None:
        """Note what is done now; with an empty text the line goes, before the command writes its own."""
        self._work = work
        if not work:
            with self._lock:
                self._clear()
        elif self._thread is None and not self._over.is_set():
            self._thread = threading.Thread(target=self._draw, daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Take the line away."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self._clear()

    def _draw(self) -> None:
        while not self._over.wait(_EVERY):
            passed = time.monotonic() - self._start
            if passed < self._after:
                continue
            with self._lock:
                self._clear()
                if self._work and not self._over.is_set():
                    self._stream.write(f"{self._work} (first use, kept for the next; {passed:.0f} s)")
                    self._stream.flush()
                    self._shown = True

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._shown = False
