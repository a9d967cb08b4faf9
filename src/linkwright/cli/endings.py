"""Names of files and functions: pages end in .html, C functions are called as C allows."""

from __future__ import annotations

import os

import click

_TAKEN = "auto break case char const continue default do double else enum extern float for goto if inline int long"
_TAKEN += " main register restrict return short signed sizeof static struct switch typedef union unsigned void while"


def page(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """The file of a page, refused before anything is computed when it would not open in a browser."""
    if path is not None and os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise click.BadParameter(f"'{path}' is to be a page for browsers; end the name with .html")
    return path


def c_name(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """The name of a C function, refused when no compiler would take it."""
    if name is not None and (not name.isascii() or not name.isidentifier() or name in _TAKEN.split()):
        raise click.BadParameter(f"'{name}' is no name for a C function; take letters, digits and _, a letter first")
    return name


def plain(name: str, fill: str) -> str:
    """A mechanism's name as a file name.

    >>> plain("../my robot", "-")
    'my-robot'
    """
    return "".join(c if c.isalnum() or c in "-_" else fill for c in name).strip(fill) or "mechanism"
