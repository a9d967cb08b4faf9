"""Recording keeps values, shares what is equal, folds what is known and refuses to branch."""

import numpy as np
import pytest

from linkwright.compiler import Recorder, evaluate, is_zero, maximum, minimum, operation_count, select, trace
from linkwright.errors import CompilerError
from tests.compiler.arms import arm_program, newton_euler


def ops(fn, **shapes):
    return trace(fn, shapes or {"x": (), "y": ()}).n_operations


@pytest.mark.parametrize(
    "fn, count",
    [
        (lambda x, y: 0.0 * x + y * 1.0, 0),
        (lambda x, y: x - x, 0),
        (lambda x, y: x + (-y), 1),
        (lambda x, y: x - (-y), 1),
        (lambda x, y: (-x) * (-y), 1),
        (lambda x, y: -(x - y), 1),
        (lambda x, y: (x - y) * (y - x), 3),
        (lambda x, y: (x + y) - (y + x), 0),
        (lambda x, y: x / x, 0),
        (lambda x, y: 1.0 / (1.0 / x), 0),
        (lambda x, y: x / y + (1.0 / y), 3),
        (lambda x, y: x + x, 1),
        (lambda x, y: np.sqrt(x * 0.0 + 4.0) - 2.0, 0),
        (lambda x, y: np.cos(-x) - np.cos(x), 0),
        (lambda x, y: np.sin(-x) + np.sin(x), 0),
        (lambda x, y: 2.0 * (3.0 * x) - 6.0 * x, 0),
        (lambda x, y: x**3, 2),
        (lambda x, y: abs(-x) - abs(x), 0),
    ],
)
def test_rules_leave_no_needless_operation(fn, count):
    assert ops(fn) == count


def test_plain_numbers_of_every_kind_enter_from_both_sides():
    def fn(x):
        left = [2 + x[0], 2.0 - x[0], np.float64(3.0) * x[0], np.int64(1) / x[0]]
        right = [x[0] + 2, x[0] - 2.0, x[0] * np.float32(0.5), x[0] / np.int64(4)]
        return np.array(left + right)

    found = evaluate(trace(fn, {"x": 1}), [3.0])
    assert found.tolist() == pytest.approx([5.0, -1.0, 9.0, 1.0 / 3.0, 5.0, 1.0, 1.5, 0.75])


def test_a_traced_recursion_equals_the_same_lines_on_floats():
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    assert evaluate(arm_program(), q, v, a) == pytest.approx(newton_euler(6)(q, v, a), rel=1e-12)


def test_functions_numpy_calls_on_objects():
    def fn(x, y):
        return np.array(
            [
                np.arctan2(y, x),
                np.hypot(x, y),
                np.tan(x),
                np.arcsin(x),
                np.arccos(x),
                np.arctan(x),
                np.exp(x),
                np.log(x),
                np.tanh(x),
            ]
        )

    x, y = 0.6, -0.3
    expected = [
        np.arctan2(y, x),
        np.hypot(x, y),
        np.tan(x),
        np.arcsin(x),
        np.arccos(x),
        np.arctan(x),
        np.exp(x),
        np.log(x),
        np.tanh(x),
    ]
    assert evaluate(trace(fn, {"x": (), "y": ()}), x, y) == pytest.approx(expected, rel=1e-14)


def test_choices_agree_between_floats_and_records():
    def fn(x, y):
        return np.array([select(x, y, 2.0), minimum(x, y), maximum(x, y)])

    program = trace(fn, {"x": (), "y": ()})
    for x, y in [(1.0, 5.0), (0.0, 5.0), (-1.0, -2.0)]:
        assert evaluate(program, x, y).tolist() == fn(x, y).tolist()


@pytest.mark.parametrize("use", [bool, float, int, lambda x: x > 0, lambda x: x == 1.0, lambda x: x <= 2])
def test_branching_on_a_value_is_refused(use):
    with pytest.raises(CompilerError, match="may not branch on a value"):
        use(Recorder().input())


def test_constants_may_be_looked_at():
    x = Recorder().input()
    assert is_zero(x - x) and not is_zero(x) and float(0.0 * x + 2.0) == 2.0 and (x - x) == 0.0


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x / (x - x),
        lambda x: x * float("nan"),
        lambda x: np.sqrt(x * 0.0 - 1.0),
        lambda x: x**1.5,
        lambda x: None,
    ],
)
def test_what_cannot_be_recorded_says_so(fn):
    with pytest.raises(CompilerError):
        trace(fn, {"x": ()})


def test_two_traces_do_not_mix():
    with pytest.raises(CompilerError, match="two different traces"):
        _ = Recorder().input() + Recorder().input()


def test_counts():
    count = operation_count(trace(lambda x, y: np.sin(x) * np.cos(x) + np.sqrt(y) - 1.0 / y, {"x": (), "y": ()}))
    assert (count.mul, count.add, count.div, count.sqrt, count.trig) == (1, 2, 1, 1, 2)
    assert count.total == 7 and (count + count).total == 14
