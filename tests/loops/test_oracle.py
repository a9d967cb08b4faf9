"""The oracle itself: textbook mechanisms, conservation of energy and power balance in time, and Pinocchio on trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.loops.oracle.drawing import V_PARTS, pose, read
from tests.loops.oracle.dynamics import Equations
from tests.loops.oracle.rotations import hat, of_quaternion, turn
from tests.loops.random_drawings import Case, random_case

Z = np.array([0.0, 0.0, 1.0])


def test_a_slider_crank_moves_as_lagrange_says():
    """Crank inertia J, massless rod, slider m: (J + m x'^2) theta_ddot + m x' x'' theta_dot^2 = tau."""
    J, m, r, rod, theta, rate, tau = 0.3, 2.0, 0.4, 1.1, 0.7, 1.3, 0.9
    drawing = {
        "gravity": [0.0, 0.0, 0.0],
        "bodies": {
            "crank": {"mass": 1.0, "inertia": [0.0, 0.0, J]},
            "rod": {},
            "slider": {"mass": m, "inertia": [1.0, 1.0, 1.0]},
        },
        "joints": {
            "O": {"type": "revolute", "parent": "ground", "child": "crank"},
            "A": {"type": "revolute", "parent": "crank", "child": "rod", "at": [r, 0.0, 0.0]},
            "B": {"type": "revolute", "parent": "rod", "child": "slider", "at": [rod, 0.0, 0.0]},
            "S": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
        },
        "actuators": {"motor": {"joint": "O"}},
    }
    s, c = np.sin(theta), np.cos(theta)
    root = np.sqrt(rod**2 - r**2 * s**2)
    x = r * c + root
    x1 = -r * s - r**2 * s * c / root
    x2 = -r * c - r**2 * (c**2 - s**2) / root - (r**2 * s * c) ** 2 / root**3
    poses = {
        "crank": (turn(Z, theta), np.zeros(3)),
        "rod": (turn(Z, np.arctan2(-r * s, root)), np.array([r * c, r * s, 0.0])),
        "slider": (np.eye(3), np.array([x, 0.0, 0.0])),
    }
    still = Equations(read(drawing), poses, np.zeros(18))
    assert still.mobility == 1
    direction = still.N[:, 0]
    V = direction * rate / direction[2]
    moving = still.with_velocity(V)
    expected = (tau - m * x1 * x2 * rate**2) / (J + m * x1**2)
    accelerations = moving.accelerations(moving.forward(np.array([tau])))
    assert moving.velocities[[0, 3]] == pytest.approx([rate, x1 * rate], rel=1e-13)
    assert accelerations[[0, 3]] == pytest.approx([expected, x1 * expected + x2 * rate**2], rel=1e-12)
    push = moving.reactions(moving.forward(np.array([tau])), np.array([tau]))["B"][3]
    assert push == pytest.approx(m * accelerations[3], rel=1e-12)


def _rates(system, names, y, tau):
    """Time derivative of poses (12 numbers per body) and velocities."""
    n = len(names)
    poses = {b: (y[12 * i : 12 * i + 9].reshape(3, 3), y[12 * i + 9 : 12 * i + 12]) for i, b in enumerate(names)}
    equations = Equations(system, poses, y[12 * n :])
    out = []
    for i, b in enumerate(names):
        omega, vel = equations.V[6 * i : 6 * i + 3], equations.V[6 * i + 3 : 6 * i + 6]
        R = poses[b][0]
        out += [*(hat(omega) @ R).ravel(), *(vel - np.cross(omega, R @ system.bodies[b].com))]
    return np.array([*out, *equations.forward(tau)]), equations


def _power(equations, tau):
    """Power of drives, friction and the struts' dampers; springs and gravity are energy."""
    s, power = equations.velocities, float(tau @ equations.velocities[equations.system.drives])
    for joint, part in zip(equations.system.joints, equations.system.slices.values()):
        for viscous, coulomb, slip in joint.friction:
            power -= float(s[part] @ (viscous * s[part] + coulomb * s[part] / np.hypot(s[part], slip)))
    undamped = [dict(x) | {"damping": 0.0} for x in equations.system.struts]
    damped = equations._strut_forces @ equations.V
    quiet = Equations(replace(equations.system, struts=tuple(undamped)), equations.poses, equations.V)
    return power + float(damped - quiet._strut_forces @ equations.V)


@pytest.mark.parametrize("seed", range(20))
def test_energy_changes_by_the_power_of_drives_friction_and_dampers(seed):
    """Runge-Kutta steps of the bodies' own poses: nothing but the oracle's accelerations enters."""
    case = random_case(seed, ["wrenches"])
    system, names = case.equations.system, list(case.equations.system.bodies)
    tau = np.random.default_rng(seed).normal(size=len(system.drives))
    V = 0.2 * np.concatenate([case.V[case.equations.index[b] :][:6] for b in names])
    y = np.concatenate([*(np.concatenate([case.poses[b][0].ravel(), case.poses[b][1]]) for b in names), V])
    h, worst, size = 5e-4, 0.0, 0.0
    start = sum(_rates(system, names, y, tau)[1].energy)
    work = 0.0
    for _ in range(6):
        k1, e1 = _rates(system, names, y, tau)
        k2, e2 = _rates(system, names, y + 0.5 * h * k1, tau)
        k3, e3 = _rates(system, names, y + 0.5 * h * k2, tau)
        k4, e4 = _rates(system, names, y + h * k3, tau)
        y = y + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        powers = [_power(e, tau) for e in (e1, e2, e3, e4)]
        work += h / 6.0 * (powers[0] + 2 * powers[1] + 2 * powers[2] + powers[3])
        end = _rates(system, names, y, tau)[1]
        worst = max(worst, abs(sum(end.energy) - start - work))
        size = max(size, abs(end.energy[0]), h * max(map(abs, powers)))
        assert np.abs(end.rows[1] @ end.V).max(initial=0.0) < 1e-7 * (1.0 + np.abs(end.V).max())
    assert worst < 1e-7 * size


def _tree(seed: int):
    """A random tree of kinds that Pinocchio has, with poses from plain kinematics."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "prismatic", "spherical", "floating", "screw"]
    drawing = {"gravity": rng.normal(size=3).tolist(), "bodies": {}, "joints": {}, "actuators": {}}
    poses, coordinates = {}, {}
    for i in range(5):
        parent = "ground" if i == 0 else f"b{int(rng.integers(i))}"
        kind = str(rng.choice(kinds))
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        at, child_at = (
            {"xyz": rng.normal(size=3).tolist(), "quaternion": rng.normal(size=4).tolist()} for _ in range(2)
        )
        root = rng.normal(size=(3, 3))
        tensor = np.trace(root @ root.T) * np.eye(3) - root @ root.T
        drawing["bodies"][f"b{i}"] = {"mass": 1.5, "com": rng.normal(size=3).tolist(), "inertia": tensor.tolist()}
        joint = {"type": kind, "parent": parent, "child": f"b{i}", "at": at, "child_at": child_at}
        if kind in ("revolute", "prismatic", "screw"):
            joint["axis"] = axis.tolist()
        if kind == "screw":
            joint["pitch"] = 0.3
        drawing["joints"][f"j{i}"] = joint
        angle, quaternion, shift = rng.normal(), rng.normal(size=4), rng.normal(size=3)
        quaternion /= np.linalg.norm(quaternion)
        R, r = np.eye(3), np.zeros(3)
        if kind in ("revolute", "screw"):
            R, r = turn(axis, angle), (0.3 * angle * axis if kind == "screw" else r)
        elif kind == "prismatic":
            r = angle * axis
        else:
            R, r = of_quaternion(quaternion), (shift if kind == "floating" else r)
        (Ra, ra), (Rc, rc) = pose(at), pose(child_at)
        Rp, rp = poses.get(parent, (np.eye(3), np.zeros(3)))
        joint_R, joint_r = Rp @ Ra @ R, rp + Rp @ (ra + Ra @ r)
        poses[f"b{i}"] = (joint_R @ Rc.T, joint_r - joint_R @ Rc.T @ rc)
        coordinates[f"j{i}"] = (angle, quaternion, shift, axis)
        for d in range(len(V_PARTS[kind])):
            drawing["actuators"][f"m{i}{d}"] = {"joint": f"j{i}", "dof": d}
    return drawing, poses, coordinates


def _joint_of(pin, kind, angle, quaternion, shift, axis):
    """Pinocchio's joint, its coordinates, and where its velocities stand in the order of ours."""
    xyzw = np.roll(quaternion, -1)
    match kind:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(axis), [angle], [0]
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(axis), [angle], [0]
        case "screw":
            return pin.JointModelHelicalUnaligned(axis, 0.3), [angle], [0]
        case "spherical":
            return pin.JointModelSpherical(), xyzw, [0, 1, 2]
    return pin.JointModelFreeFlyer(), [*shift, *xyzw], [3, 4, 5, 0, 1, 2]


@pytest.mark.parametrize("seed", range(12))
def test_trees_move_as_pinocchio_says(seed):
    pin = pytest.importorskip("pinocchio")
    drawing, poses, coordinates = _tree(seed)
    model, q, order = pin.Model(), [], []
    model.gravity.linear = np.array(drawing["gravity"])
    ids, placed = {"ground": 0}, {"ground": pin.SE3.Identity()}
    for name, joint in drawing["joints"].items():
        made, value, swap = _joint_of(pin, joint["type"], *coordinates[name])
        at = placed[joint["parent"]] * pin.SE3(*pose(joint["at"]))
        ids[joint["child"]] = model.addJoint(ids[joint["parent"]], made, at, name)
        placed[joint["child"]] = pin.SE3(*pose(joint["child_at"])).inverse()
        body = drawing["bodies"][joint["child"]]
        inertia = pin.Inertia(body["mass"], np.array(body["com"]), np.array(body["inertia"]))
        model.appendBodyToJoint(ids[joint["child"]], inertia, placed[joint["child"]])
        order += [len(order) + i for i in swap]
        q += list(value)
    order = np.array(order)  # ours[i] = theirs[order[i]]
    rng = np.random.default_rng(seed + 100)
    still = Equations(read(drawing), poses, np.zeros(30))
    moving = still.with_velocity(still.N @ rng.normal(size=still.mobility))
    tau = rng.normal(size=model.nv)
    v, force = np.zeros(model.nv), np.zeros(model.nv)
    v[order], force[order] = moving.velocities, tau
    theirs = pin.aba(model, model.createData(), np.array(q), v, force)[order]
    ours = moving.accelerations(moving.forward(tau))
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * np.abs(theirs).max())
    data = model.createData()
    pin.computeAllTerms(model, data, np.array(q), v)
    assert moving.energy[0] == pytest.approx(pin.computeKineticEnergy(model, data, np.array(q), v), rel=1e-11)


@pytest.mark.parametrize("seed", range(30))
def test_drawn_mechanisms_close_and_their_coordinates_are_those_of_the_poses(seed):
    case: Case = random_case(seed)
    equations = case.equations
    assert np.abs(equations.rows[1] @ equations.V).max(initial=0.0) < 1e-12
    kinds = {joint.name: joint.kind for joint in equations.system.joints}
    for name, expected in case.coordinates.items():
        found = equations.coordinates[name].copy()
        if kinds[name] in ("spherical", "floating") and found[-4:] @ expected[-4:] < 0:
            found[-4:] *= -1.0
        assert found == pytest.approx(np.array(expected), abs=1e-12)
