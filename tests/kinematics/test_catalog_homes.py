"""Every mechanism of the catalog with loops closes at home, assembles from nothing, and has the freedom it should."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.catalog import summaries
from linkwright.functions import setup
from linkwright.functions.loop import closure_functions
from linkwright.plans.closed_samples import home_coordinates
from linkwright.plans.closure_newton import right_way_round
from tests.loops.mechanisms import NAMES, Mechanics, mechanics

# Speeds less independent closure equations. In the plane: 3 per body less 2 per joint; drawn in space, a cut revolute
# joint writes five rows, of which three repeat. In space: 6 for the floating platform; a leg with n freedoms takes away
# 6 - n.
MOBILITY = {
    "four-bar": 1,  # 3 * 3 - 2 * 4
    "slider-crank": 1,  # 3 * 3 - 2 * 4
    "five-bar": 2,  # 3 * 4 - 2 * 5
    "3-rrr": 3,  # 3 * 7 - 2 * 9
    "andrews-squeezer": 1,  # 3 * 7 - 2 * 10, three of the joints in one point E
    "gough-stewart": 6,  # legs of 2 + 1 + 3 = 6 freedoms take away none
    "3-rps": 3,  # three legs of 1 + 1 + 3 = 5 freedoms take away one each
    "hexam": 6,  # legs of 1 + 2 + 3 = 6 freedoms take away none
    "hexaglide": 6,
    "linapod": 6,
    "delta": 3,  # each of three arms adds 1 freedom, each of six rods of 2 + 3 = 5 freedoms takes away one: 6 + 3 - 6
    "bricard": 1,  # 6 * 5 - 5 * 6 = 0 by counting; the axes' special places make one of the five rows redundant
}


def test_every_mechanism_is_spoken_for():
    assert set(NAMES) == set(MOBILITY)


@pytest.mark.parametrize("name", NAMES)
def test_home_is_closed(name):
    made = mechanics(name)
    q = home_coordinates(made.all_rows)
    assert np.abs(made.all_rows.function(closure_functions.closure_residual)(q)).max() < 1e-12
    assert right_way_round(made.all_rows, q[None, :])[0]
    assert [joint for joint, _ in made.setup.mech.home] == [joint.name for joint in made.setup.mech.joints]


@pytest.mark.parametrize("name", NAMES)
def test_it_assembles_from_no_guess(name):
    fresh = Mechanics(setup(replace(catalog.load(name), home=()), None))
    q = fresh.home
    assert np.abs(fresh.all_rows.function(closure_functions.closure_residual)(q)).max() < 1e-12
    assert right_way_round(fresh.all_rows, q[None, :])[0]


@pytest.mark.parametrize("name", NAMES)
def test_mobility(name):
    assert mechanics(name).mobility == MOBILITY[name] == summaries()[name].mobility


@pytest.mark.parametrize("name", NAMES)
def test_its_actuators_are_as_many_as_its_freedoms(name):
    assert len(mechanics(name).setup.drives) == MOBILITY[name]


@pytest.mark.parametrize("name", ["hexaglide", "linapod"])
def test_hexaslides_differ_in_their_rails_only(name):
    this, hexam = catalog.load(name), catalog.load("hexam")
    for ours, theirs in zip((*this.joints, *this.loops), (*hexam.joints, *hexam.loops), strict=True):
        assert (ours.name, ours.parent, ours.child, type(ours.kind)) == (
            theirs.name,
            theirs.parent,
            theirs.child,
            type(theirs.kind),
        )


def test_hexaglide_rails_are_parallel_and_coplanar_and_linapod_rails_vertical():
    glide, pod = ([j for j in catalog.load(n).joints if j.name.startswith("d")] for n in ("hexaglide", "linapod"))
    assert all(abs(j.kind.axis[0]) == 1.0 and j.at.xyz[2] == 0.0 for j in glide)
    assert all(j.kind.axis == (0.0, 0.0, -1.0) for j in pod)
