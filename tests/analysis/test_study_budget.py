"""Long studies end when their time is over, or after Ctrl-C, with what they have."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis.scaled_svd import LeastSquaresSVD
from linkwright.analysis.study_budget import StudyBudget
from linkwright.compiler.runtime.progress import listen_to_progress
from linkwright.errors import ArgumentError


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"), inputs=["proximal", "distal"])


def measure(model, before=lambda: None):
    """The sum of two lengths that differ from a wish; `before` is called before each value."""

    def distance(p):
        before()
        wish = p - np.array([0.3, 0.4])
        return lw.types.MeasureValue(float(wish @ wish), float(wish @ wish), 2.0 * wish)

    return distance


SAMPLES = 66_536  # more than are computed at a time
BOUNDS = {"proximal": (0.2, 0.45), "distal": (0.3, 0.5)}


def interrupted_after(n):
    calls = iter(range(n))

    def step():
        if next(calls, None) is None:
            raise KeyboardInterrupt

    return step


def interrupted_second(function):
    """The function, with Ctrl-C in place of its second call."""
    step = interrupted_after(1)
    return lambda *arguments: (step(), function(*arguments))[1]


def test_a_search_returns_its_best_design_after_ctrl_c(five_bar):
    whole = lw.analysis.optimize(five_bar, measure(five_bar), BOUNDS, starts=4)
    assert whole.notes == () and len(whole.starts) == 4
    found = lw.analysis.optimize(five_bar, measure(five_bar, interrupted_after(12)), BOUNDS, starts=4)
    assert "interrupted" in found.notes[0] and len(found.starts) < 4
    start = measure(five_bar)(five_bar.parameters.values).exact
    assert whole.value <= found.value <= start


def test_a_search_ends_when_its_time_is_over(five_bar):
    found = lw.analysis.optimize(five_bar, measure(five_bar), BOUNDS, starts=50, max_seconds=1e-9)
    assert len(found.starts) == 1 and "max_seconds" in found.notes[0]
    assert np.isfinite(found.value)


def test_a_tolerance_study_has_the_designs_it_computed(five_bar):
    q = five_bar.assemble().q
    whole = lw.analysis.tolerance(five_bar, q, 1e-4, samples=SAMPLES)
    part = lw.analysis.tolerance(five_bar, q, 1e-4, samples=SAMPLES, max_seconds=1e-9)
    n = part.samples.shape[1]
    assert 0 < n < whole.samples.shape[1] == SAMPLES and "max_seconds" in part.notes[-1]
    np.testing.assert_array_equal(part.samples, whole.samples[:, :n])


def test_a_workspace_has_the_poses_it_looked_at(five_bar):
    grid = {"x": (-0.5, 0.5, 121), "y": (0.05, 0.65, 91)}
    whole = lw.analysis.workspace(five_bar, grid, refine=False)
    part = lw.analysis.workspace(five_bar, grid, max_seconds=1e-9)
    assert "max_seconds" in part.notes[-1] and not any("max_seconds" in note for note in whole.notes)
    assert not len(part.points)
    assert not (part.inside & ~whole.inside).any()


def test_a_calibration_says_that_it_did_not_settle(five_bar):
    q_act = np.linspace([2.2, 0.8], [2.4, 0.9], 8)
    q, _, _ = five_bar.forward_kinematics(q_act, near=five_bar.assemble().q)
    longer = five_bar.with_parameters(proximal=0.2503)
    q, _, _ = longer.forward_kinematics(q_act, near=longer.assemble().q)
    measured = longer.frame_pose(q, "platform")
    with pytest.warns(lw.errors.ParameterWarning, match="max_seconds"):
        part = lw.analysis.calibrate(five_bar, q_act, measured, max_seconds=1e-9)
    assert part.steps == 1
    with pytest.warns(lw.errors.ParameterWarning, match="interrupted"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeastSquaresSVD, "solution", interrupted_second(LeastSquaresSVD.solution))
        assert lw.analysis.calibrate(five_bar, q_act, measured).p == pytest.approx(part.p, abs=0.0)
    whole = lw.analysis.calibrate(five_bar, q_act, measured)
    assert np.linalg.norm(whole.after) <= np.linalg.norm(part.after) < np.linalg.norm(part.before)


def test_a_sweep_has_the_points_it_computed():
    grid = lw.sweeps.Grid(x=np.arange(40.0))
    part = lw.sweep(lambda p: {"y": 2.0 * p["x"]}, grid, chunk=5, max_seconds=1e-9)
    assert len(part) == 5 and part.meta["of"] == 40
    np.testing.assert_array_equal(part["y"], 2.0 * part["x"])


def test_a_sweep_has_the_points_it_computed_before_ctrl_c():
    step = interrupted_after(3)

    def double(p):
        step()
        return {"y": 2.0 * p["x"]}

    part = lw.sweep(double, lw.sweeps.Grid(x=np.arange(40.0)), chunk=5)
    assert len(part) == 15 and part.meta["of"] == 40


def test_a_sweep_under_a_path_goes_on(tmp_path):
    grid, path = lw.sweeps.Grid(x=np.arange(40.0)), tmp_path / "s.npz"

    def double(p):
        return {"y": 2.0 * p["x"]}

    part = lw.sweep(double, grid, path=path, chunk=5, max_seconds=1e-9)
    assert len(part) == 5 and not path.exists()
    whole = lw.sweep(double, grid, path=path, chunk=5)
    assert len(whole) == 40 and path.exists()


def test_steps_are_announced_and_the_first_is_always_done():
    texts = []
    with listen_to_progress(texts.append):
        assert list(StudyBudget("searching", None).steps("abc")) == ["a", "b", "c"]
        assert list(StudyBudget("searching", 1e-12).steps("abc")) == ["a"]
    assert [text for text in texts if text] == [f"searching: {i} of 3" for i in (1, 2, 3, 1)]
    with pytest.raises(ArgumentError, match="max_seconds"):
        StudyBudget("searching", -1.0)


def test_an_identification_has_the_estimate_so_far(five_bar):
    run = lw.motion(five_bar, 4.0, q_act=lambda t: [2.2 + 0.4 * np.sin(3 * t), 0.9 + 0.5 * np.cos(4 * t)])
    whole = lw.analysis.identify(five_bar, run, parameters=["inertial"])
    part = lw.analysis.identify(five_bar, run, parameters=["inertial"], max_seconds=1e-9)
    assert [any("max_seconds" in note for note in found.notes) for found in (whole, part)] == [False, True]
    error, first = (np.abs(x.tau - run.tau).max() for x in (whole, part))
    assert error <= first and part.identified is not None


def test_an_exciting_motion_is_the_best_so_far(five_bar):
    settings = {"samples": 12, "iterations": 3, "harmonics": 2, "starts": 3}
    whole = lw.analysis.excite(five_bar, **settings)
    part = lw.analysis.excite(five_bar, **settings, max_seconds=1e-9)
    assert "1 of 3 starts" in part.notes[-1] and whole.condition <= part.condition


def test_a_front_has_the_designs_that_were_found(five_bar):
    measures = (measure(five_bar), lw.analysis.WeightedSum(five_bar, {"proximal": 1.0, "distal": 1.0}))
    whole = lw.analysis.pareto(five_bar, measures, BOUNDS, count=3, starts=1, steps=20)
    part = lw.analysis.pareto(five_bar, measures, BOUNDS, count=3, starts=1, steps=20, max_seconds=1e-9)
    assert len(part.optima) <= 1 < len(whole.optima)


def test_ctrl_c_in_the_rest_of_a_study_does_not_lose_what_was_found():
    budget, step = StudyBudget("exploring", None), iter((KeyboardInterrupt, None, None))

    def work():
        if error := next(step):
            raise error
        return 7

    assert budget.complete(work) == 7 and budget.interrupted
    assert budget.complete(work) == 7
    with pytest.raises(KeyboardInterrupt):
        StudyBudget("exploring", None).complete(lambda: (_ for _ in ()).throw(KeyboardInterrupt))
