"""One BLAS thread inside, the number of before outside, however uses nest and overlap."""

import os
import signal
import threading

import numpy as np
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_that_is_forked_while_a_thread_enters_and_leaves_can_enter_too():
    ended = threading.Event()

    def enter_and_leave():
        while not ended.is_set():
            with one_blas_thread():
                np.linalg.svd(np.eye(6))

    thread = threading.Thread(target=enter_and_leave)
    thread.start()
    try:
        codes = {_code_of_child_that_enters() for _ in range(40)}
    finally:
        ended.set()
        thread.join()
    assert codes == {0}


def _code_of_child_that_enters() -> int:
    pid = os.fork()
    if not pid:
        signal.alarm(20)  # a child that hangs is ended by the signal, which is its code
        with one_blas_thread():
            np.linalg.svd(np.eye(6))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
