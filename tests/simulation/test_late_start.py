"""A run is the same whatever the clock shows at its start: inside it, time counts from there."""

from dataclasses import dataclass

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.running.run_output import output_times
from tests.simulation.mechanisms import catalog_model

LATE = 1.7e9
METHODS = [lw.DOP853(), lw.DP5(1e-8), lw.DP5(h=1e-3), lw.RK4(1e-3), lw.Rodas5P(1e-7)]
FORMULATIONS = [lw.Multipliers(), lw.Minimal(), lw.Minimal(displacement=True), lw.VirtualSprings(1e5, 100.0)]


def states(run):
    return np.stack([each.values for each in run.series], axis=1)


def both(model, **options):
    """The same run from zero and from a late start."""
    q = model.assemble().q if model.mechanism.loops else np.zeros(model.nq)
    return [lw.simulate(model, q, t_start=t, t_end=t + 0.5, **options) for t in (0.0, LATE)]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("name", ["three-link-arm", "four-bar"])
def test_a_late_start_changes_no_bit_of_the_motion(name, method):
    early, late = both(catalog_model(name), method=method, output=0.03125)
    assert np.array_equal(states(early), states(late))
    assert np.array_equal(late.t, LATE + early.t) and late.stats == early.stats


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_nor_under_another_formulation(formulation):
    early, late = both(catalog_model("four-bar"), formulation=formulation, effort=[2.0])
    assert np.array_equal(states(early), states(late))


@dataclass(frozen=True)
class Swinging:
    """An effort that depends on time through a phase that is exact at both starts."""

    origin: float

    def tau(self, t, q, v):
        return np.array([3.0 * np.sin(5.0 * (t - self.origin))])


@pytest.mark.parametrize("wrapped", [lambda law: law, lambda law: law.tau], ids=["compiled", "called"])
def test_laws_of_time_see_the_time_of_the_caller(wrapped):
    """With steps that are whole parts of a second in binary, stages fall on times that both clocks can show."""
    model = catalog_model("four-bar")
    runs = [
        lw.simulate(
            model,
            model.assemble().q,
            t_start=t,
            t_end=t + 0.5,
            effort=wrapped(Swinging(t)),
            method=lw.RK4(2.0**-9),
            output=2.0**-5,
        )
        for t in (0.0, LATE)
    ]
    assert np.abs(states(runs[0]) - states(runs[1])).max() < 1e-12 * np.abs(states(runs[0])).max()


def test_sampled_controllers_and_events_see_it_too():
    model = catalog_model("four-bar")
    seen = []

    def held(t, q, v):
        seen.append(t)
        return np.array([1.0])

    event = lw.events.Crossing("half", lambda t, q, v: t - (LATE + 0.25), direction=1)
    start = model.assemble().q
    run = lw.simulate(
        model,
        start,
        t_start=LATE,
        t_end=LATE + 0.5,
        effort=lw.control.Sampled(held, rate=8.0),
        events=[event],
        output=[LATE, LATE + 0.5],
    )
    assert seen == [LATE + k / 8 for k in range(4)]
    assert [e.t for e in run.events if e.name == "half"] == pytest.approx([LATE + 0.25], abs=5e-7)
    assert run.t.tolist() == [LATE, LATE + 0.5] and run.meta["span"] == [LATE, LATE + 0.5]


def test_an_ensemble_starts_late_without_a_change():
    model = catalog_model("four-bar")
    q = np.tile(model.assemble().q, (3, 1))
    early, late = (
        lw.simulate_many(model, q, t_start=t, t_end=t + 0.5, effort=[[1.0], [2.0], [3.0]]) for t in (0.0, LATE)
    )
    assert np.array_equal(early.q, late.q) and np.array_equal(early.v, late.v)
    assert np.array_equal(late.t, LATE + early.t) and np.all(late.ended == LATE + 0.5)


def test_rows_closer_than_the_clock_can_tell_are_refused():
    with pytest.raises(lw.errors.LinkwrightError, match="closer than float64 resolves"):
        output_times(1e-8, LATE, LATE + 1e-3)
    assert output_times(1e-8, 0.0, 1e-3).shown[-1] == 1e-3


@pytest.mark.parametrize("span", [(0.1, 0.8), (-0.3, 1.1), (LATE, LATE + 1.3), (1e-9, 0.7)])
def test_rows_end_at_the_end_and_keep_the_callers_times(span):
    for output in (7, 0.01, 0.013):
        times = output_times(output, *span)
        assert times.shown[0] == span[0] and times.shown[-1] == span[1] and times.since_start[-1] == times.duration
    own = np.linspace(*span, 5)
    assert np.array_equal(output_times(own, *span).shown, own)
