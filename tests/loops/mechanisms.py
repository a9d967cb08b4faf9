"""The catalog's mechanisms with loops, each built once, and random closed states of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import linkwright as lw
from linkwright import catalog
from linkwright.compiler import evaluate
from linkwright.dynamics.dynamics import Dynamics
from linkwright.functions import Kernels, Setup, setup
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.kinematics import Kinematics
from tests.sampling import sample

# The mechanisms every law of this folder is tried on; the catalog's others are tried in tests/catalog.
NAMES = (
    "3-rps",
    "3-rrr",
    "andrews-squeezer",
    "bricard",
    "delta",
    "five-bar",
    "four-bar",
    "gough-stewart",
    "hexaglide",
    "hexam",
    "linapod",
    "slider-crank",
)
SOME = tuple(sample(NAMES, ("3-rps", "3-rrr", "andrews-squeezer", "bricard", "delta", "four-bar", "gough-stewart")))
"""Those that are not built like another one: legs of six freedoms four times, single planar loops three times."""

EFFORT = {"andrews-squeezer": 0.03, "delta": 0.1}  # N m or N, typical


class Mechanics:
    """Kinematics and dynamics of one mechanism, and short names for what they hold."""

    def __init__(self, ready: Setup, dynamics: Dynamics | None = None) -> None:
        self.dynamics = dynamics or Dynamics(Kinematics(Kernels(ready)))
        self.kinematics = self.dynamics.kinematics

    @classmethod
    def of(cls, model: lw.Model) -> Mechanics:
        """Those of a model."""
        return cls(model.kernels.setup, model.dynamics)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dynamics if hasattr(Dynamics, name) else self.kinematics, name)


@cache
def mechanics(name: str) -> Mechanics:
    """A mechanism of the catalog with its own actuators."""
    return Mechanics(setup(catalog.load(name), None))


def closed_states(name: str, n: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Closed coordinates on the home branch, speeds the loops allow, and efforts: n of each, random."""
    return states_of(mechanics(name), n, seed, EFFORT.get(name, 1.0))


def states_of(made: Mechanics, n: int, seed: int, effort: float) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The same of any mechanism, with efforts of the given size."""
    rng = np.random.default_rng(seed)
    q = made.branch_samples[rng.permutation(len(made.branch_samples))[:n]]
    J = evaluate(made.all_rows.program(closure_functions.closure_jacobian), q)
    speed = 1.0 if made.scales.length > 0.1 else 0.1 / made.scales.length
    out = []
    for one, rows in zip(q, J / made.scales.rows[:, None] * made.scales.speeds):
        v = _allowed(rows, rng.normal(size=rows.shape[1])) * made.scales.speeds * speed
        out.append((one, v, effort * rng.normal(size=len(made.setup.drives))))
    return out


def _allowed(J: np.ndarray, v: np.ndarray) -> np.ndarray:
    _, s, Vt = np.linalg.svd(J)
    rows = Vt[: np.sum(s > 1e-8 * s[0])]
    return v - rows.T @ (rows @ v)
