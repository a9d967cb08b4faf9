"""Show a mechanism, a model, a run or a workspace: in a notebook below the cell, else in the browser, or as a file."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.checks import require_flag
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.results.result import Result
from linkwright.viewer.page import PAGES, inline_frame, mechanism_content, page, save_page, write_scene
from linkwright.viewer.region import is_region, region_data
from linkwright.viewer.run_report import report_content


@dataclass(frozen=True)
class ShownPage:
    """A page of one HTML file, which a notebook shows below its cell.

    Attributes:
        title: name of what is shown.
        html: the page as text.
        content: what it shows, a `linkwright.viewer.PageContent`.
    """

    title: str
    html: str = field(repr=False)
    content: Any = field(default=None, repr=False, compare=False)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write a page (.html), a picture (.svg), an animation (.gif, .mp4, .webm) or a 3D model (.glb).

        A page opens by double-click and needs no network. Pictures and animations are drawn here, without a browser.
        Return the path.
        """
        if self.content is not None and isinstance(path, str | os.PathLike) and Path(path).suffix.lower() not in PAGES:
            return write_scene(self.content, path)
        return save_page(self.html, path)

    def _repr_html_(self) -> str:
        return inline_frame(self.html)


def view(
    thing: Mechanism | Model | Result,
    path: str | os.PathLike[str] | None = None,
    still: bool = False,
    workspace: Any = None,
) -> ShownPage:
    """Show a mechanism in motion, or a run as its report.

    In a notebook the page appears below the cell when the result is the last value of it. Elsewhere it opens in the
    browser, from a temporary file. With a path it is written there, and not opened: as a page, or by the ending of the
    name as .svg (picture), .gif, .mp4, .webm (animation) or .glb (3D model with its motion).

    Args:
        thing: a `Mechanism`, a `Model` or a `Result`.
        path: the file to write.
        still: draw a mechanism at its home configuration, without moving its actuators.
        workspace: a record of `analysis.workspace` over positions, drawn as a layer of a mechanism or model.
    """
    shown = _make_shown_page(thing, still, workspace)
    if path is not None:
        shown.save(path)
    elif "ipykernel" not in sys.modules:
        handle, name = tempfile.mkstemp(prefix="linkwright-", suffix=".html")
        os.close(handle)
        webbrowser.open(Path(shown.save(name)).as_uri())
    return shown


def _make_shown_page(thing: Any, still: bool, workspace: Any) -> ShownPage:
    require_flag("still", still)
    match thing:
        case Mechanism():
            return _make_shown_page(build(thing), still, workspace)
        case Model():
            content = mechanism_content(thing, still)
            if workspace is not None:
                content.data["workspace"] = _workspace_layer(thing, workspace)
            return ShownPage(thing.mechanism.name, page(content), content)
        case Result() if workspace is None:
            content, below = report_content(thing)
            return ShownPage("run", page(content, below), content)
    beside = " with a workspace" if workspace is not None else ""
    raise ArgumentError(f"view shows a Mechanism, a Model or a run, found {type(thing).__name__}{beside}")


def _workspace_layer(model: Model, workspace: Any) -> dict[str, Any]:
    """A workspace at a model; components that do not vary are those of the home configuration."""
    if not is_region(workspace):
        raise ArgumentError(f"workspace is {type(workspace).__name__}, expected a record of analysis.workspace")
    q = model.assemble().q
    frame = workspace.frame or model.mechanism.platform
    at = model.frame_pose(q, frame).position if frame else np.zeros(3)
    return region_data(workspace, at)
