"""Functions in JAX are those of the model: values to 1e-12, derivatives to 1e-10, jitted, mapped, both ways."""

import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import trace
from linkwright.errors import ArgumentError, MechanismError
from linkwright.formats import from_yaml
from tests.export.learners import FUNCTIONS, given, jacobians, model, states

jax = pytest.importorskip("jax", reason="needs the extra jax")
jax.config.update("jax_enable_x64", True)
METHODS = ["xla", "kernel"]


def close(found, expected, share):
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert np.abs(np.asarray(a) - b).max() <= share * max(1.0, np.abs(b).max())


@pytest.mark.parametrize(
    ("name", "function", "frame", "method"), [*((*each, "kernel") for each in FUNCTIONS), (*FUNCTIONS[-1], "xla")]
)
def test_values_and_derivatives_are_the_models(name, function, frame, method):
    program, x, expected = given(name, function, frame)
    f = lw.export.jax_function(model(name), function, frame=frame, method=method)
    close(jax.jit(f)(*x), expected, 1e-12)
    close(jax.jit(jax.vmap(f))(*x), expected, 1e-12)
    every = tuple(range(len(x)))
    forward, backward = (jax.jit(jax.vmap(way(f, argnums=every)))(*x) for way in (jax.jacfwd, jax.jacrev))
    close(forward, jacobians(program, x), 1e-10)
    close(backward, forward, 1e-10)


def test_second_derivatives_are_symmetric_and_those_of_differences():
    f = lw.export.jax_function(model("three-link-arm"), "energy", method="kernel")
    q, v = states("three-link-arm")["q"][0], states("three-link-arm")["v"][0]
    gradient = jax.jit(jax.grad(lambda q: f(q, v)[0]))
    H, h = jax.jit(jax.jacfwd(gradient))(q), 1e-5
    assert np.abs(H - H.T).max() < 1e-12
    numeric = [(gradient(q + h * e) - gradient(q - h * e)) / (2 * h) for e in np.eye(3)]
    assert np.abs(H - np.array(numeric)).max() < 1e-7
    assert np.abs(jax.jit(jax.jacrev(gradient))(q) - H).max() < 1e-12


@pytest.mark.parametrize(("name", "method"), [("five-bar", "xla"), ("gough-stewart", "kernel"), ("puma-560", "kernel")])
def test_kinematics_close_the_loops_and_their_derivative_is_the_velocity(name, method):
    s = states(name)
    f = lw.export.jax_function(model(name), "forward_kinematics", method=method)
    q, v, a = jax.jit(f)(s["q_act"], s["v_act"], s["a_act"])
    close((q, v, a), (s["q"], s["v"], s["a"]), 1e-11)
    pushed = jax.jit(lambda *x: jax.jvp(f, x, (s["v_act"], s["a_act"])))
    _, (q_dot, v_dot, _) = pushed(s["q_act"], s["v_act"])
    rates = np.array(
        [
            (model(name).integrate(q, v, 1e-6) - model(name).integrate(q, v, -1e-6)) / 2e-6
            for q, v in zip(s["q"], s["v"])
        ]
    )
    assert np.abs(q_dot - rates).max() < 1e-8
    assert np.abs(v_dot - s["a"]).max() < 1e-9 * max(1.0, np.abs(s["a"]).max())


def test_jacobians_through_kinematics_are_those_of_independent_coordinates():
    """d tau / d (q_act, v_act, a_act) by JAX's chain rule, and by the library's derivatives with closed loops."""
    five, s = model("five-bar"), states("five-bar")
    close_loops = lw.export.jax_function(five, "forward_kinematics", method="kernel")
    efforts = lw.export.jax_function(five, "inverse_dynamics", method="kernel")
    J = jax.jit(jax.vmap(jax.jacrev(lambda *x: efforts(*close_loops(*x)), argnums=(0, 1, 2))))(
        s["q_act"], s["v_act"], s["a_act"]
    )
    close(J, five.inverse_dynamics_derivatives(s["q"], s["v"], s["a"]), 1e-10)


def test_inverse_kinematics_and_parameters():
    five = lw.build(lw.catalog.load("five-bar"), inputs=["proximal", "distal"])
    s = states("five-bar")
    f = lw.export.jax_function(five, "forward_kinematics", method="kernel")
    by_p = jax.jit(jax.vmap(jax.jacfwd(lambda x, p: f(x, p=p)[0], argnums=1)))(
        s["q_act"], np.tile(five.parameters.values, (3, 1))
    )
    close(by_p, five.assembly_sensitivity(s["q"]), 1e-10)
    table = model("gough-stewart")
    pose = np.concatenate(table.frame_pose(states("gough-stewart")["q"], "platform"), axis=-1)
    q, _, _ = jax.jit(lw.export.jax_function(table, "inverse_kinematics", method="kernel"))(pose)
    back = np.concatenate(table.frame_pose(q, "platform"), axis=-1)
    assert np.abs(back - pose).max() < 1e-11


def test_submechanisms_map_both_ways_and_states_out_of_reach_are_nan():
    crank = lw.submechanism(lw.catalog.load("slider-crank"), ["crank_angle"], ["stroke"])
    x = np.array([[0.7], [1.1]])
    there, back, J = (lw.export.jax_function(crank, name) for name in ("from_inputs", "from_outputs", "jacobian"))
    state = crank.from_inputs(x)
    close(jax.jit(there)(x), state.outputs, 1e-12)
    known = jax.jit(back)(np.array([*state.outputs, [9.0]]), near=np.array([*state.q, state.q[0]]))
    close(known[:2], x, 1e-12)
    assert np.isnan(known[2]).all()
    close(jax.jit(J)(x), crank.jacobian(state.q), 1e-10)
    close(jax.jit(jax.vmap(jax.jacrev(there)))(x), crank.jacobian(state.q), 1e-10)


def test_tables_choices_and_roots_are_computed_in_rows():
    from linkwright.compiler import entry, interval, maximum, minimum, select

    def everything(x, y):
        k = interval(x, [0.0, 0.5, 1.0])
        return np.array([
            np.sqrt(x * x + 1.0), np.arctan2(x, y), np.exp(x), np.log(y * y + 1.0), np.tanh(x), abs(x), 1.0 / y, -x,
            select(x, y, -y), minimum(x, y), maximum(x, y), entry(k, [1.0, 2.0, 4.0, 8.0]) * x, np.sin(np.cos(x) * y),
        ])  # fmt: skip

    program = trace(everything, {"x": (), "y": ()})
    from linkwright.compiler import evaluate

    x, y = np.linspace(-1.0, 2.0, 7), np.linspace(0.5, 1.5, 7)
    for method in METHODS:
        close(lw.export.jax_function(program, method=method)(x, y), evaluate(program, x, y), 1e-14)


def test_arguments_are_checked():
    f = lw.export.jax_function(model("five-bar"), "mass_matrix")
    for wrong, message in (({"q": np.zeros(3)}, "has shape"), ({}, "missing"), ({"x": 1.0}, "no argument 'x'")):
        with pytest.raises(ArgumentError, match=message):
            f(**wrong)
    with pytest.raises(ArgumentError, match="unknown function 'mass'"):
        lw.export.jax_function(model("five-bar"), "mass")
    with pytest.raises(ArgumentError, match="method is 'gpu'"):
        lw.export.jax_function(model("five-bar"), "mass_matrix", method="gpu")
    with pytest.raises(MechanismError, match="do not determine"):
        lw.export.jax_function(lw.build(lw.catalog.load("five-bar"), ["theta1"]), "forward_kinematics")
    with jax.enable_x64(False), pytest.raises(ArgumentError, match="jax_enable_x64"):
        f(np.zeros(model("five-bar").nq))


def test_the_ankle_of_the_how_to_page_is_found_over_its_whole_range():
    page = Path(__file__).parents[2] / "docs" / "howto" / "humanoid-ankle.md"
    text = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[0]
    ankle = lw.submechanism(from_yaml(text), inputs=["motor1", "motor2"], outputs=["ankle"])
    grid = ankle.check_range(points=[25, 15])
    back, there = (lw.export.jax_function(ankle, name) for name in ("from_outputs", "from_inputs"))
    close(jax.jit(back)(grid.outputs), grid.inputs, 1e-12)
    close(jax.jit(there)(grid.inputs), grid.outputs, 1e-12)
