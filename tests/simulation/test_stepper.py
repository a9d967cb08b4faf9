"""Robots stepped together: each is the run it would be in `simulate_many`, and what acts on it obeys its law."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.drivers.batch import advance_rows
from linkwright.simulation.drivers.driver_records import DONE, EXAMINE
from linkwright.simulation.drivers.neighborhood import begin_neighborhood
from linkwright.simulation.problem.problem import problem_of_model
from linkwright.simulation.running.run_workspace import RunWorkspace, tangent_method
from tests.simulation.mechanisms import limited
from tests.simulation.near_singular import five_bar as five_bar_through_flat
from tests.simulation.near_singular import five_bar_start

pytestmark = pytest.mark.usefixtures("batches_in_lanes")

DATA = Path(__file__).parent.parent / "data"
N, STEPS = 11, 25


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"))


@pytest.fixture(scope="module")
def four_bar():
    return lw.build(lw.catalog.load("four-bar"))


def efforts(model, n=N, size=1.0):
    return size * np.random.default_rng(3).normal(size=(n, model.na))


def end(many, model):
    """The last states of an ensemble."""
    return many.values[:, -1, : model.nq], many.values[:, -1, model.nq : model.nq + model.nv]


@pytest.mark.parametrize("name", ["five-bar", "gough-stewart", "stanford-arm"])
@pytest.mark.parametrize("method", [lw.RK4, lw.DP5], ids=lambda m: m.__name__)
def test_states_are_those_of_simulate_many_bit_for_bit(name, method):
    model = lw.build(lw.catalog.load(name))
    tau, h = efforts(model), 1e-3
    robots = lw.Stepper(model, N, h, method)
    q0, v0 = robots.q.copy(), robots.v.copy()
    for _ in range(STEPS):
        q, v = robots.step(tau)
    many = lw.simulate_many(model, q0, v0, t_end=STEPS * h, effort=tau, method=method(h=h), output=[0.0, STEPS * h])
    assert many.done.all()
    assert np.array_equal(q, end(many, model)[0]) and np.array_equal(v, end(many, model)[1])
    assert np.array_equal(robots.work, many["work"][:, -1]) and np.array_equal(robots.losses, many["losses"][:, -1])
    assert robots.t == pytest.approx(np.full(N, STEPS * h), rel=1e-15) and not robots.failed.any()


def test_substeps_threads_and_calls_do_not_change_a_bit(five_bar):
    tau = efforts(five_bar, 4096)
    fine, coarse, one = (
        lw.Stepper(five_bar, 4096, h, substeps=s, threads=threads)
        for h, s, threads in ((1e-3, 1, 2), (4e-3, 4, 2), (4e-3, 4, 1))
    )
    assert (coarse.threads, one.threads) == (2, 1)
    for _ in range(3):
        for _ in range(4):
            fine.step(tau)
        coarse.step(tau)
        one.step(tau)
    for robots in (coarse, one):
        assert np.array_equal(fine.q, robots.q) and np.array_equal(fine.v, robots.v)


def test_parameters_differ_from_robot_to_robot():
    names = ["joints.B.at.x", "bodies.crank.mass"]
    model = lw.build(lw.catalog.load("four-bar"), inputs=names)
    p = model.parameters.array(dict(zip(names, ([3.9, 4.0, 4.1], [1.0, 1.2, 1.4]), strict=True)))
    q0 = np.stack([model.with_parameters(row).assemble().q for row in p])
    robots = lw.Stepper(model, 3, 2e-3, q=q0, p=p)
    for _ in range(STEPS):
        q, v = robots.step([5.0])
    many = lw.simulate_many(
        model, q0, t_end=STEPS * 2e-3, effort=[5.0], method=lw.RK4(2e-3), p=p, output=[0.0, STEPS * 2e-3]
    )
    assert np.array_equal(q, end(many, model)[0]) and np.array_equal(v, end(many, model)[1])
    assert np.ptp(q[:, 0]) > 1e-3
    heavier = lw.Stepper(model, 3, 2e-3, q=q, v=v, p=p * [1.0, 2.0])
    heavier.step([5.0])
    robots.step([5.0], p=p * [1.0, 2.0])
    assert (
        robots.v == pytest.approx(heavier.v, rel=1e-12)
        and np.abs(robots.v / many.values[:, -1, 3:6] - 1.0).min() > 0.01
    )


def test_a_row_with_efforts_that_are_not_finite_fails_alone(five_bar):
    tau = efforts(five_bar, 4096)
    good = lw.Stepper(five_bar, 4096, 1e-3)
    bad = lw.Stepper(five_bar, 4096, 1e-3)
    spoiled = tau.copy()
    spoiled[1234, 1] = np.nan
    spoiled[77, 0] = np.inf
    for _ in range(3):
        good.step(tau)
        bad.step(spoiled)
    left = ~np.isin(np.arange(4096), (77, 1234))
    assert bad.failed.nonzero()[0].tolist() == [77, 1234]
    assert np.array_equal(good.q[left], bad.q[left]) and np.array_equal(good.v[left], bad.v[left])
    bad.reset([77, 1234])
    assert not bad.failed.any()


def test_a_robot_that_is_reset_begins_anew(five_bar):
    tau = efforts(five_bar)
    robots, fresh = (lw.Stepper(five_bar, N, 1e-3) for _ in range(2))
    for _ in range(7):
        robots.step(tau)
    mask = np.zeros(N, dtype=bool)
    mask[[2, 5]] = True
    robots.reset(mask, v=fresh.v[0])
    assert robots.steps.tolist() == [0.0 if i in (2, 5) else 7.0 for i in range(N)]
    for _ in range(9):
        robots.step(tau)
        fresh.step(tau)
    assert np.array_equal(robots.q[[2, 5]], fresh.q[[2, 5]]) and np.array_equal(robots.v[[2, 5]], fresh.v[[2, 5]])
    assert not np.array_equal(robots.q[0], fresh.q[0])


def test_loops_stay_closed_for_a_thousand_steps(five_bar):
    robots = lw.Stepper(five_bar, N, 1e-3)
    tau = efforts(five_bar, size=2.0)
    for k in range(1000):
        robots.step(tau * np.cos(0.01 * k))
    assert not robots.failed.any() and np.ptp(robots.q[:, 0]) > 0.1
    assert np.abs(five_bar.closure_residual(robots.q)).max() <= 1e-12
    assert np.abs(five_bar.closure_jacobian(robots.q) @ robots.v[..., None]).max() <= 1e-11


def test_the_text_gives_the_same_bits_under_python(five_bar):
    tau, states = efforts(five_bar, 5), []
    for by_python in (False, True):
        robots = lw.Stepper(five_bar, 5, 1e-3, substeps=2, threads=1)
        robots._efforts[:] = tau
        workers = robots._workers
        if by_python:
            assert advance_rows(0, 5, workers.drivers[0], robots._rows.batch) == 0
        else:
            assert workers.advance() == 0
        states.append((robots.q.tolist(), robots.v.tolist(), robots.work.tolist()))
    assert states[0] == states[1]


def test_wrenches_act_as_in_forward_dynamics():
    """A step under a wrench is that of RK4 on `forward_dynamics(w_ext=...)`, from Python."""
    model = lw.build(lw.catalog.load("3-rrr"))
    body = model.bodies[-1]
    w = np.random.default_rng(5).normal(size=(4, 6))
    robots = lw.Stepper(model, 4, 1e-3, wrenches=[body])
    y = np.concatenate([robots.q, robots.v, np.zeros((4, 2))], axis=1)
    tau = efforts(model, 4)
    robots.step(tau, wrench={body: w})
    for i in range(4):
        expected = robots._careful.advance_state(y[i], np.r_[tau[i], w[i]], np.zeros(0), 1)
        assert np.r_[robots.q[i], robots.v[i]] == pytest.approx(expected[:-2], rel=1e-11, abs=1e-12)
    moved = robots.v.copy()
    robots.reset()
    robots.step(tau)
    assert np.abs(robots.v - moved).max() > 1e-5
    robots.reset()
    robots.step(tau, wrench=w[:, None])
    assert np.array_equal(robots.v, moved)


def cut_angle(model, q):
    """The coordinate of the only limited joint."""
    return model.limits_exceeded(np.atleast_2d(q)).values[:, 0]


@pytest.mark.parametrize("joint", ["tree", "cut"])
def test_a_stop_keeps_the_balance_of_energy(joint):
    """Kinetic, potential and the stop's spring energy, less work, plus losses, stay the same; a stop only pushes."""
    mech = lw.catalog.load("four-bar")
    name = mech.joints[0].name if joint == "tree" else mech.loops[0].name
    free = lw.build(limited("four-bar", name, -100.0, 100.0))
    start = free.assemble().q
    angle = float(cut_angle(free, start)[0])
    model = lw.build(limited("four-bar", name, angle - 0.15, angle + 0.15))
    stiffness, damping = 2e3, np.array([0.0, 40.0])
    drift, deepest = [], []
    for c in damping:
        robots = lw.Stepper(model, 2, 5e-4, stops=lw.EndStops(stiffness, float(c)))
        totals = []
        for _ in range(1500):
            q, v = robots.step([[12.0], [-9.0]])
            depth = np.maximum(np.abs(cut_angle(model, q) - angle) - 0.15, 0.0)
            kinetic, potential = model.energy(q, v)
            totals.append(kinetic + potential + 0.5 * stiffness * depth**2 - robots.work + robots.losses)
            deepest.append(depth.max())
        scale = np.abs(robots.work).max() + np.abs(kinetic).max()
        drift.append(np.abs(np.ptp(totals, axis=0)).max() / scale)
        assert (robots.losses > 1e-3).all() if c else (np.abs(robots.losses) < 1e-12).all()
    assert max(deepest) > 1e-3
    assert max(drift) < 2e-4


def test_a_stop_carries_a_constant_effort_at_rest():
    """Pressed against its stop by an effort tau a joint comes to rest at the depth tau / stiffness."""
    mech = replace(
        limited("three-link-arm", lw.catalog.load("three-link-arm").joints[0].name, -0.3, 0.3), gravity=(0.0, 0.0, 0.0)
    )
    model = lw.build(mech)
    stops = lw.EndStops({mech.joints[0].name: 500.0}, {mech.joints[0].name: 4.0})
    robots = lw.Stepper(model, 1, 1e-3, stops=stops)
    for _ in range(6000):
        q, v = robots.step(np.r_[1.0, -2.0 * robots.q[0, 1:] - 0.3 * robots.v[0, 1:]])
    assert np.abs(v).max() < 1e-6 and q[0, 0] == pytest.approx(0.3 + 1.0 / 500.0, abs=1e-7)


def test_a_lost_branch_is_a_row_of_nan_and_the_others_go_on():
    """Two four-bars in a row lose rank where they lie flat; an ill-conditioned row goes by the careful steps."""
    model = lw.build(lw.load(DATA / "two-four-bars.yaml"))
    q, v = model.assemble().q, np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    robots = lw.Stepper(model, 2, 2e-3, q=q, v=np.outer([0.05, 1.0], v))
    many = lw.simulate_many(model, q, 0.05 * v, t_end=1.0, method=lw.RK4(2e-3), output=[0.0, 1.0])
    for _ in range(500):
        robots.step(np.zeros(model.na))
    assert not robots.failed[0] and np.array_equal(robots.q[0], end(many, model)[0][0])
    assert np.isfinite(robots.q[1]).all() or robots.failed[1]


@pytest.mark.parametrize("inputs", [(), ("bodies.k1.mass",)])
def test_robots_near_singular_positions_keep_their_energy_and_move_as_single_runs(inputs):
    """A five-bar sent past its flat position, where rows leave their lanes, beside one at rest."""
    model = lw.build(five_bar_through_flat(), inputs=inputs)
    q, v = five_bar_start(model, 8.0, 1e-4)
    robots = lw.Stepper(model, 2, 1e-3, q=q, v=np.outer([0.0, 1.0], v))
    repaired = 0
    for _ in range(100):
        before = robots.q[1].copy(), robots.v[1].copy()
        robots.step(np.zeros(model.na))
        if robots._rows.failed[1]:
            run = lw.simulate(model, *before, 1e-3, method=lw.RK4(1e-3), output=[0.0, 1e-3], stop_at=(), check=False)
            assert robots.q[1] == pytest.approx(run.q[-1], abs=1e-7)
            repaired += 1
    assert repaired > 3 and not robots.failed.any()
    assert robots.energy_balance.relative.max() < 1e-5


def singular_rows(n, threads, wrenches=()):
    """Five-bars on their way past the flat position, each with masses of its own."""
    rng = np.random.default_rng(8)
    model = lw.build(five_bar_through_flat(), inputs=["bodies.k1.mass", "bodies.l2.mass"])
    q, v = five_bar_start(model, 8.0, 1e-4)
    p = rng.uniform(0.95, 1.05, (n, 2))
    return lw.Stepper(
        model, n, 1e-3, q=q, v=np.outer(rng.uniform(0.9, 1.0, n), v), p=p, threads=threads, wrenches=wrenches
    )


def alone_in_tangents(model, q, v, h):
    """The state after a run of a model in tangent coordinates, in the record that `simulate` steps in."""
    workspace = RunWorkspace(problem_of_model(model), tangent_method(lw.RK4(h)))
    workspace.begin(q, v)
    driver = workspace.driver
    driver.settings.t_end = driver.step.h = h
    begin_neighborhood(1.0, driver)
    driver.budget = 1000
    assert workspace.slice_function()() in (DONE, EXAMINE) and driver.step.t == h
    return workspace.state[: model.nq + model.nv].copy()


def test_a_row_that_failed_moves_as_a_run_alone_at_its_parameters():
    """A step of `simulate` where the second order of elimination goes on, else steps in tangent coordinates."""
    robots, ordinary, in_tangents = singular_rows(3, 1), 0, 0
    model, tau = robots.model, np.zeros(0)
    models = [model.with_parameters(p) for p in robots.p]
    alone = [lw.Stepper(each, 1, 1e-3, q=robots.q[0], v=robots.v[i]) for i, each in enumerate(models)]
    for _ in range(100):
        before = robots.q.copy(), robots.v.copy()
        robots.step(tau)
        for i, each in enumerate(alone):
            each.step(tau)
            assert np.array_equal(each.q[0], robots.q[i]) and np.array_equal(each.v[0], robots.v[i])
        for i in np.flatnonzero(robots._rows.failed < 0.0):
            q, v, state = before[0][i], before[1][i], np.r_[robots.q[i], robots.v[i]]
            if np.array_equal(alone_in_tangents(models[i], q, v, 1e-3), state):
                in_tangents += 1
                continue
            run = lw.simulate(models[i], q, v, 1e-3, method=lw.RK4(1e-3), stop_at=(), check=False)
            assert np.r_[run.q[-1], run.v[-1]] == pytest.approx(state, abs=1e-11)  # a run closes its start anew
            ordinary += 1
    assert ordinary > 10 and in_tangents > 10 and not robots.failed.any()


def test_threads_and_failures_of_others_leave_the_bits_of_singular_rows():
    one, two = singular_rows(40, 1, ["l1"]), singular_rows(40, 2, ["l1"])
    push = np.tile([0.0, 0.0, 0.0, 0.3, -0.2, 0.0], (40, 1))
    spoiled, lost, most = push.copy(), [3, 17, 30], 0
    for k in range(100):
        if k == 70:
            spoiled[lost, 4] = np.nan
        one.step(np.zeros(0), {"l1": push})
        two.step(np.zeros(0), {"l1": spoiled})
        most = max(most, int((two._rows.failed < 0.0).sum()))
    others = np.setdiff1d(np.arange(40), lost)
    assert most > 20 and two.failed.nonzero()[0].tolist() == sorted(two.reasons) == lost
    for name in ("q", "v", "work", "losses"):
        assert np.array_equal(getattr(one, name)[others], getattr(two, name)[others])


def test_careful_steps_agree_with_the_compiled_ones():
    """With end stops, wrenches and parameters; both close the loops to 1e-12, each in its own way."""
    mech = limited("four-bar", lw.catalog.load("four-bar").joints[0].name, 1.6, 9.0)
    model = lw.build(mech, inputs=["bodies.crank.mass"])
    body = model.bodies[1]
    p = np.array([[1.0], [1.5], [2.0]])
    robots = lw.Stepper(
        model, 3, 1e-3, q=model.assemble().q, p=p, stops=lw.EndStops(1e3, 5.0), wrenches=[body], substeps=2
    )
    w, tau = np.random.default_rng(2).normal(size=(3, 6)), np.array([[3.0], [-3.0], [0.0]])
    before = np.concatenate([robots.q, robots.v, np.zeros((3, 2))], axis=1)
    robots.step(tau, {body: w})
    for i in range(3):
        found = robots._careful.advance_state(before[i], np.r_[tau[i], w[i]], p[i], 2)
        fast = np.r_[robots.q[i], robots.v[i], robots.work[i], robots.losses[i]]
        assert fast == pytest.approx(found, rel=1e-10, abs=1e-11)


BAD = {
    "model is None, expected a Model": {"model": None},
    "n is 0": {"n": 0},
    "h is -1": {"h": -1.0},
    "expected lw.RK4 or lw.DP5": {"method": lw.DOP853},
    "substeps is 1.5": {"substeps": 1.5},
    "q has shape": {"q": [1.0]},
    "v holds numbers": {"v": [np.nan] * 4},
    "unknown body or frame 'plate'": {"wrenches": ["plate"]},
    "unknown joint 'nowhere'": {"stops": lw.EndStops({"nowhere": 1.0})},
    "the model has none": {"p": [1.0]},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(five_bar, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.Stepper(**({"model": five_bar, "n": 2, "h": 1e-3} | BAD[message]))


def test_bad_steps_and_resets_are_refused(five_bar):
    robots = lw.Stepper(five_bar, 3, 1e-3)
    for call, message in (
        (lambda: robots.step([1.0]), r"tau has shape \(1,\), expected \(3, 2\) or \(2,\)"),
        (lambda: robots.step(["a", "b"]), "expected numbers"),
        (lambda: robots.step([0.0, 0.0], wrench=np.zeros(6)), "wrenches="),
        (lambda: robots.reset([3]), "rows names robot 3"),
        (lambda: robots.reset([0.5]), "numbers of robots"),
        (lambda: robots.reset([0], q=np.full(4, np.inf)), "not finite"),
        (lambda: lw.EndStops(-1.0), "at least zero"),
    ):
        with pytest.raises(lw.errors.LinkwrightError, match=message):
            call()
    with pytest.raises(ValueError, match="read-only"):
        robots.q[0] = 0.0


def test_the_page_on_stepping_does_what_it_says():
    page = (DATA.parent.parent / "docs" / "howto" / "step-many-robots.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "step-many-robots.md", "exec"), names)
    assert not names["robots"].failed.any()


def test_a_reset_names_the_robot_that_cannot_be_closed(five_bar):
    robots = lw.Stepper(five_bar, 6, 1e-3)
    q = np.array([robots.q[0], robots.q[0] + [0.9, -0.7, 0.0, 0.0]])
    with pytest.raises(lw.errors.AssemblyError, match=r"^robot 5: "):
        robots.reset([2, 5], q)


@pytest.mark.parametrize("wrong", [{"n": 2**70}, {"n": 4, "substeps": 2**70}])
def test_numbers_that_no_memory_holds_are_refused(wrong):
    with pytest.raises(
        lw.errors.ArgumentError, match=r"(n|substeps) is 1180591620717411303424, expected a whole number from 1"
    ):
        lw.Stepper(lw.build(lw.catalog.load("four-bar")), h=1e-3, **wrong)
