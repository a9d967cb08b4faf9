"""Gravity compensation takes a share of a body's weight and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import linkwright as lw
from linkwright.algebra.vectors import cross_product, join_twist
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters, spanning_tree
from linkwright.recursion.energy import potential_energy
from linkwright.recursion.forward_recursion import composite_forward_dynamics, tree_forward_dynamics
from linkwright.recursion.inverse_recursion import tree_gravity_forces, tree_inverse_dynamics
from linkwright.recursion.poses import link_poses
from tests.strategies import a_share, error, samples

TOLERANCE = 1e-10


def shared(mech, shares):
    """The mechanism with the given shares of its bodies' weights carried."""
    pairs = zip(mech.bodies, shares, strict=True)
    return replace(mech, bodies=tuple(replace(b, gravity_compensation=float(x)) for b, x in pairs))


@a_share(3)
@given(samples(struts=True))
def test_equal_shares_are_a_weaker_gravity(s):
    for share in (0.3, 1.0, 1.4):
        carried = spanning_tree(shared(s.mech, [share] * len(s.mech.bodies)))
        g = tuple((1.0 - share) * x for x in s.mech.gravity)
        weaker = spanning_tree(replace(shared(s.mech, [0.0] * len(s.mech.bodies)), gravity=g))
        for one in (carried, group_inertial_parameters(align_link_frames(carried))):
            tau = tree_inverse_dynamics(weaker, s.q, s.v, s.a)
            assert error(tree_inverse_dynamics(one, s.q, s.v, s.a), tau) < TOLERANCE
            assert error(tree_gravity_forces(one, s.q), tree_gravity_forces(weaker, s.q)) < TOLERANCE
            scale = float(np.abs(tau).max(initial=1.0))
            for method in (tree_forward_dynamics, composite_forward_dynamics):
                assert error(method(one, s.q, s.v, tau), s.a, scale) < 1e-12 * s.condition
        assert error(potential_energy(carried, s.q), potential_energy(weaker, s.q)) < TOLERANCE


@pytest.mark.parametrize(
    ("name", "formulation"),
    [("3-rrr", lw.Multipliers()), ("3-rrr", lw.Minimal()), ("3-rrr", lw.papers.Khan()), ("3-rps", lw.papers.Hanzaki())],
)
def test_equal_shares_are_a_weaker_gravity_in_closed_loops(name, formulation):
    mech = lw.catalog.load(name)
    g = tuple(0.25 * x for x in mech.gravity)
    carried, weaker = lw.build(shared(mech, [0.75] * len(mech.bodies))), lw.build(replace(mech, gravity=g))
    q = weaker.assemble().q
    v = 0.3 * weaker.independent_map(q) @ np.ones(weaker.mobility)
    tau = np.arange(1.0, weaker.na + 1.0)
    a = weaker.forward_dynamics(q, v, tau, formulation=formulation)
    assert error(carried.forward_dynamics(q, v, tau, formulation=formulation), a) < TOLERANCE
    assert error(carried.energy(q, v), weaker.energy(q, v)) < TOLERANCE
    plain = lw.build(mech).forward_dynamics(q, v, tau, formulation=formulation)
    assert np.abs(plain - a).max() > 0.1


@a_share(3)
@given(samples())
def test_different_shares_are_forces_at_the_centers_of_mass(s):
    shares = s.rng.uniform(-0.5, 1.5, len(s.mech.bodies))
    carried = spanning_tree(shared(s.mech, shares))
    plain = spanning_tree(shared(s.mech, 0.0 * shares))
    wrenches = []
    for body, share, link, place in zip(s.mech.bodies, shares, plain.links, link_poses(plain, s.q), strict=True):
        force = place.R.T @ (-share * body.inertia.mass * plain.gravity)
        wrenches.append(join_twist(cross_product(link.body.r + link.body.R @ body.inertia.com, force), force))
    expected = tree_inverse_dynamics(plain, s.q, s.v, s.a, wrenches)
    assert error(tree_inverse_dynamics(carried, s.q, s.v, s.a), expected) < TOLERANCE
