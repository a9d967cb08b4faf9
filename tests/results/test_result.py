"""A result answers by name, in groups, and says what is wrong."""

import pickle

import numpy as np
import pytest
from pytest import approx

import linkwright as lw
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.results.archives import run_provenance
from linkwright.results.result import Result
from linkwright.results.series import Series, rms
from tests.results.runs import differences, example


def test_series_are_found_by_name_and_by_group():
    run = example()
    assert run["theta1"] is run.one("theta1").values
    assert run["t"] is run.t
    assert run.unit("theta1_dot") == "rad/s"
    assert run.q.shape == run.v.shape == run.tau.shape == (5, 1)
    assert run.a.shape == (5, 0)
    assert run.names[0] == "theta1"
    assert run.stats == {"steps": 7}


def test_energy_is_what_the_mechanism_holds_and_not_the_work_done_on_it():
    assert example().energy == approx(np.ones(5))


def test_closure_is_zero_without_loops():
    assert Result(np.zeros(3)).closure.tolist() == [0.0, 0.0, 0.0]
    assert example().closure[-1] == 1e-16


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(ArgumentError, match=r"no series 'theta_1'.*did you mean 'theta1'"):
        example()["theta_1"]
    with pytest.raises(ArgumentError, match="name is 3, expected a name"):
        example()[3]


def _endless():
    meta = {}
    meta["self"] = meta
    return meta


def test_the_meta_is_a_plain_copy():
    inner = [1, (2.0, None)]
    meta = {"list": inner, "array": np.array([1.5]), "steps": np.int64(3), 7: True}
    run = Result([0.0], (), meta)
    inner.append("later")
    assert run.meta == {"list": [1, [2.0, None]], "array": [1.5], "steps": 3, "7": True}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Result([0.0, 1.0], (Series("x", [1.0]),)), "'x' has 1 values for 2 times"),
        (lambda: Result([0.0], (Series("x", [1.0]), Series("x", [2.0]))), "two series are called 'x'"),
        (lambda: Series("t", [1.0]), "cannot be called 't'"),
        (lambda: Series("x", [[1.0]]), r"shape \(1, 1\)"),
        (lambda: Series("x", ["a"]), "expected a row of numbers"),
        (lambda: Series(3, [1.0]), "expected text"),
        (lambda: Result([0.0], (), {"f": len}), "must be JSON data"),
        (lambda: Result([0.0], (), _endless()), "nested too deeply"),
        (lambda: Result([0.0], (), [1]), "expected a dict"),
    ],
)
def test_what_cannot_be_a_run_is_refused(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_run_is_frozen_even_against_the_arrays_it_was_made_of():
    x = np.zeros(2)
    run = Result(np.arange(2.0), (Series("x", x),))
    x[0] = 9.0
    assert run["x"][0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        run["x"][0] = 1.0
    with pytest.raises(AttributeError):
        run.t = x


def test_pickling_keeps_everything():
    run = example()
    again = pickle.loads(pickle.dumps(run))
    assert differences(run, again) == []
    assert not again.t.flags.writeable


def test_the_summary_has_one_row_per_series():
    rows = {row.name: row for row in example(101).summary()}
    assert list(rows) == list(example().names)
    assert rows["theta1"].peak == rows["theta1"].high == rows["theta1"].last == approx(np.sin(1.0))
    assert rows["theta1"].rms == approx(np.sqrt(0.5 - np.sin(2.0) / 4.0), rel=1e-4)
    assert np.isnan(Result(np.zeros(0), (Series("x", np.zeros(0)),)).summary()[0].peak)


def test_rms_weighs_by_time_and_does_not_overflow():
    assert rms(np.array([0.0, 1.0, 1.0, 10.0]), np.array([0.0, 0.0, 1.0, 1.0])) == approx(np.sqrt(0.9))
    assert rms(np.array([0.0, 1.0]), np.array([1e200, 1e200])) == approx(1e200)
    assert rms(np.array([0.0, 0.0]), np.array([3.0, 4.0])) == approx(np.sqrt(12.5))


def test_the_repr_is_short_and_says_what_it_is():
    assert repr(example()) == "Result(times: 5, t = 0 to 1 s, series=7, events=1)"
    named = Result(np.zeros(0), meta=run_provenance("arm", "format: 1"))
    assert repr(named) == "Result('arm', times=0, series=0, events=0)"


def test_the_same_mechanism_has_the_same_hash():
    one, two, other = (run_provenance("arm", text)["mechanism"]["hash"] for text in ("a: 1", "a: 1", "a: 2"))
    assert one == two != other


def test_nothing_draws_what_nobody_attached():
    with pytest.raises(LinkwrightError, match="nothing draws"):
        from linkwright.results import attached_functions

        attached_functions.attached_function("hologram")


def test_a_frame_or_body_has_its_path():
    model = lw.build(lw.catalog.load("five-bar"))
    run = lw.simulate(model, model.assemble().q, t_end=0.05, effort=[0.5, 0.0], output=7)
    for name in ("platform", "distal1"):
        expected = model.frame_pose(run.q, name).position
        np.testing.assert_array_equal(run[name], expected)
        for i, axis in enumerate("xyz"):
            np.testing.assert_array_equal(run[f"{name}.{axis}"], expected[:, i])
            assert run.unit(f"{name}.{axis}") == run.unit(name) == "m"
    speed = np.gradient(run["platform.x"], run.t)
    np.testing.assert_allclose(speed[3], model.frame_twist(run.q[3], run.v[3], "platform")[3], rtol=0.05)
    for unknown in ("platfrom", "platform.w", "x", ".x"):
        with pytest.raises(ArgumentError, match="has no series"):
            run[unknown]


def test_a_series_comes_before_a_path():
    model = lw.build(lw.catalog.load("gough-stewart"))
    run = lw.simulate(model, model.assemble().q, t_end=0.01)
    np.testing.assert_array_equal(run["pose.x"], run.one("pose.x").values)
