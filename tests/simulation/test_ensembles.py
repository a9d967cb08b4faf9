"""Many runs side by side: each is the run it would be alone, whatever its neighbors, lane and thread."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.forces import Friction, Spring
from linkwright.simulation.drivers.driver_records import DONE
from linkwright.simulation.ensemble.lane_workers import Worker, share_run_set
from linkwright.simulation.ensemble.run_set import RunSet, vary_model
from linkwright.simulation.integrators import Given
from linkwright.simulation.problem.lane_kernels import lane_kernels
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.running.run_output import output_times
from linkwright.simulation.running.run_spec import RunSpec

pytestmark = pytest.mark.usefixtures("batches_in_lanes")

DATA = Path(__file__).parent.parent / "data"
METHODS = (lw.RK4(2e-3), lw.DP5(rtol=1e-8), lw.DOP853(rtol=1e-10))


@pytest.fixture(scope="module")
def four_bar():
    mech = lw.catalog.load("four-bar")
    crank = replace(mech.bodies[0], gravity_compensation=0.4)
    model = lw.build(replace(mech, bodies=(crank, *mech.bodies[1:])))
    return model, model.assemble().q


@pytest.fixture(scope="module")
def crank_spread(four_bar):
    """Eleven runs of a four-bar that differ in masses, gravity and effort, and their parameters."""
    model, _ = four_bar
    rng = np.random.default_rng(7)
    body = model.mechanism.bodies[0]
    values = {
        f"{body.name}.mass": body.inertia.mass * rng.uniform(0.7, 1.4, 11),
        f"{body.name}.com": np.array(body.inertia.com) * rng.uniform(0.8, 1.1, (11, 1)),
        f"{body.name}.tensor": np.array(body.inertia.tensor) * rng.uniform(0.7, 1.4, (11, 1, 1)),
        "gravity": np.array(model.mechanism.gravity) * rng.uniform(0.9, 1.1, (11, 1)),
    }
    return values, rng.uniform(4.0, 7.0, (11, 1))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_run_is_the_same_as_alone_in_simulate(four_bar, method):
    model, q = four_bar
    tau = np.linspace(4.0, 7.0, 9)[:, None]
    many = lw.simulate_many(model, q, t_end=1.0, effort=tau, method=method, threads=1)
    assert many.status == ("done",) * 9
    for i in (0, 8):
        alone = lw.simulate(model, q, t_end=1.0, effort=tau[i], method=method, output=many.t, check=False)
        for name in alone.names:
            size = max(1.0, np.abs(alone[name]).max())
            assert np.abs(many[name][i] - alone[name]).max() < 2e-6 * size, name
        assert np.abs(many.q[i] - alone.q).max() < 1e-8
    assert many["closure residual"].max() < 1e-12 and many["closure rate"].max() < 1e-11


def test_numbers_do_not_depend_on_neighbors_lanes_or_threads(four_bar, crank_spread):
    model, q = four_bar
    values, tau = crank_spread
    many = lw.simulate_many(model, q, t_end=0.7, effort=tau, parameters=values, threads=1)
    both = lw.simulate_many(model, q, t_end=0.7, effort=tau, parameters=values, threads=2)
    order = np.random.default_rng(1).permutation(11)[:6]
    mixed = lw.simulate_many(
        model, q, t_end=0.7, effort=tau[order], parameters={k: x[order] for k, x in values.items()}
    )
    assert np.array_equal(many.values, both.values) and np.array_equal(many.values[order], mixed.values)
    assert all(np.array_equal(many.counts[name][order], mixed.counts[name]) for name in many.counts)


def test_a_run_with_its_own_parameters_is_the_run_of_that_mechanism(four_bar, crank_spread):
    model, q = four_bar
    values, tau = crank_spread
    many = lw.simulate_many(model, q, t_end=0.7, effort=tau, parameters=values, method=lw.DOP853(rtol=1e-10))
    for i in (9,):
        own = lw.build(vary_model(model, values).of(i).mechanism, model.actuated)
        alone = lw.simulate(own, q, t_end=0.7, effort=tau[i], method=lw.DOP853(rtol=1e-10), output=many.t, check=False)
        for name in ("kinetic energy", "potential energy", "work", *model.q_names):
            assert many[name][i] == pytest.approx(alone[name], abs=2e-8), name
    drift = many["kinetic energy"] + many["potential energy"] - many["work"] + many["losses"]
    assert np.abs(drift - drift[:, :1]).max() < 1e-8 * many["kinetic energy"].max()


def test_springs_and_friction_of_a_tree_are_spread():
    mech = lw.catalog.load("three-link-arm")
    first = replace(mech.joints[0], spring=Spring((20.0,), (0.3,)), friction=Friction((0.5,), (0.2,)))
    mech = replace(mech, joints=(first, *mech.joints[1:]))
    model = lw.build(mech)
    name, rng = first.name, np.random.default_rng(3)
    values = {f"{name}.{what}": rng.uniform(0.2, 2.0, 5) for what in ("stiffness", "rest", "viscous", "coulomb")}
    many = lw.simulate_many(model, np.zeros(3), t_end=0.5, parameters=values, method=lw.DOP853(rtol=1e-10))
    own = lw.build(vary_model(model, values).of(4).mechanism)
    alone = lw.simulate(own, np.zeros(3), t_end=0.5, method=lw.DOP853(rtol=1e-10), output=many.t, check=False)
    for series in alone.names:
        assert many[series][4] == pytest.approx(alone[series], rel=1e-6, abs=1e-6), series
    assert many["losses"][4, -1] > 0.0


LENGTHS = {"joints.B.at.x": [3.9, 4.0, 4.05, 4.1, 4.2], "bodies.crank.mass": [1.0, 1.1, 1.2, 1.3, 1.4]}


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_lengths_are_spread(method):
    """By p, by path, and in a model of their own: the same bits; and those of `simulate` to the tolerance."""
    plain = lw.build(lw.catalog.load("four-bar"))
    model = lw.build(lw.catalog.load("four-bar"), inputs=list(LENGTHS))
    p = model.parameters.array(LENGTHS)
    q = np.stack([model.with_parameters(row).assemble().q for row in p])
    options = {"t_end": 0.3, "effort": [5.0], "method": method}
    many = lw.simulate_many(model, q, p=p, **options)
    assert many.done.all() and many["closure residual"].max() < 1e-12
    assert np.array_equal(lw.simulate_many(plain, q, parameters=LENGTHS, **options).values, many.values)
    for i in (0, 4):
        one = lw.simulate_many(model.with_parameters(p[i]), q[i], **options)
        assert np.array_equal(one.values[0], many.values[i])
        alone = lw.simulate(model, q[i], p=p[i], output=many.t, **options)
        assert np.abs(many.q[i] - alone.q).max() < (1e-11 if method.h else 1e-7)


def test_starts_are_spread_and_closed(four_bar):
    model, q = four_bar
    rng = np.random.default_rng(5)
    starts = q + 1e-6 * rng.standard_normal((5, model.nq))
    many = lw.simulate_many(model, starts, t_end=0.3, effort=[5.0])
    assert many.done.all() and many["closure residual"].max() < 1e-12
    alone = lw.simulate(model, starts[3], t_end=0.3, effort=[5.0], output=many.t, check=False)
    assert np.abs(many.q[3] - alone.q).max() < 1e-7


def test_an_effort_law_runs_in_lanes(four_bar):
    model, q = four_bar
    law = lw.control.Sines(amplitude=np.array([6.0]), rate=3.0)
    starts = np.stack(
        [model.forward_kinematics([x], [0.0], [0.0], near=q)[0] for x in q[0] + np.array([0.0, 0.1, 0.2])]
    )
    many = lw.simulate_many(model, starts, t_end=0.5, effort=law)
    alone = lw.simulate(model, starts[1], t_end=0.5, effort=law, output=many.t, check=False)
    assert np.abs(many.q[1] - alone.q).max() < 1e-7
    assert many.tau[0, :, 0] == pytest.approx(6.0 * np.sin(3.0 * many.t), abs=1e-14)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_the_driver_under_python_gives_the_same_bits(four_bar, method):
    model, q = four_bar
    kernels = lane_kernels(model)
    start = np.tile(np.r_[q, np.zeros(model.nv)], (3, 1))
    tau = np.array([[5.0], [6.0], [7.0]])
    tables = []
    for by_python in (False, True):
        times = output_times([0.0, 0.013, 0.02], 0.0, 0.02)
        runs = RunSet(start, tau, vary_model(model, None, None))
        about = share_run_set(RunSpec(model, runs, RunActuation(np.zeros(1)), times, method), kernels)
        worker = Worker(about)
        worker.queue(0, 3, more=False)
        worker.driver.budget = 1000
        assert (worker.in_python() if by_python else worker.slice_function())() == DONE
        counts = [about.runs.column(name).tolist() for name in about.runs.record.fields]
        tables.append((about.rows.tolist(), counts))
    assert tables[0] == tables[1]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_runs_that_meet_a_singular_position_are_repeated_with_care_and_say_so(method):
    """Two four-bars in a row lose rank where they lie flat."""
    model = lw.build(lw.load(DATA / "two-four-bars.yaml"))
    q, v = model.assemble().q, np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    many = lw.simulate_many(model, q, np.outer([0.05, 1.0], v), t_end=1.0, method=method)
    alone = lw.simulate(model, q, v, t_end=1.0, output=many.t, check=False, method=method)
    assert many.status == ("done", "singularity") and not many.meta["complete"]
    assert "lose rank" in many.reasons[1] and many[1].events[-1].text == alone.meta["ended"]["text"]
    assert np.array_equal(many[1].q, alone.q) and many.ended[1] == alone.meta["ended"]["t"]


def test_an_ensemble_is_saved_and_opened_without_loss(four_bar, tmp_path):
    model, q = four_bar
    many = lw.simulate_many(model, q, t_end=0.2, effort=[[5.0], [6.0]], output=5)
    many.save(tmp_path / "many.npz")
    again = lw.open_result(tmp_path / "many.npz")
    assert np.array_equal(again.values, many.values) and np.array_equal(again.t, many.t)
    assert (again.status, again.columns, again.meta, again.stats) == (many.status, many.columns, many.meta, many.stats)
    one, two = again[-1], many[1]
    assert np.array_equal(one.q, two.q) and one.meta == two.meta and one.unit(model.q_names[0]) == "rad"
    two.save(tmp_path / "one.npz")
    assert isinstance(lw.open_result(tmp_path / "one.npz"), lw.Result)
    np.savez(tmp_path / "none.npz", ensemble=np.zeros(3))
    with pytest.raises(lw.errors.LinkwrightError, match="holds no linkwright"):
        lw.open_result(tmp_path / "none.npz")


def test_an_interrupted_ensemble_keeps_what_it_has(four_bar, caplog):
    model, q = four_bar
    shares = []

    def stop(share):
        shares.append(share)
        raise KeyboardInterrupt

    many = lw.simulate_many(model, q, t_end=30.0, effort=np.full((64, 1), 5.0), threads=1, output=3, progress=stop)
    left = np.array(many.status) == "interrupted"
    assert f"interrupted: {left.sum()} of 64 runs are not done" in caplog.text
    assert len(shares) == 1 and left.any() and not many.meta["complete"]
    assert np.isfinite(many.values[:, 0, 0][~left]).all() and len(many[int(np.flatnonzero(left)[-1])].t) < 3


def test_the_page_on_ensembles_does_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (DATA.parent.parent / "docs" / "howto" / "ensembles.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "ensembles.md", "exec"), names)
    printed = capsys.readouterr().out
    assert names["again"].done.all() and "runs: 200" in printed and "done: 200" in printed
    assert np.array_equal(lw.open_result("run7.npz").q, names["again"][7].q)


BAD = {
    "did you mean": {"parameters": {"crnak.mass": [1.0]}},
    "expected \\(runs, 3\\)": {"parameters": {"gravity": [1.0, 2.0]}},
    "others have 2": {"parameters": {"gravity": np.zeros((2, 3)), "coupler.mass": [1.0]}},
    "at least zero": {"parameters": {"coupler.mass": [-1.0, 1.0]}},
    "cannot run in lanes": {"effort": lambda t, q, v: [0.0]},
    "Rodas5P": {"method": Given()},
    "numbers of runs differ": {"effort": np.zeros((3, 1)), "v": np.zeros((2, 3))},
    "run 1 holds": {"effort": [[1.0], [np.nan]]},
    "threads is 0": {"threads": 0},
    "GB; request fewer": {"effort": np.zeros((100000, 1)), "output": 10000},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(four_bar, message):
    model, q = four_bar
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.simulate_many(model, q, **BAD[message])


FIRST_CALL = """
import linkwright as lw
model = lw.build(lw.catalog.load("four-bar"))
many = lw.simulate_many(model, model.assemble().q, t_end=0.2, effort=[[float(i)] for i in range(1000)], output=2)
print(int(many.done.sum()))
"""


def test_the_first_call_of_a_process_on_two_threads():
    """Each thread compiled the driver; the copy that the cache dropped was freed while it ran."""
    env = {**os.environ, "LINKWRIGHT_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", FIRST_CALL], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "1000"), done.stderr
