"""Homes that leave loops open: driven joints stay where the file has them, if the loops can close with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.mechanism.tree import coordinate_slices

NAMES = ("four-bar", "five-bar", "slider-crank", "3-rrr", "delta", "theo-jansen-leg", "andrews-squeezer", "peaucellier")


def with_home(mech: lw.Mechanism, q: np.ndarray, joints: list[str]) -> lw.Mechanism:
    """The mechanism with a home that names some joints only."""
    slices = coordinate_slices(mech.joints)
    return replace(mech, home=tuple((name, tuple(q[slices[name][0]].tolist())) for name in joints))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("passive", [False, True])
def test_driven_joints_stay_where_the_loops_can_close_with_them(name, passive):
    mech = lw.catalog.load(name)
    model = lw.build(mech)
    rng = np.random.default_rng(len(name))
    driven = [each.coordinate for each in model.actuators]
    at = [model.q_names.index(each) for each in driven]
    for q in rng.permutation(model.kinematics.branch_samples)[:3]:
        wrong = q + rng.uniform(-0.5, 0.5, model.nq) * passive
        wrong[at] = q[at]
        floating = {j.name for j in mech.joints if isinstance(j.kind, lw.joints.Floating)}
        names = [j.name for j in mech.joints if j.name in driven or (passive and j.name not in floating)]
        other = lw.build(with_home(mech, wrong, names))
        found = other.assemble().q
        assert np.array_equal(found[at], q[at]), (name, found[at], q[at])
        assert np.abs(other.closure_residual(found)).max() < 1e-9


def test_a_value_out_of_reach_is_warned_of():
    mech = lw.catalog.load("slider-crank")
    slider = next(j.name for j in mech.joints if isinstance(j.kind, lw.joints.Prismatic))
    far = replace(mech, actuators=(lw.Actuator("drive", slider),), home=((slider, (100.0,)),))
    model = lw.build(far)
    assert np.abs(model.closure_residual(model.assemble().q)).max() < 1e-9
    (found,) = [each for each in lw.check(far).findings if each.code == "home-moved"]
    assert found.severity == "warning" and found.subject == slider
    assert found.value == model.assemble().q[model.q_names.index(slider)]
    assert not [each for each in lw.check(mech).findings if each.code.startswith("home")]


def test_a_floating_platform_stays_before_its_legs():
    mech = lw.catalog.load("gough-stewart")
    model = lw.build(mech)
    platform = next(j.name for j in mech.joints if isinstance(j.kind, lw.joints.Floating))
    q = model.assemble().q
    legs = [each.coordinate for each in model.actuators]
    wrong = q.copy()
    wrong[[model.q_names.index(each) for each in legs]] += 0.1
    other = lw.build(with_home(mech, wrong, [platform, *legs]))
    part = coordinate_slices(mech.joints)[platform][0]
    assert np.array_equal(other.assemble().q[part], q[part])
