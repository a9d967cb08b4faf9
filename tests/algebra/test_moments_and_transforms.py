"""Moments against clouds of particles; propagation against its 6x6 matrix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkwright.algebra.transforms import Moments, Transform, moments_about_origin, newton_euler
from linkwright.algebra.vectors import join_twist, skew, spin_acceleration_matrix
from tests.algebra.test_vectors_and_rotations import a_rotation
from tests.strategies import error

TOLERANCE = 1e-12
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


class Cloud:
    """Particles: masses (n,) at positions (n, 3)."""

    def __init__(self, rng, n=6):
        self.m, self.x = rng.uniform(0.1, 1.0, n), rng.normal(size=(n, 3))

    def moments(self, origin=0.0):
        x = self.x - origin
        return Moments.of(self.m.sum(), self.m @ x, (x.T * self.m) @ x)

    def wrench(self, t, t_dot):
        """Sum of mass times acceleration, and of its moment about the origin."""
        forces = [
            m * (t_dot[3:] + spin_acceleration_matrix(t[:3], t_dot[:3]) @ x)
            for m, x in zip(self.m, self.x, strict=True)
        ]
        return join_twist(sum(np.cross(x, f) for x, f in zip(self.x, forces, strict=True)), sum(forces))


def same(a, b):
    return max(error(getattr(a, x), getattr(b, x)) for x in ("m", "h", "Sigma", "J")) < TOLERANCE


@given(seeds)
def test_newton_and_euler_are_the_sum_over_particles(rng):
    cloud, (t, t_dot) = Cloud(rng), rng.normal(size=(2, 6))
    assert error(newton_euler(cloud.moments(), t, t_dot), cloud.wrench(t, t_dot)) < TOLERANCE


@given(seeds)
def test_newton_and_euler_in_the_textbook_form(rng):
    body, (t, t_dot) = Cloud(rng).moments(), rng.normal(size=(2, 6))
    omega, alpha, acc = t[:3], t_dot[:3], t_dot[3:]
    n = body.J @ alpha + np.cross(omega, body.J @ omega) + np.cross(body.h, acc)
    f = body.m * acc + np.cross(alpha, body.h) + np.cross(omega, np.cross(omega, body.h))
    assert error(newton_euler(body, t, t_dot), join_twist(n, f)) < TOLERANCE


@given(seeds)
def test_the_mass_matrix_gives_momentum_and_energy_of_the_particles(rng):
    cloud, t = Cloud(rng), rng.normal(size=6)
    body = cloud.moments()
    velocities = t[3:] + np.cross(t[:3], cloud.x)
    momentum = join_twist(cloud.m @ np.cross(cloud.x, velocities), cloud.m @ velocities)
    assert error(body.M @ t, momentum) < TOLERANCE
    assert error(body.momentum(t), momentum) < TOLERANCE
    assert error(t @ body.M @ t, cloud.m @ np.sum(velocities**2, axis=1)) < TOLERANCE


@given(seeds)
def test_moments_from_mass_center_and_tensor(rng):
    cloud = Cloud(rng)
    mass, com = cloud.m.sum(), cloud.m @ cloud.x / cloud.m.sum()
    central = cloud.moments(com)
    assert same(moments_about_origin(mass, com, central.J), cloud.moments())


@given(seeds)
def test_bodies_add_and_shift(rng):
    cloud, r = Cloud(rng), rng.normal(size=3)
    assert same(cloud.moments().shift_origin(r), cloud.moments(-r))
    halves = [Moments.of(m, m * x, m * np.outer(x, x)) for m, x in zip(cloud.m, cloud.x, strict=True)]
    assert same(sum(halves[1:], halves[0]), cloud.moments())


@given(seeds)
def test_a_turned_body_is_its_turned_particles(rng):
    cloud, R = Cloud(rng), a_rotation(rng)
    turned = cloud.moments().rotate_axes(R)
    cloud.x = cloud.x @ R.matrix.T
    assert same(turned, cloud.moments())


def a_transform(rng):
    r, s = rng.normal(size=(2, 3))
    return Transform(r, a_rotation(rng), s)


@given(seeds)
def test_propagation_is_shift_turn_shift(rng):
    A, t, w = a_transform(rng), rng.normal(size=6), rng.normal(size=6)
    R, O = A.R.matrix, np.zeros((3, 3))
    matrix = np.block([[R.T, O], [-R.T @ skew(A.origin), R.T]])
    assert error(A.matrix, matrix) < TOLERANCE
    assert error(A @ t, matrix @ t) < TOLERANCE
    assert error(A.T @ w, matrix.T @ w) < TOLERANCE


@given(seeds)
def test_congruences_are_those_of_the_matrix(rng):
    A, body, X = a_transform(rng), Cloud(rng).moments(), rng.normal(size=(6, 6))
    S = X + X.T
    assert error(A.congruence(S), A.matrix.T @ S @ A.matrix) < TOLERANCE
    assert error(A.moments_in_parent(body).M, A.matrix.T @ body.M @ A.matrix) < TOLERANCE


@given(seeds)
def test_the_rate_of_a_point_fixed_in_the_parent(rng):
    A, (t, t_dot) = a_transform(rng), rng.normal(size=(2, 6))
    R, arm = A.R.matrix, A.origin
    acc = t_dot[3:] + np.cross(t_dot[:3], arm) + np.cross(t[:3], np.cross(t[:3], arm))
    assert error(A.rate(t, t_dot), join_twist(R.T @ t_dot[:3], R.T @ acc)) < TOLERANCE
