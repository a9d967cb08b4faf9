"""The pictures of the documentation: `python -m tests.web.pictures [FOLDER]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.cli.demo import lift_platform
from linkwright.viewer.page import mechanism_page, save_page
from tests.web.browser import browser, local, opened
from tests.web.test_play import on_screen


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0] if arguments else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as running, tempfile.TemporaryDirectory() as beside:
        _report(running, Path(beside) / "run.html", folder / "report.png")
        _played(running, "delta", folder / "live.png", 0, (40, -30))
        _played(running, "four-bar", folder / "pulled.png", 1, (48, -40))
        _region(running, Path(beside) / "region.html", folder / "region.png")


def _report(running: Any, file: Path, picture: Path) -> None:
    """The demonstration's report with the reactions shown."""
    lift_platform(str(file))
    with opened(running, local(file), size=(1000, 620)) as (page, _):
        page.click("#layer-reactions")
        page.evaluate("() => linkwright.viewer.clock.seek(0.9)")
        _shot(page, picture)


def _played(running: Any, name: str, picture: Path, body: int, by: tuple[float, float]) -> None:
    """A page while a reader pulls at the middle of a body."""
    file = picture.with_suffix(".html")
    save_page(mechanism_page(lw.build(lw.catalog.load(name))), file)
    with opened(running, local(file), size=(1000, 560)) as (page, _):
        page.wait_for_function("() => linkwright.viewer.play")
        x, y = on_screen(page, body)
        page.mouse.move(x, y)
        page.mouse.down()
        for i in range(1, 9):
            page.mouse.move(x + by[0] * i / 8, y + by[1] * i / 8)
            page.wait_for_timeout(60)
        page.wait_for_timeout(400)
        _shot(page, picture)
    file.unlink()


def _region(running: Any, file: Path, picture: Path) -> None:
    """The workspace of the Delta where its condition is below a bound, with a slice."""
    model = lw.build(lw.catalog.load("delta"))
    found = lw.analysis.workspace(model, ["x", "y", "z"], show=("condition",))
    lw.view(model, file, workspace=found)
    with opened(running, local(file), size=(1000, 620)) as (page, _):
        page.select_option("#workspace-sense", "most")
        page.select_option("#workspace-axis", "1")
        page.evaluate(
            """() => { for (const [id, x] of [["level", 60], ["slice", 12]]) {
              const slider = document.getElementById(`workspace-${id}`);
              slider.value = id === "slice" ? Math.round(slider.max / 2) : x;
              slider.dispatchEvent(new Event("input"));
            } }"""
        )
        _shot(page, picture)


def _shot(page: Any, picture: Path) -> None:
    page.wait_for_timeout(300)
    page.screenshot(path=picture)
    print(f"{picture}: {picture.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
