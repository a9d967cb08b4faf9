"""The energy balance of runs, ensembles and steppers: lost energy is warned of once, at the caller's line."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import AccuracyWarning
from linkwright.simulation.running.energy_balance import energy_balance, step_error, surely_balances
from tests.simulation.mechanisms import catalog_model

ROUGH = lw.RK4(0.1)
FIVE_BAR = {"t_end": 0.19, "effort": [2.0, -2.0]}


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, [each for each in caught if issubclass(each.category, AccuracyWarning)]


def energies(series):
    return np.stack([series(x) for x in ("kinetic energy", "potential energy", "work", "losses")], axis=-1)


def drift(rows):
    """As the definition has it, row by row."""
    total = [T + V - W + L for T, V, W, L in rows if np.isfinite(T)]
    return max(abs(x - total[0]) for x in total)


def test_a_run_with_steps_far_too_long_is_warned_of_at_the_line_of_the_call():
    model = catalog_model("five-bar")
    run, found = warned(lambda: lw.simulate(model, model.assemble().q, method=ROUGH, check=False, **FIVE_BAR))
    assert len(found) == 1 and found[0].filename == __file__
    assert found[0].message.finding.code == "energy-not-balanced" and "'five-bar'" in str(found[0].message)
    balance = run.meta["energy_balance"]
    assert balance["relative"] > balance["bound"] == 1e-3
    assert balance["drift"] == pytest.approx(drift(energies(run.__getitem__)), rel=1e-9)
    assert [event.kind for event in run.events].count("accuracy") == 1


def test_runs_of_one_kind_are_warned_of_with_one_text():
    """So that Python's own filter merges them."""
    model = catalog_model("five-bar")
    q = model.assemble().q
    texts = {
        str(warned(lambda h=h: lw.simulate(model, q, method=lw.RK4(h), check=False, **FIVE_BAR))[1][0].message)
        for h in (0.1, 0.12)
    }
    assert len(texts) == 1


@pytest.mark.parametrize("runs", [1, 5])
def test_an_ensemble_has_the_balance_of_its_runs(runs):
    model = catalog_model("five-bar")
    q, efforts = model.assemble().q, np.array([[2.0, -2.0]] * (runs - 1) + [[0.0, 0.0]])
    many, found = warned(
        lambda: lw.simulate_many(model, [q] * runs, t_end=0.19, effort=efforts, method=ROUGH, output=201)
    )
    alone = [
        warned(lambda x=x: lw.simulate(model, q, t_end=0.19, effort=x, method=ROUGH, check=False)) for x in efforts
    ]
    lost = [i for i, (_, warnings_of_run) in enumerate(alone) if warnings_of_run]
    assert many.meta["energy_balance"]["runs"] == lost
    assert len(found) == bool(lost) and all(each.filename == __file__ for each in found)
    for i, (run, _) in enumerate(alone):
        own = many[i].meta["energy_balance"]
        assert own["drift"] == pytest.approx(run.meta["energy_balance"]["drift"], rel=1e-6, abs=1e-13)


def test_a_run_that_an_ensemble_repeats_does_not_warn_by_itself():
    model = catalog_model("five-bar")
    events = [lw.events.Crossing("mine", lambda t, q, v: float(t) - 10.0)]
    given = {"t_end": 0.19, "effort": [2.0, -2.0], "method": ROUGH, "events": events}
    many, found = warned(lambda: lw.simulate_many(model, [model.assemble().q] * 3, **given))
    ours = [each for each in found if each.message.finding.code == "energy-not-balanced"]
    assert len(ours) == 1 and many.meta["energy_balance"]["runs"] == [0, 1, 2]


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("name", ["three-link-arm", "four-bar", "five-bar", "bennett", "3-rpr", "gough-stewart"])
def test_runs_within_their_tolerances_are_not_warned_of(name, rtol):
    model = catalog_model(name)
    q = model.assemble().q
    given = {"t_end": 1.0, "effort": [0.3] * model.na}
    for method in (lw.DOP853(rtol), lw.DP5(max(rtol, 1e-9)), lw.Rodas5P(max(rtol, 1e-8))):
        run, found = warned(lambda method=method: lw.simulate(model, q, method=method, check=False, **given))
        assert not found, run.meta["energy_balance"]
        assert not [event for event in run.events if event.kind == "accuracy"]
    many, found = warned(lambda: lw.simulate_many(model, [q, q], method=lw.DOP853(rtol), **given))
    assert not found and many.meta["energy_balance"]["runs"] == []


def test_a_motion_below_its_tolerances_is_not_judged_by_them():
    """A micrometer of swing with atol 1e-9 keeps three digits; that is what was asked for."""
    model = catalog_model("four-bar")
    q = model.assemble().q
    v = model.independent_map(q) @ [1e-7]
    still = lw.build(replace(model.mechanism, gravity=(0.0, 0.0, 0.0)))
    run, found = warned(lambda: lw.simulate(still, q, v, t_end=1.0, method=lw.DOP853(1e-6), check=False))
    assert not found and run.meta["energy_balance"]["bound"] > 1e-3


def test_energy_that_a_run_loses_at_once_is_seen_at_every_tolerance():
    """A jump as at a singular position, put into the rows of sound runs."""
    rng = np.random.default_rng(0)
    t = np.linspace(0.0, 1.0, 50)
    kinetic = np.sin(3.0 * t) ** 2
    rows = np.stack([kinetic, 5.0 - kinetic, 0.0 * t, 0.0 * t], axis=-1)
    for share in (1e-1, 1e-3, 1e-5):
        jumped = rows + np.where(t > 0.5, share, 0.0)[:, None] * [1.0, 0.0, 0.0, 0.0]
        found = energy_balance(jumped, 0.1 * share)
        assert not found.holds and found.drift == pytest.approx(share, rel=1e-6)
        assert energy_balance(jumped, 10.0 * share).holds and energy_balance(rows, 1e-9).holds
        for rtol in (1e-9, 1e-12):
            assert not surely_balances(jumped, lw.DOP853(rtol)) and surely_balances(rows, lw.DOP853(rtol))
    many = np.stack([rows, rows + rng.normal(size=rows.shape), np.full_like(rows, np.nan)])
    many[0, 30:] = np.nan
    assert energy_balance(many, 1e-6).holds.tolist() == [True, False, True]


def test_step_errors_are_those_of_the_tolerances_relative_to_the_motion():
    t = np.linspace(0.0, 1.0, 20)[:, None]
    q, v = np.concatenate([t, 3.0 * t], axis=1), np.concatenate([t, 0.0 * t], axis=1)
    assert step_error(1e-6, 1e-30, 1.0 * q, v) == pytest.approx(1e-6)
    assert step_error(1e-6, 1e-30, 1000.0 + q, v) == pytest.approx(1e-6 * 1002.0 * np.sqrt(2.0 / 10.0), rel=1e-2)
    assert step_error(1e-30, 1e-6, q, 1e-3 * v) == pytest.approx(1e-3 * np.sqrt(2.0))
    assert step_error(1e-6, 1e-6, 0.0 * q, 0.0 * v) == np.inf


def stepped(robots, tau, calls):
    for _ in range(calls):
        robots.step(tau)
    return robots


@pytest.mark.parametrize("stops", [None, lw.EndStops(50.0, 0.1)], ids=["free", "stops"])
def test_a_stepper_has_the_balance_of_every_robot(stops):
    model = catalog_model("five-bar")
    robots = lw.Stepper(model, 3, 1e-3, stops=stops, wrenches=["distal1"])
    tau = np.array([[0.3, -0.2], [0.1, 0.1], [0.0, np.nan]])
    wrench = {"distal1": [0.0, 0.0, 0.0, 0.1, 0.0, 0.3]}
    before = sum(model.energy(robots.q, robots.v))
    for _ in range(60):
        robots.step(tau, wrench)
    found, said = warned(lambda: robots.energy_balance)
    assert not said and found.holds.all() and found.drift[2] == 0.0
    now = sum(model.energy(robots.q, robots.v))
    expected = np.abs(now - before - robots.work + robots.losses)
    if stops is None:
        assert found.drift[:2] == pytest.approx(expected[:2], abs=1e-12)
    assert (found.exchanged[:2] > 1e-4).all()


def test_a_stepper_with_a_step_far_too_long_warns_when_it_is_read_and_by_itself():
    model = catalog_model("five-bar")
    robots = lw.Stepper(model, 2, 0.15)
    rough, tau = np.array([[2.0, -2.0], [0.0, 0.0]]), [2.0, -2.0]
    stepped(robots, rough, 2)
    found, said = warned(lambda: robots.energy_balance)
    assert len(said) == 1 and said[0].filename == __file__ and not found.holds[0]
    robots.reset()
    assert warned(lambda: robots.energy_balance)[0].drift.max() == 0.0

    def reset_often():
        for _ in range(1024):
            robots.reset([0])
            robots.step(tau)

    assert len(warned(reset_often)[1]) == 1


def test_other_parameters_begin_the_balance_of_a_stepper_anew():
    model = lw.build(lw.catalog.load("three-link-arm"), inputs=["bodies.link1.mass"])
    robots = lw.Stepper(model, 2, 1e-3, q=[0.3, 0.2, 0.1], p=[[1.0], [2.0]])
    stepped(robots, [0.0, 0.0, 0.0], 50)
    assert robots.energy_balance.holds.all() and (robots.energy_balance.exchanged > 1e-3).all()
    robots.set_parameters([[5.0], [0.5]])
    assert robots.energy_balance.drift.max() == 0.0
    assert stepped(robots, [0.0, 0.0, 0.0], 50).energy_balance.holds.all()


def test_a_pickled_stepper_goes_on_with_the_same_bits():
    model = lw.build(lw.catalog.load("five-bar"), inputs=["bodies.distal1.mass"])
    first = lw.Stepper(
        model, 3, 1e-3, lw.DP5, substeps=2, p=[[0.1], [0.2], [0.3]], stops=lw.EndStops(50.0), wrenches=["distal1"]
    )
    rng = np.random.default_rng(2)
    calls = [(rng.normal(size=(3, 2)), {"distal1": rng.normal(size=(3, 6))}) for _ in range(20)]
    for tau, wrench in calls[:10]:
        first.step(tau, wrench)
    first.step([[0.0, 0.0], [0.0, np.nan], [0.0, 0.0]])
    other = pickle.loads(pickle.dumps(first))
    assert other.reasons == first.reasons and other.failed.tolist() == [False, True, False]
    for robots in (first, other):
        robots.reset([0])
        for tau, wrench in calls[10:]:
            robots.step(tau, wrench)
    for name in ("q", "v", "t", "work", "losses", "p"):
        assert getattr(first, name).tobytes() == getattr(other, name).tobytes()
    assert first.energy_balance.drift.tobytes() == other.energy_balance.drift.tobytes()
