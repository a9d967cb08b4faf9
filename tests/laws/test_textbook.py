"""Mechanisms every textbook solves by hand."""

import numpy as np
import pytest

from linkwright.algebra.rotations import axis_rotation
from linkwright.formats import dh
from linkwright.joints import Floating, Revolute, Screw, Spherical
from linkwright.mechanism import Body, Inertia, Joint, Mechanism
from linkwright.mechanism.tree import spanning_tree
from linkwright.recursion.energy import kinetic_energy, potential_energy
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_gravity_forces, tree_inverse_dynamics
from linkwright.recursion.poses import pose_of_frame
from tests.strategies import error

TOLERANCE = 1e-12
RANDOM = [np.random.default_rng(seed).normal(size=(3, 2)) for seed in range(20)]

# planar two-link arm: lengths, distances to the mass centers, masses, central inertias about the normal, gravity
a1, a2, c1, c2, m1, m2, J1, J2, g = 0.5, 0.4, 0.2, 0.3, 2.0, 1.5, 0.06, 0.03, 9.81


def two_link_arm():
    links = [
        dh.Row(a=a, inertia=Inertia.diagonal(m, (c - a, 0.0, 0.0), (J, J, J)))
        for a, c, m, J in ((a1, c1, m1, J1), (a2, c2, m2, J2))
    ]
    return spanning_tree(dh.arm_from_standard_dh(links, gravity=(0.0, -g, 0.0)))


@pytest.mark.parametrize("state", RANDOM)
def test_the_two_link_arm_by_hand(state):
    q, v, a = state
    cos1, cos12 = np.cos(q[0]), np.cos(q[0] + q[1])
    k = m2 * a1 * c2 * np.cos(q[1])
    i22 = J2 + m2 * c2**2
    i12 = i22 + k
    i11 = J1 + m1 * c1**2 + m2 * a1**2 + i12 + k
    b = m2 * a1 * c2 * np.sin(q[1])
    weight2 = m2 * g * c2 * cos12
    weight1 = (m1 * c1 + m2 * a1) * g * cos1 + weight2
    by_hand = [
        i11 * a[0] + i12 * a[1] - b * (2 * v[0] * v[1] + v[1] ** 2) + weight1,
        i12 * a[0] + i22 * a[1] + b * v[0] ** 2 + weight2,
    ]
    tree = two_link_arm()
    assert error(tree_inverse_dynamics(tree, q, v, a), np.array(by_hand)) < TOLERANCE
    assert error(tree_mass_matrix(tree, q), np.array([[i11, i12], [i12, i22]])) < TOLERANCE
    assert error(tree_gravity_forces(tree, q), np.array([weight1, weight2])) < TOLERANCE
    end = pose_of_frame(tree, q, 1, tree.links[1].body).r
    assert error(end, np.array([a1 * cos1 + a2 * cos12, a1 * np.sin(q[0]) + a2 * np.sin(q[0] + q[1]), 0.0])) < TOLERANCE


def single(kind, inertia, gravity=(0.0, 0.0, -g)):
    return spanning_tree(Mechanism("one", (Body("b", inertia),), (Joint("j", "ground", "b", kind),), gravity=gravity))


def test_a_compound_pendulum_swings_with_its_textbook_acceleration():
    m, c, J, angle = 2.0, 0.7, 0.3, 0.4
    tree = single(Revolute(), Inertia.diagonal(m, (c, 0.0, 0.0), (J, J, J)), gravity=(0.0, -g, 0.0))
    a = tree_forward_dynamics(tree, np.array([angle]), np.zeros(1), np.zeros(1))
    assert error(a, np.array([-m * g * c * np.cos(angle) / (J + m * c**2)])) < TOLERANCE
    assert error(potential_energy(tree, np.array([angle])), m * g * c * np.sin(angle)) < TOLERANCE
    assert error(kinetic_energy(tree, np.array([angle]), np.array([3.0])), 4.5 * (J + m * c**2)) < TOLERANCE


def test_a_nut_on_a_vertical_screw_falls_slowed_by_its_turning():
    m, J, pitch = 2.0, 0.05, 0.1
    tree = single(Screw(pitch=pitch), Inertia.diagonal(m, (0.0, 0.0, 0.0), (J, J, J)))
    a = tree_forward_dynamics(tree, np.array([0.3]), np.array([5.0]), np.zeros(1))
    assert error(a, np.array([-m * g * pitch / (J + m * pitch**2)])) < TOLERANCE


def test_a_thrown_body_falls_and_tumbles_by_eulers_equations():
    J, omega = np.array([0.1, 0.2, 0.25]), np.array([1.0, -2.0, 0.5])
    tree = single(Floating(), Inertia.diagonal(1.3, (0.0, 0.0, 0.0), tuple(J)))
    q = np.array([0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0])
    a = tree_forward_dynamics(tree, q, np.concatenate([omega, np.zeros(3)]), np.zeros(6))
    assert error(a[:3], -np.cross(omega, J * omega) / J) < TOLERANCE
    assert error(a[3:], np.array([0.0, 0.0, -g])) < TOLERANCE


def test_a_top_precesses_steadily_at_the_textbook_speed():
    """(J3 - J1) cos(tilt) Omega^2 + J3 spin Omega = m g l, spin measured beyond the precession."""
    m, l, J1, J3, tilt, Omega = 1.2, 0.3, 0.2, 0.05, 0.6, 0.8
    spin = (m * g * l - (J3 - J1) * np.cos(tilt) * Omega**2) / (J3 * Omega)
    central = J1 - m * l**2
    tree = single(Spherical(), Inertia.diagonal(m, (0.0, 0.0, l), (central, central, J3)))
    wxyz = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0])
    up = axis_rotation(0, tilt).matrix.T @ np.array([0.0, 0.0, 1.0])
    omega = Omega * up + spin * np.array([0.0, 0.0, 1.0])
    a = tree_forward_dynamics(tree, wxyz, omega, np.zeros(3))
    assert error(a, Omega * spin * np.cross(up, [0.0, 0.0, 1.0])) < TOLERANCE
