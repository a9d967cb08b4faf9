"""Legs in closed form: equal to Newton steps on the same branch, for every kind of leg, with parameters too."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.functions.loop import leg_functions
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.kinematics.leg_plan_search import closed_legs
from linkwright.kinematics.target_plans import square_target
from tests.model.models import model

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.BatchWarning")

CLOSED = ("gough-stewart", "hexam", "delta", "3-rrr", "five-bar", "orthoglide", "agile-eye", "tricept", "puma-560")


def solver(m, frame=None):
    """A function of last coordinates and poses (n, 7) to coordinates and measures, and names of the components."""
    frame = frame or output_frame(m.kernels.setup.mech)
    given = square_target(m.kinematics, frame, tuple(range(6))).stage.used
    kernels = closed_legs(m.kinematics, frame, given)
    assert kernels is not None
    program = kernels.input_program(leg_functions.closed_coordinates)
    names = tuple(("rx", "ry", "rz", "x", "y", "z")[i] for i in given)
    return lambda q, pose, *p: evaluate(program, q, pose, *p), names, kernels.stage.plans.names


def poses(m, q, frame=None):
    found = m.frame_pose(q, frame or output_frame(m.kernels.setup.mech))
    return np.concatenate([found.position, found.quaternion_wxyz], axis=-1)


def reached(m, n, wide, seed=0):
    """Closed coordinates near the home, by moving the actuators."""
    rng, home = np.random.default_rng(seed), m.assemble().q
    unit = m.kinematics.scales.speeds[[d.speed for d in m.kernels.setup.drives]]
    q, _, _ = m.forward_kinematics(m.actuator_positions(home) + wide * unit * rng.uniform(-1, 1, (n, m.na)), near=home)
    return q[np.isfinite(q).all(axis=1)]


def same(a, b):
    """Largest difference, quaternions of either sign aside: both follow the start's."""
    return np.abs(a - b).max()


@pytest.mark.parametrize("name", CLOSED)
def test_coordinates_are_those_of_newton_steps(name):
    """From the home in one evaluation, to 1e-12, wherever Newton steps find the pose."""
    m = model(name)
    solve, names, _ = solver(m)
    q = reached(m, 40, 0.15)
    assert len(q) > 20
    pose, home = poses(m, q), m.assemble().q
    found, measures = solve(home, pose)
    expected, _, _ = m.inverse_kinematics(lw.Pose(pose[:, :3], pose[:, 3:]), near=home, components=names)
    good = np.isfinite(expected).all(axis=1)
    assert good.sum() > 20 and (measures[good, 1:] > 0.0).all() and measures[good, 0].max() < 1e-13
    assert same(found[good], expected[good]) < 1e-12


@pytest.mark.parametrize("name", ["3-rrr", "delta", "five-bar", "gough-stewart", "puma-560"])
def test_every_working_mode_is_kept(name):
    """A platform that moves a little stays in each of its modes; they are found by another method."""
    m = model(name)
    solve, names, _ = solver(m)
    names, home = None if name == "delta" else names, m.assemble().q
    pose = poses(m, home)
    modes = m.working_modes(lw.Pose(pose[:3], pose[3:]), components=names)
    q = np.array([mode.q for mode in modes])
    assert len(q) in (4, 8, 64)
    near = poses(m, reached(m, 1, 0.01))[0]
    expected, _, _ = m.inverse_kinematics(lw.Pose(near[:3], near[3:]), near=q, components=names)
    found, measures = solve(q, near)
    good = np.isfinite(expected).all(axis=1)
    assert good.sum() >= 0.7 * len(q)
    assert measures[:, 0].max() < 1e-12 and same(found[good], expected[good]) < 1e-11


LEGS = """
format: 1
name: six kinds of legs
bodies:
  platform: {{mass: 1 kg, inertia: [0.1, 0.1, 0.1]}}
{bodies}
joints:
  pose: {{type: floating, parent: ground, child: platform, at: [0, 0, 0.6]}}
{joints}
loops:
{loops}
actuators:
  a1: {{joint: extend}}
  a2: {{joint: rail}}
  a3: {{joint: crank}}
  a4: {{joint: push}}
  a5: {{joint: swing}}
  a6: {{joint: lever}}
frames: {{tool: {{body: platform}}}}
platform: tool
"""


def six_legs(folder, seed):
    """UPS, PUS, RUS, SPU (found from the platform's side), RRRS with an elbow, a crank with a rod of given length."""
    rng = np.random.default_rng(seed)
    angle = np.radians(60.0 * np.arange(6)) + rng.uniform(-0.1, 0.1, 6)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    b, a = 0.5 * ring + rng.uniform(-0.05, 0.05, (6, 3)), 0.25 * np.roll(ring, 1, axis=0)
    A = a + [0.0, 0.0, 0.6]
    way = A - b
    near, arm = [(way[i] / np.linalg.norm(way[i]) + rng.uniform(-0.3, 0.3, 3)).tolist() for i in range(6)], 0.15
    across = [np.cross(way[i], rng.normal(size=3)) for i in range(6)]
    across = [(x / np.linalg.norm(x)).tolist() for x in across]
    text = lambda x: np.array2string(np.asarray(x), separator=", ", precision=17)  # noqa: E731
    tip = [arm * np.asarray(x) for x in across]
    axis = [np.cross(across[i], [0.3, 0.2, 1.0]).tolist() for i in range(6)]
    joints = [
        f"hooke: {{type: universal, first: {near[1]}, second: {axis[1]}, parent: ground, child: low1, "
        f"at: {text(b[0])}}}",
        f"extend: {{type: prismatic, axis: {text(way[0])}, parent: low1, child: up1}}",
        f"rail: {{type: prismatic, axis: {near[1]}, parent: ground, child: low2, at: {text(b[1])}}}",
        "tilt: {type: universal, first: x, second: y, parent: low2, child: up2}",
        f"crank: {{type: revolute, axis: {axis[2]}, parent: ground, child: low3, at: {text(b[2])}}}",
        f"knee: {{type: universal, first: x, second: y, parent: low3, child: up3, at: {text(tip[2])}}}",
        f"foot: {{type: spherical, parent: ground, child: low4, at: {text(b[3])}}}",
        f"push: {{type: prismatic, axis: {text(way[3])}, parent: low4, child: up4}}",
        f"swing: {{type: revolute, axis: {near[4]}, parent: ground, child: low5, at: {text(b[4])}}}",
        f"shoulder: {{type: revolute, axis: {axis[4]}, parent: low5, child: mid5, at: [0.02, 0.01, 0]}}",
        f"elbow: {{type: revolute, axis: {axis[4]}, parent: mid5, child: up5, at: {text(0.5 * way[4] + 2 * tip[4])}}}",
        f"lever: {{type: revolute, axis: {axis[5]}, parent: ground, child: low6, at: {text(b[5])}}}",
    ]
    rest = way[4] - [0.02, 0.01, 0.0] - 0.5 * way[4] - 2 * tip[4]
    balls = [(1, way[0]), (2, way[1]), (3, way[2] - tip[2]), (5, rest)]
    loops = [
        f"ball{i}: {{type: spherical, parent: up{i}, child: platform, at: {text(x)}, child_at: {text(a[i - 1])}}}"
        for i, x in balls
    ]
    length = float(np.linalg.norm(way[5] - tip[5]))
    loops += [
        f"end4: {{type: universal, first: x, second: y, parent: up4, child: platform, at: {text(way[3])}, "
        f"child_at: {text(a[3])}}}",
        f"rod6: {{type: distance, length: {length!r}, parent: low6, child: platform, at: {text(tip[5])}, "
        f"child_at: {text(a[5])}}}",
    ]
    names = ["low1", "up1", "low2", "up2", "low3", "up3", "low4", "up4", "low5", "mid5", "up5", "low6"]
    parts = {
        "bodies": [f"{x}: {{mass: 0.1 kg, inertia: [0.01, 0.01, 0.01]}}" for x in names],
        "joints": joints,
        "loops": loops,
    }
    path = folder / "legs.yaml"
    path.write_text(LEGS.format(**{k: "\n".join("  " + x for x in rows) for k, rows in parts.items()}))
    return lw.load(path)


@pytest.mark.parametrize("seed", range(2))
def test_legs_of_every_kind(tmp_path, seed):
    m = lw.build(six_legs(tmp_path, seed))
    assert m.mobility == 6
    solve, _, names = solver(m)
    assert set(names) == {"ball1", "ball2", "ball3", "ball5", "end4", "rod6"}
    q = reached(m, 40, 0.03, seed)
    pose, home = poses(m, q), m.assemble().q
    found, measures = solve(home, pose)
    expected, _, _ = m.inverse_kinematics(lw.Pose(pose[:, :3], pose[:, 3:]), near=home)
    good = np.isfinite(expected).all(axis=1)
    assert good.sum() > 20 and measures[good, 0].max() < 1e-12 and same(found[good], expected[good]) < 1e-11
    far = pose[0] + np.r_[[5.0, 0.0, 0.0], np.zeros(4)]
    _, margins = solve(home, far)
    short = {name for name, x in zip(names, margins[1:], strict=True) if x < 0}
    assert {"ball3", "ball5", "rod6"} <= short and not {"ball1", "end4"} & short  # struts reach everywhere


def test_lengths_stay_inputs():
    """One program for all lengths: equal to Newton steps at other values."""
    m = lw.build(lw.catalog.load("five-bar"), inputs=["proximal", "joints.theta2.at.x"])
    solve, _, _ = solver(m)
    other = m.with_parameters({"proximal": 0.27})
    q = reached(other, 10, 0.2)
    pose = poses(other, q)
    found, measures = solve(q[0], pose, other.parameters.values)
    expected, _, _ = other.inverse_kinematics(lw.Pose(pose[:, :3], pose[:, 3:]), near=q[0], components=["x", "y"])
    assert measures[:, 0].max() < 1e-13 and same(found, expected) < 1e-12


def test_legs_without_a_closed_form_have_no_program():
    """A platform whose given components leave it loose, and one made of several bodies."""
    for name in ("3-rps", "par4"):
        m = model(name)
        frame = output_frame(m.kernels.setup.mech)
        given = square_target(m.kinematics, frame, tuple(range(6))).stage.used
        assert closed_legs(m.kinematics, frame, given) is None


def test_rods_that_spin_idly(tmp_path):
    """A Delta robot whose rods have spherical joints at both ends: the cranks of that with universal joints.

    The rods turn the shortest way, so that they do not spin about themselves.
    """
    text = (Path(lw.__file__).parent / "catalog" / "data" / "delta.yaml").read_text(encoding="utf-8")
    text = re.sub(r"type: universal, (.*), first: y, second: x", r"type: spherical, \1", text)
    turned = f"[{math.cos(0.2405509660908986)}, 0, {math.sin(0.2405509660908986)}, 0]"
    text = re.sub(r"(  hooke..): \[.*\]", rf"\1: {turned}", text)
    (tmp_path / "delta.yaml").write_text(text.replace("name: delta", "name: spinning delta"), encoding="utf-8")
    m, other = lw.build(lw.load(tmp_path / "delta.yaml")), model("delta")
    assert m.mobility == 9 and other.mobility == 3
    kernels = closed_legs(m.kinematics, "platform", (3, 4, 5), holding=True)
    program, home = kernels.input_program(leg_functions.closed_coordinates), m.assemble().q
    known = reached(other, 20, 0.2)
    pose = poses(other, known)
    found, measures = evaluate(program, home, pose)
    assert measures[:, 0].max() < 1e-13 and np.abs(m.closure_residual(found)).max() < 1e-13
    assert m.actuator_positions(found) == pytest.approx(other.actuator_positions(known), abs=1e-12)
    _, far = evaluate(program, home, pose[0] + np.r_[1.0, np.zeros(6)])
    assert len(kernels.stage.plans.names) == 6 and (far[1:] < 0.0).any()
