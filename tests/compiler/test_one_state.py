"""Calls with one state, before a kernel has its entry point for Python: the memory kept between them is not seen."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from linkwright.compiler.runtime.kernel import ENTRY_AFTER, MOST_NUMBERS, compile_program
from linkwright.compiler.trace.tracing import trace
from linkwright.errors import ArgumentError


def kernel(n: int = 3):
    return compile_program(trace(lambda x, y: (x * y, x @ y), {"x": n, "y": n}))


def test_results_are_not_overwritten_by_the_next_call() -> None:
    both, x, y = kernel(), np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0])
    products, total = both(x, y)
    both(10.0 * x, y)
    np.testing.assert_array_equal(products, [2.0, 4.0, 6.0])
    assert total == 12.0 and products.flags.owndata and products.flags.writeable


def test_arrays_of_every_layout_give_the_same_bits() -> None:
    both, rng = kernel(), np.random.default_rng(1)
    x, y = rng.normal(size=(2, 3))
    right = both(x, y)
    wide = np.zeros((3, 2))
    wide[:, 0] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    for other in (wide[:, 0], frozen, x[::-1][::-1], x.astype(">f8"), x.tolist()):
        for found, expected in zip(both(other, y), right, strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_and_leave_nothing_behind(bad: float) -> None:
    both, x, y = kernel(), np.array([1.0, 2.0, 3.0]), np.ones(3)
    with pytest.raises(ArgumentError, match=r"y\[1\] is"):
        both(x, np.array([1.0, bad, 1.0]))
    assert both(x, y)[1] == 6.0


def test_numbers_whose_squares_overflow_are_taken() -> None:
    products, _ = kernel()(np.array([1e200, -1e300, 3.0]), np.array([1e-200, 1e-300, 1.0]))
    np.testing.assert_allclose(products, [1.0, -1.0, 3.0], rtol=1e-15)


def test_threads_do_not_share_memory() -> None:
    both, y = kernel(50), np.ones(50)

    def wrong(seed: int) -> int:
        x = np.random.default_rng(seed).normal(size=50)
        return sum(not np.array_equal(both(x, y)[0], x) for _ in range(ENTRY_AFTER // 20))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(wrong, range(16))) == 0


def test_memory_of_large_programs_is_not_kept() -> None:
    large = kernel(MOST_NUMBERS // 3 + 1)
    x = np.ones(MOST_NUMBERS // 3 + 1)
    assert large(x, x)[1] == len(x)
