"""Reachable states of a mechanism drawn at random, with velocities and accelerations that keep its loops closed."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.model import Model
from linkwright.plans.scales import random_coordinates

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class States:
    """Coordinates (n, nq), velocities and accelerations (n, nv)."""

    q: Array
    v: Array
    a: Array

    def __len__(self) -> int:
        return len(self.q)


def random_states(model: Model, n: int, rng: np.random.Generator) -> States:
    """States in the branch of the home configuration; rates of the independent velocities of about 1 rad/s.

    Accelerations are such that they, products of velocities, and gravity weigh alike.
    """
    kinematics = model.kinematics
    every = kinematics.branch_samples if kinematics.closed else random_coordinates(model.mechanism, n, rng)
    q = every[rng.integers(len(every), size=n)]
    units = kinematics.scales.speeds[list(kinematics.independent)]
    size = (n, len(units))
    v, a = complete_independent_motion(
        kinematics, q, 2.0 * rng.normal(size=size) * units, 4.0 * rng.normal(size=size) * units
    )
    return States(q, v, a)
