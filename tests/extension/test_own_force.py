"""The force element of the page "Write your own force" works everywhere, at a tree joint and at a cut joint."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.forces import element as force_registry
from linkwright.formats.mjcf.mjcf_writer import to_mjcf
from linkwright.formats.yaml import from_yaml, to_yaml
from tests.export.hostile_names import run_kit

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "write-your-own-force.md").read_text(encoding="utf-8")
HARDENING = "forces.wind.hardening"
STEP = 1e-4


@pytest.fixture(scope="module", autouse=True)
def element():
    """The class of the page, registered while this module runs."""
    known = {"__name__": __name__}
    before = dict(force_registry._ELEMENTS)
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], known)
    yield known["Hardening"]
    force_registry._ELEMENTS.clear()
    force_registry._ELEMENTS.update(before)


@pytest.fixture(scope="module")
def plain():
    return lw.build(lw.catalog.load("four-bar"))


@pytest.fixture(scope="module", params=["tree", "cut"])
def model(request, element):
    mech = lw.catalog.load("four-bar")
    joint = mech.joints[-1].name if request.param == "tree" else mech.loops[0].name
    return lw.build(replace(mech, forces=(element("wind", joint, 3.0, 2.0, 0.5),)), inputs=[HARDENING])


def state(model, angle=1.1, rate=0.7):
    q = model.assemble(fixed={model.independent[0]: angle}).q
    return model.forward_kinematics([angle], [rate], [0.3], near=q)


def test_its_power_is_the_rate_of_its_energy_and_its_loss(model, plain):
    q, v, a = state(model)
    force = model.mechanism.forces[0]

    def stored(h):
        there, _, _ = state(model, 1.1 + 0.7 * h)
        return float(np.sum(model.energy(there, 0.0 * v)[1]) - np.sum(plain.energy(there, 0.0 * v)[1]))

    gained = (stored(STEP) - stored(-STEP)) / (2.0 * STEP)
    bare = 0.7 * plain.inverse_dynamics(q, v, a)[0]
    without_loss, whole = (0.7 * _effort(model, each, (q, v, a)) - bare for each in (replace(force, loss=0.0), force))
    assert without_loss == pytest.approx(gained, rel=1e-6) and abs(gained) > 0.1
    assert whole - without_loss > 1e-3


def _effort(model, force, at):
    return lw.build(replace(model.mechanism, forces=(force,))).inverse_dynamics(*at)[0]


def test_columns_times_parameters_are_the_efforts(model):
    q, v, a = state(model)
    assert model.regressor(q, v, a) @ model.regressor_parameters.values == pytest.approx(
        model.inverse_dynamics(q, v, a), rel=1e-10
    )
    assert {"wind.stiffness", "wind.hardening", "wind.loss"} <= set(model.regressor_parameters.names)


def test_two_formulations_agree_and_invert_inverse_dynamics(model):
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    for formulation in (lw.Multipliers(), lw.Minimal()):
        assert model.forward_dynamics(q, v, tau, formulation=formulation) == pytest.approx(a, rel=1e-9, abs=1e-9)


def test_derivatives_are_those_of_differences(model):
    q, v, a = state(model)
    tau = [model.inverse_dynamics(q, v, a, p=[2.0 + h])[0] for h in (-STEP, STEP)]
    derivative = model.regressor(q, v, a)[0, list(model.regressor_parameters.names).index("wind.hardening")]
    assert (tau[1] - tau[0]) / (2.0 * STEP) == pytest.approx(derivative, rel=1e-6)


def test_a_run_keeps_the_balance_of_energy(model):
    q, v, _ = state(model)
    run = lw.simulate(model, q, v, 0.5)
    assert run.meta["energy_balance"]["relative"] < 1e-7


def test_files_and_drawings_know_it(model):
    mech = model.mechanism
    assert from_yaml(to_yaml(mech)) == mech
    assert f"joint: {mech.forces[0].joint}" in to_yaml(mech) and "type: hardening" in to_yaml(mech)
    assert "lost-force" in {loss.code for loss in to_mjcf(mech).losses}
    with pytest.raises(lw.errors.FormatError, match="not registered"):
        from_yaml(to_yaml(mech).replace("type: hardening", "type: softening"))


def test_pages_and_the_c_kit_have_it(model, tmp_path):
    """The kit's own test compares its compiled functions with the model's results."""
    lw.view(model.mechanism, tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000
    kit = lw.export.c_kit(model, "k")
    assert any("hardening" in text for text in kit.files.values())
    assert "pass" in run_kit(kit, tmp_path / "kit")
