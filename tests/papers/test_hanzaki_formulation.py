"""Hanzaki's formulation: spherical joints in Euler parameters, cut or not, multipliers that are reactions."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.algebra import rotations
from linkwright.compiler import evaluate
from linkwright.dynamics.efforts import LeastNorm
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions import function_registry, setup
from linkwright.joints import Floating
from linkwright.kinematics.forward_kinematics import follow_actuator_path
from linkwright.papers.hanzaki import hanzaki_equations
from linkwright.papers.hanzaki.hanzaki_equations import Hanzaki
from linkwright.papers.khan.khan_equations import Khan
from linkwright.papers.paper_method import PaperMethod, require_paper
from tests.loops import worlds
from tests.loops.cases import ask, case, completed
from tests.loops.mechanisms import Mechanics, mechanics
from tests.loops.paper_states import (
    assert_burdens_are_carried,
    assert_paper_equals_engine,
    engine_states,
    evaluated_paper,
)
from tests.loops.spanning_trees import spanned
from tests.loops.test_hanzaki import LENGTHS, WEIGHTLESS

APPLIES = ("3-rps", "gough-stewart", "hexam", "hexaglide", "linapod", "delta")


@pytest.mark.parametrize("name", APPLIES)
def test_it_equals_the_general_engine(name):
    require_paper(mechanics(name).kinematics, Hanzaki())
    assert_paper_equals_engine(name, "hanzaki")


@pytest.mark.parametrize("name", ["3-rps", "delta"])
def test_springs_friction_rotors_and_outer_wrenches(name):
    assert_burdens_are_carried(name, "hanzaki")


@pytest.mark.parametrize("run", ["A", "B", "C"])
def test_the_paper_s_forces_and_multipliers(run):
    data = case("rps3")["runs"][run]
    made = mechanics("3-rps") if data["g"] else WEIGHTLESS
    d, rate, second = (np.array(data[k]) for k in ("d", "d_dot", "d_ddot"))
    q = follow_actuator_path(made.kinematics, 0.26 + d, made.home)
    v, a = completed(made, q, LENGTHS, rate, second)
    found = evaluate(made.all_rows.program(function_registry.definition_of_name("hanzaki_quantities")), q, v, a)
    tolerances = case("rps3")["tolerances"]
    assert np.abs(found["tau"] - data["F_act"]).max() < tolerances["F"]
    on_legs = np.array(data["f_on_leg_at_B_world"])[:, 1:]  # legs 2 and 3 are cut, leg 1 carries the platform
    assert np.abs(found["multipliers_world"] - on_legs).max() < tolerances["f"]
    assert np.abs(found["multipliers"][..., 0] - np.array(data["f_on_leg_axial"])[:, 1:]).max() < tolerances["f"]


def by_hanzaki(made: Mechanics):
    """Forward dynamics by the formulation, as users get it."""
    return PaperMethod(Hanzaki(), made.dynamics, LeastNorm()).accelerations(wrench=False)


def test_the_3rps_has_the_paper_s_subsystems():
    """Two legs of two bodies and two speeds, one leg with the platform: three bodies, five speeds."""
    q, v, _, a, _ = engine_states("3-rps")
    found = evaluate(
        mechanics("3-rps").all_rows.program(function_registry.definition_of_name("hanzaki_quantities")), q, v, a
    )
    assert found["N_l"].shape[1:] == (42, 42)
    assert found["N_d"].shape[1:] == (42, 9)
    assert found["G_star"].shape[1:] == (1, 3, 3)
    N = found["N_l"] @ found["N_d"]
    assert np.abs(N.transpose(0, 2, 1) @ found["M"] @ N - found["inertia"]).max() < 1e-14


def random_turn(rng):
    wxyz = rng.normal(size=4)
    return wxyz / np.linalg.norm(wxyz)


@pytest.mark.parametrize("seed", range(5))
def test_euler_parameters_and_our_quaternion_joint_say_the_same(seed):
    """omega = G* e_dot in parent axes is R v with v in child axes; G*^-1 needs no division; both signs of e0 serve."""
    rng = np.random.default_rng(seed)
    wxyz, v = random_turn(rng), rng.normal(size=3)
    R, q_dot = rotations.rotation_matrix(wxyz), rotations.quaternion_rate(wxyz, v)
    e_dot = hanzaki_equations.euler_parameter_rates(wxyz, R @ v)
    G = hanzaki_equations.G_star(wxyz)
    assert np.abs(e_dot - q_dot[1:]).max() < 1e-14
    assert hanzaki_equations.scalar_rate(wxyz, e_dot) == pytest.approx(q_dot[0], abs=1e-13)
    assert np.abs(G @ e_dot - R @ v).max() < 1e-12 / abs(wxyz[0])
    assert np.linalg.det(G) == pytest.approx(8.0 / wxyz[0], rel=1e-10)
    assert hanzaki_equations.from_rotation(R) == pytest.approx(wxyz * np.sign(wxyz[0]), abs=1e-12 / abs(wxyz[0]))


def test_the_rate_of_G_star():
    rng = np.random.default_rng(7)
    wxyz, v, h = np.array([0.5, 0.5, -0.7, 0.1]), rng.normal(size=3), 1e-5
    q_dot = rotations.quaternion_rate(wxyz, v)
    ends = [wxyz + s * h * q_dot for s in (1.0, -1.0)]
    ends = [hanzaki_equations.G_star(x / np.linalg.norm(x)) for x in ends]
    G_dot = hanzaki_equations.G_star_rate(wxyz, q_dot[1:])
    assert np.abs((ends[0] - ends[1]) / (2.0 * h) - G_dot).max() < 1e-7


def half_turned() -> Mechanics:
    """The 3-RPS with its platform's spherical joint counted from half a turn away."""
    mech = catalog.load("3-rps")
    home = tuple((name, (*x[:3], 0.0, 0.0, 0.0, 1.0) if name == "pose" else x) for name, x in mech.home)
    return Mechanics(setup(replace(mech, home=home), None))


def test_half_a_turn_is_refused_and_a_batch_says_nan():
    made = half_turned()
    require_paper(made.kinematics, Hanzaki())
    q, v, tau = mechanics("3-rps").home, np.zeros(12), np.zeros(3)
    with pytest.raises(SingularityError, match="half a turn from home, where e0 = 0"):
        by_hanzaki(made)(q, v, tau)
    others = engine_states("3-rps")[0]
    batch = by_hanzaki(made)(np.stack([q, others[-1]]), np.zeros((2, 12)), np.zeros((2, 3)))
    assert np.all(np.isnan(batch[0]))


@pytest.mark.parametrize("formulation", ["khan", "hanzaki"])
def test_the_platform_may_hang_on_a_leg_s_ball_joint_in_the_file(formulation):
    """Then its quaternion stands in q, and the same motion needs the same forces."""
    made = mechanics("3-rps")
    q, v, tau, a, _ = (x[0] for x in engine_states("3-rps"))
    world = worlds.bodies(made.setup.mech, q, v, a)
    joints = [j for j in (*made.setup.mech.joints, *made.setup.mech.loops) if not isinstance(j.kind, Floating)]
    drawn = Mechanics(setup(spanned(made.setup.mech, joints, world), None))
    assert {j.name for j in drawn.setup.mech.joints} >= {"ball1"}
    q2, v2 = worlds.state(drawn.setup.mech, world)
    a2 = ask(drawn.kernels, "loop_forward_dynamics", q2[None], v2[None], tau[None])[0][0]
    assert (
        np.abs(evaluated_paper(drawn.all_rows, f"{formulation}_forward", None, q2, v2, tau) - a2).max()
        < 1e-10 * np.abs(a2).max()
    )
    assert (
        np.abs(evaluated_paper(drawn.all_rows, f"{formulation}_inverse", None, q2, v2, a2) - tau).max()
        < 1e-10 * np.abs(tau).max()
    )


@pytest.mark.parametrize(("name", "loop"), [("four-bar", "B"), ("3-rrr", "vertex1"), ("bricard", "theta4")])
def test_other_cuts_are_refused_with_the_reason(name, loop):
    with pytest.raises(ArgumentError, match=f"Hanzaki's formulation .*'{name}': loop '{loop}' closes at a revolute"):
        require_paper(mechanics(name).kinematics, Hanzaki())


def test_too_few_actuators_are_refused():
    few = Mechanics(setup(catalog.load("3-rps"), ("leg1", "leg2")))
    for formulation in (Hanzaki(), Khan()):
        with pytest.raises(ArgumentError, match=r"formulation does not apply to '3-rps': .*cannot drive"):
            require_paper(few.kinematics, formulation)
