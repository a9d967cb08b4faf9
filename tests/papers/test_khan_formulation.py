"""Khan's formulation: annihilators, K, J, the three-step inverse dynamics and the per-chain forward dynamics."""

import numpy as np
import pytest

from linkwright.algebra.vectors import cross_product
from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError
from linkwright.functions import function_registry
from linkwright.joints import Cylindrical, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.kinematics.forward_kinematics import follow_actuator_path
from linkwright.papers import leg_chains as chains
from linkwright.papers.khan import khan_equations as khan
from linkwright.papers.khan.khan_equations import Khan, find_annihilation, geometric_annihilator, numeric_annihilator
from linkwright.papers.paper_method import require_paper
from tests.loops.cases import ask, case
from tests.loops.mechanisms import NAMES, mechanics
from tests.loops.paper_states import (
    assert_burdens_are_carried,
    assert_paper_equals_engine,
    engine_states,
    evaluated_paper,
)
from tests.sampling import sample

REFUSED = {"delta": "'arm1', which has 3 joints", "four-bar-flexible": "flexible body"}
APPLIES = tuple(name for name in NAMES if name not in REFUSED)


def quantities(name, q, v, a, frame=None):
    return evaluate(
        mechanics(name).all_rows.program(function_registry.definition_of_name("khan_quantities"), frame=frame), q, v, a
    )


@pytest.mark.parametrize("name", sample(APPLIES, 5))
def test_it_equals_the_general_engine(name):
    require_paper(mechanics(name).kinematics, Khan())
    assert_paper_equals_engine(name, "khan")


@pytest.mark.parametrize("platform", ["crank", "coupler", "rocker"])
def test_any_body_of_a_single_loop_may_be_the_platform(platform):
    assert_paper_equals_engine("four-bar", "khan", platform)


def test_a_planar_mechanism_needs_no_plane(monkeypatch):
    """Three components or six: the repeated equations of a plane in space only agree with each other."""
    name = "3-rrr"
    q, v, tau, a, _ = engine_states(name)
    made = mechanics(name).setup
    assert chains.twist_reduction(made.closure).shape == (3, 6)
    monkeypatch.setattr(khan, "twist_reduction", lambda closure: np.eye(6))
    from linkwright.papers.khan.khan_functions import khan_forward

    found = np.array([khan_forward(made, *state)[0] for state in zip(q, v, tau)])
    assert np.abs(found - a).max() < 1e-10 * np.abs(a).max()


@pytest.mark.parametrize("name", ["3-rrr", "3-rps", "slider-crank"])
def test_springs_friction_rotors_and_outer_wrenches(name):
    assert_burdens_are_carried(name, "khan")


@pytest.fixture(scope="module")
def path():
    data, made = case("khan_3rrr_inverse"), mechanics("3-rrr")
    q = follow_actuator_path(made.kinematics, np.array(data["thetaA"]), made.home)
    v, a = np.zeros_like(q), np.zeros_like(q)
    v[:, :3], a[:, :3] = data["thetaA_d"], data["thetaA_dd"]
    return quantities("3-rrr", q, v, a)


def test_the_paper_s_path(path):
    """Only the actuators' rates and accelerations are given: the passive ones are the formulation's own."""
    data = case("khan_3rrr_inverse")
    expected, tolerance = data["expected"], data["tolerance_abs"]
    assert np.abs(path["theta_dot"] - expected["theta9_d"]).max() < tolerance
    assert np.abs(path["theta_ddot"] - expected["theta9_dd"]).max() < tolerance
    assert np.abs(path["tau"] - expected["tau"]).max() < tolerance
    omega_last = np.roll(path["t_P"], -1, axis=1), np.roll(path["t_P_dot"], -1, axis=1)
    assert np.abs(omega_last[0] - expected["pose_rate"]).max() < tolerance
    assert np.abs(omega_last[1] - expected["pose_acc"]).max() < tolerance
    assert np.abs(np.linalg.det(path["K"]) - expected["detK_paper(SI units, at P)"]).max() < tolerance


@pytest.mark.parametrize("index", range(3))
def test_the_paper_s_matrices(index):
    data, made = case("khan_3rrr_jacobians"), mechanics("3-rrr")
    config, tolerance = data["configurations"][index], data["tolerance_abs"]
    q = follow_actuator_path(made.kinematics, np.array([config["thetaA"]]), made.home)
    found = {key: x[0] for key, x in quantities("3-rrr", q, 0 * q, 0 * q).items()}
    assert np.abs(found["Phi"] - config["Phi2"]).max() < tolerance
    assert np.abs(found["K"] - config["K"]).max() < tolerance
    assert np.abs(found["J"] - config["J"]).max() < tolerance
    assert np.abs(np.array(config["loop_constraint_jacobian_A"]) @ found["J"]).max() < tolerance
    assert np.abs(found["G"] - config["platform_twist_map_tP_over_thetaA_d"]).max() < tolerance
    assert np.abs(found["inertia"] - config["GIM_3x3"]).max() < tolerance
    blocks = [found["I_bar"][3 * j : 3 * j + 3, 3 * j : 3 * j + 3] for j in range(3)]
    assert np.abs(np.array(blocks) - config["chain_GIM_with_platform_thirds"]).max() < tolerance


def test_the_open_chains_torques_of_the_paper():
    """tau_tilde of the path's start, each chain with a third of the platform."""
    config, made = case("khan_3rrr_jacobians")["configurations"][0], mechanics("3-rrr")
    q = follow_actuator_path(made.kinematics, np.array([config["thetaA"]]), made.home)
    found = quantities("3-rrr", q, 0 * q, 0 * q)["tau_tilde"][0]
    expected = config["open_chain_torques_tau_tilde_9_platform_thirds"]
    assert np.abs(found - expected).max() < case("khan_3rrr_jacobians")["tolerance_abs"]


@pytest.mark.parametrize("name", ["3-rps", "hexam", "bricard"])
def test_J_is_the_loop_closure_complement_and_the_inertia_its_quadratic_form(name):
    q, v, _, a, _ = engine_states(name)
    made = mechanics(name)
    found = quantities(name, q, v, a)
    expected = ask(made.minimal, "minimal_inertia", q)
    assert np.abs(found["inertia"] - expected).max() < 1e-10 * np.abs(expected).max()
    projected = found["J"].transpose(0, 2, 1) @ found["I_bar"] @ found["J"]
    assert np.abs(projected - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.abs(found["theta_dot"] - (found["J"] @ v[:, driven(made), None])[..., 0]).max() < 1e-10 * np.abs(v).max()


def driven(made):
    return [drive.speed for drive in made.setup.drives]


def random_axes(rng, n):
    axes = [x / np.linalg.norm(x) for x in rng.normal(size=(n, 3))]
    if n == 2:
        axes[1] = np.cross(axes[0], axes[1])
        axes[1] /= np.linalg.norm(axes[1])
    return axes


SCREWS = {
    Revolute(): lambda u, r: [np.concatenate([u[0], cross_product(r, u[0])])],
    Prismatic(): lambda u, r: [np.concatenate([np.zeros(3), u[0]])],
    Screw(pitch=0.3): lambda u, r: [np.concatenate([u[0], cross_product(r, u[0]) + 0.3 * u[0]])],
    Cylindrical(): lambda u, r: [np.concatenate([u[0], cross_product(r, u[0])]), np.concatenate([np.zeros(3), u[0]])],
    Universal(): lambda u, r: [np.concatenate([x, cross_product(r, x)]) for x in u],
    Spherical(): lambda u, r: [np.concatenate([x, cross_product(r, x)]) for x in np.eye(3)],
}


@pytest.mark.parametrize("kind", SCREWS, ids=lambda kind: type(kind).__name__.lower())
def test_geometric_and_numeric_annihilators_remove_the_same_twists(kind):
    rng = np.random.default_rng(1)
    axes, r = random_axes(rng, 2 if isinstance(kind, Universal) else 1), rng.normal(size=3)
    twists = SCREWS[kind](axes, r)
    geometric = geometric_annihilator(kind, axes, r)
    numeric = find_annihilation(twists, [True] * len(twists)).Phi
    for t in twists:
        assert np.abs(geometric @ t).max() < 1e-14
        assert np.abs(numeric @ t).max() < 1e-14
    assert np.linalg.matrix_rank(geometric) == np.linalg.matrix_rank(numeric) == 6 - len(twists)


def test_the_recursion_is_a_projection_and_leaves_driven_twists():
    """Phi is symmetric and idempotent, and a_i reads passive rates out of a chain's twist."""
    rng = np.random.default_rng(2)
    b = list(rng.normal(size=(5, 6)))
    passive = [True, False, True, True, False]
    found = find_annihilation(b, passive)
    assert np.abs(found.Phi @ found.Phi - found.Phi).max() < 1e-12
    assert np.abs(found.Phi - found.Phi.T).max() < 1e-15
    rates = rng.normal(size=5)
    t = sum(x * rate for x, rate, free in zip(b, rates, passive) if free)
    for a, rate, free in zip(found.a, rates, passive):
        assert a is None if not free else a @ t == pytest.approx(rate, abs=1e-11)
    one, delta = numeric_annihilator(b[3])
    assert delta == pytest.approx(b[3] @ b[3])
    assert np.abs(one @ b[3]).max() < 1e-14


@pytest.mark.parametrize("name", [name for name in REFUSED if name in NAMES])
def test_other_mechanisms_are_refused_with_the_reason(name):
    with pytest.raises(ArgumentError, match=f"Khan's formulation does not apply to '{name}': .*{REFUSED[name]}"):
        require_paper(mechanics(name).kinematics, Khan())


@pytest.mark.parametrize(
    ("platform", "because"), [("link4", "'link4' is not a platform of serial legs"), ("plate", "which is not a body")]
)
def test_a_wrong_platform_is_refused_with_the_reason(platform, because):
    with pytest.raises(ArgumentError, match=because):
        require_paper(mechanics("3-rrr").kinematics, Khan(platform))


def test_K_is_singular_where_the_platform_moves_with_all_actuators_held():
    """A five-bar whose distal links stand in line: the trust that comes with every result vanishes."""
    made = mechanics("five-bar")
    stretched = 2.0 * 0.35
    theta = np.arccos((stretched - 0.2) / 2.0 / 0.25)
    q = np.array([np.pi - theta, theta, theta - np.pi, np.pi - theta])
    assert np.abs(ask(made.all_rows, "closure_residual", q[None])).max() < 1e-12
    _, trust = evaluate(
        made.all_rows.program(function_registry.definition_of_name("khan_inverse")), q, np.zeros(4), np.zeros(4)
    )
    assert trust < 1e-15
    assert evaluated_paper(
        made.all_rows, "khan_inverse", None, engine_states("five-bar")[0], *[np.zeros((4, 4))] * 2
    ).shape == (
        4,
        2,
    )
