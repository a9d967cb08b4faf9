"""The four-bar on virtual springs beside scipy's methods, and Wang's three approaches beside each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

import linkwright as lw
from benchmarks.sim_problems import ROWS, T_END, Motion
from benchmarks.sim_rows import Row, deviation, least_ms, ours
from linkwright.simulation.problem.problem import problem_of_model

Array = np.ndarray
SPRINGS = lw.VirtualSprings(1e6, 0.0)
TARGET, PROMISED = 1e-6, 20.0
METHODS = ("DOP853", "RK45", "LSODA", "Radau", "BDF")
_TOO_LONG = 20.0  # [s] of one run; slower methods are not refined further


def right_hand_side(motion: Motion) -> Callable[[float, Array], Array]:
    """Rates of (q, v) on springs: our own compiled accelerations, called from Python as scipy calls any function.

    Only for mechanisms whose velocities are the rates of their coordinates.
    """
    made = problem_of_model(motion.model, SPRINGS)
    call, nq = made.functions["dynamics"], motion.model.nq
    out = np.empty(2 * nq)

    def rates(t: float, y: Array) -> Array:
        out[:nq] = y[nq:]
        out[nq:] = call(y[:nq], y[nq:], motion.efforts(t))
        return out.copy()

    return rates


def scipys(motion: Motion, reference: Array, quick: bool) -> list[Row]:
    """Every method of scipy at the loosest tolerance that reaches the target."""
    rates, times = right_hand_side(motion), np.linspace(0.0, T_END, ROWS)
    start = np.concatenate([motion.q, np.zeros(motion.model.nv)])
    return [_scipy(name, rates, times, start, reference) for name in (METHODS[:1] if quick else METHODS)]


def _scipy(name: str, rates: Callable[..., Array], times: Array, start: Array, reference: Array) -> Row:
    for rtol in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11):

        def run(rtol: float = rtol) -> object:
            return solve_ivp(rates, (0.0, T_END), start, method=name, t_eval=times, rtol=rtol, atol=rtol)

        found = run()
        ms = least_ms(run, 1)
        error = deviation(found.y[:1].T, reference) if found.success else np.inf
        if error <= TARGET or ms > 1e3 * _TOO_LONG:
            break
    note = f"rtol {rtol:.0e}; {found.nfev} evaluations" + ("" if error <= TARGET else "; target NOT reached")
    return Row(f"scipy {name}", min(ms, least_ms(run, 1)), error, None, None, note)


def springs(motion: Motion, rounds: int, quick: bool) -> list[Row]:
    """Ours first, then scipy's."""
    reference = motion.observed(motion.run(lw.DOP853(rtol=1e-13), SPRINGS))
    own = ours(motion, reference, TARGET, rounds, formulation=SPRINGS)
    return [own, *scipys(motion, reference, quick)]


def three_approaches(motion: Motion, reference: Array, rounds: int) -> list[Row]:
    """Springs, multipliers, and independent coordinates with displacement analysis; each to 1e-6 of its own limit.

    The springs' error is that of the run; how far their motion lies from the rigid one is in the notes.
    """
    on_springs = motion.observed(motion.run(lw.DOP853(rtol=1e-12), SPRINGS))
    ways = {
        "DAE (multipliers, projection)": (lw.Multipliers(), reference),
        "closed form (independent coordinates)": (lw.Minimal(displacement=True), reference),
        "independent velocities": (lw.Minimal(), reference),
        f"virtual springs, k = {SPRINGS.stiffness:.0e}": (SPRINGS, on_springs),
    }
    rows = []
    for title, (formulation, limit) in ways.items():
        try:
            row = ours(motion, limit, TARGET, rounds, formulation=formulation)
        except lw.errors.LinkwrightError as error:
            rows.append(Row(title, np.inf, np.inf, None, None, str(error)))
            continue
        note = f"from the rigid motion by {deviation(limit, reference):.1e}; " if limit is on_springs else ""
        rows.append(Row(title, row.ms, row.error, row.closure, row.energy, note + row.notes))
    return rows
