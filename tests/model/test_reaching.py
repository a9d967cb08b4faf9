"""From actuators and from the platform to the whole mechanism, and back."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.formats import from_yaml
from linkwright.model import arguments
from tests.model.models import model

PLATFORMS = ["gough-stewart", "hexam", "3-rrr", "linapod"]


def actuator_indices(m: lw.Model) -> list[int]:
    joints = {a.name: a.joint for a in m.mechanism.actuators}
    return [m.q_names.index(joints.get(name, name)) for name in m.actuated]


@pytest.mark.parametrize("name", PLATFORMS)
def test_forward_kinematics_undoes_inverse_kinematics(name):
    m = model(name)
    home = m.assemble()
    rng = np.random.default_rng(0)
    q_act = home.q[actuator_indices(m)] + rng.uniform(-0.01, 0.01, (6, m.na))
    v_act, a_act = rng.normal(size=(2, 6, m.na)) * 0.1
    q, v, a = m.forward_kinematics(q_act, v_act, a_act, near=home.q)
    pose, frame = m.frame_pose(q, m.mechanism.platform), m.mechanism.platform
    back = m.inverse_kinematics(pose, m.frame_twist(q, v, frame), m.frame_acceleration(q, v, a, frame), near=home.q)
    for found, wanted in zip(back, (q, v, a), strict=True):
        assert np.abs(found - wanted).max() < 1e-9 * (1 + np.abs(wanted).max())
    assert np.abs(m.closure_residual(q)).max() < 1e-12


@pytest.mark.parametrize(
    ("name", "roots", "free"),
    [
        ("3-rrr", 8, None),
        ("hexam", 64, None),
        ("gough-stewart", 64, None),
        ("3-prs", 8, None),
        ("3-rps", 8, ["z", "rx", "ry"]),
        ("five-bar", 2, None),
        ("five-bar", 4, ["x", "y"]),
        ("delta", 8, None),
        ("puma-560", 8, None),
    ],
)
def test_every_combination_of_the_roots_of_the_legs_is_a_working_mode(name, roots, free):
    m = model(name)
    frame = arguments.require_output_frame(m.mechanism)
    start = m.assemble().q if m.kinematics.has_closure else np.linspace(0.3, 0.8, m.nq)
    pose = m.frame_pose(start, frame)
    found = m.working_modes(pose, guesses=256, components=free)
    assert len(found) == roots
    q = np.array([c.q for c in found])
    assert np.abs(m.closure_residual(q)).max(initial=0.0) < 1e-11 if m.kinematics.has_closure else True
    away = np.linalg.norm(q - m.kinematics.home, axis=1)
    assert np.diff(away).min(initial=0.0) > -1e-8
    positions = np.exp(1j * m.actuator_positions(q))
    assert all(np.abs(x - y).max() > 1e-6 for i, x in enumerate(positions) for y in positions[:i])
    given = arguments.component_rows(free)
    there = m.frame_pose(q, frame)
    turned = 2.0 * np.array([quaternion_vector(pose[1], w) for w in there[1]])
    off = np.hstack([turned, there[0] - pose[0]])[:, given]
    assert np.abs(off).max() < 1e-9
    assert [c.q.tolist() for c in m.working_modes(pose, guesses=256, components=free)] == q.tolist()


def quaternion_vector(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector part of the quaternion b conj(a), w x y z, with a positive scalar part."""
    w, v = a @ b, a[0] * b[1:] - b[0] * a[1:] - np.cross(b[1:], a[1:])
    return v if w > 0 else -v


def test_the_other_root_of_a_hexaslide_is_out_of_its_stroke():
    m = model("hexam")
    found = m.working_modes(m.frame_pose(m.assemble().q, m.mechanism.platform))
    assert m.limits_exceeded(found[0].q) == ()
    assert all("above its limit" in str(m.limits_exceeded(c.q)[0]) for c in found[1:])


def test_the_3_rrr_of_khan_has_two_modes_at_its_start():
    m = model("3-rrr")
    start = m.assemble().q[actuator_indices(m)]
    assert [c.residual < 1e-12 for c in m.assembly_modes(start)] == [True, True]


def test_a_cone_limit_is_seen():
    from linkwright.joints import Spherical
    from linkwright.mechanism import Body, Joint, Limits, Mechanism

    ball = Joint("ball", "ground", "rod", Spherical(), limits=Limits(cone=0.5))
    m = lw.build(Mechanism("pendulum", (Body("rod"),), (ball,)))
    for angle, broken in ((0.4, False), (0.6, True)):
        q = np.array([np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0])
        assert bool(m.limits_exceeded(q)) == broken
    assert "leans 0.6 rad" in str(m.limits_exceeded(q)[0])


def test_an_unreachable_pose_is_refused_with_its_place():
    m = model("hexam")
    with pytest.raises(lw.errors.LinkwrightError, match=r"cannot reach the pose with origin \(0, 0, 100\)"):
        m.inverse_kinematics((np.array([0.0, 0.0, 100.0]), np.array([1.0, 0.0, 0.0, 0.0])))


def test_a_pose_with_more_components_than_freedoms_says_so():
    tilted = np.array([0.0, 0.0, 0.26]), np.array([np.cos(0.1), np.sin(0.1), 0.0, 0.0])
    robot = model("3-rps")
    with pytest.raises(
        lw.errors.LinkwrightError, match=r"3 degrees of freedom, and 6 comp.*components=\[\.\.\.\] the 3"
    ):
        robot.inverse_kinematics(tilted)
    q, _, _ = robot.inverse_kinematics(tilted, components=["z", "rx", "ry"])
    assert robot.frame_pose(q, "platform")[0][2] == pytest.approx(0.26)
    with pytest.raises(lw.errors.LinkwrightError, match="components is empty"):
        robot.inverse_kinematics(tilted, components=[])


def test_a_pose_needs_a_unit_quaternion():
    with pytest.raises(lw.errors.LinkwrightError, match="norm 2"):
        model("hexam").inverse_kinematics((np.zeros(3), np.array([2.0, 0.0, 0.0, 0.0])))


def test_components_that_leave_the_platform_open_are_refused():
    robot = model("3-rrr")
    pose = robot.frame_pose(robot.assemble().q, robot.mechanism.platform)
    with pytest.raises(ArgumentError, match=r"do not say where the platform of '3-rrr' is \(left open: rz\)"):
        robot.inverse_kinematics(pose, components=("x", "y", "z"))
    assert np.isfinite(robot.inverse_kinematics(pose, components=("x", "y", "rz"))[0]).all()
    arm = model("puma-560")
    q = arm.assemble().q
    assert (
        np.abs(arm.inverse_kinematics(arm.frame_pose(q, "flange"), near=q, components=("x", "y", "z"))[0] - q).max()
        < 1e-9
    )


def test_where_a_file_names_no_home_limits_are_kept():
    """Coordinates that would be outside their range start in its middle."""
    leg = """
format: 1
name: leg
bodies: {lower: {mass: 1, com: [0, 0, 0.1]}, upper: {mass: 1}}
joints:
  turn: {type: revolute, parent: ground, child: lower, axis: x, limits: {lower: -1, upper: 1}}
  slide: {type: prismatic, parent: lower, child: upper, axis: z, limits: {lower: 350 mm, upper: 700 mm}}
"""
    assert lw.build(from_yaml(leg)).assemble().q == pytest.approx([0.0, 0.525])


def test_a_platform_stands_where_its_home_says():
    """Only the platform's pose is given; the legs follow, inside their ranges or not, and the pose stays."""
    mech = lw.catalog.load("hexapod")
    placed = replace(mech, home=(("pose", (0.02, -0.01, 0.71, 1.0, 0.0, 0.0, 0.0)),))
    found = lw.build(placed).assemble()
    assert found.q[:7] == pytest.approx([0.02, -0.01, 0.71, 1.0, 0.0, 0.0, 0.0], abs=1e-15)
    assert found.residual < 1e-12
