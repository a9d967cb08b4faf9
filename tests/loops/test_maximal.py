"""The general engine agrees with a maximal-coordinate solver that shares no code with it."""

import numpy as np
import pytest

from tests.loops import maximal, worlds
from tests.loops.cases import ask
from tests.loops.mechanisms import NAMES, closed_states, mechanics

STATES = 3


def efforts(mech, tau):
    return dict(zip((actuator.joint for actuator in mech.actuators), tau))


@pytest.mark.parametrize("name", NAMES)
def test_bodies_stand_where_plain_kinematics_puts_them(name):
    made = mechanics(name)
    for q, v, _ in closed_states(name, STATES):
        world = worlds.bodies(made.setup.mech, q, v)
        expected = [np.concatenate([world[b].r, world[b].R.ravel()]) for b in made.setup.mech.names]
        assert ask(made.all_rows, "body_poses", q[None])[0] == pytest.approx(np.array(expected), abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_forward_dynamics_is_that_of_newton_and_euler(name):
    made = mechanics(name)
    mech, program = made.setup.mech, "loop_forward_dynamics"
    for q, v, tau in closed_states(name, STATES):
        a = ask(made.kernels, program, q[None], v[None], tau[None])[0][0]
        ours, theirs = (
            worlds.bodies(mech, q, v, a),
            maximal.forward_dynamics(mech, worlds.bodies(mech, q, v), efforts(mech, tau)),
        )
        for part in (slice(0, 3), slice(3, 6)):
            one = np.array([ours[b].motion[part] for b in mech.names])
            other = np.array([theirs.motion[b][part] for b in mech.names])
            assert np.abs(one - other).max() < 1e-8 * max(1.0, np.abs(other).max())


@pytest.mark.parametrize("name", ["3-rps", "gough-stewart", "hexam", "hexaglide", "linapod", "delta"])
def test_reactions_are_those_of_newton_and_euler(name):
    """Where no constraint is redundant every joint's wrench is unique."""
    made = mechanics(name)
    assert not made.rank.redundant
    mech, kernels = made.setup.mech, made.kernels
    q, v, tau = (x[None] for x in closed_states(name, 1)[0])
    a, lam, _ = ask(kernels, "loop_forward_dynamics", q, v, tau)
    tree, cut = ask(kernels, "loop_joint_wrenches", q, v, a, tau, lam)
    world = worlds.bodies(mech, q[0], v[0])
    theirs = maximal.forward_dynamics(mech, world, efforts(mech, tau[0])).reactions
    on_child = {j.child: j for j in mech.joints}
    joints = [*(on_child[b] for b in mech.names), *mech.loops]
    size = max(np.abs(w).max() for w in theirs.values())
    for joint, wrench in zip(joints, [*tree[0], *cut[0]], strict=True):
        R = world[joint.child].R
        turned = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        assert turned == pytest.approx(theirs[joint.name], abs=1e-9 * size)
