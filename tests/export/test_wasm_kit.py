"""Kits for JavaScript: results of the host in Node, statuses of the C kit, types that compile."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.export.c.kit_programs import kit_programs, submechanism_programs
from linkwright.export.c.kit_self_test import kit_test_vectors
from linkwright.export.export_files import write_files
from linkwright.export.web.web_kit import _camel
from tests.compiler.wasm_node import needs_node, run_node
from tests.export.hostile_names import MARK, hostile_mechanisms, plain_arm

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "viewer" / "node_modules"
ANKLE = (ROOT / "docs" / "howto" / "humanoid-ankle.md").read_text(encoding="utf-8")


def written(folder, model, **options):
    """A kit in a folder of its own; the path of its module."""
    write_files(folder, lw.export.wasm(model, **options))
    return str(folder / "robot.js")


def call_kits(*jobs):
    keys = ("path", "calls", "p", "settings")
    return run_node("export/wasm_kit_node.mjs", [dict(zip(keys, job, strict=False)) for job in jobs])


def flat(answer):
    """Numbers of an answer, one behind the other."""
    if isinstance(answer, dict):
        answer = [*answer["q"], *answer["v"], *answer["a"]]
    return np.array(answer, dtype=float)


def calls_of_stored_states(model, stored):
    """Calls of all functions at the states of the C kit's self-test, and the model's own results."""
    calls, expected = [], []
    functions = {"gravity": "q", "bias": "q v", "mass_matrix": "q", "inverse_dynamics": "q v a", "pose": "q"}
    functions |= {"actuator_jacobian": "q", "output_jacobian": "q", "input_jacobian": "q"}
    functions |= {"output_mass_matrix": "q", "output_bias": "q v"}
    for s, given in enumerate(stored.given):
        x = given.reshape(4, -1).tolist()
        found = {name: rows[s] for name, rows in stored.results.items()}
        calls += [["home", "state"], ["forwardKinematics", "state", *x[:3]]]
        expected += [None, found["forward_kinematics"]]
        for name, inputs in functions.items():
            if name in found:
                calls.append([_camel(name), *inputs.split()])
                expected.append(found[name])
        tau = found["inverse_dynamics"]
        q, v, _ = np.split(found["forward_kinematics"], [model.nq, model.nq + model.nv])
        calls += [["bodyPoses", "q"], ["energy", "q", "v"], ["forwardDynamics", "q", "v", tau.tolist()]]
        expected += [np.concatenate(model.body_poses(q), axis=1), model.energy(q, v), model.forward_dynamics(q, v, tau)]
        if "joint_reactions" in found:
            calls.append(["jointReactions", "q", "v", "a", tau.tolist()])
            expected.append(found["joint_reactions"])
        calls.append(["actuators", "state"])
        expected.append(given[: 3 * model.na])
    return calls, expected


@pytest.fixture(scope="module")
def ankle(tmp_path_factory):
    path = tmp_path_factory.mktemp("ankle") / "ankle.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", ANKLE, re.DOTALL)[1], encoding="utf-8")
    return path


@needs_node
def test_functions_have_the_results_of_the_model(tmp_path, ankle):
    """At the states of the C kit's self-test, by the model's own functions, to 1e-12 of the largest number."""
    frames = {"slider-crank": "slider", "four-bar": "coupler", "ankle": "foot"}
    sources = {name: lw.build(lw.catalog.load(name)) for name in ("four-bar", "slider-crank", "3-rrr", "stanford-arm")}
    sources["ankle"] = lw.submechanism(lw.load(ankle), ["motor1", "motor2"], ["ankle"])
    jobs, results = [], []
    for name, source in sources.items():
        sub = source if name == "ankle" else None
        model, frame = getattr(source, "driven", source), frames.get(name)
        kit = kit_programs(model, frame) if sub is None else submechanism_programs(sub, frame)
        calls, expected = calls_of_stored_states(model, kit_test_vectors(model, sub, kit))
        jobs.append((written(tmp_path / name, source, frame=frame), calls))
        results.append(expected)
    for job, expected, answer in zip(jobs, results, call_kits(*jobs), strict=True):
        assert answer["about"]["leftOut"] == {}
        for call, x, found in zip(job[1], expected, answer["answers"], strict=True):
            if x is not None:
                x = np.concatenate([np.ravel(part) for part in x]) if isinstance(x, tuple) else np.ravel(x)
                error = np.abs(flat(found) - x).max(initial=0.0) / np.abs(x).max(initial=1.0)
                assert error < 1e-12, (job[0], call[0], error)
                assert found.get("status", 0) == 0 if isinstance(found, dict) else True


@needs_node
def test_maps_both_ways_and_parameters(tmp_path, ankle):
    """The ankle with another rod and foot, from its joints and from its motors, as the library has it."""
    names = ["joints.rod1.length", "bodies.foot.mass"]
    sub, p = lw.submechanism(lw.load(ankle), ["motor1", "motor2"], ["ankle"], parameters=names), [0.2608, 1.3]
    state = sub.from_outputs(np.radians([8.0, -6.0]), [0.4, -0.2], [1.0, 0.5], p=p)
    outputs = [x.tolist() for x in (state.outputs, state.output_rates, state.output_accelerations)]
    inputs = [x.tolist() for x in (state.inputs, state.input_rates, state.input_accelerations)]
    calls = [["outputKinematics", "state", *outputs], ["actuators", "state"], ["home", "state"]]
    calls += [["forwardKinematics", "state", *inputs], ["outputs", "state"]]
    functions = {
        "outputJacobian": sub.jacobian(state.q, p=p),
        "outputMassMatrix": sub.inertia(state.q, p=p),
        "massMatrix": sub.inertia(state.q, "inputs", p=p),
        "gravity": sub.bias(state.q, 0 * state.v, "inputs", p=p),
    }
    (answer,) = call_kits((written(tmp_path, sub), calls + [[name, "q"] for name in functions], p))
    there, driven, _, back, joints, *found = answer["answers"]
    assert there["status"] == back["status"] == 0 and answer["names"]["P"] == {name: i for i, name in enumerate(names)}
    assert flat(driven) == pytest.approx(np.concatenate(inputs), abs=1e-12)
    assert flat(joints) == pytest.approx(np.concatenate(outputs), abs=1e-12)
    for (name, x), y in zip(functions.items(), found, strict=True):
        assert flat(y) == pytest.approx(x.ravel(), rel=1e-12, abs=1e-12), name


@needs_node
def test_states_that_cannot_be_found_have_the_statuses_of_the_c_kit(tmp_path):
    model = lw.build(lw.catalog.load("five-bar"))
    home = model.assemble().q
    x = model.actuator_positions(home)
    pose = np.concatenate(model.frame_pose(home, "platform")).tolist()
    far, half = [*(np.array(pose[:3]) + 10.0).tolist(), *pose[3:]], [*pose[:3], *(0.5 * y for y in pose[3:])]
    tilted = [pose[0], pose[1] + 0.02, pose[2], *pose[3:]]
    cases = [
        (["forwardKinematics", "state", ["x", 0.0]], (4,)),
        (["forwardKinematics", "state", (x + [2.5, -2.5]).tolist()], (1, 2, 3)),
        (["forwardKinematics", "state", x.tolist(), ["x", 0.0]], (4,)),
        (["inverseKinematics", "state", half], (5,)),
        (["inverseKinematics", "state", far], (16, 17)),
    ]
    path = written(tmp_path, model)
    states = [["home", "state"], *(call for call, _ in cases)]
    (answer,) = call_kits((path, states))
    for (call, statuses), found in zip(cases, answer["answers"][1:], strict=True):
        assert found["status"] in statuses, call
        assert found["q"] == pytest.approx(home, abs=0.0) and not any(found["v"])  # the state is left as it was
    unmet, met = call_kits((path, [["inverseKinematics", "state", tilted]]),
                           (path, [["inverseKinematics", "state", tilted]], None, {"ignored": ["rz"]}))  # fmt: skip
    assert unmet["answers"][0]["status"] == 6 and met["answers"][0]["status"] == 0


@needs_node
def test_sources_and_wrong_arguments(tmp_path):
    """The module from bytes, an address, a file, a response and compiled; lengths of arrays are checked."""
    written(tmp_path, lw.build(lw.catalog.load("four-bar")))
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ load, Robot }} from "{tmp_path}/robot.js";
        const bytes = readFileSync("{tmp_path}/robot.wasm");
        const address = "data:application/wasm;base64," + bytes.toString("base64");
        const sources = [bytes, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), address,
          "{tmp_path}/robot.wasm", new URL("file://{tmp_path}/robot.wasm"), new Response(bytes)];
        const robots = [await load(), ...(await Promise.all(sources.map(load)))];
        robots.push(new Robot(new WebAssembly.Module(bytes)));
        const state = robots[0].home(), other = robots[1].home();
        console.log(new Set(robots.map((robot) => robot.gravity(state.q)[0])).size, robots.length);
        robots[0].forwardKinematics(state, [1.2]);
        console.log(state.q[0] !== other.q[0], robots[1].gravity(state.q, [0])[0] === robots[0].gravity(state.q)[0]);
        try {{ robots[0].gravity([1, 2]); }} catch (error) {{ console.log(error.message); }}
    """
    ran = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines() == ["1 8", "true true", "q needs 3 numbers, not 2"], ran.stderr


@needs_node
def test_names_stay_names(tmp_path):
    """Names that try to be code are keys of the arrays' numbers, in the module and in its types."""
    kits = [written(tmp_path / str(i), lw.build(mech)) for i, mech in enumerate(hostile_mechanisms(plain_arm()))]
    use = "".join(
        f'import * as kit{i} from "{Path(path).with_suffix("")}";\nkit{i}.load();\n' for i, path in enumerate(kits)
    )
    for path, answer in zip(kits, call_kits(*((path, [["gravity", "q"]]) for path in kits)), strict=True):
        assert all(answer["names"][kind] for kind in ("Q", "V", "ACTUATOR", "JOINT", "BODY"))
        page = Path(path).with_suffix(".html").read_text(encoding="utf-8")
        assert page.count("<script") == page.count("</script") == 1 and f"<{MARK}" not in page
    check_types(tmp_path, use)


def check_types(folder, use):
    """Compile a text that uses kits with TypeScript."""
    compiler = MODULES / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        pytest.skip("needs viewer/node_modules")
    (folder / "use.ts").write_text(use, encoding="utf-8")
    flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    command = ["node", compiler, *flags, "--types", "", "use.ts"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout[:2000]


@needs_node
def test_types_know_names_and_functions(tmp_path, ankle):
    done = CliRunner().invoke(
        main, ["export", "wasm", str(ankle), "--joint", "ankle", "--vary", "bodies.foot.mass", "-o", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    check_types(
        tmp_path,
        """import { load, ACTUATOR, OUTPUT, P, Status, type State } from "./robot";
const robot = await load(new Uint8Array(8)), state: State = robot.home();
const i: 1 = ACTUATOR.motor2, j: 0 = OUTPUT["ankle.first"], k: 0 = P["bodies.foot.mass"];
const status: number = robot.outputKinematics(state, [0.1, 0], null, [1, 2]);
if (status === Status.OK) robot.p[k] = robot.outputJacobian(state.q)[i] + robot.gravity(state.q, [0, 0])[j];
// @ts-expect-error
ACTUATOR.motor3;
// @ts-expect-error
robot.gravity();
""",
    )
