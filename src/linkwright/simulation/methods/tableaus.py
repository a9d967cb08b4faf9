"""Runge-Kutta methods as tables (theory 8.1-8.3)."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.simulation.methods import dop853, rodas5p

Rows = list[dict[int, float]]


@dataclass(frozen=True, eq=False)
class Tableau:
    """An explicit method with `stages` stages; stage number `stages` is the derivative at the end of the step.

    Attributes:
        A: (total, total), stages that only serve the dense output last. Row `stages` holds the weights b.
        C: (total,), times of the stages in units of the step.
        E: (2, total), the error estimate and a second one of lower order, zero when there is none.
        D: (n_d, total), rows of the dense output beyond the Hermite cubic.
        order: of the error estimate.
        last_in_error: True if the estimate needs the derivative at the end.
    """

    stages: int
    A: np.ndarray
    C: np.ndarray
    E: np.ndarray
    D: np.ndarray
    order: int
    last_in_error: bool

    @property
    def total(self) -> int:
        """Number of rows of derivatives."""
        return len(self.C)

    @property
    def n_dense(self) -> int:
        """Rows of the interpolant beyond the Hermite cubic."""
        return len(self.D)


@dataclass(frozen=True, eq=False)
class StiffTableau:
    """A Rosenbrock method (theory 8.10); the last stage is its error estimate.

    Attributes:
        A, E: (stages, stages), weights of earlier stages in the state and, divided by h, in the right-hand side.
        C, G: (stages,), times of the stages, and weights of the derivative with time.
        D: (3, stages), rows of the dense output.
    """

    stages: int
    A: np.ndarray
    C: np.ndarray
    E: np.ndarray
    D: np.ndarray
    G: np.ndarray
    gamma: float
    order: int
    last_in_error: bool = False
    n_dense: int = 1

    @property
    def total(self) -> int:
        """Number of rows of derivatives: the derivative at the state, then the stages."""
        return self.stages + 1


def _coefficient_table(rows: Rows, width: int) -> np.ndarray:
    out = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        out[i, list(row)] = list(row.values())
    return out


@cache
def classical_rk4() -> Tableau:
    """The classical method of order 4; dense output is the Hermite cubic."""
    A = _coefficient_table([{}, {0: 0.5}, {1: 0.5}, {2: 1.0}, {0: 1 / 6, 1: 1 / 3, 2: 1 / 3, 3: 1 / 6}], 5)
    return Tableau(4, A, np.array([0.0, 0.5, 0.5, 1.0, 1.0]), np.zeros((2, 5)), np.zeros((0, 5)), 4, False)


@cache
def dormand_prince_5() -> Tableau:
    """Order 5 with an estimate of order 4 (J. R. Dormand, P. J. Prince, 1980), dense output of order 4 (Shampine)."""
    A: Rows = [
        {},
        {0: 1 / 5},
        {0: 3 / 40, 1: 9 / 40},
        {0: 44 / 45, 1: -56 / 15, 2: 32 / 9},
        {0: 19372 / 6561, 1: -25360 / 2187, 2: 64448 / 6561, 3: -212 / 729},
        {0: 9017 / 3168, 1: -355 / 33, 2: 46732 / 5247, 3: 49 / 176, 4: -5103 / 18656},
        {0: 35 / 384, 2: 500 / 1113, 3: 125 / 192, 4: -2187 / 6784, 5: 11 / 84},
    ]
    C = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
    E: Rows = [
        {0: 71 / 57600, 2: -71 / 16695, 3: 71 / 1920, 4: -17253 / 339200, 5: 22 / 525, 6: -1 / 40},
        {},
    ]
    D: Rows = [
        {
            0: -12715105075 / 11282082432,
            2: 87487479700 / 32700410799,
            3: -10690763975 / 1880347072,
            4: 701980252875 / 199316789632,
            5: -1453857185 / 822651844,
            6: 69997945 / 29380423,
        }
    ]
    return Tableau(6, _coefficient_table(A, 7), C, _coefficient_table(E, 7), _coefficient_table(D, 7), 4, True)


@cache
def dormand_prince_8() -> Tableau:
    """Order 8, dense output of order 7."""
    A, E, D = (_coefficient_table(rows, 16) for rows in (dop853.A, dop853.E, dop853.D))
    return Tableau(12, A, np.array(dop853.C), E, D, 7, False)


@cache
def rodas5p_tableau() -> StiffTableau:
    """Rodas5P: order 5, dense output of order 4."""
    A, E = (_coefficient_table([dict(enumerate(row)) for row in rows], 8) for rows in (rodas5p.A, rodas5p.C))
    return StiffTableau(
        8,
        A,
        np.array(rodas5p.TIMES),
        E,
        np.array(rodas5p.H),
        np.array(rodas5p.D),
        rodas5p.GAMMA,
        4,
    )
