"""Rodas5P: order, dense output, Jacobians, and stiff springs that explicit methods crawl on."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError
from linkwright.simulation.drivers.driver_records import DONE
from linkwright.simulation.method_coefficients import RODAS5P_A, RODAS5P_D, RODAS5P_GAMMA, RODAS5P_TIMES
from linkwright.simulation.problem.problem import derivative_program, jacobian_kernel, problem_of_model
from linkwright.simulation.problem.run_efforts import actuation_of
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run_workspace import RunWorkspace
from tests.simulation.mechanisms import catalog_model

PUSH = lw.control.Sines([2.0, 1.0, 0.5], [9.0, 7.0, 5.0])


def swung(method, output=41):
    return lw.simulate(
        catalog_model("three-link-arm"), np.zeros(3), t_end=0.2, effort=PUSH, method=method, output=output
    )


def test_the_numbers_satisfy_their_simplest_conditions():
    assert RODAS5P_D[0] == RODAS5P_GAMMA and RODAS5P_TIMES[1] == pytest.approx(
        RODAS5P_A[1][0] * RODAS5P_GAMMA, abs=1e-15
    )


def test_the_error_falls_with_order_5_also_between_steps_and_with_forces_that_depend_on_time():
    """Steps of equal length by a cap, after the first few; the interpolant has order 4."""
    exact = swung(lw.DOP853(1e-13))
    runs = [swung(lw.Rodas5P(rtol=0.1, h_max=h)) for h in (0.02, 0.01)]
    assert [run.stats["steps"] // 10 for run in runs] == [1, 2]
    ends = [np.abs(run.q[-1] - exact.q[-1]).max() for run in runs]
    between = [np.abs(run.q - exact.q).max() for run in runs]
    assert 4.5 < np.log2(ends[0] / ends[1]) < 6.5
    assert 3.8 < np.log2(between[0] / between[1]) < 6.5


@pytest.mark.parametrize("formulation", [None, lw.Minimal(), lw.VirtualSprings(1e5, 1e3)], ids=repr)
def test_the_compiled_jacobian_is_that_of_the_right_hand_side(formulation):
    model = catalog_model("four-bar")
    made, law = problem_of_model(model, formulation), lw.control.Sines([2.0], [9.0])
    program, code = derivative_program(made, law), jacobian_kernel(made, actuation_of(model, law), "Rodas5P")
    q, _, _ = model.forward_kinematics([1.8], near=model.assemble().q)
    point = [np.array([0.3]), q, np.full(made.ns, 0.1), np.zeros(1)]
    found, h = code(*point), 1e-6
    for index, name in enumerate(("t", "q", "s")):
        for k in range(len(point[index])):
            step = h * np.eye(len(point[index]))[k]
            ends = [[x + sign * step if i == index else x for i, x in enumerate(point)] for sign in (1, -1)]
            up, down = (evaluate(program, *end, *made.constants.values()) for end in ends)
            column = found[f"d_out_d_{name}"][:, k]
            assert np.abs((up - down) / (2 * h) - column).max() < 1e-6 * max(1.0, np.abs(column).max())


def test_python_and_native_code_take_the_same_steps():
    model, ends = catalog_model("three-link-arm"), []
    made, driven = problem_of_model(model), actuation_of(model, PUSH)
    for compiled in (False, True):
        memory = RunWorkspace(made, lw.Rodas5P(1e-5))
        memory.put("effort", driven.code)
        memory.put("jacobian", jacobian_kernel(made, driven, "Rodas5P"))
        memory.driver.budget, memory.driver.settings.t_end = 10**6, 0.1
        table = np.zeros((8, row_layout(made).width))
        memory.rows_into(np.linspace(0, 0.1, 6), table)
        advance = memory.slice_function() if compiled else memory.in_python()
        assert advance() == DONE
        ends.append((table.tolist(), memory.state.tolist()))
    assert ends[0] == ends[1]


def test_stiff_damped_springs_come_near_the_rigid_motion_in_few_steps():
    linkage = catalog_model("four-bar")
    q = linkage.assemble().q
    rigid = lw.simulate(linkage, q, t_end=0.5, effort=[6.0], method=lw.DOP853(1e-11))
    gaps = []
    for stiffness in (1e6, 1e8):
        springs = lw.VirtualSprings(stiffness, 0.01 * stiffness)
        run = lw.simulate(linkage, q, t_end=0.5, effort=[6.0], formulation=springs, method=lw.Rodas5P(1e-8))
        assert run.stats["steps"] < 400 and run.meta["energy_balance"]["relative"] < 1e-5
        gaps.append(np.abs(run.q - rigid.q).max())
    assert gaps[0] / gaps[1] == pytest.approx(100.0, rel=0.5)


def test_loops_by_multipliers_and_by_independent_speeds_agree():
    linkage = catalog_model("four-bar")
    runs = [
        lw.simulate(linkage, linkage.assemble().q, t_end=0.5, effort=[6.0], formulation=f, method=lw.Rodas5P(1e-9))
        for f in (None, lw.Minimal())
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8 and runs[0].closure.max() < 1e-12


def test_what_has_no_derivative_is_refused():
    linkage = catalog_model("four-bar")
    with pytest.raises(ArgumentError, match="has none"):
        lw.simulate(linkage, linkage.assemble().q, t_end=0.1, effort=lambda t, q, v: [0.0], method=lw.Rodas5P())
    with pytest.raises(ArgumentError, match="leave displacement out"):
        lw.simulate(
            linkage,
            linkage.assemble().q,
            t_end=0.1,
            formulation=lw.Minimal(displacement=True),
            method=lw.Rodas5P(),
        )
