"""Identification: recovery without noise, intervals that hold with noise, consistent inertias, bad measurements."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis import MeasuredMotion, base_parameters, identify
from linkwright.analysis.identification.measured_motion import LowPass, true_segments
from linkwright.analysis.identification.physical_consistency import Consistency, mechanism_with, pseudo_inertia
from linkwright.cli import main
from linkwright.errors import ArgumentError
from tests.loops.random_mechanisms import interpreted
from tests.model.test_regressor import resisted, states

TIMES = np.linspace(0.0, 6.0, 401)


def swinging(t):
    return [2.2 + 0.5 * np.sin(3 * t) + 0.2 * np.cos(7 * t), 0.9 + 0.5 * np.cos(4 * t) + 0.2 * np.sin(9 * t)]


def other_motion(t):
    return [2.3 + 0.4 * np.cos(5 * t), 0.8 + 0.3 * np.sin(6 * t)]


def heavier(mech: lw.Mechanism, seed: int = 2) -> lw.Mechanism:
    """The mechanism with other masses, mass centers and tensors, with friction, and with rotors."""
    rng = np.random.default_rng(seed)

    def changed(body):
        spread = np.diag(rng.uniform(0.002, 0.01, 3))
        mass, com = body.inertia.mass * rng.uniform(0.6, 1.6) + 0.1, rng.normal(size=3) * 0.05
        com = com + np.array(body.inertia.com)
        J = np.array(body.inertia.tensor) + np.trace(spread) * np.eye(3) - spread
        return replace(body, inertia=lw.Inertia(mass, tuple(com.tolist()), tuple(map(tuple, J.tolist()))))

    rubbing = lw.forces.Friction((0.2,), (0.1,))
    joints = tuple(replace(j, friction=rubbing) if j.name.startswith("theta") else j for j in mech.joints)
    actuators = tuple(replace(a, rotor_inertia=0.01) for a in mech.actuators)
    return replace(mech, bodies=tuple(map(changed, mech.bodies)), joints=joints, actuators=actuators)


@pytest.fixture(scope="module")
def five_bar():
    model = lw.build(lw.catalog.load("five-bar"))
    true = lw.build(heavier(model.mechanism))
    return model, true, lw.motion(true, TIMES, q_act=swinging, reactions=False), base_parameters(model)


def noisy(model, run, share=0.01, seed=1) -> MeasuredMotion:
    size = share * np.sqrt(np.mean(run.tau**2, axis=0))
    return MeasuredMotion.of_run(model, run, run.tau + size * np.random.default_rng(seed).normal(size=run.tau.shape))


@pytest.mark.parametrize("method", ["ordinary", "weighted", "consistent"])
def test_parameters_are_recovered_without_noise(five_bar, method) -> None:
    model, true, run, base = five_bar
    found = identify(model, run, method=method, base=base)
    wanted = base.of(true.regressor_parameters.values)
    assert np.abs(found.beta - wanted).max() < 1e-8 * np.abs(wanted).max()
    assert np.abs(found.tau - run.tau).max() < 1e-8 * np.abs(run.tau).max()
    assert np.abs(base.of(found.theta) - found.beta).max() < 1e-12
    assert not found.unexcited


def test_intervals_hold_the_true_values_as_often_as_they_say(five_bar) -> None:
    model, true, run, base = five_bar
    wanted = base.of(true.regressor_parameters.values)
    inside = []
    for trial in range(60):
        low, high = identify(model, noisy(model, run, seed=trial), near=run.q, base=base, method="weighted").interval()
        inside.append((low <= wanted) & (wanted <= high))
    # 60 x 11 intervals: `python -m benchmarks.identification coverage` has 1000 trials
    assert 0.92 < np.mean(inside) < 0.98


def test_a_weighted_estimate_is_nearer_where_actuators_differ(five_bar) -> None:
    model, true, run, base = five_bar
    rng, wanted, misses = np.random.default_rng(3), base.of(true.regressor_parameters.values), []
    for _ in range(10):
        given = MeasuredMotion.of_run(model, run, run.tau + np.array([0.5, 0.005]) * rng.normal(size=run.tau.shape))
        both = [identify(model, given, method=m, base=base, near=run.q) for m in ("ordinary", "weighted")]
        misses.append([np.abs(found.beta - wanted) for found in both])
    plain, weighted = np.mean(misses, axis=0)
    assert np.mean(weighted / plain) < 0.5
    assert both[1].sigma == pytest.approx([0.5, 0.005], rel=0.15)


def test_a_consistent_estimate_has_real_bodies(five_bar) -> None:
    model, _, run, base = five_bar
    given = noisy(model, run, share=0.2)
    plain, found = (identify(model, given, method=m, base=base) for m in ("weighted", "consistent"))
    assert plain.identified is None
    assert "consistent" in plain.notes[0]
    index = {name: i for i, name in enumerate(model.regressor_parameters.names)}
    for body in model.bodies:
        phi = found.theta[index[f"{body}.m"] : index[f"{body}.m"] + 10]
        assert np.linalg.eigvalsh(pseudo_inertia(phi)).min() > 0.0
    other = lw.build(found.identified)
    assert np.allclose(other.inverse_dynamics(run.q, run.v, run.a), found.tau, atol=1e-9)


def test_bodies_of_a_file_beyond_the_border_begin_inside() -> None:
    """Link 3 of the PUMA 560 has published moments that no body has: 0.066 + 0.0125 < 0.086."""
    records = lw.build(lw.catalog.load("puma-560")).regressor_parameters.records
    chosen = [each for each in records if each.group == "inertial"]
    phi = np.array([each.value for each in chosen], dtype=float).reshape(-1, 10)
    assert np.linalg.eigvalsh(pseudo_inertia(phi))[2].min() < 0.0
    border = Consistency.of(chosen, records, np.full(len(chosen), 0.1))
    assert np.isfinite(border.value(border.start))
    assert border.moved and set(border.moved) < {each.subject for each in chosen}
    rng, h = np.random.default_rng(4), 1e-6
    g, H = border.derivatives(border.start)
    along = 1e-3 * rng.normal(size=len(chosen)) * np.abs(border.start)
    numeric = (border.value(border.start + h * along) - border.value(border.start - h * along)) / (2.0 * h)
    assert numeric == pytest.approx(g @ along, rel=1e-4, abs=1e-8)
    both = [border.derivatives(border.start + s * h * along)[0] for s in (1.0, -1.0)]
    assert np.allclose((both[0] - both[1]) / (2.0 * h), H @ along, rtol=1e-4, atol=1e-6 * np.abs(H @ along).max())


def test_a_second_motion_validates(five_bar) -> None:
    model, true, run, base = five_bar
    found = identify(model, noisy(model, run), base=base, method="consistent")
    checked = found.validate(lw.motion(true, TIMES, q_act=other_motion, reactions=False))
    before, after = checked.errors
    assert np.all(after < 0.01)
    assert np.all(before > 10.0 * after)
    assert checked.used.all()


@pytest.mark.parametrize("name", ["puma-560", "slider-crank"])
def test_mechanisms_take_other_parameters(name: str) -> None:
    """theta -> mechanism -> theta, with friction and rotors at joints and actuators."""
    with interpreted():
        model = lw.build(resisted(lw.catalog.load(name)))
        theta = model.regressor_parameters
        factor = np.array([1.2 if each.group == "inertial" else 1.5 for each in theta.records])
        factor[[each.kind == "offset" for each in theta.records]] = 0.0
        other = lw.build(mechanism_with(model, theta.values * factor))
        q, v, a = states(model, n=2)
        Y = model.regressor(q, v, a)
        assert np.allclose(other.regressor_parameters.values, theta.values * factor, rtol=1e-12, atol=1e-15)
        assert np.allclose(other.inverse_dynamics(q, v, a), Y @ (theta.values * factor), rtol=1e-9, atol=1e-9)


def test_rates_follow_from_positions(five_bar) -> None:
    model, true, run, base = five_bar
    exact = MeasuredMotion.of_run(model, run)
    given = {"t": run.t, "q_act": exact.q_act, "tau": run.tau}
    found = identify(model, given, base=base, method="ordinary")
    wanted = base.of(true.regressor_parameters.values)
    assert "8 of 401 rows" in found.notes[0]
    assert np.abs(found.beta - wanted).max() < 1e-3 * np.abs(wanted).max()
    filtered = MeasuredMotion(run.t, exact.q_act, run.tau, cutoff=15.0).with_rates()
    inner = slice(60, -60)
    assert np.abs(filtered.v_act - exact.v_act)[inner].max() < 0.02 * np.abs(exact.v_act).max()


@pytest.fixture(scope="module")
def long_run(five_bar):
    """Eight seconds at 500 rows per second."""
    model, true = five_bar[:2]
    return lw.motion(true, np.arange(0.0, 8.0, 2e-3), q_act=swinging, reactions=False), model


def positions_only(long_run, rng, noise, **options) -> MeasuredMotion:
    """Positions with noise [rad] and efforts with 1 %, as a controller records them."""
    run, model = long_run
    q_act = model.actuator_positions(run.q)
    size = 0.01 * np.sqrt(np.mean(run.tau**2, axis=0))
    tau = run.tau + size * rng.normal(size=run.tau.shape)
    return MeasuredMotion(run.t, q_act + noise * rng.normal(size=q_act.shape), tau, **options)


@pytest.mark.parametrize("cutoff", [10.0, 25.0])
def test_positions_and_efforts_alone_are_enough(five_bar, long_run, cutoff) -> None:
    """Both sides of the equations go through the filter: parameters are right, and within their intervals."""
    model, true, _, base = five_bar
    wanted, rng, inside = base.of(true.regressor_parameters.values), np.random.default_rng(4), []
    for _ in range(15):
        given = positions_only(long_run, rng, 1e-5, cutoff=cutoff)
        found = identify(model, given, base=base, near=long_run[0].q)
        assert np.abs(found.beta - wanted).max() < 0.006 * np.abs(wanted).max()
        low, high = found.interval()
        inside.append((low <= wanted) & (wanted <= high))
    assert 0.88 <= np.mean(inside) <= 1.0
    used = found.used.sum()
    assert used == pytest.approx(16 * cutoff, rel=0.15), "two rows per period of the cutoff frequency"


def test_noise_in_differentiated_positions_is_noted(five_bar, long_run) -> None:
    model, _, _, base = five_bar
    found = identify(model, positions_only(long_run, np.random.default_rng(4), 1e-5), base=base, near=long_run[0].q)
    assert any("give cutoff=20.0" in note for note in found.notes)
    motion = positions_only(long_run, np.random.default_rng(4), 0.0).with_rates()
    assert motion.noise < 1e-3
    noisy = replace(motion, a_act=motion.a_act + np.random.default_rng(5).normal(size=motion.a_act.shape))
    assert noisy.noise == pytest.approx(1.0 / np.sqrt(np.nanmean(noisy.a_act**2)), rel=0.05)


def test_filters_leave_slow_motions_and_take_fast_ones() -> None:
    low, t = LowPass(10.0, 500.0), np.arange(0.0, 4.0, 2e-3)
    inner = slice(low.settling, -low.settling)
    for frequency in (1.0, 5.0, 10.0, 40.0):
        wave = np.sin(2.0 * np.pi * frequency * t)[:, None]
        share = np.tan(np.pi * frequency / 500.0) / np.tan(np.pi * 10.0 / 500.0)
        assert np.allclose(low.filter_series(wave)[inner], wave[inner] / (1.0 + share**8), atol=2e-3)
    with pytest.raises(ArgumentError, match="too few for a filter"):
        low.filter_series(np.zeros((150, 1)))
    assert [(x.start, x.stop) for x in true_segments(np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool))] == [
        (0, 2),
        (3, 4),
        (6, 7),
    ]


def test_offsets_are_found(five_bar) -> None:
    model, true, run, _ = five_bar
    given = MeasuredMotion.of_run(model, run, run.tau + np.array([0.3, -0.2]))
    found = identify(model, given, parameters=["inertial", "friction", "rotor", "offset"], method="ordinary")
    assert found.beta[-2:] == pytest.approx([0.3, -0.2], abs=1e-9)
    assert np.abs(found.base.of(true.regressor_parameters.values)[:-2] - found.beta[:-2]).max() < 1e-9


def test_redundant_actuators_are_identified_from_what_they_do_together() -> None:
    mech = lw.catalog.load("five-bar")
    true, model = (lw.build(x, actuated=("theta1", "theta2", "psi1")) for x in (heavier(mech), mech))
    run = lw.motion(lw.build(heavier(mech)), TIMES, q_act=swinging, reactions=False)
    tau = true.inverse_dynamics(run.q, run.v, run.a)
    rates = [true.actuator_positions(run.q), true.actuator_velocities(run.v), true.actuator_accelerations(run.a)]
    found = identify(
        model, MeasuredMotion(run.t, rates[0], tau, *rates[1:]), parameters=["inertial"], method="ordinary"
    )
    plain = identify(lw.build(mech), run, parameters=["inertial"], method="ordinary")
    assert len(found.base) == len(plain.base)


def test_measurements_that_cannot_serve_are_refused(five_bar) -> None:
    model, _, run, base = five_bar
    exact = MeasuredMotion.of_run(model, run)
    few = MeasuredMotion(run.t[:5], exact.q_act[:5], run.tau[:5], exact.v_act[:5], exact.a_act[:5])
    with pytest.raises(ArgumentError, match="too few for 11 base parameters"):
        identify(model, few, base=base)
    lost = MeasuredMotion(run.t, np.full_like(exact.q_act, np.nan), run.tau, exact.v_act, exact.a_act)
    with pytest.raises(ArgumentError, match="0 of 401 rows can be used"):
        identify(model, lost, base=base)
    with pytest.raises(ArgumentError, match="q_act has 1 columns"):
        identify(model, {"t": run.t, "q_act": exact.q_act[:, :1], "tau": run.tau}, base=base)
    with pytest.raises(ArgumentError, match="no part 'torque'"):
        identify(model, {"t": run.t, "q_act": exact.q_act, "torque": run.tau}, base=base)
    with pytest.raises(ArgumentError, match="half the sampling rate"):
        identify(model, MeasuredMotion(run.t, exact.q_act, run.tau, cutoff=1e3), base=base)
    with pytest.raises(ArgumentError, match="not of this model"):
        identify(lw.build(lw.catalog.load("four-bar")), {"t": [0.0], "q_act": [[0.0]], "tau": [[0.0]]}, base=base)


def test_nan_rows_and_resting_motions_are_reported(five_bar) -> None:
    model, true, run, base = five_bar
    tau = run.tau.copy()
    tau[7] = np.nan
    found = identify(model, MeasuredMotion.of_run(model, run, tau), base=base)
    assert found.notes[0].startswith("1 of 401 rows")
    still = lw.motion(true, TIMES, q_act=lambda t: [2.2 + 0.0 * t, 0.9 + 0.3 * np.sin(t)], reactions=False)
    found = identify(model, still, base=base, method="ordinary")
    assert "theta1.viscous" in found.unexcited
    assert "determines" in found.notes[0]


def test_the_verb_identifies_validates_and_saves(five_bar, tmp_path) -> None:
    model, _, run, _ = five_bar
    exact = MeasuredMotion.of_run(model, run)
    names = [f"{name}{part}" for part in ("", ".velocity", ".acceleration", ".effort") for name in model.actuated]
    rows = np.concatenate([run.t[:, None], exact.q_act, exact.v_act, exact.a_act, run.tau], axis=1)
    file, saved = tmp_path / "motion.csv", tmp_path / "found.yaml"
    np.savetxt(file, rows, delimiter=",", header=",".join(["t", *names]), comments="")
    arguments = ["identify", "five-bar", str(file), "--validate", str(file), "--save-mechanism", str(saved), "--json"]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    data = json.loads(result.output)
    assert data["base_parameter_count"] == 11
    assert data["validation"]["largest_error_after"] < 1e-6
    other = lw.build(lw.load(saved))
    assert np.abs(other.inverse_dynamics(run.q, run.v, run.a) - run.tau).max() < 1e-6
    listed = CliRunner().invoke(main, ["identify", "five-bar", "--parameters", "inertial"], catch_exceptions=False)
    assert "Base parameters of five-bar" in listed.output
    wrong = CliRunner().invoke(main, ["identify", "five-bar", str(tmp_path / "none.csv")])
    assert wrong.exit_code != 0


@pytest.mark.filterwarnings("ignore::linkwright.errors.ParameterWarning")
def test_times_in_milliseconds_are_doubted_and_not_saved(long_run, tmp_path) -> None:
    """The title [ms] is what the command line asks for; with it the same numbers are saved."""
    run, model = long_run
    rows = np.column_stack([1e3 * run.t, model.actuator_positions(run.q), run.tau])
    file, saved = tmp_path / "motion.csv", tmp_path / "found.yaml"

    def identify_by_verb(title, *options):
        names = [title, *model.actuated, *(f"{name}.effort" for name in model.actuated)]
        np.savetxt(file, rows, delimiter=",", header=",".join(names), comments="")
        arguments = ["five-bar", str(file), "--parameters", "friction", "--save-mechanism", str(saved), *options]
        return CliRunner().invoke(main, ["identify", *arguments], catch_exceptions=False)

    doubted = identify_by_verb("t")
    assert doubted.exit_code == 4 and "Title it 't [ms]'" in doubted.output and not saved.exists()
    refused = identify_by_verb("t", "--cutoff", "20")
    assert refused.exit_code == 2 and "half the sampling rate" in refused.output and "'t [ms]'" in refused.output
    accepted = identify_by_verb("t", "--accept-doubtful")
    assert accepted.exit_code == 0 and "'t [ms]'" in accepted.output and saved.exists()
    titled = identify_by_verb("t [ms]", "--overwrite")
    assert titled.exit_code == 0 and "'t [ms]'" not in titled.output


def test_records_are_drawn_and_written(five_bar, tmp_path) -> None:
    model, _, run, base = five_bar
    found = identify(model, noisy(model, run), base=base)
    for record in (base, found, found.validate(run)):
        for ending in ("npz", "json", "csv"):
            record.save(tmp_path / f"x.{ending}")
        record.report(tmp_path / "x.html")
        assert record.data()["mechanism"] == "five-bar"


def test_a_consistent_estimate_of_the_file_itself_is_the_file() -> None:
    """Slender links keep their small moments, and rotors and friction that nothing needs stay zero."""
    from linkwright.mechanism import Inertia

    mech = lw.catalog.load("five-bar")
    thin = tuple(replace(b, inertia=Inertia.diagonal(0.4, (0.1, 0.0, 0.0), (1e-6, 1e-3, 1e-3))) for b in mech.bodies)
    model = lw.build(replace(mech, bodies=thin))
    before = model.regressor_parameters
    found = identify(model, lw.motion(model, TIMES, q_act=swinging, reactions=False), method="consistent")
    for each, after in zip(before.records, found.theta, strict=True):
        if each.group == "inertial":
            assert after == pytest.approx(float(each.value), rel=1e-4, abs=1e-8), each.name
        if each.kind == "rotor":
            assert after == 0.0, each.name
    assert found.identified is not None


def test_times_that_are_no_numbers_are_refused():
    with pytest.raises(lw.errors.ArgumentError, match="t has dtype object, expected real numbers"):
        lw.analysis.MeasuredMotion(len, np.zeros((2, 1)), np.zeros((2, 1)))


@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_a_saved_run_is_a_measured_motion(five_bar, tmp_path, ending) -> None:
    model, _, run, base = five_bar
    file = tmp_path / f"run{ending}"
    run.save(file)
    expected = identify(model, MeasuredMotion.of_run(model, run), base=base)
    assert np.array_equal(identify(model, file, base=base).beta, expected.beta)
    assert MeasuredMotion.read(model, file, 30.0).cutoff == 30.0


def test_a_run_past_a_singularity_keeps_its_configurations(five_bar) -> None:
    """Behind a singularity of type 2 the same actuator positions belong to another assembly mode than home's."""
    model, _, _, base = five_bar
    q = model.assemble().q
    run = lw.simulate(model, q, t_end=1.6, effort=[0.5, -0.2], stop_at=())
    assert any(event.kind == "singularity" for event in run.events)
    found = identify(model, run, base=base, method="ordinary")
    assert np.abs(found.beta - base.values).max() < 1e-4 * np.abs(base.values).max()


def test_a_cutoff_given_to_identify_is_that_of_the_measurements(five_bar, long_run, tmp_path) -> None:
    given = positions_only(long_run, np.random.default_rng(3), 1e-5)
    model, _, _, base = five_bar
    file, names = tmp_path / "meas.csv", model.actuated
    titles = ["t", *names, *(f"{name}.effort" for name in names)]
    table = np.c_[given.t, given.q_act, given.tau]
    np.savetxt(file, table, fmt="%.17g", delimiter=",", header=",".join(titles), comments="")
    filtered = MeasuredMotion.read(model, file, 20.0)
    expected = identify(model, filtered, base=base)
    for measured in (file, given, {"t": given.t, "q_act": given.q_act, "tau": given.tau, "cutoff": 3.0}):
        found = identify(model, measured, base=base, cutoff=20.0)
        assert np.array_equal(found.beta, expected.beta)
    assert np.array_equal(expected.validate(file, cutoff=20.0).errors, expected.validate(filtered).errors)
    with pytest.raises(ArgumentError, match="cutoff"):
        identify(model, file, base=base, cutoff=-1.0)


@pytest.mark.parametrize("method", ["ordinary", "weighted"])
def test_friction_that_is_a_rounded_zero_is_zero(five_bar, method) -> None:
    """A mechanism without friction comes out of its own motion as one, not as one of friction -2e-17."""
    model, _, _, base = five_bar
    for seed in range(3):
        motion = lw.motion(model, TIMES + 0.1 * seed, q_act=swinging, reactions=False)
        found = identify(model, motion, method=method, base=base)
        assert found.identified is not None, found.notes
    far = replace(model.mechanism.joints[0], friction=lw.forces.Friction((0.2,), (0.1,)))
    rubbing = lw.build(replace(model.mechanism, joints=(far, *model.mechanism.joints[1:])))
    efforts = 2.0 * lw.motion(model, TIMES, q_act=swinging, reactions=False).tau
    efforts -= lw.motion(rubbing, TIMES, q_act=swinging, reactions=False).tau
    run = lw.motion(model, TIMES, q_act=swinging, reactions=False)
    driving = identify(model, MeasuredMotion.of_run(model, run, efforts), method=method, base=base)
    assert driving.identified is None and any("no mechanism can have" in note for note in driving.notes)


@pytest.mark.parametrize("method", ["ordinary", "weighted"])
@pytest.mark.parametrize("noise", [1e-6, 1e-4, 1e-2])
def test_friction_that_is_a_measured_zero_is_zero(five_bar, method, noise) -> None:
    """Below zero within its own uncertainty it is taken as zero, and a note names it."""
    model, _, _, base = five_bar
    run, zeros = lw.motion(model, TIMES, q_act=swinging, reactions=False), 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        measured = MeasuredMotion.of_run(model, run, run.tau + noise * rng.normal(size=run.tau.shape))
        found = identify(model, measured, method=method, base=base)
        named = "".join(note for note in found.notes if "below zero by no more than the uncertainty" in note)
        for name, x, covariance in zip(found.base.leading, found.beta, np.diag(found.covariance), strict=True):
            if name.endswith((".viscous", ".coulomb")) and x < 0.0:
                assert (name in named) == (-x <= 3.0 * covariance**0.5), name
        zeros += bool(named)
    assert zeros >= 2
