"""A program is a value: equal content, equal digest; it survives pickling and runs in any precision."""

import pickle

import mpmath
import numpy as np
import pytest

from linkwright.compiler import evaluate, trace
from linkwright.errors import ArgumentError
from tests.compiler.arms import arm_program


def test_equal_traces_are_equal_programs():
    one, two, other = arm_program(3), arm_program(3), arm_program(3, seed=1)
    assert one == two and hash(one) == hash(two) and one != other


def test_pickling_keeps_the_program():
    program = arm_program(3)
    assert pickle.loads(pickle.dumps(program)) == program


def test_arrays_are_frozen():
    with pytest.raises(ValueError):
        arm_program(2).constants[0] = 1.0


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: (x, x[0]), lambda x: {"b": x, "a": x.reshape(1, 2)}])
def test_the_form_of_the_result_is_kept(wrap):
    program = trace(lambda x: wrap(2.0 * x), {"x": 2})
    found, expected = evaluate(program, [1.0, 2.0]), wrap(np.array([2.0, 4.0]))
    assert type(found) is type(expected)
    assert repr(found) == repr(evaluate(program, x=[1.0, 2.0]))


def test_dead_values_are_dropped():
    assert trace(lambda x: (np.sin(x), 2.0 * x)[1], {"x": 3}).n_operations == 3


def test_batch_axes_broadcast():
    program = trace(lambda x, y: x @ y, {"x": 2, "y": 2})
    assert evaluate(program, np.ones((4, 1, 2)), np.ones((3, 2))).shape == (4, 3)
    assert evaluate(program, np.ones((0, 2)), np.ones(2)).shape == (0,)


def test_constant_outputs_fill_the_batch():
    program = trace(lambda x: np.array([x[0], 1.0]), {"x": 1})
    assert evaluate(program, np.zeros((3, 1))).tolist() == [[0.0, 1.0]] * 3


def test_precisions_agree():
    program = arm_program(4)
    q, v, a = np.random.default_rng(3).normal(size=(3, 4))
    exact = evaluate(program, *(mpmath.mp.matrix(x).T.tolist()[0] for x in (q, v, a)), dtype=object, functions=mpmath)
    assert evaluate(program, q, v, a) == pytest.approx(exact.astype(float), rel=1e-12)
    extended = evaluate(program, q, v, a, dtype=np.longdouble)
    assert extended.dtype == np.longdouble


@pytest.mark.parametrize("args, named", [((), {}), (([1.0],), {}), (([1.0, 2.0], [1.0]), {}), ((), {"y": [1.0, 2.0]})])
def test_wrong_calls_say_what_was_expected(args, named):
    with pytest.raises(ArgumentError, match="x"):
        evaluate(trace(lambda x: x, {"x": 2}), *args, **named)
