"""Events, limits and loops that close and open in ensembles: every run is that of `simulate`, to its tolerance."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.events import Close, Crossing, Open

pytestmark = pytest.mark.usefixtures("batches_in_lanes")


@pytest.fixture(scope="module")
def crank():
    mech = lw.catalog.load("four-bar")
    name = mech.joints[0].name
    joints = tuple(
        replace(j, limits=lw.Limits(lower=(-9.0,), upper=(2.5,), speed=(30.0,))) if j.name == name else j
        for j in mech.joints
    )
    model = lw.build(replace(mech, joints=joints))
    return model, model.assemble().q


def same(many, i, run, tolerance=1e-11):
    """Rows, events and the end of a run in a lane are those of the run alone."""
    assert many.status[i] == run.meta["ended"]["kind"]
    assert many[i].meta["ended"]["text"] == run.meta["ended"]["text"]
    assert abs(many.ended[i] - run.meta["ended"]["t"]) < tolerance
    rows = np.isin(run.t, many.t)
    rows[-1] |= many.status[i] == "event"  # a run that an event ended has its row too
    assert many[i].t == pytest.approx(run.t[rows], abs=tolerance)
    for name in run.names:
        size = max(1.0, np.abs(run[name]).max())
        assert np.abs(many[i][name] - run[name][rows]).max() < 1e3 * tolerance * size, name
    assert np.abs(many[i].q - run.q[rows]).max() < tolerance
    assert np.array_equal(many.final[i], [series.values[-1] for series in many[i].series])
    assert many[i].events == many.events[i]
    assert [(e.kind, e.name, e.text) for e in many.events[i]] == [(e.kind, e.name, e.text) for e in run.events]
    assert all(abs(e.t - other.t) < tolerance for e, other in zip(many.events[i], run.events, strict=True))


def test_crossings_and_limits_of_every_run(crank, tmp_path):
    model, q = crank
    efforts = np.linspace(-10.0, 40.0, 9)[:, None]
    events = [
        Crossing("past 2", lambda t, q, v: q[0] - 2.0, 1),
        Crossing("late", lambda t, q, v: t - 0.3, stop=False),
        Crossing("fast", lambda t, q, v: v[0] - 12.0, 1, stop=True),
    ]
    path = tmp_path / "many.npz"
    many = lw.simulate_many(model, q, t_end=0.6, effort=efforts, events=events, output=7, path=path)
    assert len({len(each) for each in many.events}) > 1 and set(many.status) == {"done", "event"}
    assert many.meta["repeated_carefully"] == 0
    for i in range(9):
        same(many, i, lw.simulate(model, q, t_end=0.6, effort=efforts[i], events=events, output=7, check=False))
    again = lw.open_result(path)
    assert again.events == many.events and np.array_equal(again.values, many.values, equal_nan=True)
    assert again.status == many.status and again.reasons == many.reasons and np.array_equal(again.final, many.final)


@pytest.mark.parametrize("method", (lw.DOP853(), lw.DP5(rtol=1e-8), lw.RK4(1e-3)), ids=lambda m: type(m).__name__)
def test_runs_that_stop_have_their_status_and_rows(crank, method):
    model, q = crank
    efforts = np.linspace(-10.0, 40.0, 9)[:, None]
    done = []
    many = lw.simulate_many(
        model, q, t_end=0.5, effort=efforts, method=method, stop_at=["limits"], output=11, progress=done.append
    )
    assert set(many.status) == {"done", "event"} and done[-1] == 1.0
    for i in range(9):
        alone = lw.simulate(
            model, q, t_end=0.5, effort=efforts[i], method=method, stop_at=["limits"], output=11, check=False
        )
        same(many, i, alone, 1e-9)
    stopped = many.status.index("event")
    assert np.isnan(many.q[stopped, -1]).all() and "limit" in many.reasons[stopped]


def test_events_do_not_depend_on_neighbors_lanes_or_threads(crank):
    model, q = crank
    efforts = np.linspace(-10.0, 40.0, 13)[:, None]
    options = {"t_end": 0.5, "events": [Crossing("past 2", lambda t, q, v: q[0] - 2.0)], "stop_at": ["limits"]}
    many = lw.simulate_many(model, q, effort=efforts, threads=1, output=3, **options)
    order = np.random.default_rng(3).permutation(13)[:7]
    mixed = lw.simulate_many(model, q, effort=efforts[order], threads=2, output=3, **options)
    assert np.array_equal(many.values[order], mixed.values, equal_nan=True)
    assert [many.events[i] for i in order] == list(mixed.events)
    assert all(np.array_equal(many.counts[name][order], mixed.counts[name]) for name in many.counts)


def test_limits_that_differ_from_run_to_run_and_starts_beyond_them(crank):
    model, q = crank
    bounds = np.array([1.2, 2.0, 2.5, 3.0, 9.0])
    path = f"joints.{model.mechanism.joints[0].name}.limits.upper"
    many = lw.simulate_many(model, q, t_end=0.5, effort=[40.0], parameters={path: bounds}, output=6)
    assert many.meta.get("events") is None
    many = lw.simulate_many(model, q, t_end=0.5, effort=[40.0], parameters={path: bounds}, output=6, stop_at=())
    other = lw.build(model.mechanism, inputs=[path])
    for i, bound in enumerate(bounds):
        run = lw.simulate(other, q, t_end=0.5, effort=[40.0], p=[bound], output=6, stop_at=(), check=False)
        same(many, i, run)
    assert "starts beyond" in many.events[0][0].text and "2.5" in many.events[2][0].text


def test_efforts_that_leave_their_limits_are_listed(crank):
    model, q = crank
    mech = model.mechanism
    limited = replace(mech, joints=(replace(mech.joints[0], limits=lw.Limits(effort=(5.0,))), *mech.joints[1:]))
    model, efforts = lw.build(limited), np.array([[2.0], [8.0]])
    many = lw.simulate_many(model, q, t_end=0.1, effort=efforts, stop_at=(), output=3)
    for i in range(2):
        same(many, i, lw.simulate(model, q, t_end=0.1, effort=efforts[i], stop_at=(), output=3, check=False))
    assert [len(each) for each in many.events] == [0, 1]


def test_runs_that_come_near_a_singular_position_leave_their_lanes():
    model = lw.build(lw.catalog.load("five-bar"))
    q = model.assemble().q
    efforts = np.random.default_rng(0).uniform(-0.5, 0.5, (6, model.na))
    many = lw.simulate_many(model, q, t_end=0.8, effort=efforts, stop_at=(), output=5)
    singular = [any(e.kind == "singularity" for e in events) for events in many.events]
    assert any(singular) and sum(singular) <= many.meta["repeated_carefully"] < 6
    for i in range(6):
        same(many, i, lw.simulate(model, q, t_end=0.8, effort=efforts[i], stop_at=(), output=5, check=False), 1e-9)


def test_a_function_that_cannot_be_compiled_is_called_from_python(crank):
    model, q = crank
    events = [Crossing("past 2", lambda t, q, v: float(q[0]) - 2.0)]
    many = lw.simulate_many(model, q, t_end=0.3, effort=[[10.0], [40.0]], events=events, output=3)
    same(many, 1, lw.simulate(model, q, t_end=0.3, effort=[40.0], events=events, output=3, check=False))


def falling(**kinds):
    inertia = lw.Inertia(2.0, (0, 0, 0), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
    return lw.build(
        lw.Mechanism(
            "block",
            bodies=(lw.Body("block", inertia),),
            joints=(lw.Joint("rail", "ground", "block", lw.joints.Prismatic((0, 0, 1))),),
            gravity=(0.0, 0.0, -10.0),
            **{where: (lw.Joint("floor", "ground", "block", lw.joints.Planar((0, 0, 1))),) for where in kinds.values()},
        )
    )


def test_loops_close_in_every_run_with_its_own_start_and_impulse():
    model = falling(floor="open_loops")
    heights = np.array([[0.2], [0.45], [0.05], [5.0], [9.0], [0.0]])
    events = [Close("floor", normal=(0, 0, 1))]
    many = lw.simulate_many(model, heights, t_end=0.4, events=events, output=5)
    assert many.meta["repeated_carefully"] == 4  # two are still in the air
    for i, h in enumerate(heights[:, 0]):
        same(many, i, lw.simulate(model, heights[i], t_end=0.4, events=events, output=5, check=False))
        if 0.0 < h < 1.0:
            (hit,) = many[i].meta["impulses"]
            assert hit["t"] == pytest.approx(np.sqrt(2.0 * h / 10.0), abs=1e-9)
            assert hit["impulse"][5] == pytest.approx(2.0 * np.sqrt(2.0 * 10.0 * h), rel=1e-8)
            assert [e.kind for e in many.events[i]] == ["closed"]


def test_loops_open_when_a_function_or_their_force_says_so():
    model = falling(floor="loops")
    for events in ([Open("floor", when=lambda t, q, v: 0.1 - t)], [Open("floor", normal=(0, 0, 1))]):
        many = lw.simulate_many(model, [[0.0]], t_end=0.3, events=events, output=4)
        same(many, 0, lw.simulate(model, [0.0], t_end=0.3, events=events, output=4, check=False))


def test_what_does_not_fit_is_named(crank):
    model, q = crank
    for given, message in (
        ({"events": "limits"}, "events is 'limits'"),
        ({"events": [3]}, "events holds 3"),
        ({"events": [Close("floor", normal=(0, 0, 1))]}, "names a loop that 'four-bar' does not have"),
        ({"stop_at": ["walls"]}, "stop_at is"),
    ):
        with pytest.raises(ArgumentError, match=message):
            lw.simulate_many(model, q, t_end=0.1, **given)


@pytest.fixture(scope="module")
def five_bar():
    model = lw.build(lw.catalog.load("five-bar"))
    return model, model.assemble().q


def test_a_singular_position_that_ends_a_run_is_kept(five_bar, tmp_path):
    model, home = five_bar
    moved = Crossing("moved", lambda t, q, v: q[0] - home[0] - 0.3, direction=1, stop=True)
    efforts, path = np.array([[0.3, 0.3], [-1.0, 1.0]]), tmp_path / "many.npz"
    many = lw.simulate_many(model, home, t_end=1.0, effort=efforts, events=[moved], output=11, path=path)
    assert many.status == ("event", "singularity") and many.ended[1] > many[1].t[-1]
    for i in range(2):
        run = lw.simulate(model, home, t_end=1.0, effort=efforts[i], events=[moved], output=11)
        ended = run.meta["ended"]
        assert many[i].events == many.events[i] and [e.kind for e in run.events] == [e.kind for e in many.events[i]]
        assert all(e.t == pytest.approx(o.t, abs=1e-9) for e, o in zip(run.events, many.events[i], strict=True))
        assert np.abs(many.final[i, :8] - [*ended["q"], *ended["v"]]).max() < 1e-9
        assert many.ended[i] == pytest.approx(ended["t"], abs=1e-9) and run.events[-1].t == ended["t"]
    q, v = many.final[1, :4], many.final[1, 4:8]
    assert model.singularity(q).constraint < 1e-7 and np.abs(model.closure_residual(q)).max() < 1e-12
    assert np.abs(model.closure_jacobian(q) @ v).max() < 1e-8 * np.abs(v).max()  # q is known to 4e-9
    assert np.isnan(many.final[1, 8:]).all()
    assert np.array_equal(lw.open_result(path).final, many.final, equal_nan=True)
    ended = lw.simulate(model, home, effort=[-1.0, 1.0], formulation=lw.Minimal(), check=False).meta["ended"]
    assert ended["kind"] == "singularity" and np.abs(np.array(ended["q"]) - q).max() < 1e-4 and "v" not in ended


def test_the_state_at_which_the_budget_is_used_up_is_kept(five_bar):
    model, home = five_bar
    efforts = np.array([[0.03, 0.03], [-0.1, 0.1], [0.0, 0.1]])
    many = lw.simulate_many(model, home, effort=efforts, max_steps=5, output=11)
    assert many.status == ("budget",) * 3
    for i in range(3):
        run = lw.simulate(model, home, effort=efforts[i], max_steps=5, output=11, check=False)
        ended = run.meta["ended"]
        assert many.ended[i] == pytest.approx(ended["t"], abs=1e-9)
        assert np.abs(many.final[i, :8] - [*ended["q"], *ended["v"]]).max() < 1e-9
        assert np.array_equal(many[i].t, run.t) and np.isfinite(many.final[i]).all()
        assert [e.kind for e in many[i].events] == ["end"]
