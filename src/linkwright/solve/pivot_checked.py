"""Compiled functions of closed loops, each with what to do where its elimination is not to be trusted.

First the planned order, with the cheaper cut; then, where that marks its answer, the second compiled one; then a dense
solve, which refuses singular positions and says how many digits are left where rounding takes many.
"""

from __future__ import annotations

import functools
import math
import warnings

import numpy as np

from linkwright.compiler import Kernel
from linkwright.errors import AccuracyWarning, SingularityError
from linkwright.kernels.kernels import Kernels
from linkwright.solve.alternative_trees import effort_solver, forward_solver
from linkwright.solve.dense import Judged, judged_accelerations, judged_efforts, judged_hybrid
from linkwright.solve.machine import Machine
from linkwright.solve.singularities import singularity
from linkwright.solve.undriven import freedoms

Array = np.ndarray

# A closure with a singular value below this share of its largest is taken to have lost rank.
_RANK = 1e-10

# Largest force along a motion without mass, relative to the terms it is the sum of, that is taken for rounding.
_BALANCED = 1e-9

# The relative error that answers promise, and how much more than its average rounding may do in a bad case.
PROMISED = 1e-10
_BAD_CASE = 10.0


def forward_kernel(machine: Machine, wrench: bool) -> Kernel:
    """Accelerations from q, v, tau and, with `wrench`, w_ext."""
    first = forward_solver(machine)
    kernel = first.kernels.kernel(first.name, wrench=wrench)
    second = functools.partial(machine.kernels.kernel, "second_forward_dynamics", wrench=wrench)
    kernel.mend(functools.partial(_accelerations, machine), second)
    return kernel


def effort_kernel(machine: Machine, wrench: bool) -> Kernel:
    """Efforts of as many actuators as freedoms from q, v, a and, with `wrench`, w_ext."""
    first = effort_solver(machine)
    kernel = first.kernels.kernel(first.name, wrench=wrench)
    second = functools.partial(machine.actuated.kernel, "second_efforts", wrench=wrench)
    kernel.mend(functools.partial(_efforts, machine), second)
    return kernel


def hybrid_kernel(machine: Machine, wrench: bool) -> Kernel:
    """Efforts of actuators that leave some freedoms free, then all accelerations, (na + nv,), from q, v, a, w_ext."""
    kernel = machine.dynamics.hybrid.kernel("guarded_hybrid", wrench=wrench)
    if machine.setup.inertias is None:
        kernel.mend(functools.partial(_hybrid, machine))
    return kernel


def stabilised_kernel(machine: Machine, wrench: bool) -> Kernel:
    """Accelerations with Baumgarte's terms from q, v, tau, pull and, with `wrench`, w_ext."""
    kernel = machine.kernels.kernel("guarded_stabilised_dynamics", wrench=wrench)
    kernel.mend(functools.partial(_stabilised, machine))
    return kernel


def minimal_kernel(machine: Machine, kernels: Kernels, wrench: bool) -> Kernel:
    """Accelerations by the independent speeds of some kernels; where those do not serve, as by multipliers."""
    kernel = kernels.kernel("guarded_minimal_dynamics", wrench=wrench)
    second = functools.partial(machine.kernels.kernel, "second_forward_dynamics", wrench=wrench)
    kernel.mend(functools.partial(_accelerations, machine), second)
    return kernel


def _accelerations(machine: Machine, q: Array, v: Array, tau: Array, *w_ext: Array, alone: bool) -> Array:
    if _stuck(machine, q, alone):
        return np.array(np.nan)
    return _said(machine, judged_accelerations(machine, q, v, tau, *w_ext), q, alone)


def _stabilised(machine: Machine, q: Array, v: Array, tau: Array, pull: Array, *w_ext: Array, alone: bool) -> Array:
    if _stuck(machine, q, alone):
        return np.array(np.nan)
    found = judged_accelerations(machine, q, v, tau, *w_ext, pull_rate=float(pull[0]))
    return _said(machine, found, q, alone)


def _stuck(machine: Machine, q: Array, alone: bool) -> bool:
    """Whether the closure has lost rank; for a single state that is an error."""
    share = _independence(machine, q, list(range(machine.setup.tree.nv)))
    if share >= _RANK:
        return False
    if alone:
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands at a constraint singularity (smallest singular value "
            f"{share:.1e} of the largest): its accelerations are not determined; move it off this position",
            q=q,
            kind="constraint",
        )
    return True


def _efforts(machine: Machine, q: Array, v: Array, a: Array, *w_ext: Array, alone: bool) -> Array:
    driven = [drive.speed for drive in machine.setup.drives]
    if _independence(machine, q, [i for i in range(machine.setup.tree.nv) if i not in driven]) >= _RANK:
        force = machine.open.function("generalized_forces", wrench=bool(w_ext))(q, v, a, *w_ext)
        return _said(machine, judged_efforts(machine, q, a, force), q, alone, "efforts")
    if alone:
        kind = singularity(machine, q).kind or "type2"
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands at a singularity ({kind}): its actuators cannot hold "
            "it there, so this motion has no efforts; move it off this position, or actuate others",
            q=q,
            kind=kind,
        )
    return np.array(np.nan)


def _hybrid(machine: Machine, q: Array, v: Array, a: Array, *w_ext: Array, alone: bool) -> Array:
    free = freedoms(machine.kinematics)
    found = judged_hybrid(machine, free.count, q, v, a, *w_ext)
    if found.independent >= _RANK and found.unbalanced <= _BALANCED:
        tau = _said(machine, found.efforts, q, alone, "efforts")
        return np.concatenate([tau, found.a]) if tau.ndim else tau
    if alone:
        stands = "has a motion without mass that a force acts on" if found.independent >= _RANK else "is singular"
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' {stands}: joints {free.words} are driven by nobody and their "
            "accelerations are not determined there, so this motion has no efforts; give the bodies they carry a mass "
            "or an inertia, or move it off this position",
            q=q,
            kind="type2" if found.independent < _RANK else "",
        )
    return np.array(np.nan)


def _independence(machine: Machine, q: Array, speeds: list[int]) -> float:
    """Smallest over largest singular value of the closure Jacobian's columns for some speeds, redundant rows apart."""
    J = machine.open.function("closure_jacobian")(q) / machine.scales.rows[:, None] * machine.scales.speeds
    values = np.linalg.svd(J[:, speeds], compute_uv=False)[: machine.rank.rank]
    return float(values[-1] / values[0]) if len(values) and values[0] > 0.0 else 1.0


def _said(machine: Machine, found: Judged, q: Array, alone: bool, what: str = "accelerations") -> Array:
    """The answer; with a warning, once per mechanism and number of digits, where rounding leaves too few of them."""
    if not np.all(np.isfinite(found.x)):
        return _lost(machine, q, alone, what)
    error = _BAD_CASE * found.error
    if error > PROMISED:
        digits = max(0, math.floor(-math.log10(min(error, 1.0))))
        warnings.warn(
            f"mechanism '{machine.setup.mech.name}' was asked for its {what} so near a singularity that no more than "
            f"{digits} digits of them can be trusted; model.singularity(q) tells how near",
            AccuracyWarning,
            stacklevel=2,
        )
    return found.x


def _lost(machine: Machine, q: Array, alone: bool, what: str) -> Array:
    """NaN, or for a single state the error that says why there is no answer."""
    if alone:
        near = singularity(machine, q)
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands at a singularity (closure {near.constraint:.0e}, type 2 "
            f"{near.type2:.0e}), or one of its motions moves no mass there, so its {what} are not determined; "
            "move it off this position",
            q=q,
            kind=near.kind,
        )
    return np.array(np.nan)
