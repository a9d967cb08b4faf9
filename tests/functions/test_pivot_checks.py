"""Pivot checks: what is flagged is NaN, what is not keeps every bit."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import compile_program, evaluate, jacobian, trace
from linkwright.functions.fallback_chain import flag_result
from linkwright.functions.loop import minimal_functions


@pytest.mark.parametrize("name", ["five-bar", "3-rpr", "three-link-arm"])
def test_results_that_are_exactly_zero_stay_zero(name):
    model = lw.build(lw.catalog.load(name))
    q, rest = model.assemble().q, np.zeros(model.nv)
    run = lw.simulate(model, q, t_end=0.02)
    found = [model.inverse_dynamics(q, rest, rest), model.forward_dynamics(q, rest, np.zeros(model.na))]
    for x in (*found, *(run[series] for series in run.names)):
        assert not np.any((x != 0.0) & (np.abs(x) < 1e-200))


@pytest.mark.parametrize("run", [evaluate, lambda program, *x: compile_program(program)(*x)], ids=["plain", "compiled"])
def test_a_margin_that_is_not_positive_flags_the_first_number_and_its_derivatives(run):
    program = trace(lambda x, m: flag_result(x * x, m[0], m[1]), {"x": 2, "m": 2})
    both = jacobian(program, ["x", "m"])
    for margins in ([1e-3, 2.0], [5e-324, 1.0], [1e300, 1e-300]):
        for x in ([0.0, -1.0], [-3.0, 0.1], [1e-150, 1.0]):
            assert run(program, x, margins).tobytes() == np.square(x).tobytes()
            assert run(both, x, margins)["d_out_d_x"].tolist() == np.diag(2.0 * np.array(x)).tolist()
    for margins in ([0.0, 1.0], [1.0, 0.0], [-1e-300, 1.0], [1.0, -2.0]):
        assert np.isnan(run(program, [2.0, 3.0], margins)).tolist() == [True, False]
        assert run(program, [2.0, 3.0], margins)[1] == 9.0
        found = run(both, [2.0, 3.0], margins)
        assert np.isnan(found["d_out_d_m"][0]).any()


def test_nothing_but_zeros_is_accepted():
    """Without gravity and motion there are no forces: sizes and errors that are compared are zero both."""
    model = lw.build(replace(lw.catalog.load("five-bar"), gravity=(0.0, 0.0, 0.0)))
    q, still = model.assemble().q, np.zeros(model.nv)
    kernels = model.dynamics.kernels
    found = evaluate(kernels.program(minimal_functions.checked_multipliers), q, still, still, np.zeros(model.na))
    assert np.array_equal(found, np.zeros(len(found)))
