"""Inverse kinematics with a leg at, or within any distance of, the singularity of its own Hooke joint."""

from collections.abc import Iterator

import numpy as np
import pytest

from linkwright.functions.loop import closure_functions
from linkwright.joints import Universal
from linkwright.mechanism.tree import Link
from tests.loops.hard import near_zero
from tests.loops.mechanisms import Mechanics, mechanics
from tests.model.models import model
from tests.sampling import sample

MECHANISMS = {"gough-stewart": None, "hexam": None, "delta": ("x", "y", "z")}
DISTANCES = (0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


def hooke_joints(made: Mechanics) -> list[Link]:
    return [link for link in made.setup.tree.links if isinstance(link.kind, Universal)]


def influence(made: Mechanics, link: Link, angles: np.ndarray) -> np.ndarray:
    """Effect of the first angle of a Hooke joint on the loops' frames when the second has some values."""
    q = np.repeat(made.home[None, :], len(angles), axis=0)
    q[:, link.coords.start + 1] = angles
    return np.linalg.norm(made.all_rows.function(closure_functions.closure_jacobian)(q)[:, :, link.dofs.start], axis=1)


def pole(made: Mechanics, link: Link) -> float:
    """The second angle at which the first moves nothing, by nested grids."""
    middle, width = 0.0, np.pi
    while width > 1e-15:
        angles = middle + np.linspace(-width, width, 61)
        middle, width = float(angles[np.argmin(influence(made, link, angles))]), width / 10.0
    return middle


def near_poles(made: Mechanics, seed: int) -> Iterator[np.ndarray]:
    """Closed configurations within 1e-8, 1e-6, 1e-4 and 1e-2 of a leg's pole, for every leg that can get there."""
    rng = np.random.default_rng(seed)
    for link in hooke_joints(made):
        there, at = pole(made, link), link.coords.start + 1

        def measure(q: np.ndarray, there: float = there, at: int = at) -> np.ndarray:
            return np.sin(q[:, at] - there)

        start = made.branch_samples[rng.integers(0, len(made.branch_samples), 1)]
        q = near_zero(made, measure, start, 40)
        closed = np.abs(made.all_rows.function(closure_functions.closure_residual)(q)).max(axis=1) < 1e-12
        yield from q[closed & (np.abs(measure(q)) < 0.02)]


@pytest.mark.parametrize("name", sample(list(MECHANISMS), ("gough-stewart", "delta")))
def test_poses_that_bring_a_leg_to_its_pole_are_reached(name):
    made, m = mechanics(name), model(name)
    frame, tried = m.mechanism.platform, 0
    for q in near_poles(made, seed=2):
        xyz, wxyz = m.frame_pose(q, frame)
        found, _, _ = m.inverse_kinematics((xyz, wxyz), near=made.home, components=MECHANISMS[name])
        assert np.abs(m.closure_residual(found)).max() < 1e-11
        assert np.abs(m.frame_pose(found, frame)[0] - xyz).max() < 1e-11
        tried += 1
    assert tried >= 18


def test_every_distance_from_a_vertical_leg_is_reached_from_home_and_from_the_pole_itself():
    made, m = mechanics("gough-stewart"), model("gough-stewart")
    frame, rng = m.mechanism.platform, np.random.default_rng(3)
    at_pole = next(near_poles(made, seed=4))
    xyz, wxyz = m.frame_pose(at_pole, frame)
    for distance in DISTANCES:
        target = xyz + distance * made.scales.length * _unit(rng)
        for near in (made.home, at_pole):
            q, _, _ = m.inverse_kinematics((target, wxyz), near=near)
            assert np.abs(m.frame_pose(q, frame)[0] - target).max() < 1e-11


def _unit(rng: np.random.Generator) -> np.ndarray:
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)
