"""Calibration: known deviations come back, with the confidence that is stated; what cannot be known is named."""

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.algebra import rotations
from linkwright.analysis import calibrate, suggest_poses
from linkwright.cli import main

ANCHORS = [f"joints.hooke{i}.at.{c}" for i in range(1, 7) for c in "xyz"]
PLATE = [f"joints.ball{i}.child_at.{c}" for i in range(1, 7) for c in "xyz"]
OFFSETS = [f"joints.ball{i}.at.z" for i in range(1, 7)]


@pytest.fixture(scope="module")
def platform():
    """A Gough-Stewart platform with 42 inputs, 60 poses of a deviating one, its true values."""
    model = lw.build(lw.catalog.load("gough-stewart"), inputs=ANCHORS + PLATE + OFFSETS)
    chance = np.random.default_rng(3)
    home = model.frame_pose(model.assemble().q, "platform")
    turn = np.concatenate([np.ones((60, 1)), 0.5 * chance.uniform(-0.12, 0.12, (60, 3))], axis=1)
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    q = model.inverse_kinematics((home.position + chance.uniform(-0.1, 0.1, (60, 3)), turn))[0]
    q_act = model.actuator_positions(q)
    true = model.parameters.values + 1e-3 * chance.normal(size=42)
    pose = model.frame_pose(model.forward_kinematics(q_act, near=q, p=true)[0], "platform", p=true)
    return model, q_act, pose, true


def noisy(pose, size, chance):
    """The pose with noise of angle and position."""
    n = len(pose.position)
    turn = np.concatenate([np.ones((n, 1)), 0.5 * size * chance.normal(size=(n, 3))], axis=1)
    wxyz = rotations.quaternion_product(turn.T, pose.quaternion_wxyz.T).T
    return lw.Pose(
        pose.position + size * chance.normal(size=(n, 3)), wxyz / np.linalg.norm(wxyz, axis=1, keepdims=True)
    )


def test_without_noise_the_true_values_come_back(platform):
    model, q_act, pose, true = platform
    found = calibrate(model, q_act, pose)
    assert found.rank == 42 and not len(found.undetermined)
    assert np.abs(found.p - true).max() < 1e-11
    assert found.values[ANCHORS[0]] == found.p[0]


def test_with_noise_the_errors_are_as_large_as_stated(platform):
    model, q_act, pose, true = platform
    chance, z, left = np.random.default_rng(5), [], []
    for _ in range(4):
        found = calibrate(model, q_act, noisy(pose, 1e-5, chance), noise=(1e-5, 1e-5))
        whitened = np.linalg.solve(np.linalg.cholesky(found.covariance), found.p - true)
        z.append(whitened)
        left.append(found.noise)
        assert np.abs((found.p - true) / found.deviation).max() < 4.0
    # 168 numbers of variance 1: their mean square is within four standard deviations of 1
    assert np.mean(np.square(z)) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / 168))
    assert np.mean(left) == pytest.approx(1.0, abs=0.1)


def test_what_cannot_be_determined_is_named():
    """Two lengths in line, of which only the sum matters, and one that the output does not feel."""
    inputs = ["joints.hooke1.at.x", "joints.ball1.at.z", "joints.rho1.at.z", "bodies.platform.mass"]
    model = lw.build(lw.catalog.load("gough-stewart"), inputs=inputs)
    home = model.frame_pose(model.assemble().q, "platform")
    chance = np.random.default_rng(2)
    q = model.inverse_kinematics((home.position + chance.uniform(-0.1, 0.1, (20, 3)), home.quaternion_wxyz))[0]
    true = model.parameters.values + np.array([1e-3, 2e-3, 0.0, 0.0])
    q_act = model.actuator_positions(q)
    pose = model.frame_pose(model.forward_kinematics(q_act, near=q, p=true)[0], "platform", p=true)
    found = calibrate(model, q_act, pose)
    assert found.rank == 2
    assert set(found.descriptions) == {"joints.ball1.at.z - joints.rho1.at.z", "bodies.platform.mass"}
    assert found.p[0] == pytest.approx(true[0], abs=1e-11)
    assert found.p[1] + found.p[2] == pytest.approx(true[1] + true[2], abs=1e-11)
    assert np.isnan(found.deviation[1:]).all() and np.isfinite(found.deviation[0])


def test_positions_alone_and_sensors():
    model = lw.build(lw.catalog.load("five-bar"), inputs=["proximal", "distal", "base"])
    chance = np.random.default_rng(4)
    start = model.frame_pose(model.assemble().q, "platform").position
    wanted = start + np.column_stack([chance.uniform(-0.1, 0.1, (15, 2)), np.zeros(15)])
    q = model.inverse_kinematics((wanted, [1.0, 0, 0, 0]), components=("x", "y"))[0]
    q_act, true = model.actuator_positions(q), model.parameters.values + np.array([1e-3, -2e-3, 5e-4])
    reached = model.forward_kinematics(q_act, near=q, p=true)[0]
    position = model.frame_pose(reached, "platform", p=true).position
    assert calibrate(model, q_act, position, noise=1e-5).p == pytest.approx(true, abs=1e-10)
    passive = next(x for x in model.q_names if x in model.v_names and x not in model.mechanism.names and "psi" in x)
    at = model.q_names.index(passive)
    both = calibrate(model, q_act, position, noise=1e-5, sensors={passive: reached[:, at]}, sensor_noise=1e-5)
    assert both.p == pytest.approx(true, abs=1e-10)
    assert (both.deviation < calibrate(model, q_act, position, noise=1e-5).deviation).all()


def test_suggested_poses_tell_more_than_others(platform):
    model, q_act, _, _ = platform
    chosen = suggest_poses(model, q_act[:8], q_act[8:], count=4)
    assert len(set(chosen.tolist())) == 4

    def information(rows):
        J = np.asarray(model.parameter_jacobian("frame_pose", model.forward_kinematics(rows)[0], "platform"))
        J = J / np.repeat([1e-4, 1e-5], 3)[:, None]
        return np.linalg.slogdet(np.eye(42) / 1e-6 + np.einsum("nij,nik->jk", J, J))[1]

    best = information(np.concatenate([q_act[:8], q_act[8:][chosen]]))
    chance = np.random.default_rng(1)
    for _ in range(10):
        assert information(np.concatenate([q_act[:8], chance.permutation(q_act[8:])[:4]])) < best


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"q_act": np.zeros((60, 5))}, "q_act has shape"),
        ({"measured": np.zeros((59, 3))}, "measured positions"),
        ({"noise": -1.0}, "noise"),
        ({"noise": 1e-5}, "angle and position"),
        ({"sensors": {"nothing": np.zeros(60)}}, "unknown sensor 'nothing'"),
        ({"measured": np.full((60, 3), np.nan)}, "NaN"),
        ({"model": lw.build(lw.catalog.load("gough-stewart"))}, "inputs"),
        ({"frame": "platfrom"}, "platfrom"),
    ],
)
def test_bad_measurements(platform, change, part):
    model, q_act, pose, _ = platform
    with pytest.raises(lw.errors.LinkwrightError, match=part):
        calibrate(**{"model": model, "q_act": q_act, "measured": pose, **change})


def test_measurements_with_nan_are_left_out(platform):
    model, q_act, pose, true = platform
    position = pose.position.copy()
    position[3] = np.nan
    found = calibrate(model, q_act, lw.Pose(position, pose.quaternion_wxyz))
    assert (
        found.used.sum() == 59 and np.abs(found.p - true).max() < 1e-10 and "1 measurement with NaN" in found.notes[0]
    )


@pytest.fixture(scope="module")
def five_bar_poses():
    """Columns of a five-bar whose lengths are 1 mm longer than in the file, and these lengths."""
    model = lw.build(lw.catalog.load("five-bar"), inputs=["proximal", "distal"])
    start = model.frame_pose(model.assemble().q, "platform").position
    chance = np.random.default_rng(4)
    wanted = start + np.column_stack([chance.uniform(-0.1, 0.1, (9, 2)), np.zeros(9)])
    q = model.inverse_kinematics((wanted, [1.0, 0, 0, 0]), components=("x", "y"))[0]
    q_act, true = model.actuator_positions(q), model.parameters.values + 1e-3
    position = model.frame_pose(model.forward_kinematics(q_act, near=q, p=true)[0], "platform", p=true).position
    return dict(zip([*model.actuated, "x", "y", "z"], np.hstack([q_act, position]).T)), true


def calibrate_by_verb(folder, columns, *options):
    file, saved = folder / "poses.csv", folder / "x.yaml"
    rows = np.column_stack(list(columns.values()))
    np.savetxt(file, rows, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
    arguments = ["five-bar", str(file), "--vary", "proximal, distal", "--save-mechanism", str(saved), *options]
    return CliRunner().invoke(main, ["calibrate", *arguments]), saved


def test_the_verb_calibrates_from_a_file(five_bar_poses, tmp_path):
    columns, true = five_bar_poses
    done, saved = calibrate_by_verb(tmp_path, columns)
    assert done.exit_code == 0, done.output
    assert lw.load(saved).value("proximal") == pytest.approx(true[0], abs=1e-9)


def test_a_planar_robot_needs_no_column_of_what_it_keeps(five_bar_poses, tmp_path):
    columns, true = five_bar_poses
    done, saved = calibrate_by_verb(tmp_path, {name: x for name, x in columns.items() if name != "z"})
    assert done.exit_code == 0 and lw.load(saved).value("distal") == pytest.approx(true[1], abs=1e-9)
    lacking, _ = calibrate_by_verb(tmp_path, {name: x for name, x in columns.items() if name != "y"}, "--overwrite")
    assert lacking.exit_code == 2 and "the column 'y' is missing" in lacking.output


@pytest.mark.filterwarnings("ignore::linkwright.errors.LinkwrightWarning")
@pytest.mark.parametrize(
    ("factors", "message"),
    [({"x": 1e3, "y": 1e3}, "are they in mm"), ({"motor1": 180 / np.pi, "motor2": 180 / np.pi}, "motor1 [deg]")],
)
def test_values_in_wrong_units_are_not_saved_unless_they_are_accepted(five_bar_poses, tmp_path, factors, message):
    columns = {name: x * factors.get(name, 1.0) for name, x in five_bar_poses[0].items()}
    done, saved = calibrate_by_verb(tmp_path, columns, "--output", str(tmp_path / "x.npz"))
    assert done.exit_code == 4 and "doubtful" in done.output and message in done.output
    assert not saved.exists() and not (tmp_path / "x.npz").exists()
    done, saved = calibrate_by_verb(tmp_path, columns, "--accept-doubtful")
    assert done.exit_code == 0 and message in done.output and saved.exists()


def test_values_far_off_the_file_are_doubted(five_bar_poses):
    """An arm of twice the length moves its platform as it should, but manufacturing does not err so far."""
    columns, _ = five_bar_poses
    model = lw.build(lw.catalog.load("five-bar", {"proximal": 0.12}), inputs=["proximal", "distal"])
    found = calibrate(
        model, np.column_stack([columns["motor1"], columns["motor2"]]), np.column_stack([columns[c] for c in "xyz"])
    )
    assert found.values["proximal"] == pytest.approx(0.251) and any(
        "0.12 m in the file" in text for text in found.doubts
    )


def test_millimeters_are_suspected(platform):
    model, q_act, measured, _ = platform
    far = 1e3 * measured.position[:8], measured.quaternion_wxyz[:8]
    settled = pytest.warns(lw.errors.ParameterWarning, match="have not settled")
    with settled, pytest.warns(lw.errors.ParameterWarning, match="are they in mm"):
        found = calibrate(model, q_act[:8], far)
    assert any("are they in mm" in note for note in found.notes) and set(found.doubts) <= set(found.notes)


@pytest.mark.parametrize("components", ["pose", "position"])
def test_components_that_a_planar_robot_cannot_move_are_no_measurements(components):
    """Zeros of z, rx and ry would count as measurements without error: the noise would come out too small."""
    model = lw.build(lw.catalog.load("3-rrr"), inputs=["proximal", "distal"])
    rng, home = np.random.default_rng(5), model.assemble().q
    q_act = model.actuator_positions(home) + rng.uniform(-0.15, 0.15, (200, model.na))
    pose = model.frame_pose(model.forward_kinematics(q_act, near=home)[0], "platform")
    sigma, turns = 1e-4, 1e-3
    position = pose.position + np.array([1.0, 1.0, 0.0]) * sigma * rng.normal(size=(200, 3))
    angle = 2.0 * np.arctan2(pose.quaternion_wxyz[:, 3], pose.quaternion_wxyz[:, 0]) + turns * rng.normal(size=200)
    wxyz = np.stack([np.cos(angle / 2), 0.0 * angle, 0.0 * angle, np.sin(angle / 2)], axis=1)
    measured, noise = ((position, wxyz), (turns, sigma)) if components == "pose" else (position, sigma)
    found = lw.analysis.calibrate(model, q_act, measured, noise=noise)
    assert found.after.shape == (200, 3 if components == "pose" else 2)
    assert found.noise == pytest.approx(1.0, abs=0.1)
    still = "rx, ry, z" if components == "pose" else "z"
    assert any(f"nor the inputs move {still}: " in note for note in found.notes)


def test_a_calibration_of_the_wrong_parameters_is_doubted_and_not_saved(tmp_path):
    """Poses of a robot whose motors stand elsewhere cannot be had by other lengths of its arms."""
    model = lw.build(lw.catalog.load("five-bar"), inputs=["joints.psi1.at.x", "joints.psi2.at.x"])
    home = model.assemble().q
    q_act = model.actuator_positions(home) + np.random.default_rng(3).uniform(-0.3, 0.3, (12, 2))
    moved = model.parameters.values + [2e-3, -3e-3]
    position = model.frame_pose(model.forward_kinematics(q_act, p=moved)[0], "platform", p=moved).position
    columns = dict(zip([*model.actuated, "x", "y", "z"], np.hstack([q_act, position]).T))
    done, saved = calibrate_by_verb(tmp_path, columns, "--noise", "20 um")
    assert done.exit_code == 4 and not saved.exists(), done.output
    assert "times the stated noise" in done.output and "--accept-doubtful" in done.output
    done, saved = calibrate_by_verb(tmp_path, columns, "--noise", "2 mm")
    assert done.exit_code == 0 and saved.exists(), done.output
