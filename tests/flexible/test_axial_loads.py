"""Axial loads of links that bend: a warning where they matter and shortening is not counted."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats.yaml.reader import from_yaml

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


def deflection(model, rate):
    """The rod's first shape over two turns, and the warnings of the run."""
    q, v, i = model.assemble(fixed={"theta": 0.0}).q, np.zeros(model.nv), model.v_names.index("theta")
    v[i] = rate
    v = model.project(q, v)[1]
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        run = lw.simulate(model, q, v * rate / v[i], 4 * np.pi / rate, effort=[0.0], check=False, output=201)
    return run.q[:, model.q_names.index("rod.eta1")], [each.message for each in given]


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
    assert isinstance(warning, lw.AccuracyWarning) and "shortening: true" in str(warning)
    assert 0.5 * change < warning.finding.value["rod"] < 2.0 * change
