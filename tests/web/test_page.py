"""The page in a real browser: it requests nothing, plays, points, hides and shows."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Inertia, Joint, Mechanism
from linkwright.results.charts import time_panel
from linkwright.viewer import ShownMotion, document, page
from tests.viewer.mechanisms import bare, chain, home, model, wobble
from tests.web.browser import PIXELS, Witness, local, opened

EVIL = '<script>window.broken = 1</script><img src=x onerror="window.broken = 2">'


def swinging(name: str = "evil", rows: int = 101) -> tuple[lw.Model, ShownMotion]:
    """A double pendulum with hostile names, two seconds long."""
    rod = Inertia.diagonal(1.0, (0.5, 0.0, 0.0), (0.0, 0.1, 0.1))
    first, second = (f"{letter}{EVIL}" if name == "evil" else letter for letter in "ab")
    mech = Mechanism(
        f"pendulum {EVIL}" if name == "evil" else name,
        (Body(first, rod), Body(second, rod)),
        (
            Joint("shoulder", "ground", first, Revolute()),
            Joint("elbow", first, second, Revolute(), at=lw_pose((1.0, 0.0, 0.0))),
        ),
        gravity=(0.0, -9.81, 0.0),
    )
    t = np.linspace(0.0, 2.0, rows)
    q = np.stack([np.sin(t), 0.5 * np.sin(3.0 * t)], axis=1)
    tau = np.stack([5.0 * np.cos(t), np.cos(2.0 * t)], axis=1)
    curves = (
        time_panel("Efforts", "N m", (first, second), t, tau),
        time_panel("Positions", "rad", ("shoulder", "elbow"), t, q),
    )
    reactions = {"elbow": np.tile([0.0, 0.0, 1.0, 3.0, 4.0, 0.0], (rows, 1))}
    return lw.build(mech), ShownMotion(t, q, tau, reactions, curves)


def lw_pose(xyz):
    from linkwright.algebra.transforms import RigidTransform

    return RigidTransform(xyz)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "pendulum.html"
    path.write_text(page(document(*swinging(), paths=[f"b{EVIL}"])), encoding="utf-8")
    return path


@pytest.fixture
def seen(running, file):
    with opened(running, local(file)) as (view, witness):
        yield view, witness


def pixels(view) -> str:
    """The drawing without anything that lies over it."""
    return view.evaluate(PIXELS)


def body_origin(view, body: int) -> list[float]:
    return view.evaluate(f"() => linkwright.viewer.tracks.matrices[{body}].elements.slice(12, 15)")


def settle(view) -> None:
    view.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def test_the_page_requests_nothing_and_has_no_errors(seen, file):
    view, witness = seen
    view.click("#play")
    view.wait_for_timeout(300)
    assert witness.outside == [local(file)]
    assert witness.errors == []
    assert view.evaluate("() => window.broken") is None


def test_hostile_names_are_shown_as_text(seen):
    view, _ = seen
    assert view.locator("h1").inner_text() == f"pendulum {EVIL}"
    assert view.locator("img").count() == 0
    assert EVIL in view.locator(".legend").first.inner_text()


def test_a_page_opens_playing_but_for_readers_who_want_less_motion(running, file):
    with opened(running, local(file), playing=True) as (view, _):
        view.wait_for_function("() => linkwright.viewer.clock.time > 0.1")
    with opened(running, local(file), playing=True, reduced_motion="reduce") as (view, _):
        view.wait_for_timeout(200)
        assert not view.evaluate("() => linkwright.viewer.clock.playing")


def test_a_click_traces_the_point_under_the_pointer(seen):
    """The middle of the first rod moves on the circle about its joint; Escape removes the path."""
    view, _ = seen
    named = view.evaluate("() => linkwright.viewer.traces.all.length")
    view.mouse.click(*screen(view, 0.5, 0.0, 0.0))
    settle(view)
    assert view.evaluate("() => linkwright.viewer.traces.all.length") == named + 1
    points = np.array(view.evaluate("() => linkwright.viewer.traces.items.at(-1).recorded")).reshape(-1, 3)
    radii = np.hypot(points[:, 0], points[:, 1])
    assert len(points) == 101 and np.ptp(radii) < 1e-5 and radii[0] == pytest.approx(0.5, abs=0.02)
    view.keyboard.press("Escape")
    assert view.evaluate("() => linkwright.viewer.traces.all.length") == named


def test_playing_moves_the_bodies(seen):
    view, _ = seen
    before = pixels(view)
    view.click("#play")
    view.wait_for_function("() => linkwright.viewer.clock.time > 0.2")
    view.click("#play")
    settle(view)
    assert pixels(view) != before
    stopped = view.evaluate("() => linkwright.viewer.clock.time")
    view.wait_for_timeout(150)
    assert view.evaluate("() => linkwright.viewer.clock.time") == stopped


def test_the_slider_the_scene_and_the_cursor_agree(seen):
    view, _ = seen
    for share in (0.25, 0.7):
        view.locator("#slider").evaluate(
            "(s, x) => { s.value = x; s.dispatchEvent(new Event('input')) }", str(2.0 * share)
        )
        settle(view)
        assert view.evaluate("() => linkwright.viewer.clock.time") == pytest.approx(2.0 * share)
        boxes = view.evaluate(
            "() => [...document.querySelectorAll('.now')].map(n => [n.getBoundingClientRect().left,"
            " n.parentElement.getBoundingClientRect().left, n.parentElement.getBoundingClientRect().width])"
        )
        assert len(boxes) == 2
        for line, left, width in boxes:
            assert (line - left) / width == pytest.approx(share, abs=0.01)
        angle = np.sin(2.0 * share)
        assert body_origin(view, 1) == pytest.approx([np.cos(angle), np.sin(angle), 0.0], abs=2e-4)


def test_a_click_on_a_plot_sets_the_time(seen):
    view, _ = seen
    box = view.locator(".chart-area").first.bounding_box()
    view.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"])
    settle(view)
    assert view.evaluate("() => linkwright.viewer.clock.time") == pytest.approx(0.8, abs=0.02)
    assert float(view.locator("#slider").input_value()) == pytest.approx(0.8, abs=0.02)


def screen(view, x: float, y: float, z: float) -> tuple[float, float]:
    """Position of a point of the world on the screen."""
    return tuple(
        view.evaluate(
            """([x, y, z]) => {
              const stage = linkwright.viewer.stage, canvas = stage.renderer.domElement.getBoundingClientRect();
              const p = linkwright.viewer.tracks.matrices[0].clone().setPosition(x, y, z);
              p.premultiply(stage.camera.matrixWorldInverse).premultiply(stage.camera.projectionMatrix);
              const e = p.elements, w = e[15];
              const [u, v] = [(e[12] / w + 1) / 2, (1 - e[13] / w) / 2];
              return [canvas.left + u * canvas.width, canvas.top + v * canvas.height];
            }""",
            [x, y, z],
        )
    )


def test_pointing_names_a_joint_and_a_body_with_their_values(seen):
    view, _ = seen
    view.evaluate("() => linkwright.viewer.clock.seek(0.5)")
    settle(view)
    angle = float(np.sin(0.5))
    elbow = np.array([np.cos(angle), np.sin(angle)])
    view.mouse.move(*screen(view, *elbow, 0.0))
    shown = view.locator(".hover").inner_text()
    assert shown.startswith("elbow") and "revolute joint" in shown and "angle" in shown
    assert float(shown.split("angle")[1].split()[0]) == pytest.approx(0.5 * np.sin(1.5), abs=1e-4)
    view.mouse.move(*screen(view, *(0.5 * elbow), 0.0))
    shown = view.locator(".hover").inner_text()
    assert shown.startswith("a<script>") and "mass 1 kg" in shown
    view.mouse.move(*screen(view, -0.9, -0.9, 0.0))
    assert not view.locator(".hover").is_visible()


def test_the_scale_bar_is_as_long_as_it_states_and_the_axes_point_as_they_do(seen):
    """Two points of the drawing's plane one bar apart are that many pixels apart on the screen."""
    view, _ = seen
    text, width = view.evaluate(
        "() => [document.querySelector('#scale').textContent,"
        " document.querySelector('.scale-bar').getBoundingClientRect().width]"
    )
    number, unit = text.split()
    length = float(number) * {"m": 1.0, "mm": 1e-3}[unit]
    (x0, y0), (x1, y1) = screen(view, 0.0, 0.0, 0.0), screen(view, length, 0.0, 0.0)
    assert np.hypot(x1 - x0, y1 - y0) == pytest.approx(width, abs=1.5)
    letters = view.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('#overlay text')]"
        ".map(t => [t.textContent, [Number(t.getAttribute('x')), Number(t.getAttribute('y'))]]))"
    )
    assert letters["x"][0] > 20 and abs(letters["x"][1]) < 1 and letters["y"][1] < -20
    assert "grid" in view.locator("#spacing").inner_text()


def test_signs_and_keys_are_listed_on_request(seen):
    view, _ = seen
    view.keyboard.press("?")
    assert view.locator("dialog.help").is_visible() and "actuator" in view.locator("dialog.help").inner_text()
    view.keyboard.press("Escape")
    assert not view.locator("dialog.help").is_visible()


def test_every_layer_can_be_shown_and_hidden(seen):
    view, _ = seen
    layers = view.locator(".layers input")
    assert layers.count() == 8
    for i in range(layers.count()):
        states = []
        for _ in range(3):
            settle(view)
            states.append(pixels(view))
            layers.nth(i).click()
        layers.nth(i).click()
        assert states[0] != states[1] and states[0] == states[2], layers.nth(i).get_attribute("id")


def test_keys_play_step_and_turn_dark(seen):
    view, _ = seen
    view.keyboard.press("End")
    assert view.evaluate("() => linkwright.viewer.clock.time") == 2.0
    view.keyboard.press("ArrowLeft")
    assert view.evaluate("() => linkwright.viewer.clock.time") == pytest.approx(1.98)
    view.keyboard.press("Space")
    assert view.evaluate("() => linkwright.viewer.clock.playing")
    view.keyboard.press("Space")
    before = pixels(view)
    view.keyboard.press("d")
    settle(view)
    assert pixels(view) != before


def test_planar_mechanisms_are_seen_without_perspective_and_can_be_otherwise(seen):
    view, _ = seen
    assert view.evaluate("() => linkwright.viewer.stage.camera.isOrthographicCamera")
    view.keyboard.press("o")
    assert view.evaluate("() => linkwright.viewer.stage.camera.isPerspectiveCamera")


def test_a_picture_can_be_saved(seen, tmp_path):
    view, _ = seen
    with view.expect_download() as saving:
        view.get_by_role("button", name="Save a picture").click()
    saving.value.save_as(tmp_path / "picture.png")
    content = (tmp_path / "picture.png").read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 3000


def test_every_control_has_a_name(seen):
    view, _ = seen
    nameless = view.evaluate(
        """() => [...document.querySelectorAll('button, input, select')]
             .filter(e => !(e.getAttribute('aria-label') || e.closest('label') || e.textContent.trim())).length"""
    )
    assert nameless == 0


def test_a_phone_shows_everything_without_sideways_scrolling(running, file):
    with opened(running, local(file), size=(390, 800), has_touch=True, is_mobile=True) as (view, witness):
        assert view.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert view.locator("#play").is_visible() and view.locator(".view canvas").is_visible()
        assert witness.errors == []


def test_a_two_second_gough_stewart_page_is_drawn(running, tmp_path):
    path = tmp_path / "gough-stewart.html"
    path.write_text(page(document(model("gough-stewart"), wobble("gough-stewart", rows=2001))), encoding="utf-8")
    with opened(running, local(path)) as (view, witness):
        assert view.locator(".plot").count() == 4 and witness.errors == []


def test_a_thousand_bodies_are_a_few_draw_calls(running, tmp_path):
    path = tmp_path / "chain.html"
    q = np.full((1, 1000), 0.01)
    path.write_text(page(document(lw.build(chain(1000)), ShownMotion(np.zeros(1), q))), encoding="utf-8")
    with opened(running, local(path)) as (view, witness):
        calls = view.evaluate("() => linkwright.viewer.stage.renderer.info.render.calls")
        assert calls < 30 and witness.errors == []


def test_samples_that_are_no_numbers_do_not_stop_the_page(running, tmp_path):
    built, motion = swinging("plain")
    q = motion.q.copy()
    q[40:60] = np.nan
    tau = motion.tau.copy()
    tau[10] = np.nan
    broken = ShownMotion(motion.t, q, tau, {}, (time_panel("Efforts", "N m", ("a", "b"), motion.t, tau),))
    path = tmp_path / "broken.html"
    path.write_text(page(document(built, broken)), encoding="utf-8")
    with opened(running, local(path)) as (view, witness):
        view.evaluate("() => linkwright.viewer.clock.seek(1.0)")
        settle(view)
        held = np.sin(motion.t[39])
        assert body_origin(view, 1) == pytest.approx([np.cos(held), np.sin(held), 0.0], abs=1e-5)
        assert "not numbers" in view.locator(".note").inner_text() and witness.errors == []


def test_data_of_another_version_is_refused_with_a_message(running, tmp_path):
    built, motion = swinging("plain")
    content = document(built, motion)
    content.data["format"] = 99
    path = tmp_path / "other.html"
    path.write_text(page(content), encoding="utf-8")
    context = running.new_context()
    view = context.new_page()
    view.goto(local(path))
    assert "format 99" in view.locator(".fault").inner_text()
    context.close()


def test_an_empty_run_draws_the_mechanism(running, tmp_path):
    built = model("four-bar")
    path = tmp_path / "empty.html"
    path.write_text(page(document(built, ShownMotion(np.zeros(0), np.zeros((0, built.nq))))), encoding="utf-8")
    with opened(running, local(path)) as (view, witness):
        assert "empty" in view.locator(".note").inner_text() and witness.errors == []
        assert not view.locator("#play").is_visible()


def test_bending_is_drawn_larger_on_request_and_reported_at_true_size(running, tmp_path):
    """Sine shapes: the middle of the coupler is displaced by eta1, 2 mm, and its ends stay on their joints."""
    built = model("four-bar-flexible")
    q = np.array([built.assemble().q] * 2)
    q[1, 3] = 2e-3
    path = tmp_path / "beam.html"
    path.write_text(page(document(built, ShownMotion(np.array([0.0, 1.0]), q))), encoding="utf-8")
    with opened(running, local(path)) as (view, witness):
        view.evaluate("() => linkwright.viewer.clock.seek(1.0)")
        settle(view)

        def bent() -> tuple[float, float]:
            return tuple(
                view.evaluate(
                    """() => {
                      const p = linkwright.viewer.beams.group.children[0].geometry.attributes.position;
                      const rows = Array.from({ length: p.count }, (_, i) => [p.getX(i), p.getY(i)]);
                      const at = (x) => rows.filter((r) => Math.abs(r[0] - x) < 1e-6).map((r) => r[1]);
                      const middle = (ys) => (Math.max(...ys) + Math.min(...ys)) / 2;
                      return [middle(at(2.0)), middle(at(4.0))];
                    }"""
                )
            )

        assert bent() == pytest.approx((2e-3, 0.0), abs=1e-6)
        assert "2 mm (coupler)" in view.locator("#deflection").inner_text()
        view.select_option("#bending", "50")
        settle(view)
        assert bent() == pytest.approx((0.1, 0.0), abs=1e-6)
        assert "2 mm (coupler)" in view.locator("#deflection").inner_text() and witness.errors == []


def test_rigid_mechanisms_have_no_choice_of_bending(seen):
    view, _ = seen
    assert not view.locator(".bending").is_visible()


def test_the_first_view_holds_the_whole_mechanism(running, tmp_path):
    """Every corner of every solid, at all times of the motion, lies inside the picture and right of the panel."""
    path = tmp_path / "bare.html"
    built = lw.build(bare(lw.catalog.load("gough-stewart")))
    q = np.stack([home("gough-stewart")] * 2)
    path.write_text(page(document(built, ShownMotion(np.array([0.0, 1.0]), q))), encoding="utf-8")
    with opened(running, local(path), size=(900, 600)) as (view, witness):
        low, high, left = view.evaluate(
            """() => {
              const { stage, outline } = linkwright.viewer, p = outline.map((x) => x.clone().project(stage.camera));
              const flat = p.flatMap((x) => [x.x, x.y]);
              const lowest = p.reduce((a, x) => Math.min(a, x.x), 9);
              return [Math.min(...flat), Math.max(...flat), (lowest + 1) / 2 * stage.host.clientWidth - stage.covered];
            }"""
        )
        assert -1.0 < low < -0.5 and 0.5 < high < 1.0 and left > 0.0 and witness.errors == []


def test_a_run_shows_itself_in_a_notebook(running, tmp_path):
    built = model("four-bar")
    run = lw.simulate(built, built.assemble().q, t_end=0.1, effort=[6.0], output=6)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><body>{run._repr_html_()}</body>", encoding="utf-8")
    context = running.new_context(viewport={"width": 900, "height": 700})
    view, witness = context.new_page(), Witness()
    witness.watch(view)
    view.goto(local(path))
    inner = view.frame_locator("iframe")
    inner.locator("#linkwright[data-ready=true]").wait_for(timeout=30_000)
    assert "four-bar" in inner.locator("h1").inner_text() and inner.locator(".plot").count() > 3
    assert witness.errors == []
    context.close()
