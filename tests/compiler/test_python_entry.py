"""All entry points of a kernel give the same bits: CPython, batch, general Python, and ctypes without CPython."""

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

from linkwright.compiler import Options, compile_program, trace
from linkwright.compiler.codegen.python_api import python_symbols
from linkwright.compiler.runtime import code
from linkwright.compiler.runtime.code import available_threads, rows_for_one_thread, threads_for
from linkwright.errors import ArgumentError
from tests.compiler.arms import arm_program

FORMS = {
    "array": lambda x, y: x * y[0] + y[1],
    "scalar": lambda x, y: x @ x + y[0],
    "tuple": lambda x, y: (x + y[0], x @ x),
    "dict": lambda x, y: {"matrix": np.outer(x, y), "vector": x, "scalar": y[0] * y[1]},
}


def flat(result):
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, tuple) else [result]
    return [(np.shape(x), np.asarray(x).tobytes()) for x in parts]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [0, 1, 5, 64, 100])
def test_the_compiled_and_the_general_call_agree(form, rows):
    kernel = compile_program(trace(FORMS[form], {"x": 3, "y": 2}))
    rng = np.random.default_rng(rows)
    x, y = rng.normal(size=(rows, 3)), rng.normal(size=(rows, 2))
    for args in ((x, y), (x, np.ones(2)), (np.ones(3), y)):
        direct, general = kernel.call(*args), kernel._body(*args)
        assert type(direct) is type(general) and flat(direct) == flat(general)


def test_a_draft_gives_the_same_bits():
    kernel = compile_program(arm_program(3))
    q, v, a = np.random.default_rng(0).normal(size=(3, 9, 3))
    draft = [kernel._body(*state).tobytes() for state in zip(q, v, a, strict=True)]
    assert draft == [kernel.call(*state).tobytes() for state in zip(q, v, a, strict=True)]
    assert b"".join(draft) == kernel.call(q, v, a).tobytes()


def test_scalar_ports_take_plain_batches():
    kernel = compile_program(trace(lambda a, b: a * b, {"a": (), "b": ()}))
    assert kernel(np.arange(5.0), np.array(2.0)).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert float(kernel(np.array(3.0), np.array(2.0))) == 6.0


@pytest.fixture
def no_python_entry(monkeypatch):
    monkeypatch.setattr(code, "python_symbols", lambda: None)


def test_everything_works_without_python_entries(no_python_entry):
    kernel = compile_program(arm_program(2))
    assert kernel.call is kernel._body
    q, v, a = np.random.default_rng(0).normal(size=(3, 9, 2))
    batch = kernel(q, v, a)
    assert batch[3].tobytes() == kernel(q[3], v[3], a[3]).tobytes()
    out = np.empty((9, 2))
    assert kernel(q, v, a, out=out) is out and out.tobytes() == batch.tobytes()
    with pytest.raises(ArgumentError, match="nan"):
        kernel(q[0] * np.nan, v[0], a[0])


def test_kernels_with_and_without_a_python_entry_agree(monkeypatch):
    q, v, a = np.random.default_rng(0).normal(size=(3, 9, 2))
    with_entry = compile_program(arm_program(2))(q, v, a)
    monkeypatch.setattr(code, "python_symbols", lambda: None)
    assert compile_program(arm_program(2))(q, v, a).tobytes() == with_entry.tobytes()


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the entry points are CPython's")
def test_this_python_has_entries():
    assert python_symbols() is not None


@pytest.mark.parametrize("rows", [4, 200])
def test_overlapping_out_is_refused(rows):
    kernel = compile_program(trace(lambda x: 2.0 * x, {"x": 2}))
    memory = np.zeros((rows + 1, 2))
    with pytest.raises(ArgumentError, match="shares memory"):
        kernel(memory[:-1], out=memory[1:])
    with pytest.raises(ArgumentError, match="shares memory"):
        kernel(memory[0], out=memory[0])


@pytest.mark.parametrize("rows", [4, 200])
def test_outputs_that_overlap_each_other_are_refused(rows):
    kernel = compile_program(trace(lambda x: (2.0 * x, 3.0 * x), {"x": 2}))
    x, memory = np.ones((rows, 2)), np.zeros((rows + 1, 2))
    with pytest.raises(ArgumentError, match="shares memory with an input or another output"):
        kernel(x, out=(memory[:-1], memory[1:]))
    first, second = kernel(x, out=(memory[:-1].copy(), memory[1:]))
    assert (first == 2.0).all() and (second == 3.0).all()


def test_masked_arrays_are_refused():
    kernel = compile_program(trace(lambda x: 2.0 * x, {"x": 2}))
    with pytest.raises(ArgumentError, match="masked array"):
        kernel(np.ma.masked_array([1.0, 2.0], mask=[True, False]))
    with pytest.raises(ArgumentError, match="out for 'out' is MaskedArray"):
        kernel(np.ones(2), out=np.ma.masked_array(np.ones(2)))


def test_rows_of_bad_values_through_the_batch_entry():
    kernel = compile_program(trace(lambda x: (x, x @ x), {"x": 3}))
    x = np.ones((70, 3))
    x[[0, 33, 69], 1] = np.nan
    vector, scalar = kernel.call(x)
    assert np.flatnonzero(np.isnan(vector).all(axis=1)).tolist() == [0, 33, 69]
    assert np.flatnonzero(np.isnan(scalar)).tolist() == [0, 33, 69]


def test_many_python_threads_may_share_a_kernel():
    kernel = compile_program(arm_program(3))
    q, v, a = np.random.default_rng(0).normal(size=(3, 500, 3))
    expected = kernel(q, v, a).tobytes()
    faults = []

    def work():
        for _ in range(50):
            if kernel(q, v, a).tobytes() != expected or kernel(q[7], v[7], a[7]).tobytes() != expected[7 * 24 : 8 * 24]:
                faults.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not faults


def test_many_threads_may_compile_at_once():
    results = {}

    def work(k):
        results[k] = float(compile_program(trace(lambda x: x * float(k), {"x": ()}))(2.0))

    workers = [threading.Thread(target=work, args=(k,)) for k in range(1, 7)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == {k: 2.0 * k for k in range(1, 7)}


def test_native_code_is_freed():
    kernel = compile_program(trace(lambda x: x + 1.0, {"x": 1}), Options(level=0))
    assert float(kernel.call(np.ones(1))[0]) == 2.0
    tracker = weakref.ref(next(iter(kernel.addresses._parts.values())).tracker)
    del kernel
    gc.collect()
    assert tracker() is None


CYCLES = """
import gc
from linkwright.compiler.codegen.python_api import make_builtin, vectorcall_address

class Owner:
    __slots__ = ("_record", "call")  # emptied in this order

    def __init__(self):
        self.call, self._record = make_builtin("call", vectorcall_address(), self)

    def __call__(self):
        return 7

call = Owner().call
assert call() == 7 and call.__name__ == "call" and call.__doc__
del call
for _ in range(100):
    Owner()
gc.collect()
"""


def test_functions_in_cycles_are_freed_without_reading_freed_memory():
    # freed memory is filled with bytes that Python would take for a function with a class to let go of (glibc)
    freed = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "2"}
    subprocess.run([sys.executable, "-c", CYCLES], env=os.environ | freed, check=True, timeout=60)


@pytest.mark.parametrize("wrong", [{"lanes": 3}, {"lanes": 1}, {"chunk": 0}, {"level": 4}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ArgumentError, match="expected"):
        Options(**wrong)


def _child(kernel, x, result):
    result.put(kernel(x, threads=2).tolist())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    kernel = compile_program(trace(lambda x: 2.0 * x, {"x": 1}))
    x = np.ones((20, 1))
    kernel(x, threads=2)
    context = multiprocessing.get_context("fork")
    result = context.Queue()
    child = context.Process(target=_child, args=(kernel, x, result))
    child.start()
    assert result.get(timeout=20) == (2.0 * x).tolist()
    child.join(timeout=20)


def test_the_number_of_threads_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_THREADS", "3")
    assert available_threads() == 3
    assert threads_for(10, 100) == 1 and threads_for(10**9, 100) == 3
    assert rows_for_one_thread(0) > 0
    for bad in ("0", "many", "-1", "1.5"):
        monkeypatch.setenv("LINKWRIGHT_THREADS", bad)
        with pytest.raises(ArgumentError, match="LINKWRIGHT_THREADS"):
            available_threads()


def test_big_batches_are_shared_out(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_THREADS", "2")
    kernel = compile_program(trace(lambda x: x * x, {"x": 1}))
    x = np.random.default_rng(0).normal(size=(rows_for_one_thread(kernel.count.total) // 50, 1))
    assert kernel(x, threads=2).tobytes() == (x * x).tobytes()


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_impossible_numbers_of_threads_are_refused(threads):
    with pytest.raises(ArgumentError, match="threads"):
        compile_program(trace(lambda x: x, {"x": 1}))(np.ones((3, 1)), threads=threads)


def test_results_somebody_holds_are_never_written_again():
    kernel = compile_program(trace(lambda x: 2.0 * x, {"x": 3}))
    kept = [kernel(np.full(3, float(k))) for k in range(10)]
    views = [kernel(np.full(3, float(k)))[1:] for k in range(10)]
    buffers = [memoryview(kernel(np.full(3, float(k)))) for k in range(10)]
    for k in range(10):
        assert kept[k].tolist() == [2.0 * k] * 3
        assert views[k].tolist() == [2.0 * k] * 2
        assert buffers[k].tolist() == [2.0 * k] * 3


def test_results_given_back_in_another_state_are_not_used_again():
    kernel = compile_program(trace(lambda x: 2.0 * x, {"x": 4}))

    def spoil_shape(x):
        x.shape = (2, 2)

    def spoil_type(x):
        x.dtype = np.int64

    def spoil_flags(x):
        x.setflags(write=False)

    for spoil in (spoil_shape, spoil_type, spoil_flags, spoil_shape):
        for _ in range(3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                spoil(kernel(np.ones(4)))
            again = kernel(np.ones(4))
            assert again.tolist() == [2.0] * 4 and again.dtype == np.float64 and again.flags.writeable


def test_a_refused_call_gives_nothing_away():
    kernel = compile_program(trace(lambda x: 2.0 * x, {"x": 2}))
    held = kernel(np.ones(2))
    with pytest.raises(ArgumentError):
        kernel(np.array([np.nan, 1.0]))
    assert held.tolist() == [2.0, 2.0] and kernel(np.ones(2)).tolist() == [2.0, 2.0]
