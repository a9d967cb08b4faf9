"""Sliders of parameters in the live page: a length changes, the loops stay closed, the drawing follows."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.viewer.live_requests import free_parameters
from linkwright.viewer.live_server import LiveServer
from tests.web.browser import opened


@pytest.fixture(scope="module")
def server():
    mech = lw.catalog.load("five-bar")
    served = LiveServer(lw.build(mech, inputs=free_parameters(mech)), "five-bar")
    thread = served.start()
    yield served
    served.close()
    thread.join(timeout=5)


@pytest.fixture
def seen(running, server):
    with opened(running, server.address, size=(1000, 640)) as (view, witness):
        yield view, witness


def state(view) -> dict:
    return view.evaluate("() => linkwright.live.state")


def lengths(view) -> list[float]:
    """Sizes along x of all that is drawn."""
    return view.evaluate("() => linkwright.data.scene.solids.map((s) => Math.max(...s.size))")


def test_a_slider_changes_a_length_with_the_loops_closed(seen, server):
    view, witness = seen
    names = [each["name"] for each in view.evaluate("() => linkwright.data.live.parameters")]
    before, drawn = state(view), lengths(view)
    entry = view.get_by_label("distal in m, as a number")
    entry.fill("0.4")
    entry.press("Enter")
    view.wait_for_function("() => Math.abs(linkwright.live.state.parameters[2] - 0.4) < 1e-12")
    after = state(view)
    assert names[2] == "distal" and after["gap"] < 1e-12
    assert after["q"] != before["q"]
    assert lengths(view) != drawn
    model = server.session.model.with_parameters(distal=0.4)
    assert np.abs(model.closure_residual(np.array(after["q"]))).max() < 1e-12
    slider = view.get_by_label("distal in m", exact=True)
    assert float(slider.input_value()) == pytest.approx(0.4)
    view.locator("#nominal").click()
    view.wait_for_function("() => Math.abs(linkwright.live.state.parameters[2] - 0.35) < 1e-12")
    assert sorted(lengths(view)) == pytest.approx(sorted(drawn))
    assert not witness.errors


def test_a_length_with_which_nothing_closes_is_refused_with_the_reason(seen):
    view, witness = seen
    entry = view.get_by_label("proximal in m, as a number")
    entry.fill("0.001")
    entry.press("Enter")
    entry = view.get_by_label("distal in m, as a number")
    view.wait_for_function(
        "() => document.getElementById('message').textContent !== '' || linkwright.live.state.parameters[1] < 0.01"
    )
    entry.fill("0.02")
    entry.press("Enter")
    view.wait_for_function("() => document.getElementById('message').textContent.includes('clos')")
    assert state(view)["parameters"][2] == pytest.approx(0.35)
    assert float(view.get_by_label("distal in m", exact=True).input_value()) == pytest.approx(0.35)
    assert not [e for e in witness.errors if "422" not in str(e)]


def test_a_lost_server_is_reported_and_tried_again(running):
    served = LiveServer(lw.build(lw.catalog.load("four-bar")), "four-bar")
    thread = served.start()
    with opened(running, served.address, size=(800, 460)) as (view, _):
        served.close()
        thread.join(timeout=5)
        view.evaluate("() => linkwright.live.requests.send({})")
        view.wait_for_function("() => document.getElementById('message').textContent.includes('connection')")
        assert "lost" in view.locator("#message").inner_text()
