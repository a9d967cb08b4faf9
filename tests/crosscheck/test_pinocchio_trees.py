"""Random trees, built a second time through Pinocchio's API, behave the same."""

import numpy as np
import pytest
from hypothesis import given

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")

from linkwright.recursion.energy import kinetic_energy, potential_energy, tree_center_of_mass, tree_momentum  # noqa: E402
from linkwright.recursion.forward_recursion import composite_forward_dynamics, tree_forward_dynamics  # noqa: E402
from linkwright.recursion.inertia import tree_mass_matrix  # noqa: E402
from linkwright.recursion.inverse_recursion import tree_gravity_forces, tree_inverse_dynamics  # noqa: E402
from linkwright.recursion.poses import jacobian_of_frame, pose_of_frame  # noqa: E402
from tests.crosscheck.peer import peer  # noqa: E402
from tests.strategies import a_share, error, samples  # noqa: E402

TOLERANCE = 1e-10


@a_share(4)
@given(samples(passive=False, backwards=False))
def test_body_poses(s):
    other = peer(s.mech)
    data = other.model.createData()
    pin.forwardKinematics(other.model, data, other.q(s.q))
    for i, link in enumerate(s.tree.links):
        index, pose = other.bodies[link.name]
        ours, theirs = pose_of_frame(s.tree, s.q, i, link.body), data.oMi[index] * pin.SE3(pose.R, pose.r)
        assert error(ours.r, theirs.translation) < TOLERANCE
        assert error(ours.R, theirs.rotation) < TOLERANCE


@a_share(4)
@given(samples(passive=False, backwards=False))
def test_inverse_dynamics_under_outside_wrenches(s):
    other = peer(s.mech)
    T, T_dot = other.velocities(s.q, s.v)
    wrenches = s.wrenches
    forces = [pin.Force.Zero() for _ in range(other.model.njoints)]
    for link, w in zip(s.tree.links, wrenches, strict=True):
        index, pose = other.bodies[link.name]
        at_link = pin.SE3(pose.R, pose.r) * pin.SE3(link.body.R, link.body.r).inverse()
        forces[index] += at_link.act(pin.Force(w[3:], w[:3]))
    stack = pin.StdVec_Force()
    stack.extend(forces)
    data = other.model.createData()
    tau = T.T @ pin.rnea(other.model, data, other.q(s.q), T @ s.v, T @ s.a + T_dot @ s.v, stack)
    assert error(tree_inverse_dynamics(s.tree, s.q, s.v, s.a, wrenches), tau) < TOLERANCE


@a_share(4)
@given(samples(passive=False, backwards=False))
def test_inertia_and_gravity(s):
    other = peer(s.mech)
    T, _ = other.velocities(s.q, s.v)
    data, q = other.model.createData(), other.q(s.q)
    upper = np.triu(pin.crba(other.model, data, q))
    M = upper + np.triu(upper, 1).T
    assert error(tree_mass_matrix(s.tree, s.q), T.T @ M @ T) < TOLERANCE
    gravity = T.T @ pin.computeGeneralizedGravity(other.model, data, q)
    assert error(tree_gravity_forces(s.tree, s.q), gravity) < TOLERANCE


@pytest.mark.parametrize("method", [tree_forward_dynamics, composite_forward_dynamics])
@a_share(4)
@given(s=samples(passive=False, backwards=False))
def test_forward_dynamics(method, s):
    other = peer(s.mech)
    T, T_dot = other.velocities(s.q, s.v)
    tau_pin = np.linalg.solve(T.T, s.a)
    a_pin = pin.aba(other.model, other.model.createData(), other.q(s.q), T @ s.v, tau_pin)
    a = np.linalg.solve(T, a_pin - T_dot @ s.v)
    assert error(method(s.tree, s.q, s.v, s.a), a) < 1e-2 * TOLERANCE * s.condition


@a_share(4)
@given(samples(passive=False, backwards=False))
def test_energy_momentum_and_mass_center(s):
    other = peer(s.mech)
    T, _ = other.velocities(s.q, s.v)
    data, q, v = other.model.createData(), other.q(s.q), T @ s.v
    assert error(kinetic_energy(s.tree, s.q, s.v), pin.computeKineticEnergy(other.model, data, q, v)) < TOLERANCE
    on_base = other.model.inertias[0]
    of_base = -on_base.mass * np.array(s.mech.gravity) @ on_base.lever
    energy = pin.computePotentialEnergy(other.model, data, q) + of_base
    assert error(potential_energy(s.tree, s.q), energy) < TOLERANCE
    h = pin.computeCentroidalMomentum(other.model, data, q, v)
    if other.model.nv == 0 or on_base.mass > 0:
        return
    ours, center = tree_momentum(s.tree, s.q, s.v), tree_center_of_mass(s.tree, s.q)
    assert error(center, data.com[0]) < TOLERANCE
    assert error(ours[3:], h.linear) < TOLERANCE
    assert error(ours[:3] - np.cross(center, ours[3:]), h.angular) < TOLERANCE


@a_share(10)
@given(samples(passive=False, backwards=False))
def test_jacobians(s):
    other = peer(s.mech)
    T, _ = other.velocities(s.q, s.v)
    data, q = other.model.createData(), other.q(s.q)
    pin.computeJointJacobians(other.model, data, q)
    for i, link in enumerate(s.tree.links):
        index, pose = other.bodies[link.name]
        if index == 0:
            continue
        J = pin.getJointJacobian(other.model, data, index, pin.LOCAL_WORLD_ALIGNED).reshape(6, s.tree.nv) @ T
        at_joint = link.body @ pose.inverse
        assert error(jacobian_of_frame(s.tree, s.q, i, at_joint), np.vstack([J[3:], J[:3]])) < TOLERANCE
