"""Limits along a path as inequalities in u = d^2s/dt^2 and x = (ds/dt)^2, and the fastest profile within them.

With q(s), velocities are v = q' s_dot and accelerations q' u + q'' x, so that efforts are a u + b x + c(s) plus
friction, which is odd in the velocity: half the difference of the efforts there and back.

toppra (H. Pham, Q.-C. Pham, "A new approach to time-optimal path parameterization based on reachability analysis",
IEEE Trans. Robotics 34(3), 2018) goes backward through controllable sets and forward greedily. The fastest profile is
the largest at every point, so that one linear program over all intervals, max sum x, finds it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwright.analysis.motions.path_states import PathStates
from linkwright.checks import require_number, require_real_array
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError, installation_hint
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model

# --- limits along a path as inequalities a u + b x + c <= 1 in u = d^2s/dt^2 and x = (ds/dt)^2 ------------------------

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits of the actuators, (na,), infinite where there is none, and how fast joints of the file may be.

    Attributes:
        effort, speed, acceleration: magnitudes, [N m or N], [rad/s or m/s], [rad/s^2 or m/s^2].
    """

    effort: Array
    speed: Array
    acceleration: Array

    @property
    def empty(self) -> bool:
        """True if nothing bounds how fast the path speed may change."""
        return not (np.isfinite(self.effort).any() or np.isfinite(self.acceleration).any())


def actuator_bounds(model: Model, effort: Any, speed: Any, acceleration: Any) -> Bounds:
    """Limits that are given, and those of the file."""
    own = np.array([each.effort for each in model.actuators])
    given = [
        _bounds_by_actuator(name, x, model)
        for name, x in (("effort", effort), ("speed", speed), ("acceleration", acceleration))
    ]
    return Bounds(np.minimum(own, given[0]), given[1], given[2])


def _bounds_by_actuator(title: str, given: Any, model: Model) -> Array:
    """One number for all, (na,), or by name; infinite where not given."""
    found = np.full(model.na, np.inf)
    if given is None:
        return found
    if isinstance(given, Mapping):
        for name, x in given.items():
            if name not in model.actuated:
                raise ArgumentError(f"unknown actuator '{name}'{suggest_name(str(name), model.actuated)}", name=title)
            found[model.actuated.index(name)] = require_number(f"{title} of '{name}'", x)
    else:
        values = require_real_array(title, given).astype(float)
        if values.shape not in ((), (model.na,)):
            raise ArgumentError(
                f"{title} has shape {values.shape}, expected one number or ({model.na},): {', '.join(model.actuated)}",
                name=title,
            )
        found[:] = values
    if np.isnan(found).any() or (found <= 0.0).any():
        raise ArgumentError(f"{title} is {given!r}, expected numbers above zero", name=title)
    return found


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Efforts a u + b x + c at points of a path, (n, na) each, without friction; of the actuators' accelerations too.

    Attributes:
        joint_speeds: largest x that the speed limits of the file's joints and of the actuators allow, (n,).
        rates, bends: first and second derivatives of the actuators' positions by s, (n, na).
    """

    a: Array
    b: Array
    c: Array
    rates: Array
    bends: Array
    joint_speeds: Array


def coefficients_of(model: Model, at: PathStates, bounds: Bounds, named: Mapping[str, Any]) -> Coefficients:
    """Three evaluations of inverse dynamics over all points, and a fourth that takes friction out."""
    still = np.zeros_like(at.v)
    c = model.inverse_dynamics(at.q, still, still, **named)
    a = model.inverse_dynamics(at.q, still, at.v, **named) - c
    there, back = (model.inverse_dynamics(at.q, sign * at.v, at.a, **named) for sign in (1.0, -1.0))
    rates = model.actuator_velocities(at.v, at.q)
    bends = model.actuator_accelerations(at.a, at.q, at.v)
    with np.errstate(divide="ignore"):
        speeds = np.min((bounds.speed / np.abs(rates)) ** 2, axis=1)
        rows: Any = model.limits_exceeded(at.q, at.v)
        for k, (code, _, _) in enumerate(rows.limits):
            if code == "speed":
                speeds = np.minimum(speeds, (rows.bounds[:, k] / np.abs(rows.values[:, k])) ** 2)
    return Coefficients(a, 0.5 * (there + back) - c, c, rates, bends, speeds)


def path_friction(model: Model, at: PathStates, s_dot: Array, named: Mapping[str, Any]) -> Array:
    """Efforts of friction and damping at path speeds (n,), (n, na)."""
    v, a = at.v * s_dot[:, None], at.a * (s_dot**2)[:, None]
    there, back = (model.inverse_dynamics(at.q, sign * v, a, **named) for sign in (1.0, -1.0))
    return 0.5 * (there - back)


@dataclass(frozen=True, eq=False)
class Inequalities:
    """Rows a u + b x + c <= 1 at points of the path, (n, m) each."""

    a: Array
    b: Array
    c: Array


def limit_inequalities(k: Coefficients, bounds: Bounds, drag: Array, growth: Array, share: float) -> Inequalities:
    """Limits at points, of which a share may be used; friction is drag + growth x, (n, na) each."""
    parts: list[tuple[Array, Array, Array]] = []
    some = np.isfinite(bounds.effort)
    most = share * bounds.effort[some]
    for sign in (1.0, -1.0):
        effort = (k.a, k.b + growth, k.c + drag)
        a, b, c = (sign * x[:, some] / most for x in effort)
        parts.append((a, b, c))
    some = np.isfinite(bounds.acceleration)
    most = share * bounds.acceleration[some]
    for sign in (1.0, -1.0):
        a, b = (sign * x[:, some] / most for x in (k.rates, k.bends))
        parts.append((a, b, np.zeros_like(a)))
    if np.isfinite(k.joint_speeds).any():
        x = 1.0 / (share**2 * k.joint_speeds)[:, None]
        parts.append((np.zeros_like(x), x, np.zeros_like(x)))
    a, b, c = (np.concatenate(x, axis=1) for x in zip(*parts, strict=True))
    return Inequalities(a, b, c)


def over_intervals(found: list[Inequalities], h: Array, shares: Array) -> Inequalities:
    """Rows of intervals with constant u, in the x at their beginning, from those at points inside.

    `found` are rows at the shares of every interval of lengths h, (n, m) each: there x is x_i + 2 share h u.
    """
    steps = [2.0 * share * h[:, None] for share in shares]
    a = np.concatenate([each.a + step * each.b for each, step in zip(found, steps, strict=True)], axis=1)
    b, c = (np.concatenate([getattr(each, name) for each in found], axis=1) for name in ("b", "c"))
    return Inequalities(a, b, c)


# --- the fastest profile of x = (ds/dt)^2 over intervals of a path, by two independent solvers ------------------------

Profile = Callable[[Inequalities, Array], Array]


def by_toppra(rows: Inequalities, s: Array) -> Array:
    """Profile x (n + 1,) at the ends of intervals; at rest at both ends."""
    try:
        from toppra.algorithm import TOPPRA
        from toppra.constraint import LinearConstraint
    except ImportError as error:
        raise ArgumentError(
            f"toppra cannot be imported ({error}); {installation_hint('topp')}, or take solver='linprog'"
        ) from None
    last = [np.concatenate([x, x[-1:]]) for x in (rows.a, rows.b, rows.c)]
    m = rows.a.shape[1]

    class _Rows(LinearConstraint):
        def __init__(self) -> None:
            super().__init__()
            self.identical = True

        def compute_constraint_params(self, path: object, gridpoints: object, *more: object) -> tuple[object, ...]:
            return *last, np.eye(m), np.ones(m), None, None

    search = TOPPRA([_Rows()], _Interval(s), gridpoints=s, solver_wrapper="seidel")
    _, rate, _, K = search.compute_parameterization(0.0, 0.0, return_data=True)
    if rate is None or not np.isfinite(rate).all():
        bad = np.flatnonzero(~np.isfinite(K).all(axis=1))
        raise infeasible_path_error(s[int(bad[-1])] if len(bad) else s[0])
    return np.asarray(rate, dtype=float) ** 2


class _Interval:
    """What toppra reads of a path: its ends."""

    def __init__(self, s: Array) -> None:
        self.path_interval = np.array([s[0], s[-1]])
        self.duration = float(s[-1] - s[0])
        self.dof = 1


def by_linprog(rows: Inequalities, s: Array) -> Array:
    """The same by one sparse linear program (HiGHS)."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    n, m = rows.a.shape
    step = rows.a / (2.0 * np.diff(s))[:, None]  # u = (x[i + 1] - x[i]) / (2 h)
    at = np.repeat(np.arange(n), m)
    index = np.stack([at, at + 1], axis=1).ravel()
    values = np.stack([(rows.b - step).ravel(), step.ravel()], axis=1).ravel()
    A = csr_array((values, index, 2 * np.arange(n * m + 1)), shape=(n * m, n + 1))
    ends = [(0.0, 0.0), *[(0.0, None)] * (n - 1), (0.0, 0.0)]
    found = linprog(-np.ones(n + 1), A_ub=A, b_ub=(1.0 - rows.c).ravel(), bounds=ends, method="highs")
    if found.x is None:
        raise infeasible_path_error(None)
    return np.maximum(found.x, 0.0)


def infeasible_path_error(s: float | None) -> AssemblyError:
    """The error for a path that no profile follows within the limits."""
    where = "" if s is None else f" near s = {s:.4g}"
    return AssemblyError(f"no speed along the path keeps all limits{where}; raise the limits or change the path")


SOLVERS: dict[str, Profile] = {"toppra": by_toppra, "linprog": by_linprog}
