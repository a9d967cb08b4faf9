"""A program inside a trace is the function it was traced from."""

import numpy as np
import pytest

from linkwright.compiler import evaluate, inline_program, jacobian, select, trace
from linkwright.errors import ArgumentError
from tests.compiler.arms import arm_program, newton_euler


def test_inlining_equals_tracing_the_function():
    program = arm_program(3)
    shapes = {"q": 3, "v": 3, "a": 3}
    inside = trace(lambda q, v, a: inline_program(program, q, v, a), shapes)
    q, v, a = np.random.default_rng(0).normal(size=(3, 3))
    assert evaluate(inside, q, v, a) == pytest.approx(newton_euler(3)(q, v, a), rel=1e-13)
    assert inside.n_operations <= program.n_operations


def test_constants_given_to_a_program_fold():
    program = arm_program(3)
    still = trace(lambda q: inline_program(program, q, np.zeros(3), np.zeros(3)), {"q": 3})
    q = np.array([0.1, 0.2, 0.3])
    assert still.n_operations < program.n_operations / 2
    assert evaluate(still, q) == pytest.approx(evaluate(program, q, np.zeros(3), np.zeros(3)), rel=1e-13)


def test_derivatives_can_be_parts_of_programs():
    derivative = jacobian(trace(lambda x: np.sin(x), {"x": 2}), ["x"])
    newton = trace(lambda x: x - np.sin(x) / np.diagonal(inline_program(derivative, x)), {"x": 2})
    x = np.array([0.3, -0.2])
    assert evaluate(newton, x) == pytest.approx(x - np.tan(x), rel=1e-14)


def test_floats_are_evaluated_and_choices_recorded():
    program = trace(lambda x: (select(x, x, -x), np.array([2.0])), {"x": ()})
    assert [np.asarray(y).tolist() for y in inline_program(program, -3.0)] == [3.0, [2.0]]
    assert trace(lambda x: inline_program(program, x)[0], {"x": ()}).n_operations == program.n_operations


def test_wrong_shapes_are_refused():
    program = trace(lambda x: x, {"x": 2})
    with pytest.raises(ArgumentError, match=r"shape \(3,\)"):
        trace(lambda x: inline_program(program, x), {"x": 3})
