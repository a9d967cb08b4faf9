"""Functions that are held: those that motions change, each apart from those before it."""

import numpy as np
import pytest

from linkwright.gradients.fixed_quantities import _independent_first_rows


def rotated(rows: np.ndarray, seed: int) -> np.ndarray:
    """The same rates by another orthonormal basis of the motions."""
    n = rows.shape[-1]
    return rows @ np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]


@pytest.mark.parametrize("rounding", [0.0, 1e-17, 1e-12, 1e-8])
def test_a_function_that_no_motion_changes_is_not_held(rounding):
    """Alone it has nothing to be compared with but the unit; behind or before others it changes nothing."""
    still = np.full((3, 1, 2), rounding) * np.array([1.0, -2.0])
    turns = np.tile(np.eye(2), (3, 1, 1))
    assert _independent_first_rows(still, 1) == []
    assert _independent_first_rows(np.concatenate([still, turns], axis=1), 2) == [1, 2]
    assert _independent_first_rows(np.concatenate([turns, still], axis=1), 3) == [0, 1]


@pytest.mark.parametrize("gain", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_chosen_whatever_the_basis_of_motions_and_the_gain(gain, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.standard_normal((2, 4, 1, 3))
    rows = gain * np.concatenate([first, 2.0 * first, second, first - second], axis=1)
    assert _independent_first_rows(rows, 3) == _independent_first_rows(rotated(rows, seed), 3) == [0, 2]
    assert _independent_first_rows(rows, 1) == [0]
