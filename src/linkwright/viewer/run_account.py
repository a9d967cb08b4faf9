"""Account of how a run was computed, for people, made from its meta."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from linkwright.readable_text import number_text
from linkwright.results.result import Result

_FORMULATIONS = {
    "tree": "recursively for a tree of bodies",
    "Multipliers": "with Lagrange multipliers at the joints that close loops",
    "Minimal": "in independent coordinates",
    "VirtualSprings": "with stiff springs at the joints that close loops",
    "Khan": "as in the paper of Khan and others",
    "Rao": "as in the paper of Rao and others",
    "Hanzaki": "as in the paper of Hanzaki and others",
}
_METHODS = {
    "RK4": "the classical Runge-Kutta method of order 4",
    "DP5": "the Dormand-Prince method of order 5",
    "DOP853": "the Dormand-Prince method of order 8",
    "Rodas5P": "a Rosenbrock method for stiff equations",
}


def run_statements(run: Result) -> Iterator[str]:
    """Statements about equations, steps, accuracy and the end of a run; those whose numbers it lacks are left out."""
    meta = run.meta
    yield from _step_statements(meta)
    closure, rate = meta.get("closure"), meta.get("closure rate")
    if _is_positive_float(closure):
        speed = f" and moved apart at no more than {rate:.1e} m/s" if _is_positive_float(rate) else ""
        yield f"The loops stayed closed to {closure:.1e} m{speed}."
    balance = meta.get("energy balance")
    if isinstance(balance, dict) and _is_positive_float(balance.get("drift")):
        yield (
            "Energy, less the work of actuators and forces and plus losses, changed by at most "
            f"{balance['drift']:.1e} J ({balance.get('relative', 0.0):.1e} of the energy exchanged): "
            "the error of the steps."
        )
    other = meta.get("agreement")
    if isinstance(other, dict) and isinstance(other.get("relative"), float):
        size = other["relative"]
        difference = (
            f"they differ by {size:.1e} of the largest one" if _is_positive_float(size) else "they do not differ"
        )
        yield (
            f"Accelerations at {other.get('samples')} of the samples were computed again by a second method "
            f"({other.get('method')}); {difference}."
        )
    ended = meta.get("ended")
    if isinstance(ended, dict) and ended.get("text"):
        yield f"The run ended at t = {_number_or_unknown(ended.get('t'))} s: {ended['text']}."


def _step_statements(meta: dict[str, Any]) -> Iterator[str]:
    """Statements about equations and steps."""
    written, method = _head_of_description(meta.get("formulation")), _head_of_description(meta.get("method"))
    if not written or not method:
        return
    way = _FORMULATIONS.get(written, f"by {written}")
    tolerances = meta.get("tolerances")
    tolerance = tolerances.get("rtol") if isinstance(tolerances, dict) else None
    size = tolerances.get("h") if isinstance(tolerances, dict) else None
    exact = f", with a relative tolerance of {tolerance:g}" if isinstance(tolerance, float) else ""
    exact += f", with steps of {size:g} s" if isinstance(size, float) else ""
    yield f"The equations of motion are written {way} and stepped by {_METHODS.get(method, method)}{exact}."
    stats = meta.get("stats")
    if isinstance(stats, dict) and "steps" in stats:
        parts = [f"{stats[name]} {name}" for name in ("rejected", "evaluations", "projections") if stats.get(name)]
        more = f" ({', '.join(parts)})" if parts else ""
        yield f"It took {stats['steps']} steps{more}."


def _head_of_description(text: Any) -> str:
    """The name before the bracket of a description."""
    found = re.match(r"\s*(\w+)", text) if isinstance(text, str) else None
    return found[1] if found else ""


def _is_positive_float(x: Any) -> bool:
    return isinstance(x, float) and x > 0.0


def _number_or_unknown(x: Any) -> str:
    return number_text(x) if isinstance(x, int | float) else "?"
