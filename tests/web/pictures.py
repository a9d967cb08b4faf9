"""The pictures of the documentation: `python -m tests.web.pictures [FOLDER]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.cli.demo import lift_platform
from linkwright.viewer.live_server import LiveServer
from tests.web.browser import browser, local, opened


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0] if arguments else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as running, tempfile.TemporaryDirectory() as beside:
        _report(running, Path(beside) / "run.html", folder / "report.png")
        _live(running, "delta", folder / "live.png")
        _pulled(running, "four-bar", folder / "pulled.png")
        _region(running, Path(beside) / "region.html", folder / "region.png")


def _report(running: Any, file: Path, picture: Path) -> None:
    """The demonstration's report with the reactions shown."""
    lift_platform(str(file))
    with opened(running, local(file), size=(1000, 620)) as (page, _):
        page.click("#layer-reactions")
        page.evaluate("() => linkwright.viewer.clock.seek(0.9)")
        _shot(page, picture)


def _live(running: Any, name: str, picture: Path) -> None:
    """The live page after a small pull at the platform."""
    server = LiveServer(lw.build(lw.catalog.load(name)), name)
    server.start()
    server.html()  # compiles what the page needs
    with opened(running, server.address, size=(1000, 560)) as (page, _):
        page.evaluate(
            """async () => {
              const [x, y, z, ...turn] = linkwright.live.state.platform, by = 0.06 * linkwright.data.scene.extent;
              await linkwright.live.requests.now({ pose: [x + by, y + by, z, ...turn] });
            }"""
        )
        _shot(page, picture)
    server.close()


def _pulled(running: Any, name: str, picture: Path) -> None:
    """The live page while a user pulls at the middle of a link."""
    server = LiveServer(lw.build(lw.catalog.load(name)), name)
    server.start()
    server.html()  # compiles what the page needs
    with opened(running, server.address, size=(1000, 420)) as (page, _):
        x, y = page.evaluate(
            """() => {
              const stage = linkwright.viewer.stage, box = stage.renderer.domElement.getBoundingClientRect();
              const joint = linkwright.data.scene.joints.at(-1);
              const link = linkwright.viewer.tracks.matrices[joint.parent];
              const start = stage.camera.position.clone().setFromMatrixPosition(link);
              const end = stage.camera.position.clone().fromArray(joint.at).applyMatrix4(link);
              const p = start.add(end).multiplyScalar(0.5).project(stage.camera);
              return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
            }"""
        )
        page.mouse.move(x, y)
        page.mouse.down()
        for i in range(1, 9):
            page.mouse.move(x + 6 * i, y - 5 * i)
            page.wait_for_timeout(60)
        page.wait_for_timeout(400)
        _shot(page, picture)
    server.close()


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
