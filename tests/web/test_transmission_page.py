"""The page of a transmission's pack: sliders, efforts and inertia as the library has them, without a request."""

import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from tests.web.browser import Witness, local

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "humanoid-ankle.md"


@pytest.fixture(scope="module")
def ankle(tmp_path_factory):
    """The mechanism, and its page on disk."""
    folder = tmp_path_factory.mktemp("ankle")
    (folder / "ankle.yaml").write_text(re.search(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1], "utf-8")
    mech = lw.load(folder / "ankle.yaml")
    files = lw.export.transmission(mech, "motor1 motor2", "ankle", "ankle")
    (folder / "ankle.html").write_text(files["ankle.html"], "utf-8")
    return lw.submechanism(mech, ["motor1", "motor2"], ["ankle"]), folder / "ankle.html"


def test_sliders_move_the_other_side(running, ankle):
    sub, file = ankle
    context = running.new_context(viewport={"width": 400, "height": 800})
    page, witness = context.new_page(), Witness()
    witness.watch(page)
    page.goto(local(file))
    page.wait_for_selector("html[data-result=ready]")

    def numbers(expression):
        return np.array(page.evaluate(f"[...transmission.robot.{expression}]"))

    page.get_by_label("Joint ankle.first").fill("0.3")
    page.get_by_label("Joint ankle.second").fill("-0.1")
    x = numbers("outputs(transmission.state).q")
    np.testing.assert_allclose(x, [0.3, -0.1], atol=2e-3)  # a thousandth of the range
    state = sub.from_outputs(x)
    np.testing.assert_allclose(numbers("actuators(transmission.state).q"), state.inputs, atol=1e-12)
    np.testing.assert_allclose(
        numbers("outputMassMatrix(transmission.state.q)"), sub.inertia(state.q).ravel(), rtol=1e-9
    )
    page.get_by_label("Effort at ankle.first").fill("20")
    shown = page.locator("#numbers table").first.locator("td").all_inner_texts()
    np.testing.assert_allclose([float(t) for t in shown], sub.input_efforts(state.q, [20.0, 0.0]), rtol=1e-3)
    page.get_by_label("Motor motor1").fill("0.5")
    y = numbers("actuators(transmission.state).q")
    np.testing.assert_allclose(numbers("outputs(transmission.state).q"), sub.from_inputs(y).outputs, atol=1e-12)
    largest, smallest = (float(t) for t in page.locator("#numbers table").nth(2).locator("td").all_inner_texts()[:2])
    gain = np.linalg.svd(sub.inverse_jacobian(sub.from_inputs(y).q))[1]
    np.testing.assert_allclose([largest, smallest], gain, rtol=2e-3)
    page.locator("#map svg").click()  # in its middle
    np.testing.assert_allclose(numbers("outputs(transmission.state).q"), [0.0, 0.0], atol=0.02)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert witness.outside == [local(file)] and witness.errors == []
    context.close()
