"""Leg by leg as a formulation of its own gives the accelerations of the others, and says where it does not apply."""

import numpy as np
import pytest

import linkwright as lw
from tests.loops.mechanisms import closed_states

WITH_LEGS = ["gough-stewart", "hexaglide", "stewart-6-3"]


@pytest.mark.parametrize("name", WITH_LEGS)
def test_leg_by_leg_agrees_with_independent_velocities(name):
    model = lw.build(lw.catalog.load(name))
    q, v, tau = (np.array(x) for x in zip(*closed_states(name, 8, seed=3)))
    legs, other = (model.forward_dynamics(q, v, tau, formulation=f) for f in (lw.LegByLeg(), lw.Minimal()))
    assert np.abs(legs - other).max() < 1e-9 * np.abs(other).max()
    alone = model.forward_dynamics(q[0], v[0], tau[0], formulation=lw.LegByLeg())
    assert np.array_equal(alone, legs[0])
    back = model.inverse_dynamics(q, v, legs, formulation=lw.LegByLeg())
    assert np.abs(back - tau).max() < 1e-9 * np.abs(tau).max()


def test_leg_by_leg_refuses_a_mechanism_without_such_legs():
    model = lw.build(lw.catalog.load("four-bar"))
    q = model.assemble().q
    with pytest.raises(lw.errors.ArgumentError, match=r"leg by leg does not apply to 'four-bar'.*Multipliers\(\)"):
        model.forward_dynamics(q, np.zeros(model.nv), np.zeros(model.na), formulation=lw.LegByLeg())
