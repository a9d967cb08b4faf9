"""UR5 and Panda, read from the same URDF files by our reader and by Pinocchio's."""

import os
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")

from linkwright.errors import FormatWarning  # noqa: E402
from linkwright.formats.mechanism_files import load  # noqa: E402
from linkwright.mechanism.alignment import align_link_frames  # noqa: E402
from linkwright.mechanism.tree import (  # noqa: E402
    Tree,
    coordinate_slices,
    group_inertial_parameters,
    spanning_tree,
)
from linkwright.recursion.force_elements import passive_forces  # noqa: E402
from linkwright.recursion.forward_recursion import composite_forward_dynamics, tree_forward_dynamics  # noqa: E402
from linkwright.recursion.inertia import tree_mass_matrix  # noqa: E402
from linkwright.recursion.inverse_recursion import tree_gravity_forces, tree_inverse_dynamics  # noqa: E402
from linkwright.recursion.poses import pose_of_frame  # noqa: E402
from tests.strategies import error  # noqa: E402

TOLERANCE = 1e-12
FILES = {"ur5": "ur_description/urdf/ur5_robot.urdf", "panda": "panda_description/urdf/panda.urdf"}
# Attributes that URDF does not have: every warning of the file is about one of them.
DROPPED = {"panda": r"(D|K|mu_coulomb|mu_viscous)='\d+' in <dynamics> dropped, 7 times .*it is not known"}
ROBOTS = Path(os.path.dirname(os.path.dirname(np.__file__)), "cmeel.prefix/share/example-robot-data/robots")


@dataclass(frozen=True)
class Robot:
    """Our tree, their model, and their speed number for each of ours (all joints have one coordinate)."""

    tree: Tree
    model: Any
    order: list[int]


@cache
def robot(name: str) -> Robot:
    path = ROBOTS / FILES[name]
    if not path.exists():
        pytest.skip("the pip package example-robot-data is not installed")
    with pytest.warns(FormatWarning, match=DROPPED[name]) if name in DROPPED else nullcontext():
        mech = load(path)
    model = pin.buildModelFromUrdf(str(path))
    moving = [j for j in mech.joints if coordinate_slices((j,))[j.name][0].stop]
    order = [model.joints[model.getJointId(j.name)].idx_v for j in moving]
    assert sorted(order) == list(range(model.nv)) and model.nq == model.nv
    return Robot(spanning_tree(mech), model, order)


@pytest.fixture(params=FILES)
def given_robot(request):
    return robot(request.param)


def states(r: Robot, n: int = 20):
    """Random q, v, a, ours and theirs."""
    for seed in range(n):
        ours = np.random.default_rng(seed).uniform(-2, 2, size=(3, r.model.nv))
        theirs = np.zeros_like(ours)
        theirs[:, r.order] = ours
        yield ours, theirs


def test_inverse_dynamics(given_robot):
    r = given_robot
    for (q, v, a), theirs in states(r):
        tau = pin.rnea(r.model, r.model.createData(), *theirs)[r.order]
        for tree in (r.tree, group_inertial_parameters(align_link_frames(r.tree))):
            assert error(tree_inverse_dynamics(tree, q, v, a) - passive_forces(tree, q, v), tau) < TOLERANCE


@pytest.mark.parametrize("method", [tree_forward_dynamics, composite_forward_dynamics])
def test_forward_dynamics(given_robot, method):
    r = given_robot
    for (q, v, tau), theirs in states(r):
        a = pin.aba(r.model, r.model.createData(), *theirs)[r.order]
        condition = np.linalg.cond(tree_mass_matrix(r.tree, q))
        for tree in (r.tree, group_inertial_parameters(align_link_frames(r.tree))):
            found = method(tree, q, v, tau + passive_forces(tree, q, v))
            assert error(found, a) < 0.1 * TOLERANCE * condition


def test_inertia_and_gravity(given_robot):
    r = given_robot
    for (q, _, _), (q_pin, _, _) in states(r):
        data = r.model.createData()
        upper = np.triu(pin.crba(r.model, data, q_pin))
        M = (upper + np.triu(upper, 1).T)[np.ix_(r.order, r.order)]
        assert error(tree_mass_matrix(r.tree, q), M) < TOLERANCE
        gravity = pin.computeGeneralizedGravity(r.model, data, q_pin)[r.order]
        assert error(tree_gravity_forces(r.tree, q), gravity) < TOLERANCE


def test_frame_poses(given_robot):
    r = given_robot
    for (q, _, _), (q_pin, _, _) in states(r, 5):
        data = r.model.createData()
        pin.framesForwardKinematics(r.model, data, q_pin)
        for i, link in enumerate(r.tree.links):
            theirs = data.oMf[r.model.getFrameId(link.name, pin.FrameType.BODY)]
            ours = pose_of_frame(r.tree, q, i, link.body)
            assert error(ours.r, theirs.translation) < TOLERANCE
            assert error(ours.R, theirs.rotation) < TOLERANCE
