"""Everybody can use the pages: by keys, with a screen reader, on paper, without WebGL, without JavaScript."""

import numpy as np
import pytest

from linkwright.viewer.run_report import run_report_page
from tests.viewer.test_report import run
from tests.web import axe
from tests.web.browser import local, opened
from tests.web.test_page import pixels, settle


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "report.html"
    path.write_text(run_report_page(run()), encoding="utf-8")
    return path


def test_axe_finds_nothing(running, file):
    if not axe.SCRIPT.exists():
        pytest.skip("no axe-core on this computer: run `npm ci` in viewer/")
    with opened(running, local(file), bypass_csp=True) as (view, _):
        assert axe.findings(view) == []


def test_keys_turn_move_and_zoom_the_view_while_the_drawing_has_the_focus(running, file):
    with opened(running, local(file)) as (view, _):
        view.evaluate("() => linkwright.viewer.stage.project(false)")
        view.locator(".view canvas").focus()
        camera = (
            "() => { const s = linkwright.viewer.stage;"
            " return [s.camera.position.toArray(), s.controls.target.toArray()] }"
        )

        def moved(key: str) -> tuple[float, float, float]:
            """How far camera and target go, and by which factor their distance changes."""
            before = np.array(view.evaluate(camera))
            view.keyboard.press(key)
            settle(view)
            after = np.array(view.evaluate(camera))
            far = [np.linalg.norm(x[0] - x[1]) for x in (before, after)]
            return (*np.linalg.norm(after - before, axis=1), far[1] / far[0])

        time = view.evaluate("() => linkwright.viewer.clock.time")
        eye, target, factor = moved("ArrowLeft")
        assert eye > 0.01 and target < 1e-9 and factor == pytest.approx(1.0)
        eye, target, factor = moved("Shift+ArrowUp")
        assert eye == pytest.approx(target) and target > 0.01
        assert moved("+")[2] == pytest.approx(1 / 1.15)
        assert view.evaluate("() => linkwright.viewer.clock.time") == time


def test_paper_is_light_and_holds_what_is_folded(running, file):
    with opened(running, local(file), color_scheme="dark") as (view, _):
        dark = pixels(view)
        view.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
        assert view.evaluate("() => [...document.querySelectorAll('#report details')].every((d) => d.open)")
        assert view.evaluate("() => document.documentElement.dataset.theme") == "light" and pixels(view) != dark
        view.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
        assert view.evaluate("() => document.documentElement.dataset.theme") == "dark" and pixels(view) == dark
        view.emulate_media(media="print")
        shown = view.evaluate(
            "() => [...document.querySelectorAll('.tools, .transport')].filter((x) => x.offsetParent).length"
        )
        left = view.evaluate(
            "() => [...document.querySelectorAll('.view, .plot')].map((x) => x.getBoundingClientRect().left)"
        )
        assert shown == 0 and max(left) - min(left) < 20  # one column


@pytest.mark.parametrize("size", [(390, 780), (768, 1024)])
def test_animation_and_slider_stay_in_sight_on_small_screens(running, file, size):
    with opened(running, local(file), size=size) as (view, _):
        assert view.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        view.evaluate("() => window.scrollTo(0, 600)")
        settle(view)
        for part in (".view canvas", "#slider"):
            box = view.locator(part).bounding_box()
            assert box["y"] >= -1 and box["y"] + box["height"] < 0.75 * size[1], part
        assert view.locator(".plot").nth(1).bounding_box()["y"] < size[1]


def test_without_javascript_there_are_a_picture_and_the_tables(running, file):
    context = running.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(local(file))
    assert view.locator("noscript svg path").count() > 10 and view.locator("#report table").first.is_visible()
    picture, text = view.locator("noscript svg").bounding_box(), view.locator("#report").bounding_box()
    assert picture["y"] + picture["height"] <= text["y"] + 1
    context.close()


def test_without_webgl_the_picture_stands_and_the_curves_work(running, file):
    context = running.new_context()
    view = context.new_page()
    view.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = "
        "function (kind, ...more) { return kind === '2d' ? get.call(this, kind, ...more) : null }"
    )
    view.goto(local(file))
    view.wait_for_selector("#linkwright[data-ready=true]")
    assert view.locator(".still-picture svg").is_visible() and "WebGL" in view.locator(".still-picture").inner_text()
    assert view.locator(".chart path").count() > 3
    view.evaluate("() => linkwright.viewer.clock.pause()")
    view.keyboard.press("End")
    assert view.evaluate("() => linkwright.viewer.clock.time") == pytest.approx(0.5)
    context.close()
