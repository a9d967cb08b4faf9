"""Springs and dampers between bodies keep the same laws as everything else."""

from dataclasses import replace

import numpy as np
from hypothesis import given

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import cross_product, join_twist
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.energy import kinetic_energy, potential_energy
from linkwright.recursion.force_elements import point_wrenches
from linkwright.recursion.forward_recursion import composite_forward_dynamics, tree_forward_dynamics
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from linkwright.recursion.poses import link_poses, pose_of_frame
from linkwright.recursion.twist_recursion import motion_of_tree
from tests.laws.test_energy import friction
from tests.strategies import a_share, carried, error, rate, samples, slow

TOLERANCE = 1e-10


def distances(s, q):
    """Lengths of the struts, from where their ends stand."""
    numbers = {link.name: i for i, link in enumerate(s.tree.links)}

    def end(body, at):
        if body == s.mech.base:
            return np.array(at)
        i = numbers[body]
        return pose_of_frame(s.tree, q, i, s.tree.links[i].body @ RigidTransform.of(at)).r

    return np.array([np.linalg.norm(end(x.child, x.child_at) - end(x.parent, x.at)) for x in s.mech.forces])


@a_share(3)
@given(samples(struts=True))
def test_power_in_is_the_rate_of_energy_and_the_losses(s):
    v, a = slow(s.v), slow(s.a)

    def energy(h):
        q = carried(s.tree, s.q, v + 0.5 * h * a, h)
        return kinetic_energy(s.tree, q, v + h * a) + potential_energy(s.tree, q)

    step = 0.02 * min(1.0, float(distances(s, s.q).min()))
    damping = np.array([strut.damping for strut in s.mech.forces])
    speeds = rate(lambda h: distances(s, carried(s.tree, s.q, v, h)), step)
    losses = v @ friction(s.tree, v) + damping @ speeds**2
    assert error(v @ tree_inverse_dynamics(s.tree, s.q, v, a), rate(energy, step) + losses) < TOLERANCE


@a_share(3)
@given(samples(struts=True))
def test_stored_energy_is_that_of_the_stretch(s):
    plain = potential_energy(s.tree, s.q)
    without = potential_energy(replace(s.tree, point_forces=()), s.q)
    stored = [0.5 * x.stiffness * (d - x.length) ** 2 for x, d in zip(s.mech.forces, distances(s, s.q), strict=True)]
    assert error(plain - without, sum(stored), float(abs(plain))) < TOLERANCE


@a_share(3)
@given(samples(struts=True))
def test_forward_undoes_inverse(s):
    tau = tree_inverse_dynamics(s.tree, s.q, s.v, s.a)
    scale = float(np.abs(tau).max(initial=1.0))
    for method in (tree_forward_dynamics, composite_forward_dynamics):
        for tree in (s.tree, group_inertial_parameters(align_link_frames(s.tree))):
            assert error(method(tree, s.q, s.v, tau), s.a, scale) < 1e-12 * s.condition


@a_share(3)
@given(samples(struts=True))
def test_struts_within_the_mechanism_move_no_momentum(s):
    """Pulls between bodies cancel in the total; only struts to the base act from outside."""
    inner = tuple(x for x in s.tree.point_forces if x.parent >= 0 and x.child >= 0)
    tree = replace(s.tree, point_forces=inner)
    wrenches = point_wrenches(tree, motion_of_tree(tree, s.q, s.v, s.a))
    total, scale = np.zeros(6), 1.0
    for place, w in zip(link_poses(tree, s.q), wrenches, strict=True):
        force = place.R @ w[3:]
        total += join_twist(place.R @ w[:3] + cross_product(place.r, force), force)
        scale = max(scale, float(np.abs(w).max()))
    assert error(total, np.zeros(6), scale) < TOLERANCE
