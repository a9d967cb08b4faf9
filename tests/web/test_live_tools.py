"""Numbers, units, history, poses and the gallery of the live page, in a real browser."""

import numpy as np
import pytest

from linkwright.viewer import live_requests
from linkwright.viewer.live_server import LiveServer
from tests.viewer.mechanisms import model
from tests.web.browser import opened


@pytest.fixture(scope="module")
def server():
    served = LiveServer(model("five-bar"), "five-bar")
    thread = served.start()
    yield served
    served.close()
    thread.join(timeout=5)


@pytest.fixture(scope="module")
def view(running, server):
    with opened(running, server.address, size=(1000, 600)) as (page, witness):
        yield page
        assert witness.errors == []


def actuators(view) -> list[float]:
    return view.evaluate("() => linkwright.live.state.actuators")


def enter(view, label: str, text: str, then: str) -> None:
    field = view.get_by_label(label)
    field.fill(text)
    field.press("Enter")
    view.wait_for_function(then)


def test_a_number_is_entered_in_degrees_or_radians(view):
    field = view.get_by_label("motor1, as a number")
    assert float(field.input_value()) == pytest.approx(np.degrees(actuators(view)[0]), rel=1e-5)
    enter(view, "motor1, as a number", "120", "() => Math.abs(linkwright.live.state.actuators[0] - 2.0943951) < 1e-6")
    view.click("#unit-rad")
    assert float(field.input_value()) == pytest.approx(2.0943951, rel=1e-5)
    view.click("#unit-rad")


def test_a_crank_that_turns_round_has_a_slider_of_one_turn(view):
    """The slider shows the angle between -180 and 180 degrees that the crank has, also after several turns."""
    enter(view, "motor1, as a number", "190", "() => Math.abs(linkwright.live.state.actuators[0] - 3.3161256) < 1e-6")
    slider = view.locator(".slider input").first
    view.wait_for_function("() => document.querySelector('.slider input').value < 0")
    assert float(slider.input_value()) == pytest.approx(np.radians(190.0 - 360.0), abs=1e-6)
    assert float(slider.get_attribute("max")) == pytest.approx(np.pi)


def test_a_planar_platform_has_planar_freedoms(view):
    names = view.locator("#live-platform label span").all_inner_texts()
    assert names == ["x [m]", "y [m]", "yaw [°]"]
    grip = view.evaluate("() => { const g = linkwright.live.grip; return [g.showX, g.showY, g.showZ]; }")
    assert grip == [True, True, False]


def test_undo_and_redo_by_keys(view):
    start = actuators(view)[0]
    view.wait_for_timeout(500)
    enter(view, "motor1, as a number", "100", "() => Math.abs(linkwright.live.state.actuators[0] - 1.7453293) < 1e-6")
    view.wait_for_timeout(500)
    view.locator("#undo").focus()
    view.keyboard.press("Control+z")
    view.wait_for_function(f"() => Math.abs(linkwright.live.state.actuators[0] - {start}) < 1e-6")
    view.wait_for_timeout(500)
    view.keyboard.press("Control+y")
    view.wait_for_function("() => Math.abs(linkwright.live.state.actuators[0] - 1.7453293) < 1e-6")


def test_a_named_pose_is_kept_and_found_again(view):
    kept = actuators(view)[0]
    view.fill("#pose-name", "ready")
    view.click("#pose-save")
    enter(view, "motor1, as a number", "80", "() => Math.abs(linkwright.live.state.actuators[0] - 1.3962634) < 1e-6")
    view.get_by_label("Go to the pose ready").click()
    view.wait_for_function(f"() => Math.abs(linkwright.live.state.actuators[0] - {kept}) < 1e-6")


def test_the_gallery_shows_the_assembly_modes(view):
    view.click("#modes")
    view.wait_for_selector("#gallery button")
    assert view.locator("#gallery img").count() == 2
    before = view.locator("#live-branch").inner_text()
    view.locator("#gallery button").nth(1).click()
    view.wait_for_function(f"() => document.querySelector('#live-branch').textContent !== {before!r}")


def test_the_handle_follows_a_change_of_the_camera(view):
    for _ in range(2):
        view.keyboard.press("o")
        same = view.evaluate("() => linkwright.live.grip.camera === linkwright.viewer.stage.camera")
        assert same


def test_the_platform_goes_to_an_entered_position(view):
    view.click("#home")
    x, y = view.evaluate("() => linkwright.live.state.platform.slice(0, 2)")
    target = x + 0.02
    done = f"() => Math.abs(linkwright.live.state.platform[0] - {target}) < 1e-6"
    enter(view, "x of the platform, as a number", f"{target:.9f}", done)
    assert view.evaluate("() => linkwright.live.state.platform[1]") == pytest.approx(y, abs=1e-6)


def test_ranges_follow_the_mechanism():
    """From another position of one actuator the other reaches another interval."""
    built = model("3-rrr")
    held = live_requests.make_grip(built, built.assemble().q)
    first = live_requests.reachable_sliders(held, {})
    moved = live_requests.respond_to_request(
        held, {"actuators": [first[0]["low"] + 0.6, *live_requests.respond_to_request(held, {})["actuators"][1:]]}
    )
    second = live_requests.reachable_sliders(held, {"q": moved["q"]})
    assert [s["name"] for s in first] == list(built.actuated) and first[1:] != second[1:]
    for slider, x in zip(second, moved["actuators"], strict=True):
        assert slider["low"] <= x <= slider["high"]


def test_the_gauge_of_a_planar_arm_is_that_of_its_plane():
    """A stretched 3R arm is singular in its plane; bent it is not, though it cannot leave the plane."""
    built = model("three-link-arm")
    held = live_requests.make_grip(built, built.assemble().q)
    bent, straight = (
        live_requests.respond_to_request(held, {"q": q})["singularity"] for q in ([0.3, 1.2, 1.2], [0.3, 0.0, 0.0])
    )
    assert straight < 1e-9 < 0.05 < bent
