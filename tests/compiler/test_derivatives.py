"""Derivatives are checked against central differences in extended precision, and against each other."""

import numpy as np
import pytest

from linkwright.compiler import evaluate, maximum, minimum, operation_count, select, trace
from linkwright.compiler.passes.program_derivatives import adjoint, jacobian, tangent
from linkwright.compiler.passes.schedule import fuse_products
from linkwright.compiler.runtime.kernel import compile_program
from linkwright.errors import ArgumentError
from tests.compiler.arms import arm_program


def differences(program, x, k):
    """Central differences of the first output in input k, extended precision."""
    step = np.longdouble(1e-6)
    columns = []
    for j in range(x[k].size):
        ends = []
        for sign in (1, -1):
            moved = [np.array(y, dtype=np.longdouble) for y in x]
            moved[k].flat[j] += sign * step
            ends.append(evaluate(program, *moved, dtype=np.longdouble))
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("prepare", [lambda p: p, fuse_products], ids=["plain", "fused"])
def test_jacobian_of_an_arm(prepare):
    program = prepare(arm_program(4))
    x = list(np.random.default_rng(0).normal(size=(3, 4)))
    found = evaluate(jacobian(program, ["q", "v", "a"]), *x)
    for k, name in enumerate("qva"):
        np.testing.assert_allclose(
            found[f"d_out_d_{name}"], differences(program, x, k).astype(float), rtol=1e-8, atol=1e-8
        )


def test_every_rule():
    def fn(x, y):
        smooth = [
            np.sqrt(y),
            np.arctan2(x, y),
            np.exp(x),
            np.log(y),
            np.tanh(x),
            1.0 / y,
            np.sin(x * y),
            np.cos(x / y),
            -x - y,
        ]
        return np.array([*smooth, abs(x), minimum(x, y), maximum(x, y), select(x, x * y, x - y)])

    program = trace(fn, {"x": (), "y": ()})
    for x in ([np.array(0.3), np.array(0.7)], [np.array(-0.6), np.array(0.4)]):
        for k, name in enumerate("xy"):
            exact = evaluate(jacobian(program, [name]), *x)
            np.testing.assert_allclose(exact, differences(program, x, k)[..., 0].astype(float), rtol=1e-9, atol=1e-9)


def test_tangent_is_the_jacobian_times_the_direction():
    program = arm_program(3)
    q, v, a, dq, dv, da = np.random.default_rng(1).normal(size=(6, 3))
    full = evaluate(jacobian(program, ["q", "v", "a"]), q, v, a)
    expected = full["d_out_d_q"] @ dq + full["d_out_d_v"] @ dv + full["d_out_d_a"] @ da
    np.testing.assert_allclose(evaluate(tangent(program), q, v, a, dq, dv, da), expected, rtol=1e-12)
    np.testing.assert_allclose(evaluate(tangent(program, ["v"]), q, v, a, dv), full["d_out_d_v"] @ dv, rtol=1e-12)


def test_shapes_values_and_choices():
    program = trace(lambda x, y: {"p": np.outer(x, y), "s": x @ y}, {"x": 2, "y": 2})
    found = evaluate(jacobian(program, ["y"], of=["p"], with_values=True), [1.0, 2.0], [3.0, 4.0])
    assert found["p"].tolist() == [[3.0, 4.0], [6.0, 8.0]]
    assert found["d_p_d_y"].shape == (2, 2, 2) and found["d_p_d_y"][1, 1].tolist() == [0.0, 2.0]


def test_structural_zeros_cost_nothing():
    assert jacobian(trace(lambda x: 3.0 * x, {"x": 50}), ["x"]).n_operations == 0


def test_derivatives_compile():
    program = jacobian(arm_program(3), ["q"])
    x = np.random.default_rng(2).normal(size=(3, 10, 3))
    np.testing.assert_allclose(compile_program(program)(*x), evaluate(program, *x), rtol=1e-11, atol=1e-12)


def test_unknown_names_are_refused():
    with pytest.raises(ArgumentError, match="no input 'z'"):
        jacobian(arm_program(2), ["z"])
    with pytest.raises(ArgumentError, match="no output 'z'"):
        jacobian(arm_program(2), ["q"], of=["z"])


def test_adjoint_is_the_transposed_jacobian_times_the_weights():
    program = arm_program(3)
    q, v, a, weights = np.random.default_rng(2).normal(size=(4, 3))
    full = evaluate(jacobian(program, ["q", "v", "a"]), q, v, a)
    found = evaluate(adjoint(program), q, v, a, weights)
    for name in "qva":
        np.testing.assert_allclose(found[f"{name}_bar"], full[f"d_out_d_{name}"].T @ weights, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(evaluate(adjoint(program, ["v"]), q, v, a, weights), found["v_bar"], rtol=0, atol=0)


def test_every_rule_in_reverse():
    def fn(x, y):
        chosen = [abs(x), minimum(x, y), maximum(x, y), select(x, x * y, x - y)]
        return np.array([np.sqrt(y), np.arctan2(x, y), np.exp(x), np.log(y), np.tanh(x), np.sin(x / y), *chosen])

    program = trace(fn, {"x": (), "y": ()})
    weights = np.random.default_rng(3).normal(size=10)
    for x in ([np.array(0.3), np.array(0.7)], [np.array(-0.6), np.array(0.4)]):
        found = evaluate(adjoint(program), *x, weights)
        for name in "xy":
            np.testing.assert_allclose(
                found[f"{name}_bar"], weights @ evaluate(jacobian(program, [name]), *x), rtol=1e-12
            )


def test_adjoint_costs_a_few_times_the_program_whatever_the_inputs():
    program = arm_program(8)
    assert operation_count(adjoint(program)).total < 5 * operation_count(program).total


def test_outputs_without_weights_have_none():
    program = trace(lambda x, y: {"p": x * y, "s": x @ y}, {"x": 2, "y": 2})
    found = evaluate(adjoint(program, ["x"], of=["s"]), [1.0, 2.0], [3.0, 4.0], 2.0)
    assert found.tolist() == [6.0, 8.0]
    with pytest.raises(ArgumentError, match="no output"):
        adjoint(program, of=["t"])
