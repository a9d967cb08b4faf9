"""Pages compute what the host computes."""

import json
from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import frame_with_z
from linkwright.kinematics.assembly import _assembly_mode_signature
from linkwright.kinematics.dragging.dragging import Dragging, driven_velocities
from linkwright.model.limits import limits_exceeded
from linkwright.viewer import page_drivers
from linkwright.viewer.page_engine import METHOD, page_engine
from linkwright.viewer.page_readouts import PAGE_COMPONENTS, plane_components
from tests.compiler.wasm_node import needs_node
from tests.viewer.engine_node import run_engine
from tests.viewer.mechanisms import model

NAMES = ["four-bar", "3-rrr", "stanford-arm"]
FREE = {"gravity": True, "stops": False, "motors": "free"}


def test_the_drivers_of_pages_come_from_these_sources():
    sealed, now = page_drivers.sealed_about(), page_drivers.about_now()
    assert sealed["text"] == now["text"], "run `python -m linkwright.viewer.page_drivers` and commit what it writes"
    if sealed["llvm"] == now["llvm"]:  # another LLVM may write other bytes
        assert page_drivers.driver_binary() == page_drivers.build_drivers()


@needs_node
@pytest.mark.parametrize("name", NAMES)
def test_states_are_closed_and_shown_as_on_the_host(name):
    m = model(name)
    home = m.assemble().q
    near = home + 1e-3 * np.random.default_rng(0).normal(size=m.nq)
    (found,) = run_engine(m, [["setState", near.tolist()]])
    assert found["result"]["reached"] and found["gap"] < 1e-12
    assert np.abs(found["q"] - near).max() < 1e-2
    q = found["q"]
    r, wxyz = m.body_poses(q)
    poses = found["poses"].reshape(-1, 7)
    assert np.allclose(poses[:, :3], r, rtol=0.0, atol=1e-14)
    assert np.allclose(np.abs(np.sum(poses[:, 3:] * wxyz, axis=1)), 1.0, rtol=0.0, atol=1e-14)
    assert np.allclose(found["actuators"], m.actuator_positions(q), rtol=0.0, atol=1e-15)
    still = np.zeros(m.nv)
    assert np.allclose(found["efforts"], m.inverse_dynamics(q, still, still), rtol=1e-12, atol=1e-12)
    assert np.allclose(found["energy"], m.energy(q, still), rtol=1e-13, atol=1e-14)


@needs_node
@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "delta", "puma-560", "hexaglide"])
def test_a_driven_actuator_moves_alone_on_its_branch(name):
    m = model(name)
    home, d = m.assemble().q, Dragging(m.kinematics)
    x = m.actuator_positions(home)
    x[0] += 0.2 * d.record.speeds[driven_velocities(m.kinematics)[0]]
    near, far = run_engine(m, [["drive", 0, x[0]], ["drive", 0, x[0] + 7.0]])
    assert near["result"]["reached"]
    assert np.allclose(near["actuators"], x, rtol=0.0, atol=1e-12)
    there = m.body_poses(m.follow(x[None], home)[0]).position
    assert np.allclose(near["poses"].reshape(-1, 7)[:, :3], there, rtol=0.0, atol=1e-9)
    assert np.allclose(near["q"], d.pull_actuator(home, 0, x[0]).q, rtol=0.0, atol=1e-9)
    host = d.pull_actuator(near["q"], 0, x[0] + 7.0)
    assert far["result"]["reached"] == (host.end == "reached")
    if host.end == "reached":
        x[0] += 7.0
        there = m.body_poses(m.follow(x[None], near["q"])[0]).position
        assert np.allclose(far["poses"].reshape(-1, 7)[:, :3], there, rtol=0.0, atol=1e-8)
    assert far["result"]["boundary"] == (host.end in ("boundary", "edge"))
    assert np.allclose(far["actuators"], m.actuator_positions(host.q), rtol=0.0, atol=1e-6)
    assert far["gap"] < 1e-12 and not far["limits"]


@needs_node
@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "delta", "gough-stewart", "puma-560", "tricept"])
def test_bodies_that_are_dragged_go_where_they_go_on_the_host(name):
    m = model(name)
    q, d, length = m.assemble().q, Dragging(m.kinematics), m.scales.length
    body, point, sight = len(m.bodies) - 1, np.array([0.05, 0.02, 0.0]), np.array([0.1, 0.2, 1.0])
    poses = m.body_poses(q)
    start = poses.position[body] + poses.rotation[body] @ point
    e1, e2 = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0][:2]
    angles = 2.0 * np.pi * np.arange(1, 11) / 10
    targets = [start + 0.15 * length * ((1.0 - np.cos(a)) * e1 + np.sin(a) * e2) for a in angles]
    calls = [["pullBody", body, point.tolist(), x.tolist(), sight.tolist()] for x in targets]
    for target, answer in zip(targets, run_engine(m, [["setState", q.tolist()], *calls])[1:], strict=True):
        pull = d.pull_body(q, body, point, target, sight)
        q = pull.q
        assert answer["result"]["reached"] == (pull.end == "reached")
        there = answer["poses"].reshape(-1, 7)[:, :3]
        assert np.allclose(there, m.body_poses(q).position, rtol=0.0, atol=1e-9 * length)


@needs_node
@pytest.mark.parametrize("name", [*NAMES, "delta", "puma-560"])
def test_pulls_end_as_on_the_host(name):
    m = model(name)
    home, d, length = m.assemble().q, Dragging(m.kinematics), m.scales.length
    body, point, sight = len(m.bodies) - 1, [0.05, 0.02, 0.0], [0.1, 0.2, 1.0]
    poses = m.body_poses(home)
    start = poses.position[body] + poses.rotation[body] @ point
    targets = [start + np.array(way) * length for way in ((0.05, 0.02, 0.0), (-1.0, 0.7, 0.1))]
    pulls = [["pullBody", body, point, x.tolist(), sight] for x in targets]
    calls = [call for pull in pulls for call in (["setState", home.tolist()], pull)]
    answers = run_engine(m, calls)[1::2]
    for target, answer in zip(targets, answers, strict=True):
        pull = d.pull_body(home, body, np.array(point), target, np.array(sight))
        assert answer["result"]["reached"] == (pull.end == "reached")
        assert answer["result"]["boundary"] == (pull.end == "boundary")
        assert answer["gap"] < 1e-12
        assert np.allclose(answer["q"], pull.q, rtol=0.0, atol=1e-5)  # a long way adds up what rounding differs
        there = m.body_poses(answer["q"])
        missed = frame_with_z(sight).T @ (there.position[body] + there.rotation[body] @ point - target)
        assert np.hypot(*missed[:2]) == pytest.approx(pull.missed, rel=1e-6, abs=1e-9)


@needs_node
@pytest.mark.parametrize("name", ["3-rrr", "gough-stewart"])
def test_platforms_are_pulled_to_poses(name):
    m = model(name)
    home, d = m.assemble().q, Dragging(m.kinematics)
    samples = m.kinematics.branch_samples[-5:]
    wanted = [np.concatenate(m.frame_pose(q, m.mechanism.platform)) for q in samples]
    calls = [call for pose in wanted for call in (["setState", home.tolist()], ["pullPlatform", pose.tolist(), False])]
    for pose, answer in zip(wanted, run_engine(m, calls)[1::2], strict=True):
        assert answer["result"]["reached"] and answer["gap"] < 1e-12
        assert np.allclose(answer["platform"][:3], pose[:3], rtol=0.0, atol=1e-8)
        assert np.allclose(answer["q"], d.pull_platform(home, pose[:3], pose[3:]).q, rtol=0.0, atol=1e-9)


@needs_node
@pytest.mark.parametrize("name", ["3-rrr", "delta", "three-link-arm", "puma-560"])
def test_readouts_are_those_of_the_host(name):
    m = model(name)
    states = m.assemble().q + 0.05 * np.random.default_rng(3).normal(size=(3, m.nq))
    for found in run_engine(m, [["setState", q.tolist()] for q in states]):
        q = found["q"]
        near = m.singularity(q, components=name_components(m))
        host = {"type 1": near.type1, "type 2": near.type2, "constraint": near.constraint}
        host = {kind: x for kind, x in host.items() if x < 1.0}
        assert found["singularities"].keys() == host.keys()
        for kind, x in host.items():
            assert found["singularities"][kind] == pytest.approx(x, rel=1e-9, abs=1e-9)
        assert float(found["condition"]) == pytest.approx(near.condition, rel=1e-9)
        assert found["branch"] == m.assemble(guess=q, guesses=1).branch
        assert found["limits"] == [str(each) for each in limits_exceeded(m.kernels, q)]


def name_components(m):
    numbers = plane_components(m)
    return None if numbers is None else tuple(PAGE_COMPONENTS[i] for i in numbers)


@needs_node
@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "delta", "five-bar"])
def test_assembly_modes_are_those_of_the_host(name):
    m = model(name)
    x = m.actuator_positions(m.assemble().q)
    (found,) = run_engine(m, [["assemblyModes"]])
    host = [mode.q for mode in m.assembly_modes(x)]
    modes = [np.array(each["q"]) for each in found["result"]]
    assert [each["current"] for each in found["result"]] == [True] + [False] * (len(modes) - 1)
    assert len(modes) == len(host)
    signature = partial(_assembly_mode_signature, m.kinematics)
    for q in modes:
        assert np.abs(m.closure_residual(q)).max() < 1e-11
        assert np.allclose(m.actuator_positions(q), x, rtol=0.0, atol=1e-11)
        assert min(np.abs(signature(q) - signature(other)).max() for other in host) < 1e-6


@needs_node
def test_other_parameters_close_again_or_are_refused():
    mech = lw.catalog.load("four-bar")
    m = lw.build(mech, inputs=[each.name for each in mech.parameters][:4])
    p, home = m.parameters.values, m.assemble().q
    longer = p.copy()
    longer[1] *= 1.1
    huge = p.copy()
    huge[0] *= 20.0
    calls = [["setParameters", longer.tolist()], ["drive", 0, float(home[0]) + 0.1], ["setParameters", huge.tolist()]]
    found, driven, refused = run_engine(m, [*calls])
    other = m.with_parameters(longer)
    assert found["result"]["reached"] and driven["result"]["reached"]
    assert np.abs(other.closure_residual(found["q"])).max() < 1e-11
    assert np.allclose(
        other.body_poses(driven["q"]).position, driven["poses"].reshape(-1, 7)[:, :3], rtol=0.0, atol=1e-12
    )
    assert driven["actuators"][0] == pytest.approx(float(home[0]) + 0.1)
    assert not refused["result"]["reached"] and "close" in refused["result"]["message"]
    assert np.allclose(refused["q"], driven["q"], rtol=0.0, atol=1e-12)
    assert np.abs(other.closure_residual(refused["q"])).max() < 1e-11


@needs_node
@pytest.mark.parametrize("name", NAMES)
def test_what_is_let_go_moves_as_a_simulation(name):
    m = model(name)
    q = m.assemble().q
    states = run_engine(m, [["start", FREE], *[["advance", 0.02]] * 10])
    host = lw.simulate(m, q, None, 0.2, method=METHOD, stop_at=())
    assert all(state["result"] is None or state["result"]["reached"] for state in states)
    assert states[-1]["t"] == pytest.approx(0.2, abs=1e-15)
    assert np.allclose(states[-1]["q"], host.q[-1], rtol=0.0, atol=1e-6)
    energies = [np.sum(state["energy"]) for state in states]
    assert np.ptp(energies) < 1e-6 * (1.0 + abs(energies[0]))


@needs_node
def test_actuators_hold_and_follow():
    m = model("3-rrr")
    sine = {"amplitude": 0.1, "frequency": 0.5, "offset": 0.0}
    x = m.actuator_positions(m.assemble().q)
    sine["offset"] = float(x[0])
    calls = [["start", FREE | {"motors": "locked"}], ["advance", 0.1]]
    calls += [["motion", 0, sine], ["start", FREE | {"motors": "driven"}], *[["advance", 0.05]] * 10]
    found = run_engine(m, calls)
    assert np.allclose(found[1]["actuators"], x, rtol=0.0, atol=1e-9)
    x[0] += 0.1 * np.sin(2.0 * np.pi * 0.5 * 0.5)
    assert np.allclose(found[-1]["actuators"], x, rtol=0.0, atol=1e-4)


@needs_node
def test_pushes_do_work_and_nothing_falls_without_gravity():
    m = model("four-bar")
    q = m.assemble().q
    point, force = [0.5, 0.1, 0.0], [3.0, 1.0, 0.0]
    calls = [["start", FREE | {"gravity": False}], ["advance", 0.1], ["push", 1, point, force], ["advance", 0.1]]
    still, moved = run_engine(m, calls)[1::2]
    assert np.abs(still["v"]).max() < 1e-12
    at = [x.reshape(-1, 7)[1, :3] for x in (still["poses"], moved["poses"])]
    r = [place + m.body_poses(state["q"]).rotation[1] @ point for place, state in zip(at, (still, moved))]
    assert moved["energy"][0] == pytest.approx(np.dot(force, r[1] - r[0]), rel=1e-6)
    assert moved["energy"][1] == pytest.approx(0.0, abs=1e-9)
    assert np.allclose(still["q"], q, rtol=0.0, atol=1e-12)


def test_an_engine_is_plain_data_and_short():
    data = page_engine(model("four-bar")).data
    assert len(json.dumps(data)) < 60_000


def test_long_mechanisms_have_the_reason_instead(monkeypatch):
    monkeypatch.setattr("linkwright.viewer.page_engine.MOST_OPERATIONS", 100)
    found = page_engine(model("four-bar"))
    assert found.data is None and "four-bar" in found.reason and "operations" in found.reason
