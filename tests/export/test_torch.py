"""Functions in PyTorch are those of the model: values to 1e-12, derivatives to 1e-10, backward and forward."""

import numpy as np
import pytest

import linkwright as lw
from tests.export.learners import FUNCTIONS, given, jacobians, model, states

torch = pytest.importorskip("torch", reason="needs the extra torch")
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def close(found, expected, share):
    several = found if isinstance(found, list | tuple) else [found]
    others = expected if isinstance(expected, list | tuple) else [expected]
    for a, b in zip(several, others, strict=True):
        b = b.numpy() if isinstance(b, torch.Tensor) else b
        assert np.abs(a.detach().numpy() - b).max() <= share * max(1.0, np.abs(b).max())


@pytest.mark.parametrize(("name", "function", "frame"), FUNCTIONS)
def test_values_and_derivatives_are_the_models(name, function, frame):
    program, x, expected = given(name, function, frame)
    f = lw.export.torch_function(model(name), function, frame=frame)
    x = [torch.tensor(each) for each in x]
    close(f(*x), expected, 1e-12)
    close(torch.func.vmap(f)(*x), expected, 1e-12)
    every = tuple(range(len(x)))
    forward, backward = (torch.func.vmap(way(f, argnums=every))(*x) for way in (torch.func.jacfwd, torch.func.jacrev))
    close(forward, jacobians(program, [each.numpy() for each in x]), 1e-10)
    close(backward, forward, 1e-10)


def test_gradients_pass_pytorchs_own_checks():
    q, v, tau = (torch.tensor(states("five-bar")[name], requires_grad=True) for name in ("q", "v", "tau"))
    f = lw.export.torch_function(model("five-bar"), "forward_dynamics")
    assert torch.autograd.gradcheck(f, (q, v, tau), check_forward_ad=True, rtol=1e-6)
    energy = lw.export.torch_function(model("three-link-arm"), "energy")
    arm = [torch.tensor(states("three-link-arm")[name], requires_grad=True) for name in ("q", "v")]
    assert torch.autograd.gradgradcheck(lambda *x: energy(*x)[0], arm)


def test_batches_broadcast_and_other_precisions_are_taken():
    f, s = lw.export.torch_function(model("five-bar"), "forward_dynamics"), states("five-bar")
    alone = torch.zeros(2, requires_grad=True)  # single precision, one for all states
    found = f(s["q"], s["v"], alone)
    assert found.dtype == torch.float64
    close(found, model("five-bar").forward_dynamics(s["q"], s["v"], np.zeros(2)), 1e-12)
    found.sum().backward()
    assert alone.grad.shape == (2,) and alone.grad.dtype == torch.float32


@pytest.mark.parametrize("name", ["five-bar", "gough-stewart"])
def test_kinematics_close_the_loops_and_their_derivative_is_the_velocity(name):
    s = {key: torch.tensor(x) for key, x in states(name).items()}
    f = lw.export.torch_function(model(name), "forward_kinematics")
    close(f(s["q_act"], s["v_act"], s["a_act"]), [s["q"], s["v"], s["a"]], 1e-11)
    dots = (s["v_act"], s["a_act"])
    _, (_, v_dot, _) = torch.func.jvp(lambda x, y: f(x, y), (s["q_act"], s["v_act"]), dots)
    close(v_dot, s["a"], 1e-9)
    x = s["q_act"].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: f(x)[0], (x,), rtol=1e-6)


def test_jacobians_through_kinematics_are_those_of_independent_coordinates():
    s = {key: torch.tensor(x) for key, x in states("five-bar").items()}
    close_loops = lw.export.torch_function(model("five-bar"), "forward_kinematics")
    efforts = lw.export.torch_function(model("five-bar"), "inverse_dynamics")
    J = torch.func.vmap(torch.func.jacrev(lambda *x: efforts(*close_loops(*x)), argnums=(0, 1, 2)))
    expected = model("five-bar").inverse_dynamics_derivatives(*(s[name].numpy() for name in ("q", "v", "a")))
    close(J(s["q_act"], s["v_act"], s["a_act"]), expected, 1e-10)


def test_submechanisms_map_both_ways():
    crank = lw.submechanism(lw.catalog.load("slider-crank"), ["crank_angle"], ["stroke"])
    x = torch.tensor([[0.7], [1.1]], dtype=torch.float64)
    there, back, J = (lw.export.torch_function(crank, name) for name in ("from_inputs", "from_outputs", "jacobian"))
    state = crank.from_inputs(x.numpy())
    close(there(x), state.outputs, 1e-12)
    close(back(state.outputs, near=state.q), x, 1e-12)
    close(J(x), crank.jacobian(state.q), 1e-10)
    close(torch.func.vmap(torch.func.jacrev(there))(x), crank.jacobian(state.q), 1e-10)
