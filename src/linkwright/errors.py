"""One family of errors and of warnings, and the one function that warns.

The message of an error names the thing, the value found and the way out. That of a warning has no numbers that differ
from call to call, so that Python's own filter shows warnings of one kind once; their `finding.value` has the numbers.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Any, ClassVar

from linkwright.findings import Finding

_INSIDE = ("linkwright", "functools")  # packages whose lines no warning names; properties are called by functools


__all__ = [
    "AccuracyWarning",
    "ArgumentError",
    "AssemblyError",
    "BatchWarning",
    "CompilerError",
    "Exit",
    "FormatError",
    "FormatWarning",
    "LinkwrightError",
    "LinkwrightWarning",
    "MechanismError",
    "MotionWarning",
    "ParameterWarning",
    "ResultError",
    "SingularityError",
]


class Exit(IntEnum):
    """Exit codes of the command line."""

    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    BAD_FILE = 3
    NOT_CLOSED = 4  # loops do not close, or an iteration does not converge
    CHECK_FAILED = 5
    INTERRUPTED = 130  # Ctrl-C, as shells have it


class LinkwrightError(Exception):
    """Root of all errors linkwright raises on purpose.

    Attributes:
        findings: what was found, one record each; without records of its own an error is one finding itself.
        data: values in the message, by name.
        code: the code of that one finding.
        exit_code: the exit code of a command that ends with such an error.
    """

    code: ClassVar[str] = "error"
    exit_code: Exit = Exit.UNEXPECTED

    def __init__(self, message: str, findings: Iterable[Finding] = (), **data: Any) -> None:
        super().__init__(message)
        self.findings = tuple(findings) or (Finding(self.code, message),)
        self.data = data


class MechanismError(LinkwrightError):
    """A mechanism that cannot exist: unknown names, negative mass, loose bodies."""

    code, exit_code = "bad-mechanism", Exit.BAD_FILE


class FormatError(MechanismError):
    """A file that cannot be read as a mechanism."""

    code = "bad-file"


class ArgumentError(LinkwrightError, ValueError):
    """A public function was called with a wrong shape, type, value or name."""

    code, exit_code = "bad-argument", Exit.USAGE


class CompilerError(LinkwrightError):
    """A computation that cannot be recorded or turned into machine code."""

    code = "not-compiled"


class AssemblyError(LinkwrightError):
    """Loops that do not close, or a configuration that cannot be reached."""

    code, exit_code = "not-assembled", Exit.NOT_CLOSED


class SingularityError(LinkwrightError):
    """A configuration in which the requested result is not unique."""

    code, exit_code = "singular", Exit.NOT_CLOSED


class ResultError(LinkwrightError):
    """A run that cannot be written or read."""

    code, exit_code = "bad-result", Exit.BAD_FILE


class LinkwrightWarning(UserWarning):
    """Root of all warnings; `finding` is the record of what is warned of."""

    code: ClassVar[str] = "warning"

    def __init__(self, message: str, finding: Finding | None = None) -> None:
        super().__init__(message)
        self.finding = finding or Finding(self.code, message, severity="warning")


class FormatWarning(LinkwrightWarning):
    """Something in a file was dropped or assumed and may change the mechanics, or looks like a slip."""

    code = "doubtful-file"


class AccuracyWarning(LinkwrightWarning):
    """A result of few reliable digits, near a singularity, or a run whose energy does not balance; it is returned."""

    code = "few-digits"


class BatchWarning(LinkwrightWarning):
    """Rows of a batch that could not be computed and hold NaN; `finding.value` has their number, the first and why."""

    code = "rows-not-computed"


class MotionWarning(LinkwrightWarning):
    """Accelerations given for freedoms that nobody drives, other than those of the dynamics, which are used."""

    code = "acceleration-replaced"


class ParameterWarning(LinkwrightWarning):
    """Inputs by which derivatives do not exist, or with values that no real mechanism has."""

    code = "doubtful-parameter"


Withheld = tuple[tuple[type[LinkwrightWarning], ...], list[LinkwrightWarning]]
_WITHHELD: ContextVar[tuple[Withheld, ...]] = ContextVar("withheld warnings", default=())


def warn_caller(
    text: str, kind: type[LinkwrightWarning], finding: Finding | None = None, subject: str = "", value: Any = None
) -> None:
    """Warn at the caller's line: that of the first call from outside the library.

    Args:
        text: the message, the same for all warnings of one kind: Python's filter shows equal ones of a line once.
        kind: the class of the warning.
        finding: its record; one of the text, the subject and the value where it is left out.
        subject, value: the name of the thing, and what was found this time, plain enough for JSON.
    """
    warning = kind(text, finding or Finding(kind.code, text, severity="warning", subject=subject, value=value))
    for kinds, found in reversed(_WITHHELD.get()):
        if isinstance(warning, kinds):
            found.append(warning)
            return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


def installation_hint(extra: str) -> str:
    """What to do where an optional package is missing: linkwright is installed from a clone of its repository.

    >>> installation_hint("plot")
    "in the clone of linkwright run: pip install '.[plot]'"
    """
    return f"in the clone of linkwright run: pip install '.[{extra}]'"


def missing_package_text(purpose: str, package: str, extra: str) -> str:
    """The message about an optional package that is not installed.

    >>> missing_package_text("figures", "matplotlib", "plot").split("; ")[0]
    "figures need the package 'matplotlib', which is not installed"
    """
    return f"{purpose} need the package '{package}', which is not installed; {installation_hint(extra)}"


@contextmanager
def withheld_warnings(*kinds: type[LinkwrightWarning]) -> Iterator[list[LinkwrightWarning]]:
    """Collect warnings of some kinds instead of showing them: their caller answers for the rows in its own result.

    This concerns the calling thread alone; filters of the module `warnings` belong to all threads of a program.

    >>> with withheld_warnings(BatchWarning) as found:
    ...     warn_caller("rows hold NaN", BatchWarning)
    >>> [str(warning) for warning in found]
    ['rows hold NaN']
    """
    found: list[LinkwrightWarning] = []
    token = _WITHHELD.set((*_WITHHELD.get(), (kinds, found)))
    try:
        yield found
    finally:
        _WITHHELD.reset(token)
