"""Names of files and functions: pages end in .html, names of C functions are valid C identifiers."""

from __future__ import annotations

import os
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


def page(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Return the file name of a page; refuse one that would not open in a browser before anything is computed."""
    if path is not None and os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise click.BadParameter(f"'{path}' is not the name of an HTML page; end it with .html")
    return path


def view_file(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Return the name of a page, picture, animation or 3D model; refuse other endings before anything is computed."""
    if path is None:
        return None
    from linkwright.viewer.writing import ENDINGS, PAGES

    if os.path.splitext(path)[1].lower() not in (*PAGES, *ENDINGS):
        raise click.BadParameter(f"'{path}' ends in none of {', '.join((*PAGES[:1], *ENDINGS))}; choose one of these")
    return path


def region_file(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Return the name of a file for a workspace; refuse other endings before anything is computed."""
    if path is None:
        return None
    from linkwright.analysis.region.record import ENDINGS

    if os.path.splitext(path)[1].lower() not in ENDINGS:
        raise click.BadParameter(f"'{path}' ends in none of {', '.join(ENDINGS)}; choose one of these")
    return path


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
