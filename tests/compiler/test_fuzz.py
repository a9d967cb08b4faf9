"""Random programs: recording keeps the exact value, compiling keeps every bit."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compiler import Op, Program
from linkwright.compiler.passes.program_derivatives import jacobian
from linkwright.compiler.runtime.interpreter import evaluate
from tests.compiler.fuzz import NAMES, disagreement
from tests.compiler.random_programs import RATIONAL, Computation, random_computation

numbers = st.integers(0, 10**6)


def computations(names, constants):
    step = st.tuples(st.sampled_from(names), numbers, numbers, numbers)
    return st.builds(
        Computation,
        st.integers(1, 5),
        st.tuples(constants, constants),
        st.lists(step, max_size=30).map(tuple),
        st.lists(numbers, min_size=1, max_size=4).map(tuple),
    )


@settings(max_examples=40, deadline=None)
@given(computations(NAMES, st.sampled_from([0.0, 1.0, -1.0, 0.3, 1e-300, 1e200])), st.integers(0, 2**32))
def test_compiled_programs_equal_the_reference_bit_for_bit(computation, seed):
    assert disagreement(computation, np.random.default_rng(seed)) == ""


def test_longer_programs_too():
    rng = np.random.default_rng(11)
    for _ in range(15):
        assert disagreement(random_computation(rng, NAMES, 120), rng) == ""


class Absent(Exception):
    """The computation has no value at this point."""


def rational_value(computation: Computation, x: list[Fraction]) -> list[Fraction]:
    """The computation in exact arithmetic."""
    values = [*x, *map(Fraction, computation.constants)]
    for name, i, j, k in computation.steps:
        a, b, c = (values[m % len(values)] for m in (i, j, k))
        values.append(rational_step(name, a, b, c))
    return [values[m % len(values)] for m in computation.results]


def rational_step(name, a, b, c):
    if (name == "recip" and a == 0) or (name == "div" and b == 0):
        raise Absent
    table = {
        "neg": lambda: -a,
        "abs": lambda: abs(a),
        "square": lambda: a * a,
        "recip": lambda: 1 / a,
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "div": lambda: a / b,
        "min": lambda: min(a, b),
        "max": lambda: max(a, b),
        "select": lambda: b if a > 0 else c,
    }
    return table[name]()


def rational_program(program: Program, x: list[Fraction]) -> list[Fraction]:
    values = [*x, *map(Fraction, program.constants.tolist())]
    names = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.NEG: "neg", Op.RECIP: "recip", Op.ABS: "abs"}
    names |= {Op.MIN: "min", Op.MAX: "max", Op.SELECT: "select"}
    for op, args in program.operations:
        given = [*(values[i] for i in args), None, None][:3]
        values.append(rational_step(names[op], *given))
    return [values[i] for i in program.results.tolist()]


@settings(max_examples=150, deadline=None)
@given(computations(RATIONAL, st.just(1.0)), st.lists(st.fractions(-4, 4, max_denominator=7), min_size=5, max_size=5))
def test_recording_keeps_the_exact_value(computation, x):
    """With constants that fold without rounding, the program equals the computation in rational arithmetic."""
    x = x[: computation.n_inputs]
    program = computation.program()
    if not all(float(c).is_integer() for c in program.constants):
        return  # a folded quotient of constants was rounded
    try:
        expected = rational_value(computation, x)
    except Absent:
        return
    assert rational_program(program, x) == expected


@settings(max_examples=40, deadline=None)
@given(
    computations(
        ("add", "sub", "mul", "neg", "square", "sin", "cos", "tanh", "atan2"), st.sampled_from([1.0, 0.3, -2.0])
    )
)
def test_derivatives_of_random_programs(computation):
    program = computation.program()
    rng = np.random.default_rng(3)
    x = rng.uniform(0.2, 0.8, computation.n_inputs)
    direction = rng.normal(size=computation.n_inputs)
    with mpmath.workdps(80):
        h = mpmath.mpf(10) ** -25
        ends = []
        for sign in (1, -1):
            moved = np.array(
                [a + sign * h * mpmath.mpf(b) for a, b in zip(x.tolist(), direction.tolist(), strict=True)]
            )
            ends.append(evaluate(program, moved, dtype=object, functions=mpmath))
        derivative = np.array([float((a - b) / (2 * h)) for a, b in zip(*ends, strict=True)])
    exact = evaluate(jacobian(program, ["x"]), x)
    scale = float(1.0 + np.max(np.abs(exact)))
    if scale < 1e6:
        assert exact @ direction == pytest.approx(derivative, rel=1e-6, abs=1e-7 * scale)
