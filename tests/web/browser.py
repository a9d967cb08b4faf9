"""A real Chromium, found on this computer; pages opened in it keep a list of what they request and of their errors."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# software drawing, and none of the browser's own traffic
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def chromium() -> str | None:
    """The path of this computer's Chromium, None when there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def missing() -> str:
    """Message about what the browser tests lack on this computer; empty when nothing."""
    if not chromium():
        return "no Chromium on this computer: install the package 'chromium' to run the browser tests"
    if importlib.util.find_spec("playwright") is None:
        return "no playwright in this environment: install linkwright with its extra 'dev' to run the browser tests"
    return ""


def required() -> bool:
    """Return True if a missing browser is a failure, as in continuous integration, and not a reason to skip."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


# what the drawing of a page shows, as a data: address of a PNG
PIXELS = """() => {
  const { stage } = linkwright.viewer;
  stage.draw();
  return stage.renderer.domElement.toDataURL("image/png");
}"""


@dataclass
class Witness:
    """Requests of a page beyond itself, and its errors."""

    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("request", lambda request: self.outside.append(request.url))
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    @property
    def errors(self) -> list[str]:
        """Complaints without those of software drawing, which reads pixels slowly and warns."""
        return [text for text in self.complaints if "GPU stall" not in text and "swiftshader" not in text.lower()]


@contextmanager
def browser() -> Iterator[Any]:
    """A running Chromium."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    assert path, "no Chromium on this computer"
    with sync_playwright() as tool:
        running = tool.chromium.launch(executable_path=path, headless=True, args=list(FLAGS))
        try:
            yield running
        finally:
            running.close()


@contextmanager
def opened(
    running: Any, address: str, size: tuple[int, int] = (1100, 720), playing: bool = False, **options: Any
) -> Iterator[tuple[Any, Witness]]:
    """A page in a context of its own, drawn, with its witness; it stands at its start unless `playing`."""
    if not playing:
        options.setdefault("reduced_motion", "reduce")
    context = running.new_context(viewport={"width": size[0], "height": size[1]}, accept_downloads=True, **options)
    try:
        context.set_default_navigation_timeout(120_000)
        page, witness = context.new_page(), Witness()
        witness.watch(page)
        page.goto(address)
        page.wait_for_selector("#linkwright[data-ready=true]", timeout=30_000)
        if not playing:
            page.evaluate("() => { const { clock } = linkwright.viewer; clock.pause(); clock.seek(clock.start) }")
        page.wait_for_function(
            "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))"
        )
        yield page, witness
    finally:
        context.close()


def local(path: Path) -> str:
    """The file: address of a page on disk."""
    return path.resolve().as_uri()
