"""Ways to step through time as objects, and their coefficients as tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field, is_dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.method_registry import (
    DEFAULT_NAME,
    REGISTERED,
    method_class,
    method_names,
    own_methods,
    required_options,
)
from linkwright.simulation.method_coefficients import (
    DOP853_A,
    DOP853_C,
    DOP853_D,
    DOP853_E,
    RODAS5P_A,
    RODAS5P_C,
    RODAS5P_D,
    RODAS5P_GAMMA,
    RODAS5P_H,
    RODAS5P_TIMES,
)

Rows = list[dict[int, float]]
Chosen = TypeVar("Chosen", bound="Method")


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
    A, E, D = (_coefficient_table(rows, 16) for rows in (DOP853_A, DOP853_E, DOP853_D))
    return Tableau(12, A, np.array(DOP853_C), E, D, 7, False)


@cache
def rodas5p_tableau() -> StiffTableau:
    """Rodas5P: order 5, dense output of order 4."""
    A, E = (_coefficient_table([dict(enumerate(row)) for row in rows], 8) for rows in (RODAS5P_A, RODAS5P_C))
    return StiffTableau(
        8,
        A,
        np.array(RODAS5P_TIMES),
        E,
        np.array(RODAS5P_H),
        np.array(RODAS5P_D),
        RODAS5P_GAMMA,
        4,
    )


SMALLEST_RTOL = 1e-13
"""Below it, estimates of the error are round-off."""


def _require_tolerances(rtol: float, atol: float | None, h_max: float) -> None:
    _require_positive("rtol", rtol)
    if rtol < SMALLEST_RTOL:
        raise ArgumentError(f"rtol is {rtol:g}, which is below round-off; give at least {SMALLEST_RTOL:g}")
    if atol is not None:
        _require_positive("atol", atol)
    if not (isinstance(h_max, int | float) and h_max > 0):
        raise ArgumentError(f"h_max is {h_max!r}, expected a time above zero [s]")


def _require_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ArgumentError(f"{name} is {value!r}, expected a number above zero")


class Method(ABC):
    """A way to step through time: a frozen record of options with its tableau.

    Subclass it to write your own; `simulate` takes every method, `simulate_many` those with a `Tableau`, `Stepper`
    those that take a fixed step h too.

    Attributes:
        h: the fixed step [s]; None where the method chooses its steps, by the others.
        rtol, atol: error allowed per step, relative and absolute; atol None takes rtol.
        h_max: longest step, [s].
    """

    h: float | None
    rtol: float
    atol: float | None
    h_max: float

    @property
    @abstractmethod
    def tableau(self) -> Tableau | StiffTableau:
        """Coefficients of the method."""

    @property
    def is_explicit(self) -> bool:
        """True if it needs no Jacobian: lanes of many runs step with it."""
        return isinstance(self.tableau, Tableau)


@dataclass(frozen=True)
class Given(Method):
    """No steps: states at all times are given, as those of `lw.motion`."""

    @property
    def tableau(self) -> Tableau:
        raise ArgumentError("a motion that is given is not stepped; name a method such as DOP853()")


@dataclass(frozen=True)
class RK4(Method):
    """The classical Runge-Kutta method with a fixed step h [s]."""

    h: float

    def __post_init__(self) -> None:
        _require_positive("h", self.h)

    @property
    def tableau(self) -> Tableau:
        """Coefficients of the method."""
        return classical_rk4()


@dataclass(frozen=True)
class DP5(Method):
    """Dormand and Prince's method of order 5: adaptive, or with a fixed step h [s].

    Attributes:
        rtol, atol: error allowed per step, relative and absolute; atol None takes rtol.
        h: a fixed step instead, without error control.
        h_max: longest step, [s].
    """

    rtol: float = 1e-6
    atol: float | None = None
    h: float | None = None
    h_max: float = float("inf")

    def __post_init__(self) -> None:
        _require_tolerances(self.rtol, self.atol, self.h_max)
        if self.h is not None:
            _require_positive("h", self.h)

    @property
    def tableau(self) -> Tableau:
        """Coefficients of the method."""
        return dormand_prince_5()


@dataclass(frozen=True)
class _Adaptive(Method):
    """Tolerances of a method that chooses its steps itself.

    Attributes:
        rtol, atol: error allowed per step, relative and absolute; atol None takes rtol.
        h_max: longest step, [s].
    """

    rtol: float
    atol: float | None = None
    h_max: float = float("inf")
    h: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        _require_tolerances(self.rtol, self.atol, self.h_max)


@dataclass(frozen=True)
class DOP853(_Adaptive):
    """Dormand and Prince's method of order 8 with dense output of order 7, adaptive. The default.

    Attributes:
        rtol, atol: error allowed per step, relative and absolute; atol None takes rtol.
        h_max: longest step, [s].
    """

    rtol: float = 1e-9

    @property
    def tableau(self) -> Tableau:
        """Coefficients of the method."""
        return dormand_prince_8()


@dataclass(frozen=True)
class Rodas5P(_Adaptive):
    """Steinebach's Rosenbrock method of order 5 for stiff motion, with the compiled Jacobian; adaptive.

    Worth it for stiff, damped springs; below rtol 1e-8 its order falls on them.

    Attributes:
        rtol, atol: error allowed per step, relative and absolute; atol None takes rtol.
        h_max: longest step, [s].
    """

    rtol: float = 1e-6

    @property
    def tableau(self) -> StiffTableau:
        """Coefficients of the method."""
        return rodas5p_tableau()


DEFAULT: Method = method_class(DEFAULT_NAME)()
"""The method of a run that names none."""


def register_method(kind: type[Chosen]) -> type[Chosen]:
    """Register your own method; study files and `--method` name it by its class's name in lower case. A decorator.

    `simulate` and its relatives take every method, registered or not. Registered again, for example by a cell of a
    notebook that runs twice, it replaces the class of the same name.

    An installed package names the module that does this as an entry point of the group `linkwright.methods`.

    Raises:
        ArgumentError: the class is not a frozen record of a method, has the name of a method of the library, or needs
            options that files cannot give: only a step h may have no default.
    """
    if not (isinstance(kind, type) and issubclass(kind, Method) and is_dataclass(kind)):
        raise ArgumentError(f"kind is {kind!r}, expected a frozen dataclass that extends lw.types.Method", name="kind")
    name = kind.__name__.lower()
    if name in own_methods():
        raise ArgumentError(f"method '{name}' is one of the library's; name yours otherwise", name="kind")
    if needed := [each for each in required_options(kind) if each != "h"]:
        raise ArgumentError(f"method '{name}' needs {', '.join(needed)}; only h may have no default", name="kind")
    REGISTERED[name] = kind
    return kind


def examples_of_methods() -> str:
    """The methods as they are written: for messages."""
    made = [kind(**dict.fromkeys(required_options(kind), 1.0)) for kind in map(method_class, method_names())]
    return ", ".join(f"{type(each).__name__}({', '.join(required_options(type(each))) or '...'})" for each in made)
