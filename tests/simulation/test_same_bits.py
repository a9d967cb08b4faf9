"""A run has the same bits alone, in an ensemble and in a stepper."""

import numpy as np
import pytest

import linkwright as lw
from tests.simulation.mechanisms import catalog_model

MECHANISMS = [
    "three-link-arm", "stanford-arm", "puma-560", "four-bar", "five-bar", "slider-crank", "bennett", "3-rrr",
    "agile-eye", "theo-jansen-leg", "andrews-squeezer", "delta", "gough-stewart", "four-bar-flexible",
]  # fmt: skip
METHODS = [lw.DOP853(), lw.DOP853(1e-6), lw.DP5(), lw.DP5(h=1e-3), lw.RK4(1e-3)]


def differences(alone, many, i=0):
    """Series of a run that differ from those of run i of an ensemble; those of beams follow from them."""
    rows = many.values[i, : len(alone.t)]
    return [
        each.name
        for each, k in zip(alone.series, range(rows.shape[1]))
        if each.values.tobytes() != rows[:, k].tobytes()
    ]


@pytest.mark.filterwarnings("ignore::linkwright.errors.AccuracyWarning")  # 1 ms is long for the squeezer
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_run_has_the_same_bits_alone_and_among_others(name):
    model = catalog_model(name)
    q, tau = model.assemble().q, [0.1] * model.na
    other = model.kinematics.branch_samples[0] if model.kinematics.has_closure else q + 0.1
    for method in METHODS:
        given = {"t_end": 0.05, "method": method, "output": [0.0, 0.012, 0.0305, 0.05]}
        alone = lw.simulate(model, q, effort=tau, check=False, **given)
        many = lw.simulate_many(model, [other, q, other], effort=tau, **given)
        assert alone.meta["complete"] and len(alone.t) == 4 and not differences(alone, many, 1), method
        assert alone.stats["steps"] == many.counts["steps"][1]


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_stiff_method_gives_the_same_bits_too(name, tmp_path):
    model = catalog_model(name)
    q, tau = model.assemble().q, [0.1] * model.na
    given = {"t_end": 0.02, "method": lw.Rodas5P(1e-4), "effort": tau}
    alone = lw.simulate(model, q, check=False, output=3, **given)
    many = lw.simulate_many(model, [q, q], output=3, path=tmp_path / "many.npz", **given)
    assert alone.meta["complete"] and many.status == ("done", "done") and not differences(alone, many, 1)
    assert alone.stats["steps"] == many.counts["steps"][1] and lw.open_result(tmp_path / "many.npz").done.all()


@pytest.mark.parametrize("method", [lw.RK4, lw.DP5], ids=lambda method: method.__name__)
@pytest.mark.parametrize("name", ["stanford-arm", "four-bar", "3-rrr"])
def test_a_stepper_has_the_bits_of_a_run(name, method):
    model, h = catalog_model(name), 1e-3
    robots, tau = lw.Stepper(model, 3, h, method), [0.1] * model.na
    alone = lw.simulate(model, robots.q[1], effort=tau, t_end=20 * h, method=method(h=h), output=2, check=False)
    for _ in range(20):
        robots.step(tau)
    assert robots.q[1].tobytes() == alone.q[-1].tobytes() and robots.v[1].tobytes() == alone.v[-1].tobytes()
    assert robots.work[1] == alone["work"][-1] and robots.losses[1] == alone["losses"][-1]


class Swing:
    """An effort law for any scalar."""

    def tau(self, t, q, v):
        return np.array([0.2 * np.sin(5.0 * t) - 0.1 * x for x in v[:2]])


def pull(t, q, v):
    return [0.1 * np.cos(t), 0.2, 0.0]


@pytest.mark.parametrize("name", ["five-bar"])
def test_laws_wrenches_and_inputs_change_nothing_of_it(name):
    model = lw.build(lw.catalog.load(name), inputs=["bodies.distal1.mass"])
    q, wrench = model.assemble().q, lw.Wrench("distal1", force=pull)
    for method in (lw.DOP853(), lw.DP5(), lw.RK4(1e-3)):
        given = {"t_end": 0.05, "method": method, "effort": Swing(), "wrench": wrench, "output": 5}
        alone = lw.simulate(model, q, p=[0.2], check=False, **given)
        many = lw.simulate_many(model, [q, q], p=[[0.1], [0.2]], **given)
        assert not differences(alone, many, 1), method
