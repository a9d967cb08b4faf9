"""Compiled, batched, interpreted and plain float results agree; extended precision is the judge."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.mechanism.tree import spanning_tree
from linkwright.recursion import forward_recursion, inverse_recursion
from tests.loops.mechanisms import NAMES
from tests.model.models import model

ROUND_OFF = 1e-13


def states(m: lw.Model, n: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Closed coordinates, consistent speeds and accelerations, and efforts."""
    rng = np.random.default_rng(1)
    home = m.assemble().q
    q = np.repeat(home[None, :], n, axis=0)
    if not m.mechanism.loops:
        q = q + rng.normal(size=q.shape)
    tau = rng.normal(size=(n, m.na))
    v = (m.independent_map(q) @ rng.normal(size=(n, m.mobility, 1)))[..., 0]
    return q, v, m.forward_dynamics(q, v, tau), tau


def condition(m: lw.Model, q: np.ndarray) -> np.ndarray:
    """Condition number of what forward dynamics solves, with rows and columns of unlike units scaled."""
    M, J = m.mass_matrix(q), m.closure_jacobian(q)
    zero = np.zeros((*J.shape[:-1], J.shape[-2]))
    K = np.concatenate([np.concatenate([M, np.swapaxes(J, -1, -2)], -1), np.concatenate([J, zero], -1)], -2)
    values = np.linalg.svd(K, compute_uv=False)
    small = np.where(values > 1e-12 * values[..., :1], values, values[..., :1])
    return values[..., 0] / small.min(axis=-1)


RIGID = [*NAMES, "stanford-arm", "three-link-arm", "sarrus", "puma-560"]  # no actuator drives the shapes of a beam


@pytest.mark.parametrize(
    ("function", "name"),
    [
        *(("inverse_dynamics", name) for name in RIGID),
        *(("forward_dynamics", name) for name in [*RIGID, "four-bar-flexible"]),
    ],
)
def test_every_formulation_agrees_with_extended_precision(name, function):
    m = model(name)
    q, v, a, tau = states(m)
    given = (q, v, a) if function == "inverse_dynamics" else (q, v, tau)
    program = m.program(function)
    exact = evaluate(program, *given, dtype=np.longdouble)
    scale = np.abs(exact).max() + np.abs(m.bias_forces(q, v)).max()
    allowed = (
        ROUND_OFF * scale * (1.0 if function == "inverse_dynamics" and not m.mechanism.loops else condition(m, q).max())
    )
    batch = getattr(m, function)(*given)
    alone = np.array([getattr(m, function)(*(x[i] for x in given)) for i in range(len(q))])
    assert np.array_equal(batch, alone)
    for formulation in (batch, evaluate(program, *given)):
        assert np.abs(formulation - exact).max() < allowed


@pytest.mark.parametrize("name", ["three-link-arm", "stanford-arm"])
def test_the_recursions_on_floats_agree_with_the_compiled_code(name):
    m = model(name)
    tree = spanning_tree(m.mechanism)
    q, v, a, tau = states(m)
    plain = np.array([inverse_recursion.tree_inverse_dynamics(tree, *row) for row in zip(q, v, a, strict=True)])
    assert np.abs(plain - m.inverse_dynamics(q, v, a)).max() < ROUND_OFF * np.abs(plain).max()
    for method in (forward_recursion.tree_forward_dynamics, forward_recursion.composite_forward_dynamics):
        plain = np.array([method(tree, *row) for row in zip(q, v, tau, strict=True)])
        bound = ROUND_OFF * np.abs(plain).max() * condition(m, q).max()
        assert np.abs(plain - m.forward_dynamics(q, v, tau)).max() < bound
