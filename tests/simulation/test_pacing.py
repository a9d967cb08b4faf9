"""Runs held back to a clock: the same numbers, and deadlines counted by a clock that we turn ourselves."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.simulation.running.run_output import Pace
from tests.simulation.mechanisms import catalog_model


class Clock:
    """Time passes while somebody sleeps, and `cost` seconds at every second look: once per slice."""

    def __init__(self, cost=0.0):
        self.now, self.cost, self.looks, self.slept = 100.0, cost, 0, []

    def __call__(self):
        self.looks += 1
        self.now += self.cost if self.looks % 2 == 0 else 0.0
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def paced(clock, period=0.01, **more):
    linkage = catalog_model("four-bar")
    pace = Pace(period, clock, clock.sleep)
    return lw.simulate(linkage, linkage.assemble().q, t_end=0.5, effort=[6.0], output=lw.Output(pace=pace), **more)


@pytest.mark.parametrize("method", [lw.DOP853(), lw.RK4(1e-3), lw.Rodas5P()], ids=lambda m: type(m).__name__)
def test_a_paced_run_has_the_bits_of_any_other(method):
    linkage = catalog_model("four-bar")
    free = lw.simulate(linkage, linkage.assemble().q, t_end=0.5, effort=[6.0], method=method)
    held = paced(Clock(), method=method)
    assert all(np.array_equal(free[name], held[name]) for name in free.names)
    assert "real_time" not in free.meta and held.meta["real_time"]["deadlines"] > 1


def test_without_cost_the_run_takes_its_own_time_and_misses_nothing():
    clock = Clock()
    report = paced(clock).meta["real_time"]
    assert clock.now - 100.0 == pytest.approx(0.5, abs=1e-9) and sum(clock.slept) == pytest.approx(0.5, abs=1e-9)
    assert report["missed"] == 0 and report["latest"] == 0.0 and report["factor"] is None and report["deadlines"] > 1


def test_fixed_steps_look_at_the_clock_once_per_period():
    report = paced(Clock(), period=0.05, method=lw.RK4(1e-3)).meta["real_time"]
    assert report["deadlines"] == 10


def test_the_factor_is_model_time_over_computing_time():
    clock = Clock(cost=0.01)
    run = paced(clock, period=0.05, method=lw.RK4(1e-3))
    report, spent = run.meta["real_time"], 0.01 * (clock.looks // 2)
    assert report["computing"] == pytest.approx(spent) and report["factor"] == pytest.approx(0.5 / spent)
    assert report["missed"] == 0


def test_a_computer_too_slow_misses_every_deadline_and_never_waits():
    clock = Clock(cost=0.08)
    report = paced(clock, period=0.05, method=lw.RK4(1e-3)).meta["real_time"]
    assert report["missed"] == report["deadlines"] == 10 and not clock.slept
    assert report["latest"] == pytest.approx(10 * (0.08 - 0.05))


def test_one_slow_moment_is_caught_up():
    clock = Clock()
    slow = iter([0.0, 0.0, 0.07, *[0.0] * 50])
    clock.sleep = lambda seconds: setattr(clock, "now", clock.now + seconds + next(slow))
    report = paced(clock, period=0.05, method=lw.RK4(1e-3)).meta["real_time"]
    assert report["missed"] == 1 and report["latest"] == pytest.approx(0.02)


def test_a_sampled_controller_is_paced_over_the_whole_run():
    clock = Clock()
    linkage = catalog_model("four-bar")
    law = lw.control.Sampled(lambda t, q, v: [6.0], 50.0)
    pace = Pace(0.01, clock, clock.sleep)
    lw.simulate(linkage, linkage.assemble().q, t_end=0.2, effort=law, output=lw.Output(pace=pace))
    assert clock.now - 100.0 == pytest.approx(0.2, abs=1e-9)


@pytest.mark.parametrize("period", [0.0, -1.0, float("nan"), "fast", True])
def test_a_period_that_is_no_time_is_refused(period):
    with pytest.raises(ArgumentError, match=r"period is .*expected a time"):
        Pace(period)
