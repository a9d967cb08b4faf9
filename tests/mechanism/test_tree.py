"""Trees: the order to walk them in, where coordinates stand, and what choosing link frames and grouping achieve."""

from itertools import pairwise

import numpy as np
from hypothesis import given

from benchmarks.operation_counts import generic_arm
from linkwright.algebra.rotations import Turn
from linkwright.joints import Fixed, Prismatic, Revolute
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import coordinate_slices, group_inertial_parameters, spanning_tree
from tests.strategies import error, mechanisms, samples, trees


@given(trees())
def test_outward_visits_parents_first_and_inward_is_its_reverse(tree):
    assert sorted(tree.outward) == list(tree.bodies)
    seen = {-1}
    for i in tree.outward:
        assert tree.parent[i] in seen
        seen.add(i)
    assert tree.inward == tree.outward[::-1]


@given(trees())
def test_ancestors_lead_to_the_base(tree):
    for i in tree.bodies:
        chain = tree.ancestors(i)
        assert chain[0] == i and tree.parent[chain[-1]] == -1
        assert all(tree.parent[a] == b for a, b in pairwise(chain))
        assert all(tree.parent[c] == i for c in tree.children[i])


@given(mechanisms())
def test_coordinates_follow_the_files_joints_without_gaps(mech):
    slices = coordinate_slices(mech.joints)
    q = [k for j in mech.joints for k in range(slices[j.name][0].start, slices[j.name][0].stop)]
    v = [k for j in mech.joints for k in range(slices[j.name][1].start, slices[j.name][1].stop)]
    tree = spanning_tree(mech)
    assert q == list(range(tree.nq)) and v == list(range(tree.nv))
    for link in tree.links:
        assert (link.coords, link.dofs) == slices[link.joint]
        assert link.coords.stop - link.coords.start == link.kind.nq


def test_an_aligned_arm_has_one_constant_turn_and_two_lengths_per_link():
    for link in align_link_frames(generic_arm(6)).links[1:]:
        (constant,) = link.R.factors
        assert isinstance(constant, Turn) and constant.axis == 0
        assert link.r[1] == 0.0


def test_grouping_leaves_a_revolute_link_seven_numbers():
    for link in group_inertial_parameters(align_link_frames(generic_arm(6))).links:
        body = link.moments
        assert body.m == 0.0 and body.h[2] == 0.0 and body.Sigma[2, 2] == 0.0


@given(samples(allowed=(Fixed, Revolute, Prismatic)))
def test_grouping_empties_what_moves_with_the_parent(s):
    for link in group_inertial_parameters(s.tree).links:
        body = link.moments
        match link.kind:
            case Fixed():
                assert body.m == 0.0 and not np.any(body.h) and not np.any(body.Sigma)
            case Revolute():
                assert body.m == 0.0 and body.h[2] == 0.0 and body.Sigma[2, 2] == 0.0
            case Prismatic():
                assert not np.any(body.Sigma)


@given(samples())
def test_alignment_keeps_mass_and_the_distance_to_the_axis(s):
    for old, new in zip(s.tree.links, align_link_frames(s.tree).links, strict=True):
        assert error(new.moments.m, old.moments.m) == 0.0
        if isinstance(old.kind, Revolute):
            assert error(np.hypot(*new.moments.h[:2]), np.hypot(*old.moments.h[:2])) < 1e-12
            assert error(new.moments.J[2, 2], old.moments.J[2, 2]) < 1e-12


@given(mechanisms())
def test_a_rotor_counts_with_its_gear_squared(mech):
    slices, expected = coordinate_slices(mech.joints), np.zeros(spanning_tree(mech).nv)
    for joint in mech.joints:
        expected[slices[joint.name][1]] = joint.armature or 0.0
    for actuator in mech.actuators:
        expected[slices[actuator.joint][1].start + actuator.dof] += actuator.gear**2 * actuator.rotor_inertia
    assert error(spanning_tree(mech).rotors, expected) < 1e-15
