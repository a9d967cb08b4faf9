"""The pages that compute in the documentation: `python docs/pages.py FOLDER [NAME ...]` writes them.

The site is built with them. They are not kept in the repository; small pictures of them are (docs/images/pages), which
`python docs/pages.py --pictures [NAME ...]` takes with Chromium. In Markdown a picture stands for its page, and
links to the gallery; `conf.py` puts the page in its place.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import linkwright as lw

DOCS = Path(__file__).parent
PICTURES = DOCS / "images" / "pages"
SIZE = (1000, 640)  # of the browser, for a picture
WIDTH = 560  # of a picture; half of it of a mechanism

BARE = "() => document.querySelectorAll('.view > :not(canvas)').forEach((each) => (each.style.visibility = 'hidden'))"

Writer = Callable[[str], Any]


@dataclass(frozen=True)
class FromHowto:
    """What the Python code of a how-to computes, shown as a page.

    Attributes:
        page: the how-to. result: what is shown, once the first so many `blocks` of the code have run.
        files: names of files that the code reads; the blocks of the page that are no Python and no command, in order.
    """

    page: str
    result: str
    blocks: int = 1
    files: tuple[str, ...] = ()

    def write(self, path: str) -> None:
        """Run the code in an empty folder and write the page."""
        text = (DOCS / "howto" / f"{self.page}.md").read_text(encoding="utf-8")
        every = re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        given = [code for language, code in every if language not in ("python", "console", "sh")]
        names: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            for file, content in zip(self.files, given, strict=False):
                Path(file).write_text(content, encoding="utf-8")
            for code in [code for language, code in every if language == "python"][: self.blocks]:
                kept = re.sub(r"^.*\.(plot|export)\(.*\n", "", code, flags=re.MULTILINE)  # figures need matplotlib
                exec(compile(kept, f"{self.page}.md", "exec"), names)
        shown = eval(self.result, names)
        if hasattr(shown, "report"):
            shown.report(path)
        else:
            lw.view(shown, path)


def catalog_writer(name: str) -> Writer:
    """Writes the page of a mechanism of the catalog."""
    return lambda path: lw.view(lw.catalog.load(name), path)


HOWTOS = {
    "workspace": FromHowto("workspace", "found"),
    "indices": FromHowto("indices", "found"),
    "interference": FromHowto("interference", "run"),
    "sizing": FromHowto("sizing", "found", files=("motors.csv",)),
    "optimize": FromHowto("optimize", "found"),
    "time-optimal": FromHowto("time-optimal", "found"),
    "calibrate": FromHowto("calibrate", "found"),
    "identify": FromHowto("identify", "found", 3),
    "viewer": FromHowto("viewer", "run"),
    "motions": FromHowto("motions", "run"),
    "control": FromHowto("control", "run"),
    "variable-topology": FromHowto("variable-topology", "run", files=("leg.yaml",)),
    "humanoid-ankle": FromHowto("humanoid-ankle", "ankle.driven", files=("ankle.yaml",)),
    "springs-and-beams": FromHowto("springs-and-beams", "arm"),
    "mechanism-files": FromHowto("mechanism-files", "model", files=("four-bar.yaml",)),
    "loops-in-robot-files": FromHowto("loops-in-robot-files", "model", files=("four-bar.urdf",)),
}
PAGES: dict[str, Writer] = {
    **{name: catalog_writer(name) for name in lw.catalog.names()},
    **{name: each.write for name, each in HOWTOS.items()},
}


def write_pages(folder: Path, names: list[str]) -> None:
    """Write pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or list(PAGES):
        PAGES[name](os.fspath(folder / f"{name}.html"))


def take_pictures(names: list[str]) -> None:
    """Take a small picture of each page, light, as it is opened: of a mechanism alone only its drawing."""
    sys.path.insert(0, os.fspath(DOCS.parent))
    from tests.web.browser import browser, local, opened

    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as running:
        for name in names or list(PAGES):
            write_pages(Path(folder), [name])
            with opened(running, local(Path(folder) / f"{name}.html"), size=SIZE) as (page, _):
                page.wait_for_selector("#linkwright[data-opened]")
                page.wait_for_timeout(500)
                shown = page if name in HOWTOS else page.locator(".view")
                if name not in HOWTOS:
                    page.evaluate(BARE)
                shown.screenshot(path=Path(folder) / "seen.png")
            shrink_picture(Path(folder) / "seen.png", PICTURES / f"{name}.png", WIDTH if name in HOWTOS else WIDTH // 2)


def shrink_picture(seen: Path, small: Path, width: int) -> None:
    """A picture of that width in few colors."""
    from PIL import Image

    image = Image.open(seen).convert("RGB")
    image = image.resize((width, round(width * image.height / image.width)), Image.Resampling.LANCZOS)
    image.quantize(32, dither=Image.Dither.NONE).save(small, optimize=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pictures"]:
        take_pictures(sys.argv[2:])
    else:
        write_pages(Path(sys.argv[1]), sys.argv[2:])
