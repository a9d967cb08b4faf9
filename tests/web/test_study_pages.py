"""Pages of studies in a real browser: every kind of chart, light, dark and on a phone."""

import re

import numpy as np
import pytest

from linkwright.results.charts import Band, Curve, Map, Panel, Surface, histogram, stretches
from linkwright.results.study_result import StudyContent
from linkwright.viewer.study_report import write_study_report
from tests.web.browser import Witness, local

X = np.linspace(0.0, 2.0, 41)
GRID = np.add.outer(np.arange(5.0), np.arange(4.0))
CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
FACES = np.array([[0, 1, 2], [1, 3, 2]])


def every_kind() -> StudyContent:
    """A study with each kind of chart."""
    line = Curve("parabola", X, 1e-4 * X**2)
    panels = [
        Panel("s [m]", "height [m]", [line], bands=[Band("half to double", X, 0.5e-4 * X**2, 2e-4 * X**2)]),
        Panel("s [m]", "double [N]", [Curve("line", X, 2.0 * X), Curve("loop", np.sin(X * 6.0), X, dashed=True)]),
        Panel("k [N/m]", "opening [m]", [Curve("law", [1e3, 1e6], [1e-3, 1e-6])], log=True),
        Panel("x [m]", "y [m]", [Curve("designs", [0.2, 0.1, 0.3], [1.0, 2.0, 0.5], dots=True)], "Points", equal=True),
        histogram("error [m]", "runs", [1, 3, 2], [0.0, 1e-3, 2e-3, 3e-3]),
        stretches("x [m]", {"inside": [(0.0, 1.0)], "out of reach": [(1.0, 1.5)]}, "Range"),
        Map("x [m]", "y [m]", np.arange(5.0), np.arange(4.0), GRID, "condition"),
        Map("l", "d", X[:0], X[:0], X[:0], "cost", equal=False, points=CORNERS[:, :2], at_points=np.arange(4.0)),
        Map("x [m]", "y [m]", X, X, X, "index", "Region", points=CORNERS[:, :2], triangles=FACES, at_points=X[:4]),
        Surface(("x [m]", "y [m]", "z [m]"), CORNERS, FACES, np.arange(4.0), "condition", "Boundary"),
        Panel("conditioning", "ratio", [Curve("sets", [0.28, 0.64], [0.1, 30.0], dots=True)], log=True),
    ]
    return StudyContent("Every <kind>", {"a_long_name": "text " * 30}, panels=panels)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "study.html"
    write_study_report(every_kind(), path)
    return path


@pytest.fixture(params=[("light", 1000), ("dark", 1000), ("light", 360)], ids=["light", "dark", "phone"])
def seen(request, running, file):
    scheme, width = request.param
    context = running.new_context(
        viewport={"width": width, "height": 700}, color_scheme=scheme, accept_downloads=True, reduced_motion="reduce"
    )
    page, witness = context.new_page(), Witness()
    witness.watch(page)
    page.goto(local(file))
    page.wait_for_selector("#charts[data-ready=true]", timeout=30_000)
    yield page
    assert witness.errors == []
    context.close()


def readings(page, chart: int) -> list[str]:
    return page.locator(".plot").nth(chart).locator(".legend output").all_inner_texts()


def test_every_chart_is_drawn_within_the_page(seen):
    assert seen.locator(".plot").count() == len(every_kind().panels)
    assert seen.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    paths = seen.locator(".curves path, .areas path").evaluate_all("all => all.map((p) => p.getAttribute('d'))")
    assert len(paths) == 10 and all(paths)
    colors = """(canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }"""
    assert all(count >= 5 for count in seen.locator("canvas").evaluate_all(f"all => all.map({colors})"))


def test_numbers_of_logarithmic_axes_stand_where_they_are(seen):
    """Their logarithms grow evenly with their positions; a label of two digits is the number itself."""
    chart = seen.locator(".plot").filter(has_text="conditioning").first
    read = ["text-anchor", "x", "y"]
    texts = chart.locator("svg text").evaluate_all(
        f"all => all.map((t) => [...{read}.map((name) => t.getAttribute(name)), t.textContent])"
    )
    for anchor, at in (("middle", 1), ("end", 2)):
        ticks = [
            (float(t[at]), np.log10(float(t[3]))) for t in texts if t[0] == anchor and re.fullmatch(r"[\d.e-]+", t[3])
        ]
        where, numbers = np.array(ticks).T
        assert len(ticks) >= 2 and np.abs(np.polyval(np.polyfit(where, numbers, 1), where) - numbers).max() < 1e-6


def test_numbers_have_fitting_prefixes_and_follow_the_pointer(seen):
    """A parabola of 100 um at s = 1 m; charts over one axis have one range, and show their numbers together."""
    first = seen.locator(".plot").first
    assert first.locator("figcaption span").first.inner_text() == "height [um]"
    area = first.locator(".chart-area")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    seen.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 20)
    s, height, both = readings(seen, 0)
    assert float(s) == pytest.approx(0.5, abs=0.02) and float(height) == pytest.approx(100.0 * float(s) ** 2, rel=5e-3)
    assert [float(x) for x in both.split(" to ")] == pytest.approx([0.5 * float(height), 2.0 * float(height)], rel=1e-2)
    assert float(readings(seen, 1)[1]) == pytest.approx(2.0 * float(s), rel=1e-2)
    seen.mouse.move(box["x"] + 20, box["y"] - 30)
    assert set(readings(seen, 0)) == {""}


def test_dots_show_their_own_numbers_and_logarithms_are_undone(seen):
    area = seen.locator(".plot").nth(3).locator(".chart-area")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    seen.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert [float(x) for x in readings(seen, 3)] in ([0.2, 1.0], [0.1, 2.0], [0.3, 0.5])
    area = seen.locator(".plot").nth(2).locator(".chart-area")
    area.scroll_into_view_if_needed()
    area.focus()
    seen.keyboard.press("ArrowRight")
    stiffness, opening = (float(x) for x in readings(seen, 2))
    assert stiffness * opening == pytest.approx(1e-3, rel=2e-3)  # MN/m times mm: 1 N


def test_a_surface_turns_and_maps_tell_their_values(seen):
    canvas = seen.locator("canvas").last
    before = canvas.evaluate("(c) => c.toDataURL()")
    canvas.focus()
    seen.keyboard.press("ArrowLeft")
    seen.wait_for_timeout(100)
    assert canvas.evaluate("(c) => c.toDataURL()") != before
    grid = seen.locator("canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    seen.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    text = seen.locator(".reading").first.inner_text()
    x, y, value = (float(part.split()[2]) for part in text.split(","))
    assert value in (round(x) + np.floor(y), round(x) + np.ceil(y))
