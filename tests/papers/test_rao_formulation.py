"""Rao's formulation: T = T_h T_d, explicit inertia elements, steps S-1 to S-8, and the complement found numerically."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError
from linkwright.formulations.noc import row_links
from linkwright.functions import function_registry, setup
from linkwright.mechanism import Inertia
from linkwright.papers.paper_method import require_paper
from linkwright.papers.rao.rao_equations import Rao
from linkwright.papers.rao.rao_functions import NO_SPIN
from tests.loops.cases import case
from tests.loops.mechanisms import Mechanics, mechanics
from tests.loops.paper_states import (
    assert_burdens_are_carried,
    assert_paper_equals_engine,
    engine_states,
    evaluated_paper,
)
from tests.loops.test_rao import circle, motion

__all__ = ["circle"]
HEXASLIDES = ("hexam", "hexaglide", "linapod")


@pytest.mark.parametrize("name", HEXASLIDES)
def test_it_equals_the_general_engine(name):
    require_paper(mechanics(name).kinematics, Rao())
    assert_paper_equals_engine(name, "rao")


def test_springs_friction_rotors_and_outer_wrenches():
    assert_burdens_are_carried("hexaglide", "rao")


@pytest.fixture(scope="module")
def found(circle):
    q = circle[::5]
    v, a = (x[::5] for x in motion(circle, case("hexam_contour_main")["N_rpm"]))
    return evaluate(
        mechanics("hexam").all_rows.program(function_registry.definition_of_name("rao_quantities")), q, v, a
    ), (q, v, a)


def test_the_paper_s_circle(found):
    data, (parts, _) = case("hexam_contour_main"), found
    tolerance = data["tolerances"]
    assert np.abs(parts["d"][:, 0] - np.array(data["d"])[::5]).max() < tolerance["d"]
    assert np.abs(parts["d"][::3, 1] - data["d_plus_root_every15"]).max() < tolerance["d"]
    assert np.abs(parts["d_dot"] - np.array(data["d_dot"])[::5]).max() < tolerance["rates"]
    assert np.abs(parts["d_ddot"] - np.array(data["d_ddot"])[::5]).max() < tolerance["rates"]
    assert np.abs(parts["omega_2"] - data["w2_ujoint_every5"]).max() < tolerance["rates"]
    assert np.abs(parts["tau"] - np.array(data["tau"])[::5]).max() < tolerance["tau"]
    assert np.abs(parts["inertia"][::3] - data["GIM_every15"]).max() < tolerance["GIM"]


def test_rods_that_do_not_spin(found):
    data, (_, state) = case("hexam_contour_main"), found
    parts = evaluate(
        mechanics("hexam").all_rows.program(function_registry.definition_of_name("rao_quantities"), frame=NO_SPIN),
        *state,
    )
    assert np.abs(parts["omega_2"] - data["w2_nospin_every5"]).max() < data["tolerances"]["rates"]
    assert np.abs(parts["tau"] - np.array(data["tau"])[::5]).max() < data["tolerances"]["tau"]
    along = np.einsum("nij,nij->ni", parts["omega_2"], parts["J_t"][..., 3:])
    assert np.abs(along).max() < 1e-14


def test_neglecting_the_spin_costs_little_even_with_rods_that_have_inertia_about_themselves(circle):
    data, mech = case("hexam_contour_main"), catalog.load("hexam")
    thick = [
        replace(b, inertia=Inertia.diagonal(b.inertia.mass, b.inertia.com, (0.14, 0.14, 0.01))) for b in mech.bodies
    ]
    bodies = tuple(new if new.name.startswith("leg") else old for new, old in zip(thick, mech.bodies))
    made = Mechanics(setup(replace(mech, bodies=bodies), None))
    q, (v, a) = circle[::5], (x[::5] for x in motion(circle, data["N_rpm"]))  # as the case samples it
    with_spin, without = (evaluated_paper(made.all_rows, "rao_inverse", frame, q, v, a) for frame in (None, NO_SPIN))
    assert np.abs(with_spin - without).max() == pytest.approx(data["Iaxial0p01_ujoint_vs_nospin_max"], rel=1e-9)


def test_one_and_two_stages_give_the_same_complement(found):
    parts, _ = found
    T = parts["T_h"] @ parts["T_d"]
    assert T.shape[1:] == (78, 6)
    assert np.abs(T - parts["T_bar_h"] @ parts["T_bar_d"] @ parts["T_n"]).max() < 1e-13
    rates = (T @ parts["d_dot"][..., None])[..., 0]
    assert np.abs(rates[:, 72:] - parts["t_P"]).max() < 1e-12
    rods = rates[:, :72].reshape(-1, 6, 12)[..., 6:9]
    assert np.abs(rods - parts["omega_2"]).max() < 1e-12
    w = np.concatenate([parts["w_1"], parts["w_2"]], axis=-1).reshape(len(T), 72)
    forces = (T.transpose(0, 2, 1) @ np.concatenate([w, parts["w_P"]], axis=1)[..., None])[..., 0]
    assert np.abs(forces - parts["tau"]).max() < 1e-10


def test_actuators_may_be_named_in_any_order():
    q, v, tau, a, _ = engine_states("hexam")
    order = [3, 0, 5, 1, 4, 2]
    names = [mechanics("hexam").setup.actuated[i] for i in order]
    made = Mechanics(setup(catalog.load("hexam"), tuple(names)))
    require_paper(made.kinematics, Rao())
    assert (
        np.abs(evaluated_paper(made.all_rows, "rao_inverse", None, q, v, a) - tau[:, order]).max()
        < 1e-9 * np.abs(tau).max()
    )


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("gough-stewart", "has universal, prismatic, spherical"),
        ("delta", "platform of serial legs"),
        ("3-rps", "spherical"),
    ],
)
def test_other_mechanisms_are_refused_with_the_reason(name, because):
    with pytest.raises(ArgumentError, match=f"Rao's formulation does not apply to '{name}': .*{because}"):
        require_paper(mechanics(name).kinematics, Rao())


def test_a_universal_joint_whose_second_axis_is_not_normal_to_the_rod_is_refused():
    mech = catalog.load("hexam")
    kinds = {j.name: j.kind for j in mech.joints}
    x, y, _ = kinds["hooke1"].second
    leaning = replace(kinds["hooke1"], second=(0.6 * x, 0.6 * y, 0.8))
    joints = [replace(j, kind=leaning) if j.name == "hooke1" else j for j in mech.joints]
    made = Mechanics(setup(replace(mech, joints=tuple(joints), home=()), None))
    with pytest.raises(ArgumentError, match="universal joint 'hooke1': Rao's second axis is normal"):
        require_paper(made.kinematics, Rao())


def test_every_row_of_the_numerical_constraints_is_about_two_links():
    mech, tree = mechanics("hexam").setup.mech, mechanics("hexam").setup.tree
    constraints, speeds = row_links(mech, tree)
    assert len(constraints) == 72  # 6 x (5 + 4 + 3), for 13 bodies with 78 velocities and 6 freedoms
    assert len(speeds) == tree.nv
