"""Efforts of walking robots: the base carries none and its acceleration follows, with Pinocchio's matrices."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")

import linkwright as lw  # noqa: E402
from linkwright.joints import Fixed, Floating  # noqa: E402
from linkwright.mechanism import Body, Inertia, Joint, Mechanism  # noqa: E402
from tests.crosscheck.peer import peer  # noqa: E402

FILES = {
    "solo12": "solo_description/robots/solo12.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
}
ROBOTS = Path(os.path.dirname(os.path.dirname(np.__file__)), "cmeel.prefix/share/example-robot-data/robots")


def floating(name: str) -> Mechanism:
    """A robot of a file with its root link made a body that floats; no friction, springs or rotors."""
    path = ROBOTS / FILES[name]
    if not path.exists():
        pytest.skip("the pip package example-robot-data is not installed")
    mech = lw.load(path)
    trunk = Body(mech.base, Inertia.diagonal(3.0, (0.02, 0.0, 0.01), (0.03, 0.1, 0.12)))
    root = Joint("root", "world", mech.base, Floating())
    joints = [replace(joint, friction=None, spring=None, armature=()) for joint in mech.joints]
    return replace(
        mech, bodies=(trunk, *mech.bodies), joints=(root, *joints), base="world", actuators=(), home=(), platform=None
    )


@pytest.mark.filterwarnings("ignore::linkwright.errors.MotionWarning", "ignore::linkwright.errors.FormatWarning")
@pytest.mark.parametrize("name", FILES)
def test_the_base_of_a_quadruped_follows(name):
    mech = floating(name)
    driven = [joint.name for joint in mech.joints[1:] if not isinstance(joint.kind, Fixed)]
    model, other = lw.build(mech, actuated=driven), peer(mech)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = np.concatenate([rng.normal(size=3), _unit(rng), rng.uniform(-1, 1, size=model.nq - 7)])
        v, a = rng.normal(size=(2, model.nv))
        T, T_dot = other.velocities(q, v)
        data, q_pin = other.model.createData(), other.q(q)
        M = pin.crba(other.model, data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(other.model, data, q_pin, T @ v)
        a_pin = T @ a + T_dot @ v
        base, legs = slice(0, 6), slice(6, None)
        a_pin[base] = np.linalg.solve(M[base, base], -(M[base, legs] @ a_pin[legs] + h[base]))
        right = T.T @ (M @ a_pin + h)
        assert np.abs(right[:6]).max() < 1e-10 * np.abs(right).max()
        tau = model.inverse_dynamics(q, v, a)
        indices = [model.v_names.index(joint) for joint in driven]
        assert np.abs(tau - right[indices]).max() < 1e-10 * np.abs(right).max()


def _unit(rng) -> np.ndarray:
    x = rng.normal(size=4)
    return x / np.linalg.norm(x)
