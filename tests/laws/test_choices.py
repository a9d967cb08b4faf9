"""Free choices of the user, and the library's own, do not show in the results."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import join_twist
from linkwright.forces import Friction
from linkwright.joints import Cylindrical, Prismatic, Revolute, Screw
from linkwright.mechanism import Actuator, Inertia
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import coordinate_slices, group_inertial_parameters, spanning_tree
from linkwright.recursion.energy import kinetic_energy, potential_energy, tree_momentum
from linkwright.recursion.inertia import tree_convective_matrix, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_gravity_forces, tree_inverse_dynamics
from linkwright.recursion.poses import pose_of_frame
from tests.strategies import a_share, error, random_pose, samples

TOLERANCE = 1e-10


def assert_same_dynamics(tree, other, q, v, a):
    """Forces, inertia, convection and kinetic energy agree."""
    assert error(tree_inverse_dynamics(other, q, v, a), tree_inverse_dynamics(tree, q, v, a)) < TOLERANCE
    assert error(tree_mass_matrix(other, q), tree_mass_matrix(tree, q)) < TOLERANCE
    assert error(tree_gravity_forces(other, q), tree_gravity_forces(tree, q)) < TOLERANCE
    assert error(kinetic_energy(other, q, v), kinetic_energy(tree, q, v)) < TOLERANCE
    C, C_other = tree_convective_matrix(tree, q, v), tree_convective_matrix(other, q, v)
    assert error(C_other @ v, C @ v, float(np.abs(C).max(initial=1.0))) < TOLERANCE


def body_poses_of(tree, q):
    """World poses of the user's body frames."""
    return {link.name: pose_of_frame(tree, q, i, link.body) for i, link in enumerate(tree.links)}


@a_share(3)
@given(samples())
def test_where_the_mechanism_stands_does_not_matter(s):
    X = random_pose(s.rng)
    joints = [replace(j, at=X @ j.at) if j.parent == s.mech.base else j for j in s.mech.joints]
    moved = spanning_tree(replace(s.mech, joints=tuple(joints), gravity=tuple(X.R @ s.tree.gravity)))
    assert_same_dynamics(s.tree, moved, s.q, s.v, s.a)
    here, there = body_poses_of(s.tree, s.q), body_poses_of(moved, s.q)
    for name in s.mech.names:
        assert error(there[name].r, X.r + X.R @ here[name].r) < TOLERANCE
        assert error(there[name].R, X.R @ here[name].R) < TOLERANCE


@a_share(3)
@given(samples())
def test_armature_is_the_rotor_of_an_actuator(s):
    """Inertia along a velocity is the same whether the joint carries it or a actuator with a gear."""
    still = replace(s.mech, joints=tuple(replace(joint, armature=()) for joint in s.mech.joints))
    rotors = tuple(
        Actuator(f"{joint.name}-armature{d}", joint.name, d, gear=2.0, rotor_inertia=x / 4.0)
        for joint in s.mech.joints
        for d, x in enumerate(joint.armature)
    )
    other = spanning_tree(replace(still, actuators=(*still.actuators, *rotors)))
    assert_same_dynamics(s.tree, other, s.q, s.v, s.a)
    added = np.zeros(s.tree.nv)
    for joint in s.mech.joints:
        added[coordinate_slices(s.mech.joints)[joint.name][1]] = joint.armature or 0.0
    bare = tree_mass_matrix(spanning_tree(still), s.q)
    assert error(tree_mass_matrix(s.tree, s.q), bare + np.diag(added)) < TOLERANCE


@a_share(3)
@given(samples())
def test_friction_of_an_actuator_adds_to_that_of_its_joint(s):
    """Each keeps its own slip velocity, also where one of them is viscous only."""
    smooth = replace(s.mech, joints=tuple(replace(joint, friction=None) for joint in s.mech.joints), actuators=())
    rubbing = tuple(
        Actuator(f"{joint.name}-{d}", joint.name, d, friction=Friction((0.3,), (0.8,) if d % 2 == 0 else (), slip=0.2))
        for joint in s.mech.joints
        for d in range(len(joint.kind.v_parts))
    )

    def forces(mech):
        return tree_inverse_dynamics(spanning_tree(mech), s.q, s.v, s.a)

    both, own = replace(s.mech, actuators=rubbing), replace(s.mech, actuators=())
    added = forces(own) + forces(replace(smooth, actuators=rubbing)) - forces(smooth)
    assert error(forces(both), added) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_order_of_bodies_does_not_matter(s):
    bodies = [s.mech.bodies[i] for i in s.rng.permutation(len(s.mech.bodies))]
    other = spanning_tree(replace(s.mech, bodies=tuple(bodies)))
    assert_same_dynamics(s.tree, other, s.q, s.v, s.a)
    assert error(tree_momentum(other, s.q, s.v), tree_momentum(s.tree, s.q, s.v)) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_order_of_joints_only_sorts_the_coordinates(s):
    joints = tuple(s.mech.joints[i] for i in s.rng.permutation(len(s.mech.joints)))
    other = spanning_tree(replace(s.mech, joints=joints))
    old = coordinate_slices(s.mech.joints)
    q = np.concatenate([s.q[old[j.name][0]] for j in joints])
    speeds = np.concatenate([np.arange(s.tree.nv)[old[j.name][1]] for j in joints]).astype(int)
    tau = tree_inverse_dynamics(s.tree, s.q, s.v, s.a)[speeds]
    assert error(tree_inverse_dynamics(other, q, s.v[speeds], s.a[speeds]), tau) < TOLERANCE
    inertia = tree_mass_matrix(s.tree, s.q)[np.ix_(speeds, speeds)]
    assert error(tree_mass_matrix(other, q), inertia) < TOLERANCE


@a_share(3)
@given(samples())
def test_where_the_user_puts_a_body_frame_does_not_matter(s):
    body, X = s.mech.bodies[0], random_pose(s.rng)
    mech = with_body_frame(s.mech, body, X)
    other = spanning_tree(mech)
    assert_same_dynamics(s.tree, other, s.q, s.v, s.a)
    old, new = body_poses_of(s.tree, s.q)[body.name], body_poses_of(other, s.q)[body.name]
    assert error(new.r, old.r + old.R @ X.r) < TOLERANCE
    assert error(new.R, old.R @ X.R) < TOLERANCE


def with_body_frame(mech, body, X):
    """The same mechanism with one body's frame moved to X, seen from the old one."""
    back = X.inverse
    com = back.r + back.R @ np.array(body.inertia.com)
    tensor = back.R @ np.array(body.inertia.tensor) @ back.R.T
    inertia = Inertia(body.inertia.mass, tuple(com), tuple(map(tuple, tensor)))
    bodies = tuple(replace(b, inertia=inertia) if b is body else b for b in mech.bodies)
    joints = []
    for j in mech.joints:
        j = replace(j, at=back @ j.at) if j.parent == body.name else j
        joints.append(replace(j, child_at=back @ j.child_at) if j.child == body.name else j)
    return replace(mech, bodies=bodies, joints=tuple(joints))


@a_share(3)
@given(samples(allowed=(Revolute, Prismatic, Screw, Cylindrical)))
def test_where_a_joint_frame_sits_on_its_axis_does_not_matter(s):
    joint, rng = s.mech.joints[0], s.rng
    turned = random_pose(rng).R
    axis = tuple(turned.T @ np.array(joint.kind.axis))
    Y = RigidTransform.of(rng.normal() * np.array(joint.kind.axis), turned)
    moved = replace(joint, kind=replace(joint.kind, axis=axis), at=joint.at @ Y, child_at=joint.child_at @ Y)
    other = spanning_tree(replace(s.mech, joints=(moved, *s.mech.joints[1:])))
    assert_same_dynamics(s.tree, other, s.q, s.v, s.a)


@pytest.mark.parametrize(
    "rewrite",
    [
        group_inertial_parameters,
        align_link_frames,
        lambda tree: group_inertial_parameters(align_link_frames(tree)),
        lambda tree: align_link_frames(group_inertial_parameters(tree)),
    ],
)
@a_share(3)
@given(s=samples())
def test_grouping_and_alignment_change_no_force_and_no_energy(rewrite, s):
    other = rewrite(s.tree)
    assert_same_dynamics(s.tree, other, s.q, s.v, s.a)


@a_share(3)
@given(samples())
def test_grouping_moves_masses_and_changes_the_potential_by_a_constant_at_most(s):
    other, rest = group_inertial_parameters(s.tree), np.array(s.q)
    for link in s.tree.links:
        if link.coords.stop - link.coords.start == link.dofs.stop - link.dofs.start:
            rest[link.coords] = 0.0
    change = potential_energy(other, s.q) - potential_energy(other, rest)
    assert error(change, potential_energy(s.tree, s.q) - potential_energy(s.tree, rest)) < TOLERANCE


@a_share(3)
@given(samples())
def test_alignment_keeps_the_bodies_in_place(s):
    here, there = body_poses_of(s.tree, s.q), body_poses_of(align_link_frames(s.tree), s.q)
    for name in s.mech.names:
        assert error(there[name].r, here[name].r) < TOLERANCE
        assert error(there[name].R, here[name].R) < TOLERANCE


@a_share(3)
@given(samples())
def test_alignment_keeps_outside_wrenches_on_body_frames(s):
    other, w = align_link_frames(s.tree), s.wrenches
    forces = [tree_inverse_dynamics(tree, s.q, s.v, s.a, wrenches_on_links(tree, w)) for tree in (s.tree, other)]
    assert error(forces[1], forces[0]) < TOLERANCE


def wrenches_on_links(tree, w_bodies):
    """Wrenches given in the users' body frames, brought to the link frames."""
    out = []
    for link, w in zip(tree.links, w_bodies, strict=True):
        force = link.body.R @ w[3:]
        out.append(join_twist(link.body.R @ w[:3] + np.cross(link.body.r, force), force))
    return out
