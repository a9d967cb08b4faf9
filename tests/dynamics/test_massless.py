"""Kinematics uses no masses, and efforts use only those that are there."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis.check.check import check
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import MechanismError
from linkwright.mechanism import Inertia
from linkwright.viewer.page import mechanism_page
from tests.sampling import sample

NAMES = ["3-rrr", "five-bar", "slider-crank", "bricard", "3-rps", "gough-stewart"]


def weightless(mech, *heavy: str):
    """The mechanism with all bodies massless but the heavy ones; no rotors, springs or friction."""
    bodies = [body if body.name in heavy else replace(body, inertia=Inertia()) for body in mech.bodies]
    joints = [replace(j, spring=None, friction=None, armature=()) for j in (*mech.joints, *mech.loops)]
    actuators = [replace(a, rotor_inertia=0.0) for a in mech.actuators]
    count = len(mech.joints)
    return replace(
        mech,
        bodies=tuple(bodies),
        joints=tuple(joints[:count]),
        loops=tuple(joints[count:]),
        actuators=tuple(actuators),
    )


def pair(name: str):
    mech = lw.catalog.load(name)
    return lw.build(mech), lw.build(weightless(mech))


def moving(model, n: int = 5):
    """Closed states with accelerations near home, (n, nq), (n, nv), (n, nv)."""
    rng = np.random.default_rng(7)
    q = model.assemble().q
    near = [model.v_names.index(name) for name in model.independent]
    at = model.forward_kinematics(q[_actuator_indices(model)] + 0.02 * rng.normal(size=(n, model.na)), near=q)[0]
    v_ind, a_ind = rng.normal(size=(2, n, len(near)))
    return at, *complete_independent_motion(model.kinematics, at, v_ind, a_ind)


def _actuator_indices(model):
    return [model.q_names.index(model.mechanism.actuators[i].joint) for i in range(model.na)]


@pytest.mark.parametrize("name", NAMES)
def test_kinematics_is_that_of_the_heavy_mechanism(name):
    heavy, light = pair(name)
    assert light.mobility == heavy.mobility
    assert light.independent == heavy.independent
    assert np.array_equal(light.assemble().q, heavy.assemble().q)
    q = moving(light)[0]
    assert np.array_equal(q, moving(heavy)[0])
    assert np.abs(light.independent_map(q) - heavy.independent_map(q)).max() < 1e-9
    near, other = light.singularity(q[0]), heavy.singularity(q[0])
    kinds = [(x.type1, x.type2, x.constraint) for x in (near, other)]
    assert np.array_equal(*kinds, equal_nan=True)
    path = q[:2][:, _actuator_indices(light)]
    assert np.allclose(light.follow(path, q[0]), q[:2], atol=1e-9)
    if light.mechanism.platform:
        free = ("rz", "x", "y") if name == "3-rrr" else ("rx", "ry", "z") if name == "3-rps" else None
        pose = light.frame_pose(q[1], light.mechanism.platform)
        assert np.allclose(light.inverse_kinematics(pose, near=q[1], components=free)[0], q[1], atol=1e-8)


def test_modes_are_those_of_the_heavy_mechanism():
    heavy, light = pair("3-rrr")
    q_act = heavy.assemble().q[_actuator_indices(heavy)]
    assert [c.branch for c in light.assembly_modes(q_act, 64)] == [c.branch for c in heavy.assembly_modes(q_act, 64)]


@pytest.mark.parametrize("name", sample(["3-rrr", "five-bar", "slider-crank", "3-rps"], ("five-bar", "3-rps")))
def test_efforts_are_the_sum_over_the_bodies(name):
    mech = weightless(lw.catalog.load(name), *lw.catalog.load(name).names)
    whole = lw.build(mech)
    state = moving(whole)
    alone = [lw.build(weightless(mech, body)).inverse_dynamics(*state) for body in mech.names]
    tau = whole.inverse_dynamics(*state)
    assert np.abs(sum(alone) - tau).max() < 1e-10 * np.abs(tau).max()


@pytest.mark.parametrize("name", ["3-rrr", "five-bar", "gough-stewart"])
def test_massless_efforts_are_the_statics_of_outer_wrenches(name):
    model = pair(name)[1]
    q, v, a = moving(model)
    assert np.abs(model.inverse_dynamics(q, v, a)).max() < 1e-280
    body = model.bodies[-1]
    w = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])
    tau = model.inverse_dynamics(q, v, a, w_ext={body: w})
    R = model.independent_map(q)
    J = model.frame_jacobian(q, body)
    turned = model.frame_pose(q, body).rotation
    world = np.concatenate([turned @ w[:3], turned @ w[3:]], axis=1)
    power = (np.swapaxes(J @ R, 1, 2) @ world[:, :, None])[:, :, 0]
    order = [model.v_names.index(n) for n in model.independent]
    driven = [model.v_names.index(model.mechanism.actuators[i].joint) for i in range(model.na)]
    assert sorted(order) == sorted(driven)
    assert np.allclose(tau[:, [driven.index(i) for i in order]], -power, atol=1e-9 * np.abs(power).max())


@pytest.mark.parametrize("name", sample(["3-rrr", "gough-stewart"], ("3-rrr",)))
def test_massless_reactions_are_those_of_heavy_bodies_at_rest_without_gravity(name):
    mech = replace(weightless(lw.catalog.load(name), *lw.catalog.load(name).names), gravity=(0.0, 0.0, 0.0))
    heavy, light = lw.build(mech), lw.build(weightless(mech))
    q = moving(light, 2)[0]
    still, w = np.zeros((2, light.nv)), {light.bodies[-1]: np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])}
    one, other = (model.joint_reactions(q, still, still, w_ext=w) for model in (light, heavy))
    for joint, wrench in one.items():
        assert np.allclose(wrench, other[joint], atol=1e-9 * max(np.abs(x).max() for x in one.values()))


def test_accelerations_without_mass_are_refused_by_the_motion():
    model = pair("five-bar")[1]
    q = model.assemble().q
    with pytest.raises(MechanismError, match="can move without moving any mass: joints '"):
        model.forward_dynamics(q, np.zeros(model.nv), np.zeros(model.na))
    with pytest.raises(MechanismError, match="can move without moving any mass"):
        model.forward_dynamics(q, np.zeros(model.nv), np.zeros(model.na), formulation=lw.Minimal())
    with pytest.raises(MechanismError, match="can move without moving any mass"):
        model.linearize(q, np.zeros(model.nv), np.zeros(model.na))


def test_a_massless_mechanism_is_checked_and_shown():
    mech = weightless(lw.catalog.load("3-rrr"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = check(mech)
    assert found.mobility == 3
    assert found.actuation.verdict == "exact"
    assert "3-rrr" in mechanism_page(lw.build(mech))
