"""Laws of the wrenches inside joints."""

import numpy as np
from hypothesis import given

from linkwright.algebra.transforms import RigidTransform, wrench_at, wrench_from
from linkwright.algebra.vectors import cross_product, join_twist
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.inverse_recursion import parent_wrenches_on_links, tree_inverse_dynamics
from linkwright.recursion.matrices import denoc_matrices, mass_center
from linkwright.recursion.poses import link_poses
from tests.strategies import a_share, error, random_pose, samples

TOLERANCE = 1e-10


@a_share(2)
@given(samples())
def test_every_body_is_in_balance(s):
    """Wrench in from the parent, less those passed on, plus weight and outside wrench: mass times acceleration."""
    w, w_ext, poses = parent_wrenches_on_links(s.tree, s.q, s.v, s.a, s.wrenches), s.wrenches, link_poses(s.tree, s.q)
    for i, needed in enumerate(needed_wrenches(s)):
        center = poses[i].r + poses[i].R @ mass_center(s.tree, i)
        parts = [at_point(poses[i], w[i] + w_ext[i], center)]
        parts += [-at_point(poses[j], w[j], center) for j in s.tree.children[i]]
        share = 1.0 - s.mech.bodies[i].gravity_compensation
        weight = join_twist(np.zeros(3), share * s.tree.links[i].moments.m * s.tree.gravity)
        scale = max(float(np.abs(part).max()) for part in parts)
        assert error(np.sum(parts, axis=0) + weight, needed, scale) < TOLERANCE


def needed_wrenches(s):
    """Newton and Euler at the mass centers in the world's axes: M t_dot + W M t of the explicit matrices."""
    denoc = denoc_matrices(s.tree, s.q, s.v)
    t, t_dot = denoc.N @ s.v, denoc.N @ s.a + denoc.N_dot @ s.v
    return (denoc.M @ t_dot + denoc.W @ denoc.M @ t).reshape(-1, 6)


def at_point(place, w, point):
    """A link's wrench in the world's axes, about a point."""
    force = place.R @ w[3:]
    return join_twist(place.R @ w[:3] + cross_product(place.r - point, force), force)


@a_share(2)
@given(samples())
def test_along_its_freedoms_a_joint_carries_what_the_drive_gives_it(s):
    w, maps = parent_wrenches_on_links(s.tree, s.q, s.v, s.a), joint_maps(s.tree, s.q)
    tau = tree_inverse_dynamics(s.tree, s.q, s.v, s.a)
    inside = tau - passive_forces(s.tree, s.q, s.v) - s.tree.rotors * s.a
    for i in s.tree.bodies:
        scale = float(np.abs(w[i]).max())
        assert error(maps[i].p.T @ w[i], inside[s.tree.dofs[i]], scale) < TOLERANCE


@a_share(2)
@given(samples())
def test_a_wrench_does_the_same_work_seen_from_any_frame(s):
    w, t = s.wrenches[0], s.rng.normal(size=6)
    frame = random_pose(s.rng)
    t_there = join_twist(frame.R.T @ t[:3], frame.R.T @ (t[3:] + cross_product(t[:3], frame.r)))
    assert error(wrench_at(w, frame) @ t_there, w @ t) < TOLERANCE
    assert error(wrench_from(wrench_at(w, frame), frame), w) < TOLERANCE
    assert np.array_equal(wrench_at(w, RigidTransform()), w)
