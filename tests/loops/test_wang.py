"""Wang, Gosselin, Cheng 2001: the four-bar linkage and the Gough-Stewart platform, the limit of stiff springs."""

import numpy as np
import pytest

from linkwright.algebra.transforms import RigidTransform
from tests.loops import worlds
from tests.loops.cases import ask, case, completed, cut_forces, efforts, turn
from tests.loops.mechanisms import mechanics


def test_four_bar_accelerations_and_pin_force():
    data, made = case("fourbar_rigid_exact"), mechanics("four-bar")
    theta, alpha, phi, *rates = np.array(data["expected"]).T
    v = np.stack([rates[0], rates[1] - rates[0], rates[2]], axis=-1)
    expected = np.stack([rates[3], rates[4] - rates[3], rates[5]], axis=-1)
    q, tau = np.stack([theta, alpha - theta, phi], axis=-1), np.full((len(theta), 1), data["inputs"]["tau"])
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    assert np.abs(a - expected).max() < data["tolerances"]["acc"]
    pin = (turn(phi) @ cut_forces(made, q, v, a, tau)[:, 0, :, None])[:, :2, 0]
    assert np.abs(pin - data["f_B"]).max() < data["tolerances"]["f_B"]
    assert np.abs(efforts(made, q, v, a) - tau).max() < 1e-10


def test_four_bar_energy_is_the_papers():
    data, made = case("fourbar_rigid_exact"), mechanics("four-bar")
    theta, alpha, phi, *rates = np.array(data["expected"]).T
    q, v = np.stack([theta, alpha - theta, phi], axis=-1), np.stack([rates[0], rates[1] - rates[0], rates[2]], axis=-1)
    assert np.abs(ask(made.all_rows, "energy", q, v).sum(axis=1) - data["energy"]).max() < 1e-8


def zyz(angles):
    a, b, c = np.asarray(angles).T
    o, i = np.zeros_like(b), np.ones_like(b)
    about_y = np.moveaxis(np.array([[np.cos(b), o, np.sin(b)], [o, i, o], [-np.sin(b), o, np.cos(b)]]), -1, 0)
    return turn(a) @ about_y @ turn(c)


def legs_and_platform(p, R, data):
    """q of the mechanism with the legs where the platform needs them: rho, alpha, beta in closed form."""
    model = data["model"]
    d = p[:, None, :] + np.array(model["P_platform"]) @ R.transpose(0, 2, 1) - np.array(model["O"])
    rho, alpha = np.linalg.norm(d, axis=2), np.arctan2(d[..., 1], d[..., 0])
    beta = np.arctan2(np.hypot(d[..., 0], d[..., 1]), d[..., 2])
    quaternion = np.array([RigidTransform.of(matrix=one).wxyz for one in R])
    hooke = np.stack([alpha, beta], axis=-1).reshape(len(p), 12)
    return np.hstack([p, quaternion, hooke, rho]), rho, alpha, beta


def in_body(R, x):
    return (R.transpose(0, 2, 1) @ np.asarray(x)[:, :, None])[:, :, 0]


@pytest.fixture(scope="module")
def inverse():
    """The prescribed platform motion of the inverse case with every joint's coordinate, speed and acceleration."""
    data, made = case("stewart_inverse"), mechanics("gough-stewart")
    pose, rate, second = (np.array(data[k]) for k in ("pose", "pose_dot", "pose_ddot"))
    R = zyz(pose[:, 3:])
    q, *legs = legs_and_platform(pose[:, :3], R, data)
    omega, alpha = in_body(R, data["omega"]), in_body(R, data["omega_dot"])
    vel = in_body(R, rate[:, :3])
    acc = in_body(R, second[:, :3]) - np.cross(omega, vel)
    v, a = completed(made, q, list(range(6)), np.hstack([omega, vel]), np.hstack([alpha, acc]))
    return q, v, a, R, legs


def test_stewart_legs_close(inverse):
    data, (q, _, _, _, legs) = case("stewart_inverse"), inverse
    for ours, name in zip(legs, ("rho", "alpha", "beta")):
        assert np.abs(ours - data[name]).max() < data["tolerances"]["kin"]
    assert np.abs(ask(mechanics("gough-stewart").all_rows, "closure_residual", q)).max() < 1e-14


def test_stewart_leg_forces(inverse):
    data, (q, v, a, _, _) = case("stewart_inverse"), inverse
    tau = efforts(mechanics("gough-stewart"), q, v, a)
    assert np.abs(tau - data["tau"]).max() < data["tolerances"]["tau"]


def test_stewart_ball_joint_forces(inverse):
    data, (q, v, a, R, _) = case("stewart_inverse"), inverse
    forces = cut_forces(mechanics("gough-stewart"), q, v, a, np.array(data["tau"])) @ R.transpose(0, 2, 1)
    assert np.abs(forces - data["f_spherical_on_platform"]).max() < data["tolerances"]["f"]


def test_stewart_platform_accelerations_under_the_printed_forces():
    data, made = case("stewart_forward_g98"), mechanics("gough-stewart")
    rows = np.array(data["expected"])
    R = np.array([RigidTransform.from_quaternion((0, 0, 0), x).R for x in rows[:, 3:7]])
    q = legs_and_platform(rows[:, :3], R, data)[0]
    known = np.hstack([in_body(R, rows[:, 10:13]), in_body(R, rows[:, 7:10])])
    v, _ = completed(made, q, list(range(6)), known, np.zeros((len(q), 6)))
    tau = np.repeat(9.0 * np.sin(np.pi * np.array(data["t"]))[:, None], 6, axis=1)
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    motion = np.array([worlds.bodies(made.setup.mech, *x)["platform"].motion for x in zip(q, v, a)])
    expected = np.array(data["acc_v_w"])
    assert np.abs(motion[:, 3:] - expected[:, :3]).max() < data["tolerances"]["acc"]
    assert np.abs(motion[:, :3] - expected[:, 3:]).max() < data["tolerances"]["acc"]
    forces = cut_forces(made, q, v, a, tau) @ R.transpose(0, 2, 1)
    assert np.abs(forces - data["f_spherical_on_platform"]).max() < data["tolerances"]["acc"]
    assert np.abs(ask(made.all_rows, "energy", q, v).sum(axis=1) - data["energy"]).max() < 1e-6
