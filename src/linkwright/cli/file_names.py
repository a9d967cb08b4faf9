"""Names of files to read, and of functions and files that are made of a mechanism's name."""

from __future__ import annotations

from typing import Any

import click

from linkwright.generated_text import c_identifier


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
    if name is not None and c_identifier(name) != name:
        raise click.BadParameter(
            f"'{name}' is not a valid identifier in C and C++; use at most 100 letters, digits and _, a letter first, "
            f"for example '{c_identifier(name)}'"
        )
    return name


def plain_file_name(name: str, fill: str) -> str:
    """A mechanism's name as a file name.

    >>> plain_file_name("../my robot", "-")
    'my-robot'
    """
    return "".join(c if c.isalnum() or c in "-_" else fill for c in name).strip(fill) or "mechanism"
