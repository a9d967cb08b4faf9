"""Laws of energy and momentum: what goes in must be found again."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkwright.algebra.vectors import cross_product, join_twist
from linkwright.joints import Fixed, Floating, Prismatic, Revolute, Spherical
from linkwright.mechanism import Body, Inertia, Joint
from linkwright.mechanism.tree import spanning_tree
from linkwright.recursion.energy import (
    first_moment,
    kinetic_energy,
    potential_energy,
    tree_center_of_mass,
    tree_momentum,
)
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import parent_wrenches_on_links, tree_gravity_forces, tree_inverse_dynamics
from linkwright.recursion.poses import link_poses
from tests.strategies import a_share, carried, error, mechanisms, random_state, rate, samples, slow

TOLERANCE = 1e-10
FREE_KINDS = (Revolute, Prismatic, Spherical, Fixed)


def friction(tree, v):
    """Resistance by the formula of `lw.forces.Friction`, from the numbers of the elements alone."""
    force = np.zeros(tree.nv)
    for each in tree.joint_forces:
        numbers, speed = vars(each.element), v[each.speed]
        force[each.speed] += numbers.get("viscous", 0.0) * speed
        if "coulomb" in numbers:
            force[each.speed] += numbers["coulomb"] * speed / np.sqrt(speed**2 + numbers["slip"] ** 2)
    return force


def springs(tree, q):
    """Forces of springs from the numbers of the elements alone."""
    force = np.zeros(tree.nv)
    for each in tree.joint_forces:
        if "stiffness" in vars(each.element):
            force[each.speed] += each.element.stiffness * (q[each.coordinate] - each.element.rest)
    return force


@a_share(3)
@given(samples())
def test_power_in_is_the_rate_of_energy_and_the_losses(s):
    v, a = slow(s.v), slow(s.a)

    def energy(h):
        q = carried(s.tree, s.q, v + 0.5 * h * a, h)
        return kinetic_energy(s.tree, q, v + h * a) + potential_energy(s.tree, q)

    power = v @ tree_inverse_dynamics(s.tree, s.q, v, a)
    assert error(power, rate(energy) + v @ friction(s.tree, v)) < TOLERANCE


@a_share(3)
@given(samples())
def test_gravity_and_springs_are_the_gradient_of_the_potential(s):
    e = slow(s.v)
    gradient = rate(lambda h: potential_energy(s.tree, carried(s.tree, s.q, e, h)))
    assert error(e @ (tree_gravity_forces(s.tree, s.q) + springs(s.tree, s.q)), gradient) < TOLERANCE


@a_share(3)
@given(samples())
def test_holding_still_takes_gravity_and_spring_forces(s):
    rest = np.zeros(s.tree.nv)
    assert (
        error(tree_inverse_dynamics(s.tree, s.q, rest, rest), tree_gravity_forces(s.tree, s.q) + springs(s.tree, s.q))
        < TOLERANCE
    )


@a_share(3)
@given(samples())
def test_the_mass_center_moves_with_the_linear_momentum(s):
    v = slow(s.v)
    moving = rate(lambda h: first_moment(s.tree, carried(s.tree, s.q, v, h)))
    assert error(tree_momentum(s.tree, s.q, v)[3:], moving) < TOLERANCE
    total = sum(link.moments.m for link in s.tree.links)
    if total > 0:
        assert error(total * tree_center_of_mass(s.tree, s.q), first_moment(s.tree, s.q)) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_rate_of_momentum_is_the_sum_of_outside_wrenches(s):
    v, a, w_ext = slow(s.v), slow(s.a), s.wrenches
    poses = link_poses(s.tree, s.q)
    joints = parent_wrenches_on_links(s.tree, s.q, v, a, w_ext)
    outside = [in_world(poses[i], joints[i]) for i in s.tree.bodies if s.tree.parent[i] < 0]
    outside += [in_world(place, w) for place, w in zip(poses, w_ext, strict=True)]
    for body, link, place in zip(s.mech.bodies, s.tree.links, poses, strict=True):
        weight = (1.0 - body.gravity_compensation) * body.inertia.mass * s.tree.gravity
        center = place.r + place.R @ (link.body.r + link.body.R @ body.inertia.com)
        outside.append(join_twist(cross_product(center, weight), weight))
    moving = rate(lambda h: tree_momentum(s.tree, carried(s.tree, s.q, v + 0.5 * h * a, h), v + h * a))
    assert error(moving, np.sum(outside, axis=0)) < TOLERANCE


def in_world(place, w):
    """A wrench of a link, seen from the world: its axes, about its origin."""
    force = place.R @ w[3:]
    return join_twist(place.R @ w[:3] + cross_product(place.r, force), force)


@a_share(3)
@given(
    mechanisms(allowed=(Revolute, Prismatic, Spherical, Fixed), max_bodies=5, passive=False), st.integers(0, 2**32 - 1)
)
def test_a_free_mechanism_without_gravity_keeps_its_momentum_whatever_its_actuators_do(mech, seed):
    tree = spanning_tree(set_free(mech))
    q, v, tau = random_state(tree, np.random.default_rng(seed))
    v, tau[:6] = slow(v), 0.0
    a = tree_forward_dynamics(tree, q, v, tau)
    pace = 1.0 + float(np.abs(a).sum())
    moving = rate(lambda h: tree_momentum(tree, carried(tree, q, v + 0.5 * h * a, h), v + h * a), 0.02 / pace)
    assert error(moving, np.zeros(6), scale=pace * float(np.abs(tree_mass_matrix(tree, q)).max())) < TOLERANCE


def set_free(mech):
    """The mechanism on a carrier that floats in a world without gravity."""
    carrier = Body("carrier", Inertia.diagonal(1.5, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)))
    joints = [replace(j, parent="carrier") if j.parent == mech.base else j for j in mech.joints]
    return replace(
        mech,
        bodies=(*mech.bodies, carrier),
        joints=(Joint("free", mech.base, "carrier", Floating()), *joints),
        gravity=(0.0, 0.0, 0.0),
    )
