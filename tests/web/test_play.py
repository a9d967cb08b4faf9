"""The mechanism in the reader's hands: dragged, typed, let go, pushed, driven, taken over and taken along."""

import ast

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats.study import from_study_text
from linkwright.viewer.page import mechanism_page
from linkwright.viewer.page_stops import page_stops
from linkwright.viewer.run_report import run_report_page
from tests.viewer.mechanisms import model
from tests.viewer.test_report import run
from tests.web import axe
from tests.web.browser import local, opened

ENGINE = "linkwright.viewer.play.engine"
NAMES = ("five-bar", "gough-stewart", "puma-560")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play")
    for name in NAMES:
        (folder / f"{name}.html").write_text(mechanism_page(model(name)), encoding="utf-8")
    (folder / "report.html").write_text(run_report_page(run()), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def view(running, pages):
    """The five-bar, open for all tests that end where they began."""
    with opened(running, local(pages / "five-bar.html"), size=(1000, 600)) as (page, witness):
        ready(page)
        yield page
        assert witness.errors == [] and witness.outside == [local(pages / "five-bar.html")]


@pytest.fixture(autouse=True)
def _begin_at_home(request):
    if "view" in request.fixturenames:
        page = request.getfixturevalue("view")
        page.evaluate("() => document.activeElement.blur()")
        page.keyboard.press("h")


def ready(page) -> None:
    page.wait_for_function("() => linkwright.viewer.play")


def state(page, what: str):
    return page.evaluate(f"() => {{ const s = {ENGINE}.state.{what}; return s?.map ? [...s] : s }}")


def frames(page, count: int = 2) -> None:
    page.evaluate(
        "(n) => new Promise((done) => { const go = () => n-- ? requestAnimationFrame(go) : done(); go() })", count
    )


def on_screen(page, body: int, share: float = 0.5) -> tuple[float, float]:
    """A point of a body on the screen, between its origin and its center of mass and beyond."""
    return tuple(
        page.evaluate(
            """([body, share]) => {
              const { viewer, data } = linkwright, stage = viewer.stage;
              const box = stage.renderer.domElement.getBoundingClientRect();
              const p = stage.camera.position.clone().fromArray(data.engine.bodies[body].center);
              p.multiplyScalar(2 * share).applyMatrix4(viewer.tracks.matrices[body]).project(stage.camera);
              return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
            }""",
            [body, share],
        )
    )


def enter(page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    frames(page)


def test_a_stranger_finds_what_to_do(view):
    view.keyboard.press("t")
    for name in ("Let go", "Home pose", "Undo", "One step", "Back to where"):
        assert view.get_by_role("button", name=name).first.is_visible(), name
    found = view.locator(".group[open] h2").all_inner_texts()
    assert found == ["Actuators", "Dimensions", "What acts in a run", "Values"]


def test_a_number_is_typed_in_degrees_or_radians(view):
    enter(view, "motor1, as a number", "120")
    assert state(view, "actuators")[0] == pytest.approx(np.radians(120.0), abs=1e-9)
    view.click("#unit-rad")
    field = view.get_by_label("motor1, as a number", exact=True)
    assert float(field.input_value()) == pytest.approx(np.radians(120.0), rel=1e-5)
    view.click("#unit-rad")


def test_a_slider_moves_its_actuator_within_what_it_reaches(view):
    frames(view)
    slider = view.locator(".slider input[type=range]").nth(1)
    low, high = float(slider.get_attribute("min")), float(slider.get_attribute("max"))
    now = state(view, "actuators")[1]
    assert low < now < high
    target = 0.5 * (now + high)
    slider.evaluate("(s, x) => { s.value = x; s.dispatchEvent(new Event('input')) }", str(target))
    assert state(view, "actuators")[1] == pytest.approx(target, abs=1e-9)
    assert "N m" in view.locator(".slider .effort").first.inner_text()


def test_undo_and_redo_by_keys(view):
    view.wait_for_timeout(500)
    start = state(view, "actuators")[0]
    enter(view, "motor1, as a number", "100")
    view.wait_for_timeout(500)
    view.locator("#undo").focus()
    view.keyboard.press("Control+z")
    assert state(view, "actuators")[0] == pytest.approx(start, abs=1e-9)
    view.wait_for_timeout(500)
    view.keyboard.press("Control+y")
    assert state(view, "actuators")[0] == pytest.approx(np.radians(100.0), abs=1e-9)


def test_what_is_let_go_moves_in_time_and_comes_back(view):
    before = state(view, "q")
    view.keyboard.press("Space")
    view.wait_for_function("() => linkwright.viewer.play.time > 0.1")
    assert view.locator("#let-go").inner_text().strip() == "Pause"
    view.keyboard.press("Space")
    assert state(view, "gap") < 1e-9
    stopped = view.evaluate("() => linkwright.viewer.play.time")
    view.keyboard.press(".")
    assert view.evaluate("() => linkwright.viewer.play.time") == pytest.approx(stopped + 1 / 60, abs=1e-9)
    view.keyboard.press("b")
    assert state(view, "q") == pytest.approx(before, abs=1e-9)


def test_a_pointer_pushes_what_runs(view):
    """Without gravity nothing but the push moves it; the newtons stand beside the arrow and go with it."""
    view.keyboard.press("h")
    view.evaluate("() => document.activeElement.blur()")
    x, y = on_screen(view, 0)
    view.keyboard.press("Space")
    view.mouse.move(x, y)
    view.mouse.down()
    view.mouse.move(x + 30, y - 20, steps=3)
    view.wait_for_function("() => linkwright.viewer.play.engine.state.energy[0] > 1e-6")
    assert view.locator(".newtons").inner_text().endswith(" N")
    view.mouse.up()
    frames(view)
    assert not view.locator(".newtons").is_visible()
    view.keyboard.press("Space")


def test_locked_actuators_hold_and_driven_ones_swing(view):
    frames(view)
    view.locator("#motors-locked").check()
    view.keyboard.press(".")
    start = state(view, "actuators")
    for _ in range(6):
        view.keyboard.press(".")
    assert state(view, "actuators") == pytest.approx(start, abs=1e-6)
    view.keyboard.press("b")
    view.locator("#motors-driven").check()
    enter(view, "amplitude of motor1, as a number", "10")
    enter(view, "amplitude of motor2, as a number", "0")
    view.evaluate("() => document.activeElement.blur()")
    for _ in range(30):
        view.keyboard.press(".")
    swung = np.subtract(state(view, "actuators"), start)
    assert swung[0] == pytest.approx(np.radians(10.0), abs=2e-3) and abs(swung[1]) < 2e-3
    view.locator("#motors-free").check()


def test_the_state_is_copied_as_python_that_runs_and_as_a_study(view):
    view.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view.get_by_text("Keep", exact=True).click()
    enter(view, "motor1, as a number", "118")
    view.click("#copy-python")
    view.wait_for_function("() => document.querySelector('#message').textContent === 'Copied.'")
    text = view.evaluate("() => navigator.clipboard.readText()")
    ast.parse(text)
    found: dict = {}
    exec(text, found)
    assert found["q"] == pytest.approx(state(view, "q"), abs=1e-9)
    assert "# theta1" in text
    view.click("#copy-yaml")
    view.wait_for_function("() => navigator.clipboard.readText().then((text) => text.startsWith('format'))")
    study = from_study_text(view.evaluate("() => navigator.clipboard.readText()"))
    assert study.mechanism == "five-bar" and list(study.start.q) == pytest.approx(state(view, "q"))


def test_changed_dimensions_are_in_the_python_and_the_study_that_are_copied(view):
    view.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if not view.locator("#copy-python").is_visible():
        view.get_by_text("Keep", exact=True).click()
    enter(view, "distal in m, as a number", "0.3")
    enter(view, "distal_mass in kg, as a number", "0.5")
    enter(view, "distal_mass in kg, as a number", "-1")
    assert "Parameter distal_mass cannot be below zero." in view.locator("#message").text_content()
    view.click("#copy-python")
    view.wait_for_function("() => navigator.clipboard.readText().then((text) => text.startsWith('import'))")
    found: dict = {}
    exec(view.evaluate("() => navigator.clipboard.readText()"), found)
    assert found["mech"].value("distal") == 0.3 and found["mech"].value("distal_mass") == 0.5
    assert found["q"] == pytest.approx(state(view, "q"), abs=1e-9)
    view.click("#copy-yaml")
    view.wait_for_function("() => navigator.clipboard.readText().then((text) => text.startsWith('format'))")
    study = from_study_text(view.evaluate("() => navigator.clipboard.readText()"))
    assert study.parameters["distal"] == 0.3 and study.parameters["base"] == 0.1
    view.click("#nominal")


def test_a_recorded_motion_is_saved_as_a_study_and_drives_the_actuators(view, tmp_path):
    if not view.locator("#record").is_visible():
        view.get_by_text("Keep", exact=True).click()
    view.click("#record")
    for angle in range(131, 139, 2):
        enter(view, "motor1, as a number", str(angle))
        view.wait_for_timeout(30)
    view.click("#record")
    with view.expect_download() as saving:
        view.click("#study")
    saving.value.save_as(tmp_path / "study.yaml")
    study = from_study_text((tmp_path / "study.yaml").read_text(encoding="utf-8"))
    assert study.mechanism == "five-bar" and study.t_end > 0
    view.click("#replay")
    assert view.evaluate("() => linkwright.viewer.play.laws[0].x.length > 3")
    view.click("#replay")
    view.locator("#motors-free").check()


def test_assembly_modes_are_pictures_that_lead_there(view):
    view.get_by_text("Assembly modes", exact=True).click()
    view.click("#modes")
    assert view.locator("#gallery canvas").count() == view.evaluate(f"() => {ENGINE}.assemblyModes().length")
    view.locator("#gallery button").last.click()
    assert state(view, "gap") < 1e-9


def test_rolling_curves_follow_a_run(view):
    view.select_option("#curve", label="total energy")
    assert view.locator(".strip").count() == 2
    view.get_by_label("Remove the curve of total energy").click()
    assert view.locator(".strip").count() == 1


def test_the_recorded_motion_is_taken_over_at_its_instant(running, pages):
    """The report's velocities go on: a step later the mechanism is where the run was then."""
    with opened(running, local(pages / "report.html")) as (page, witness):
        ready(page)
        page.evaluate("() => linkwright.viewer.clock.seek(0.2)")
        page.click("#take-over")
        assert page.locator(".panel").is_visible() and not page.locator(".plot").first.is_visible()
        done = run()
        row = np.abs(done.t - 0.2).argmin()
        assert state(page, "q") == pytest.approx(list(done.q[row]), abs=2e-3)
        assert state(page, "v") == pytest.approx(list(done.v[row]), abs=2e-2)
        page.get_by_role("button", name="Curves").click()
        assert page.locator(".plot").first.is_visible()
        page.click("#leave")
        assert page.locator("#slider").is_visible() and witness.errors == []


def test_end_stops_hold_joints_in_a_run_as_on_the_host_and_can_be_switched_off(running, pages):
    here = model("puma-560")
    q, slack, until = here.assemble().q, 0.03, 1.0
    limits = np.array([(each.limits.lower[0], each.limits.upper[0]) for each in here.mechanism.joints])
    done = lw.simulate(here, q, 0.0 * q, until, stops=page_stops(here), method=lw.DOP853(1e-8))
    with opened(running, local(pages / "puma-560.html")) as (page, witness):
        ready(page)
        page.evaluate("() => linkwright.viewer.play.take()")
        run = f"""([q, stops, until]) => {{
          const engine = {ENGINE};
          engine.setState(q);
          engine.start({{ gravity: true, stops, motors: "free" }});
          engine.advance(until);
          return [...engine.state.q];
        }}"""
        held = np.array(page.evaluate(run, [q.tolist(), True, until]))
        assert held == pytest.approx(done.q[-1], abs=1e-5)
        assert np.all(held > limits[:, 0] - slack) and np.all(held < limits[:, 1] + slack)
        free = np.array(page.evaluate(run, [q.tolist(), False, until]))
        assert np.any(free < limits[:, 0] - 3 * slack) or np.any(free > limits[:, 1] + 3 * slack)
        assert witness.errors == []


def test_a_page_that_may_not_compute_is_an_animation_and_says_so(running, pages, tmp_path):
    text = (pages / "five-bar.html").read_text(encoding="utf-8").replace("&#x27;wasm-unsafe-eval&#x27;", "")
    path = tmp_path / "strict.html"
    path.write_text(text, encoding="utf-8")
    with opened(running, local(path)) as (page, _):
        page.wait_for_selector(".note")
        assert "animation" in page.locator(".note").inner_text() and not page.locator(".side").is_visible()
        page.keyboard.press("End")
        assert page.evaluate("() => linkwright.viewer.clock.time === linkwright.viewer.clock.end")


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_plays_by_touch_without_sideways_scrolling(running, pages, name):
    options = {"has_touch": True, "is_mobile": True}
    with opened(running, local(pages / f"{name}.html"), size=(390, 780), **options) as (page, witness):
        ready(page)
        page.tap("#take-over")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        bar = page.locator(".transport.run").bounding_box()
        for control in page.locator(".transport.run button").all():
            box = control.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] >= 30
        page.tap("#let-go")
        page.wait_for_function("() => linkwright.viewer.play.time > 0")
        page.tap("#let-go")
        assert page.locator(".transport.run").bounding_box() == bar and witness.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_page_that_is_played_with(running, pages, scheme):
    if not axe.SCRIPT.exists():
        pytest.skip("no axe-core on this computer: run `npm ci` in viewer/")
    with opened(running, local(pages / "gough-stewart.html"), bypass_csp=True, color_scheme=scheme) as (page, _):
        ready(page)
        page.click("#take-over")
        page.evaluate("() => document.querySelectorAll('.group').forEach((group) => (group.open = true))")
        assert axe.findings(page) == []
