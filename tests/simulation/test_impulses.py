"""Laws of loops that close in an instant: momentum, energy, and a second method in maximal coordinates."""

import numpy as np
import pytest
from pytest import approx

import linkwright as lw
from linkwright.simulation.switching.impulses import closed_at
from linkwright.simulation.switching.switches import anchored_frame, model_with_loops
from tests.simulation.switched_mechanisms import UP, block, sliders, walker


@pytest.fixture(scope="module")
def model():
    return lw.build(walker(np.random.default_rng(4)))


def landed(model, seed):
    """A random state, and the state after landing where the foot is, with the foot on the ground."""
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    done = closed_at(model, (q, v), frozenset(), {}, [lw.events.Close("foot", normal=UP, anchor=True)], {})
    return q, v, done


def rotated(model, q, body):
    return model.frame_pose(q, body).rotation


def test_the_change_of_momentum_is_the_impulse_of_the_ground(model):
    for seed in range(3):
        q, v, done = landed(model, seed)
        force = rotated(model, q, "limb") @ done.impact.wrenches["foot"][3:]
        point = np.array(done.anchors["foot"].xyz)
        change = model.momentum(q, done.impact.v) - model.momentum(q, v)
        assert change == approx(np.concatenate([np.cross(point, force), force]), abs=1e-11)


def test_what_is_lost_is_the_kinetic_energy_of_the_lost_speeds(model):
    for seed in range(3):
        q, v, done = landed(model, seed)
        change = done.impact.v - v
        carnot = 0.5 * change @ model.mass_matrix(q) @ change
        assert done.impact.lost["foot"] == approx(carnot, rel=1e-10) and carnot > 0
        assert model.energy(q, v)[0] - model.energy(q, done.impact.v)[0] == approx(carnot, rel=1e-9)


def test_the_foot_stands_still_and_coordinates_stay(model):
    q, _, done = landed(model, 11)
    closed = model_with_loops(model, done.closed, done.anchors, q)
    assert closed.closure_jacobian(q) @ done.impact.v == approx(np.zeros(3), abs=1e-12)
    assert done.q == approx(q, abs=1e-14)


def maximal_jump(model, q, v, foot):
    """Velocities (angular, of the mass center; per body) after landing, by the bordered equations of free bodies."""
    mech, poses = model.mechanism, model.body_poses(q)
    before, masses, centers = [], [], []
    for body, origin, R in zip(mech.bodies, poses.position, poses.rotation, strict=True):
        twist = model.frame_twist(q, v, body.name)
        arm = R @ np.array(body.inertia.com)
        before += [*twist[:3], *(twist[3:] + np.cross(twist[:3], arm))]
        block = np.zeros((6, 6))
        block[:3, :3] = R @ np.array(body.inertia.tensor) @ R.T
        block[3:, 3:] = body.inertia.mass * np.eye(3)
        masses.append(block)
        centers.append(origin + arm)
    M = np.block([[masses[0], np.zeros((6, 6))], [np.zeros((6, 6)), masses[1]]])
    hinge, axis = poses.position[1], rotated(model, q, "limb")[:, 1]
    across = np.linalg.svd(axis[None, :])[2][1:]
    rows = np.zeros((8, 12))
    rows[:3] = np.hstack([at_point(hinge - centers[0]), -at_point(hinge - centers[1])])
    rows[3:5, :3], rows[3:5, 6:9] = across, -across
    rows[5:, 6:] = at_point(foot - centers[1])
    K = np.block([[M, rows.T], [rows, np.zeros((8, 8))]])
    return np.linalg.solve(K, np.concatenate([M @ before, np.zeros(8)]))[:12]


def at_point(arm):
    """Matrix from (omega, velocity of the mass center) to the velocity of a point at an arm from it."""
    x, y, z = arm
    return np.hstack([np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]]), np.eye(3)])


def test_maximal_coordinates_give_the_same_speeds(model):
    for seed in range(3):
        q, v, done = landed(model, seed)
        expected = maximal_jump(model, q, v, np.array(done.anchors["foot"].xyz))
        for i, body in enumerate(model.mechanism.bodies):
            twist = model.frame_twist(q, done.impact.v, body.name)
            arm = rotated(model, q, body.name) @ np.array(body.inertia.com)
            found = np.concatenate([twist[:3], twist[3:] + np.cross(twist[:3], arm)])
            assert found == approx(expected[6 * i : 6 * i + 6], abs=1e-11)


def test_an_anchor_is_where_the_sides_meet(model):
    q, _, _ = landed(model, 3)
    closed = model_with_loops(model, {"foot"}, {"foot": anchored_frame(model, "foot", q)}, q)
    assert closed.closure_residual(q) == approx(np.zeros(3), abs=1e-14)


def test_a_rocking_block_loses_what_housner_says():
    """G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bull. Seism. Soc. Am. 53 (1963):
    the energy left when a block rocks over is (1 - m R^2 (1 - cos 2 alpha) / I_0)^2 of what it was."""
    width, height, mass = 0.5, 1.7, 40.0
    model = lw.build(block(width, height, mass), actuated=[])
    rate = 0.8  # about the left corner, so that the right one comes down
    q, v = np.array([0.0, height / 2, 0.0]), np.array([rate * height / 2, -rate * width / 2, -rate])
    assert model.closure_jacobian(q) @ v == approx(np.zeros(5), abs=1e-14)
    pushing = {"left": UP, "right": UP}
    done = closed_at(model, (q, v), frozenset({"left"}), {}, [lw.events.Close("right", normal=UP)], pushing)
    R2, alpha = 0.25 * (width**2 + height**2), np.arctan2(width, height)
    I_0 = 4.0 / 3.0 * mass * R2
    left = (1.0 - mass * R2 * (1.0 - np.cos(2.0 * alpha)) / I_0) ** 2
    assert model.energy(q, done.impact.v)[0] / model.energy(q, v)[0] == approx(left, rel=1e-12)
    assert done.closed == {"right"}


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("masses", [(1.0, 1.0), (5.0, 0.2)])
def test_two_balls_part_as_newton_says(e, masses):
    balls = lw.build(sliders(masses, (0.0, 1.0), 0.1))
    q, v = np.array([0.9, 0.0]), np.array([2.0, -0.5])
    done = closed_at(balls, (q, v), frozenset(), {}, [lw.events.Close("hit0", restitution=e)], {})
    center = np.dot(masses, v) / sum(masses)
    assert done.impact.v == approx(center - e * (v - center), abs=1e-13)
    reduced = masses[0] * masses[1] / sum(masses)
    assert done.impact.lost["hit0"] == approx(0.5 * reduced * (1 - e * e) * 2.5**2, abs=1e-12)
    assert done.bounced == (frozenset({"hit0"}) if e else frozenset())
