"""Derivatives of closed-loop dynamics and linear models, against complex steps, differences and each other."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.rotations import quaternion_product, rotation_matrix
from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError
from linkwright.export import casadi_function
from linkwright.functions import Kernels
from linkwright.functions.loop import (
    closure_functions,
    loop_derivative_functions,
    minimal_functions,
    multiplier_functions,
)
from linkwright.joints import Floating
from linkwright.mechanism.tree import Tree
from linkwright.plans.closure_newton import close_all
from tests.functions import complex_step
from tests.kinematics.test_bad_loops import four_bar
from tests.loops.mechanisms import SOME, closed_states, mechanics
from tests.model.models import model


def close_to(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> bool:
    return bool(np.abs(found - wanted).max() <= tolerance * max(np.abs(wanted).max(), 1e-300))


@pytest.mark.parametrize("name", SOME)
def test_forward_derivatives_are_those_of_complex_steps(name):
    made = mechanics(name)
    ((q, v, tau),) = closed_states(name, 1, seed=5)
    found = evaluate(made.minimal.program(loop_derivative_functions.checked_forward_derivatives), q, v, tau)
    assert close_to(found, complex_step.forward_derivatives(made, q, v, tau), 1e-11)


@pytest.mark.parametrize("name", SOME)
def test_inverse_derivatives_are_those_of_complex_steps(name):
    made = mechanics(name)
    ((q, v, tau),) = closed_states(name, 1, seed=6)
    a = evaluate(made.kernels.program(multiplier_functions.loop_forward_dynamics), q, v, tau)[0]
    found = evaluate(made.minimal.program(loop_derivative_functions.checked_inverse_derivatives), q, v, a)
    assert close_to(found, complex_step.inverse_derivatives(made, q, v, a), 1e-11)


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "bricard", "gough-stewart"])
def test_the_model_gives_the_same_alone_and_in_batches(name):
    m, made = model(name), mechanics(name)
    q, v, tau = (np.array(x) for x in zip(*closed_states(name, 3, seed=7)))
    n = m.mobility
    parts = m.forward_dynamics_derivatives(q, v, tau)
    assert [x.shape for x in parts] == [(3, m.nv, n), (3, m.nv, n), (3, m.nv, m.na)]
    wanted = evaluate(made.minimal.program(loop_derivative_functions.checked_forward_derivatives), q, v, tau)
    assert close_to(np.concatenate(parts, axis=-1), wanted, 1e-9)
    for row in range(3):
        for alone, together in zip(m.forward_dynamics_derivatives(q[row], v[row], tau[row]), parts, strict=True):
            assert np.array_equal(alone, together[row])


@pytest.mark.parametrize("name", ["five-bar", "3-rps", "delta"])
def test_central_differences_along_closed_motions_agree(name):
    """A third method, through the public functions alone: the actuators are moved and everything else follows."""
    m = model(name)
    q = m.assemble().q
    indices = [list(m.q_names).index(x) for x in m.independent]
    R = m.independent_map(q)
    rng = np.random.default_rng(1)
    v_act, tau = 0.3 * rng.normal(size=m.na), rng.normal(size=m.na) * 0.1
    dq, dv, dtau = m.forward_dynamics_derivatives(q, R @ v_act, tau)

    def accelerations(step: np.ndarray, extra: np.ndarray) -> np.ndarray:
        at, speeds, _ = m.forward_kinematics(q[indices] + step, v_act + extra, near=q)
        return m.forward_dynamics(at, speeds, tau)

    h, still = 1e-5, np.zeros(m.na)
    for k, e in enumerate(h * np.eye(m.na)):
        along = (accelerations(e, still) - accelerations(-e, still)) / (2 * h)
        faster = (accelerations(still, e) - accelerations(still, -e)) / (2 * h)
        assert close_to(dq[:, k], along, 1e-6)
        assert close_to(dv[:, k], faster, 1e-6)
    assert close_to(
        dtau,
        m.forward_dynamics(q, R @ v_act, tau + np.eye(m.na)).T - m.forward_dynamics(q, R @ v_act, tau)[:, None],
        1e-8,
    )


@pytest.mark.parametrize("name", ["3-rrr", "gough-stewart", "bricard"])
def test_forward_and_inverse_derivatives_undo_each_other(name):
    """tau(q, v, a(q, v, tau)) = tau: differentiated by q, v and tau."""
    m = model(name)
    ((q, v, tau),) = closed_states(name, 1, seed=8)
    chosen = [list(m.v_names).index(x) for x in m.independent]
    a = m.forward_dynamics(q, v, tau)
    by_q, by_v, by_tau = (x[chosen] for x in m.forward_dynamics_derivatives(q, v, tau))
    tau_q, tau_v, tau_a = m.inverse_dynamics_derivatives(q, v, a)
    assert close_to(tau_a @ by_q, -tau_q, 1e-10)
    assert close_to(tau_a @ by_v, -tau_v, 1e-10)
    assert close_to(tau_a @ by_tau, np.eye(m.na), 1e-10)


def test_the_minimal_inertia_is_the_derivative_of_the_efforts_by_acceleration():
    m = model("gough-stewart")
    ((q, v, tau),) = closed_states("gough-stewart", 1, seed=9)
    assert close_to(m.inverse_dynamics_derivatives(q, v, m.forward_dynamics(q, v, tau))[2], m.minimal_inertia(q), 1e-10)


@pytest.mark.parametrize("name", ["four-bar", "3-rrr"])
def test_casadi_differentiates_the_exported_program_to_the_same(name):
    """The chain rule by another tool: d a_ind along R of the exported minimal equations."""
    casadi = pytest.importorskip("casadi")
    made = mechanics(name)
    ((q, v, tau),) = closed_states(name, 1, seed=10)
    chosen = list(made.minimal.stage.partition.independent)
    map_of, dynamics = (
        casadi_function(made.minimal.program(x), name=x.name)
        for x in (minimal_functions.independent_map, minimal_functions.minimal_forward_dynamics)
    )
    x, u = casadi.SX.sym("x", len(q)), casadi.SX.sym("u", len(chosen))
    rebuilt = casadi.Function("f", [x, u], [dynamics(x, casadi.mtimes(map_of(x), u), tau)])
    derivative = casadi.Function("s", [x, u], [casadi.jacobian(rebuilt(x, u), x), casadi.jacobian(rebuilt(x, u), u)])
    by_q, by_v = (np.array(part) for part in derivative(q, v[chosen]))
    R = evaluate(made.minimal.program(minimal_functions.independent_map), q)
    found = evaluate(made.minimal.program(loop_derivative_functions.checked_forward_derivatives), q, v, tau)
    n = len(chosen)
    assert close_to(found[:, : 2 * n], np.hstack([by_q @ R, by_v]), 1e-10)


@pytest.mark.parametrize("name", ["four-bar", "3-rps", "gough-stewart"])
def test_the_linear_model_is_made_of_the_derivatives(name):
    m = model(name)
    ((q, v, tau),) = closed_states(name, 1, seed=11)
    chosen = [list(m.v_names).index(x) for x in m.independent]
    A, B = m.linearize(q, v, tau)
    dq, dv, dtau = (x[chosen] for x in m.forward_dynamics_derivatives(q, v, tau))
    n = m.mobility
    assert np.array_equal(A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    assert close_to(A[n:], np.hstack([dq, dv]), 1e-12) and close_to(B[n:], dtau, 1e-12)
    assert not B[:n].any()


def test_displacements_of_a_free_platform_turn_with_it():
    """Two neighboring motions part as the linear model says, also when only some of its speeds are independent."""
    made = mechanics("3-rps")
    ((q, v, tau),) = closed_states("3-rps", 1, seed=12)
    (free,) = [link.dofs.start for link in made.setup.tree.links if isinstance(link.kind, Floating)]
    kernels = made.minimal_on((free, free + 1, free + 5))
    AB = evaluate(kernels.program(loop_derivative_functions.checked_linear_model), q, v, tau)
    x, h = np.cos(np.arange(6.0)), 1e-3
    rate = (_apart(kernels, q, v, h, x) - _apart(kernels, q, v, -h, x)) / (2.0 * h)
    assert np.abs(AB[:3, :3] @ x[:3]).max() > 1e-2
    assert close_to(rate, AB[:3, :6] @ x, 1e-5)


def _apart(kernels: Kernels, q: np.ndarray, v: np.ndarray, time: float, x: np.ndarray) -> np.ndarray:
    """Distance per unit of x, in tangent coordinates, of two motions a little later that start at x = 0 and x."""
    chosen, size, ends = list(kernels.stage.partition.independent), 1e-5, []
    n, advanced = len(chosen), kernels.function(closure_functions.advanced)
    for sign in (1.0, -1.0):
        R = evaluate(kernels.program(minimal_functions.independent_map), q)
        start = close_all(kernels, advanced(q, sign * size * R @ x[:n])[None, :]).q[0]
        speeds = evaluate(kernels.program(minimal_functions.independent_map), start) @ (v[chosen] + sign * size * x[n:])
        ends.append(tangent_difference(kernels.setup.tree, advanced(q, time * v), advanced(start, time * speeds)))
    return (ends[0] - ends[1])[chosen] / (2.0 * size)


def tangent_difference(tree: Tree, q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The small displacement from q to another, floating joints in body axes, (nv,)."""
    out = np.zeros(tree.nv)
    for link in tree.links:
        one, two = q[link.coords], other[link.coords]
        if isinstance(link.kind, Floating):
            R = rotation_matrix(one[3:])
            turn = 2.0 * np.asarray(quaternion_product(one[3:] * [1.0, -1.0, -1.0, -1.0], two[3:]))[1:]
            out[link.dofs] = np.concatenate([turn, R.T @ (two[:3] - one[:3])])
        else:
            out[link.dofs] = two - one
    return out


def test_actuators_that_are_not_the_independent_speeds_have_derivatives_too():
    """A four-bar driven at its cut joint: the efforts are those of the crank divided by the speeds' ratio."""
    m = lw.build(four_bar(), ["C"])
    q = m.assemble().q
    v = m.independent_map(q) @ [0.7]
    a = m.forward_dynamics(q, v, [0.3])
    by_q, by_v, by_a = m.inverse_dynamics_derivatives(q, v, a)
    chosen = [list(m.v_names).index(x) for x in m.independent]
    forward = [x[chosen] for x in m.forward_dynamics_derivatives(q, v, [0.3])]
    assert by_a @ forward[2] == pytest.approx(np.eye(1), abs=1e-11)
    assert by_q == pytest.approx(-by_a @ forward[0], abs=1e-10)
    assert by_v == pytest.approx(-by_a @ forward[1], abs=1e-10)
    batch = m.inverse_dynamics_derivatives(np.array([q, q + np.nan]), v, a)[0]
    assert batch[0] == pytest.approx(by_q) and np.isnan(batch[1]).all()


def test_efforts_that_must_be_shared_have_no_derivatives():
    m = lw.build(four_bar(), ["A", "D"])
    q = m.assemble().q
    with pytest.raises(ArgumentError, match="1 degrees of freedom and 2 actuators, so its efforts depend on how"):
        m.inverse_dynamics_derivatives(q, np.zeros(3), np.zeros(3))
