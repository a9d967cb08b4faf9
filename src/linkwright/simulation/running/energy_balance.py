"""The energy balance of runs: kinetic and potential energy less work plus losses stay as they are.

Its drift is judged against the accuracy that was asked for. In a step, a method with tolerances may be off by atol +
rtol |y|. Relative to the motion that is `step_error`, and energies are off by as much in a step, relative to the energy
exchanged. Errors of many steps add up: measured on all catalog mechanisms with DOP853, DP5 and Rodas5P at rtol from
1e-4 to 1e-12, the drift is below 30 step errors in runs of up to 700 steps, and below 0.01 per step in longer ones;
where a run passes an exact change point, it is some hundreds.
Runs that lose energy for another reason, at a singular position above all, are off by as much at every tolerance.
Fixed steps ask for no accuracy: a share of the energy exchanged is the bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import AccuracyWarning, warn_caller
from linkwright.findings import Finding
from linkwright.simulation.integrators import Method

FIXED_STEP_SHARE = 1e-3
"""Drift of a run of fixed steps, relative to the energy exchanged, beyond which it counts as unreliable."""

STEPPER_SHARE = 1e-2
"""The same for robots of a stepper: end stops cost more than the method."""

# Step errors that any run may be off by; then as many as are below a share of the energy exchanged, or one per step.
_STEP_ERRORS = 100.0
_MORE_STEP_ERRORS = 1000.0
_LARGEST_SUM = 1e-3

_SIGNS = np.array([1.0, 1.0, -1.0, 1.0])

# Rounding: of a step, and of the energies themselves, relative to the largest of them.
_ROUNDED_STEP, _ROUNDED_ENERGY = 1e-13, 1e-11

REMEDY = "take a smaller tolerance or step"

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class EnergyBalance:
    """Drift of the energy balance of runs with any leading axes, ().

    Attributes:
        drift: largest change of energy less work plus losses, [J].
        exchanged: largest kinetic energy, or range of potential energy, work or losses, if that is larger, [J].
        bound: share of the energy exchanged that the drift may have.
        rounding: drift that is rounding, [J].
    """

    drift: Array
    exchanged: Array
    bound: Array
    rounding: Array

    @property
    def relative(self) -> Array:
        """Drift relative to the energy exchanged; 0 where that is zero."""
        return np.divide(self.drift, self.exchanged, out=np.zeros_like(self.drift), where=self.exchanged > 0.0)

    @property
    def holds(self) -> Array:
        """True where the drift is within its bound."""
        return (self.drift <= self.bound * self.exchanged) | (self.drift <= self.rounding)

    def data(self) -> dict[str, float]:
        """The balance of one run as JSON data."""
        names = ("drift", "relative", "exchanged", "bound")
        return {name: float(getattr(self, name)) for name in names}


def energy_balance(energies: Array, bound: Any) -> EnergyBalance:
    """The balance of runs with energies (..., rows, 4): kinetic, potential, work, losses; rows of NaN do not count."""
    if not energies.shape[-2]:
        nothing = np.zeros(energies.shape[:-2])
        return EnergyBalance(nothing, nothing, nothing + bound, nothing)
    series = np.ascontiguousarray(np.moveaxis(energies, (-2, -1), (1, 0)))  # (4, rows, ...), quick to go through
    low, high = np.fmin.reduce(series, axis=1), np.fmax.reduce(series, axis=1)
    balance = np.tensordot(_SIGNS, series, axes=1)
    drift = np.maximum(np.fmax.reduce(balance) - balance[0], balance[0] - np.fmin.reduce(balance))
    exchanged = np.maximum(high[0], (high - low).max(axis=0))
    rounding = rounding_of(np.maximum(np.abs(high), np.abs(low)).max(axis=0))
    drift, exchanged, rounding = (np.nan_to_num(x, posinf=np.inf) for x in (drift, exchanged, rounding))
    return EnergyBalance(drift, exchanged, np.broadcast_to(bound, drift.shape), rounding)


def rounding_of(largest: Array) -> Array:
    """Drift that is rounding where energies are as large as that, [J]."""
    return _ROUNDED_ENERGY * largest


def balance_of_runs(energies: Array, method: Method, q: Array, v: Array, steps: Array) -> EnergyBalance:
    """The balance of many runs, (runs,); the bound that takes longer is found for those that need it.

    Args:
        energies, q, v: rows of the runs, (runs, rows, 4), (runs, rows, nq), (runs, rows, nv); NaN does not count.
        steps: accepted steps of each run, (runs,).
    """
    found = energy_balance(energies, _smallest_bound(method))
    doubtful = np.flatnonzero(~found.holds)
    bound = np.array(found.bound)
    bound[doubtful] = balance_bound(method, q[doubtful], v[doubtful], steps[doubtful])
    return replace(found, bound=bound)


def _smallest_bound(method: Method) -> float:
    """The bound of a run that moves far, in few steps."""
    if method.h is not None:
        return FIXED_STEP_SHARE
    return max(_STEP_ERRORS * method.rtol, min(_MORE_STEP_ERRORS * method.rtol, _LARGEST_SUM))


def column_extremes(rows: Array) -> tuple[Array, Array]:
    """Smallest and largest numbers of each column, (..., n), of (..., rows, n); NaN does not count."""
    return np.fmin.reduce(rows, axis=-2), np.fmax.reduce(rows, axis=-2)


def surely_balances(energies: Array, method: Method) -> bool:
    """True if the balance of one run surely holds, which is found out quicker: energies (rows, 4)."""
    if not len(energies):
        return True
    balance = balanced_energy(energies)
    return bool(balance.max() - balance.min() <= _smallest_bound(method) * energies[:, 0].max())


def balanced_energy(energies: Array) -> Array:
    """Kinetic and potential energy less work plus losses, (..., rows), of (..., rows, 4)."""
    total: Array = energies @ _SIGNS
    return total


def balance_bound(method: Method, q: Array, v: Array, steps: Any) -> Array:
    """Share of the energy exchanged by which the balance of runs may drift.

    Args:
        q, v: rows of the runs, (..., rows, nq), (..., rows, nv); rows of NaN do not count.
        steps: accepted steps of each run, (...).
    """
    if method.h is not None or not q.shape[-2]:
        return np.full(np.shape(steps), _smallest_bound(method))
    return _sum_of_errors(step_error(method.rtol, method.atol or method.rtol, q, v), steps)


def _sum_of_errors(error: Any, steps: Any) -> Array:
    """What the errors of all steps may add up to."""
    summed = np.minimum(np.maximum(steps, _MORE_STEP_ERRORS) * error, _LARGEST_SUM)
    found: Array = np.maximum(_STEP_ERRORS * error, summed)
    return found


def step_error(rtol: float, atol: float, q: Array, v: Array) -> Array:
    """Error that a method may make in a step, relative to the motion: ranges of coordinates, largest velocities."""
    low, high = column_extremes(q)
    slowest, fastest = column_extremes(v)
    largest_q, largest_v = np.maximum(np.abs(low), np.abs(high)), np.maximum(np.abs(slowest), np.abs(fastest))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_q = _vector_lengths(atol + rtol * largest_q) / _vector_lengths(high - low)
        by_v = _vector_lengths(atol + rtol * largest_v) / _vector_lengths(largest_v)
    return np.maximum(np.fmax(by_q, by_v), _ROUNDED_STEP)


def _vector_lengths(x: Array) -> Array:
    return np.sqrt(np.square(x).sum(axis=-1))


def warn_of_lost_energy(name: str, balance: EnergyBalance, where: str) -> None:
    """Warn the caller of runs of a mechanism whose energy does not balance; `where` names what says more."""
    holds = np.atleast_1d(balance.holds)
    if holds.all():
        return
    message = (
        f"'{name}': energy less work and losses drifts by more than the accuracy asked for explains, so the motion is "
        f"unreliable from some instant on; {where}; {REMEDY}"
    )
    worst = float(np.atleast_1d(balance.relative)[~holds].max())
    finding = Finding("energy-not-balanced", message, severity="warning", subject=name, value=worst)
    warn_caller(message, AccuracyWarning, finding)
