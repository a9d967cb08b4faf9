"""Packs of transmissions: a humanoid's ankle cut out of its leg, in every form, against the mechanism itself."""

import importlib.util
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.cli import main
from linkwright.errors import ArgumentError, MechanismError
from linkwright.export.export_files import write_files
from linkwright.export.transmissions.chebyshev import fit_chebyshev
from linkwright.export.transmissions.pack import transmission_of
from linkwright.export.transmissions.ranges import find_ranges
from linkwright.joints import Revolute, Spherical
from linkwright.mechanism import Body, Inertia, Joint
from linkwright.mechanism.loop_parts import part_of_joints, with_merged_turns

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "humanoid-ankle.md").read_text(encoding="utf-8")
STUBS = Path(__file__).parent / "ros2_control_stubs"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")


@pytest.fixture(scope="module")
def ankle(tmp_path_factory):
    """The ankle of the how-to page, alone."""
    path = tmp_path_factory.mktemp("ankle") / "ankle.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1], encoding="utf-8")
    return lw.load(path)


@pytest.fixture(scope="module")
def leg_file(tmp_path_factory, ankle):
    """A leg with this ankle, a toe and a knee with four bars; the pelvis is the base."""
    text = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
    body = "{mass: 2 kg, com: [0, 0, -0.1], inertia: [1e-2, 1e-2, 1e-3]}"
    text = text.replace("bodies:\n", f"bodies:\n  thigh: {body}\n  shank: {body}\n  toe: {{mass: 0.1 kg}}\n")
    text = text.replace("bodies:\n", "bodies:\n  rocker: {mass: 0.2 kg, inertia: [1e-4, 1e-4, 1e-4]}\n")
    text = text.replace("base: shank", "base: pelvis").replace(
        "joints:\n",
        "joints:\n"
        "  hip: {type: revolute, axis: y, parent: pelvis, child: thigh}\n"
        "  knee: {type: revolute, axis: y, parent: thigh, child: shank, at: [0, 0, -0.4]}\n"
        "  knee_motor: {type: revolute, axis: y, parent: thigh, child: rocker, at: [50 mm, 0, -100 mm]}\n"
        "  toes: {type: revolute, axis: y, parent: foot, child: toe, at: [0.1, 0, 0]}\n",
    )
    text = text.replace(
        "loops:\n",
        "loops:\n  push: {type: distance, length: 300 mm, parent: rocker, child: shank, at: [50 mm, 0, 0], "
        "child_at: [60 mm, 0, 0]}\n",
    )
    text = text.replace("actuators:\n", "actuators:\n  hip: {joint: hip}\n  knee_drive: {joint: knee_motor}\n")
    path = tmp_path_factory.mktemp("leg") / "leg.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def sub(ankle):
    return lw.submechanism(ankle, ["motor1", "motor2"], ["ankle"])


@pytest.fixture(scope="module")
def pack(tmp_path_factory, leg_file):
    """The folder of the pack, from the whole leg."""
    folder = tmp_path_factory.mktemp("pack")
    write_files(folder, lw.export.transmission(lw.load(leg_file), "motor1 motor2", "ankle", "ankle"))
    return folder


@pytest.fixture(scope="module")
def states(sub):
    """Joint positions, rates and efforts over the range, and what the mechanism has for them."""
    rng = np.random.default_rng(3)
    x = np.radians([38.0, 19.0]) * rng.uniform(-1.0, 1.0, (200, 2))
    rate, effort = rng.normal(size=(2, 200, 2))
    state = sub.from_outputs(x, rate)
    return x, rate, effort, state, sub.input_efforts(state.q, effort)


def test_the_part_of_some_joints_is_the_mechanism_without_what_carries_it(leg_file, ankle):
    leg = lw.load(leg_file)
    part = part_of_joints(leg, ["motor1", "ankle"])
    assert part.base == "shank" and {*part.names} == {"crank1", "crank2", "foot"}
    assert {j.name for j in (*part.joints, *part.loops)} == {j.name for j in (*ankle.joints, *ankle.loops)}
    knee = part_of_joints(leg, ["knee"])
    assert knee.base == "thigh" and {*knee.names} == {"shank", "rocker"}
    with pytest.raises(MechanismError, match="hang at several bodies, foot, thigh"):
        part_of_joints(leg, ["knee", "toes"])
    with pytest.raises(ArgumentError, match=r"no joint .ancle..*ankle"):
        lw.export.transmission(leg, "motor1 motor2", "ancle")


def test_a_joint_without_loops_is_its_own_motor(leg_file):
    hip = transmission_of(lw.load(leg_file), ["hip"], ["hip"])
    state = hip.from_outputs([[0.1], [0.4]])
    assert np.array_equal(hip.jacobian(state.q), np.ones((2, 1, 1))) and np.array_equal(state.inputs, state.outputs)


def test_three_hinges_of_a_rod_are_a_spherical_joint(ankle, sub):
    """A rod of its own between three hinges with weightless bodies and a spherical loop moves as one of constant
    length; the hinges become one joint, and its idle spin is found."""
    rod, tip = ankle.loops[0], RigidTransform((0.0, 0.0, 0.26))
    bodies = [Body("first"), Body("second"), Body("rod", Inertia.diagonal(0.1, (0.0, 0.0, 0.13), (1e-4, 1e-4, 1e-6)))]
    hinges = [
        Joint("turn_x", "crank1", "first", Revolute((1.0, 0.0, 0.0)), rod.at),
        Joint("turn_y", "first", "second", Revolute((0.0, 1.0, 0.0)), RigidTransform((0.0, 0.0, 0.01))),
        Joint("turn_z", "second", "rod", Revolute()),
    ]
    assert with_merged_turns(replace(ankle, bodies=(*ankle.bodies, *bodies), joints=(*ankle.joints, *hinges)), []) == (
        replace(ankle, bodies=(*ankle.bodies, *bodies), joints=(*ankle.joints, *hinges))
    )  # the second axis passes beside the first
    hinges[1] = replace(hinges[1], at=RigidTransform())
    ball = Joint("rod1", "rod", "foot", Spherical(), tip, rod.child_at)
    long = replace(
        ankle,
        bodies=(*ankle.bodies, *bodies),
        joints=(*ankle.joints, *hinges),
        loops=(ball, ankle.loops[1]),
    )
    merged = with_merged_turns(long, ["motor1"])
    assert {*merged.names} == {"crank1", "crank2", "foot", "rod"}
    assert next(joint for joint in merged.joints if joint.name == "turn_x").kind == Spherical()
    x = np.radians([[20.0, 5.0], [-30.0, 15.0]])
    found = transmission_of(long, ["motor1", "motor2"], ["ankle"]).from_outputs(x)
    np.testing.assert_allclose(found.inputs, sub.from_outputs(x).inputs, atol=1e-11)


def test_what_the_pack_says_of_ranges_is_the_grid_of_the_mechanism(pack, sub):
    said = json.loads((pack / "ankle.json").read_text())
    check = sub.check_range(points=21)
    assert said["left_out"] == {} and said["base"] == "shank" and said["share_of_limits"] == 1.0
    assert said["range_sources"] == {"ankle.first": "file", "ankle.second": "file"}
    ends = np.array([said["motors"][name]["range"] for name in ("motor1", "motor2")])
    grid = check.inputs.reshape(-1, 2)
    np.testing.assert_allclose(ends, np.stack([grid.min(axis=0), grid.max(axis=0)], axis=-1), atol=1e-12)
    assert said["gain"] == pytest.approx([check.gain.min(), check.gain.max()])
    corners = np.array(said["outlines"]["joint_ranges_at_motors"])
    assert (corners.min(axis=0) >= ends[:, 0] - 1e-9).all() and (corners.max(axis=0) <= ends[:, 1] + 1e-9).all()


@needs_compiler
def test_a_range_that_is_given_stands_and_those_of_the_file_are_made_smaller(sub):
    ranges = find_ranges(sub, {"ankle.first": (-np.pi / 3.0, np.pi / 3.0)})
    np.testing.assert_array_equal(ranges.joints[0], [-np.pi / 3.0, np.pi / 3.0])
    np.testing.assert_allclose(ranges.joints[1], ranges.share * np.radians([-20.0, 20.0]), atol=1e-12)
    assert ranges.sources == ("given", "file") and ranges.share < 1.0
    with pytest.raises(MechanismError, match=re.escape("ankle.first -1.5708 to 1.5708")):
        find_ranges(sub, {"ankle.first": (-np.pi / 2.0, np.pi / 2.0)})


def test_c_passes_its_self_test_and_the_plug_in_moves_both_sides(pack, tmp_path, states):
    x, rate, effort, state, motor_effort = states
    library = [str(pack / "ankle.c"), str(pack / "ankle_transmission.c")]
    program = tmp_path / "selftest"
    test = [*library, str(pack / "ankle_transmission_selftest.c")]
    subprocess.run(["gcc", "-std=c99", *STRICT, *test, "-o", str(program), "-lm"], check=True)
    lines = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines[-1] == "passed" and len(lines) == 9
    assert all(float(line.split()[-1]) < 1e-12 for line in lines[:4])
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler for the plug-in")
    objects = []
    for source in library:
        objects.append(str(tmp_path / Path(source).with_suffix(".o").name))
        subprocess.run(["gcc", "-std=c99", "-O1", "-c", source, "-o", objects[-1]], check=True)
    sources = [str(pack / "ankle_ros2_control.cpp"), str(STUBS / "call_plugin.cpp")]
    folders = ["-I", str(STUBS), "-I", str(pack)]
    caller = str(tmp_path / "caller")
    subprocess.run(["g++", "-std=c++17", *STRICT, *folders, *sources, *objects, "-o", caller, "-lm"], check=True)
    given = np.stack([x[0] + 0.02, rate[0], effort[0]], axis=-1)[::-1]  # offset of the joints; roll before pitch
    made = subprocess.run([caller, *map(repr, given.ravel().tolist())], check=True, capture_output=True, text=True)
    motors, joints = np.array(made.stdout.split(), dtype=float).reshape(2, 2, 3)
    reduced = np.stack([6.0 * state.inputs[0], 6.0 * state.input_rates[0], motor_effort[0] / 6.0], axis=-1)
    np.testing.assert_allclose(motors[::-1], reduced, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(joints, given, rtol=1e-11, atol=1e-12)


def load_module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def require_equal_maps(module, states, sub, to_numpy):
    """Both maps, inertia and the tables' bounds of a module for arrays."""
    x, rate, effort, state, motor_effort = states
    y, y_rate, tau = (to_numpy(each) for each in module.motors_of_joints(x, rate, effort))
    np.testing.assert_allclose(y, state.inputs, atol=1e-13)
    np.testing.assert_allclose(y_rate, state.input_rates, atol=1e-12)
    np.testing.assert_allclose(tau, motor_effort, atol=1e-12)
    back = module.joints_of_motors(y, y_rate, tau)
    for found, expected in zip(back, (x, rate, effort), strict=True):
        np.testing.assert_allclose(to_numpy(found), expected, atol=1e-12)
    q = module.from_joints(x)
    np.testing.assert_allclose(to_numpy(module.joint_inertia(q)), sub.inertia(state.q), atol=1e-14)
    np.testing.assert_allclose(to_numpy(module.motor_inertia(q)), sub.inertia(state.q, "inputs"), atol=1e-14)


def test_torch_has_the_mechanism_and_its_derivatives(pack, states, sub):
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    module = load_module(pack / "ankle_torch.py")
    require_equal_maps(module, states, sub, lambda x: x.numpy())
    x = torch.tensor(states[0][:2], requires_grad=True)
    for map_, at in ((lambda x: module.motors_of_joints(x)[0], x), (lambda y: module.joints_of_motors(y)[0], x)):
        assert torch.autograd.gradcheck(map_, at) and torch.autograd.gradgradcheck(map_, at[:1])


def test_jax_has_the_mechanism_and_its_derivatives(pack, states, sub):
    jax = pytest.importorskip("jax", reason="needs the extra jax")
    with jax.enable_x64(True):
        module = load_module(pack / "ankle_jax.py")
        require_equal_maps(module, states, sub, np.asarray)
        rates = jax.vmap(jax.jacfwd(lambda x: module.motors_of_joints(x)[0]))(states[0][:8])
        np.testing.assert_allclose(rates, sub.inverse_jacobian(states[3].q[:8]), atol=1e-12)


def test_reflected_inertia_is_that_of_the_ankle_with_a_weightless_foot(pack, ankle, states):
    jax = pytest.importorskip("jax", reason="needs the extra jax")
    light = {"bodies.foot.mass": 0.0, "bodies.foot.inertia.xx": 0.0}
    light |= {"bodies.foot.inertia.yy": 0.0, "bodies.foot.inertia.zz": 0.0}
    bare = lw.submechanism(ankle.with_values(light), ["motor1", "motor2"], ["ankle"])
    with jax.enable_x64(True):
        module = load_module(pack / "ankle_jax.py")
        found = module.reflected_inertia(module.from_joints(states[0]))
    np.testing.assert_allclose(found, bare.inertia(states[3].q), rtol=1e-9, atol=1e-15)


def test_the_tables_hold_their_bounds_and_the_bounds_are_near(pack, sub):
    """At random points of both domains, values and rates; bounds are at most 100 times the largest errors."""
    said, rng = json.loads((pack / "ankle.json").read_text())["tables"], np.random.default_rng(8)
    for name, solve, linearized in (
        ("motors_of_joints", lambda x: sub.from_outputs(x), lambda s: (s.inputs, sub.inverse_jacobian(s.q))),
        ("joints_of_motors", lambda y: sub.from_inputs(y), lambda s: (s.outputs, sub.jacobian(s.q))),
    ):
        table = said[name]
        center, matrix, half = (np.array(table[key]) for key in ("center", "matrix", "half"))
        s = rng.uniform(-1.0, 1.0, (2000, 2))
        T = [
            np.polynomial.chebyshev.chebvander(s[:, i], n - 1)
            for i, n in enumerate(np.shape(table["coefficients"])[:2])
        ]
        found = np.einsum("ni,nj,ijk->nk", *T, np.array(table["coefficients"]))
        expected, rates = linearized(solve(center + (s * half) @ np.linalg.inv(matrix).T))
        worst = np.abs(found - expected).max(axis=0)
        assert (worst <= table["bound"]).all() and max(table["bound"]) <= 1e-6, name
        assert (np.array(table["bound"]) <= 100.0 * worst).all(), name
        assert np.shape(table["rate_bound"]) == rates.shape[1:] and table["points"] >= 3000
    with pytest.raises(MechanismError, match="97 nodes along an axis do not give a table"):
        fit_chebyshev(lambda x: np.abs(x), np.zeros(2), np.eye(2), np.ones(2), 1e-9)


def test_the_verb_writes_a_pack_of_a_knee(tmp_path, leg_file):
    options = ["--motors", "knee_drive", "--joints", "knee", "--ranges", "knee=-20..10 deg", "--name", "knee"]
    run = CliRunner().invoke(main, ["export", "transmission", str(leg_file), *options, "-o", str(tmp_path), "--json"])
    assert run.exit_code == 0, run.output
    said = json.loads((tmp_path / "knee.json").read_text())
    np.testing.assert_allclose(said["joints"]["knee"]["range"], np.radians([-20.0, 10.0]))
    assert len(json.loads(run.output)["files"]) == len([*tmp_path.iterdir()]) == 14
    knee = lw.submechanism(part_of_joints(lw.load(leg_file), ["knee"]), ["knee_drive"], ["knee"])
    table = said["tables"]["motors_of_joints"]
    s = (np.radians(5.0) - table["center"][0]) / table["half"][0]
    found = np.polynomial.chebyshev.chebval(s, np.array(table["coefficients"])[:, 0])
    assert abs(found - knee.from_outputs([np.radians(5.0)]).inputs[0]) <= table["bound"][0]
    refused = CliRunner().invoke(main, ["export", "transmission", str(leg_file), "--motors", "hip", "--joints", "knee"])
    assert refused.exit_code != 0 and "do not determine" in refused.output
