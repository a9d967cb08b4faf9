"""Rows of lanes in the compiler's subset, and programs divided in an early and a late part."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compiler import divide_program, evaluate, trace
from linkwright.compiler.native import Ints, Rows, choose_by_lane, fill_lanes, is_any_lane_true, native_function
from linkwright.errors import CompilerError


def mixed_rows(n: int, x: Rows, y: Rows, whole: Ints) -> float:
    total = fill_lanes(0.5)
    for i in range(n):
        size = abs(x[i]) - 1.0
        total = total + choose_by_lane(size > y[i], size / (1.0 + y[i] * y[i]), -y[i])
        y[i] += 2 * total
    if is_any_lane_true(total > 3.0):
        whole[0] += 1
    rest = y[1:]
    rest[0, 2] = x[0, 1] + total_of(y)
    return y[1, 2]


def total_of(y: Rows) -> float:
    total = 0.0
    for lane in range(4):
        total += y[0, lane]
    return total


def wrong(x: Rows) -> float:
    return x[0]


numbers = st.lists(st.floats(-5, 5), min_size=12, max_size=12)


@settings(max_examples=60, deadline=None)
@given(numbers, numbers)
def test_rows_give_the_bits_of_python(first, second):
    results = []
    for run in (native_function(mixed_rows, 4).python, native_function(mixed_rows, 4)):
        x, y = (Rows(np.array(values).reshape(3, 4)) for values in (first, second))
        whole = np.zeros(1, dtype=np.int64)
        results.append((run(3, x, y, whole), y.flat.tobytes(), whole[0]))
    assert results[0] == results[1]


def test_a_row_is_no_number():
    with pytest.raises(CompilerError, match="where double is needed"):
        native_function(wrong, 4)


def _whole(x, p, z):
    y = np.sin(p[0]) * x + p[1] / (1.0 + p[0] * p[0])
    return y @ x + z[0], p * 2.0, np.array([1.5, z[0], p[1]])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_the_parts_of_a_divided_program_make_up_the_whole(values):
    x, p, z = np.split(np.array(values), [3, 5])
    program = trace(_whole, {"x": 3, "p": 2, "z": 1})
    early, late = divide_program(program, ["p"])
    assert [port.name for port in early.inputs] == ["p"] and [port.name for port in late.inputs] == ["x", "z", "given"]
    assert early.n_operations + late.n_operations == program.n_operations
    for ours, theirs in zip(evaluate(late, x, z, evaluate(early, p)), evaluate(program, x, p, z), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_program_without_early_inputs_is_all_late():
    program = trace(lambda x: x * x + 1.0, {"x": 2})
    early, late = divide_program(program, [])
    assert early.n_outputs == early.n_operations == 0 and late.n_operations == program.n_operations
