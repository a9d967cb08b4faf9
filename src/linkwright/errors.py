"""One family of errors; every message names the thing, the value found and the way out."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, ClassVar

from linkwright.findings import Finding

_INSIDE = ("linkwright.", "functools")  # modules whose lines no warning names; properties are called by functools


class Exit(IntEnum):
    """Exit codes of the command line."""

    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    BAD_FILE = 3
    NOT_CLOSED = 4  # loops do not close, or an iteration does not converge
    CHECK_FAILED = 5


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
    """A result so near a singularity that rounding leaves few of its digits; it is returned all the same."""

    code = "few-digits"


class BatchWarning(LinkwrightWarning):
    """Rows of a batch that could not be computed and hold NaN; the message gives their number, the first and why."""

    code = "rows-not-computed"


class MotionWarning(LinkwrightWarning):
    """Accelerations given for freedoms that nobody drives, other than those of the dynamics, which are used."""

    code = "acceleration-replaced"


class ParameterWarning(LinkwrightWarning):
    """Inputs by which derivatives do not exist, or with values that no real mechanism has."""

    code = "doubtful-parameter"


def levels_inside() -> int:
    """Number of calls from the warning to the first one outside the library, so that it names the caller's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    return level
