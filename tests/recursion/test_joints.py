"""Motion of each kind of joint against its definition in SciPy's rotations and homogeneous matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Reference

from linkwright.algebra.transforms import frame_with_z
from linkwright.algebra.vectors import skew
from linkwright.joints import Cylindrical, Fixed, Floating, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism.topology import as_drawn
from linkwright.recursion.force_elements import passive_forces, stored_energy
from linkwright.recursion.poses import pose_of_frame
from linkwright.recursion.twist_recursion import joint_map
from tests.strategies import KINDS, a_share, carried, error, rate, samples, slow

TOLERANCE = 1e-12


def turned(axis, angle):
    return Reference.from_rotvec(angle * np.array(axis)).as_matrix()


def displacement(kind, q):
    """Rotation and shift of the child's joint frame in the parent's, as the records define them."""
    still = np.zeros(3)
    match kind:
        case Fixed():
            return np.eye(3), still
        case Revolute(axis):
            return turned(axis, q[0]), still
        case Prismatic(axis):
            return np.eye(3), q[0] * np.array(axis)
        case Screw(axis, pitch):
            return turned(axis, q[0]), pitch * q[0] * np.array(axis)
        case Cylindrical(axis):
            return turned(axis, q[0]), q[1] * np.array(axis)
        case Universal(first, second):
            return turned(first, q[0]) @ turned(second, q[1]), still
        case Spherical():
            return Reference.from_quat(q, scalar_first=True).as_matrix(), still
        case Planar(normal):
            axes = frame_with_z(normal)
            return turned(normal, q[2]), q[0] * axes[:, 0] + q[1] * axes[:, 1]
        case Floating():
            return Reference.from_quat(q[3:], scalar_first=True).as_matrix(), q[:3]


def homogeneous(R, r):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = R, r
    return out


@a_share(2)
@given(samples())
def test_bodies_stand_where_chains_of_homogeneous_matrices_put_them(s):
    coords = {link.name: link.coords for link in s.tree.links}
    above = {joint.child: joint for joint in s.mech.joints}

    def place(name):
        if name == s.mech.base:
            return np.eye(4)
        j = above[name]
        moved = homogeneous(*displacement(as_drawn(j).kind, s.q[coords[name]]))
        moved = np.linalg.inv(moved) if j.reversed else moved
        back = np.linalg.inv(homogeneous(j.child_at.R, j.child_at.r))
        return place(j.parent) @ homogeneous(j.at.R, j.at.r) @ moved @ back

    for i, link in enumerate(s.tree.links):
        found, expected = pose_of_frame(s.tree, s.q, i, link.body), place(link.name)
        assert error(homogeneous(found.R, found.r), expected) < TOLERANCE


@pytest.mark.parametrize("kind", KINDS)
@a_share(10)
@given(data=st.data())
def test_the_motion_matrix_is_the_rate_of_the_joint_pose(kind, data):
    s = data.draw(samples(allowed=(kind,), max_bodies=1))
    link, v = s.tree.links[0], slow(s.v)

    def joint(h):
        return joint_map(link, carried(s.tree, s.q, v, h), v)

    here = joint(0.0)
    R, t = here.A.R.matrix, here.p @ v
    assert error(R.T @ rate(lambda h: joint(h).A.R.matrix), skew(t[:3])) < 1e-11
    assert error(R.T @ rate(lambda h: joint(h).A.origin), t[3:]) < 1e-11
    assert error(rate(lambda h: joint(h).p), here.p_dot) < 1e-11


@pytest.mark.parametrize("kind", KINDS)
def test_neutral_coordinates_make_the_frames_coincide(kind):
    joint = kind()
    R, r = displacement(joint, np.array(joint.neutral))
    assert np.array_equal(R, np.eye(3)) and np.array_equal(r, np.zeros(3))
    assert len(joint.neutral) == joint.nq


@a_share(2)
@given(samples())
def test_passive_forces_are_springs_and_friction_as_drawn(s):
    expected, energy = np.zeros(s.tree.nv), 0.0
    for link, joint in ((link, j) for link in s.tree.links for j in s.mech.joints if j.name == link.joint):
        v, n = s.v[link.dofs], link.dofs.stop - link.dofs.start
        if joint.spring is not None:
            stretch = s.q[link.coords] - np.array(joint.spring.rest or [0.0] * n)
            expected[link.dofs] += np.array(joint.spring.stiffness) * stretch
            energy += 0.5 * np.array(joint.spring.stiffness) @ stretch**2
        if joint.friction is not None:
            dry = np.array(joint.friction.coulomb) * v / np.hypot(v, joint.friction.slip)
            expected[link.dofs] += np.array(joint.friction.viscous) * v + dry
    for body in (body for body in s.mech.bodies if body.gravity_compensation):
        (i,) = (i for i, link in enumerate(s.tree.links) if link.name == body.name)
        pose = pose_of_frame(s.tree, s.q, i, s.tree.links[i].body)
        center = pose.r + pose.R @ np.array(body.inertia.com)
        energy += body.gravity_compensation * body.inertia.mass * s.tree.gravity @ center
    assert error(passive_forces(s.tree, s.q, s.v), expected) < TOLERANCE
    assert error(stored_energy(s.tree, s.q), energy) < TOLERANCE
