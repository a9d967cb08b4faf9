"""How the arrays of a run are laid out: settled once for a problem, a method and its events, copied for every run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.compiler.native import address
from linkwright.simulation.drivers import places as at
from linkwright.simulation.events.singular import FAR, REGULAR, usual_sizes
from linkwright.simulation.methods.methods import Method
from linkwright.simulation.methods.tableaus import StiffTableau
from linkwright.simulation.problem.problem import EXTRAS, Problem
from linkwright.solve.scales import characteristic_length

MONITORED = 4
_MOST_EVENTS = 512
_KEPT = 16

Kinds = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Layout:
    """What a run's memory begins as.

    Attributes:
        whole: whole numbers.
        block: all floats that a run changes, one array behind the other.
        parts: by place, where an array begins and ends in the block.
        fixed: by place, arrays that no run changes.
        addresses: by place, addresses of the fixed arrays, and of the others relative to the block.
        inside: by place, whether an array lies in the block.
    """

    whole: np.ndarray
    block: np.ndarray
    parts: tuple[tuple[int, int, int], ...]
    fixed: dict[int, np.ndarray]
    addresses: np.ndarray
    inside: np.ndarray


def layout(problem: Problem, method: Method, kinds: Kinds) -> Layout:
    """The layout for a problem, a method and the directions and ends of events; kept with the problem."""
    known: dict[tuple[Method, Kinds], Layout] = problem.__dict__.setdefault("_layouts", {})
    found = known.get((method, kinds))
    if found is None:
        found = known[method, kinds] = _made(problem, method, kinds)
        while len(known) > _KEPT:
            del known[next(iter(known))]
    return found


def _made(problem: Problem, method: Method, kinds: Kinds) -> Layout:
    sizes = _sizes(problem, method, len(kinds))
    ends = np.cumsum(list(sizes.values())).tolist()
    parts = tuple((place, end - size, end) for (place, size), end in zip(sizes.items(), ends, strict=True))
    block = np.zeros(ends[-1])
    values = _reals(problem, method)
    for place, first, last in parts:
        if place == at.REAL:
            block[first:last] = values
    fixed, nothing = _tables(problem, method), np.zeros(1)
    addresses, inside = np.full(at.N_ARRAYS, address(nothing), dtype=np.uintp), np.zeros(at.N_ARRAYS, dtype=np.uintp)
    for place, array in fixed.items():
        addresses[place] = address(array)
    for place, first, _ in parts:
        addresses[place], inside[place] = first * block.itemsize, 1
    return Layout(_whole(problem, method, kinds), block, parts, fixed | {-1: nothing}, addresses, inside)


def _sizes(problem: Problem, method: Method, n_events: int) -> dict[int, int]:
    """Numbers in every array that a run changes."""
    model, tableau, n = problem.model, method.tableau, problem.n
    sizes = {
        at.REAL: at.N_REAL,
        at.STATE: n,
        at.STATE_NEW: n,
        at.SLOPES: n * tableau.total,
        at.TAU: max(1, model.na),
        at.FULL: model.nq + model.nv + 2,
        at.ROOM: 2 * n + n_events + model.nq + model.nv + 2,
        at.DENSE: n * (3 + tableau.n_dense),
        at.STEP_RESULT: n,
        at.EXAMINED: n * at.MOST_EXAMINED,
        at.REGULAR: n,
        at.BEFORE: n,
        at.WATCHED: max(1, 2 * n_events),
        at.FOUND: 3 * (_MOST_EVENTS + 2 * n_events + at.MOST_EXAMINED),
    }
    if isinstance(tableau, StiffTableau):
        nq, ns = model.nq, problem.ns
        more = {at.DERIVATIVE_T: n, at.DERIVATIVE_Q: n * nq, at.DERIVATIVE_S: n * ns, at.MATRIX: n * n, at.PIVOTS: n}
        return sizes | more
    return sizes


def _tables(problem: Problem, method: Method) -> dict[int, np.ndarray]:
    """Arrays that stay as they are: the method's coefficients and the mechanics' parameters."""
    tableau = method.tableau
    tables = {at.TABLE_A: tableau.A, at.TABLE_C: tableau.C, at.TABLE_E: tableau.E, at.TABLE_D: tableau.D}
    if isinstance(tableau, StiffTableau):
        tables[at.TABLE_G] = tableau.G
    tables[at.USUAL] = usual_sizes(problem)
    if problem.given:
        tables[at.GIVEN] = np.concatenate([np.ravel(x) for x in problem.given])
    return {place: np.ascontiguousarray(table).ravel() for place, table in tables.items() if table.size}


def _whole(problem: Problem, method: Method, kinds: Kinds) -> np.ndarray:
    model, tableau, codes = problem.model, method.tableau, problem.codes
    lists = [*problem.checked, *(x for kind in kinds for x in kind)]
    values = {
        at.N: problem.n,
        at.N_CHECKED: len(problem.checked),
        at.NQ: model.nq,
        at.NS: problem.ns,
        at.NV: model.nv,
        at.NA: model.na,
        at.STAGES: tableau.stages,
        at.TOTAL: tableau.total,
        at.N_DENSE: tableau.n_dense,
        at.LAST_IN_ERROR: int(tableau.last_in_error),
        at.ADAPTIVE: int(method.h is None),
        at.WIDTH: row_width(problem),
        at.PROJECTS: int(problem.projects),
        at.EXPANDS: int(problem.expands),
        at.SOLVES: int(problem.solves),
        at.PARAMETERS: problem.form,
        at.SPLIT: len(problem.given[0]) if problem.given else 0,
        at.N_EVENTS: len(kinds),
        at.MOST_FOUND: _MOST_EVENTS + len(kinds),
        at.N_MONITORED: MONITORED,
        at.CAN_FALL_BACK: int(at.FALLBACK in codes),
        at.HAS_SECOND: int(at.SECOND in codes),
        at.CHECKED: at.N_WHOLE,
        at.KINDS: at.N_WHOLE + len(problem.checked),
    }
    whole = np.zeros(at.N_WHOLE + len(lists), dtype=np.int64)
    whole[at.N_WHOLE :] = lists
    for place, value in values.items():
        whole[place] = value
    return whole


def _reals(problem: Problem, method: Method) -> np.ndarray:
    rtol = getattr(method, "rtol", 1e-9)
    atol = getattr(method, "atol", None) or rtol
    fixed = method.h is not None
    real = np.zeros(at.N_REAL)
    real[at.RTOL], real[at.ATOL] = rtol, atol
    real[at.H_MAX] = getattr(method, "h_max", np.inf)
    real[at.FIXED] = real[at.H] = method.h or 0.0
    real[at.EXPONENT] = 1.0 / (method.tableau.order + 1)
    real[at.GAP_KEPT] = 1e-12 if fixed else max(1e-13, 0.1 * atol)
    real[at.GAP_SHOWN] = 2e-14
    real[at.FAR_SHARE], real[at.REGULAR_SHARE] = FAR, REGULAR
    real[at.T_REGULAR], real[at.UNIT] = -1.0, min(1.0, characteristic_length(problem.model.mechanism))
    if isinstance(method.tableau, StiffTableau):
        real[at.GAMMA] = method.tableau.gamma
    return real


def row_width(problem: Problem) -> int:
    """Numbers in a row: t, q, v, a, tau, monitored numbers, extras."""
    model = problem.model
    return 1 + model.nq + 2 * model.nv + model.na + MONITORED + EXTRAS
