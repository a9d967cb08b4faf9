"""Runs of models with inputs: those of models built anew at the same values."""

import numpy as np
import pytest

import linkwright as lw

FOUR_BAR = {"joints.B.at.x": 4.1, "bodies.crank.mass": 2.0, "gravity.y": -8.0}
STEP = lw.RK4(1e-3)
FORMULATIONS = [
    lw.Multipliers(),
    lw.Multipliers(lw.Baumgarte(10.0)),
    lw.Minimal(),
    lw.Minimal(displacement=True),
    lw.VirtualSprings(1e4, 1e2),
]


def both(name, values, formulation=None, method=STEP, **more):
    """Runs of the model called at values of its inputs, and of one built anew there."""
    model = lw.build(lw.catalog.load(name), inputs=list(values))
    other = model.with_parameters(values)
    anew = lw.build(other.mechanism, alternative_trees=False)
    q, effort = other.assemble().q, np.linspace(1.0, 2.0, model.na)
    options = {"t_end": 0.2, "effort": effort, "formulation": formulation, "method": method, **more}
    return lw.simulate(model, q, p=other.parameters.values, **options), lw.simulate(anew, q, **options)


def assert_same(found, wanted, groups=("q", "v", "a", "tau", "closure", "energy")):
    for one in (each for each in wanted.series if each.group in groups):
        size = max(1.0, np.abs(one.values).max())
        assert np.abs(found[one.name] - one.values).max() < 1e-11 * size, one.name


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_a_run_at_other_values_is_that_of_a_model_built_there(formulation):
    assert_same(*both("four-bar", FOUR_BAR, formulation))


@pytest.mark.parametrize("formulation", [None, lw.VirtualSprings(1e4, 1e2)], ids=repr)
def test_stiff_steps_too(formulation):
    groups = ("q", "v", "energy")  # a spring of 1e4 N/m magnifies rounding of a gap in the accelerations
    assert_same(*both("four-bar", FOUR_BAR, formulation, lw.Rodas5P(h_max=2e-3)), groups)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("stanford-arm", {"joints.theta2.at.y": 0.3, "bodies.link3.mass": 9.0, "bodies.link4.com.z": 0.02}),
        ("gough-stewart", {"bodies.platform.mass": 30.0, "gravity.z": -5.0}),
    ],
)
def test_trees_and_platforms(name, values):
    assert_same(*both(name, values, t_end=0.05))


def test_code_is_shared_between_values(monkeypatch):
    model = lw.build(lw.catalog.load("four-bar"), inputs=list(FOUR_BAR))
    q = model.assemble().q
    assert lw.simulate(model, q, t_end=0.01).meta["complete"]  # the second method too is compiled then
    lw.simulate(model.with_parameters({"bodies.crank.mass": 1.5}), q, t_end=0.01)  # ... and the check of other values
    for module in ("functions.store", "functions.design_inputs"):
        monkeypatch.setattr(f"linkwright.{module}.cached_kernel", lambda *_: pytest.fail("compiled again"))
    run = lw.simulate(model.with_parameters({"bodies.crank.mass": 2.0}), q, t_end=0.01)
    assert run.meta["agreement"]["relative"] < 1e-11


def test_loops_that_open_take_the_values():
    values = {"joints.B.at.x": 4.1, "bodies.crank.mass": 2.0}
    model = lw.build(lw.catalog.load("four-bar"), inputs=list(values))
    other = model.with_parameters(values)
    events = [lw.events.Open("B", when=lambda t, q, v: 0.05 - t)]
    runs = [
        lw.simulate(made, other.assemble().q, t_end=0.1, method=STEP, events=events)
        for made in (other, lw.build(other.mechanism, alternative_trees=False))
    ]
    assert [each["closed"] for each in runs[0].meta["phases"]] == [["B"], []]
    assert_same(*runs)
