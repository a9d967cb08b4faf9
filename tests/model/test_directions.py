"""Public results of a mechanism on different spanning trees, and of joints drawn from child to parent."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats.yaml import from_yaml, to_yaml
from linkwright.joints import Floating, Planar, Spherical, Universal
from linkwright.mechanism.tree import spanning_tree
from tests.laws.test_directions import drawings, random_velocities
from tests.loops.random_mechanisms import interpreted
from tests.recursion.test_joints import turned
from tests.sampling import sample
from tests.strategies import carried, error, random_mechanism, random_state, rate

TOLERANCE = 1e-8


def by_name(names, values):
    return dict(zip(names, values, strict=True))


def same(one, other, names):
    """Largest difference of numbers by name over those that both have."""
    shared = [name for name in one if name in other]
    assert shared and set(shared) <= set(names)
    return error([one[name] for name in shared], [other[name] for name in shared])


@pytest.mark.parametrize("case", [*sample(range(6), 2), "compiled"])
def test_a_model_answers_the_same_on_every_spanning_tree(case):
    with nullcontext() if case == "compiled" else interpreted():
        number = 6 if case == "compiled" else case
        trees = drawings(1, 1, 7000 + 40 * number)[0][:2]
        speeds = random_velocities(trees, number)
        tau = np.random.default_rng(number).normal(size=len(trees[0].drawing.actuators))
        seen = [_answers(w.setup.mech, w.q, v, tau) for w, v in zip(trees, speeds, strict=True)]
    one, other = seen
    for key in ("q", "v", "a"):
        assert same(one[key], other[key], one[key]) < TOLERANCE
    assert one["limits"] == other["limits"]
    assert one["mobility"] == other["mobility"]
    for key in ("energy", "tools", "tau"):
        assert error(one[key], other[key]) < TOLERANCE
    size = max(np.abs(wrench).max() for wrench in one["reactions"].values())
    assert one["reactions"].keys() == other["reactions"].keys()
    for name, wrench in one["reactions"].items():
        assert error(wrench, other["reactions"][name], size) < TOLERANCE
    if set(one["independent"]) == set(other["independent"]):
        order = [other["independent"].index(name) for name in one["independent"]]
        order += [len(order) + i for i in order]
        A, B = other["linear"]
        assert error(A[np.ix_(order, order)], one["linear"][0]) < TOLERANCE
        assert error(B[order], one["linear"][1]) < TOLERANCE


def _answers(mech, q, v, tau):
    """Everything by name."""
    model = lw.build(mech)
    assert error(model.assemble().q, q) < 1e-9  # home
    a = model.forward_dynamics(q, v, tau)
    tools = [f"tool{i}" for i in range(len(mech.bodies))]
    return {
        "q": by_name(model.q_names, q),
        "v": by_name(model.v_names, v),
        "a": by_name(model.v_names, a),
        "limits": sorted(map(str, model.limits_exceeded(q))),
        "mobility": model.mobility,
        "energy": np.array(model.energy(q, v)),
        "tools": np.array(
            [[*np.ravel(model.frame_pose(q, t)[0]), *model.frame_acceleration(q, v, a, t)] for t in tools]
        ),
        "tau": _efforts(model, q, v, a),
        "reactions": model.joint_reactions(q, v, a, tau),
        "independent": tuple(model.independent),
        "linear": model.linearize(q, v, tau),
    }


def _efforts(model, q, v, a):
    """Efforts for a motion; none where the actuators cannot drive it all."""
    try:
        return model.inverse_dynamics(q, v, a)
    except lw.errors.LinkwrightError:
        return np.zeros(0)


UNIVERSAL = """
format: 1
name: gimbal
bodies:
  ring: {mass: 1.0, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.25]}
joints:
  cross: {type: universal, parent: %s, child: %s, first: x, second: [0, 0.8, 0.6], limits: {lower: [-1, -0.2]}}
actuators:
  outer: {joint: cross, dof: first}
home:
  cross: [0.5, -0.3]
"""


def test_a_universal_joint_of_a_file_keeps_its_angles_and_its_actuator():
    """Drawn from ring to ground its first axis is fixed in the ring: a torque about it does not load the second."""
    model = lw.build(from_yaml(UNIVERSAL % ("ring", "ground")))
    q = model.assemble().q
    assert error(q, np.array([0.5, -0.3])) < 1e-12
    (exceeded,) = model.limits_exceeded(q)
    assert (exceeded.subject, exceeded.part, exceeded.limit) == ("cross", "second", -0.2)
    first, second = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.8, 0.6])
    turn = turned(first, q[0]) @ turned(second, q[1])  # ground seen from the ring
    assert error(model.body_poses(q).rotation[0], turn.T) < 1e-12
    J = model.frame_jacobian(q, "ring")[:3]
    assert error(J, -turn.T @ np.array([first, turned(first, q[0]) @ second]).T) < 1e-12
    assert error(model.joint_reactions(q, np.zeros(2), np.zeros(2))["cross"][3:], np.array([0.0, 0.0, -9.81])) < 1e-12
    assert to_yaml(model.mechanism) == to_yaml(from_yaml(to_yaml(model.mechanism)))


@pytest.mark.parametrize("kind", [Universal, Spherical, Planar, Floating])
def test_derivatives_along_a_joint_drawn_from_child_to_parent(kind):
    """The linear model of a tree is the derivative of its accelerations along small motions as drawn."""
    rng = np.random.default_rng(3)
    mech = random_mechanism(rng, [-1, 0], [kind, kind], [False, False], passive=False)
    mech = replace(mech, joints=tuple(replace(joint, reversed=True) for joint in mech.joints))
    tree = spanning_tree(mech)
    q, v, _ = random_state(tree, rng)
    v = 0.3 * v
    with interpreted():
        model = lw.build(mech)
        tau = rng.normal(size=tree.nv)
        A, B = model.linearize(q, v, tau)
        n = tree.nv
        for d, unit in enumerate(np.eye(n)):
            along = rate(lambda h, unit=unit: model.forward_dynamics(carried(tree, q, unit, h), v, tau), 0.005)
            assert error(A[n:, d], along) < 1e-9
            faster = rate(lambda h, unit=unit: model.forward_dynamics(q, v + h * unit, tau), 0.005)
            assert error(A[n:, n + d], faster) < 1e-9
        assert error(B[n:], np.linalg.inv(model.mass_matrix(q))) < 1e-9
