"""Loops in the compiler's subset: machine code gives the same bits as Python, and what is outside is refused."""

import importlib
import sys
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compiler.native import Floats, Ints, native_function
from linkwright.compiler.native.native_functions import BuiltText, array_address, built_function, write_text
from linkwright.compiler.native.native_text import module_text
from linkwright.errors import CompilerError
from linkwright.kinematics.measures.lane_algebra import dot_product as other_dot

TABLE = np.array([1.0, -0.5, 0.25, 3.0])
STEPS = np.array([2, 0, 1], dtype=np.int64)
HALF = 0.5


def weighed(n: int, x: Floats) -> float:
    total = 0.0
    for i in range(n):
        if x[i] < -100.0 or x[i] != x[i]:
            continue
        total += x[i] * TABLE[i]
        if total > 1e9:
            break
    return total


def mixed(n: int, x: Floats, whole: Ints) -> float:
    k = 0
    while k < 3 and abs(x[0]) < 50.0:
        x[0] += HALF * weighed(n, x) - float(STEPS[k])
        k += 1
    whole[0] = k
    whole[1] = max(n, 2, k) - min(k, 1)
    x[1] = max(x[0], x[1], 3.0) / (1.0 + sqrt(abs(x[2])))
    if not x[1] > 1.0:
        return -x[1]
    elif x[1] == 7.0:
        return 0.0
    return exp(log(abs(x[1])) * 0.2) + int(x[1]) + int(k == 2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-200, 200), min_size=4, max_size=4))
def test_native_code_gives_the_bits_of_python(values):
    ours, theirs = np.array(values), np.array(values)
    counts, others = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    assert native_function(mixed)(4, ours, counts) == mixed(4, theirs, others)
    assert np.array_equal(ours, theirs) and np.array_equal(counts, others)


def test_nan_goes_the_same_way():
    x = np.array([1.0, np.nan, 2.0, 3.0])
    assert native_function(weighed)(4, x) == weighed(4, x)


def test_constants_and_functions_of_the_module_are_taken_along():
    text = module_text(mixed)
    assert "@lw.table.TABLE" in text and "define internal double @weighed" in text


def with_a_list(n: int) -> int:
    return [n][0]


def with_an_unknown(n: int) -> int:
    return n + nowhere  # noqa: F821


def turned_float(n: int) -> int:
    k = 0
    k = 0.5 * n
    return k


def unannotated(n) -> int:
    return n


def dot_product(n: int, x: Floats, y: Floats) -> float:
    return x[0] * y[0] + float(n)


def two_of_a_name(n: int, x: Floats) -> float:
    return dot_product(n, x, x) + other_dot(n, x, x)


@pytest.mark.parametrize(
    ("function", "because"),
    [
        (with_a_list, "outside the subset"),
        (with_an_unknown, "has no value yet"),
        (turned_float, "start it as 0.0"),
        (unannotated, "annotations"),
        (two_of_a_name, "both named 'dot_product'"),
    ],
)
def test_what_is_outside_the_subset_is_refused_in_words(function, because):
    with pytest.raises(CompilerError, match=because):
        module_text(function)


def test_arrays_of_other_types_are_refused():
    with pytest.raises(CompilerError, match="float64"):
        array_address(np.zeros(3, dtype=np.float32))


def test_a_built_text_is_used_until_a_source_changes(tmp_path, monkeypatch):
    source = tmp_path / "built_driver.py"
    source.write_text("def add_half(x: float) -> float:\n    return x + 0.5\n")
    monkeypatch.syspath_prepend(tmp_path)
    write_text(importlib.import_module("built_driver").add_half)
    monkeypatch.delitem(sys.modules, "built_driver")
    found = built_function("built_driver", "add_half")
    assert isinstance(found, BuiltText) and "built_driver" not in sys.modules
    assert native_function(found)(2.0) == 2.5
    source.write_text("def add_half(x: float) -> float:\n    return x + 0.25 + 0.25  # the same\n")
    built_function.cache_clear()
    found = built_function("built_driver", "add_half")
    assert not isinstance(found, BuiltText) and native_function(found)(2.0) == 2.5
