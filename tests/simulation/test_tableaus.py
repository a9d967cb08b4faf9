"""Order conditions of the explicit methods, for quadratures and for linear systems, from their tables alone."""

import math

import numpy as np
import pytest

from linkwright.simulation import integrators as tableaus

METHODS = {
    "rk4": (tableaus.classical_rk4, 4),
    "dp5": (tableaus.dormand_prince_5, 5),
    "dop853": (tableaus.dormand_prince_8, 8),
}


def table(name):
    make, order = METHODS[name]
    return make(), order


@pytest.mark.parametrize("name", METHODS)
def test_stages_stand_at_the_times_their_rows_add_up_to(name):
    found, _ = table(name)
    assert found.A.sum(axis=1) == pytest.approx(found.C, abs=2e-15)


@pytest.mark.parametrize("name", METHODS)
def test_weights_integrate_powers_up_to_the_order(name):
    """sum b c^(k - 1) = 1 / k for k up to the order, and not beyond."""
    found, order = table(name)
    b, s = found.A[found.stages, : found.stages], found.stages
    moments = [b @ found.C[:s] ** (k - 1) - 1.0 / k for k in range(1, order + 2)]
    assert np.abs(moments[:order]).max() < 1e-14
    assert abs(moments[order]) > 1e-7


@pytest.mark.parametrize("name", METHODS)
def test_linear_systems_are_stepped_by_the_exponential_series(name):
    """b A^(k - 1) 1 = 1 / k! for k up to the order: the tall trees."""
    found, order = table(name)
    s = found.stages
    b, A, e = found.A[s, :s], found.A[:s, :s], np.ones(s)
    for k in range(1, order + 1):
        assert b @ np.linalg.matrix_power(A, k - 1) @ e == pytest.approx(1.0 / math.factorial(k), abs=1e-14)


@pytest.mark.parametrize("name", METHODS)
def test_mixed_conditions_hold(name):
    """b (c^i * A c^j) = 1 / ((j + 1) (i + j + 2)) while i + j + 2 is within the order."""
    found, order = table(name)
    s = found.stages
    b, A, c = found.A[s, :s], found.A[:s, :s], found.C[:s]
    for i in range(order - 1):
        for j in range(1, order - 1 - i):
            assert b @ (c**i * (A @ c**j)) == pytest.approx(1.0 / ((j + 1) * (i + j + 2)), abs=1e-14)


@pytest.mark.parametrize(("name", "row", "order"), [("dp5", 0, 4), ("dop853", 0, 5), ("dop853", 1, 3)])
def test_error_estimates_vanish_for_low_powers_and_not_for_the_next(name, row, order):
    found, _ = table(name)
    moments = [found.E[row] @ found.C ** (k - 1) for k in range(1, order + 2)]
    assert np.abs(moments[:order]).max() < 1e-14
    assert abs(moments[order]) > 1e-7
