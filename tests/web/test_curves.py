"""Charts in a real browser: zoom, pan, another horizontal axis, files, events, limits, two runs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from linkwright.viewer import document, page
from tests.web.browser import PIXELS, local, opened
from tests.web.test_page import settle, swinging


def scaled_other(panel):
    """A panel whose curves have some a tenth larger beside them."""
    return replace(panel, curves=[replace(each, other=(each.x, 1.1 * each.y)) for each in panel.curves])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page with an event at 1.2 s, limits of the first effort, and a second motion a little later."""
    built, motion = swinging("plain")
    limits = (("a", 4.0), ("a", -4.0))
    efforts, positions = motion.plots
    other = replace(motion, q=1.1 * motion.q)
    plots = (replace(scaled_other(efforts), limits=limits), scaled_other(positions))
    motion = replace(
        motion, plots=plots, events=((1.2, "a stop <b>"),), other=other, compared="Dotted: the second run."
    )
    path = tmp_path_factory.mktemp("pages") / "curves.html"
    path.write_text(page(document(built, motion)), encoding="utf-8")
    return path


@pytest.fixture
def seen(running, file):
    with opened(running, local(file)) as (view, witness):
        yield view
        assert witness.errors == []


def window(view, chart: int = 0) -> list[float]:
    return view.evaluate(f"() => linkwright.viewer.plots.charts[{chart}].x")


def values(view, chart: int = 0) -> list[str]:
    return view.locator(".plot").nth(chart).locator(".legend output").all_inner_texts()


def test_charts_over_time_zoom_and_move_together(seen):
    area = seen.locator(".chart-area").first
    area.focus()
    seen.keyboard.press("+")
    first = window(seen)
    assert first[1] - first[0] == pytest.approx(1.0) and window(seen, 1) == first
    seen.keyboard.press("Shift+ArrowRight")
    assert window(seen)[0] == pytest.approx(first[0] + 0.1)
    seen.keyboard.press("0")
    assert window(seen) == [0.0, 2.0]
    box = area.bounding_box()
    seen.keyboard.down("Shift")
    seen.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 5)
    seen.mouse.down()
    seen.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"], steps=3)
    seen.mouse.up()
    seen.keyboard.up("Shift")
    assert window(seen) == pytest.approx([0.5, 1.0], abs=0.02)
    area.dblclick(position={"x": 5, "y": 5})
    assert window(seen) == [0.0, 2.0]


def test_numbers_follow_the_pointer_and_stay_when_it_leaves(seen):
    seen.evaluate("() => linkwright.viewer.clock.seek(0.5)")
    settle(seen)
    at_time = values(seen)
    assert float(at_time[1].split()[0]) == pytest.approx(5.0 * np.cos(0.5), abs=1e-3)
    box = seen.locator(".chart-area").first.bounding_box()
    seen.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 20)
    assert float(values(seen)[1].split()[0]) == pytest.approx(5.0 * np.cos(1.5), abs=0.03)
    seen.mouse.move(box["x"] + 20, box["y"] - 60)
    assert values(seen) == at_time


def test_a_quantity_over_another_is_drawn_through_both(seen):
    """Effort cos(2 t) over the angle sin(t) of the shoulder: y = 1 - 2 x^2."""
    seen.locator(".plot").first.locator("select").select_option(label="over shoulder")
    points = np.array(
        seen.evaluate(
            """() => {
              const chart = linkwright.viewer.plots.charts[0];
              const [x, y] = [chart.along[2], chart.curves[1].y];
              return Array.from(x, (v, i) => [v, y[i]]);
            }"""
        )
    )
    np.testing.assert_allclose(points[:, 1], 1.0 - 2.0 * points[:, 0] ** 2, atol=1e-5)
    low, high = window(seen)
    assert low < 0.0 and 1.0 < high < 1.2 and window(seen, 1) == [0.0, 2.0]


def test_curves_are_saved_as_numbers_and_as_a_picture(seen):
    with seen.expect_download() as caught:
        seen.get_by_role("button", name="Save the numbers of Efforts").click()
    rows = Path(caught.value.path()).read_text(encoding="utf-8").splitlines()
    assert rows[0] == "t [s],a [N m],b [N m]" and len(rows) == 102
    table = np.array([[float(x) for x in row.split(",")] for row in rows[1:]])
    np.testing.assert_allclose(table[:, 1], 5.0 * np.cos(table[:, 0]), atol=1e-5)
    with seen.expect_download() as caught:
        seen.get_by_role("button", name="Save the picture of Efforts").click()
    picture = Path(caught.value.path()).read_text(encoding="utf-8")
    assert picture.startswith("<svg") and "Efforts [N m]" in picture and picture.count("<path") == 4


def test_events_and_broken_limits_lead_to_their_time(seen):
    seen.locator(".mark.event").first.click()
    assert seen.evaluate("() => linkwright.viewer.clock.time") == pytest.approx(1.2)
    seen.locator(".mark.limit").first.click()
    assert seen.evaluate("() => linkwright.viewer.clock.time") == 0.0  # 5 cos(t) starts beyond 4
    seen.locator(".events button").click()
    assert seen.evaluate("() => linkwright.viewer.clock.time") == pytest.approx(1.2)
    assert "a stop <b>" in seen.locator(".events").inner_text()


def test_a_second_run_is_dotted_and_pale(seen):
    seen.evaluate("() => linkwright.viewer.clock.seek(1.0)")
    settle(seen)
    one, other = values(seen, 1)[1].replace("(", "").replace(")", "").split()
    assert float(other) == pytest.approx(1.1 * float(one), rel=1e-3)
    assert seen.locator(".plot").first.locator("path.ghost").count() == 2
    pixels = PIXELS
    before = seen.evaluate(pixels)
    seen.click("#layer-ghost")
    settle(seen)
    assert seen.evaluate(pixels) != before


def test_zeros_have_an_axis_and_hidden_curves_leave_the_range(seen):
    assert seen.evaluate("() => linkwright.viewer.plots.charts[0].y[1]") > 5.0
    seen.locator(".plot").first.locator(".legend button").first.click()
    assert seen.evaluate("() => linkwright.viewer.plots.charts[0].y[1]") < 1.5


def test_a_report_scrolls_once_and_ticks_are_below_ten(running, tmp_path):
    """Small values get the power of ten of their ticks; constants are written; curves scroll with the page."""
    built, motion = swinging("plain")
    efforts, positions = motion.plots
    curves = [replace(each, y=4e-16 * np.abs(each.y) / np.abs(each.y).max()) for each in efforts.curves]
    small = replace(efforts, beside="Closure [m]", curves=curves)
    plots = (small, replace(positions, constants=(("z", 0.25),)), *[efforts] * 4)
    path = tmp_path / "report.html"
    path.write_text(
        page(document(built, replace(motion, plots=plots)), '<div id="report">Tables</div>'), encoding="utf-8"
    )
    with opened(running, local(path), size=(1200, 700)) as (view, witness):
        side = view.locator(".side")
        assert side.evaluate("e => getComputedStyle(e).overflowY") == "visible"
        player = view.locator(".player")
        before = player.bounding_box()
        assert before["y"] + before["height"] == pytest.approx(700, abs=1.0)
        view.mouse.wheel(0, 300)
        view.wait_for_function("() => window.scrollY > 200")
        assert player.bounding_box() == before
        texts = view.locator(".plot").first.locator(".grid text").all_text_contents()
        assert texts[-1] == "\u00d7 1e-16" and "4" in texts
        assert view.locator(".constants").all_inner_texts() == ["constant: z = 0.25 rad"]
        assert witness.errors == []
