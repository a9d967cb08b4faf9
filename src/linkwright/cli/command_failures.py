"""Errors as messages and exit codes; tracebacks only with --debug."""

from __future__ import annotations

import errno
import functools
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import click

from linkwright.cli.progress_line import compilation_shown, is_quiet
from linkwright.errors import Exit, LinkwrightError, LinkwrightWarning
from linkwright.findings import printable_text

_NO_QUOTES = str.maketrans("", "", "',")
# Patterns of what messages of the library advise, and what there is on the command line instead.
_OPTIONS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"overwrite=True", "--overwrite"),
    (r"resume=True", "--resume"),
    (r"cutoff=(\d+)\.0", r"--cutoff \1"),
    (r"components=\[([^\]]*)\]", lambda found: f'--components "{found[1].translate(_NO_QUOTES)}"'),
    (r"with near=q( \(model\.[^;]*?\.q\))?", "with another home in the file"),
    (r"model\.working_modes\(pose\)", "ik --modes"),
    (r"for example (effort|speed)=1\.0", r"for example --max-\1 1"),
    (r"give effort=\.\.\. or acceleration=\.\.\.", "give --max-effort or --max-acceleration"),
    (r"Take numpy\.radians\(\.\.\.\)", "Write the unit, such as 120 deg"),
)


class CommandFailure(click.ClickException):
    """A message for the user and the exit code of the command."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(printable_text(command_line_text(message)))
        self.exit_code = code  # type: ignore[misc]  # click reads it from the instance


def command_line_text(message: str) -> str:
    """A message of the library with options of the command line in place of arguments of Python.

    >>> command_line_text("give cutoff=20.0, or start nearer with near=q")
    'give --cutoff 20, or start nearer with another home in the file'
    """
    for argument, option in _OPTIONS:
        message = re.sub(argument, option, message)
    return message


def reporting_errors(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a verb: its errors reach the user as messages with an exit code."""

    @functools.wraps(verb)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            with _plain_warnings(), _compilation_progress(kwargs.get("as_json", False)):
                return verb(*args, **kwargs)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            raise interrupted_command() from None
        except LinkwrightError as error:
            if _is_debugging():
                raise
            raise CommandFailure(str(error), error.exit_code) from None
        except Exception as error:
            if _is_debugging():
                raise
            if isinstance(error, OSError) and is_full_output(error):
                raise unwritten_output(error) from None
            kind = type(error).__name__
            text = f"unexpected {kind}: {error}; run 'linkwright --debug ...' for the details and report them please"
            raise CommandFailure(text, Exit.UNEXPECTED) from None

    return wrapped


def interrupted_command() -> CommandFailure:
    """The error after Ctrl-C."""
    return CommandFailure("interrupted; what was not finished was not written", Exit.INTERRUPTED)


def is_full_output(error: OSError) -> bool:
    """Return True if the standard output could not be written; files are written by functions with own messages."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unwritten_output(error: OSError) -> CommandFailure:
    """The error about a standard output that could not be written."""
    text = f"standard output cannot be written ({error.strerror}); free some space, or send it elsewhere"
    return CommandFailure(text, Exit.UNEXPECTED)


class CommandLine(click.Group):
    """The verbs. Ctrl-C ends with 130 also before a verb runs, and a full standard output with a message."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if not is_full_output(error):
                raise
            failure = unwritten_output(error)
            failure.show()
            raise SystemExit(failure.exit_code) from None

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the options."""
        try:
            return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:
            raise interrupted_command() from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise interrupted_command() from None


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show warnings of the library as one line each, without the place in the code."""
    with warnings.catch_warnings():
        default = warnings.showwarning
        seen: set[tuple[str, str]] = set()

        def shown(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
            if not issubclass(category, LinkwrightWarning):
                default(message, category, filename, lineno, file, line)
            elif not is_quiet() and _is_new_finding(message.finding, seen):
                click.echo(f"Warning: {printable_text(command_line_text(str(message)))}", err=True)

        warnings.showwarning = shown
        yield


def _is_new_finding(finding: Any, seen: set[tuple[str, str]]) -> bool:
    """Note a finding; False where one was seen that differs by its numbers only."""
    key = (finding.code, re.sub(r"\d[\d.]*(e[-+]\d+)?", "#", finding.message))
    known = key in seen
    seen.add(key)
    return not known


def _compilation_progress(as_json: bool) -> AbstractContextManager[None]:
    if is_quiet():
        return nullcontext()
    return compilation_shown(idle="" if as_json else "working")  # JSON is printed without looking at the line


def _is_debugging() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().params.get("debug"))
