"""The fastest profile of x = (ds/dt)^2 over intervals of a path, by two independent solvers.

toppra (H. Pham, Q.-C. Pham, "A new approach to time-optimal path parameterization based on reachability analysis",
IEEE Trans. Robotics 34(3), 2018) goes backward through controllable sets and forward greedily. The fastest profile is
the largest at every point, so that one linear program over all intervals, max sum x, finds it too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.analysis.paths.path_inequalities import Inequalities
from linkwright.errors import ArgumentError, AssemblyError, installation_hint

Array = np.ndarray
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
