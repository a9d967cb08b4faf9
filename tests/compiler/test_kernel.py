"""Machine code equals the interpreter, and a state gives the same bits alone, in any lane, on any number of threads."""

import numpy as np
import pytest

from linkwright.compiler import evaluate, maximum, minimum, select, trace
from linkwright.compiler.codegen.target import Options
from linkwright.compiler.runtime.kernel import compile_program
from linkwright.errors import ArgumentError
from tests.compiler.accuracy import angles, worst_error
from tests.compiler.arms import arm_program

HOSTS = [Options(), Options(lanes=8), Options(lanes=2), Options(generic=True), Options(chunk=50, level=0)]


@pytest.fixture(scope="module")
def arm():
    return compile_program(arm_program(4))


def states(n, links=4, seed=0):
    return np.random.default_rng(seed).normal(size=(3, n, links))


@pytest.mark.parametrize("options", HOSTS, ids=str)
def test_compiled_equals_interpreted(options):
    program = arm_program(4)
    q, v, a = states(37)
    kernel, exact = compile_program(program, options), evaluate(program, q, v, a, dtype=np.longdouble)
    assert np.max(np.abs(kernel(q, v, a) - exact)) < 1e-13 * np.max(np.abs(exact))


@pytest.mark.parametrize("options", HOSTS, ids=str)
def test_same_bits_alone_and_in_any_lane_and_thread(options):
    kernel = compile_program(arm_program(4), options)
    q, v, a = states(45)
    batch = kernel(q, v, a, threads=1)
    alone = np.array([kernel(*x) for x in zip(q, v, a, strict=True)])
    assert batch.tobytes() == alone.tobytes() == kernel(q, v, a, threads=3).tobytes()
    for shift in range(1, 9):
        assert kernel(q[shift:], v[shift:], a[shift:]).tobytes() == batch[shift:].tobytes()


def test_bits_do_not_depend_on_lanes_or_chunks():
    q, v, a = states(40)
    results = {compile_program(arm_program(4), o)(q, v, a).tobytes() for o in HOSTS if not o.generic}
    assert len(results) == 1


@pytest.mark.parametrize("options", [Options(), Options(generic=True)], ids=str)
def test_sine_and_cosine_within_1_5_ulp(options):
    assert worst_error(angles(6000, seed=5), options) <= 1.5


@pytest.mark.parametrize("options", [Options(), Options(generic=True)], ids=str)
def test_large_angles_go_to_the_c_library(options):
    pair = compile_program(trace(lambda x: (np.sin(x), np.cos(x)), {"x": ()}), options)
    x = np.array([1e5, 1.0000001e5, -3e9, 1e22, 0.1, 1e300, -0.0, 5e-324, 2.0])
    sine, cosine = pair(x)
    np.testing.assert_allclose(sine, np.sin(x), rtol=3e-16)
    np.testing.assert_allclose(cosine, np.cos(x), rtol=3e-16)


@pytest.mark.parametrize("options", HOSTS, ids=str)
def test_every_operation(options):
    def fn(x, y):
        functions = [
            np.sqrt(y),
            np.arctan2(x, y),
            np.exp(x),
            np.log(y),
            np.tanh(x),
            abs(x),
            1.0 / y,
            -x,
            np.sin(np.cos(x)),
        ]
        return np.array(
            [*functions, select(x, y, -y), minimum(x, y), maximum(x, y), x * y + 1.0, x * y - y, y - x * 3.0]
        )

    program = trace(fn, {"x": (), "y": ()})
    x, y = np.random.default_rng(1).normal(size=(2, 21))
    found = compile_program(program, options)(x, abs(y) + 0.1)
    np.testing.assert_allclose(found, evaluate(program, x, abs(y) + 0.1), rtol=2e-15)


def test_nan_passes_through_choices_inside():
    program = trace(lambda x: np.array([minimum(np.log(x), 1.0), maximum(1.0, np.log(x))]), {"x": ()})
    assert np.isnan(compile_program(program)(-1.0)).all()


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: (x, x[0]), lambda x: {"b": x, "a": x.reshape(1, 2)}])
def test_the_form_of_the_result_is_kept(wrap):
    program = trace(lambda x: wrap(2.0 * x), {"x": 2})
    kernel = compile_program(program)
    for x in (np.array([1.0, 2.0]), np.ones((3, 2))):
        assert repr(kernel(x)) == repr(evaluate(program, x)) == repr(kernel(x=x))


def test_axes_broadcast_and_empty_batches_work(arm):
    q, v, a = states(6)
    grid = arm(q[:, None], v[None, :3], a[0])
    assert grid.shape == (6, 3, 4)
    assert grid[4, 2].tobytes() == arm(q[4], v[2], a[0]).tobytes()
    assert arm(q[:0], v[:0], a[:0]).shape == (0, 4)
    assert arm(q[:0], v[0], a[0]).shape == (0, 4)


def test_other_layouts_and_types_are_converted(arm):
    q, v, a = states(9)
    expected = arm(q, v, a)
    assert arm(np.asfortranarray(q), v[::1], np.repeat(a, 2, axis=1)[:, ::2]).tobytes() == expected.tobytes()
    assert arm(q[0].tolist(), tuple(v[0]), a[0]).tobytes() == expected[0].tobytes()
    assert arm(np.ones(4, dtype=np.int32), v[0], a[0]).tobytes() == arm(np.ones(4), v[0], a[0]).tobytes()
    assert arm(q[0].astype(">f8"), v[0], a[0]).tobytes() == expected[0].tobytes()


@pytest.mark.parametrize("n", [1, 3, 8, 11, 64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_row_gives_a_row_of_nan_and_harms_no_other(arm, n, bad):
    q, v, a = states(n)
    good = arm(q, v, a)
    a[n // 2, 3] = bad
    found = arm(q, v, a)
    assert np.isnan(found[n // 2]).all()
    assert np.delete(found, n // 2, axis=0).tobytes() == np.delete(good, n // 2, axis=0).tobytes()


def test_denormals_are_numbers(arm):
    q, v, a = states(12)
    q[:] = 5e-324
    assert np.isfinite(arm(q, v, a)).all() and np.isfinite(arm(q[0], v[0], a[0])).all()


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda x: x * np.nan, r"q\[0\] is nan"),
        (lambda x: np.array([0.0, 1.0, np.inf, 2.0]), r"q\[2\] is inf"),
        (lambda x: x[:3], r"'q' has shape \(3,\)"),
        (lambda x: 1.0, r"'q' has shape \(\)"),
        (lambda x: "abcd", "'q' is 'abcd', expected numbers"),
        (lambda x: x + 1j, "'q' has dtype complex128"),
        (lambda x: [[1.0], [1.0, 2.0]], "'q' is not an array"),
        (lambda x: None, "'q' has dtype object"),
    ],
)
def test_bad_single_states_raise(arm, change, message):
    q, v, a = states(1)[:, 0]
    with pytest.raises(ArgumentError, match=message):
        arm(change(q), v, a)


def test_wrong_numbers_of_arguments_raise(arm):
    q, v, a = states(1)[:, 0]
    wrong = [
        ((q, v), {}, "a is missing"),
        ((q, v, a, a), {}, "4 were given"),
        ((q, v), {"b": a}, "'b' is not one of them"),
        ((q, v, a), {"q": q}, "'q' is given twice"),
    ]
    for args, named, message in wrong:
        with pytest.raises(ArgumentError, match=f"this function takes q, v, a; {message}"):
            arm(*args, **named)


def test_leading_axes_must_fit(arm):
    q, v, a = states(6)
    with pytest.raises(ArgumentError, match="do not fit"):
        arm(q, v[:4], a)


def test_results_go_into_the_given_array(arm):
    q, v, a = states(5)
    for x in ((q, v, a), (q[0], v[0], a[0])):
        out = np.empty_like(x[0])
        assert arm(*x, out=out) is out
        assert out.tobytes() == arm(*x).tobytes()


def test_unusable_out_is_refused(arm):
    q, v, a = states(1)[:, 0]
    readonly = np.empty(4)
    readonly.setflags(write=False)
    for out in (
        readonly,
        np.empty(3),
        np.empty(4, dtype=np.float32),
        np.empty(8)[::2],
        [0.0] * 4,
        q,
        (np.empty(4),) * 2,
    ):
        with pytest.raises(ArgumentError, match="out"):
            arm(q, v, a, out=out)


def test_results_are_fresh(arm):
    q, v, a = states(1)[:, 0]
    first = arm(q, v, a)
    copy = first.copy()
    arm(2.0 * q, v, a)
    assert first.tobytes() == copy.tobytes()


def test_subclasses_take_the_general_call(arm):
    class Mine(np.ndarray):
        pass

    q, v, a = states(1)[:, 0]
    assert arm(q.view(Mine), v, a).tobytes() == arm(q, v, a).tobytes()


def test_the_compiled_call_outlives_the_kernel():
    import gc

    call = compile_program(trace(lambda x: x + 1.0, {"x": 2})).call
    gc.collect()
    assert call(np.zeros(2)).tolist() == [1.0, 1.0]


def test_no_reference_leaks(arm):
    import sys

    q, v, a = states(1)[:, 0]
    out = np.empty(4)  # made once: np.empty itself leaves references to the dtype behind
    before = [sys.getrefcount(x) for x in (q, np.dtype(np.float64), arm.call)]
    for _ in range(1000):
        arm.call(q, v, a)
        arm.call(q, v, a, out=out)
    after = [sys.getrefcount(x) for x in (q, np.dtype(np.float64), arm.call)]
    assert max(abs(x - y) for x, y in zip(before, after, strict=True)) < 10


def test_programs_without_inputs_or_with_copied_outputs():
    copy = trace(lambda x: np.array([x[1], x[0], 3.0]), {"x": 2})
    assert compile_program(copy)(np.array([1.0, 2.0])).tolist() == [2.0, 1.0, 3.0]
    fixed = trace(lambda: np.array([1.0, 2.0]), {})
    assert compile_program(fixed)().tolist() == [1.0, 2.0]
