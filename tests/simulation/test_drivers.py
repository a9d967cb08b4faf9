"""The drivers' text: Python and machine code agree to the bit; slices do not matter; orders are as named."""

from functools import partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.codegen.target import Options, host_target
from linkwright.compiler.native import native_functions
from linkwright.compiler.native.native_text import module_text
from linkwright.simulation.drivers import driver_records as at
from linkwright.simulation.drivers.stepping import advance_lanes
from linkwright.simulation.problem.problem import problem_of_model
from linkwright.simulation.root_functions import Crossing, root_functions
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run_workspace import RunWorkspace
from tests.simulation.mechanisms import catalog_model

METHODS = [lw.RK4(0.02), lw.DP5(1e-5), lw.DP5(h=0.02), lw.DOP853(1e-7)]


def prepared(name, method, t_end=0.4, n=9):
    """A memory of the mechanism let go at home, a row grid and one event."""
    model = catalog_model(name)
    q = model.assemble().q
    made = problem_of_model(model)
    watched = root_functions(made, [Crossing("middle", lambda t, q, v: t - 0.21 + 0.0 * q[0])], False)
    memory = RunWorkspace(made, method, watched)
    table = np.zeros((n + 2, row_layout(made).width))
    memory.rows_into(np.linspace(0, t_end, n), table)
    memory.state[: model.nq] = q
    memory.driver.settings.t_end = t_end
    return memory, table


def plain(memory):
    """The driver's code as it is before it is optimized."""
    target = host_target(Options(level=0))
    return partial(native_functions._load_native(advance_lanes, target, 1).call, memory.driver.address)


def test_the_text_of_the_driver_comes_from_these_sources():
    found = native_functions.built_function(advance_lanes.__module__, "advance_lanes")
    because = "run `python -m linkwright.viewer.page_drivers` and commit what it writes"
    assert isinstance(found, native_functions.BuiltText), because
    assert found.text() == module_text(advance_lanes), because


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("name", ["four-bar", "3-rps"])
def test_python_and_native_code_take_the_same_steps(name, method):
    tables = []
    for optimized in (None, False, True):
        memory, table = prepared(name, method)
        memory.driver.budget = 10**6
        if optimized is None:
            step = memory.in_python()
        else:
            step = memory.slice_function(on_time=True) if optimized else plain(memory)
        status = at.EXAMINE
        while status == at.EXAMINE:
            status = step()
        assert status == at.DONE
        driver = memory.driver
        counts = [getattr(driver.counts, name) for name in driver.counts.fields]
        last = [getattr(driver.step, name) for name in driver.step.fields]
        tables.append((table.tolist(), counts, last, driver.events.found[:3].tolist(), memory.state.tolist()))
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_slices_do_not_change_a_bit(method):
    whole, by_one = (prepared("four-bar", method) for _ in range(2))
    whole[0].driver.budget = 10**6
    assert whole[0].slice_function()() == at.DONE
    step, status, slices = by_one[0].slice_function(), at.GOING, 0
    while status == at.GOING:
        by_one[0].driver.budget = 1
        status = step()
        slices += 1
    assert slices > 3 and np.array_equal(whole[1], by_one[1])
    assert whole[0].state.tolist() == by_one[0].state.tolist()


@pytest.mark.parametrize(("make", "order"), [(lw.RK4, 4), (lambda h: lw.DP5(h=h), 5)])
def test_errors_of_fixed_steps_fall_with_the_order(make, order):
    arm = catalog_model("three-link-arm")
    exact = lw.simulate(arm, np.zeros(3), t_end=0.2, method=lw.DOP853(1e-13)).q[-1]
    errors = [
        np.abs(lw.simulate(arm, np.zeros(3), t_end=0.2, method=make(h)).q[-1] - exact).max() for h in (0.004, 0.002)
    ]
    assert order - 0.4 < np.log2(errors[0] / errors[1]) < order + 0.9


@pytest.mark.parametrize("method", [lw.DP5(1e-9), lw.DOP853(1e-9)], ids=repr)
def test_rows_between_steps_are_as_good_as_the_steps(method):
    """The interpolant on a fine grid against a run whose steps end on the grid."""
    arm = catalog_model("three-link-arm")
    grid = np.linspace(0, 0.5, 101)
    dense = lw.simulate(arm, np.zeros(3), t_end=0.5, method=method, output=grid)
    stepped = lw.simulate(arm, np.zeros(3), t_end=0.5, method=lw.DP5(h=0.5 / 2000), output=grid)
    assert dense.stats["steps"] < 200
    assert np.abs(dense.q - stepped.q).max() < 2e-7 and np.abs(dense.v - stepped.v).max() < 2e-6
