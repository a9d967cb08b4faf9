"""A law whose value is not finite is named with its actuator or body and the time, wherever it drives a run."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import AccuracyWarning


@pytest.fixture(scope="module")
def five_bar():
    model = lw.build(lw.catalog.load("five-bar"))
    return model, model.assemble().q


class UntilRoot:
    """Efforts that end at 0.3 s."""

    na = 2

    def tau(self, t, q, v):
        with np.errstate(invalid="ignore"):
            return np.array([0.1, 0.2 * np.sqrt(0.3 - t)])


class WithState:
    """A controller whose state, which drives nothing, stops at 0.2 s."""

    na, n_states = 2, 1

    def tau(self, t, q, v, z):
        return np.array([0.1, 0.0 * t])

    def rates(self, t, q, v, z):
        return np.array([np.sqrt(0.2 - t)])


@pytest.mark.parametrize(
    ("method", "formulation"),
    [(lw.DOP853(), None), (lw.RK4(1e-2), None), (lw.Rodas5P(), None), (lw.DP5(rtol=1e-6), lw.Minimal())],
)
def test_the_law_the_actuator_and_the_time_are_named(five_bar, method, formulation):
    model, q = five_bar
    run = lw.simulate(model, q, effort=UntilRoot(), method=method, formulation=formulation, check=False)
    ended = run.meta["ended"]
    assert ended["text"].startswith("the law UntilRoot gave nan for actuator 'motor2' at t = 0.3")
    assert ended["text"].endswith(" s; the run ends there")
    assert ended["kind"] == "not finite" and ended["t"] == pytest.approx(0.3, abs=1e-9)


def test_an_ensemble_says_the_same_of_every_run(five_bar):
    model, q = five_bar
    many = lw.simulate_many(model, np.array([q, q]), effort=UntilRoot(), output=5)
    assert all("UntilRoot gave nan for actuator 'motor2'" in many.reasons[i] for i in range(2))
    assert many.status == ("not finite", "not finite")
    assert many.ended == pytest.approx([0.3, 0.3], abs=1e-9) and np.isfinite(many.q[:, :2]).all()


def test_a_law_that_is_not_finite_at_the_start(five_bar):
    model, q = five_bar

    class Never(UntilRoot):
        def tau(self, t, q, v):
            return super().tau(t + 1.0, q, v)

    ended = lw.simulate(model, q, effort=Never(), check=False).meta["ended"]
    assert (
        ended["kind"] == "not finite" and ended["t"] == 0.0 and "Never gave nan for actuator 'motor2'" in ended["text"]
    )


def test_laws_of_wrenches_and_states_of_controllers(five_bar):
    model, q = five_bar
    push = lw.Wrench("platform", force=lambda t, q, v: [1.0, np.sqrt(0.2 - t), 0.0 * t])
    text = lw.simulate(model, q, wrench=push, check=False).meta["ended"]["text"]
    assert "the law of the wrench on 'platform' gave nan for its force y at t = 0.2 s" in text
    text = lw.simulate(model, q, effort=WithState(), check=False).meta["ended"]["text"]
    assert "the law WithState gave a rate of its state 0 that is not finite at t = 0.2 s" in text


def test_an_unstable_step_is_not_blamed_on_the_law(five_bar):
    """A damper far too stiff for a fixed step: the state grows without bound, and the law with it."""
    model, q = five_bar

    class Damper:
        na = 2

        def tau(self, t, q, v):
            return -1e6 * v[:2] ** 3

    v = model.forward_kinematics(model.actuator_positions(q), [1.0, 1.0], near=q)[1]
    ended = lw.simulate(model, q, v, effort=Damper(), method=lw.RK4(1e-2), check=False).meta["ended"]
    assert ended["kind"] == "blown" and "Damper" not in ended["text"]


def test_a_stepper_gives_the_reason_of_every_robot(five_bar):
    model, _ = five_bar
    robots = lw.Stepper(model, 4, 1e-3, wrenches=["platform"])
    robots.step([0.1, 0.1])
    tau, w = np.full((4, 2), 0.1), np.zeros((4, 6))
    tau[1, 1], w[2, 3] = np.nan, np.inf
    robots.step(tau, wrench={"platform": w})
    robots.step([0.1, 0.1])
    assert robots.failed.tolist() == [False, True, True, False]
    assert robots.reasons == {
        1: "at t = 0.001 s: the effort of actuator 'motor2' is nan; it must be finite",
        2: "at t = 0.001 s: force x of the wrench on 'platform' is inf; it must be finite",
    }
    robots.reset([1])
    assert list(robots.reasons) == [2]


@pytest.mark.parametrize("how", ["compiled", "called"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_event_function_that_is_not_finite_is_named(how, bad):
    """From about 0.3 s on; compiled functions gave no event and no message."""
    model = lw.build(lw.catalog.load("four-bar"))
    q = model.assemble().q

    def function(t, q, v):
        return np.log(0.3 - t) if np.isnan(bad) else np.exp(2400.0 * t)

    def called(t, q, v):
        return float(bad) if float(t) > 0.3 else 1.0

    event = lw.events.Crossing("late", function if how == "compiled" else called)
    with pytest.raises(lw.errors.ArgumentError, match="event function 'late' is not finite"):
        lw.simulate(model, q, t_end=1.0, effort=[6.0], events=[event])
    if how == "compiled" and np.isnan(bad):
        with pytest.raises(lw.errors.ArgumentError, match=r"not finite at t = 0\.3 s|at t = 0\.30000"):
            lw.simulate(model, q, t_end=1.0, effort=[6.0], events=[event])
        with pytest.raises(lw.errors.ArgumentError, match="not finite at t = 0 s"):
            lw.simulate(model, q, t_end=1.0, events=[lw.events.Crossing("early", lambda t, q, v: np.log(t))])
    found = lw.simulate_many(model, np.array([q, q]), t_end=1.0, effort=[6.0], events=[event])
    assert found.status == ("failed", "failed") and "event function 'late' is not finite" in found.reasons[0]


@pytest.mark.parametrize("name", ["", "a\x1b[31mb", "a\nb"])
def test_names_of_events_do_not_steer_terminals(name):
    with pytest.raises(lw.errors.ArgumentError, match="control characters"):
        lw.events.Crossing(name, lambda t, q, v: 1.0)


def test_a_run_that_loses_energy_says_so(five_bar):
    """Fixed steps far too long."""
    model, q = five_bar
    options = {"t_end": 0.19, "effort": [2.0, -2.0], "check": False}
    with pytest.warns(AccuracyWarning, match="energy"):
        run = lw.simulate(model, q, method=lw.RK4(0.1), **options)
    lost = [event for event in run.events if event.kind == "accuracy"]
    assert len(lost) == 1 and "of the energy exchanged" in lost[0].text
    assert not [event for event in lw.simulate(model, q, **options).events if event.kind == "accuracy"]
