"""Kept closure equations that degenerate where the mechanism is regular, and true singularities next to them."""

from functools import lru_cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.dynamics.independent_velocities import (
    complete_independent_motion,
    dense_complement,
    dense_forward_derivatives,
    dense_inverse_derivatives,
    dense_linear_model,
)
from linkwright.errors import SingularityError
from linkwright.functions import function_registry
from linkwright.functions.loop import closure_functions, multiplier_functions
from linkwright.kinematics.assembly import extra_equation_count
from linkwright.plans.closed_samples import random_closed
from tests.kinematics.test_bad_loops import four_bar
from tests.loops.mechanisms import Mechanics, closed_states, mechanics
from tests.model.models import model


def kept_quality(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest over largest singular value of Bricard's kept rows and of all rows, per position."""
    made = mechanics("bricard")
    J = made.all_rows.function(closure_functions.closure_jacobian)(q) / made.scales.rows[:, None] * made.scales.speeds
    values = (np.linalg.svd(x, compute_uv=False)[:, :4] for x in (J[:, list(made.rank.kept)], J))
    return tuple(s[:, -1] / s[:, 0] for s in values)


@lru_cache
def degenerate() -> np.ndarray:
    """A position of Bricard's mechanism in which the kept rows are dependent to 1e-7 and all rows are not."""
    made = mechanics("bricard")
    q = made.branch_samples[np.argsort(kept_quality(made.branch_samples)[0])[:1]]
    step = 0.05
    while step > 1e-9:
        R = dense_complement(made.kinematics, q[0]).R[:, 0]
        R = R / np.abs(R).max()
        trials = [
            q[0],
            *(made.all_rows.function(closure_functions.advanced)(q[0], s * step * R) for s in (-1.0, -0.5, 0.5, 1.0)),
        ]
        trials = np.array([model("bricard").assemble(guess=x).q for x in trials])
        best = int(np.argmin(kept_quality(trials)[0]))
        q, step = trials[best : best + 1], step if best else 0.4 * step
    return q[0]


def test_the_position_found_is_degenerate_in_the_kept_rows_alone():
    kept, every = kept_quality(degenerate()[None, :])
    assert kept[0] < 1e-6 and every[0] > 1e-2


def test_bricards_map_is_right_where_the_kept_rows_degenerate():
    m, q = model("bricard"), degenerate()
    R = m.independent_map(q)
    assert np.abs(m.closure_jacobian(q) @ R).max() < 1e-10 * np.abs(R).max()
    assert R[list(m.v_names).index(m.independent[0]), 0] == pytest.approx(1.0)
    assert m.minimal_inertia(q) == pytest.approx(R.T @ m.mass_matrix(q) @ R, rel=1e-9)


def test_bricards_dynamics_agree_where_the_kept_rows_degenerate():
    m, q = model("bricard"), degenerate()
    v, a = complete_independent_motion(m.kinematics, q, np.array([0.5]), np.array([0.3]))
    tau = m.inverse_dynamics(q, v, a)
    assert m.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-8, abs=1e-8)
    tau_q, tau_v, tau_a = m.inverse_dynamics_derivatives(q, v, a)
    by_q, by_v, by_tau = (x[[0]] for x in m.forward_dynamics_derivatives(q, v, tau))
    assert tau_a @ by_tau == pytest.approx(np.eye(1), rel=1e-8)
    assert tau_a @ by_q == pytest.approx(-tau_q, rel=1e-8)
    assert tau_a @ by_v == pytest.approx(-tau_v, rel=1e-8, abs=1e-12)


def test_bricards_joints_carry_the_forces_that_move_its_bodies_where_the_kept_rows_degenerate():
    """Wrenches vary smoothly through the position: at its middle they are the mean of those at both sides."""
    m, q = model("bricard"), degenerate()
    sides = []
    for step in (-1e-4, 0.0, 1e-4):
        at = q if step == 0.0 else m.forward_kinematics(q[[0]] + step, near=q)[0]
        v, a = complete_independent_motion(m.kinematics, at, np.array([0.5]), np.array([0.3]))
        sides.append(m.joint_reactions(at, v, a))
    for joint, wrench in sides[1].items():
        mean = 0.5 * (sides[0][joint] + sides[2][joint])
        assert wrench == pytest.approx(mean, abs=1e-6 * np.abs(mean).max())


def test_bricard_is_followed_through_positions_where_the_kept_rows_degenerate():
    m, q = model("bricard"), degenerate()
    around = q[0] + np.linspace(-0.2, 0.2, 9)
    found, v, _ = m.forward_kinematics(
        around[:, None], np.ones((9, 1)), near=m.forward_kinematics(around[[0]], near=q)[0]
    )
    assert np.abs(m.closure_residual(found)).max() < 1e-11
    assert found[:, 0] == pytest.approx(around)
    assert np.abs(np.diff(found, axis=0)).max() < 0.5
    assert np.abs(m.closure_jacobian(found) @ v[..., None]).max() < 1e-9 * np.abs(v).max()


@pytest.mark.parametrize("name", ["3-rps", "bricard", "four-bar"])
def test_dense_answers_are_the_compiled_ones(name):
    """Two ways to the same maps and derivatives: planned elimination of kept rows, and least squares on all rows."""
    made = mechanics(name)
    ((q, v, tau),) = closed_states(name, 1, seed=13)
    programs = made.minimal
    a = evaluate(made.kernels.program(multiplier_functions.loop_forward_dynamics), q, v, tau)[0]
    pairs = {
        "independent_map": (dense_complement(made.kinematics, q).R, (q,)),
        "checked_forward_derivatives": (dense_forward_derivatives(made.dynamics, q, v, tau), (q, v, tau)),
        "checked_inverse_derivatives": (dense_inverse_derivatives(made.dynamics, q, v, a), (q, v, a)),
        "checked_linear_model": (dense_linear_model(made.dynamics, q, v, tau), (q, v, tau)),
    }
    for program, (dense, state) in pairs.items():
        compiled = evaluate(programs.program(function_registry.definition_of_name(program)), *state)
        assert np.abs(compiled - dense).max() < 1e-9 * np.abs(dense).max()


FUNCTIONS = {
    "independent_map": lambda m, q: m.independent_map(q),
    "minimal_inertia": lambda m, q: m.minimal_inertia(q),
    "linearize": lambda m, q: m.linearize(q, np.zeros(3), np.zeros(1))[0],
    "forward_dynamics_derivatives": lambda m, q: m.forward_dynamics_derivatives(q, np.zeros(3), np.zeros(1))[0],
    "inverse_dynamics_derivatives": lambda m, q: m.inverse_dynamics_derivatives(q, np.zeros(3), np.zeros(3))[0],
}


@pytest.mark.parametrize("requested", FUNCTIONS)
def test_a_flat_parallelogram_is_refused_alone_and_is_a_row_of_nan_in_a_batch(requested):
    m, flat = lw.build(four_bar(1.0, 3.0, 1.0, 3.0)), np.zeros(3)
    good = m.assemble(fixed={"A": 0.5}).q
    with pytest.raises(SingularityError, match=r"singularity \(constraint\).*independent velocities \['A'\]") as caught:
        FUNCTIONS[requested](m, flat)
    assert caught.value.data["kind"] == "constraint"
    both = FUNCTIONS[requested](m, np.array([flat, good]))
    assert np.isnan(both[0]).all() and np.isfinite(both[1]).all()


def test_a_position_in_which_the_actuators_do_not_hold_the_mechanism_is_refused_as_such():
    """A four-bar with its coupler and rocker in line: the crank's speed does not decide theirs."""
    m = lw.build(four_bar(a=1.0, b=2.0, c=1.5, d=2.6), ["D"])
    stretched = _in_line(1.0, 2.0, 1.5, 2.6)
    assert np.abs(m.closure_residual(stretched)).max() < 1e-12
    with pytest.raises(SingularityError, match=r"singularity \(type2\)"):
        m.independent_map(stretched)


def _in_line(a: float, b: float, c: float, d: float) -> np.ndarray:
    """Crank and coupler in line, on a triangle with the rocker and the base."""
    first = np.arccos(((a + b) ** 2 + d**2 - c**2) / (2.0 * (a + b) * d))
    tip = (a + b) * np.array([np.cos(first), np.sin(first)])
    return np.array([first, 0.0, np.arctan2(tip[1], tip[0] - d)])


def test_a_parallelogram_that_is_folded_over_is_reported():
    """An antiparallelogram closes as well, but there equations count that the parallelogram's leave out."""
    slide = lw.build(lw.catalog.load("orthoglide"))
    assert slide.mobility == 3 and slide.assemble().residual < 1e-12
    made = Mechanics.of(slide)
    found = random_closed(made.all_rows, 30, np.random.default_rng(3))
    more = np.array([extra_equation_count(made.kinematics, q) for q in found])
    assert {0, 3} <= set(more.tolist())
    guess = found[np.argmax(more)]
    with pytest.warns(lw.errors.AccuracyWarning, match="3 more of its closure equations count, so it has 0 degrees"):
        slide.assemble(guess=guess)
    slide.assemble(guess=found[np.argmin(more)])
