"""Laws of frames: Jacobians, their rates, and the wrenches they carry back."""

import numpy as np
from hypothesis import given

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import join_twist, skew
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from linkwright.recursion.poses import (
    frame_acceleration,
    jacobian_of_frame,
    jacobian_rate_of_frame,
    link_poses,
    pose_of_frame,
    twist_of_frame,
)
from tests.strategies import a_share, carried, error, random_pose, rate, samples, slow

TOLERANCE = 1e-10


def a_frame(s):
    """Some frame on some link."""
    rng = s.rng
    return int(rng.integers(len(s.tree.links))), random_pose(rng)


@a_share(3)
@given(samples())
def test_a_frame_twist_is_the_rate_of_its_pose(s):
    (link, at), v = a_frame(s), slow(s.v)
    t = twist_of_frame(s.tree, s.q, v, link, at)

    def place(h):
        return pose_of_frame(s.tree, carried(s.tree, s.q, v, h), link, at)

    assert error(t[3:], rate(lambda h: place(h).r)) < TOLERANCE
    assert error(skew(t[:3]), rate(lambda h: place(h).R) @ place(0.0).R.T) < TOLERANCE


@a_share(3)
@given(samples())
def test_a_frame_acceleration_is_the_rate_of_its_twist(s):
    (link, at), v, a = a_frame(s), slow(s.v), slow(s.a)

    def t(h):
        return twist_of_frame(s.tree, carried(s.tree, s.q, v + 0.5 * h * a, h), v + h * a, link, at)

    assert error(frame_acceleration(s.tree, s.q, v, a, link, at), rate(t)) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_jacobian_takes_speeds_to_the_twist(s):
    link, at = a_frame(s)
    J = jacobian_of_frame(s.tree, s.q, link, at)
    assert error(J @ s.v, twist_of_frame(s.tree, s.q, s.v, link, at)) < TOLERANCE


@a_share(3)
@given(samples())
def test_the_jacobian_and_its_rate_give_the_twist_rate(s):
    link, at = a_frame(s)
    J, J_dot = jacobian_of_frame(s.tree, s.q, link, at), jacobian_rate_of_frame(s.tree, s.q, s.v, link, at)
    assert error(J @ s.a + J_dot @ s.v, frame_acceleration(s.tree, s.q, s.v, s.a, link, at)) < TOLERANCE


@a_share(4)
@given(samples(max_bodies=5))
def test_the_jacobian_rate_is_the_rate_of_the_jacobian(s):
    (link, at), v = a_frame(s), slow(s.v)
    J_dot = rate(lambda h: jacobian_of_frame(s.tree, carried(s.tree, s.q, v, h), link, at))
    assert error(jacobian_rate_of_frame(s.tree, s.q, v, link, at), J_dot) < TOLERANCE


@a_share(3)
@given(samples())
def test_an_outside_wrench_loads_the_joints_through_the_jacobian(s):
    link, _ = a_frame(s)
    w, place = s.wrenches[link], link_poses(s.tree, s.q)[link]
    w_ext = [w if i == link else np.zeros(6) for i in s.tree.bodies]
    J, w_world = jacobian_of_frame(s.tree, s.q, link, RigidTransform()), join_twist(place.R @ w[:3], place.R @ w[3:])
    free, loaded = (tree_inverse_dynamics(s.tree, s.q, s.v, s.a, wrenches) for wrenches in (None, w_ext))
    assert error(loaded, free - J.T @ w_world) < TOLERANCE
