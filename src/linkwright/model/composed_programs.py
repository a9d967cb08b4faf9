"""Programs composed of those of a model: with its inputs handed on, and reactions in all its joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler import Program, inline_program, trace
from linkwright.dynamics.actuation import every_row
from linkwright.errors import ArgumentError
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions
from linkwright.functions.tree import tree_functions
from linkwright.model.model import Model


def program_with_inputs(model: Model, function: Callable[..., Any], *arguments: str) -> Program:
    """The program of a function of named arguments, which gets a caller of programs that hands the inputs p on."""
    sizes = {"q": model.nq, "v": model.nv, "a": model.nv, "tau": model.na}
    sizes |= {"target": 7, "target_rate": 6, "target_acceleration": 6}
    n = len(model.parameters)

    def traced(**given: Any) -> Any:
        inputs = (given.pop("p"),) if n else ()
        return function(lambda program, *x: inline_program(program, *x, *inputs), **given)

    return trace(traced, {name: sizes[name] for name in arguments} | ({"p": n} if n else {}))


def joint_reaction_program(model: Model, single: bool = False) -> Program:
    """Moment and force at every joint of a state q, v, a under efforts tau, (joints, 6).

    `single`: without the backward check of multipliers, which single precision always fails.
    """
    dynamics = model.dynamics
    if not model.has_loops:
        open_wrenches = model.loop_kernels.input_program(tree_functions.joint_wrenches)
        return program_with_inputs(model, lambda call, q, v, a, tau: call(open_wrenches, q, v, a), "q", "v", "a", "tau")
    multipliers = multiplier_functions.kept_multipliers if single else minimal_functions.checked_multipliers
    found = dynamics.kernels.input_program(multipliers)
    every, kept = every_row(dynamics), dynamics.kernels.setup.closure.kept
    wrenches, n = every.input_program(multiplier_functions.loop_joint_wrenches), every.setup.closure.n_all
    dropped = np.setdiff1d(np.arange(n), np.arange(n) if kept is None else kept)
    if every.pattern(closure_functions.closure_jacobian)[dropped].any():
        raise ArgumentError("closure equations are redundant, so that reactions are not determined by them alone")

    def reactions(call: Any, q: Any, v: Any, a: Any, tau: Any) -> Any:
        lam = np.zeros(n, dtype=q.dtype)  # equations that hold for every motion carry nothing
        lam[np.setdiff1d(np.arange(n), dropped)] = call(found, q, v, a, tau)
        return np.concatenate(call(wrenches, q, v, a, tau, lam))

    return program_with_inputs(model, reactions, "q", "v", "a", "tau")


def joint_names(model: Model) -> tuple[str, ...]:
    """Names of the joints in the order of reactions: those of the tree, then those that close loops."""
    setup = model.setup
    return tuple(link.joint for link in setup.tree.links) + tuple(loop.name for loop in setup.mech.loops)
