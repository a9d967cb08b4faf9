"""Singular positions where many loops fold at once: noted, stopped at or passed on the branch of the motion.

Larger chains: `python -m tests.simulation.four_bar_chain 7 10`.
"""

import warnings
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import AccuracyWarning, SingularityError
from linkwright.papers.gallery.four_bar_chain import (
    TEN_SECONDS,
    chain_acceleration,
    exact_angles,
    four_bar_chain,
    parallel_state,
)
from linkwright.simulation.run_singularities import angle_between_sheets
from tests.loops.mechanisms import Mechanics
from tests.simulation.four_bar_chain import first_flat, flat_positions, passed
from tests.simulation.near_singular import four_bar

SIZES = [1, 2, 5]


@cache
def chain_model(n, driven=False):
    return lw.build(four_bar_chain(n, driven))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("method", "tolerance"), [(lw.DOP853(), 1e-5), (lw.DOP853(1e-11), 1e-6), (lw.RK4(1e-3), 1e-6)])
def test_all_flat_positions_are_passed_as_the_one_freedom_moves(n, method, tolerance):
    run, tip, apart = passed(chain_model(n), n, -1.0, method)
    assert run.meta["ended"]["kind"] == "done"
    assert [e.name for e in run.events] == ["constraint"] * 10
    assert tip < tolerance and apart < 1e-10
    assert run.closure.max() < 1e-12 and run.meta["energy_balance"]["relative"] < 1e-6


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("driven", [False, True])
def test_a_run_stops_at_the_first_flat_position(n, driven):
    q, v = parallel_state(n, np.pi / 2, -1.0)
    run = lw.simulate(chain_model(n, driven), q, v, 2.0)
    assert run.meta["ended"]["kind"] == "singularity" and not run.meta["complete"]
    assert run.meta["ended"]["t"] == pytest.approx(first_flat(n, -1.0), abs=1e-7)
    assert [e.name for e in run.events if e.kind == "singularity"] == ["constraint"]


@pytest.mark.parametrize("seed", range(6))
def test_any_energy_that_goes_round_passes_all_of_them(seed):
    rng = np.random.default_rng(seed)
    n, rate = int(rng.choice(SIZES)), float(rng.uniform(0.3, 6.0) * rng.choice([-1.0, 1.0]))
    times = TEN_SECONDS[TEN_SECONDS <= 5.0]
    run, tip, apart = passed(chain_model(n, bool(seed % 2)), n, rate, lw.DOP853(1e-10), times)
    assert [e.name for e in run.events if e.kind in ("singularity", "branch")] == ["constraint"] * flat_positions(
        n, rate, times
    )
    assert tip < 1e-6 and apart < 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_swings_that_turn_back_beside_the_flat_position(seed):
    """Less energy: the rods swing through one flat position below the horizontal and return."""
    rng = np.random.default_rng(seed)
    n, angle = 2, float(rng.uniform(0.05, 1.2))
    q, v = parallel_state(n, angle)
    times = np.linspace(0.0, 5.0, 51)
    run = lw.simulate(chain_model(n), q, v, 5.0, output=times, stop_at=(), check=False, method=lw.DOP853(1e-10))
    assert np.abs(run["theta0"] - exact_angles(n, 0.0, times, angle)).max() < 1e-5
    assert not [e for e in run.events if e.kind == "branch"]


@pytest.mark.parametrize("n", [2, 5, 9])
def test_accelerations_near_the_flat_position_are_right_or_refused(n):
    """Every elimination that fails there is watched, however many loops there are."""
    model = chain_model(n)
    for x in 10.0 ** -np.arange(1.0, 13.0):
        q, v = parallel_state(n, float(x), -4.0)
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", AccuracyWarning)
            try:
                a = model.forward_dynamics(q, v, np.zeros(0))
            except SingularityError:
                doubts = [None]
        assert doubts or a[0] == pytest.approx(chain_acceleration(n, x), rel=1e-9)
    assert doubts


def through(mech, rate, rtol=1e-10, t_end=3.0):
    """A run from home with the crank at a rate, through whatever it meets."""
    model = lw.build(mech)
    q = model.assemble().q
    free = np.linalg.svd(model.closure_jacobian(q))[2][-1]
    return lw.simulate(model, q, free / free[0] * rate, t_end, method=lw.DOP853(rtol), stop_at=())


@pytest.mark.filterwarnings("ignore::linkwright.errors.AccuracyWarning")  # 1e-7 of energy, where 1e-12 was asked for
@pytest.mark.parametrize(
    ("rate", "rtol"), [(-9.0, 1e-10), (8.0, 1e-10), (9.0, 1e-12), (-7.3, 1e-12), (10.0, 1e-12), (11.1, 1e-6)]
)
def test_a_kite_passes_its_folded_position_on_its_branch(rate, rtol):
    """Ground and crank 1, coupler and rocker 2: where the crank lies on the ground, the others could turn alone."""
    angle = 1.2
    corner = 1.0 + np.exp(0.5j * angle) * (1j * np.sin(angle / 2) + np.sqrt(4 - np.sin(angle / 2) ** 2))
    run = through(four_bar(1.0, 1.0, 2.0, 2.0, (angle, float(np.angle(corner - 1.0)))), rate, rtol)
    half = 0.5 * run["crank"]
    corner = 1.0 + np.exp(1j * half) * (1j * np.sin(half) + np.sqrt(4 - np.sin(half) ** 2))
    assert np.abs(1.0 + 2.0 * np.exp(1j * run["out"]) - corner).max() < 1e-8
    assert sum(e.name == "constraint" for e in run.events) >= 2
    assert not [e for e in run.events if e.kind == "branch"]
    assert run.meta["ended"]["kind"] == "done" and run.meta["energy_balance"]["relative"] < max(1e-6, 10 * rtol)


@pytest.mark.filterwarnings("ignore::linkwright.errors.AccuracyWarning")  # 1e-7 of energy, where 1e-10 was asked for
@pytest.mark.parametrize("crossed", [False, True])
def test_parallelograms_and_antiparallelograms_stay_what_they_are(crossed):
    """Ground and coupler 2, cranks 1; of the crossed one tan(out / 2) = -3 tan(crank / 2)."""
    angle = 1.0
    out = 2.0 * np.arctan(-3.0 * np.tan(angle / 2)) if crossed else angle
    run = through(four_bar(2.0, 1.0, 2.0, 1.0, (angle, float(out))), 9.0)
    theta, psi = run["crank"] / 2, run["out"] / 2
    wanted = 3.0 * np.sin(theta) * np.cos(psi) + np.cos(theta) * np.sin(psi) if crossed else np.sin(theta - psi)
    assert np.abs(wanted).max() < 1e-7
    assert sum(e.name == "constraint" for e in run.events) >= 2
    assert not [e for e in run.events if e.kind == "branch"]
    assert run.meta["energy_balance"]["relative"] < 1e-6


def test_sheets_that_meet_are_distinguished():
    """At the flat position of one parallelogram: along its own sheet, and onto one on which a rod stays flat."""
    model = Mechanics.of(chain_model(2))
    flat, before, after = (parallel_state(2, x)[0] for x in (0.0, 0.1, -0.1))
    assert angle_between_sheets(model.kinematics, flat, before, after) is None
    folded = np.array([0.0, -0.1, -0.1, -0.1, 0.1])  # rod 0 stays, bar 1 turns with rod 1, bar 2 stays level
    assert np.abs(chain_model(2).closure_residual(folded)).max() < 1e-12
    angle = angle_between_sheets(model.kinematics, flat, before, folded)
    assert angle is not None and angle > 0.1
