"""The recursions say what the papers' explicit matrices say: N = N_l N_d, I = N^T M N, C = N^T (M N_dot + W M N)."""

import numpy as np
from hypothesis import given

from linkwright.algebra.transforms import RigidTransform
from linkwright.recursion.inertia import tree_convective_matrix, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_gravity_forces
from linkwright.recursion.matrices import denoc_matrices, mass_center
from linkwright.recursion.poses import frame_acceleration, twist_of_frame
from tests.strategies import a_share, carried, error, rate, samples, slow

TOLERANCE = 1e-10


@a_share(3)
@given(samples())
def test_speeds_times_N_are_the_twists_of_the_mass_centers(s):
    t = denoc_matrices(s.tree, s.q, s.v).N @ s.v
    twists = [twist_of_frame(s.tree, s.q, s.v, i, RigidTransform.of(mass_center(s.tree, i))) for i in s.tree.bodies]
    assert error(np.concatenate(twists), t) < TOLERANCE


@a_share(3)
@given(samples())
def test_N_and_its_rate_give_the_accelerations_of_the_mass_centers(s):
    denoc = denoc_matrices(s.tree, s.q, s.v)
    t_dot = denoc.N @ s.a + denoc.N_dot @ s.v
    rates = [
        frame_acceleration(s.tree, s.q, s.v, s.a, i, RigidTransform.of(mass_center(s.tree, i))) for i in s.tree.bodies
    ]
    assert error(np.concatenate(rates), t_dot) < TOLERANCE


@a_share(4)
@given(samples())
def test_the_rates_of_N_l_and_N_d_are_their_derivatives(s):
    v = slow(s.v)
    denoc = denoc_matrices(s.tree, s.q, v)
    assert error(denoc.N_l_dot, rate(lambda h: denoc_matrices(s.tree, carried(s.tree, s.q, v, h), v).N_l)) < TOLERANCE
    assert error(denoc.N_d_dot, rate(lambda h: denoc_matrices(s.tree, carried(s.tree, s.q, v, h), v).N_d)) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_inertia_is_that_of_the_explicit_matrices(s):
    rotors = np.diag(s.tree.rotors)
    explicit = denoc_matrices(s.tree, s.q, s.v).inertia
    assert error(tree_mass_matrix(s.tree, s.q) - rotors, explicit) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_convective_matrix_is_that_of_the_explicit_matrices(s):
    assert error(tree_convective_matrix(s.tree, s.q, s.v), denoc_matrices(s.tree, s.q, s.v).C) < TOLERANCE


@a_share(3)
@given(samples())
def test_gravity_forces_are_weights_times_N(s):
    N = denoc_matrices(s.tree, s.q, s.v).N
    masses = [(1.0 - body.gravity_compensation) * body.inertia.mass for body in s.mech.bodies]
    weights = [np.concatenate([np.zeros(3), m * s.tree.gravity]) for m in masses]
    assert error(tree_gravity_forces(s.tree, s.q), -N.T @ np.concatenate(weights)) < TOLERANCE
