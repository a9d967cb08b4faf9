"""Base parameters: published numbers of serial arms, textbook combinations, and ranks of the energies' regressor."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis import base_parameters
from linkwright.analysis.identification.measured_motion import random_states
from linkwright.errors import ArgumentError


@pytest.mark.parametrize(
    ("name", "count"),
    [
        # Mayeda, Yoshida, Osuka, Base parameters of manipulator dynamic models, IEEE T-RA 6(3), 1990, 312-321: 7 N - 4
        # for an arm of N revolute joints whose second axis is not parallel to the first, 2 less where that is vertical.
        ("puma-560", 7 * 6 - 4 - 2),
        # A planar arm with gravity in its plane: mass on the axis and its first moments per link.
        ("three-link-arm", 3 * 3),
    ],
)
def test_number_of_inertial_base_parameters(name: str, count: int) -> None:
    found = base_parameters(lw.build(lw.catalog.load(name)), parameters=["inertial"])
    assert len(found) == count
    assert found.least > 1e-3 > 1e-12 > found.next


def energies(model: lw.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Kinetic energies and, below, potential energies less their mean, per unit of every inertial parameter."""
    poses, g, columns = model.body_poses(q), np.array(model.mechanism.gravity), []
    for i, body in enumerate(model.bodies):
        R, r, t = poses.rotation[:, i], poses.position[:, i], model.frame_twist(q, v, body)
        omega, vel = (np.einsum("nji,nj->ni", R, x) for x in (t[:, :3], t[:, 3:]))
        kinetic, potential = [0.5 * np.sum(vel**2, axis=1)], [-r @ g]
        for k in range(3):
            kinetic.append(np.sum(vel * np.cross(omega, np.eye(3)[k]), axis=1))
            potential.append(-R[:, :, k] @ g)
        for j, k in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            kinetic.append((0.5 if j == k else 1.0) * omega[:, j] * omega[:, k])
            potential.append(np.zeros(len(q)))
        columns += [np.concatenate([x, y - y.mean()]) for x, y in zip(kinetic, potential, strict=True)]
    return np.array(columns).T


def energy_count(model: lw.Model) -> int:
    """Number of inertial base parameters: rank of the energies per unit parameter on random states."""
    states = random_states(model, 300, np.random.default_rng(3))
    W = energies(model, states.q, states.v)
    size = np.linalg.norm(W, axis=0)
    W = W[:, size > 1e-11 * size.max()]
    values = np.linalg.svd(W / np.linalg.norm(W, axis=0), compute_uv=False)
    return int(np.sum(values > 1e-9 * values[0]))


@pytest.mark.parametrize("name", ["five-bar", "four-bar", "3-rrr", "stanford-arm"])
def test_as_many_as_independent_energies(name: str) -> None:
    """Parameters have no effect on efforts where their kinetic energy vanishes and the potential one is constant."""
    model = lw.build(lw.catalog.load(name))
    assert len(base_parameters(model, parameters=["inertial"])) == energy_count(model)


def test_combinations_of_a_two_bar_arm_are_those_of_the_textbook() -> None:
    found = base_parameters(lw.build(lw.catalog.load("five-bar")), parameters=["inertial", "rotor"])
    # Mass of the distal link counts at the end of the proximal one: 0.25 m squared.
    row = found.map[found.leading.index("proximal1.Izz")]
    assert row[found.names.index("distal1.m")] == pytest.approx(0.0625, rel=1e-9)
    assert row[found.names.index("theta1.rotor")] == pytest.approx(1.0, rel=1e-9)
    assert "proximal1.Izz + theta1.rotor" in found.descriptions[0]
    assert "proximal1.m" in found.without_effect


def test_base_parameters_give_the_efforts() -> None:
    model = lw.build(lw.catalog.load("3-rrr"))
    found = base_parameters(model)
    states = random_states(model, 20, np.random.default_rng(8))
    Y, tau = model.regressor(states.q, states.v, states.a), model.inverse_dynamics(states.q, states.v, states.a)
    own = Y[..., found.columns[list(found.base)]]
    assert np.abs(own @ found.values - tau).max() < 1e-9 * np.abs(tau).max()
    assert np.allclose(found.of(model.regressor_parameters.values), found.values)


def test_names_and_kinds_that_are_not_there_are_refused() -> None:
    model = lw.build(lw.catalog.load("five-bar"))
    with pytest.raises(ArgumentError, match="parameters names 'inertia'"):
        base_parameters(model, parameters=["inertia"])
    assert base_parameters(model, parameters=["distal1"]).names[0] == "distal1.m"
