"""Properties the catalog's mechanisms are known for, at closed positions along their branch, and published numbers."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from tests.catalog.test_known_mechanisms import known
from tests.loops import worlds


def poses(name: str, n: int = 12):
    """Poses of the bodies of a mechanism at closed positions spread over its branch."""
    made = known(name)
    q = made.branch_samples
    still = np.zeros(made.setup.tree.nv)
    return [worlds.bodies(made.setup.mech, one, still) for one in q[:: max(1, len(q) // n)]]


def frame(name: str, label: str):
    return next(f for f in catalog.load(name).frames if f.name == label)


def tip(world, at):
    return world[at.body].r + world[at.body].R @ at.pose.r


def test_peaucelliers_pen_draws_a_straight_line():
    at = frame("peaucellier", "pen")
    drawn = np.array([tip(world, at) for world in poses("peaucellier")])
    assert np.ptp(drawn[:, 1]) > 0.1
    assert drawn[:, 0] == pytest.approx((0.5**2 - 0.2**2) / (2 * 0.2), abs=1e-12)


def test_the_sarrus_plate_moves_straight_up():
    seen = poses("sarrus")
    r = np.array([world["plate"].r for world in seen])
    assert np.ptp(r[:, 2]) > 0.01 and np.abs(r[:, :2]).max() < 1e-12
    assert max(np.abs(world["plate"].R - np.eye(3)).max() for world in seen) < 1e-12


def test_bennetts_half_angles_have_a_constant_product():
    made = known("bennett")
    q = made.branch_samples
    assert np.ptp(q[:, 0]) > 0.5
    ratio = np.sin(np.radians(37.5)) / np.sin(np.radians(7.5))
    assert np.tan(q[:, 0] / 2) * np.tan(q[:, 1] / 2) == pytest.approx(ratio, rel=1e-9)


def test_the_agile_eye_turns_about_its_center():
    seen = poses("agile-eye")
    assert max(np.abs(world[name].r).max() for world in seen for name in world) < 1e-12
    assert max(np.abs(world["platform"].R - np.eye(3)).max() for world in seen) > 0.1


@pytest.mark.parametrize(("name", "bodies"), [("orthoglide", ["platform"]), ("par4", ["half1", "half2"])])
def test_platforms_that_do_not_turn(name, bodies):
    seen = poses(name)
    assert max(np.abs(world[body].R - np.eye(3)).max() for world in seen for body in bodies) < 1e-10
    assert np.ptp([world[bodies[0]].r for world in seen], axis=0).min() > 1e-3


def test_the_tool_of_par4_turns_about_the_vertical():
    turns = [world["platform"].R for world in poses("par4")]
    assert max(np.abs(R[2] - [0.0, 0.0, 1.0]).max() for R in turns) < 1e-10
    assert max(abs(R[0, 1]) for R in turns) > 1e-2


def test_the_legs_of_the_6_3_platform_meet_in_pairs():
    corners = {}
    for joint in catalog.load("stewart-6-3").loops:
        corners.setdefault(tuple(np.round(joint.child_at.xyz, 9) + 0.0), []).append(joint.name)
    assert sorted(corners.values()) == [["ball1", "ball4"], ["ball2", "ball5"], ["ball3", "ball6"]]


def test_jansens_foot_walks_a_flat_step():
    """Along more than half of the stride the foot stays within a hundredth of the stride; it lifts by far more."""
    model = lw.build(catalog.load("theo-jansen-leg"))
    q, path = model.assemble().q, []
    for angle in np.linspace(0.0, 2.0 * np.pi, 73)[:-1]:
        q = model.assemble(guess=q, fixed={"crank": angle}).q
        path.append(model.frame_pose(q, "foot")[0])
    x, y = np.array(path)[:, 0], np.array(path)[:, 1]
    low = y < y.min() + 0.01 * np.ptp(x)
    assert np.ptp(x[low]) > 0.5 * np.ptp(x)
    assert np.ptp(y) > 0.2 * np.ptp(x)


@pytest.mark.parametrize("degrees", [30.0, 75.0, 130.0])
def test_two_four_bars_fall_as_in_closed_form(degrees):
    """On the parallelogram branch 3 theta_ddot = -3.5 g cos(theta)."""
    model, angle = lw.build(catalog.load("iftomm-two-four-bars")), np.radians(degrees)
    q = np.array([{"t": angle, "b": -angle}[name[0]] for name in model.q_names])
    assert np.abs(model.closure_residual(q)).max() < 1e-14
    a = model.forward_dynamics(q, np.zeros(5), np.zeros(1))
    assert a[0] == pytest.approx(-3.5 * 9.81 * np.cos(angle) / 3.0, rel=1e-12)


@pytest.mark.parametrize("rod", [0.3, 0.5, 0.8])
def test_the_rods_of_a_hexapods_leg_reach_as_far_as_its_stroke(rod):
    """Two rods that slide in each other are at least one and at most two rods long."""
    for joint in catalog.load("hexapod", {"rod": rod}).joints:
        if joint.name.startswith("rho"):
            assert rod < joint.limits.lower[0] < joint.limits.upper[0] < 2.0 * rod


def test_the_puma_has_the_torques_and_inertias_of_the_book():
    """P. Corke, "Robotics, Vision and Control" (2011), section 9.2: pose q_n, four decimals; rotors are part of M."""
    arm = lw.build(catalog.load("puma-560"))
    q = np.array([0.0, np.pi / 4, np.pi, 0.0, np.pi / 4, 0.0])
    gravity = [0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0]
    assert arm.gravity_forces(q) == pytest.approx(gravity, abs=6e-5)
    M = arm.mass_matrix(q)
    assert np.diag(M) == pytest.approx([3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], abs=6e-5)
    assert [M[0, 1], M[0, 2], M[0, 3], M[1, 2], M[1, 4], M[2, 4]] == pytest.approx(
        [-0.4044, 0.1006, -0.0025, 0.3509, 0.0024, 0.0015], abs=6e-5
    )
