"""Events, limits and loops that close and open in ensembles: every run is that of `simulate`."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError


@pytest.fixture(scope="module")
def crank():
    mech = lw.catalog.load("four-bar")
    name = mech.joints[0].name
    joints = tuple(
        replace(j, limits=lw.Limits(lower=(-9.0,), upper=(2.5,))) if j.name == name else j for j in mech.joints
    )
    model = lw.build(replace(mech, joints=joints))
    return model, model.assemble().q


def same(many, i, run):
    kept = np.isin(run.t, many.t)
    assert np.array_equal(many[i].q, run.q[kept])
    assert [(e.t, e.kind, e.name) for e in many.events[i]] == [
        (e.t, e.kind, e.name) for e in run.events if e.kind != "end"
    ]


def test_crossings_and_limits_of_every_run(crank, tmp_path):
    model, q = crank
    efforts = np.linspace(-10.0, 40.0, 5)[:, None]
    turn = lw.events.Crossing("past 2", lambda t, q, v: q[0] - 2.0, 1)
    path = tmp_path / "many.npz"
    many = lw.simulate_many(model, q, t_end=0.6, effort=efforts, events=[turn], output=7, path=path)
    assert len({len(each) for each in many.events}) > 1
    for i in range(5):
        same(many, i, lw.simulate(model, q, t_end=0.6, effort=efforts[i], events=[turn], output=7, check=False))
    again = lw.open_ensemble(path)
    assert again.events == many.events and np.array_equal(again.values, many.values, equal_nan=True)


def test_runs_that_stop_have_their_status_and_rows(crank):
    model, q = crank
    efforts = np.linspace(-10.0, 40.0, 4)[:, None]
    done = []
    many = lw.simulate_many(
        model, q, t_end=0.5, effort=efforts, stop_at=["limits"], output=11, threads=2, progress=done.append
    )
    assert set(many.status) == {"done", "event"} and done[-1] == 1.0
    for i in range(4):
        run = lw.simulate(model, q, t_end=0.5, effort=efforts[i], stop_at=["limits"], output=11, check=False)
        assert many.status[i] == run.meta["ended"]["kind"] and many.ended[i] == run.meta["ended"]["t"]
        same(many, i, run)
    stopped = many.status.index("event")
    assert np.isnan(many.q[stopped, -1]).all() and "limit" in many.reasons[stopped]


def test_loops_close_in_every_run_with_its_own_start_and_impulse():
    inertia = lw.Inertia(2.0, (0, 0, 0), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
    mech = lw.Mechanism(
        "block",
        bodies=(lw.Body("block", inertia),),
        joints=(lw.Joint("rail", "ground", "block", lw.Prismatic((0, 0, 1))),),
        open_loops=(lw.Joint("floor", "ground", "block", lw.Planar((0, 0, 1))),),
        gravity=(0.0, 0.0, -10.0),
    )
    model = lw.build(mech)
    heights = np.array([[0.2], [0.45], [0.05]])
    events = [lw.events.Close("floor", normal=(0, 0, 1))]
    many = lw.simulate_many(model, heights, t_end=0.4, events=events, output=5)
    for i, h in enumerate(heights[:, 0]):
        (hit,) = many[i].meta["impulses"]
        assert hit["t"] == pytest.approx(np.sqrt(2.0 * h / 10.0), abs=1e-9)
        assert hit["impulse"][5] == pytest.approx(2.0 * np.sqrt(2.0 * 10.0 * h), rel=1e-8)
        assert [e.kind for e in many.events[i]] == ["closed"]
        same(many, i, lw.simulate(model, heights[i], t_end=0.4, events=events, output=5, check=False))


def test_what_does_not_fit_is_named(crank):
    model, q = crank
    for given, message in (
        ({"events": "limits"}, "events is 'limits'"),
        ({"events": [3]}, "events holds 3"),
        ({"stop_at": ["walls"]}, "stop_at is"),
        ({"stop_at": ["limits"], "resume": True, "path": "x.npz"}, "cannot be resumed"),
    ):
        with pytest.raises(ArgumentError, match=message):
            lw.simulate_many(model, q, t_end=0.1, **given)
