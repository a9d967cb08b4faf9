"""The drawing as a program of parameters: its scene is that of the mechanism built with those values."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.runtime.interpreter import evaluate
from linkwright.mechanism.parameterized_mechanism import parameterize_mechanism
from linkwright.viewer import ShownMotion, document
from linkwright.viewer.page_mechanism import free_parameters
from linkwright.viewer.scene_program import numbers_of_scene, scene_program, shape_entry
from tests.compiler.wasm_node import needs_node, run_node
from tests.viewer.mechanisms import bare, home
from tests.viewer.test_bundle import BUNDLE

EXACT = {"rtol": 0.0, "atol": 3e-15}
NAMES = [
    "3-rpr",
    "agile-eye",
    "andrews-squeezer",
    "bennett",
    "delta",
    "four-bar-flexible",
    "par4",
    "puma-560",
    "tricept",
]
AUTOMATIC = ["delta", "gough-stewart", "hexapod", "puma-560", "sarrus"]


def drawn(mech):
    """The content of a still page, and the inputs of its drawing."""
    content = document(lw.build(mech), ShownMotion(np.zeros(1), home(mech.name)[None]))
    return content, parameterize_mechanism(mech, free_parameters(mech))


def values_near(source, rows):
    rng = np.random.default_rng(rows)
    nominal = np.array(source.nominal)
    return nominal * (1.0 + 0.03 * rng.uniform(-1.0, 1.0, (rows, len(nominal))))


def law(mech):
    content, source = drawn(mech)
    found = scene_program(source, content.draw)
    scene = np.array(list(numbers_of_scene(content.data["scene"])), dtype=float)
    for p in (np.array(source.nominal), *values_near(source, 2)):
        wanted = np.array(list(numbers_of_scene(content.draw(source.at(p.tolist())))), dtype=float)
        moved = scene.copy()
        moved[found.indices] = np.ravel(evaluate(found.program, p))
        np.testing.assert_allclose(moved, wanted, **EXACT)
    assert np.abs(wanted - scene).max() > 1e-4  # parameters are seen


@pytest.mark.parametrize("name", NAMES)
def test_the_program_draws_what_the_mechanism_with_these_values_is(name):
    law(lw.catalog.load(name))


@pytest.mark.parametrize("name", AUTOMATIC)
def test_shapes_that_no_file_gives_follow_too(name):
    law(bare(lw.catalog.load(name)))


def test_a_drawing_without_parameters_has_no_program():
    content, _ = drawn(lw.catalog.load("four-bar"))
    assert scene_program(parameterize_mechanism(lw.catalog.load("four-bar"), []), content.draw) is None


@needs_node
def test_the_page_puts_the_numbers_where_they_belong():
    mechanisms = [lw.catalog.load(name) for name in ("four-bar", "hexapod")]
    made = [drawn(mech) for mech in mechanisms]
    values = [values_near(source, 2) for _, source in made]
    jobs = [
        {
            "shape": shape_entry(scene_program(source, content.draw)),
            "scene": content.data["scene"],
            "values": p.tolist(),
        }
        for (content, source), p in zip(made, values)
    ]
    answers = run_node("viewer/scene_node.mjs", {"bundle": str(BUNDLE / "engine.js"), "jobs": jobs})
    for (content, source), rows, scenes in zip(made, values, answers):
        for p, scene in zip(rows, scenes):
            wanted = content.draw(source.at(p.tolist()))
            assert list(scene) == list(wanted)
            np.testing.assert_allclose(list(numbers_of_scene(scene)), list(numbers_of_scene(wanted)), **EXACT)
