"""Names of files to read, and of functions and files that are made of a mechanism's name."""

from __future__ import annotations

from typing import Any

import click

_TAKEN = "auto break case char const continue default do double else enum extern float for goto if inline int long"
_TAKEN += " main register restrict return short signed sizeof static struct switch typedef union unsigned void while"


class ReadableFile(click.Path):
    """A name that no folder has; one with characters that no file name can have is refused with a message."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        try:
            return super().convert(value, param, ctx)
        except (ValueError, OSError):
            self.fail(f"{str(value)[:100]!r} cannot be the name of a file", param, ctx)


def c_name(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """Return the name of a C function; refuse one that is not a valid identifier."""
    if name is not None and (not name.isascii() or not name.isidentifier() or name in _TAKEN.split()):
        raise click.BadParameter(f"'{name}' is not a valid C identifier; use letters, digits and _, a letter first")
    return name


def plain(name: str, fill: str) -> str:
    """A mechanism's name as a file name.

    >>> plain("../my robot", "-")
    'my-robot'
    """
    return "".join(c if c.isalnum() or c in "-_" else fill for c in name).strip(fill) or "mechanism"
