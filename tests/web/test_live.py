"""The live page in a real browser: dragging moves the mechanism and closes its loops, reload and a second tab work."""

import re

import pytest

from linkwright.formats.study import from_study_text
from linkwright.viewer.live_server import LiveServer
from tests.viewer.mechanisms import model
from tests.web.browser import opened


@pytest.fixture(scope="module")
def server():
    served = LiveServer(model("gough-stewart"), "gough-stewart")
    thread = served.start()
    yield served
    served.close()
    thread.join(timeout=5)


@pytest.fixture
def seen(running, server):
    with opened(running, server.address, size=(800, 460)) as (view, witness):
        yield view, witness


def state(view) -> dict:
    return view.evaluate("() => linkwright.live.state")


def handle(view) -> tuple[float, float]:
    """Position of the platform's handle on the screen."""
    return tuple(
        view.evaluate(
            """() => {
              const stage = linkwright.viewer.stage, box = stage.renderer.domElement.getBoundingClientRect();
              const [x, y, z] = linkwright.live.state.platform;
              const p = linkwright.viewer.tracks.matrices[0].clone().setPosition(x, y, z);
              p.premultiply(stage.camera.matrixWorldInverse).premultiply(stage.camera.projectionMatrix);
              const e = p.elements, w = e[15];
              return [box.left + (e[12] / w + 1) / 2 * box.width, box.top + (1 - e[13] / w) / 2 * box.height];
            }"""
        )
    )


def test_the_mouse_drags_the_platform_with_all_loops_closed(seen, server):
    view, witness = seen
    before = state(view)["platform"]
    x, y = handle(view)
    view.mouse.move(x, y)
    view.wait_for_timeout(50)
    view.mouse.down()
    for i in range(1, 9):
        view.mouse.move(x + 4 * i, y - 3 * i)
        view.wait_for_timeout(20)
    view.mouse.up()
    view.wait_for_timeout(200)
    after = state(view)
    assert max(abs(a - b) for a, b in zip(after["platform"][:3], before[:3], strict=True)) > 0.02
    assert after["gap"] < 1e-9 and witness.errors == []
    assert all(url.startswith(f"http://127.0.0.1:{server.port}/") for url in witness.outside)


def test_two_hundred_random_drags_keep_every_closure_residual_below_a_nanometer(seen):
    view, _ = seen
    gaps = view.evaluate(
        """async () => {
          let seed = 7;
          const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;
          const gaps = [];
          linkwright.viewer.stage.later = () => {};  // software drawing would take most of the time
          for (let i = 0; i < 200; i++) {
            const pose = linkwright.live.state.platform.map((x) => x + 0.2 * random());
            const state = await linkwright.live.requests.now({ pose, turning: i % 2 === 1 });
            gaps.push(state.gap);
          }
          return gaps;
        }"""
    )
    assert len(gaps) == 200 and max(gaps) < 1e-9


def test_an_unreachable_target_stops_with_a_message(seen):
    view, _ = seen
    view.evaluate(
        """async () => {
          for (let i = 0; i < 25; i++)
            await linkwright.live.requests.now({ pose: [40, 0, 1.5, ...linkwright.live.state.platform.slice(3)] });
        }"""
    )
    assert re.search("stopped", view.locator("#message").inner_text())
    assert state(view)["gap"] < 1e-9 and not state(view)["reached"]


def test_a_slider_moves_its_actuator_and_the_numbers(seen):
    view, _ = seen
    slider = view.locator(".slider input").first
    target = state(view)["actuators"][0] + 0.05
    slider.evaluate("(s, x) => { s.value = x; s.dispatchEvent(new Event('input')) }", str(target))
    view.wait_for_function(f"() => Math.abs(linkwright.live.state.actuators[0] - {target}) < 1e-9")
    assert float(view.locator(".slider .entry").first.input_value()) == pytest.approx(target, rel=1e-5)
    assert "++++++" in view.locator("#live-branch").inner_text()
    assert float(view.locator("#live-singularity").inner_text()) > 0
    assert "N" in view.locator(".slider .effort").first.inner_text()


def test_broken_limits_turn_red(seen):
    view, _ = seen
    view.evaluate(
        """async () => {
          for (let i = 0; i < 12; i++) {
            const actuators = linkwright.live.state.actuators.map((x) => Math.max(x - 0.1, 0.45));
            await linkwright.live.requests.now({ actuators });
          }
          const pose = [...linkwright.live.state.platform];
          const far = [pose[0], pose[1], 8.0, ...pose.slice(3)];
          for (let i = 0; i < 30; i++) await linkwright.live.requests.now({ pose: far });
        }"""
    )
    assert view.locator("#limits li").count() > 0
    assert view.locator(".slider.over").count() > 0


def test_reload_and_a_second_tab_keep_their_own_pose(seen, server):
    view, _ = seen
    target = state(view)["actuators"][2] + 0.04
    view.evaluate(
        "(x) => linkwright.live.requests.now({ actuators: linkwright.live.state.actuators.with(2, x) })", target
    )
    second = view.context.new_page()
    second.goto(server.address)
    second.wait_for_selector("#linkwright[data-ready=true]")
    assert state(second)["actuators"][2] == pytest.approx(target - 0.04)
    view.reload()
    view.wait_for_selector("#linkwright[data-ready=true]")
    view.wait_for_function(f"() => Math.abs(linkwright.live.state.actuators[2] - {target}) < 1e-9")
    second.close()


def test_a_recorded_motion_is_saved_as_a_study(seen, tmp_path):
    view, _ = seen
    view.click("#record")
    view.evaluate(
        """async () => {
          for (let i = 0; i < 12; i++) {
            await linkwright.live.requests.now({ actuators: linkwright.live.state.actuators.map((x) => x + 0.003) });
            await new Promise((r) => setTimeout(r, 5));
          }
        }"""
    )
    view.click("#record")
    with view.expect_download() as saving:
        view.click("#study")
    saving.value.save_as(tmp_path / "study.yaml")
    study = from_study_text((tmp_path / "study.yaml").read_text(encoding="utf-8"))
    assert study.mechanism == "gough-stewart" and study.t_end > 0


def test_a_key_changes_the_handle_between_moving_and_turning(seen):
    view, _ = seen
    assert view.evaluate("() => linkwright.live.grip.mode") == "translate"
    view.keyboard.press("r")
    assert view.evaluate("() => linkwright.live.grip.mode") == "rotate"
    assert view.locator("#turn").inner_text() == "Move"


def test_another_assembly_mode_is_one_button_away(seen):
    view, _ = seen
    before = state(view)["actuators"]
    view.click("#mode")
    view.wait_for_function("() => linkwright.live.state.message.includes('assembly mode')", timeout=60_000)
    assert state(view)["actuators"] == pytest.approx(before, abs=1e-8) and state(view)["gap"] < 1e-9


@pytest.fixture(scope="module")
def flexible():
    served = LiveServer(model("four-bar-flexible"), "four-bar-flexible")
    thread = served.start()
    yield served
    served.close()
    thread.join(timeout=5)


def on_screen(view, xyz: list[float]) -> tuple[float, float]:
    """Position of a point of the world on the screen."""
    return tuple(
        view.evaluate(
            """(xyz) => {
              const stage = linkwright.viewer.stage, box = stage.renderer.domElement.getBoundingClientRect();
              const p = stage.camera.position.clone().set(...xyz).project(stage.camera);
              return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
            }""",
            xyz,
        )
    )


def test_a_link_of_a_mechanism_without_a_platform_is_dragged_by_the_mouse(running, flexible):
    with opened(running, flexible.address, size=(900, 560)) as (view, witness):
        before, theta = state(view), state(view)["q"][0]
        x, y = on_screen(view, [0.0, 0.8, 0.0])  # on the crank, which stands upright
        view.mouse.move(x, y)
        view.mouse.down()
        assert view.evaluate("() => linkwright.live.pulling.active && !linkwright.viewer.stage.controls.enabled")
        for i in range(1, 7):
            view.mouse.move(x + 6 * i, y)
        view.wait_for_function("(q) => linkwright.live.state.q[0] < q - 0.05", arg=theta)
        view.mouse.up()
        after = state(view)
        assert after["gap"] < 1e-9 and after["branch"] == before["branch"]
        assert after["q"][3:] == pytest.approx(before["q"][3:], abs=1e-12)
        assert "from the pointer" in view.locator("#message").inner_text()
        assert view.evaluate("() => !linkwright.live.pulling.active && linkwright.viewer.stage.controls.enabled")
        assert witness.errors == []


def test_pulling_at_nothing_turns_the_view_and_moves_no_mechanism(running, flexible):
    with opened(running, flexible.address, size=(900, 560)) as (view, _):
        before = state(view)["q"], view.evaluate("() => linkwright.viewer.stage.camera.position.toArray()")
        x, y = on_screen(view, [1.5, 0.2, 0.0])
        view.mouse.move(x, y)
        view.mouse.down()
        view.mouse.move(x + 60, y + 30, steps=4)
        view.mouse.up()
        view.wait_for_timeout(150)
        assert state(view)["q"] == before[0]
        assert view.evaluate("() => linkwright.viewer.stage.camera.position.toArray()") != before[1]


def test_distances_to_singularities_are_shown_by_kind(seen):
    view, _ = seen
    distances = state(view)["singularities"]
    for kind in ("type 2", "constraint"):
        shown = float(view.locator(f"#live-{kind.replace(' ', '-')}").inner_text())
        assert shown == pytest.approx(distances[kind], rel=1e-3)
