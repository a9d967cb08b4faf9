"""A process that is forked while a thread compiles can compile and compute."""

import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import compile_program, trace
from linkwright.compiler.codegen import llvm as locks
from linkwright.errors import CompilerError

METHODS = multiprocessing.get_all_start_methods()
FORKS = pytest.mark.skipif("fork" not in METHODS, reason="no fork")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def without_cache(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")


def program(k, n=300):
    def function(x):
        y = x
        for i in range(n):
            y = np.sin(y) * x[::-1] + float(k + i)
        return y

    return trace(function, {"x": 3})


@pytest.fixture
def compiling():
    """A thread that compiles without end."""
    ended, began = threading.Event(), threading.Event()

    def work():
        k = 0
        while not ended.is_set():
            compile_program(program(k))(np.ones(3))
            began.set()
            k += 1

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    yield
    ended.set()
    thread.join()


def compiled_result(k):
    return compile_program(program(k, 20))(np.ones(3)).tolist()


def exit_code(pid, seconds=30.0):
    """Exit code of a child, or a failure when it hangs."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("the child hangs")


def forked(work):
    pid = os.fork()
    if pid:
        return exit_code(pid)
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


@FORKS
def test_a_child_forked_while_a_thread_compiles_compiles_too(compiling):
    assert [forked(lambda: compiled_result(7)) for _ in range(8)] == [0] * 8


@FORKS
def test_a_child_uses_the_model_that_a_thread_is_planning(monkeypatch):
    model = lw.build(lw.catalog.load("four-bar"))
    thread = threading.Thread(target=lambda: model.forward_dynamics(model.assemble().q, np.zeros(3), [1.0]))
    thread.start()
    codes = []
    while thread.is_alive() and len(codes) < 4:
        codes.append(forked(lambda: model.inverse_dynamics(model.assemble().q, np.zeros(3), np.zeros(3))))
        time.sleep(0.02)
    thread.join()
    assert codes and set(codes) == {0}


@FORKS
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="cached properties have no locks there")
def test_cached_properties_that_a_thread_is_computing():
    held, prop = threading.Event(), locks._cached_properties()[0]
    release = threading.Event()

    def hold():
        with prop.lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    code = forked(lambda: prop.lock.acquire(timeout=5) or os._exit(3))
    release.set()
    thread.join()
    assert code == 0


@FORKS
def test_a_child_forked_without_the_lock_reports_it(monkeypatch):
    monkeypatch.setattr(locks, "WAIT", 0.05)
    release, held = threading.Event(), threading.Event()

    def hold():
        with locks.LLVM_LOCK:
            held.set()
            release.wait()

    def work():
        with pytest.raises(CompilerError, match="forked while another thread had been compiling"):
            compiled_result(1)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    code = forked(work)
    release.set()
    thread.join()
    assert code == 0 and compiled_result(2)


@pytest.mark.parametrize("method", METHODS)
def test_workers_of_every_start_method(compiling, method):
    context = multiprocessing.get_context(method)
    expected = [compiled_result(k) for k in range(4)]
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(compiled_result, range(4), timeout=100)) == expected


def test_workers_of_joblib(compiling):
    joblib = pytest.importorskip("joblib")
    expected = [compiled_result(k) for k in range(4)]
    for backend in ("loky", "multiprocessing"):
        assert joblib.Parallel(2, backend=backend)(joblib.delayed(compiled_result)(k) for k in range(4)) == expected


def test_workers_of_dask(compiling):
    distributed = pytest.importorskip("distributed")
    expected = [compiled_result(k) for k in range(4)]
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with distributed.LocalCluster(processes=True, **options) as cluster, distributed.Client(cluster) as client:
        assert client.gather(client.map(compiled_result, range(4))) == expected
