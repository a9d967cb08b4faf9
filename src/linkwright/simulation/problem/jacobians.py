"""Compiled Jacobian of the right-hand side of a run, effort law included."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program, compiled, inlined, jacobian, trace
from linkwright.errors import ArgumentError
from linkwright.kernels import registry
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.efforts import Drive
from linkwright.simulation.problem.problem import Problem


def jacobian_kernel(problem: Problem, drive: Drive) -> Kernel:
    """Derivatives of the right-hand side by t (n, 1), q (n, nq) and the state's velocities (n, ns)."""
    if isinstance(drive.code, Callback):
        raise ArgumentError(
            "Rodas5P needs the derivative of the efforts, and a Python function has none; write it as an effort law "
            "with tau(t, q, v), sample it with Sampled(f, rate), or use DOP853"
        )
    if problem.solves:
        raise ArgumentError("Rodas5P integrates all coordinates; leave displacement out of Minimal(...)")

    def made() -> Kernel:
        program = jacobian(derivative_program(problem, drive.law), ["t", "q", "s"])
        return compiled(b"jacobian" + program.digest, lambda: program)

    return problem.model.cache.get(("jacobian", problem, drive.law), made)


def derivative_program(problem: Problem, law: Any) -> Program:
    """Rates of the whole state, (n,), of t, q, the state's velocities, tau and the run-time parameters."""
    dynamics, rates = problem.programs["dynamics"], problem.programs["rates"]
    more = {port.name: port.shape for port in dynamics.inputs[3:]}

    def right_hand_side(t: Any, q: Any, s: Any, tau: Any, **given: Any) -> np.ndarray:
        if law is not None:
            tau = np.asarray(law.tau(t[0], q, _velocities(problem, q, s)))
        a = inlined(dynamics, q, s, tau, *given.values())
        q_dot, powers = inlined(rates, q, s, tau, *(given[port.name] for port in rates.inputs[3:]))
        return np.concatenate([q_dot, a, powers])

    model = problem.model
    return trace(right_hand_side, {"t": 1, "q": model.nq, "s": problem.ns, "tau": model.na, **more})


def _velocities(problem: Problem, q: Any, s: Any) -> Any:
    return s if problem.partitioned is None else inlined(problem.partitioned.program(registry.ALL_SPEEDS), q, s)
