"""A run attempts at most `max_steps` steps, whatever its method, and reports what it did with them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.formats.study import from_study_text

METHODS = [lw.RK4(1e-3), lw.DP5(h=1e-3), lw.DP5(h_max=1e-3), lw.DOP853(h_max=1e-3), lw.Rodas5P(h_max=1e-3)]
NEVER = [lw.RK4(1e-300), lw.DP5(h=1e-300), lw.DP5(h_max=1e-300), lw.DOP853(h_max=1e-300), lw.Rodas5P(h_max=1e-300)]


@pytest.fixture(scope="module")
def arm():
    return lw.build(lw.catalog.load("three-link-arm"))


@pytest.fixture(scope="module")
def four_bar():
    return lw.build(lw.catalog.load("four-bar"))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_run_ends_where_its_budget_is_used_up(arm, method):
    whole = lw.simulate(arm, [0, 0, 0], t_end=0.1, method=method, output=0.001)
    part = lw.simulate(arm, [0, 0, 0], t_end=0.1, method=method, output=0.001, stop_at=("limits",), max_steps=40)
    assert part.meta["ended"]["kind"] == "budget" and not part.meta["complete"]
    assert part.stats["steps"] + part.stats["rejected"] == 40
    assert "budget of 40 steps" in part.meta["ended"]["text"] and "max_steps=" in part.meta["ended"]["text"]
    assert 0.0 < part.t[-1] <= part.meta["ended"]["t"] < 0.1
    same = np.isin(whole.t, part.t)
    assert np.array_equal(whole.q[same], part.q[np.isin(part.t, whole.t)])


@pytest.mark.parametrize("method", NEVER, ids=repr)
def test_steps_that_never_reach_the_end_are_refused_at_once(arm, method):
    with pytest.raises(ArgumentError, match=r"takes 1e\+300 steps for 1 s, and max_steps is 100000000; take longer"):
        lw.simulate(arm, [0, 0, 0], method=method)
    if not isinstance(method, lw.Rodas5P):
        with pytest.raises(ArgumentError, match="max_steps is 7"):
            lw.simulate_many(arm, [0, 0, 0], method=method, max_steps=7)


def test_a_run_that_an_event_may_end_is_not_refused(arm):
    falls = lw.events.Crossing("falls", lambda t, q, v: q[0] + 0.01, stop=True)
    run = lw.simulate(arm, [0, 0, 0], t_end=1e9, method=lw.RK4(1e-3), events=[falls], output=[0.0, 1e9])
    assert run.meta["ended"]["kind"] == "event" and run.t[-1] < 1.0


@pytest.mark.parametrize("method", [lw.DP5(), lw.DOP853(), lw.Rodas5P()], ids=repr)
def test_a_step_that_does_not_change_the_time_ends_the_run(arm, method):
    stuck = lw.simulate(arm, [0, 0, 0], [1e60, -1e60, 0], t_end=1.0, output=2, method=method, max_steps=100_000)
    assert stuck.meta["ended"]["kind"] in ("underflow", "failed")
    assert stuck.stats["steps"] + stuck.stats["rejected"] < 1000


def test_every_run_of_an_ensemble_has_the_budget(four_bar):
    q = four_bar.assemble().q
    many = lw.simulate_many(four_bar, np.array([q] * 5), t_end=0.2, method=lw.DP5(h_max=1e-3), max_steps=250, threads=1)
    assert many.status == ("done",) * 5
    fast = four_bar.independent_map(q)[:, 0]
    speeds = np.array([0.0, 0.0, 0.0, 0.0, 400.0])[:, None] * fast
    some = lw.simulate_many(four_bar, np.array([q] * 5), speeds, t_end=0.2, max_steps=60, threads=1)
    assert some.status == ("done",) * 4 + ("budget",)
    assert some.counts["steps"][4] + some.counts["rejected"][4] == 60
    assert "60 steps is used up" in some.reasons[4] and some[4].meta["ended"]["kind"] == "budget"


@pytest.mark.parametrize("given", [0, -1, 1.5, True, "many", None, float("inf")])
def test_a_budget_is_a_whole_number(arm, given):
    with pytest.raises(ArgumentError, match="max_steps is"):
        lw.simulate(arm, [0, 0, 0], max_steps=given)


def test_a_study_has_a_budget(arm):
    text = "{format: 1, mechanism: three-link-arm, t_end: 1, method: {name: rk4, step: 1 ms}, max_steps: 500}"
    study = from_study_text(text)
    with pytest.raises(ArgumentError, match="takes 1e\\+03 steps for 1 s, and max_steps is 500"):
        lw.run_study(study, arm.mechanism)
    assert lw.run_study(study.model_copy(update={"max_steps": 1000}), arm.mechanism).meta["complete"]
