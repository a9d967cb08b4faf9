"""Errors during a run name the thing and the time; rows that are valid stay."""

import logging
import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, AssemblyError, LinkwrightError
from tests.simulation.mechanisms import catalog_model


def home(name):
    return catalog_model(name).assemble().q


def test_a_start_a_little_open_is_closed_and_said(caplog):
    q = home("four-bar") + np.array([0.0, 1e-4, 0.0])
    with caplog.at_level(logging.WARNING):
        run = lw.simulate(catalog_model("four-bar"), q, t_end=0.1)
    assert run.events[0].kind == "start" and "residual 4" in run.events[0].text and "moved" in caplog.text
    assert 1e-4 < run.meta["start"]["gap"] < 1e-3 and run.closure.max() < 1e-12


def test_a_start_far_from_closed_is_refused():
    with pytest.raises(AssemblyError, match=r"not assembled: its loops are open by .* m"):
        lw.simulate(catalog_model("four-bar"), home("four-bar") + np.array([0.0, 0.4, 0.0]), t_end=0.1)


def test_speeds_that_open_the_loops_are_refused():
    with pytest.raises(ArgumentError, match=r"open its loops at .* m/s"):
        lw.simulate(catalog_model("four-bar"), home("four-bar"), [1.0, 0.0, 0.0], t_end=0.1)


def test_velocities_that_open_the_loops_a_little_are_corrected():
    linkage, q = catalog_model("four-bar"), home("four-bar")
    v = linkage.independent_map(q) @ [1.0] + np.array([0.0, 1e-3, 0.0])
    run = lw.simulate(linkage, q, v, t_end=0.1)
    assert run.events[0].kind == "start" and run["closure rate"].max() < 1e-11


def nan_after(t, q, v):
    return [np.nan if t > 0.05 else 0.0]


@pytest.mark.parametrize("effort", [nan_after, lw.control.Sampled(nan_after, 100.0)], ids=["continuous", "sampled"])
def test_nan_from_a_callable_ends_the_run_with_time_and_name(effort, caplog):
    run = lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1, effort=effort)
    ended = run.meta["ended"]
    assert ended["kind"] == "not finite" and not run.meta["complete"] and run.events[-1].name == "not finite"
    assert re.match(
        r"the effort function 'nan_after' gave nan for actuator 'motor' at t = 0\.0[56]\d* s; the run ends there$",
        ended["text"],
    )
    assert ended["text"] in caplog.text and 0.04 < run.t[-1] <= ended["t"] and np.isfinite(run.tau).all()


class Mine(Exception):
    """An error of the user."""


@pytest.mark.parametrize("error", [Mine, TypeError, ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["effort", "sampled", "wrench", "events", "close"])
def test_errors_of_functions_of_the_user_pass_through(error, where, tmp_path):
    def broken(t, q, v):
        if float(t) > 0.05:
            raise error("mine")
        return [0.0] if where in ("effort", "sampled") else [1.0, 0.0, 0.0] if where == "wrench" else 1.0

    given = {
        "effort": {"effort": broken},
        "sampled": {"effort": lw.control.Sampled(broken, 100.0)},
        "wrench": {"wrench": lw.Wrench("crank", force=broken)},
        "events": {"events": [lw.events.Crossing("watch", broken)]},
        "close": {"events": [lw.events.Open("B", when=broken)]},
    }[where]
    path = None if where == "close" else tmp_path / "run.npz"
    with pytest.raises(error, match="mine") as found:
        lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1, output=lw.Output(0.01, path=path), **given)
    assert type(found.value) is error and found.traceback[-1].name == "broken"
    if path is not None:
        kept = lw.open_result(path)
        assert len(kept.t) >= 5 and not kept.meta["complete"]


def test_errors_of_event_functions_of_an_ensemble_pass_through(tmp_path):
    def broken(t, q, v):
        if float(t) > 0.05:
            raise Mine("mine")
        return 1.0

    with pytest.raises(Mine, match="mine"):
        lw.simulate_many(
            catalog_model("four-bar"),
            np.stack([home("four-bar")] * 3),
            t_end=0.1,
            events=[lw.events.Crossing("watch", broken)],
        )


def test_an_event_function_that_gives_nan_is_named():
    def bad(t, q, v):
        return float("nan") if float(t) > 0.02 else 1.0

    with pytest.raises(LinkwrightError, match=r"event function 'watch' is not finite at t = 0.04"):
        lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1, events=[lw.events.Crossing("watch", bad)])


@pytest.mark.parametrize("function", [lambda t: 1.0, lambda t, q, v: None], ids=["arguments", "result"])
def test_an_event_function_that_cannot_be_called_is_named(function):
    with pytest.raises(ArgumentError, match=r"event function 'watch' failed at t = .* s .* returns one number"):
        lw.simulate(
            catalog_model("four-bar"), home("four-bar"), t_end=0.1, events=[lw.events.Crossing("watch", function)]
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"events": lw.events.Close("B", normal=(1, 0, 0))}, r"events is Close.* expected a list of Crossing"),
        ({"events": [lw.events.Open("B", when=lambda t: 1.0)]}, r"event function Open\('B'\) failed"),
        ({"events": 5}, r"events is 5, expected a list of Crossing"),
        ({"output": "often"}, r"output is 'often', expected a number of rows"),
        ({"effort": {"motor": "much"}}, r"effort\['motor'\] is 'much', expected a number"),
    ],
    ids=["switches", "when", "events", "output", "effort"],
)
def test_arguments_of_a_wrong_kind_are_errors_with_a_message(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1, **arguments)


def test_parameters_no_body_can_have_are_refused():
    tensors = np.array([np.eye(3), -np.eye(3)])
    with pytest.raises(ArgumentError, match=r"'crank.tensor' of run 1 has the principal moment -1 kg m\^2"):
        lw.simulate_many(catalog_model("four-bar"), home("four-bar"), parameters={"crank.tensor": tensors})
    with pytest.raises(ArgumentError, match="of run 0 is not symmetric"):
        lw.simulate_many(
            catalog_model("four-bar"), home("four-bar"), parameters={"crank.tensor": [np.triu(np.ones((3, 3)))]}
        )
    with pytest.raises(ArgumentError, match="expected a dictionary"):
        lw.simulate_many(catalog_model("four-bar"), home("four-bar"), parameters=[1.0])


class Burst:
    """An effort that feeds on speed: the speed is infinite after a finite time."""

    def tau(self, t, q, v):
        return np.array([0.2 * v[0] * v[0] * v[0] + 5.0, 0.0, 0.0])


def test_a_step_that_underflows_ends_the_run_with_its_valid_rows(caplog):
    run = lw.simulate(catalog_model("three-link-arm"), np.zeros(3), t_end=1.0, effort=Burst(), check=False)
    assert run.meta["ended"]["kind"] == "underflow" and not run.meta["complete"]
    assert 0 < run.t[-1] < 1.0 and np.isfinite(run.q).all() and "too small" in caplog.text
    assert run.events[-1].kind == "end"


def test_a_fixed_step_that_blows_up_ends_the_run_with_its_valid_rows():
    run = lw.simulate(
        catalog_model("three-link-arm"), np.zeros(3), t_end=1.0, effort=Burst(), method=lw.RK4(0.01), check=False
    )
    assert run.meta["ended"]["kind"] == "blown" and np.isfinite(run.q).all() and run.t[-1] < 1.0


@pytest.mark.parametrize(
    ("arguments", "because"),
    [
        ({"t_end": -1.0}, "after t_start"),
        ({"t_end": np.nan}, "expected a time"),
        ({"method": "rk4"}, r"expected DOP853\(\.\.\.\), DP5"),
        ({"output": 1}, "1 rows"),
        ({"output": -0.1}, "above zero"),
        ({"output": [0.0, 0.5, 0.4]}, "increase"),
        ({"output": [0.0, 2.0]}, "the run is 0 to 1 s"),
        ({"effort": [1.0, 2.0]}, r"shape \(2,\), expected \(1,\)"),
        ({"effort": [np.inf]}, "finite"),
        ({"effort": "full"}, "expected numbers"),
        ({"formulation": "fast"}, "expected Multipliers"),
        ({"stop_at": ("jump",)}, "a list of 'singularity' and 'limits'"),
        ({"events": [3]}, "expected Crossing"),
        ({"q": [0.0, 0.0]}, r"shape \(2,\)"),
        ({"v": [0.0, np.nan, 0.0]}, "finite"),
    ],
)
def test_bad_arguments_are_refused_in_words(arguments, because):
    given = {"q": home("four-bar"), "t_end": 1.0} | arguments
    with pytest.raises(ArgumentError, match=because):
        lw.simulate(catalog_model("four-bar"), **given)


def test_tolerances_below_round_off_are_refused():
    with pytest.raises(ArgumentError, match="below round-off"):
        lw.DOP853(1e-15)
    with pytest.raises(ArgumentError, match="above zero"):
        lw.RK4(0.0)


def test_an_unwritable_path_is_said_before_the_run(tmp_path):
    with pytest.raises(LinkwrightError, match="cannot be written"):
        lw.simulate(
            catalog_model("four-bar"), home("four-bar"), t_end=0.1, output=lw.Output(path=tmp_path / "no" / "run.npz")
        )


def test_a_saved_run_is_the_run(tmp_path):
    path = tmp_path / "run.npz"
    kept = lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1, output=lw.Output(path=path))
    plain = lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1)
    again = lw.open_result(path)
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]
    assert all(np.array_equal(again[name], plain[name]) for name in plain.names) and again.meta == kept.meta


def test_limits_are_events_and_may_stop():
    model = catalog_model("gough-stewart")
    run = lw.simulate(model, home("gough-stewart"), t_end=1.1)
    first = next(event for event in run.events if event.kind == "limit")
    assert run.t[-1] == 1.1
    stopped = lw.simulate(model, home("gough-stewart"), t_end=1.1, stop_at=("singularity", "limits"))
    assert stopped.t[-1] == pytest.approx(first.t, abs=1e-9) and stopped.meta["ended"]["kind"] == "event"
    assert stopped[first.name][-1] == pytest.approx(4.5, abs=1e-9)


def test_a_crossing_is_located_to_round_off():
    arm = catalog_model("three-link-arm")
    run = lw.simulate(
        arm, np.zeros(3), t_end=1.0, events=[lw.events.Crossing("half", lambda t, q, v: q[0] + 0.5, stop=True)]
    )
    assert run["theta1"][-1] == pytest.approx(-0.5, abs=1e-12) and run.events[0].name == "half"
    plain = lw.simulate(arm, np.zeros(3), t_end=run.t[-1])
    assert plain["theta1"][-1] == pytest.approx(-0.5, abs=1e-8)


def test_a_sampled_controller_is_held_between_samples():
    arm, seen = catalog_model("three-link-arm"), []

    def controller(t, q, v):
        seen.append(t)
        return [-5.0 * q[0] - v[0], 0.0, 0.0]

    run = lw.simulate(arm, [0.1, 0.0, 0.0], t_end=0.1, effort=lw.control.Sampled(controller, 100.0), output=0.0025)
    assert seen == pytest.approx(np.arange(10) / 100)
    assert len(np.unique(run.tau[:, 0])) == 10


def test_crossings_and_loops_that_open_are_one_list_of_events():
    """A crossing before the opening is recorded, the loop opens, and another crossing after it ends the run."""
    at = lambda when: lambda t, q, v: t - when  # noqa: E731
    early, late = lw.events.Crossing("early", at(0.02)), lw.events.Crossing("late", at(0.08), stop=True)
    opens = lw.events.Open("B", when=lambda t, q, v: 0.05 - t)
    run = lw.simulate(catalog_model("four-bar"), home("four-bar"), t_end=0.1, events=[early, opens, late])
    assert [event.name for event in run.events if event.name in ("early", "late")] == ["early", "late"]
    assert len(run.meta["phases"]) == 2
    assert run.t[-1] == pytest.approx(0.08, abs=1e-9)


@pytest.mark.parametrize("what", ["wrench", "event"])
def test_a_function_that_cannot_be_compiled_says_so_once(what, caplog):
    """For its model, with its name and the reason; one that can be compiled says nothing."""
    model = lw.build(lw.catalog.load("four-bar"))

    def branches(t, q, v):
        return [1.0, 0.0, 0.0] if float(t) < 0.005 else [0.0, 0.0, 0.0]

    def plain(t, q, v):
        return [np.sin(t), 0.0, 0.0]

    def given(function):
        if what == "wrench":
            return {"wrench": lw.Wrench("crank", force=function)}
        return {"events": [lw.events.Crossing("mine", lambda t, q, v: 1.0 + function(t, q, v)[0])]}

    for function, times in ((plain, 0), (branches, 1)):
        for _ in range(3):
            lw.simulate(model, home("four-bar"), t_end=0.01, check=False, **given(function))
        said = [record.getMessage() for record in caplog.records if "called in Python" in record.getMessage()]
        assert len(said) == times
    assert ("'crank'" if what == "wrench" else "'mine'") in said[0] and "float() needs a value" in said[0]
