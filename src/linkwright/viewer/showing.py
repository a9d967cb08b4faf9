"""Show a mechanism, a model or a run: in a notebook below the cell, else in the browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path

from linkwright.errors import ArgumentError
from linkwright.mechanism.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.results.result import Result
from linkwright.viewer.page import framed, mechanism_page, saved
from linkwright.viewer.report import report_page


@dataclass(frozen=True)
class ShownPage:
    """A page of one HTML file, which a notebook shows below its cell.

    Attributes:
        title: name of what is shown.
        html: the page as text.
    """

    title: str
    html: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write the page; it opens by double-click and needs no network. Return the path."""
        return saved(self.html, path)

    def _repr_html_(self) -> str:
        return framed(self.html)


def view(
    thing: Mechanism | Model | Result, path: str | os.PathLike[str] | None = None, still: bool = False
) -> ShownPage:
    """Show a mechanism in motion, or a run as its report.

    In a notebook the page appears below the cell when the result is the last value of it. Elsewhere it opens in the
    browser, from a temporary file. With a path it is written there, and not opened.

    Args:
        thing: a `Mechanism`, a `Model` or a `Result`.
        path: the HTML file to write.
        still: draw a mechanism at its home configuration, without moving its actuators.
    """
    page = _page(thing, still)
    if path is not None:
        page.save(path)
    elif "ipykernel" not in sys.modules:
        handle, name = tempfile.mkstemp(prefix="linkwright-", suffix=".html")
        os.close(handle)
        webbrowser.open(Path(page.save(name)).as_uri())
    return page


def _page(thing: object, still: bool) -> ShownPage:
    match thing:
        case Mechanism():
            return ShownPage(thing.name, mechanism_page(build(thing), still))
        case Model():
            return ShownPage(thing.mechanism.name, mechanism_page(thing, still))
        case Result():
            return ShownPage("run", report_page(thing))
    raise ArgumentError(f"view shows a Mechanism, a Model or a run, found {type(thing).__name__}")
