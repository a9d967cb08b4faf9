"""References: rates are derivatives of positions, ends are met, every scalar goes through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from linkwright.compiler import compile_program, evaluate, tangent, trace
from linkwright.control.platform_paths import Circle, PlatformMotion
from linkwright.control.references import Cycloidal, Delayed, Quintic, Steady, Trapezoid
from linkwright.control.splines import Spline
from linkwright.errors import ArgumentError

TIMES, POINTS = [0.0, 0.5, 0.7, 1.6, 2.0], [[0.0, 1.0], [1.0, 0.5], [1.2, -1.0], [0.3, 0.0], [0.0, 1.0]]
REFERENCES = {
    "cycloidal": Cycloidal([0.1, -1.0], [0.6, 2.0], 2.0),
    "quintic": Quintic([0.1, -1.0], [0.6, 2.0], 2.0),
    "trapezoid": Trapezoid([0.1, -1.0], [0.6, 2.0], 2.0, ramp=0.3),
    "triangle": Trapezoid([0.1], [0.6], 2.0, ramp=0.5),
    "steady": Steady([0.1, -1.0], [0.6, 2.0]),
    "delayed": Delayed(Quintic([0.1], [0.6], 1.0), 0.6),
    **{f"spline {ends}": Spline(TIMES, POINTS, ends) for ends in ("rest", "natural", "smooth", "periodic")},
    "two points": Spline([0.0, 2.0], [1.0, 3.0]),
    "circle": Circle((0.1, 0.2, 0.3), 0.4, Steady(0.2, 3.0)),
    "circle from rest": Circle((0.1, 0.2, 0.3), 0.4, Cycloidal(0.0, 6.0, 2.0), (0, 0, 1), (1, 0, 0)),
}
each = pytest.mark.parametrize("name", REFERENCES)


def program(reference):
    return trace(lambda t: reference.at(t), {"t": ()})


@each
def test_rates_are_the_tangents_of_positions(name):
    """Two independent ways to the same number: the formula of the rate, and forward-mode differentiation."""
    made = program(REFERENCES[name])
    t = np.linspace(-0.21, 2.3, 57)
    _, x_dot, x_ddot = evaluate(made, t)
    rates = evaluate(tangent(made), t, np.ones_like(t))
    smooth = np.ones(len(t), dtype=bool) if name.startswith("s") else (t > 0) & (t < 2)
    assert rates[0] == approx(x_dot, abs=1e-12)
    assert rates[1][smooth] == approx(x_ddot[smooth], abs=1e-11)


@each
def test_rates_are_limits_of_differences(name):
    t = np.array([0.113, 0.451, 0.643, 0.917, 1.371, 1.583, 1.871])
    h = 1e-4
    reference = REFERENCES[name]
    _, x_dot, x_ddot = reference.at(t)
    for value, rate in ((0, x_dot), (1, x_ddot)):
        before, after = reference.at(t - h)[value], reference.at(t + h)[value]
        assert (after - before) / (2 * h) == approx(rate, abs=2e-4)


@each
def test_floats_traces_and_compiled_code_agree(name):
    made, reference = program(REFERENCES[name]), REFERENCES[name]
    kernel = compile_program(made)
    t = np.linspace(-0.5, 2.5, 41)
    together = reference.at(t)
    compiled = kernel(t)
    for k in range(3):
        assert together[k].shape == (41, reference.size)
        assert compiled[k] == approx(together[k], abs=1e-12, rel=1e-12)
        assert np.array_equal(np.array([reference.at(s)[k] for s in t]), together[k])


@pytest.mark.parametrize("name", ["cycloidal", "quintic", "trapezoid", "triangle"])
def test_moves_go_from_start_to_end_and_stay_there(name):
    move = REFERENCES[name]
    for t in (-1.0, 0.0):
        assert move.at(t)[0] == approx(move.start)
    for t in (2.0, 5.0):
        assert move.at(t)[0] == approx(move.end)
    for t in (-1.0, 5.0):
        assert not np.any(move.at(t)[1]) and not np.any(move.at(t)[2])
    half = move.at(1.0)[0]
    assert half == approx(0.5 * (move.start + move.end))


def test_the_cycloidal_move_is_the_papers():
    q0, qT, T, t = 0.3, 1.7, 10.0, 3.7
    w = 2 * np.pi / T
    x, x_dot, x_ddot = Cycloidal(q0, qT, T).at(t)
    assert x[0] == approx(q0 + (qT - q0) / T * (t - T / (2 * np.pi) * np.sin(2 * np.pi * t / T)))
    assert x_dot[0] == approx((qT - q0) / T * (1 - np.cos(w * t)))
    assert x_ddot[0] == approx(2 * np.pi * (qT - q0) / T**2 * np.sin(w * t))


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=12), st.integers(0, 10**6))
def test_a_spline_meets_its_points_with_continuous_rates(points, seed):
    times = np.cumsum(np.random.default_rng(seed).uniform(0.1, 1.0, len(points)))
    spline = Spline(times, points)
    assert spline.at(times)[0][:, 0] == approx(np.array(points), abs=1e-11)
    eps = 1e-9
    for k in range(3):
        left, right = spline.at(times[1:-1] - eps)[k], spline.at(times[1:-1] + eps)[k]
        assert left == approx(right, abs=1e-4)
    assert spline.at(times[[0, -1]])[1] == approx(np.zeros((2, 1)))


@each
@pytest.mark.parametrize("end", [0.0, 2.0])
def test_rates_at_the_ends_are_those_of_the_motion(name, end):
    """A reference that is not at rest at its ends has its own rate and acceleration there, as a limit from inside."""
    reference, inward = REFERENCES[name], 1.0 if end == 0.0 else -1.0
    if name == "delayed":
        end = 0.6 if end == 0.0 else 1.6
    for k in (1, 2):
        near, nearer = (reference.at(end + inward * h)[k] for h in (2e-7, 1e-7))
        assert reference.at(end)[k] == approx(2 * nearer - near, abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(["natural", "smooth", "periodic", "rest"]))
def test_a_spline_is_scipys_from_its_first_to_its_last_instant(seed, ends):
    from scipy.interpolate import CubicSpline

    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 1.0, 7))
    points = rng.normal(size=(7, 2))
    points[-1] = points[0]
    kind = {"natural": "natural", "smooth": "not-a-knot", "periodic": "periodic", "rest": "clamped"}[ends]
    scipys, ours = CubicSpline(times, points, bc_type=kind), Spline(times, points, ends)
    for t in (times[0], times[-1], *times, *rng.uniform(times[0], times[-1], 5)):
        for k in range(3):
            assert ours.at(t)[k] == approx(scipys(t, k), abs=1e-10)
    for t in (times[0] - 0.1, times[-1] + 0.1):
        assert not ours.at(t)[1].any() and not ours.at(t)[2].any()


def test_periodic_points_may_differ_by_rounding():
    """sin(2 pi) is -2.4e-16 in floating point: the same point."""
    times = np.linspace(0.0, 2.0 * np.pi, 30)
    spline = Spline(times, np.sin(times), "periodic")
    assert spline.at(0.0)[0] == spline.at(2.0 * np.pi)[0]
    assert spline.at(0.0)[1] == approx(spline.at(2.0 * np.pi)[1], abs=1e-12)
    assert spline.at(0.0)[1] == approx([1.0], abs=1e-4)
    with pytest.raises(ArgumentError, match=r"column 1 begins with 0\.0 and ends with 0\.0009"):
        Spline([0.0, 1.0, 2.0], [[0.0, 0.0], [1.0, 1.0], [0.0, 9e-4]], "periodic")


def test_a_circle_keeps_its_radius_and_plane():
    x, x_dot, x_ddot = REFERENCES["circle"].at(np.linspace(0, 2, 9))
    out = x - [0.1, 0.2, 0.3]
    assert np.linalg.norm(out, axis=1) == approx(0.4)
    assert np.linalg.norm(x_dot, axis=1) == approx(1.2)
    assert x_ddot == approx(-9.0 * out)


def test_a_platform_turns_at_its_twist():
    motion = PlatformMotion(
        Quintic([0, 0, 1], [0.1, 0.2, 1.1], 1.0), (0.6, 0.8, 0.0, 0.0), (0.0, 0.6, 0.8), Cycloidal(0.0, 1.0, 1.0)
    )
    h, t = 1e-5, 0.4
    (_, wxyz), twist, twist_rate = motion.at(t)
    (p1, wxyz1), twist1, _ = motion.at(t + h)
    (p0, wxyz0), twist0, _ = motion.at(t - h)
    assert (p1 - p0) / (2 * h) == approx(twist[3:], abs=1e-8)
    w, x = twist[:3], wxyz
    spun = 0.5 * np.concatenate([[-w @ x[1:]], x[0] * w + np.cross(w, x[1:])])
    assert (wxyz1 - wxyz0) / (2 * h) == approx(spun, abs=1e-8)
    assert (twist1 - twist0) / (2 * h) == approx(twist_rate, abs=1e-6)
    assert wxyz @ wxyz == approx(1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cycloidal([0.0], [1.0, 2.0], 1.0), r"end has shape \(2,\), expected \(1,\)"),
        (lambda: Quintic(0.0, np.nan, 1.0), "end holds nan, expected finite numbers"),
        (lambda: Quintic(0.0, 1.0, 0.0), "duration is 0.0, expected a number above zero"),
        (lambda: Trapezoid(0.0, 1.0, 1.0, ramp=0.6), "ramp is 0.6"),
        (lambda: Spline([0.0, 0.0], [1.0, 2.0]), "times must ascend, but 0.0 follows 0.0 at row 1"),
        (lambda: Spline([0.0], [1.0]), "m at least 2"),
        (lambda: Spline([0.0, 1.0], [1.0, 2.0], "loose"), "ends is 'loose'"),
        (lambda: Spline([0.0, 1.0], [1.0, 2.0], "periodic"), "same first and last point"),
        (lambda: Circle((0, 0, 0), 1.0, Steady(0, 1), (1, 0, 0), (1, 1, 0)), "perpendicular unit vectors"),
        (lambda: Circle((0, 0, 0), 1.0, Steady([0, 0], [1, 1])), "a reference of 2"),
        (lambda: PlatformMotion(Steady(0, 1)), "position is a reference of 1 numbers, expected 3"),
        (lambda: PlatformMotion(Steady([0, 0, 0], 1), axis=(0, 0, 2)), "axis has length 2"),
    ],
)
def test_what_is_no_motion_is_refused(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_spline_over_absurd_times_is_refused():
    with pytest.raises(ArgumentError, match="no spline goes through"):
        Spline([0.0, 1e300, 2e300], [0.0, 1.0, 0.0], "natural")
