"""One family of errors; every message names the thing, the value found and the way out."""

from __future__ import annotations

from typing import Any


class LinkwrightError(Exception):
    """Root of all errors linkwright raises on purpose; `data` holds the values the sentence speaks of."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.data = data


class MechanismError(LinkwrightError):
    """A mechanism that no real machine has: unknown names, negative mass, loose bodies."""


class FormatError(MechanismError):
    """A file that cannot be read as a mechanism."""


class ArgumentError(LinkwrightError, ValueError):
    """A public function was called with a wrong shape, type, value or name."""


class CompilerError(LinkwrightError):
    """A computation that cannot be recorded or turned into machine code."""


class AssemblyError(LinkwrightError):
    """Loops that do not close, or a configuration that cannot be reached."""


class SingularityError(LinkwrightError):
    """A configuration in which the question asked has no unique answer."""


class ResultError(LinkwrightError):
    """A run that cannot be written or read."""


class FormatWarning(UserWarning):
    """A file says something that was dropped or assumed and may change the mechanics, or that looks like a slip."""


class AccuracyWarning(UserWarning):
    """An answer so near a singularity that rounding leaves few of its digits; it is given all the same."""


class BatchWarning(UserWarning):
    """Rows of a batch that could not be computed and hold NaN; the message gives their number, the first and why."""


class MotionWarning(UserWarning):
    """Accelerations given for freedoms that nobody drives, other than those of the dynamics, which are used."""
