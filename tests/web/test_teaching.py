"""What teachers draw into a mechanism, live: instant centers, polygons of velocities and forces, reactions, names."""

import numpy as np
import pytest
from PIL import Image

import linkwright as lw
from linkwright.viewer.page import mechanism_page
from tests.viewer.mechanisms import model
from tests.web.browser import local, opened
from tests.web.test_play import ENGINE, frames, ready


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("teaching")
    (folder / "four-bar.html").write_text(mechanism_page(model("four-bar")), encoding="utf-8")
    lw.analysis.explain(lw.catalog.load("four-bar")).report(folder / "explained.html")
    return folder


@pytest.fixture(scope="module")
def view(running, pages):
    """The four-bar in the reader's hands, its group of motion and forces open."""
    with opened(running, local(pages / "four-bar.html"), size=(1300, 900)) as (page, witness):
        ready(page)
        page.keyboard.press("h")
        page.get_by_text("Motion and forces", exact=True).click()
        yield page
        assert witness.errors == []


def rows(page, expression: str, width: int) -> np.ndarray:
    return np.array(page.evaluate(f"() => Array.from({expression})")).reshape(-1, width)


def test_rates_and_reactions_are_those_of_the_model(view):
    here = model("four-bar")
    q = np.array(view.evaluate(f"() => [...{ENGINE}.state.q]"))
    v = np.array(view.evaluate(f"() => [...{ENGINE}.ratesOf(0)]"))
    assert v[here.v_names.index("theta")] == pytest.approx(1.0)
    found = rows(view, f"{ENGINE}.bodyRates({ENGINE}.ratesOf(0))", 6)
    assert found == pytest.approx(np.array([here.frame_twist(q, v, name) for name in here.bodies]), abs=1e-12)
    still = np.zeros(here.nv)
    names = view.evaluate("() => linkwright.data.engine.reactions")
    held = here.joint_reactions(q, still, still)
    assert rows(view, f"{ENGINE}.reactions()", 6) == pytest.approx(np.array([held[n] for n in names]), abs=1e-9)


def test_the_velocity_polygon_has_the_crank_and_the_images_of_all_links(view):
    """Crank of 1 m at 1 rad/s: b is 1 m/s long; the coupler's image joins the ends of b and d."""
    view.locator("#teach-velocity-polygon").check()
    frames(view)
    label = view.locator(".polygon svg").first.get_attribute("aria-label")
    assert label.startswith("Velocity polygon") and "b 1 m/s" in label
    assert "drawn for motor at 1 rad/s" in view.locator(".teaching .remark").inner_text()
    assert view.locator(".polygon svg").first.locator("line").count() >= 4


def test_instant_centers_follow_the_mechanism_that_is_dragged(view):
    view.locator("#teach-centers").check()
    frames(view)
    names = view.locator(".over-drawing text").all_text_contents()
    assert {"P01", "P12", "P23", "P03", "P02", "P13"} <= {name for text in names for name in text.split()}
    before = view.locator(".over-drawing circle").evaluate_all("(all) => all.map((c) => c.getAttribute('cx'))")
    view.evaluate("() => linkwright.viewer.play.hand(() => linkwright.viewer.play.engine.drive(0, 1.2))")
    frames(view)
    after = view.locator(".over-drawing circle").evaluate_all("(all) => all.map((c) => c.getAttribute('cx'))")
    assert before != after
    view.keyboard.press("h")


def test_the_force_polygon_closes_at_rest(view):
    """Weight and the forces in both joints of the coupler balance, so that nothing is left for inertia."""
    view.locator("#teach-force-polygon").check()
    view.select_option("#force-body", label="coupler")
    frames(view)
    label = view.locator(".polygon svg").last.get_attribute("aria-label")
    assert label.count(" N") >= 3 and "ma" not in label
    view.locator("#layer-reactions").check()
    frames(view)
    assert view.evaluate("() => linkwright.viewer.reactions.items.some(({ force }) => force.group.visible)")


def test_names_in_an_explanation_mark_the_drawing_and_the_other_way_round(running, pages):
    with opened(running, local(pages / "explained.html"), size=(1300, 900)) as (page, witness):
        ready(page)
        page.locator(".named", has_text="crank").first.hover()
        marked = "() => linkwright.viewer.bodies.highlighted.flatMap(({ indices }) => indices).length"
        assert page.evaluate(marked) > 0
        page.locator(".formulas [data-names]").first.hover()
        assert page.evaluate("() => linkwright.viewer.signs.highlighted.length") > 0
        page.evaluate("() => linkwright.viewer.hover.mark(0)")
        assert set(page.locator(".marked").all_inner_texts()) == {"crank"}
        page.get_by_role("button", name="Play: Move").click()
        assert page.locator(".panel").is_visible() and not page.locator(".explanation").is_visible()
        assert witness.errors == []


def test_a_saved_picture_holds_what_is_drawn_over_the_mechanism(view):
    """Pixels in the color of instant centers."""
    view.locator("#teach-centers").check()
    frames(view)
    with view.expect_download() as saving:
        view.keyboard.press("p")
    pixels = np.asarray(Image.open(saving.value.path()).convert("RGB"), dtype=int)
    assert (np.abs(pixels - (0xAA, 0x33, 0x77)).max(axis=2) < 8).sum() > 20


def test_points_are_chosen_listed_and_removed_without_a_pointer(view):
    view.get_by_text("Points and paths", exact=True).click()
    before = view.locator(".point-list li").count()
    view.select_option("#point", label="center of coupler")
    assert view.locator(".point-list li").count() == before + 1
    view.get_by_label("Remove the path of center of coupler").click()
    assert view.locator(".point-list li").count() == before
