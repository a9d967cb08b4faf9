"""Saha 1999, figures 5 and 8: joint torques over the prescribed motions, against 40-digit Lagrangian values."""

import numpy as np
import pytest

from linkwright.compiler import evaluate, trace
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from tests.papers.arms import arm, case

REWRITES = {
    "as drawn": lambda tree: tree,
    "grouped and aligned": lambda tree: group_inertial_parameters(align_link_frames(tree)),
}


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES.keys())
@pytest.mark.parametrize("name", ["saha_3r_inverse", "saha_stanford_inverse"])
def test_torques_over_the_whole_motion(name, rewrite):
    data = case(name)
    tree = rewrite(arm(data["model"]))
    n = tree.nv
    program = trace(lambda q, v, a: tree_inverse_dynamics(tree, q, v, a), {"q": n, "v": n, "a": n})
    tau = evaluate(program, data["q"], data["qd"], data["qdd"])
    assert np.abs(tau - data["expected"]["tau"]).max() < data["tolerance_abs"]


@pytest.mark.parametrize("name", ["saha_3r_inverse", "saha_stanford_inverse"])
def test_torques_at_the_named_times_on_floats(name):
    data = case(name)
    tree = arm(data["model"])
    for label, tau in data["key"].items():
        k = data["t"].index(float(label.removeprefix("t=")))
        q, v, a = (np.array(data[x][k]) for x in ("q", "qd", "qdd"))
        assert np.abs(tree_inverse_dynamics(tree, q, v, a) - tau).max() < data["tolerance_abs"]


def test_the_listed_motion_of_the_3r_arm_is_equation_38():
    data = case("saha_3r_inverse")
    phase = 2 * np.pi * np.array(data["t"]) / 10.0
    theta = 0.5 * (phase - np.sin(phase))
    assert np.abs(np.array(data["q"]) - theta[:, None]).max() < 1e-14


def test_the_listed_motion_of_the_stanford_arm_is_equation_39_corrected():
    data = case("saha_stanford_inverse")
    phase = 2 * np.pi * np.array(data["t"])[:, None] / 10.0
    q0, qT = np.array(data["q0"]), np.array(data["qT"])
    assert np.abs(np.array(data["q"]) - (q0 + (qT - q0) / (2 * np.pi) * (phase - np.sin(phase)))).max() < 1e-14
