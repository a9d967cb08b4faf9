"""Mechanisms drawn with the platform on one leg are solved with it floating: the same results for fewer operations."""

import html
import os
import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.analysis.explanation.explain import explain
from linkwright.analysis.explanation.steps import inner_cuts
from linkwright.compiler import evaluate, operation_count
from linkwright.dynamics.alternative_trees import (
    carrying_joint,
    effort_solver,
    floating_platform_dynamics,
    forward_solver,
)
from linkwright.forces import Friction
from linkwright.formats import from_yaml
from linkwright.functions import Kernels, setup
from linkwright.functions.loop import alternative_tree_functions, closure_functions, multiplier_functions
from linkwright.functions.stages import AlternativeTreePlan
from linkwright.joints import Floating
from linkwright.plans.closed_samples import home_coordinates
from tests.loops import worlds
from tests.loops.cases import DATA
from tests.loops.mechanisms import Mechanics, states_of
from tests.loops.spanning_trees import spanned

# Exact operations of forward dynamics and of efforts: the file's cut, and with the platform floating inside.
COSTS = {
    "gough-stewart": ((2936, 2272), (1557, 1543)),
    "3-rps": ((857, 859), (390, 412)),
    "hexam": ((3489, 2979), (1864, 1705)),
    "delta": ((3848, 3168), (1819, 1621)),
}
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
NAMES = tuple(COSTS) if LONG else ("gough-stewart", "3-rps")


@cache
def drawn(name: str) -> Mechanics:
    """A mechanism re-drawn through a leg: its platform hangs on the first leg's ball (3-UPU: universal) joint."""
    given = (
        from_yaml((DATA / "3-upu.yaml").read_text(encoding="utf-8"), name) if name == "3-upu" else catalog.load(name)
    )
    file = Kernels(setup(given, None))
    mech = file.setup.mech
    order = [j for j in mech.joints if not isinstance(j.kind, Floating)]
    world = worlds.bodies(mech, home_coordinates(file), np.zeros(file.setup.tree.nv))
    return Mechanics(setup(spanned(mech, [*order, *mech.loops], world), None))


def states(name: str, n: int):
    return (np.array(x) for x in zip(*states_of(drawn(name), n, 4, 1.0)))


def floating(mechanics: Mechanics, planned: str) -> Kernels:
    """Kernels with the platform floating inside, whether that pays or not."""
    inner = getattr(floating_platform_dynamics(mechanics.dynamics), planned)
    return Kernels(AlternativeTreePlan(mechanics.setup, inner.stage))


def dense_accelerations(mechanics: Mechanics, q, v, tau):
    """Accelerations with the file's cut, by LAPACK."""
    K = evaluate(mechanics.all_rows.program(closure_functions.kkt_matrix), q)
    b = evaluate(mechanics.all_rows.program(closure_functions.kkt_right_side), q, v, tau)
    return np.linalg.solve(K, b[:, :, None])[:, : mechanics.setup.tree.nv, 0]


@pytest.mark.parametrize("name", [*NAMES, "3-upu"])
def test_accelerations_and_efforts_are_those_of_the_files_cut(name):
    mechanics = drawn(name)
    q, v, tau = states(name, 40)
    a = dense_accelerations(mechanics, q, v, tau)
    inside = evaluate(
        floating(mechanics, "kernels").program(alternative_tree_functions.checked_alternative_dynamics), q, v, tau
    )
    assert np.abs(inside - a).max() < 1e-10 * np.abs(a).max()
    back = evaluate(
        floating(mechanics, "actuated").program(alternative_tree_functions.checked_alternative_efforts), q, v, a
    )
    assert np.abs(back - tau).max() < 1e-10 * np.abs(tau).max()


@pytest.mark.parametrize("name", NAMES)
def test_the_cheaper_cut_is_used_when_it_saves_five_per_cent(name):
    mechanics = drawn(name)
    for solver, costs in zip(
        (forward_solver(mechanics.dynamics), effort_solver(mechanics.dynamics)), COSTS[name], strict=True
    ):
        assert solver.operations == costs
        assert (solver.inside is not None) == (costs[1] < 0.95 * costs[0])
        used = operation_count(solver.kernels.program(solver.definition)).total
        assert used == (costs[0] if solver.inside is None else costs[1])
        assert str(used) in solver.description


def test_wrenches_on_the_bodies_count_inside_too():
    mechanics = drawn("gough-stewart")
    q, v, tau = states("gough-stewart", 5)
    w = np.random.default_rng(8).normal(size=(5, len(mechanics.setup.mech.bodies), 6))
    a = evaluate(mechanics.kernels.program(multiplier_functions.checked_forward_dynamics, wrench=True), q, v, tau, w)
    solver = forward_solver(mechanics.dynamics)
    inside = evaluate(solver.kernels.program(solver.definition, wrench=True), q, v, tau, w)
    assert np.abs(inside - a).max() < 1e-10 * np.abs(a).max()


def test_what_is_not_trusted_inside_is_marked():
    mechanics = drawn("gough-stewart")
    q, v, tau = states("gough-stewart", 3)
    outer = forward_solver(mechanics.dynamics).kernels.stage
    doubtful = replace(outer.inner, leg_sizes=tuple(1e9 * x for x in outer.inner.leg_sizes))
    flagged = evaluate(
        Kernels(replace(outer, inner=doubtful)).program(alternative_tree_functions.checked_alternative_dynamics),
        q,
        v,
        tau,
    )
    assert np.isnan(flagged[:, 0]).all()


@pytest.mark.parametrize("name", ["gough-stewart", "four-bar", "3-rrr", "bricard"])
def test_catalog_mechanisms_keep_the_cut_of_their_file(name):
    """Their platform floats already, hangs by a joint of one freedom, or there is none."""
    mechanics = Mechanics(setup(catalog.load(name), None))
    assert carrying_joint(mechanics.setup) is None


def test_a_joint_with_friction_or_a_drive_stays_in_the_tree():
    mech = drawn("3-rps").setup.mech
    joint = carrying_joint(drawn("3-rps").setup)
    rough = replace(joint, friction=Friction(viscous=(0.1, 0.1, 0.1)))
    other = replace(mech, joints=tuple(rough if j is joint else j for j in mech.joints))
    assert carrying_joint(setup(other, None)) is None
    heavy = replace(joint, armature=(0.1, 0.1, 0.1))
    other = replace(mech, joints=tuple(heavy if j is joint else j for j in mech.joints))
    assert carrying_joint(setup(other, None)) is None
    assert carrying_joint(setup(mech, (f"{joint.name}.wx", "leg1", "leg2"))) is None


def test_the_files_own_cut_can_be_requested():
    mech = drawn("gough-stewart").setup.mech
    q, v, tau = (x[0] for x in states("gough-stewart", 1))
    free, own = lw.build(mech), pickle.loads(pickle.dumps(lw.build(mech, alternative_trees=False)))
    assert free.operation_count("forward_dynamics").total == COSTS["gough-stewart"][0][1]
    assert own.operation_count("forward_dynamics").total == COSTS["gough-stewart"][0][0]
    assert free.q_names == own.q_names and free.v_names == own.v_names
    a = own.forward_dynamics(q, v, tau)
    assert free.forward_dynamics(q, v, tau) == pytest.approx(a, abs=1e-10 * np.abs(a).max())


def test_words_say_which_cut_is_used_inside():
    mech = drawn("gough-stewart").setup.mech
    forward, efforts = inner_cuts(lw.build(mech))
    assert forward.startswith("forward dynamics: inside, 'platform' floats")
    assert efforts.startswith("efforts: the cut of the file is the one computed with: 1557 operations, 1543 with")
    assert inner_cuts(lw.build(mech, alternative_trees=False)) == ()
    words = html.unescape(explain(mech).html())
    assert "inside, 'platform' floats and joint 'ball1' is cut too: 2272 operations instead of 2936" in words
