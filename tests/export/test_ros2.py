"""The relay for ROS 2 closes the loops by itself, and its URDF moves like the mechanism; ROS is not needed."""

import importlib.util
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra import rotations
from linkwright.errors import MechanismError
from tests.export.learners import model, states

NAMES = ["five-bar", "gough-stewart", "delta", "stanford-arm"]


def relay_of(made, folder):
    made.write(folder)
    spec = importlib.util.spec_from_file_location(f"{made.name}_relay", folder / f"{made.name}_relay.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mass_centers(made, q):
    """World positions of the mass centers of all bodies with mass, by name."""
    xyz, wxyz = made.body_poses(q)
    coms = {body.name: body.inertia.com for body in made.mechanism.bodies if body.inertia.mass}
    index = {name: i for i, name in enumerate(made.bodies)}
    return {n: xyz[index[n]] + rotations.rotation_matrix(wxyz[index[n]]) @ np.array(c) for n, c in coms.items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_relay_closes_the_loops_and_the_urdf_follows(name, tmp_path):
    own, s = model(name), states(name)
    made = lw.export.ros2_relay(own)
    module = relay_of(made, tmp_path)
    relay = module.Relay()
    for i in range(3):
        assert relay.update(own.actuated, s["q_act"][i], s["v_act"][i]) == module.OK
        assert np.abs(np.array(relay.q) - s["q"][i]).max() < 1e-9
        assert np.abs(np.array(relay.v) - s["v"][i]).max() < 1e-9 * max(1.0, np.abs(s["v"][i]).max())
    drawn = lw.build(lw.load(tmp_path / f"{made.name}.urdf"))
    positions, velocities = relay.joints()
    assert set(drawn.q_names) == set(made.joints) == set(module.JOINTS)
    value = dict(zip(module.JOINTS, positions, strict=True))
    found = mass_centers(drawn, np.array([value[joint] for joint in drawn.q_names]))
    for body, expected in mass_centers(own, s["q"][2]).items():
        assert np.abs(found[body] - expected).max() < 1e-9
    h = 1e-6
    ends = [
        module.joint_values(own.integrate(s["q"][2], s["v"][2], x).tolist(), s["v"][2].tolist())[0] for x in (h, -h)
    ]
    numeric = (np.array(ends[0]) - np.array(ends[1])) / (2 * h)
    assert np.abs(numeric - velocities).max() < 1e-6 * max(1.0, np.abs(numeric).max())


def test_messages_may_name_joints_leave_some_out_and_count_turns(tmp_path):
    module = relay_of(lw.export.ros2_relay(model("five-bar"), name="arm"), tmp_path)
    relay, (first, second) = module.Relay(), states("five-bar")["q_act"][0]
    assert relay.update(["gripper", "motor1"], [1.0, first]) == module.OK
    assert relay.update(["theta2"], [second + 4.0 * math.pi]) == module.OK
    expected = model("five-bar").forward_kinematics([first, second])[0]
    assert np.abs(np.array(relay.q) - expected).max() < 1e-9


def test_a_state_that_cannot_be_reached_is_kept_and_the_reason_returned(tmp_path):
    module = relay_of(lw.export.ros2_relay(model("gough-stewart")), tmp_path)
    relay, names = module.Relay(), model("gough-stewart").actuated
    before = list(relay.q)
    assert relay.update([names[0]], [25.0]) in (module.NOT_CONVERGED, module.ILL_CONDITIONED, module.BRANCH_LOST)
    assert relay.update([names[0]], [math.nan]) == module.NOT_FINITE
    assert relay.update(["nobody"], [1.0]) == module.UNKNOWN
    assert relay.q == before


def test_the_node_needs_neither_numpy_nor_linkwright_and_the_urdf_only_simple_joints():
    made = lw.export.ros2_relay(model("gough-stewart"))
    text = made.files["gough_stewart_relay.py"]
    assert [line for line in text.splitlines() if line.startswith(("import", "from"))] == [
        "import bisect",
        "import math",
    ]
    kinds = {
        joint.get("type")
        for joint in ET.fromstring(made.files["gough_stewart.urdf"]).iter("joint")
        if joint.get("type")
    }
    assert kinds <= {"revolute", "continuous", "prismatic", "fixed"}


def test_too_few_actuators_are_refused():
    with pytest.raises(MechanismError, match="one actuator for each freedom"):
        lw.export.ros2_relay(lw.build(lw.catalog.load("five-bar"), ["theta1"]))
