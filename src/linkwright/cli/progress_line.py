"""One line on the terminal that says what a command is doing; nothing where the error stream is not a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

import click

QUIET = "linkwright.quiet"
"""Entry of the command's context that keeps tables, paragraphs and this line from being printed."""

_AFTER = 0.8  # [s]
_EVERY = 0.2  # [s]
_WIDTH = 79  # a longer line would wrap, and could not be taken away


def is_quiet() -> bool:
    """True if the command was given --quiet."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(QUIET))


@contextmanager
def compilation_shown(stream: TextIO | None = None, after: float = _AFTER, idle: str = "working") -> Iterator[None]:
    """Show what the library plans or compiles, or else that the command works, until it ends.

    `idle` is shown while nothing is announced; empty, the line is gone then.
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield
        return
    from linkwright.compiler.runtime.progress import listen_to_progress

    line = _Line(stream, after, idle)
    _lines.append(line)
    try:
        with listen_to_progress(line.begins):
            yield
    finally:
        _lines.remove(line)
        line.end()


def other_progress() -> None:
    """Keep the line away for the rest of the command, which shows its own bar or prints data for programs."""
    for line in _lines:
        line.end()


@contextmanager
def pause_progress_line() -> Iterator[None]:
    """Keep the line away while the command prints something."""
    with ExitStack() as stack:
        for line in _lines:
            stack.enter_context(line.aside())
        yield


_lines: list[_Line] = []


class _Line:
    """Draws the latest announcement and the time since the command began."""

    def __init__(self, stream: TextIO, after: float, idle: str) -> None:
        self._stream = stream
        self._start = time.monotonic()
        self._after = after
        self._idle = idle
        self._work = ""
        self._shown = False
        self._over = threading.Event()
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def begins(self, work: str) -> None:
        """Note what is done now; with an empty text the line goes, before the command writes its own."""
        self._work = work
        if not work:
            with self._lock:
                self._clear()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hold the line back."""
        with self._lock:
            self._clear()
            yield

    def end(self) -> None:
        """Take the line away."""
        self._over.set()
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
                text = self._text(passed)
                if text and not self._over.is_set():
                    self._stream.write(text[:_WIDTH])
                    self._stream.flush()
                    self._shown = True

    def _text(self, passed: float) -> str:
        if self._work:
            once = "first use, kept for the next; " if self._work.startswith(("compiling", "planning")) else ""
            return f"{self._work} ({once}{passed:.0f} s)"
        return f"{self._idle} ({passed:.0f} s)" if self._idle else ""

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._shown = False
