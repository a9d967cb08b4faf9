"""The same robot on the floor and free in space."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.formats import from_urdf, from_yaml, to_yaml
from linkwright.mechanism import Inertia
from linkwright.mechanism.mechanism import with_fixed_base, with_floating_base

ARM = replace(
    lw.catalog.load("puma-560"),
    base_inertia=Inertia(5.0, (0.1, 0.0, -0.2), ((0.3, 0.01, 0.0), (0.01, 0.2, 0.0), (0.0, 0.0, 0.4))),
)


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1.0, 1.0, model.nq), rng.uniform(-1.0, 1.0, model.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    return q, v


def test_a_base_that_is_accelerated_as_if_fixed_needs_no_less_than_the_fixed_robot():
    """With the base at rest the arm's efforts are those of the fixed robot."""
    fixed, free = lw.build(ARM), lw.build(ARM, base="floating")
    assert free.nv == fixed.nv + 6 and free.q_names[0].startswith("floating_base")
    q, v = state(free)
    a = np.random.default_rng(1).normal(size=free.nv)
    q[:7], v[:6], a[:6] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.0, 0.0
    expected = fixed.inverse_dynamics(q[7:], v[6:], a[6:])
    assert free.generalized_forces(q, v, a)[6:] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_nothing_pushes_a_free_robot_but_gravity():
    """Motors do not move the base by forces from outside, and it weighs what all bodies and the base do together."""
    free = lw.build(ARM, base="floating", actuated=[joint.name for joint in ARM.joints])
    q, v = state(free)
    tau = np.random.default_rng(2).normal(size=free.na)
    force = free.generalized_forces(q, v, free.forward_dynamics(q, v, tau))
    assert force == pytest.approx([*np.zeros(6), *tau], abs=1e-10)
    mass = 5.0 + sum(body.inertia.mass for body in ARM.bodies)
    assert np.linalg.norm(free.gravity_forces(q)[3:6]) == pytest.approx(mass * np.linalg.norm(ARM.gravity), rel=1e-12)


def test_fixing_undoes_floating():
    floating = with_floating_base(ARM)
    assert with_floating_base(floating) is floating
    fixed, again = lw.build(ARM), lw.build(floating, base="fixed")
    q, v = np.random.default_rng(3).uniform(-1.0, 1.0, (2, fixed.nv))
    assert again.inverse_dynamics(q, v, v) == pytest.approx(fixed.inverse_dynamics(q, v, v), rel=1e-12, abs=1e-12)


def test_a_fixed_base_stands_where_its_home_is():
    turned = (0.1, 0.2, 0.3, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    floating = replace(with_floating_base(ARM), home=(("floating_base", turned),))
    model = lw.build(floating, base="fixed")
    xyz, wxyz = model.frame_pose(np.zeros(6), ARM.base)
    assert xyz == pytest.approx(turned[:3]) and wxyz == pytest.approx(turned[3:])


def test_names_that_are_taken_are_not_used_again():
    first, *others = ARM.joints
    named = replace(ARM, base="world", joints=(replace(first, parent="world"), *others))
    assert with_floating_base(named).base == "universe"
    assert with_fixed_base(ARM) == ARM


def test_an_unknown_base_is_refused():
    with pytest.raises(ArgumentError, match="base is 'moving', expected one of 'fixed', 'floating'"):
        lw.build(ARM, base="moving")


def test_the_mass_of_a_urdf_root_link_acts_when_it_floats():
    text = """<robot name="r"><link name="trunk"><inertial><mass value="5"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="leg"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      </link><joint name="hip" type="continuous"><parent link="trunk"/><child link="leg"/><axis xyz="0 0 1"/></joint>
      </robot>"""
    mech = from_urdf(text).mechanism
    assert mech.base_inertia.mass == 5.0
    M = lw.build(mech, base="floating").mass_matrix([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    assert np.diag(M)[3:6] == pytest.approx(6.0)
    assert from_yaml(to_yaml(mech)) == mech
