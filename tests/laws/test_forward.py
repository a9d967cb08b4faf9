"""Forward dynamics undoes inverse dynamics, by both of its methods, and so it does where some speeds are driven."""

import numpy as np
import pytest
from hypothesis import given

from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.forward_recursion import (
    composite_forward_dynamics,
    swept_hybrid_dynamics,
    tree_forward_dynamics,
)
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from tests.strategies import a_share, error, samples

TOLERANCE = 1e-12
METHODS = pytest.mark.parametrize("method", [tree_forward_dynamics, composite_forward_dynamics])


@METHODS
@a_share(3)
@given(samples())
def test_forward_undoes_inverse(method, s):
    tau = tree_inverse_dynamics(s.tree, s.q, s.v, s.a, s.wrenches)
    scale = float(np.abs(tau).max(initial=1.0))
    assert error(method(s.tree, s.q, s.v, tau, s.wrenches), s.a, scale) < TOLERANCE * s.condition


@METHODS
@a_share(3)
@given(samples())
def test_inverse_undoes_forward(method, s):
    a = method(s.tree, s.q, s.v, s.a)
    assert error(tree_inverse_dynamics(s.tree, s.q, s.v, a), s.a) < TOLERANCE * s.condition


@METHODS
@a_share(3)
@given(samples())
def test_grouping_and_alignment_change_no_acceleration(method, s):
    a = method(s.tree, s.q, s.v, s.a)
    for other in (
        group_inertial_parameters(s.tree),
        align_link_frames(s.tree),
        group_inertial_parameters(align_link_frames(s.tree)),
    ):
        assert error(method(other, s.q, s.v, s.a), a) < TOLERANCE * s.condition


@a_share(3)
@given(samples())
def test_free_speeds_take_the_accelerations_at_which_their_forces_are_the_given_ones(s):
    """For any choice of free speeds, wherever their accelerations start from."""
    rng = s.rng
    free = frozenset(np.flatnonzero(rng.random(s.tree.nv) < 0.5).tolist())
    driven = [d for d in range(s.tree.nv) if d not in free]
    given_tau = rng.normal(size=s.tree.nv)
    found = swept_hybrid_dynamics(s.tree, free, s.q, s.v, s.a, given_tau, s.wrenches)
    needed = tree_inverse_dynamics(s.tree, s.q, s.v, found.a, s.wrenches)
    scale = float(max(np.abs(needed).max(initial=1.0), np.abs(found.a).max(initial=1.0)))
    assert error(found.tau, needed, scale) < TOLERANCE * s.condition
    assert np.array_equal(found.a[driven], s.a[driven])
    assert np.array_equal(found.tau[sorted(free)], given_tau[sorted(free)])
