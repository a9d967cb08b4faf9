"""Forward dynamics undoes inverse dynamics, by both of its methods."""

import numpy as np
import pytest
from hypothesis import given

from linkwright.mechanism.alignment import aligned
from linkwright.mechanism.grouping import grouped
from linkwright.recursion.forward import forward_dynamics, forward_dynamics_composite
from linkwright.recursion.inverse import inverse_dynamics
from tests.strategies import a_share, error, samples

TOLERANCE = 1e-12
METHODS = pytest.mark.parametrize("method", [forward_dynamics, forward_dynamics_composite])


@METHODS
@a_share(3)
@given(samples())
def test_forward_undoes_inverse(method, s):
    tau = inverse_dynamics(s.tree, s.q, s.v, s.a, s.wrenches)
    scale = float(np.abs(tau).max(initial=1.0))
    assert error(method(s.tree, s.q, s.v, tau, s.wrenches), s.a, scale) < TOLERANCE * s.condition


@METHODS
@a_share(3)
@given(samples())
def test_inverse_undoes_forward(method, s):
    a = method(s.tree, s.q, s.v, s.a)
    assert error(inverse_dynamics(s.tree, s.q, s.v, a), s.a) < TOLERANCE * s.condition


@METHODS
@a_share(3)
@given(samples())
def test_grouping_and_alignment_change_no_acceleration(method, s):
    a = method(s.tree, s.q, s.v, s.a)
    for other in (grouped(s.tree), aligned(s.tree), grouped(aligned(s.tree))):
        assert error(method(other, s.q, s.v, s.a), a) < TOLERANCE * s.condition
