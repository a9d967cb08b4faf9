"""The scaled singular value decomposition: its answers satisfy the equations that define them."""

import numpy as np
import pytest

from linkwright.numerics.dense import (
    count_above,
    decompose_scaled,
    distance_to_singularity,
    least_norm,
    singular_values,
)

SHAPES = [(5, 5, 5), (7, 4, 4), (3, 6, 3), (6, 7, 4), (8, 3, 2), (0, 3, 0), (4, 2, 0)]


def _matrix(shape, seed=0):
    """A matrix (m, n) of known rank, and units of its rows and columns."""
    (m, n, rank), rng = shape, np.random.default_rng(seed)
    rows, columns = 10.0 ** rng.uniform(-3, 3, size=m), 10.0 ** rng.uniform(-3, 3, size=n)
    return rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)) * rows[:, None] / columns, rows, columns


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pseudo_inverse_satisfies_the_four_equations_of_penrose_in_scaled_units(shape):
    A, rows, columns = _matrix(shape)
    X = decompose_scaled(A, rows, columns).inverse(rank=shape[2])
    A, X = A / rows[:, None] * columns, X / columns[:, None] * rows
    for left, right in ((A @ X @ A, A), (X @ A @ X, X), ((A @ X).T, A @ X), ((X @ A).T, X @ A)):
        np.testing.assert_allclose(left, right, atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES)
def test_rank_spaces_and_distance_of_a_matrix_of_known_rank(shape):
    A, rows, columns = _matrix(shape)
    found, (_, n, rank) = decompose_scaled(A, rows, columns, complete=True), shape
    assert found.rank(1e-9) == rank == count_above(singular_values(A, rows, columns), 1e-9)
    scaled, N, V, U = (
        A / rows[:, None] * columns,
        found.null_space(rank),
        found.row_space(rank),
        found.column_space(rank),
    )
    assert N.shape == (n, n - rank)
    np.testing.assert_allclose(scaled @ N, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.hstack([V, N]).T @ np.hstack([V, N]), np.eye(n), atol=1e-13)
    np.testing.assert_allclose(U @ (U.T @ scaled), scaled, atol=1e-12)
    if rank:
        assert 1e-9 < found.distance(rank) <= 1.0
        assert distance_to_singularity(found.s, rank) == found.distance(rank)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_solution_leaves_the_least_and_is_the_least(shape):
    A, rows, columns = _matrix(shape)
    b = np.random.default_rng(1).normal(size=len(A)) * rows
    found = decompose_scaled(A, rows, columns, complete=True)
    x, scaled = found.solution(b, share=1e-9), A / rows[:, None] * columns
    np.testing.assert_allclose(scaled.T @ ((A @ x - b) / rows), 0.0, atol=1e-10)
    np.testing.assert_allclose(found.null_space(shape[2]).T @ (x / columns), 0.0, atol=1e-10)
    np.testing.assert_allclose(x, found.inverse(rank=shape[2]) @ b, rtol=1e-9, atol=1e-10 * np.abs(x).max(initial=0.0))


def test_a_stack_gives_the_bits_of_its_matrices_and_NaN_stays_in_its_row():
    A = np.stack([_matrix((4, 6, 3), seed)[0] for seed in range(5)])
    b = np.random.default_rng(2).normal(size=(5, 4))
    A[2, 1, 3], b[4, 0] = np.nan, np.inf
    x, X = least_norm(A, b, 1e-9), decompose_scaled(A).inverse(share=1e-9)
    assert np.isnan(x[[2, 4]]).all()
    assert np.isnan(X[2]).all()
    assert np.isnan(singular_values(A)[2]).all()
    for i in (0, 1, 3):
        np.testing.assert_array_equal(x[i], least_norm(A[i], b[i], 1e-9))
        np.testing.assert_array_equal(X[i], decompose_scaled(A[i]).inverse(share=1e-9))
        np.testing.assert_array_equal(X[i], np.linalg.pinv(A[i], rcond=1e-9))


@pytest.mark.parametrize("smallest", [1e-2, 1e-5, 1e-8])
def test_the_error_estimate_bounds_what_rounding_does(smallest):
    """Rounded entries change a solution by the estimate at most, times a small factor, and by a good part of it."""
    rng, worst = np.random.default_rng(3), 0.0
    for _ in range(50):
        U, V = (np.linalg.qr(rng.normal(size=(5, 5)))[0] for _ in range(2))
        A = U @ np.diag([1.0, 0.7, 0.5, 0.3, smallest]) @ V
        x = rng.normal(size=5)
        found = decompose_scaled(A)
        changed = A + np.finfo(float).eps * np.abs(A) * rng.choice([-1.0, 1.0], size=A.shape)
        off = np.linalg.norm(np.linalg.solve(A, (changed - A) @ x)) / np.linalg.norm(x)
        worst = max(worst, off / found.error_estimate(5))
    assert 0.1 < worst < 5.0
