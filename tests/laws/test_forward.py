"""Forward dynamics undoes inverse dynamics, by both of its methods."""

import numpy as np
import pytest
from hypothesis import given

from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.forward_recursion import composite_forward_dynamics, tree_forward_dynamics
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
