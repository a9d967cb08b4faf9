"""Kits for JavaScript in a browser: the page that tests them, and the example of the documentation."""

import re
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.export.export_files import write_files
from tests.web.browser import local

ROOT = Path(__file__).parents[2]
THREE = ROOT / "viewer" / "node_modules" / "three" / "build"
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
    write_files(tmp_path, lw.export.wasm(lw.build(lw.catalog.load("delta"))))
    files = {path.name: path.read_bytes() for path in (*THREE.glob("three.*.js"), *tmp_path.iterdir())}
    page, complaints = running.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    kinds = {"js": "text/javascript", "wasm": "application/wasm", "html": "text/html"}
    files["index.html"] = example.encode()

    def answer(route):
        name = route.request.url.rsplit("/", 1)[-1]
        found = files.get(name)
        kind = kinds.get(name.rsplit(".", 1)[-1], "text/plain")
        route.fulfill(status=200 if found else 404, body=found or b"", content_type=kind)

    page.route("**/*", answer)
    page.goto("http://robot.test/index.html")
    page.wait_for_selector("canvas", timeout=20_000)
    first = page.locator("canvas").screenshot()
    page.wait_for_timeout(300)
    assert page.locator("canvas").screenshot() != first and not complaints
    page.close()
