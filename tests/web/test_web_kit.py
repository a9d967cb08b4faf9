"""Kits for JavaScript in a browser: the page that tests them, and the example of the documentation."""

import re
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.export.export_files import write_files
from tests.web.browser import local

ROOT = Path(__file__).parents[2]
THREE = ROOT / "viewer" / "node_modules" / "three"
PAGE = (ROOT / "docs" / "howto" / "web.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["delta", "gough-stewart"])
def test_the_page_passes_in_a_browser(tmp_path, running, name):
    write_files(tmp_path, lw.export.wasm(lw.build(lw.catalog.load(name)), name))
    page = running.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(local(tmp_path / f"{name.replace('-', '_')}.html"))
    page.wait_for_selector("[data-result]", timeout=20_000)
    assert page.locator("output").inner_text() == "passed" and not complaints
    assert page.locator("tbody tr").count() == 12
    page.close()


def test_the_page_of_three_js_draws(tmp_path, running):
    """The example of the documentation, as it stands there, with three.js of the viewer."""
    if not THREE.exists():
        pytest.skip("needs viewer/node_modules")
    example = re.search(r"```html\n(.*?)```", PAGE, re.DOTALL)[1]
    (tmp_path / "index.html").write_text(example, encoding="utf-8")
    write_files(tmp_path, lw.export.wasm(lw.build(lw.catalog.load("delta"))))
    lw.view(lw.catalog.load("delta"), tmp_path / "delta.glb", still=True)
    page, complaints = running.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    kinds = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}

    def answer(route):
        name = route.request.url.removeprefix("http://robot.test/")
        found = THREE / name.removeprefix("three/") if name.startswith("three/") else tmp_path / name
        body = found.read_bytes() if found.is_file() else None
        status = 404 if body is None else 200
        route.fulfill(status=status, body=body or b"", content_type=kinds.get(found.suffix, "text/plain"))

    page.route("**/*", answer)
    page.goto("http://robot.test/index.html")
    page.wait_for_selector("canvas", timeout=20_000)
    page.wait_for_timeout(500)
    first = page.locator("canvas").screenshot()
    page.wait_for_timeout(300)
    assert page.locator("canvas").screenshot() != first and not complaints
    page.close()
