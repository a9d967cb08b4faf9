"""Kinematics by compiled Newton steps: the general solver's results, row by row, with parameters, on one branch."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.formats.yaml import document_builder
from linkwright.formats.yaml.document import document_type
from linkwright.formats.yaml.yaml_text import SourceDocument
from linkwright.kinematics.forward_kinematics import _generally_tracked, track_actuators
from linkwright.kinematics.inverse_kinematics import KinematicsQuery, _generally_posed, _solve_for_poses
from linkwright.kinematics.query import BatchRows, Ended
from linkwright.kinematics.target_plans import locate_driven_coordinates, square_target
from linkwright.kinematics.velocity_kinematics import _dense_rates
from tests.loops.random_drawings import random_case
from tests.model.models import model

# Components of the platform that are given, and how far the actuators are moved from home.
PLATFORMS = {
    "gough-stewart": (None, 0.2),
    "hexapod": (None, 0.2),
    "delta": (("x", "y", "z"), 0.6),
    "3-rrr": (("x", "y", "rz"), 0.3),
    "five-bar": (("x", "y"), 0.5),
}

INPUTS = {
    "gough-stewart": ["joints.hooke1.at.x", "joints.hooke4.at.y", "joints.ball2.child_at.x"],
    "five-bar": ["joints.psi1.at.x", "joints.theta2.at.x"],
}

IN_LANES = ("delta", "3-rrr", "five-bar")  # batches of these run in lanes where rows are compared with single calls


def configurations(m: lw.Model, n: int, wide: float, seed: int = 0) -> np.ndarray:
    """Closed configurations that the actuators reach from home, (n, nq)."""
    rng, at = np.random.default_rng(seed), locate_driven_coordinates(m.kinematics).indices
    unit = m.kinematics.scales.speeds[[d.speed for d in m.kernels.setup.drives]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        q = m.forward_kinematics(m.kinematics.home[at] + wide * unit * rng.uniform(-1.0, 1.0, (3 * n, m.na)))[0]
    return q[np.isfinite(q).all(axis=1)][:n]


def platform_motion(m: lw.Model, q: np.ndarray, seed: int) -> tuple[lw.Pose, np.ndarray, np.ndarray]:
    """Poses, twists and twist rates of the platform for random rates of the actuators."""
    frame, rates = m.mechanism.platform, np.random.default_rng(seed).normal(size=(2, len(q), m.na))
    at = locate_driven_coordinates(m.kinematics).indices
    _, v, a = m.forward_kinematics(q[:, at], *rates, near=q)
    return m.frame_pose(q, frame), m.frame_twist(q, v, frame), m.frame_acceleration(q, v, a, frame)


@pytest.mark.parametrize("name", PLATFORMS)
def test_poses_are_reached_and_rows_are_the_single_calls_bit_for_bit(name: str, request: pytest.FixtureRequest) -> None:
    if name in IN_LANES:
        request.getfixturevalue("batches_in_lanes")
    m, (free, wide) = model(name), PLATFORMS[name]
    q = configurations(m, 30, wide)
    pose, twist, rate = platform_motion(m, q, 1)
    found = m.inverse_kinematics(pose, twist, rate, components=free)
    assert square_target(m.kinematics, m.mechanism.platform, tuple(range(6))) is not None
    for x, y in zip(m.frame_pose(found[0], m.mechanism.platform), pose, strict=True):
        assert np.abs(x - y).max() < 1e-11
    assert np.abs(m.closure_residual(found[0])).max() < 1e-12 * max(1.0, m.kinematics.scales.length)
    for row in range(0, 30, 7):
        alone = m.inverse_kinematics((pose[0][row], pose[1][row]), twist[row], rate[row], components=free)
        assert all(np.array_equal(x[row], y) for x, y in zip(found, alone, strict=True))
    back = m.forward_kinematics(found[0][:, locate_driven_coordinates(m.kinematics).indices], near=found[0])[0]
    assert np.abs(back - found[0]).max() < 1e-10


@pytest.mark.parametrize("name", PLATFORMS)
def test_rates_are_those_of_least_norm_and_of_differences_along_a_path(name: str) -> None:
    m, (free, wide) = model(name), PLATFORMS[name]
    q = configurations(m, 12, wide, 3)
    pose, twist, rate = platform_motion(m, q, 4)
    frame, h = m.mechanism.platform, 1e-4
    q0, v, a = m.inverse_kinematics(pose, twist, rate, near=q, components=free)
    given = tuple(range(6)) if free is None else tuple(sorted(lw.model.arguments.component_rows(free)))
    for row in range(12):
        dense = _dense_rates(m.kinematics, frame, list(given), q0[row], twist[row], rate[row])
        for x, y in zip((v[row], a[row]), dense[:2], strict=True):
            assert np.abs(x - y).max() < 1e-8 * (1.0 + np.abs(y).max())
    there = [m.project(m.integrate(q0, v + 0.5 * s * a, s), v)[0] for s in (-h, h)]
    moved = [m.inverse_kinematics(m.frame_pose(x, frame), near=q0, components=free)[0] for x in there]
    before, after = (m.difference(q0, x) for x in moved)
    size = 1.0 + np.abs(v).max() ** 3 + np.abs(a).max()
    assert np.abs((after - before) / (2.0 * h) - v).max() < 1e-6 * size
    assert np.abs((after + before) / h**2 - a).max() < 1e-3 * size


@pytest.mark.parametrize("seed", [1, 4, 7, 8, 9, 10, 12, 19])
def test_random_mechanisms_agree_with_the_general_solver(seed: int) -> None:
    drawing = random_case(seed, without=("couplings", "actuators-at-cuts", "fewer", "more", "massless")).drawing
    m = lw.build(
        document_builder.mechanism_of_document(
            document_type().model_validate(drawing), SourceDocument("text", drawing, {})
        )
    )
    loops, rng = m.kinematics, np.random.default_rng(seed)
    home = loops.home
    frame, given = m.bodies[-1], tuple(range(6))
    compared = 0
    if loops.has_closure and square_target(loops, None, tuple(range(m.na))) is not None:
        at = locate_driven_coordinates(loops).indices
        target = home[at] + 0.02 * rng.normal(size=(6, m.na))
        found, general = track_actuators(loops, BatchRows((6,), home, target)), _generally_tracked(loops, home, target)
        both = (found.ended == Ended.REACHED) & (general.ended == Ended.REACHED)
        assert np.abs(found.q[both] - general.q[both]).max(initial=0.0) < 1e-9
        compared += int(both.sum())
        q = found.q[both]
    else:
        q = np.tile(home, (3, 1))
    if len(q) and square_target(loops, frame, given) is not None:
        pose = np.concatenate(m.frame_pose(q, frame), axis=-1)
        wanted = KinematicsQuery((len(q),), frame, given, pose, None, None)
        found = _solve_for_poses(loops, wanted, BatchRows((len(q),), home, pose))
        general = _generally_posed(frame, list(given), loops, home, pose)
        both = (found.ended == Ended.REACHED) & (general.ended == Ended.REACHED)
        assert np.abs(found.q[both] - general.q[both]).max(initial=0.0) < 1e-8
        compared += int(both.sum())
    assert compared


def lengths(name: str) -> tuple[lw.Model, np.ndarray]:
    """A model with some lengths as inputs, and values near the nominal ones, one set for each of 8 rows."""
    m = lw.build(lw.catalog.load(name), inputs=INPUTS[name])
    rng = np.random.default_rng(6)
    p = m.parameters.nominal * (1.0 + 0.02 * rng.uniform(-1.0, 1.0, (8, len(m.parameters))))
    return m, p


@pytest.mark.parametrize("name", INPUTS)
def test_rows_with_their_own_parameters_are_models_at_these_values(name: str, request: pytest.FixtureRequest) -> None:
    if name in IN_LANES:
        request.getfixturevalue("batches_in_lanes")
    m, p = lengths(name)
    free, wide = PLATFORMS[name]
    q = configurations(m, 8, 0.3 * wide)
    pose, twist, rate = platform_motion(m, q, 2)
    found = m.inverse_kinematics(pose, twist, rate, components=free, p=p)
    assert np.isfinite(found[0]).all()
    assert np.abs(m.closure_residual(found[0], p=p)).max() < 1e-12 * max(1.0, m.kinematics.scales.length)
    for row in (0, 5):
        one = (pose[0][row], pose[1][row]), twist[row], rate[row]
        other = m.with_parameters(p[row])
        for x, y, z in zip(
            found,
            m.inverse_kinematics(*one, components=free, p=p[row]),
            other.inverse_kinematics(*one, components=free),
            strict=True,
        ):
            assert np.array_equal(x[row], y) and np.array_equal(y, z)
    anew = lw.build(m.with_parameters(p[5]).mechanism).inverse_kinematics(*one, components=free)
    assert all(np.abs(x[5] - y).max() < 1e-8 * (1.0 + np.abs(y).max()) for x, y in zip(found, anew, strict=True))


def test_actuators_and_parameters_broadcast_against_each_other() -> None:
    m, p = lengths("five-bar")
    at = locate_driven_coordinates(m.kinematics).indices
    q_act = m.kinematics.home[at] + np.linspace(-0.1, 0.1, 5)[:, None]
    q, v, _ = m.forward_kinematics(q_act, np.ones(2), p=p[:, None, :])
    assert q.shape == (8, 5, m.nq) and v.shape == (8, 5, m.nv)
    assert np.array_equal(q[3, 2], m.forward_kinematics(q_act[2], p=p[3])[0])
    assert np.array_equal(q[:, :, at], np.broadcast_to(q_act, (8, 5, 2)))


def test_parameters_with_which_no_loop_closes_give_rows_of_nan_with_the_reason() -> None:
    m, p = lengths("five-bar")
    q_act = m.kinematics.home[locate_driven_coordinates(m.kinematics).indices]
    p[2, 1] = 50.0
    with pytest.warns(lw.errors.BatchWarning, match="forward_kinematics of 'five-bar': some rows of the batch"):
        q, _, _ = m.forward_kinematics(q_act, p=p)
    assert np.isnan(q[2]).all() and np.isfinite(np.delete(q, 2, axis=0)).all()
    with pytest.raises(lw.errors.AssemblyError, match=r"0\.3% of the way .* joints\.theta2\.at\.x = 50"):
        m.forward_kinematics(q_act, np.ones(2), p=p[2])
    with pytest.warns(lw.errors.BatchWarning, match="some rows of the batch could not be computed"):
        assert np.isnan(m.forward_kinematics(q_act, np.ones(2), p=p[2:3])[1]).all()
    (failure,) = m.diagnose("forward_kinematics", q_act, p=p)
    assert (failure.row, failure.code) == (2, "out-of-reach")


def test_from_row_to_row_is_each_from_the_one_before() -> None:
    m = model("five-bar")
    t = np.linspace(0.0, 2.0 * np.pi, 60)
    center = m.frame_pose(m.kinematics.home, "platform")
    size = 0.15 * m.kinematics.scales.length
    xyz = center.position + size * np.stack([np.cos(t) - 1.0, np.sin(t), 0.0 * t], axis=1)
    pose = xyz, np.broadcast_to(center.quaternion_wxyz, (60, 4))
    q, _, _ = m.inverse_kinematics(pose, components=("x", "y"), near="previous")
    one = m.kinematics.home
    for row in range(60):
        one = m.inverse_kinematics((pose[0][row], pose[1][row]), components=("x", "y"), near=one)[0]
        assert np.array_equal(q[row], one)
    assert np.abs(q[-1] - m.kinematics.home).max() < 1e-9
    both = m.inverse_kinematics((np.stack([xyz, xyz]), pose[1]), components=("x", "y"), near="previous")[0]
    assert np.array_equal(both[0], q) and np.array_equal(both[1], q)
    with pytest.raises(ArgumentError, match="near is 'next', expected one of 'previous'"):
        m.inverse_kinematics(pose, near="next")


def test_a_sweep_of_whole_turns_stays_on_its_branch() -> None:
    m = model("four-bar")
    crank = (
        m.kinematics.home[locate_driven_coordinates(m.kinematics).indices[0]]
        + np.linspace(0.0, 4.0 * np.pi, 400)[:, None]
    )
    q = m.forward_kinematics(crank, near="previous")[0]
    assert np.abs(m.closure_residual(q)).max() < 1e-12
    assert np.abs(np.diff(q, axis=0)).max() < 0.2
    assert np.abs(np.sin(0.5 * (q[-1] - q[0]))).max() < 1e-9


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_do_not_depend_on_threads_or_on_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    m = model("3-rrr")
    q = configurations(m, 900, 0.6)
    pose = m.frame_pose(np.concatenate([q] * 6), "platform")
    solved = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LINKWRIGHT_THREADS", threads)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.errors.BatchWarning)
            solved.append(m.inverse_kinematics(pose, components=("x", "y", "rz"))[0])
    assert np.array_equal(*solved, equal_nan=True)
    parts = solved[0].reshape(6, len(q), m.nq)
    assert all(np.array_equal(part, parts[0], equal_nan=True) for part in parts)


def test_a_working_mode_that_only_the_start_excludes_is_named() -> None:
    """From the other elbow of one leg, the pose of the home is reached, with that elbow kept."""
    m = model("five-bar")
    home = m.kinematics.home
    pose = m.frame_pose(home, "platform")
    modes = [c.q for c in m.working_modes(pose)] + [home]
    solve = partial(m.inverse_kinematics, pose, components=("x", "y"))
    for start in modes:
        assert np.abs(m.difference(start, solve(near=start)[0])).max() < 1e-9


def test_dynamics_at_a_singularity_warn_and_are_diagnosed() -> None:
    """All links of a five-bar on one line: the actuators cannot hold it."""
    m = model("five-bar")
    q, v = np.tile(m.kinematics.home, (4, 1)), np.zeros((4, m.nv))
    assert m.diagnose("inverse_dynamics", q, v, v) == ()
    q[2], v[1, 0] = [np.pi, 0.0, -np.pi, np.pi], np.nan
    assert np.abs(m.closure_residual(q[2])).max() < 1e-15
    with pytest.warns(
        lw.errors.BatchWarning, match=r"inverse_dynamics of 'five-bar': some rows of the batch .*diagnose"
    ):
        tau = m.inverse_dynamics(q, v, v)
    assert np.isnan(tau[1:3]).all() and np.isfinite(tau[[0, 3]]).all()
    found = m.diagnose("inverse_dynamics", q, v, v)
    assert [(x.row, x.code) for x in found] == [(1, "not-finite"), (2, "singular")]
    assert "singularity" in found[1].reason
    with pytest.raises(ArgumentError, match="function is 'energy', expected one of"):
        m.diagnose("energy", q)
