"""Indices against closed formulas, virtual work and geometry."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from tests.analysis import closed_forms

TIPS = np.array([[0.0, 0.42, 0.0], [0.1, 0.4, 0.0], [-0.17, 0.36, 0.0], [0.05, 0.5, 0.0]])
POINTS = np.array([[0.0, 0.0, -0.2], [0.03, -0.02, -0.21], [-0.05, 0.04, -0.19]])
K = 2.3e3


@pytest.fixture(scope="module")
def five_bar():
    model = lw.build(lw.catalog.load("five-bar"))
    q, _, _ = model.inverse_kinematics((TIPS, [1.0, 0.0, 0.0, 0.0]), components=("x", "y"))
    return model, q, np.array([closed_forms.five_bar_jacobian(x, y) for x, y, _ in TIPS])


@pytest.fixture(scope="module")
def delta():
    model = lw.build(lw.catalog.load("delta"))
    q, _, _ = model.inverse_kinematics((POINTS, [1.0, 0.0, 0.0, 0.0]), components=("x", "y", "z"))
    return model, q, np.array([closed_forms.delta_jacobian(p) for p in POINTS])


@pytest.mark.parametrize("robot", ["five_bar", "delta"])
def test_indices_equal_closed_formulas(robot, request):
    model, q, J = request.getfixturevalue(robot)
    L, limit = 0.2, 3.0
    found = lw.analysis.indices(model, q, stiffness=K, length=L, speed=limit, effort=limit, encoder=1e-4)
    gains = np.linalg.svd(J, compute_uv=False)
    inverse = np.linalg.inv(J)
    assert np.allclose(found.jacobian, J, rtol=1e-12, atol=1e-13)
    assert np.allclose(found.condition, gains[:, 0] / gains[:, -1], rtol=1e-12)
    assert np.allclose(found.manipulability, np.prod(gains / L, axis=1), rtol=1e-12)
    stiffness = K * np.swapaxes(inverse, 1, 2) @ inverse
    assert np.allclose(found.stiffness, stiffness, rtol=1e-12, atol=1e-12 * np.abs(stiffness).max())
    assert np.allclose(found.least_stiffness, np.linalg.eigvalsh(stiffness)[:, 0], rtol=1e-12)
    assert np.allclose(found.advantage, 1.0 / gains[:, [0, -1]], rtol=1e-12)
    assert np.allclose(found.speed, limit / np.linalg.norm(inverse, axis=2).max(axis=1), rtol=1e-12)
    assert np.allclose(found.force, limit / np.linalg.norm(J, axis=1).max(axis=1), rtol=1e-12)
    assert np.allclose(found.error, 1e-4 * np.abs(J).sum(axis=2), rtol=1e-12)


def test_the_transmission_angle_of_the_five_bar_is_that_between_its_distal_links(five_bar):
    model, q, _ = five_bar
    found = lw.analysis.indices(model, q)
    for row, (x, y, _) in enumerate(TIPS):
        ends = [
            np.array([side * closed_forms.BASE + closed_forms.PROXIMAL * np.cos(a), closed_forms.PROXIMAL * np.sin(a)])
            for side, a in zip((-1.0, 1.0), closed_forms.five_bar_angles(x, y))
        ]
        d = [(np.array([x, y]) - end) / closed_forms.DISTAL for end in ends]
        sine = abs(d[0][0] * d[1][1] - d[0][1] * d[1][0])
        assert np.allclose(np.sin(found.transmission[row]), sine, rtol=1e-12)


def test_the_transmission_angle_of_the_four_bar_is_that_of_coupler_and_rocker():
    model = lw.build(lw.catalog.load("four-bar"))
    q, _, _ = model.forward_kinematics(np.linspace(0.6, 2.2, 5)[:, None])
    found = lw.analysis.transmission_angles(model, q, "B", frame="rocker", components=["rz"])[:, 0]
    coupler, rocker = model.frame_pose(q, "coupler").position, model.frame_pose(q, "rocker").position
    loop = next(joint for joint in model.mechanism.loops if joint.name == "B")
    at = [np.arctan2(*model.frame_pose(q, name).quaternion_wxyz[:, [3, 0]].T) * 2 for name in ("coupler", "rocker")]
    point = rocker[:, :2] + _turned(loop.child_at.xyz[:2], at[1])
    a, b = point - coupler[:, :2], point - rocker[:, :2]
    sine = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert np.allclose(np.sin(found), sine, rtol=1e-10)


def _turned(xy, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * xy[0] - s * xy[1], s * xy[0] + c * xy[1]], axis=-1)


def test_vertices_of_polytopes_touch_limits_and_hold_the_guaranteed_ball(delta):
    model, q, J = delta
    found = lw.analysis.indices(model, q, speed=2.0, effort=[1.0, 2.0, 3.0])
    for row in range(len(q)):
        forces, speeds = (found.polytope(of, row=row).vertices for of in ("force", "velocity"))
        assert len(forces) == len(speeds) == 8
        assert np.allclose(np.abs(forces @ J[row]), [1.0, 2.0, 3.0], rtol=1e-9)
        assert np.allclose(np.abs(speeds @ np.linalg.inv(J[row]).T), 2.0, rtol=1e-9)
        directions = np.random.default_rng(0).normal(size=(200, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        reach = np.min([1.0, 2.0, 3.0] / np.abs(directions @ J[row]), axis=1)
        assert np.all(reach >= found.force[row] * (1 - 1e-12))


def test_compliance_of_joints_follows_from_moving_the_joint():
    """A strut that is longer by d moves the platform by -R^T d: compared with the length as an input of the model."""
    mech = lw.catalog.load("five-bar")
    model = lw.build(mech, inputs=["joints.psi1.at.x"])
    q = model.assemble().q
    C = np.zeros((6, 6))
    C[3, 3] = 1e-6  # along the proximal link: the axes of the child turn by psi1
    turn = q[model.q_names.index("psi1")]
    along = np.array([np.cos(turn), -np.sin(turn), 0.0])
    C[3:, 3:] = 1e-6 * np.outer(along, along)
    found = lw.analysis.indices(model, q, compliance={"psi1": C})
    moved = model.parameter_jacobian("frame_pose", q, "platform")[3:5, 0]
    assert np.allclose(found.compliance, 1e-6 * np.outer(moved, moved), rtol=1e-9, atol=1e-18)
    play = lw.analysis.indices(model, q, play={"psi1": 1e-5})
    assert np.all(play.error >= 1e-5 * np.abs(moved) - 1e-18)


def test_singular_legs_give_zero_whichever_leg_carries_the_platform():
    """The tip is on leg 1 in the file and on leg 2 here; a leg is stretched, and then the distal links are in line."""
    text = lw.catalog.load("five-bar")
    frames = [lw.Frame("platform", body, text.frames[0].pose) for body in ("distal1", "distal2")]
    for frame in frames:
        model = lw.build(dataclasses.replace(text, frames=(frame,)))
        reach = closed_forms.PROXIMAL + closed_forms.DISTAL
        for side in (-1.0, 1.0):
            tip = np.array([side * closed_forms.BASE + reach * np.cos(1.9 if side > 0 else 1.2), 0.0])
            tip[1] = reach * np.sin(1.9 if side > 0 else 1.2)
            angles = closed_forms.five_bar_angles(*(tip * (1 - 1e-15)))
            q = model.assemble(fixed={"theta1": angles[0], "theta2": angles[1]}, guess=_guess(model, tip, angles)).q
            assert lw.analysis.indices(model, q).type1 < 1e-6


def _guess(model, tip, angles):
    """Coordinates of the five-bar from its motor angles and tip."""
    q = np.zeros(4)
    for i, side in enumerate((-1.0, 1.0)):
        a = angles[i]
        elbow = np.array(
            [side * closed_forms.BASE + closed_forms.PROXIMAL * np.cos(a), closed_forms.PROXIMAL * np.sin(a)]
        )
        d = tip - elbow
        q[model.q_names.index(f"theta{i + 1}")] = a
        q[model.q_names.index(f"psi{i + 1}")] = np.arctan2(d[1], d[0]) - a
    return q


def test_type_2_rows_are_zero_and_what_needs_a_jacobian_is_nan():
    model = lw.build(lw.catalog.load("five-bar"))
    half = np.arccos(1.0 - 1e-15)  # distal links in line: elbows 700 mm apart
    a = np.arccos((closed_forms.DISTAL - closed_forms.BASE) / closed_forms.PROXIMAL) + half
    angles = np.array([np.pi - a, a])
    tip = np.array([0.0, closed_forms.PROXIMAL * np.sin(a)])
    flat = _guess(model, tip, angles)
    found = lw.analysis.indices(model, np.stack([flat, model.assemble().q]), stiffness=1e4)
    assert found.type2[0] < 1e-6 < 0.1 < found.type2[1]
    assert not np.isfinite(found.least_stiffness[0]) or found.least_stiffness[0] < 1e-3 * found.least_stiffness[1]
    assert np.isfinite(found.least_stiffness[1])


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_and_parameters_are_those_of_single_calls():
    model = lw.build(lw.catalog.load("five-bar"), inputs=["joints.psi1.at.x"])
    p = np.array([[0.24], [0.25], [0.26]])
    q, _, _ = model.inverse_kinematics((TIPS[:3], [1.0, 0.0, 0.0, 0.0]), components=("x", "y"), p=p)
    all_rows = lw.analysis.indices(model, q, p=p, stiffness=1e3, play={"tip": 1e-5})
    for row in range(3):
        one = lw.analysis.indices(model, q[row], p=p[row], stiffness=1e3, play={"tip": 1e-5})
        for name, x in one.numbers.items():
            assert np.allclose(getattr(all_rows, name)[row], x, rtol=1e-13), name


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"stiffness": {"motor3": 1.0}}, "unknown actuator 'motor3'"),
        ({"stiffness": {"motor1": 1.0}}, "lacks a value for the actuator 'motor2'"),
        ({"stiffness": [1.0, -1.0]}, "above zero"),
        ({"stiffness": "stiff"}, "stiffness is 'stiff'"),
        ({"compliance": {"psi1": "soft"}}, "compliance of 'psi1'"),
        ({"play": {"psi1": None}}, "play of 'psi1'"),
        ({"compliance": {"nowhere": np.eye(6)}}, "unknown joint 'nowhere'"),
        ({"compliance": {"psi1": -np.eye(6)}}, "eigenvalues"),
        ({"play": {"psi1": -1.0}}, "at least zero"),
        ({"frame": "nowhere"}, "unknown frame 'nowhere'"),
        ({"components": ["w"]}, "unknown component 'w'"),
        ({"length": 0.0}, "above zero"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message):
    model = lw.build(lw.catalog.load("five-bar"))
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.analysis.indices(model, model.assemble().q, **wrong)


def test_files_and_pages_are_written(tmp_path):
    model = lw.build(lw.catalog.load("five-bar"))
    q = model.kinematics.branch_samples[:5]
    found = lw.analysis.indices(model, q, stiffness=1e3)
    for name in ("a.npz", "a.csv", "a.json"):
        found.save(tmp_path / name)
    found.plot(tmp_path / "a.png")
    found.report(tmp_path / "a.html")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as data:
        assert np.array_equal(data["condition"], found.condition)
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 7
    with pytest.raises(lw.errors.ResultError, match=r"saved as \.npz"):
        found.save(tmp_path / "a.exe")


def test_the_verb_prints_and_writes(tmp_path):
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        main,
        ["indices", "five-bar", "--stiffness", "1e4", "--pose", "x=0.1 m, y=0.4 m", "--json", "--report", str(page)],
    )
    assert done.exit_code == 0, done.output
    rows = {row["index"]: row["value"] for row in json.loads(done.output)["indices"]}
    J = closed_forms.five_bar_jacobian(0.1, 0.4)
    assert rows["condition"] == pytest.approx(np.linalg.cond(J), rel=1e-10)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    plain = CliRunner().invoke(main, ["indices", "five-bar"])
    assert plain.exit_code == 0 and "transmission_angle" in plain.output


def test_a_frame_that_is_not_the_output_has_indices_too():
    done = CliRunner().invoke(main, ["indices", "four-bar", "--frame", "rocker", "--components", "rz", "--json"])
    assert done.exit_code == 0, done.output
    rows = {row["index"]: row["value"] for row in json.loads(done.output)["indices"]}
    model = lw.build(lw.catalog.load("four-bar"))
    J = model.actuator_jacobian(model.assemble().q, frame="rocker")[2, 0]
    assert rows["least_advantage"] == pytest.approx(1.0 / abs(J), rel=1e-12) and rows["condition"] == 1.0


def test_the_page_on_indices_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "howto" / "indices.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    assert names["found"].condition.shape == (101,) and (tmp_path / "indices.png").stat().st_size > 1000
