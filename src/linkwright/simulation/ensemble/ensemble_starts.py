"""Starts of many runs: checked, repeated where one value serves all, and brought onto the closed loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.dataclass import exact_text
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.functions.loop import closure_functions
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.store import Kernels
from linkwright.kinematics.nominal_rank import added_equations, has_nominal_rank, rank_change_of_row, rank_error
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import CLOSED_STATE, NO_EFFECT, SOLVED
from linkwright.plans.scales import Scales
from linkwright.simulation.ensemble.varied_parameters import Varied
from linkwright.simulation.problem.run_efforts import (
    RunActuation,
    controller_kernel,
    efforts_in_order,
    law_kernel,
    n_states,
)
from linkwright.simulation.problem.wrenches import WrenchLaw, wrench_kernel
from linkwright.simulation.running.run_start import start_state

_NEAR = 1e-4


def given_rows(name: str, value: Any, size: int) -> np.ndarray:
    """A vector for all runs (1, size), or one for each (runs, size)."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {value!r:.60}, expected numbers") from None
    if array.shape == (size,):
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] != size or not len(array):
        raise ArgumentError(f"{name} has shape {array.shape}, expected ({size},) or (runs, {size})")
    if not np.isfinite(array).all():
        run = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ArgumentError(f"{name} of run {run} holds numbers that are not finite", run=run)
    return array


def number_of_runs(**given: np.ndarray) -> int:
    """Number of runs in the arrays: all that differ from run to run must agree."""
    counts = {name: len(array) for name, array in given.items() if len(array) > 1}
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{name} {n}" for name, n in counts.items())
        raise ArgumentError(f"the numbers of runs differ: {sizes}; give each as many, or one for all")
    return max([len(array) for array in given.values()] + [1])


def closed_starts(
    varied: Varied, q: np.ndarray, v: np.ndarray, title: Callable[[int], str] = "run {}".format
) -> np.ndarray:
    """States (n, nq + nv) with every loop closed; n is 1 when one state serves all runs.

    `title` names a state in messages by its number.
    """
    model = varied.model
    n = max(len(q), len(v), len(varied.values) if model.kinematics.closed else 1)
    q, v = (np.array(np.broadcast_to(x, (n, x.shape[1]))) for x in (q, v))
    if model.kinematics.closed:
        left = _project_starts(varied, q, v)
    else:
        left = np.ones(n, dtype=bool) if any(name.endswith(".qw") for name in model.q_names) else np.zeros(n, bool)
    for i in np.flatnonzero(left).tolist():
        try:
            found = start_state(varied.of(i), q[i], v[i])
        except LinkwrightError as error:
            raise type(error)(f"{title(i)}: {error}") from None
        q[i], v[i] = found.q, found.v
    _require_nominal_rank(varied, q, title)
    return np.concatenate([q, v], axis=1)


def _require_nominal_rank(varied: Varied, q: np.ndarray, title: Callable[[int], str]) -> None:
    """Refuse values at which more closure equations count than at the nominal ones, in the states q (n, nq)."""
    if not varied.values.shape[1]:
        return
    kinematics = varied.model.kinematics.at(varied.values)
    more = added_equations(kinematics, q) if has_nominal_rank(kinematics) else np.zeros(0, dtype=int)
    for i in np.flatnonzero(more)[:1].tolist():
        raise rank_error(f"{title(i)}: {rank_change_of_row(kinematics, more, i)}", int(more[i]))


def _project_starts(varied: Varied, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Bring nearly closed states onto the loops, in place, as `start_state` does; return a mask of the others."""
    worst = _kernels_of_runs(varied).code(stepping_functions.gaps)(q, v).max(axis=1)
    careful = ~(worst < _NEAR)
    for _ in range(4):
        rows = np.flatnonzero((worst > SOLVED) & ~careful)
        if not len(rows):
            break
        kernels = _kernels_of_runs(varied, rows)
        q_new, v_new = _step_to_closure(kernels, varied.model.kinematics.scales, q[rows], v[rows])
        left = kernels.code(stepping_functions.gaps)(q_new, v_new).max(axis=1)
        better = left < worst[rows]
        rows, q_new, v_new = rows[better], q_new[better], v_new[better]
        q[rows], v[rows], worst[rows] = q_new, v_new, left[better]
    return careful | ~(worst < CLOSED_STATE)


def _kernels_of_runs(varied: Varied, rows: np.ndarray | None = None) -> Kernels:
    """Kernels at the values of some runs."""
    kernels, values = varied.model.kinematics.all_rows, varied.values
    if not values.shape[1]:
        return kernels
    return kernels.at(values[0] if len(values) == 1 else values if rows is None else values[rows])


def _step_to_closure(kernels: Kernels, scale: Scales, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States after one step onto the loops along the least change, (n, nq), (n, nv)."""
    speeds, rows = scale.speeds, scale.rows
    J = kernels.code(closure_functions.closure_jacobian)(q)
    gap = kernels.code(closure_functions.closure_residual)(q)
    equations = decompose_scaled(J, rows, speeds)
    dq = -equations.solution(gap, share=NO_EFFECT)
    dv = -equations.solution((J @ v[..., None])[..., 0], share=NO_EFFECT)
    return kernels.code(closure_functions.advanced)(q, dq), v + dv


def lane_actuation(model: Model, effort: Any, loads: WrenchLaw, lanes: int) -> tuple[RunActuation, np.ndarray]:
    """Efforts and wrenches of runs in lanes: code of their laws, and efforts that stay, (1 or runs, na)."""
    states, zero = n_states(effort), np.zeros(model.na)
    given = RunActuation(zero, loads=loads, wrench=lane_wrenches(model, loads, lanes), states=states)
    if effort is None:
        return given, zero[None]
    if states or (hasattr(effort, "tau") and not hasattr(effort, "function")):
        code = controller_kernel(model, effort, lanes) if states else law_kernel(model, effort, lanes)
        return replace(given, code=code, law=effort, description=exact_text(effort)), zero[None]
    if callable(effort) or hasattr(effort, "function"):
        raise ArgumentError(
            "the effort of an ensemble is a Python function, which cannot run in lanes; give numbers, an effort law "
            "(an object with tau(t, q, v)), or call simulate for each run"
        )
    if isinstance(effort, Mapping):
        effort = _efforts_by_name(model, effort)
    rows = given_rows("effort", effort, model.na)
    return replace(given, description=repr(rows[0].tolist()) if len(rows) == 1 else "one for each run"), rows


def lane_wrenches(model: Model, loads: WrenchLaw, lanes: int) -> Kernel | None:
    """Code of the wrenches' laws for lanes, if there are any."""
    if not loads.wrenches:
        return None
    try:
        return wrench_kernel(model, loads, lanes)
    except ArgumentError:
        raise
    except (LinkwrightError, TypeError, ValueError, AttributeError) as error:
        raise ArgumentError(
            f"a wrench of an ensemble is a Python function that cannot run in lanes ({error}); write it with "
            "arithmetic and NumPy functions alone, or call simulate for each run"
        ) from None


def _efforts_by_name(model: Model, effort: Mapping[str, Any]) -> np.ndarray:
    """Efforts (na,) or (runs, na) from one number or (runs,) for each named actuator."""
    parts = [np.asarray(x, dtype=float) for x in efforts_in_order(model, effort)]
    try:
        return np.stack(np.broadcast_arrays(*parts), axis=-1) if parts else np.zeros(0)
    except ValueError:
        shapes = {name: np.shape(x) for name, x in effort.items()}
        raise ArgumentError(f"effort has the shapes {shapes}, expected one number or (runs,) for each") from None
