"""Compiled Jacobian of the right-hand side of a run, effort law included."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program, inlined, jacobian, trace
from linkwright.errors import ArgumentError
from linkwright.functions.design_inputs import BoundKernel, Divided, in_parts
from linkwright.functions.stepping import stepping_functions
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import Problem, nominal_cache
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.problem.wrenches import NO_WRENCH, WrenchLaw

_KEPT = 8


def jacobian_kernel(problem: Problem, drive: RunActuation) -> Kernel | BoundKernel:
    """Derivatives of the right-hand side by t (n, 1), q (n, nq) and the state's velocities (n, ns)."""
    if isinstance(drive.code, Callback):
        raise ArgumentError(
            "Rodas5P needs the derivative of the efforts, and a Python function has none; write it as an effort law "
            "with tau(t, q, v), sample it with Sampled(f, rate), or use DOP853"
        )
    if drive.states:
        raise ArgumentError(
            "Rodas5P integrates coordinates and velocities, and this law has states of its own; use DOP853, DP5 or RK4"
        )
    if isinstance(drive.wrench, Callback):
        raise ArgumentError(
            "Rodas5P needs the derivative of the wrenches, and a Python function has none; write it with arithmetic "
            "and NumPy functions alone, or use DOP853"
        )
    if problem.solves:
        raise ArgumentError("Rodas5P integrates all coordinates; leave displacement out of Minimal(...)")

    def made() -> Kernel | Divided:
        program = jacobian(derivative_program(problem, drive.law, drive.loads), ["t", "q", "s"])
        return in_parts(b"jacobian", program, tuple(problem.fixed))

    key = (*problem.identity, drive.law, drive.loads)
    found = nominal_cache(problem.model).recent("jacobians", key, made, _KEPT)
    return found.bound(problem.fixed) if isinstance(found, Divided) else found


def derivative_program(problem: Problem, law: Any, loads: WrenchLaw = NO_WRENCH) -> Program:
    """Rates of the whole state, (n,), of t, q, the state's velocities, tau, constants and p."""
    dynamics, rates = problem.programs["dynamics"], problem.programs["rates"]
    more = {port.name: port.shape for port in dynamics.inputs[3:]}

    def right_hand_side(t: Any, q: Any, s: Any, tau: Any, **given: Any) -> np.ndarray:
        if law is not None or loads.wrenches:
            v = _all_velocities(problem, q, s, given)
            efforts = tau[: model.na] if law is None else np.asarray(law.tau(t[0], q, v))
            tau = np.concatenate([efforts, loads.at(t[0], q, v)])
        a = inlined(dynamics, q, s, tau, *given.values())
        q_dot, powers = inlined(rates, q, s, tau, *(given[port.name] for port in rates.inputs[3:]))
        return np.concatenate([q_dot, a, powers])

    model = problem.model
    return trace(right_hand_side, {"t": 1, "q": model.nq, "s": problem.ns, "tau": problem.n_acting, **more})


def _all_velocities(problem: Problem, q: Any, s: Any, given: dict[str, Any]) -> Any:
    if problem.partitioned is None:
        return s
    program = problem.partitioned.input_program(stepping_functions.all_speeds)
    return inlined(program, q, s, *(given[port.name] for port in program.inputs[2:]))
