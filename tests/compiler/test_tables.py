"""Look-ups count and read; they give the same number floating, traced, compiled, in lanes, inlined and exported."""

import pickle
import re
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.compiler import (
    Options,
    compile_program,
    entry,
    evaluate,
    inline_program,
    interval,
    jacobian,
    operation_count,
    trace,
)
from linkwright.errors import ArgumentError
from linkwright.export.c.function import c_source
from linkwright.export.casadi import casadi_function
from tests.compiler.test_exports import build, needs_compiler

BREAKS = np.array([-1.0, -0.5, 0.0, 0.0, 0.25, 2.0])
VALUES = np.array([3.0, -1.0, 0.5, 8.0, 1e-30, 7.0, -2.0])
AROUND = np.array(
    [-9.0, -1.0, np.nextafter(-0.5, -1), -0.5, -0.0, 0.0, 0.1, 0.25, 1.9999, 2.0, 1e300, np.inf, -np.inf, np.nan]
)


def steps(x):
    index = interval(x, BREAKS)
    return entry(index, VALUES) + 0.0 * index


def quadratic(x):
    """A function with a kink at each whole number from 0 to 9."""
    index = interval(x, np.arange(10.0))
    curvature, start = entry(index, np.arange(11.0) ** 2), entry(index, np.arange(-1.0, 10.0))
    return curvature * (x - start) ** 2 + np.sin(x)


STEPS = trace(steps, {"x": ()})
QUADRATIC = trace(quadratic, {"x": ()})


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.floats(allow_nan=False))
def test_the_interval_counts_the_breakpoints_passed(table, x):
    assert interval(x, sorted(table)) == sum(y <= x for y in table)


def test_floats_traces_native_code_and_lanes_agree_to_the_bit():
    expected = steps(AROUND)
    assert expected[:4].tolist() == [3.0, -1.0, -1.0, 0.5]
    assert np.array_equal(evaluate(STEPS, AROUND), expected)
    finite = np.isfinite(AROUND)
    for lanes in (2, 4, 8):
        assert np.array_equal(compile_program(STEPS, Options(lanes=lanes))(AROUND[finite]), expected[finite])
    assert [float(compile_program(STEPS)(x)) for x in AROUND[finite]] == expected[finite].tolist()


def test_extended_precision_looks_up_too():
    x = np.linspace(-2.0, 11.0, 53)
    exact = evaluate(QUADRATIC, x, dtype=np.longdouble)
    assert exact.dtype == np.longdouble
    assert np.abs(exact - quadratic(x)).max() < 1e-12


def test_derivatives_are_those_of_the_piece():
    derivative = jacobian(QUADRATIC, ["x"])
    x = np.linspace(-0.4, 9.6, 21) + 0.01
    h = 1e-6
    assert evaluate(derivative, x) == pytest.approx((quadratic(x + h) - quadratic(x - h)) / (2 * h), rel=1e-7, abs=1e-7)
    assert np.array_equal(evaluate(jacobian(STEPS, ["x"]), AROUND[:-1]), np.zeros(len(AROUND) - 1))


def test_inlined_tables_are_carried_over_and_shared():
    both = trace(lambda x: inline_program(QUADRATIC, x) + quadratic(x) + inline_program(STEPS, x), {"x": ()})
    assert len(both.tables) == 5
    x = np.linspace(-1.5, 11.0, 40)
    assert evaluate(both, x) == pytest.approx(2.0 * quadratic(x) + steps(x))
    assert np.array_equal(compile_program(both)(x), compile_program(both, Options(lanes=2))(x))


def test_a_constant_is_looked_up_while_tracing():
    program = trace(lambda x: x * entry(interval(x * 0.0 + 0.3, BREAKS), VALUES), {"x": ()})
    assert program.tables == ()
    assert evaluate(program, 2.0) == 2.0 * steps(0.3)


def test_only_tables_in_use_are_kept_and_they_tell_programs_apart():
    def first(x):
        entry(interval(x, [7.0, 8.0]), [1.0, 2.0, 3.0])
        return steps(x)

    assert trace(first, {"x": ()}) == STEPS
    assert trace(lambda x: entry(interval(x, BREAKS), -VALUES), {"x": ()}) != STEPS
    assert pickle.loads(pickle.dumps(STEPS)) == STEPS


def test_look_ups_cost_no_counted_operation():
    assert operation_count(STEPS).total == 0


def test_arrays_are_looked_up_element_by_element():
    traced = trace(lambda x: entry(interval(x, BREAKS), VALUES), {"x": (2, 3)})
    x = AROUND[:6].reshape(2, 3)
    assert np.array_equal(compile_program(traced)(x), steps(x))


@pytest.mark.parametrize("table", [[], [[1.0]], [np.nan], [0.0, np.inf], [1.0, 0.0]])
def test_bad_tables_are_refused(table):
    with pytest.raises(ArgumentError, match="breakpoints"):
        interval(0.0, table)


@needs_compiler
def test_exported_c_looks_up(tmp_path):
    source = c_source(QUADRATIC, "pieces", [[x] for x in np.linspace(-2.0, 12.0, 57)])
    test = re.search(r"#ifdef (\w+_SELFTEST)", source)[1]
    done = subprocess.run([build(source, tmp_path, f"-D{test}")], check=True, capture_output=True, text=True)
    assert "over 57 stored states" in done.stdout


def test_casadi_looks_up():
    pytest.importorskip("casadi")
    function = casadi_function(QUADRATIC, name="pieces")
    x = np.linspace(-2.0, 12.0, 57)
    assert [float(function(each)) for each in x] == pytest.approx(quadratic(x).tolist())
