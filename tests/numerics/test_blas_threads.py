"""One BLAS thread inside, the number of before outside, however uses nest and overlap."""

import threading

import pytest

from linkwright.numerics import blas_threads
from linkwright.numerics.blas_threads import one_blas_thread


@pytest.fixture
def library(monkeypatch):
    """A library that takes four threads: the number it stands at, in a list."""
    number = [4]
    monkeypatch.setattr(blas_threads, "_openblas", lambda: (lambda: number[0], lambda n: number.__setitem__(0, n)))
    return number


def test_nested_uses_bring_the_number_back_at_the_end(library):
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        with one_blas_thread():
            assert library == [1]
        assert library == [1]
        raise ZeroDivisionError
    assert library == [4]


def test_the_last_of_overlapping_uses_brings_it_back(library):
    inside, leave = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        assert inside.wait(10)
    assert library == [1]
    leave.set()
    thread.join()
    assert library == [4]


def test_the_library_of_numpy_takes_one_thread():
    found = blas_threads._openblas()
    if found is None:
        pytest.skip("numpy's linear algebra is not OpenBLAS")
    get = found[0]
    before = get()
    with one_blas_thread():
        assert get() == 1
    assert get() == before


def test_without_openblas_nothing_happens(monkeypatch):
    monkeypatch.setattr(blas_threads, "_openblas", lambda: None)
    with one_blas_thread():
        pass
