"""Laws of the generalized inertia, its factors and the convective matrix."""

import numpy as np
from hypothesis import given

from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.energy import kinetic_energy
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.forward_recursion import articulated_udu, factor_udu, outward_speeds, udu_solve
from linkwright.recursion.inertia import tree_convective_matrix, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_gravity_forces, tree_inverse_dynamics
from tests.strategies import a_share, carried, error, rate, samples, slow

TOLERANCE = 1e-10


@a_share(2)
@given(samples())
def test_the_inertia_is_the_hessian_of_the_kinetic_energy(s):
    """The energy is quadratic in the speeds, so its polar form T(x + y) - T(x) - T(y) is x^T inertia y."""
    x, y = s.v, s.a
    together, first, second = (kinetic_energy(s.tree, s.q, v) for v in (x + y, x, y))
    assert error(x @ tree_mass_matrix(s.tree, s.q) @ y, together - first - second, float(together)) < TOLERANCE


@a_share(2)
@given(samples())
def test_the_kinetic_energy_is_the_quadratic_form_of_the_inertia(s):
    quadratic = 0.5 * s.v @ tree_mass_matrix(s.tree, s.q) @ s.v
    assert error(kinetic_energy(s.tree, s.q, s.v), quadratic) < TOLERANCE


@a_share(2)
@given(samples())
def test_the_inertia_is_symmetric_and_positive_definite(s):
    inertia = tree_mass_matrix(s.tree, s.q)
    assert np.array_equal(inertia, inertia.T)
    assert np.all(np.linalg.eigvalsh(inertia) > 0)


@a_share(2)
@given(samples())
def test_inertia_convection_gravity_and_passive_forces_add_up_to_the_inverse_dynamics(s):
    parts = tree_mass_matrix(s.tree, s.q) @ s.a + tree_convective_matrix(s.tree, s.q, s.v) @ s.v
    total = parts + tree_gravity_forces(s.tree, s.q) + passive_forces(s.tree, s.q, s.v)
    assert error(tree_inverse_dynamics(s.tree, s.q, s.v, s.a), total) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_rate_of_the_inertia_less_twice_C_is_skew(s):
    v = slow(s.v)
    inertia_dot = rate(lambda h: tree_mass_matrix(s.tree, carried(s.tree, s.q, v, h)))
    C = tree_convective_matrix(s.tree, s.q, v)
    assert error(inertia_dot - C, C.T) < TOLERANCE


@a_share(3)
@given(samples())
def test_grouped_inertias_keep_the_convective_forces_and_the_skewness(s):
    v, tree = slow(s.v), group_inertial_parameters(s.tree)
    C = tree_convective_matrix(tree, s.q, v)
    assert error(C @ v, tree_convective_matrix(s.tree, s.q, v) @ v) < TOLERANCE
    inertia_dot = rate(lambda h: tree_mass_matrix(tree, carried(tree, s.q, v, h)))
    assert error(inertia_dot - C, C.T) < TOLERANCE


@a_share(2)
@given(samples())
def test_articulated_bodies_factor_the_inertia(s):
    U, D = articulated_udu(s.tree, s.q)
    assert error((U * D) @ U.T, tree_mass_matrix(s.tree, s.q)) < TOLERANCE
    assert np.all(D > 0)


@a_share(2)
@given(samples())
def test_articulated_factors_are_unit_triangular_in_the_order_of_the_tree(s):
    U, _ = articulated_udu(s.tree, s.q)
    order = outward_speeds(s.tree)
    assert np.array_equal(np.tril(U[np.ix_(order, order)]), np.eye(s.tree.nv))


@a_share(2)
@given(samples())
def test_reverse_elimination_gives_the_factors_of_the_articulated_bodies(s):
    U, D = factor_udu(tree_mass_matrix(s.tree, s.q), outward_speeds(s.tree))
    U_articulated, D_articulated = articulated_udu(s.tree, s.q)
    assert error(D, D_articulated) < TOLERANCE
    assert error(U, U_articulated) < TOLERANCE


@a_share(2)
@given(samples())
def test_the_three_sweeps_solve(s):
    inertia, order = tree_mass_matrix(s.tree, s.q), outward_speeds(s.tree)
    x = udu_solve(*factor_udu(inertia, order), inertia @ s.a, order)
    assert error(x, s.a) < 1e-2 * TOLERANCE * s.condition
