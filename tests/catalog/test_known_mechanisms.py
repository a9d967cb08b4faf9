"""The catalog's well-known mechanisms: freedoms as argued, assembled from nothing, moving by Newton and Euler.

The mechanisms of tests/loops/mechanisms.py are tried there, with many more states. `linkwright selftest NAME` tries the
laws of a model on any of them; one is sampled here.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.analysis.self_test import selftest
from linkwright.catalog.catalog_summaries import MOBILITY
from linkwright.formats.plausibility import doubts_about_values
from linkwright.functions import setup
from linkwright.mechanism import Mechanism
from linkwright.plans.closed_samples import home_coordinates
from linkwright.plans.closure_newton import right_way_round
from tests.loops import maximal, worlds
from tests.loops.cases import ask
from tests.loops.mechanisms import NAMES, Mechanics, states_of

# (velocities of the tree, closure equations, redundant ones, freedoms). In the plane: 3 per body less 2 per joint; a
# cut hinge writes five equations of which three repeat. Legs of n freedoms take 6 - n from a floating platform's six.
ARGUED = {
    "3-prs": (12, 9, 0, 3),  # legs of 1 + 1 + 3 = 5 freedoms take away one each
    "3-rpr": (9, 15, 9, 3),  # 3 * 7 - 2 * 9
    "agile-eye": (7, 10, 6, 3),  # every body has three freedoms about the center: 3 * 7 - 2 * 9
    "bennett": (3, 5, 3, 1),  # by the proportions of its links
    "hexapod": (24, 18, 0, 6),  # legs of 2 + 1 + 3 = 6 freedoms take away none
    "iftomm-two-four-bars": (5, 10, 6, 1),  # 3 * 5 - 2 * 7
    "orthoglide": (16, 25, 12, 3),  # the platform only translates; each leg then leaves it the three translations
    "par4": (29, 29, 4, 4),  # three translations of the halves together, and the parallelogram's angle
    "peaucellier": (7, 15, 9, 1),  # 3 * 7 - 2 * 10
    "sarrus": (5, 5, 1, 1),  # neither flap lets the plate turn about the axis: stated twice
    "stewart-6-3": (24, 18, 0, 6),  # as the hexapod
    "theo-jansen-leg": (7, 15, 9, 1),  # 3 * 7 - 2 * 10
    "tricept": (12, 9, 0, 3),  # the central leg of 2 + 1 = 3 freedoms takes away three, the others none
}


def rotorless(name: str) -> Mechanism:
    """A mechanism without its rotors, which the other solver does not know."""
    mech = catalog.load(name)
    return replace(mech, actuators=tuple(replace(actuator, rotor_inertia=0.0) for actuator in mech.actuators))


@cache
def known(name: str) -> Mechanics:
    return Mechanics(setup(rotorless(name), None))


def test_every_mechanism_of_the_catalog_is_tried():
    serial = {"puma-560", "stanford-arm", "three-link-arm"}
    assert {*ARGUED, *NAMES, *serial, "four-bar-flexible"} == set(catalog.names()) == set(MOBILITY)


@pytest.mark.parametrize("name", ARGUED)
def test_home_is_closed_and_within_the_limits(name):
    made = known(name)
    q = home_coordinates(made.all_rows)
    assert np.abs(ask(made.all_rows, "closure_residual", q[None])).max() < 1e-12
    assert right_way_round(made.all_rows, q[None])[0]
    for joint, values in made.setup.mech.home:
        limits = next(j.limits for j in made.setup.mech.joints if j.name == joint)
        assert all(low <= x for low, x in zip(limits.lower, values))
        assert all(x <= high for high, x in zip(limits.upper, values))


@pytest.mark.parametrize("name", ARGUED)
def test_it_assembles_from_no_guess(name):
    fresh = Mechanics(setup(replace(rotorless(name), home=()), None))
    assert np.abs(ask(fresh.all_rows, "closure_residual", fresh.home[None])).max() < 1e-12


def moves_by_newton_and_euler(made: Mechanics) -> None:
    mech = made.setup.mech
    for q, v, tau in states_of(made, 2, 0, 1.0):
        a = ask(made.kernels, "loop_forward_dynamics", q[None], v[None], tau[None])[0][0]
        efforts = dict(zip((actuator.joint for actuator in mech.actuators), tau))
        ours, theirs = worlds.bodies(mech, q, v, a), maximal.forward_dynamics(mech, worlds.bodies(mech, q, v), efforts)
        for part in (slice(0, 3), slice(3, 6)):
            one = np.array([ours[b].motion[part] for b in mech.names])
            other = np.array([theirs.motion[b][part] for b in mech.names])
            assert np.abs(one - other).max() < 1e-8 * max(1.0, np.abs(other).max())


@pytest.mark.parametrize("name", ARGUED)
def test_it_has_the_freedoms_argued_and_moves_by_newton_and_euler(name):
    made, (velocities, equations, redundant, freedoms) = known(name), ARGUED[name]
    assert velocities - equations + redundant == freedoms
    assert (made.setup.tree.nv, made.setup.closure.n_all) == (velocities, equations)
    assert len(made.rank.redundant) == redundant
    assert made.mobility == freedoms == MOBILITY[name] == len(made.setup.drives)
    moves_by_newton_and_euler(made)


@pytest.mark.parametrize("name", ["puma-560", "stanford-arm", "three-link-arm", "four-bar-flexible"])
def test_the_listed_mobility_is_that_of_the_model(name):
    assert lw.build(catalog.load(name)).mobility == MOBILITY[name]


def test_the_laws_of_every_model_hold():
    assert not selftest(lw.build(catalog.load("bennett")), 2).broken


@pytest.mark.parametrize("name", catalog.names())
def test_nothing_looks_like_a_slip(name):
    """The published moments of the PUMA's third link are those of no real body; the file notes it and keeps them."""
    assert [doubt.subject for doubt in doubts_about_values(catalog.load(name))] == (
        ["link3"] if name == "puma-560" else []
    )
