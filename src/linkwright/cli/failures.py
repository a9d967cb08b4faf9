"""Errors as sentences and exit codes; tracebacks only with --debug."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from linkwright.errors import (
    ArgumentError,
    AssemblyError,
    LinkwrightError,
    MechanismError,
    SingularityError,
)

UNEXPECTED, USAGE, BAD_FILE, NO_CONVERGENCE, CHECK_FAILED = 1, 2, 3, 4, 5
_CODES: tuple[tuple[type[LinkwrightError], int], ...] = (
    (MechanismError, BAD_FILE),
    (AssemblyError, NO_CONVERGENCE),
    (SingularityError, NO_CONVERGENCE),
    (ArgumentError, USAGE),
)


class Failure(click.ClickException):
    """A sentence for the user and the exit code of the command."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.exit_code = code  # type: ignore[misc]  # click reads it from the instance


def exit_code(error: LinkwrightError) -> int:
    """The exit code of an error.

    >>> exit_code(MechanismError("no base")), exit_code(LinkwrightError("disk full"))
    (3, 1)
    """
    return next((code for kind, code in _CODES if isinstance(error, kind)), UNEXPECTED)


def sentences(verb: Callable[..., Any]) -> Callable[..., Any]:
    """A verb whose errors reach the user as sentences."""

    @functools.wraps(verb)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            return verb(*args, **kwargs)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except LinkwrightError as error:
            if _debugging():
                raise
            raise Failure(str(error), exit_code(error)) from None
        except Exception as error:
            if _debugging():
                raise
            kind = type(error).__name__
            text = f"unexpected {kind}: {error}; run 'linkwright --debug ...' for the details and report them please"
            raise Failure(text, UNEXPECTED) from None

    return told


def _debugging() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().params.get("debug"))
