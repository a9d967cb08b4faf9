"""Loops written on either side, mechanisms whose equations vanish on a branch: the same results always."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from linkwright import catalog
from linkwright.dynamics.fallback import forward_kernel, minimal_kernel
from linkwright.formats import from_yaml
from linkwright.functions import Kernels, setup
from linkwright.joints import Floating
from linkwright.mechanism import Joint, Mechanism
from tests.loops import maximal, worlds
from tests.loops.cases import DATA, ask
from tests.loops.mechanisms import Mechanics, states_of
from tests.loops.spanning_trees import spanned
from tests.sampling import sample

# Mechanisms of the catalog that other tests of this folder leave out; par4 and orthoglide would take too long.
OTHERS = (
    "3-prs",
    "3-rpr",
    "agile-eye",
    "bennett",
    "iftomm-two-four-bars",
    "peaucellier",
    "sarrus",
    "theo-jansen-leg",
    "tricept",
)
REDUNDANT = ("3-rpr", "agile-eye", "bennett", "bricard", "peaucellier", "sarrus", "floating sarrus")


def floating_sarrus() -> Mechanism:
    """A Sarrus linkage whose plate floats, both hinges that hold it cut."""
    closed = made("sarrus")
    mech = closed.setup.mech
    free = Joint("pose", mech.base, "plate", Floating())
    legs = [j for j in mech.joints if j.child != "plate"]
    drawn = replace(mech, loops=(*mech.loops, free))
    return spanned(drawn, [*legs, free], worlds.bodies(mech, closed.home, np.zeros(closed.setup.tree.nv)))


@cache
def made(name: str) -> Mechanics:
    mech = {"floating sarrus": floating_sarrus, "3-upu": upu}.get(name, lambda: catalog.load(name))()
    return Mechanics(setup(mech, None))


def upu() -> Mechanism:
    return from_yaml((DATA / "3-upu.yaml").read_text(encoding="utf-8"), "3-upu.yaml")


def states(name: str, n: int):
    return (np.array(x) for x in zip(*states_of(made(name), n, 5, 1.0)))


@pytest.mark.parametrize("name", REDUNDANT)
def test_each_side_keeps_rows_that_are_independent_there(name):
    mechanics = made(name)
    q, v, tau = states(name, 8)
    nv, answers = mechanics.setup.tree.nv, []
    for side in mechanics.kinematics.row_variants:
        kernels = Kernels(side.setup)
        J = ask(kernels, "closure_jacobian", q)
        assert J.shape[1] == mechanics.rank.rank
        values = np.linalg.svd(J, compute_uv=False)
        assert np.all(values[:, -1] > 1e-3 * values[:, 0])
        K, b = ask(kernels, "kkt_matrix", q), ask(kernels, "kkt_right_side", q, v, tau)
        answers.append(np.linalg.solve(K, b[:, :, None])[:, :nv, 0])
    assert np.abs(answers[0] - answers[1]).max() < 1e-9 * np.abs(answers[0]).max()


@pytest.mark.parametrize("name", sample([*OTHERS, "floating sarrus", "3-upu"], 6))
def test_multipliers_and_independent_speeds_agree(name):
    mechanics = made(name)
    q, v, tau = states(name, 64)
    one = forward_kernel(mechanics.dynamics, wrench=False)(q, v, tau)
    other = minimal_kernel(mechanics.dynamics, None, wrench=False)(q, v, tau)
    assert np.abs(one - other).max() < 1e-9 * np.abs(one).max()


@pytest.mark.parametrize("name", ["floating sarrus", "3-upu"])
def test_both_are_newton_and_euler(name):
    mechanics = made(name)
    mech = mechanics.setup.mech
    q, v, tau = states(name, 3)
    a = minimal_kernel(mechanics.dynamics, None, wrench=False)(q, v, tau)
    for i in range(3):
        ours = worlds.bodies(mech, q[i], v[i], a[i])
        efforts = dict(zip((actuator.joint for actuator in mech.actuators), tau[i]))
        theirs = maximal.forward_dynamics(mech, worlds.bodies(mech, q[i], v[i]), efforts)
        one = np.array([ours[b].motion for b in mech.names])
        other = np.array([theirs.motion[b] for b in mech.names])
        assert np.abs(one - other).max() < 1e-8 * max(1.0, np.abs(other).max())


def test_a_pivot_that_is_rounding_is_measured_by_the_mechanisms_units():
    """No pivot of the closure counts as of its typical size when that size is nothing."""
    mechanics = made("3-upu")
    part = mechanics.minimal.stage.partition
    sizes = mechanics.minimal.stage.pivots[: len(part.dependent)]
    units = [mechanics.scales.rows[r] / mechanics.scales.speeds[part.dependent[c]] for r, c in part.plan.pivots]
    assert np.all(np.array(sizes) >= 1e-4 * np.array(units))
