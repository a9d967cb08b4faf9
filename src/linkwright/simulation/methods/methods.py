"""Ways to step through time, as objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.simulation.methods.tableaus import (
    StiffTableau,
    Tableau,
    classical_rk4,
    dormand_prince_5,
    dormand_prince_8,
    rodas5p_tableau,
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


METHODS: dict[str, type[Any]] = {method.__name__.lower(): method for method in (DOP853, DP5, RK4, Rodas5P)}
"""The methods by their names in study files and on the command line."""

DEFAULT = DOP853()
"""The method of a run that names none."""
