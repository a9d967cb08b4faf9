"""Saha 1999, equations 20-55: the matrices of both arms at listed configurations."""

import numpy as np
import pytest

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import skew
from linkwright.recursion.forward_recursion import (
    articulated_body_masses,
    articulated_udu,
    composite_forward_dynamics,
    tree_forward_dynamics,
)
from linkwright.recursion.inertia import composite_moments, joint_maps, tree_convective_matrix, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces, tree_gravity_forces
from linkwright.recursion.matrices import denoc_matrices, mass_center
from linkwright.recursion.poses import link_poses, pose_of_frame
from tests.papers.arms import arm, case

DATA = case("saha_matrices")
NUMBERED = [f"{c['arm']}-{k}" for k, c in enumerate(DATA["configurations"])]


@pytest.fixture(params=DATA["configurations"], ids=NUMBERED)
def listed(request):
    """Tree, coordinates, velocities and the listed numbers."""
    numbers = request.param
    return arm(DATA["models"][numbers["arm"]]), np.array(numbers["q"]), np.array(numbers["qd"]), numbers


def assert_listed(found, numbers):
    assert np.abs(np.asarray(found) - numbers).max() < DATA["tolerance_abs"]


def test_inertia(listed):
    tree, q, v, numbers = listed
    assert_listed(tree_mass_matrix(tree, q), numbers["I"])
    assert_listed(denoc_matrices(tree, q, v).inertia, numbers["I"])


def test_convective_matrix(listed):
    tree, q, v, numbers = listed
    assert_listed(tree_convective_matrix(tree, q, v), numbers["C_paper_eq29_corrected"])
    assert_listed(denoc_matrices(tree, q, v).C, numbers["C_paper_eq29_corrected"])
    assert_listed(tree_bias_forces(tree, q, v) - tree_gravity_forces(tree, q), numbers["C_qd"])


def test_gravity_forces(listed):
    tree, q, _, numbers = listed
    assert_listed(tree_gravity_forces(tree, q), numbers["gravity_torque_dV_dq"])


def test_factors_of_the_reverse_gaussian_elimination(listed):
    tree, q, _, numbers = listed
    U, D = articulated_udu(tree, q)
    assert_listed(U, numbers["U"])
    assert_listed(D, numbers["D_mhat"])


def test_composite_and_articulated_masses(listed):
    tree, q, _, numbers = listed
    maps = joint_maps(tree, q)
    A, p = [m.A for m in maps], [m.p for m in maps]
    composite = [at_mass_center(tree, q, i, body.M) for i, body in enumerate(composite_moments(tree, A))]
    art = articulated_body_masses(tree, A, p)
    M_hat = [
        rest + sum(np.outer(art.psi_hat[d], art.psi[d]) for _, d in columns)
        for rest, columns in zip(art.rest, art.columns, strict=True)
    ]
    articulated = [at_mass_center(tree, q, i, M) for i, M in enumerate(M_hat)]
    assert_listed(composite, numbers["composite_body_mass_M_tilde"])
    assert_listed(articulated, numbers["articulated_body_mass_M_hat"])


def at_mass_center(tree, q, i, M):
    """A 6x6 mass of link i (link axes, at its origin) in the base's axes, at the link's mass center."""
    pose = link_poses(tree, q)[i]
    back = np.block([[pose.R.T, np.zeros((3, 3))], [skew(mass_center(tree, i)) @ pose.R.T, pose.R.T]])
    return back.T @ M @ back


@pytest.mark.parametrize("method", [tree_forward_dynamics, composite_forward_dynamics])
def test_forward_accelerations(listed, method):
    tree, q, v, numbers = listed
    tau = np.array(numbers["forward"]["tau"])
    assert_listed(method(tree, q, v, tau), numbers["forward"]["qdd"])


def test_positions(listed):
    tree, q, _, numbers = listed
    end = pose_of_frame(tree, q, len(tree.links) - 1, tree.links[-1].body)
    assert_listed(end.r, numbers["O_end"])
    assert_listed(end.R, numbers["R_end"])
    centers = [pose_of_frame(tree, q, i, RigidTransform.of(mass_center(tree, i))).r for i in tree.bodies]
    assert_listed(centers, numbers["C_positions"])
