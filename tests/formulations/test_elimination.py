"""The planned symmetric elimination solves what LAPACK solves, one matrix at a time and many at once."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.formulations.elimination import factor_in_order, solve_factored
from linkwright.functions import setup
from linkwright.mechanism import Inertia
from linkwright.plans.elimination_orders import choose_pivot_order
from tests.loops.cases import ask
from tests.loops.mechanisms import Mechanics


def bordered(samples: int, n: int, m: int) -> np.ndarray:
    """Symmetric matrices [M J^T; J 0] with the first rows of M massless, (samples, n + m, n + m)."""
    rng = np.random.default_rng(5)
    half = rng.normal(size=(samples, n, n))
    K = np.zeros((samples, n + m, n + m))
    K[:, :n, :n] = half @ half.transpose(0, 2, 1) + np.eye(n)
    K[:, :m, :n] = K[:, :n, :m] = 0.0
    K[:, n:, :n] = rng.normal(size=(samples, m, n)) + 3.0 * np.eye(m, n)
    K[:, :n, n:] = K[:, n:, :n].transpose(0, 2, 1)
    return K


@pytest.mark.parametrize("pairs", [False, True])
def test_planned_solves_are_dense_solves(pairs):
    K = bordered(20, 6, 3)
    if not pairs:
        K = K + 0.5 * np.diag([1.0] * 6 + [-1.0] * 3)
    plan = choose_pivot_order(K, np.any(K != 0.0, axis=0), threshold=0.01, pairs=pairs).plan
    assert any(len(pivot) == 2 for pivot in plan.pivots) == pairs
    b = np.random.default_rng(6).normal(size=(20, 9))
    expected = np.linalg.solve(K, b[:, :, None])[:, :, 0]
    together = solve_factored(factor_in_order(np.moveaxis(K, 0, -1), plan), b.T).T
    alone = np.array([solve_factored(factor_in_order(k, plan), y) for k, y in zip(K, b)])
    assert together == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert alone == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "light"), [("3-rps", ("lower", "upper")), ("hexam", ("slider", "leg"))])
def test_massless_legs_leave_the_platform_its_motion(name, light):
    """Only the platform has mass: the planned elimination still gives what a dense solve gives."""
    mech = catalog.load(name)
    bodies = [replace(b, inertia=Inertia()) if b.name.rstrip("123456") in light else b for b in mech.bodies]
    made = Mechanics(setup(replace(mech, bodies=tuple(bodies)), None))
    q = made.branch_samples[:20]
    v, tau = np.zeros((20, made.setup.tree.nv)), np.random.default_rng(7).normal(size=(20, len(made.setup.drives)))
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    K, b = ask(made.kernels, "kkt_matrix", q), ask(made.kernels, "kkt_right_side", q, v, tau)
    expected = np.linalg.solve(K, b[:, :, None])[:, : made.setup.tree.nv, 0]
    assert np.abs(a - expected).max() < 1e-10 * np.abs(expected).max()
