"""Runs through and near flat positions keep their energy and their branch, quickly, and say what they met.

400 random runs: `python -m tests.simulation.near_singular 400`. Chains of exact parallelograms: `test_four_bar_chain`.
"""

import time
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native import native_function
from linkwright.compiler.native.small_matrices import find_eigenvalues
from linkwright.papers import benchmark_claims
from linkwright.papers.gallery.four_bar_chain import exact_angles, four_bar_chain, parallel_state
from linkwright.simulation.drivers.stepping import advance_lanes
from linkwright.simulation.drivers.tangent import surely_keeps_sides, tangent_basis
from linkwright.simulation.drivers.unfolding import count_changed_sides, find_nearest_singular, middle_fraction
from linkwright.simulation.problem.problem import problem_of_model
from linkwright.simulation.running.run_workspace import far_from_stages, template
from tests.simulation.near_singular import (
    ANGLE,
    SECONDS,
    drawn_run,
    energy_lost,
    five_bar,
    five_bar_start,
    four_bar,
    four_bar_truth,
    off_the_truth,
    rocker_angle,
    started,
)


@pytest.fixture(scope="module", autouse=True)
def _driver_is_compiled():
    """CPU seconds of runs are measured here, not those of compiling the step loop beside the first."""
    native_function(advance_lanes)


TIMES = np.linspace(0.0, 2.0, 41)
PARALLELOGRAM = (0.3, 0.2, 0.3, 0.2)


def off_by(which, error):
    """Lengths of the parallelogram, one of them off by a relative error."""
    return tuple(x * (1 + error * (i == which)) for i, x in enumerate(PARALLELOGRAM))


@cache
def near_parallelogram(which, error):
    """The model, and the angle at which its rocker starts."""
    lengths = off_by(which, error)
    psi = rocker_angle(lengths, np.pi / 2, np.pi / 2)
    return lw.build(four_bar(*lengths, (np.pi / 2, psi))), psi


def run_beside(which, error, **more):
    """A run of a near-parallelogram past its flat positions, and its difference from the truth [rad]."""
    model, psi = near_parallelogram(which, error)
    run = lw.simulate(model, *started(model, -6.0), TIMES[-1], output=TIMES, check=False, **more)
    return run, off_the_truth(run, four_bar_truth(off_by(which, error), np.pi / 2, psi, -6.0, TIMES))


@pytest.mark.filterwarnings("ignore::linkwright.errors.AccuracyWarning")  # at 1e-10 rounding is above the tolerance
@pytest.mark.parametrize(("which", "error"), [(2, 1e-3), (1, 1e-4), (2, -1e-5), (1, -1e-6), (2, 1e-8), (1, 1e-10)])
def test_a_motion_turns_beside_a_change_point_as_the_truth_does(which, error):
    began = time.process_time()
    run, off = run_beside(which, error)  # by the default call, which ends only where branches cross
    assert time.process_time() - began < SECONDS
    assert run.meta["ended"]["kind"] == "done"
    assert energy_lost(run) < (1e-5 if abs(error) < 1e-9 else 1e-6)
    assert off < (1e-3 if abs(error) < 1e-9 else 1e-4)
    assert not [e for e in run.events if e.kind == "branch" or e.name == "constraint"]


@pytest.mark.parametrize("method", [lw.DP5(1e-8), lw.RK4(1e-3), lw.Rodas5P(1e-8)], ids=repr)
def test_every_method_turns_beside_a_change_point(method):
    run, off = run_beside(2, 1e-6, method=method)
    assert off < 1e-4 and energy_lost(run) < 1e-5 and run.stats["tangent_steps"] > 0


def test_what_was_turned_beside_is_an_event_with_the_mismatch_of_lengths():
    run, _ = run_beside(2, 1e-5)
    beside = [e for e in run.events if e.name == "beside"]
    truth = run_beside(2, 1e-5, method=lw.DOP853(1e-11))[0]
    assert len(beside) == len([e for e in truth.events if e.name == "beside"]) > 3
    assert all(e.kind == "singularity" and "turned beside a change point, lengths within" in e.text for e in beside)


def run_record(model):
    """The record of a run, whose functions are called from Python."""
    return template(problem_of_model(model), lw.DOP853(), ()).copy()


def test_mismatch_is_that_of_the_lengths():
    """At the flat position of a parallelogram whose coupler is off by d, the loop misses d."""
    for error in (0.0, 1e-9, -1e-6, 1e-4):
        model, _ = near_parallelogram(2, error)
        driver = run_record(model)
        driver.search.q.flat[:] = 0.01, 0.0, 0.01
        assert find_nearest_singular(driver) == 1
        missed = abs(error) * 0.3 / model.kinematics.scales.length
        assert driver.search.moved < 1e-6 and driver.search.lost == 1
        assert driver.search.mismatch == pytest.approx(missed, rel=1e-3, abs=1e-14)


def test_a_step_over_a_flat_position_changes_a_side_and_one_before_it_does_not():
    model, _ = near_parallelogram(2, 0.0)
    driver = run_record(model)
    before, nearer, after = (np.array([x, -x, x, 0.0, 0.0, 0.0]) for x in (0.1, 0.02, -0.1))
    assert tangent_basis(driver, before) == 1
    assert surely_keeps_sides(driver, nearer) and count_changed_sides(driver) == 0
    assert not surely_keeps_sides(driver, after) and count_changed_sides(driver) == 1
    assert middle_fraction(1, driver) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("compiled", [True, False])
def test_eigenvalues_are_those_of_numpy(compiled):
    rng, code = np.random.default_rng(4), native_function(find_eigenvalues).call if compiled else find_eigenvalues
    for n in (1, 2, 3, 5, 8, 12):
        drawn = rng.normal(size=(n, n))
        signs = np.diag(np.where(np.arange(n) < n // 2, -1.0, 1.0))
        for A in (drawn, np.eye(n) + 1e-3 * drawn, signs + 1e-9 * drawn, drawn - drawn.T):
            real, imaginary, work = np.zeros(n), np.zeros(n), A.flatten()
            assert code(n, *(x.ctypes.data if compiled else x for x in (work, real, imaginary))) == 1
            found, expected = real + 1j * imaginary, np.linalg.eigvals(A)
            assert np.abs(found[:, None] - expected).min(axis=0).max() < 1e-12
            assert np.abs(found[:, None] - expected).min(axis=1).max() < 1e-12


@pytest.mark.parametrize(("asymmetry", "error"), [(0.0, 0.0), (1e-4, 0.0), (1e-2, 0.0), (1e-2, 1e-5), (1e-2, -1e-5)])
def test_five_bars_sent_through_flat_keep_their_energy(asymmetry, error):
    model = lw.build(five_bar(error))
    began = time.process_time()
    run = lw.simulate(model, *five_bar_start(model, 8.0, asymmetry), 1.2, stop_at=(), check=False)
    assert time.process_time() - began < SECONDS
    assert run.meta["ended"]["kind"] == "done" and energy_lost(run) < 1e-6
    crossed = sum(e.name == "constraint" for e in run.events)
    assert crossed == 3 if asymmetry == 0.0 else crossed == 0


def test_five_bars_that_miss_a_crossing_by_rounding_keep_their_energy():
    """Misses from rounding up to 1e-6: motions that small steps around the crossing cannot follow."""
    model = lw.build(five_bar())
    rng = np.random.default_rng(0)
    for i in range(18):
        asymmetry = (i % 3 > 0) * 10.0 ** rng.uniform(-14, -5)
        run = lw.simulate(model, *five_bar_start(model, rng.uniform(6, 12), asymmetry), 1.5, stop_at=(), check=False)
        assert run.meta["ended"]["kind"] == "done" and energy_lost(run) < 1e-6, (i, asymmetry)
        assert run.stats["steps"] < 5000


def test_events_at_crossings_name_the_mismatch_and_the_equations_lost():
    model, _ = near_parallelogram(2, 0.0)
    run = lw.simulate(model, *started(model, -6.0), 2.0, stop_at=(), check=False)
    crossed = [e for e in run.events if e.name == "constraint"]
    assert len(crossed) >= 6 and all("one of the loops' equations is lost" in e.text for e in crossed)
    assert np.abs(np.sin(run["crank"] - run["out"])).max() < 1e-10 and energy_lost(run) < 1e-6


def test_efforts_wrenches_friction_and_crossings_work_in_tangent_coordinates():
    """A driven near-parallelogram does the work of its motor; the same in small steps of another method."""
    mech = four_bar(*off_by(2, 1e-6), (np.pi / 2, rocker_angle(off_by(2, 1e-6), np.pi / 2, np.pi / 2)))
    model = lw.build(mech, actuated=["crank"])
    wrench = {"rocker": [0.0, 0.0, 0.05, 0.1, 0.0, 0.0]}
    given = {"effort": lambda t, q, v: [0.2 * np.sin(3 * t) - 0.02 * v[0]], "wrench": wrench, "check": False}
    passing = lw.events.Crossing("level", lambda t, q, v: np.sin(q[0]))
    q, v = started(model, -6.0)
    runs = [
        lw.simulate(model, q, v, 1.0, output=11, events=[passing], method=method, **given)
        for method in (lw.DOP853(), lw.DOP853(1e-11))
    ]
    assert all(energy_lost(run) < 1e-6 and run.stats["tangent_steps"] > 0 for run in runs)
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-5
    levels = [[e.t for e in run.events if e.name == "level"] for run in runs]
    assert levels[0] and levels[0] == pytest.approx(levels[1], abs=1e-6)


def test_independent_coordinates_say_that_they_cannot_follow_a_branch():
    model, _ = near_parallelogram(2, 0.0)
    run = lw.simulate(model, *started(model, -6.0), 5.0, formulation=lw.Minimal(), stop_at=(), check=False)
    assert run.meta["ended"]["kind"] == "singularity" and "Multipliers()" in run.meta["ended"]["text"]
    assert np.abs(np.sin(run["crank"] - run["out"])).max() < 1e-6  # up to there it is on its branch


@pytest.mark.parametrize("n", [2, 10])
def test_they_end_where_loops_of_a_chain_stay_flat(n):
    """A branch on which loops stay singular is another motion, which no run goes on along."""
    model, times = lw.build(four_bar_chain(n)), np.linspace(0.0, 5.0, 51)
    run = lw.simulate(
        model, *parallel_state(n, np.pi / 2, -1.0), 5.0, output=times, formulation=lw.Minimal(), stop_at=(), check=False
    )
    assert run.meta["ended"]["kind"] == "singularity" and "Multipliers()" in run.meta["ended"]["text"]
    assert np.abs(run["theta0"] - exact_angles(n, -1.0, times)[: len(run.t)]).max() < 1e-3


def test_fractions_of_a_step_are_far_from_its_stages():
    c = lw.DOP853().tableau.C
    found = far_from_stages(c[:13], c[13:])
    assert len(found) >= 5
    for x in found:
        assert np.abs(c[:13] - x).min() > 0.1 * x and np.abs(c[13:] - x).min() > 0.05 * x


def test_rows_inside_a_step_across_are_as_good_as_its_end():
    """Stages of the interpolant keep away from the crossing too; one beside it gave rows off by 1e-6 of the energy."""
    assert benchmark_claims.IFTOMM["energy"]() < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_random_runs_are_right(seed):
    _, _, lost, off, spent, _ = drawn_run(seed)
    assert lost < 1e-6 and off < ANGLE and spent < SECONDS


def test_a_fixed_step_that_no_passage_explains_ends_the_run():
    """A crank that turns thousands of times within one step is not followed turn by turn."""
    model = lw.build(lw.catalog.load("four-bar"))
    run = lw.simulate(model, model.assemble().q, t_end=90.0, effort=[1e9], method=lw.RK4(h=0.9))
    (end,) = [event for event in run.events if event.kind == "end"]
    assert not run.meta["complete"] and end.t < 0.9
    assert "take a smaller step" in end.text
    assert run.meta["stats"]["tangent_steps"] < 20000
