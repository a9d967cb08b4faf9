"""Pulls bring bodies as near to their goals as the loops and ranges allow, and stay on their branch."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native import native_function
from linkwright.functions.stepping.limit_functions import joint_values
from linkwright.kinematics.dragging import pull_driver
from linkwright.kinematics.dragging.dragging import Dragging
from linkwright.kinematics.target_plans import locate_driven_coordinates
from linkwright.mechanism import Limits
from linkwright.model.limits import limits_exceeded
from tests.simulation.near_singular import four_bar
from tests.viewer.mechanisms import model

SIGHT = np.array([0.0, 0.0, 1.0])


def dragging(name):
    m = model(name)
    return m, m.assemble().q, Dragging(m.kinematics)


def point_at(m, q, body, point):
    poses = m.body_poses(q)
    return poses.position[body] + poses.rotation[body] @ point


def reachable_states(m, home, count, share):
    """Closed states within all ranges to which the actuators lead straight from home, by a share of their unit."""
    rng, units = np.random.default_rng(7), locate_driven_coordinates(m.kinematics).units
    found, tries = [], 0
    while len(found) < count:
        tries += 1
        assert tries < 20 * count
        try:
            q = m.follow(m.actuator_positions(home)[None] + share * units * rng.uniform(-1.0, 1.0, size=m.na), home)[0]
        except lw.errors.AssemblyError:
            continue
        if not limits_exceeded(m.kernels, q):
            found.append(q)
    return found


@pytest.mark.parametrize(
    "name, share, count",
    [
        ("delta", 1.2, 40),
        ("3-rrr", 1.2, 40),
        ("gough-stewart", 0.4, 20),
        ("hexaglide", 0.4, 10),
        ("orthoglide", 1.0, 10),
    ],
)
def test_reachable_poses_are_reached(name, share, count):
    m, home, d = dragging(name)
    for q in reachable_states(m, home, count, share):
        r, wxyz = m.frame_pose(q, m.mechanism.platform)
        pull = d.pull_platform(home, r, wxyz)
        assert pull.end == "reached"
        assert np.allclose(m.frame_pose(pull.q, m.mechanism.platform)[0], r, rtol=0.0, atol=1e-8)
        assert np.abs(m.closure_residual(pull.q)).max() < 1e-12


@pytest.mark.parametrize("name", ["hexaglide", "orthoglide", "tricept"])
def test_pulls_leave_no_range_of_a_joint(name):
    m, q, d = dragging(name)
    rng, body, ended = np.random.default_rng(3), len(m.bodies) - 1, set()
    for _ in range(10):
        away = m.scales.length * rng.normal(size=3)
        pull = d.pull_body(q, body, np.zeros(3), point_at(m, q, body, np.zeros(3)) + away)
        assert not limits_exceeded(m.kernels, pull.q)
        q = pull.q
        ended.add(pull.end)
    assert "boundary" in ended


def test_ranges_of_joints_that_close_loops_are_kept_and_left_again():
    mech = lw.catalog.load("five-bar")
    (loop,) = mech.loops
    x = joint_values(lw.build(mech).setup, lw.build(mech).assemble().q)[loop.name][0]
    bounded = replace(mech, loops=(replace(loop, limits=Limits(lower=(x - 0.2,), upper=(x + 0.3,))),))
    m = lw.build(bounded)
    home, d = m.assemble().q, Dragging(m.kinematics)
    body, rng, ended = len(m.bodies) - 1, np.random.default_rng(0), []
    start, q = point_at(m, home, body, np.zeros(3)), home
    for _ in range(10):
        target = start + 0.5 * m.scales.length * rng.normal(size=3)
        pull = d.pull_body(q, body, np.zeros(3), target, SIGHT)
        q, missed = pull.q, np.linalg.norm((point_at(m, pull.q, body, np.zeros(3)) - target)[:2])
        assert not limits_exceeded(m.kernels, q)
        ended.append(pull.end)
        for motion in np.linalg.svd(m.closure_jacobian(q))[2][-m.mobility :]:  # no way on within the range leads nearer
            for way in (1e-4, -1e-4):
                beside = m.assemble(guess=m.integrate(q, motion, way)).q
                if not limits_exceeded(m.kernels, beside):
                    assert np.linalg.norm((point_at(m, beside, body, np.zeros(3)) - target)[:2]) > missed - 1e-8
    assert d.pull_body(q, body, np.zeros(3), start, SIGHT).end == "reached"
    assert ended.count("boundary") > 2


@pytest.mark.parametrize("name", ["four-bar", "delta", "puma-560", "theo-jansen-leg"])
def test_where_a_pull_ends_no_motion_leads_nearer(name):
    m, home, d = dragging(name)
    rng, body = np.random.default_rng(1), len(m.bodies) - 1
    point = 0.1 * m.scales.length * rng.normal(size=3)
    for _ in range(5):
        target = point_at(m, home, body, point) + 3.0 * m.scales.length * rng.normal(size=3)
        pull = d.pull_body(home, body, point, target)
        q, missed = pull.q, np.linalg.norm(point_at(m, pull.q, body, point) - target)
        assert pull.missed == pytest.approx(missed, rel=1e-9, abs=1e-9)
        if pull.end == "reached":
            continue
        assert pull.end == "boundary"
        for k in range(m.na):  # beside it, each actuator moved both ways
            for way in (1e-3, -1e-3):
                x = m.actuator_positions(q)
                x[k] += way
                beside = m.forward_kinematics(x, near=q)[0]
                free = all(np.nan_to_num(beside - d.record.lower[: m.nq], nan=1.0) > -1e-9) if m.nq == m.nv else True
                if free and np.isfinite(beside).all():
                    assert np.linalg.norm(point_at(m, beside, body, point) - target) > missed - 1e-6


def test_a_crank_that_is_pulled_inwards_turns_round():
    m, home, d = dragging("four-bar")
    tip = point_at(m, home, 0, np.array([1.0, 0.0, 0.0])) * 0.0
    arm = np.array([m.scales.length, 0.0, 0.0])
    start = point_at(m, home, 0, arm)
    pivot = point_at(m, home, 0, tip)
    pull = d.pull_body(home, 0, arm, 2.0 * pivot - start)
    assert pull.end == "reached"
    assert abs(np.linalg.norm(point_at(m, pull.q, 0, arm) - start)) == pytest.approx(2.0 * m.scales.length, rel=1e-6)


def test_ranges_of_joints_are_kept_and_left_again():
    arm = lw.catalog.load("puma-560")
    m = lw.build(arm)
    home, d = m.assemble().q, Dragging(m.kinematics)
    d.record.lower[:], d.record.upper[:] = home - 0.2, home + 0.3
    d.record.coordinate[:] = np.arange(m.nv)
    body, point = len(m.bodies) - 1, np.zeros(3)
    start = point_at(m, home, body, point)
    q = home
    for away in (np.array([0.0, 0.0, -5.0]), np.array([3.0, 3.0, 3.0]), np.array([-3.0, 1.0, 0.0])):
        pull = d.pull_body(q, body, point, start + away)
        assert pull.end == "boundary"
        assert (pull.q > d.record.lower - 1e-8).all() and (pull.q < d.record.upper + 1e-8).all()
        q = pull.q
    back = d.pull_body(q, body, point, start)
    assert back.end == "reached"


def test_a_parallelogram_is_pulled_through_its_flat_position_on_its_own_branch():
    m = lw.build(four_bar(1.0, 0.4, 1.0, 0.4, (0.7, 0.7)))
    q, d, coupler = m.assemble().q, Dragging(m.kinematics), m.bodies.index("coupler")
    x = point_at(m, q, coupler, np.zeros(3))
    radius = float(np.hypot(*x[:2]))
    angle = np.arctan2(x[1], x[0])
    turned = m.body_poses(q).rotation[coupler]
    for k in range(1, 101):
        a = angle + 2.0 * np.pi * k / 100
        pull = d.pull_body(q, coupler, np.zeros(3), np.array([radius * np.cos(a), radius * np.sin(a), x[2]]), SIGHT)
        assert pull.end == "reached"
        q = pull.q
    assert np.allclose(m.body_poses(q).rotation[coupler], turned, rtol=0.0, atol=1e-6)


def test_compiled_and_interpreted_pulls_are_alike():
    m, home, d = dragging("3-rrr")
    r, wxyz = m.frame_pose(home, m.mechanism.platform)
    native = d.pull_platform(home, r + np.array([0.03, -0.02, 0.0]) * m.scales.length, wxyz)
    d.record.step.q[:] = home
    assert pull_driver.pull_body(d.record) == 1
    assert np.allclose(d.record.step.q, native.q, rtol=0.0, atol=1e-10)
    assert native_function(pull_driver.pull_body).python is pull_driver.pull_body
