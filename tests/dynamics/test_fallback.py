"""Answers where the planned order meets small pivots: corrected, solved densely, or given with a word of warning."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.fallback import bordered_accelerations, dense_efforts
from linkwright.formulations.elimination import refine_solution, sign_patterns
from linkwright.functions import Kernels
from linkwright.functions.fallback_chain import least_relative_pivot, small_pivot_share
from linkwright.functions.loop import multiplier_functions
from linkwright.numerics.tolerances import SMALL_PIVOT
from tests.loops.hard import allowed_motions, measures, near_zero, polished
from tests.loops.mechanisms import Mechanics

CORRECTED = ("delta", "hexam", "gough-stewart", "3-rrr", "bricard")


def test_share_multiplies_what_is_small_and_ignores_what_is_not():
    sizes, typical = (
        [2.0, 0.5 * SMALL_PIVOT, 3.0 * SMALL_PIVOT, 0.1 * SMALL_PIVOT * 7.0, 1e-9],
        (1.0, 1.0, 1.0, 7.0, 0.0),
    )
    assert small_pivot_share(sizes, typical) == pytest.approx(0.05, rel=1e-12)
    assert least_relative_pivot(sizes, typical) == pytest.approx(0.1 * SMALL_PIVOT, rel=1e-12)


@pytest.mark.parametrize("unit", [1e-60, 1.0, 1e60])
def test_share_does_not_depend_on_units(unit):
    sizes, typical = [3.0, 0.02, 0.5, 0.01, 4.0], (1.0, 1.0, 1.0, 1.0, 1.0)
    scaled = small_pivot_share([unit * x for x in sizes], tuple(unit * t for t in typical))
    assert scaled == pytest.approx(small_pivot_share(sizes, typical), rel=1e-12)


def test_one_correction_leaves_the_square_of_the_error():
    rng = np.random.default_rng(0)
    A, right, wrong = rng.normal(size=(8, 8)), rng.normal(size=8), 1e-5 * rng.normal(size=(8, 8))
    found = refine_solution(lambda y: np.linalg.solve(A + wrong, y), A, A @ right, abs(A), abs(A @ right))
    rho = np.abs(found.correction).max() / np.abs(right).max()
    assert 1e-7 < rho < 1e-2
    assert np.abs(found.x - right).max() < 20.0 * rho**2 * np.abs(right).max()


def test_no_two_entries_keep_the_same_or_opposite_signs():
    pattern = np.array(sign_patterns(42))
    for i in range(42):
        for j in range(i):
            assert {float(x) for x in pattern[:, i] * pattern[:, j]} == {-1.0, 1.0}


def doubtful(model, n=4000):
    """States that the first elimination leaves to the second, which results them: q, v, tau."""
    mechanics, rng = Mechanics.of(model), np.random.default_rng(1)
    q = np.concatenate([mechanics.samples, mechanics.branch_samples])[:n]
    v = (allowed_motions(mechanics, q) @ rng.normal(size=(len(q), mechanics.mobility, 1)))[
        :, :, 0
    ] * mechanics.scales.speeds
    tau, apart = rng.normal(size=(len(q), model.na)), Kernels(mechanics.kernels.stage)
    first = np.isnan(apart.code(multiplier_functions.checked_forward_dynamics)(q, v, tau)[:, 0])
    second = apart.code(multiplier_functions.second_forward_dynamics)(q[first], v[first], tau[first])
    kept = np.flatnonzero(first)[~np.isnan(second[:, 0])]
    return q[kept], v[kept], tau[kept]


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("name", CORRECTED)
def test_corrected_answers_are_dense_ones_alone_and_in_batches(name):
    model = lw.build(lw.catalog.load(name))
    q, v, tau = (x[:8] for x in doubtful(model))
    assert len(q) > 0
    a = model.forward_dynamics(q, v, tau)
    alone = np.array([model.forward_dynamics(*state) for state in zip(q, v, tau)])
    assert np.array_equal(a, alone)
    for state, found in zip(zip(q, v, tau), a):
        expected = bordered_accelerations(model.dynamics, *state)
        assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_that_are_not_finite_stay_nan_beside_corrected_ones():
    model = lw.build(lw.catalog.load("delta"))
    q, v, tau = (x[:3].copy() for x in doubtful(model))
    v[1, 0] = np.nan
    a = model.forward_dynamics(q, v, tau)
    assert np.isnan(a[1]).all()
    assert np.isfinite(a[[0, 2]]).all()


@pytest.mark.parametrize("formulation", [lw.Minimal(), lw.Multipliers(lw.Baumgarte(20.0))])
@pytest.mark.parametrize("name", ["delta", "3-rrr"])
def test_other_formulations_agree_in_doubtful_states(name, formulation):
    model = lw.build(lw.catalog.load(name))
    q, v, tau = (x[:8] for x in doubtful(model))
    a = model.forward_dynamics(q, v, tau)
    other = model.forward_dynamics(q, v, tau, formulation=formulation)
    assert np.abs(other - a).max(axis=1) == pytest.approx(0.0, abs=1e-9 * np.abs(a).max())


def near_type_2(name):
    """A model and a closed configuration about 1e-8 from where the actuators cannot hold it."""
    model = lw.build(lw.catalog.load(name))
    mechanics = Mechanics.of(model)
    q = polished(mechanics, near_zero(mechanics, measures(mechanics)["type II"], mechanics.branch_samples[:8], 25))
    distance = np.array([model.singularity(x).type2 for x in q])
    return model, q[np.argmin(np.abs(np.log(distance + 1e-300) - np.log(1e-8)))]


def test_minimal_speeds_that_fail_are_not_noticed_in_the_answer():
    """At a type 2 singularity the actuators are not independent, and accelerations are as good as elsewhere."""
    model, q = near_type_2("3-rrr")
    v, tau = np.zeros(model.nv), np.array([1.0, -2.0, 3.0])
    a = model.forward_dynamics(q, v, tau, formulation=lw.Minimal())
    assert a == pytest.approx(model.forward_dynamics(q, v, tau), rel=1e-9, abs=1e-9)


def test_efforts_next_to_a_type_2_singularity_come_with_a_warning():
    model, q = near_type_2("3-rrr")
    v = a = np.zeros(model.nv)
    a = model.forward_dynamics(q, v, np.array([1.0, -2.0, 3.0]))
    with pytest.warns(
        lw.errors.AccuracyWarning, match=r"efforts of mechanism '3-rrr' .* so near .* fewer than 10 digits"
    ) as found:
        tau = model.inverse_dynamics(q, v, a)
    assert 0 <= found[0].message.finding.value < 10
    with pytest.warns(lw.errors.AccuracyWarning, match="efforts"):
        batch = model.inverse_dynamics(q[None], v[None], a[None])
    assert np.array_equal(batch[0], tau)
    near = model.singularity(q)
    assert near.condition > 1e6
    assert "digits" in near.description
    mechanics = Mechanics.of(model)
    assert tau == pytest.approx(dense_efforts(mechanics.dynamics, q, model.generalized_forces(q, v, a)), rel=1e-12)


def test_a_position_far_from_singularities_needs_no_warning():
    model = lw.build(lw.catalog.load("3-rrr"))
    q, v = model.assemble().q, np.zeros(model.nv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.inverse_dynamics(q, v, model.forward_dynamics(q, v, np.ones(3)))
    assert "digits" in model.singularity(q).description
    assert model.singularity(q).condition < 1e4
