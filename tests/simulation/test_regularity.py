"""Zeros of determinants that drivers judge themselves: the same events as when their caller examines them."""

from itertools import pairwise

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.native import native_function
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.multipliers import Multipliers
from linkwright.simulation.drivers.regularity import is_positive_definite, largest_row_sum, square_equations
from linkwright.simulation.problem.problem import problem_of_model
from linkwright.simulation.running.run_workspace import RunWorkspace


def surely(J: np.ndarray, rank: int, share: float) -> bool:
    """The judgment of a driver about equations with unit entries, its first rows independent."""
    n, m = J.shape
    A, column = np.zeros(n * n), np.zeros(n)
    native_function(square_equations)(n, m, np.arange(n), J.ravel(), np.ones(n * m), column, A)
    A[:: n + 1][:rank] -= share**2 * native_function(largest_row_sum)(n, A, column)
    return bool(native_function(is_positive_definite)(n, rank, A, column))


@pytest.mark.parametrize("seed", range(20))
def test_equations_that_surely_keep_their_rank_do(seed):
    """Sufficient for the ratio of singular values, and necessary up to the bound on the largest one."""
    rng = np.random.default_rng(seed)
    n, extra, m = (int(rng.integers(*x)) for x in ((2, 9), (0, 4), (9, 14)))
    U, V = (np.linalg.qr(rng.standard_normal((k, k)))[0] for k in (n, m))
    J = np.array(U * np.geomspace(1.0, rng.uniform(1e-3, 1.0), n)) @ V[:n]
    J = np.vstack([J, rng.standard_normal((extra, n)) @ J])
    values, largest = np.linalg.svd(J, compute_uv=False)[:n], np.abs(J @ J.T).sum(axis=1).max()
    least = np.linalg.svd(J[:n], compute_uv=False)[-1]
    for share in np.geomspace(1e-4, 1.0, 40):
        found = surely(J, n, share)
        assert not found or values[-1] > share * values[0]
        assert found == (least**2 > share**2 * largest) or least**2 == pytest.approx(share**2 * largest, rel=1e-9)


def test_equations_that_are_not_numbers_are_left_to_the_caller():
    assert not surely(np.array([[1.0, np.nan], [0.0, 1.0]]), 2, 1e-3)


@pytest.fixture
def slices(monkeypatch):
    """Spent times of the slices of native work, one by one."""
    spent: list[float] = []
    ran = RunWorkspace.ran

    def counted(memory, seconds):
        spent.append(seconds)
        ran(memory, seconds)

    monkeypatch.setattr(RunWorkspace, "ran", counted)
    return spent


def let_go(name: str, formulation: object, examined_by_the_caller: bool) -> lw.Result:
    model = lw.build(lw.catalog.load(name))
    if examined_by_the_caller:
        problem_of_model(model, formulation).functions.pop("equations")
    q = model.kinematics.branch_samples[3]
    return lw.simulate(model, q, t_end=1.5, formulation=formulation, method=lw.DOP853(rtol=1e-6), check=False)


@pytest.mark.parametrize("name", ["3-rrr", "gough-stewart"])
@pytest.mark.parametrize("formulation", [Multipliers(), Minimal()])
def test_drivers_note_what_their_callers_would(name, formulation, slices):
    own = let_go(name, formulation, False)
    n = len(slices)
    theirs = let_go(name, formulation, True)
    assert any(e.name == "type2" for e in own.events)
    assert [(e.t, e.kind, e.name, e.text) for e in own.events] == [(e.t, e.kind, e.name, e.text) for e in theirs.events]
    assert all(a.t <= b.t for a, b in pairwise(own.events))
    assert np.array_equal(own.q, theirs.q) and n < len(slices) - n
