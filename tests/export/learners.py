"""States and functions that the exports to JAX and PyTorch are tried on."""

from functools import lru_cache

import numpy as np

import linkwright as lw

FUNCTIONS = [
    ("three-link-arm", "inverse_dynamics", None),
    ("puma-560", "frame_jacobian", "link6"),
    ("five-bar", "forward_dynamics", None),
]
KINEMATICS = ["five-bar", "gough-stewart", "puma-560"]


@lru_cache
def model(name):
    return lw.build(lw.catalog.load(name))


@lru_cache
def states(name, n=3):
    """Closed states near the home: q, v, a, tau."""
    made, rng = model(name), np.random.default_rng(7)
    q_act = made.actuator_positions(made.assemble().q) + 0.05 * rng.normal(size=(n, made.na))
    v_act, a_act, tau = rng.normal(size=(3, n, made.na))
    q, v, a = made.forward_kinematics(q_act, v_act, a_act)
    return {"q": q, "v": v, "a": a, "tau": tau, "q_act": q_act, "v_act": v_act, "a_act": a_act}


def given(name, function, frame=None):
    """Arguments of a function, and its results by the model's own program."""
    from linkwright.compiler import evaluate

    program = model(name).program(function, frame=frame)
    x = [states(name)[port.name] for port in program.inputs]
    return program, x, evaluate(program, *x)


def jacobians(program, x):
    """Derivatives by every input, by linkwright's own program of them, one state after the other."""
    from linkwright.compiler import evaluate, jacobian

    names = [port.name for port in program.inputs]
    found = evaluate(jacobian(program, names), *x)
    return [found] if isinstance(found, np.ndarray) else list(found.values())
