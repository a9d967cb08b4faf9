"""Axial loads of links that bend: a warning where they matter and shortening is not counted."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats.yaml.yaml_reader import from_yaml

STEEL, DENSITY, DIAMETER, LENGTH = 2.0e11, 7870.0, 6e-3, 0.3  # the rod of the flexible slider-crank of the literature
AREA, SECOND = np.pi * DIAMETER**2 / 4, np.pi * DIAMETER**4 / 64


def slider_crank(shortening):
    return lw.build(
        from_yaml(f"""
format: 1
name: flexible slider-crank
gravity: [0, 0, 0]
bodies:
  crank: {{mass: 0.05 kg, inertia: [0, 0, 100]}}      # heavy: it keeps its speed
  rod:
    beam: {{length: {LENGTH} m, density: {DENSITY * AREA} kg/m, stiffness: {STEEL * SECOND} N m^2,
            shapes: {{sine: 2}}, shortening: {shortening}}}
  slider: {{mass: {0.5 * DENSITY * AREA * LENGTH} kg}}
joints:
  theta: {{type: revolute, parent: ground, child: crank}}
  phi: {{type: revolute, parent: crank, child: rod, at: [0.15, 0, 0]}}
  s: {{type: prismatic, parent: ground, child: slider, axis: x}}
loops:
  B: {{type: revolute, parent: rod, child: slider, at: [{LENGTH}, 0, 0]}}
actuators: [theta]
""")
    )


def turning(model, rate):
    """A start at which the crank turns at a rate."""
    q, v, i = model.assemble(fixed={"theta": 0.0}).q, np.zeros(model.nv), model.v_names.index("theta")
    v[i] = rate
    v = model.project(q, v)[1]
    return q, v * rate / v[i]


def warned_by(call):
    """The result of a call, and the warnings it gave."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        result = call()
    return result, [each.message for each in given]


def deflection(model, rate):
    """The rod's first shape over two turns, and the warnings of the run."""
    end = 4 * np.pi / rate
    run, given = warned_by(
        lambda: lw.simulate(model, *turning(model, rate), end, effort=[0.0], check=False, output=201)
    )
    return run.q[:, model.q_names.index("rod.eta1")], given


@pytest.fixture(scope="module")
def both():
    return slider_crank("false"), slider_crank("true")


@pytest.mark.parametrize("rate", [15.0, 50.0, 100.0, 150.0])
def test_the_warning_comes_where_shortening_matters_and_says_how_much(both, rate):
    """The share of the buckling load is about what the missing shortening changes: a quarter at 150 rad/s."""
    (without, given), (counted, none) = (deflection(model, rate) for model in both)
    change = np.abs(without - counted).max() / np.abs(counted).max()
    assert not none
    if rate < 20.0:
        assert not given and change < 0.02
        return
    (warning,) = given
    assert isinstance(warning, lw.errors.AccuracyWarning) and "shortening: true" in str(warning)
    assert 0.5 * change < warning.finding.value["rod"] < 2.0 * change


def in_an_ensemble(model, q, v, end):
    """One slow run, and one as given."""
    return lw.simulate_many(model, [q, q], [0.05 * v, v], end, effort=[0.0], output=101)


def with_a_switch(model, q, v, end):
    """The same motion in two phases, the second without the loop."""
    opening = lw.events.Open("B", when=lambda t, q, v: t - 0.9 * end)
    return lw.simulate(model, q, v, end, effort=[0.0], events=[opening], output=101)


def in_steps(model, q, v, end):
    stepper = lw.Stepper(model, 2, 1e-5, q=q)
    stepper.reset(v=v)
    for _ in range(int(end / 1e-5)):
        stepper.step([0.0])


@pytest.mark.parametrize("run", [in_an_ensemble, with_a_switch, in_steps])
@pytest.mark.parametrize(("rate", "matters"), [(15.0, False), (100.0, True)])
def test_every_way_to_run_warns_once(both, run, rate, matters):
    without, counted = both
    end = 0.5 * np.pi / rate
    expected = deflection(without, rate)[1]
    _, given = warned_by(lambda: run(without, *turning(without, rate), end))
    found = [each for each in given if getattr(each.finding, "code", "") == "axial-load"]
    assert len(found) == len(expected) == int(matters)
    assert not warned_by(lambda: run(counted, *turning(counted, rate), end))[1]
    if matters:
        assert found[0].finding.value["rod"] == pytest.approx(expected[0].finding.value["rod"], rel=0.5)
