"""Motions against power balance, finite differences, single calls and closed formulas."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright.algebra.jets import Jet
from linkwright.cli import main
from linkwright.control import EulerMotion, PickAndPlace, SumOfSines
from tests.analysis import closed_forms


@pytest.fixture(scope="module")
def delta():
    model = lw.build(lw.catalog.load("delta"))
    return model, model.frame_pose(model.assemble().q, "platform").position


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"))


LEVEL = SumOfSines(np.zeros(3), np.zeros(3), np.ones(3))


def derivatives(f, t, h=2e-4):
    """First and second derivative by central differences of order four."""
    x = {k: f(t + k * h) for k in (-2, -1, 0, 1, 2)}
    first = (x[-2] - 8 * x[-1] + 8 * x[1] - x[2]) / (12 * h)
    return first, (-x[-2] + 16 * x[-1] - 30 * x[0] + 16 * x[1] - x[2]) / (12 * h * h)


def test_jets_equal_differences():
    def f(t):
        x = np.sin(2.0 * t) / (1.5 + np.cos(t)) + np.exp(-t) * np.sqrt(t) + t**3 - 2.0**t + np.tan(0.3 * t)
        return x + np.arctan2(np.sin(t), 2.0 + t) + np.log(t) * np.tanh(t) - np.square(t) / 3.0 + np.arctan(t) ** 2

    t = np.linspace(0.5, 2.0, 7)
    found = f(Jet(t, np.ones(7), np.zeros(7)))
    first, second = derivatives(f, t)
    assert np.allclose(found.value, f(t), rtol=1e-15)
    assert np.allclose(found.rate, first, rtol=1e-9) and np.allclose(found.second, second, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("sequence", ["xyz", "ZYX", "ZXZ", "yxz"])
def test_twists_of_euler_angles_equal_rotations_of_scipy(sequence):
    angles = SumOfSines([0.1, 0.5, -0.2], [0.4, 0.3, 0.5], [1.0, 0.7, 1.3], [0.1, 0.2, 0.3])
    motion = EulerMotion(SumOfSines(np.zeros(3), [0.1, 0.2, 0.3], 1.0), angles, sequence)
    t = np.linspace(0.0, 1.0, 9)
    pose, twist, rate = motion.at(t)

    def matrix(t):
        return Rotation.from_euler(sequence, angles.at(t)[0]).as_matrix()

    R = matrix(t)
    found = Rotation.from_quat(pose.quaternion_wxyz[:, [1, 2, 3, 0]]).as_matrix()
    assert np.allclose(found, R, atol=1e-13)
    R_dot, R_ddot = derivatives(matrix, t)
    spin, spin_rate = R_dot @ R.transpose(0, 2, 1), R_ddot @ R.transpose(0, 2, 1) + R_dot @ R_dot.transpose(0, 2, 1)
    pick = ([2, 0, 1], [1, 2, 0])
    assert np.allclose(twist[:, :3], spin[:, pick[0], pick[1]], atol=1e-8)
    assert np.allclose(rate[:, :3], spin_rate[:, pick[0], pick[1]], atol=1e-4)


def test_pick_and_place_is_smooth_and_touches_its_corners():
    cycle = PickAndPlace((0.0, 0.0, 0.0), (0.305, 0.0, 0.0), 0.025, 0.4, overlap=0.0)
    a = cycle.at(np.linspace(0.0, 0.8, 160001))[2]
    assert np.abs(np.diff(a, axis=0)).max() < 1e-3 * np.abs(a).max()  # accelerations do not jump
    t = np.linspace(0.0, 0.8, 1601)
    x = cycle.at(t)[0]
    between = t[2:-2] + 1.3e-4  # off the instants at which the jerk jumps
    first, second = derivatives(lambda t: cycle.at(t)[0], between, 1e-5)
    assert np.allclose(cycle.at(between)[1], first, atol=1e-6)
    assert np.allclose(cycle.at(between)[2], second, atol=1e-4)
    assert np.allclose(x[[0, 400, 800]], [[0, 0, 0], [0.305, 0, 0], [0, 0, 0]], atol=1e-15)
    corner = cycle.at(0.05)[0]
    assert np.allclose(corner, [0.0, 0.0, 0.025], atol=1e-15) and x[:, 2].max() <= 0.025 + 1e-15


def test_work_equals_energy_along_a_cycle(delta):
    model, (x, y, z) = delta
    carry = PickAndPlace((x - 0.05, y, z - 0.03), (x + 0.05, y, z - 0.03), cycle=0.4)
    run = lw.motion(model, np.linspace(0.0, 0.2, 2001), pose=EulerMotion(carry, LEVEL))
    gained = run.energy - run.energy[0]
    assert np.abs(gained - run["work"]).max() < 1e-5 * np.abs(gained).max()
    assert run.meta["closure"] < 1e-10 and run.meta["limits"] == []
    row = 700
    tau = model.inverse_dynamics(run.q[row], run.v[row], run.a[row])
    assert np.allclose(run.tau[row], tau, rtol=1e-12, atol=1e-12)
    force = model.joint_reactions(run.q[row], run.v[row], run.a[row])["ball1a"][3:]
    assert run["force(ball1a)"][row] == pytest.approx(np.linalg.norm(force), rel=1e-9)


def test_functions_arrays_files_and_references_are_the_same_motion(five_bar, tmp_path):
    t = np.linspace(0.0, 1.0, 401)
    by_function = lw.motion(five_bar, t, pose=lambda t: [0.1 * np.sin(3 * t), 0.42 + 0.03 * t**2, 0, 0, 0, 0])
    values = np.zeros((401, 6))
    values[:, 0], values[:, 1] = 0.1 * np.sin(3 * t), 0.42 + 0.03 * t**2
    by_array = lw.motion(five_bar, t, pose=values)
    path = tmp_path / "poses.csv"
    rows = [",".join(map(repr, [s, *row])) for s, row in zip(t.tolist(), values.tolist())]
    path.write_text("t [s],x [m],y,z,rx,ry,rz\n" + "\n".join(rows) + "\n")
    by_file = lw.motion(five_bar, pose=path)
    q_act = five_bar.actuator_positions(by_function.q)
    by_actuators = lw.motion(five_bar, t, q_act=q_act)
    with_quaternion = lw.motion(five_bar, t, pose=(values[:, :3], [1.0, 0.0, 0.0, 0.0]))
    for other in (by_array, by_file, by_actuators, with_quaternion):
        assert np.allclose(other.q, by_function.q, atol=1e-9)
        assert np.allclose(other.tau, by_function.tau, atol=2e-5)
    angles = np.array([closed_forms.five_bar_angles(x, y) for x, y in values[:, :2]])
    assert np.allclose(q_act, angles, atol=1e-12)


def test_an_unreachable_motion_names_its_time_and_leg(delta, five_bar):
    model, (_, _, z) = delta
    for actuator, turn in (("motor2", 2 * np.pi / 3),):
        away = -0.3 * np.array([np.cos(turn), np.sin(turn)])
        with pytest.raises(lw.errors.AssemblyError, match="cannot be followed from t = ") as caught:
            lw.motion(model, 1.0, pose=lambda t, away=away: [away[0] * t, away[1] * t, z, 0, 0, 0])
        assert caught.value.data["actuator"] == actuator
        last = caught.value.data["time"]
        reach = [np.isfinite(_delta_reach([*(away * s), z])) for s in (last - 0.005, last)]
        assert reach == [True, False]
    with pytest.raises(lw.errors.AssemblyError) as caught:
        lw.motion(five_bar, 1.0, pose=lambda t: [0.4 * t, 0.42, 0, 0, 0, 0])
    assert caught.value.data["actuator"] == "motor1"


def _delta_reach(p):
    with np.errstate(invalid="ignore"):
        return closed_forms.delta_angles(p).sum()


def test_the_closure_of_a_motion_is_a_series(five_bar):
    run = lw.motion(five_bar, 0.5, pose=lambda t: [0.05 * np.sin(3 * t), 0.42, 0, 0, 0, 0])
    assert np.array_equal(run.closure, np.abs(five_bar.closure_residual(run.q)).max(axis=-1))
    assert run.meta["closure"] == run.closure.max() > 0.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["five-bar", "--at", "motor1=100 deg"], "The file has no limits."),
        (["hexapod", "--sines", "z=10 mm @ 1 Hz"], "All limits of the file are kept."),
    ],
)
def test_limits_are_kept_only_where_there_are_some(words, said):
    done = CliRunner().invoke(main, ["motion", *words])
    assert done.exit_code == 0 and said in done.output


def test_an_outer_force_does_the_work_that_the_actuators_do_more(tmp_path):
    """Virtual work: the actuators of a loaded motion give what the force takes along the way of its point."""
    force, runs = np.array([30.0, -50.0, 0.0]), []
    for name, more in (("idle", []), ("loaded", ["--force", "platform=30 N, -50, 0"])):
        file = tmp_path / f"{name}.npz"
        words = ["motion", "five-bar", "--at", "motor1=100..140 deg", "--samples", "801", "--save-run", str(file)]
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == 0, done.output
        runs.append(lw.open_result(file))
    model = lw.build(lw.catalog.load("five-bar"))
    position = model.frame_pose(runs[0].q, "platform").position
    more = [np.sum(run.tau * model.actuator_velocities(run.v, run.q), axis=1) for run in runs]
    assert np.trapezoid(more[1] - more[0], runs[0].t) == pytest.approx(-force @ (position[-1] - position[0]), rel=1e-4)
    refused = CliRunner().invoke(main, [*words, "--force", "platform=30 N", "--overwrite"])
    assert refused.exit_code == 2 and "three numbers" in refused.output


def test_limits_are_reported_with_their_first_time(five_bar):

    mech = five_bar.mechanism
    slow = dataclasses.replace(
        mech, actuators=tuple(dataclasses.replace(each, speed=0.5, effort=0.01) for each in mech.actuators)
    )
    model = lw.build(slow)
    run = lw.motion(model, 1.0, pose=lambda t: [0.1 * (1 - np.cos(6 * t)), 0.42, 0, 0, 0, 0])
    found = {(each["code"], each["subject"]): each for each in run.meta["limits"]}
    rates = np.abs(model.actuator_velocities(run.v))
    first = run.t[np.argmax(rates[:, 0] > 0.5)]
    assert found["speed", "motor1"]["first_time"] == pytest.approx(first)
    assert ("effort", "motor1") in found and [e.kind for e in run.events] == ["limit"] * len(run.events)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"t": 1.0}, "neither is given"),
        ({"t": "now", "pose": np.zeros((3, 6))}, "t is 'now'"),
        ({"t": 1.0, "pose": (np.zeros((3, 3)), np.zeros(4))}, r"expected \(201, 3\)"),
        ({"t": 1.0, "pose": object()}, "pose"),
        ({"t": 1.0, "pose": np.zeros((3, 6))}, r"shape \(3, 6\)"),
        ({"t": [0.0, 1.0, 0.5], "pose": np.zeros((3, 6))}, r"t\[2\] = 0.5 follows 1"),
        ({"t": -1.0, "pose": np.zeros((3, 6))}, "above zero"),
        ({"pose": np.zeros((3, 6))}, "t is left out"),
        ({"pose": "nowhere.csv"}, "there is no such file"),
        ({"t": 1.0, "pose": lambda t: [t, t]}, "returns 2 numbers|cannot be differentiated"),
        ({"t": 1.0, "pose": lambda t: [float(t), 0, 0, 0, 0, 0]}, "cannot be differentiated"),
        ({"t": 1.0, "pose": lambda t: [0 * t] * 6, "sequence": "xyw"}, "sequence"),
        ({"t": 1.0, "q_act": np.full((201, 2), np.nan)}, "not finite in row 0"),
    ],
)
def test_wrong_motions_are_refused(five_bar, given, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.motion(five_bar, **given)


def test_the_verb_runs_each_way(tmp_path):
    def invoked(*words):
        done = CliRunner().invoke(main, ["motion", *words])
        assert done.exit_code == 0, done.output
        return done.output

    data = json.loads(invoked("five-bar", "--sines", "x=50 mm @ 2 Hz, y=20 mm @ 1 Hz, x=5 mm @ 4 Hz", "--json"))
    assert len(data["actuators"]) == 4 and data["samples"] == 201
    page, saved = tmp_path / "run.html", tmp_path / "run.npz"
    text = invoked(
        "five-bar",
        "--pick-and-place",
        "0 mm, 100 mm, 0 mm",
        "--samples",
        "21",
        "--save-run",
        str(saved),
        "--report",
        str(page),
    )
    assert "The file has no limits." in text and len(lw.open_result(saved).t) == 21 and page.stat().st_size > 10000
    wrong = CliRunner().invoke(main, ["motion", "five-bar", "--sines", "q=1 @ 2"])
    assert wrong.exit_code == 2 and "z=10 mm @ 2 Hz" in wrong.output
    assert CliRunner().invoke(main, ["motion", "five-bar"]).exit_code == 2


def test_the_page_on_motions_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "howto" / "motions.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    assert names["run"].tau.shape == (401, 3) and (tmp_path / "motion.png").stat().st_size > 1000


def test_whole_numbers_are_numbers(five_bar):
    values = np.array([[0, 0.42, 0, 0, 0, 0]] * 3)
    run = lw.motion(five_bar, [0, 1, 2], pose=values)
    assert np.array_equal(run.q, lw.motion(five_bar, [0.0, 1.0, 2.0], pose=values).q) and run.t.dtype == float


@pytest.mark.parametrize(
    ("pose", "lost"),
    [
        (lambda t: [0.05 * np.sin(3 * t), 0.42, 0.02 * np.sin(2 * t), 0, 0, 0], "vary z,"),
        (np.array([[0.01 * k, 0.42, 0.1 * k, 0.2 * k, 0, 0] for k in range(4)]), "vary rx, z,"),
    ],
)
def test_poses_that_vary_what_the_mechanism_cannot_move_are_refused(five_bar, pose, lost):
    t = np.linspace(0.0, 1.0, 4)
    with pytest.raises(lw.errors.ArgumentError, match=rf"{lost}.*components=\['x', 'y'\]"):
        lw.motion(five_bar, t, pose=pose)
    run = lw.motion(five_bar, t, pose=pose, components=["x", "y"])
    assert np.isfinite(run.tau).all()


def test_constants_and_what_the_mechanism_does_itself_are_no_variation(five_bar, delta):
    t = np.linspace(0.0, 1.0, 6)
    flat = np.array([[0.02 * k, 0.42, 0.3, 0.1, 0, 0] for k in range(6)])
    run = lw.motion(five_bar, t, pose=flat)
    own = five_bar.frame_pose(run.q, lw.analysis.indices(five_bar, run.q[0]).output.split(":")[0])
    assert np.ptp(own.quaternion_wxyz, axis=0).max() > 1e-3
    assert np.allclose(lw.motion(five_bar, t, pose=(own.position, own.quaternion_wxyz)).q, run.q, atol=1e-9)
    model, home = delta
    with pytest.raises(lw.errors.ArgumentError, match="vary rx,"):
        lw.motion(model, t, pose=lambda t: [*home, 0.5 + t, 0, 0])
    assert lw.motion(model, t, pose=lambda t: [home[0] + 0.01 * t, home[1], home[2], 0.5, 0, 0]).meta["complete"]


def test_the_command_line_refuses_a_lift_of_a_planar_robot():
    given = ["motion", "five-bar", "--pick-and-place", "25 mm, 50 mm, 25 mm", "--samples", "11"]
    refused = CliRunner().invoke(main, given)
    assert refused.exit_code != 0 and "vary z" in refused.output
    assert CliRunner().invoke(main, [*given, "--components", "x y"]).exit_code == 0
