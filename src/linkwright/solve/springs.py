"""Virtual springs on a machine: which rows they carry, how stiff each row is, and what is left to multipliers."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError
from linkwright.formulations.kinds import VirtualSprings
from linkwright.kernels.kernels import Kernels
from linkwright.loops.closure import Closure
from linkwright.loops.equations import equations
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.names import suggestion
from linkwright.mechanism.tree import opened
from linkwright.solve.machine import Machine
from linkwright.solve.memory import read_plan, remembered
from linkwright.solve.planning import verified_order, with_plans
from linkwright.solve.rank import independent_rows

Array = np.ndarray


def spring_kernels(machine: Machine, springs: VirtualSprings) -> Kernels:
    """Kernels of the machine with the named cut joints on springs and the rest by multipliers."""
    return _kernels(machine, springs.at)


@lru_cache(maxsize=256)
def row_coefficients(machine: Machine, springs: VirtualSprings) -> tuple[Array, Array]:
    """Stiffness and damping of every sprung row, [N/m, N m/rad] and [N s/m, N m s/rad]."""
    rows = sprung_rows(machine, springs.at)
    weight = row_weights(machine, springs.arm)[list(rows)]
    stiffness = _per_row(machine, springs, "stiffness", springs.stiffness)
    damping = _per_row(machine, springs, "damping", springs.damping)
    if np.any(stiffness <= 0.0):
        raise ArgumentError(f"the stiffness of virtual springs is {springs.stiffness}; it must be above zero")
    return stiffness * weight, damping * weight


def row_weights(machine: Machine, arm: float | None) -> Array:
    """What stiffness [N/m] is multiplied with for every closure row: 1 for lengths, arm^2 for angles."""
    length = machine.scales.length if arm is None else float(arm)
    if not (np.isfinite(length) and length > 0.0):
        raise ArgumentError(f"the arm of virtual springs is {arm}; give a length above zero, or None")
    closure = machine.setup.closure
    lengths = [eq.length for loop in closure.loops for eq in equations(loop)]
    lengths += [_slides(machine, c.speeds[0]) for c in closure.couplings]
    return np.where(np.array(lengths, dtype=bool), 1.0, length * length)


def _slides(machine: Machine, speed: int) -> bool:
    """Whether a coupled speed is that of a prismatic joint, so that its coupling's gap is a length."""
    links = machine.setup.tree.links
    return any(isinstance(k.kind, kinds.Prismatic) and k.dofs.start == speed for k in links)


def sprung_rows(machine: Machine, at: tuple[str, ...] | None) -> tuple[int, ...]:
    """Closure rows of the named cut joints and couplings, all: None."""
    owner = row_owners(machine.setup.closure)
    if at is None:
        return tuple(range(len(owner)))
    if isinstance(at, str):
        raise ArgumentError(f"at of virtual springs is the text '{at}'; name joints in a tuple such as ('{at}',)")
    for name in at:
        if name not in owner:
            raise ArgumentError(f"at of virtual springs names '{name}', which is no cut joint{suggestion(name, owner)}")
    return tuple(i for i, name in enumerate(owner) if name in at)


def row_owners(closure: Closure) -> tuple[str, ...]:
    """For every closure row the name of the cut joint or coupling it belongs to."""
    names = [loop.name for loop in closure.loops for _ in equations(loop)]
    return (*names, *(c.name for c in closure.couplings))


def _per_row(machine: Machine, springs: VirtualSprings, title: str, value: Any) -> Array:
    """One number, or one for each named joint, spread over the rows."""
    owner = row_owners(machine.setup.closure)
    names = springs.at if springs.at is not None else tuple(dict.fromkeys(owner))
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"the {title} of virtual springs is {value!r}; give one number, or one for each joint"
        ) from None
    if given.ndim and given.shape != (len(names),):
        raise ArgumentError(
            f"the {title} of virtual springs has {given.size} values for {len(names)} cut joints ({', '.join(names)})"
        )
    if not np.all(np.isfinite(given)) or np.any(given < 0.0):
        raise ArgumentError(f"the {title} of virtual springs is {value}; it must be finite and not negative")
    by_name = dict(zip(names, np.broadcast_to(given, len(names)), strict=True))
    return np.array([by_name[owner[row]] for row in sprung_rows(machine, springs.at)], dtype=float)


@lru_cache(maxsize=64)
def _kernels(machine: Machine, at: tuple[str, ...] | None) -> Kernels:
    rows = sprung_rows(machine, at)
    left = tuple(i for i in range(machine.setup.closure.n_all) if i not in rows)
    tree, lean = opened(machine.setup.tree), opened(machine.setup.lean)
    closure = replace(machine.setup.closure, tree=lean, kept=())
    setup = replace(machine.setup, tree=tree, lean=lean, closure=closure, sprung=rows)
    if not left:
        return Kernels(setup)
    J = evaluate(machine.open.program("closure_jacobian"), machine.branch_samples)
    J = J / machine.scales.rows[:, None] * machine.scales.speeds
    kept = tuple(left[i] for i in independent_rows(J[:, list(left)]).kept)
    setup = replace(setup, closure=replace(setup.closure, kept=kept))
    plan = remembered(
        setup,
        "springs",
        lambda: verified_order(machine.open, Kernels(setup), "kkt_matrix", machine.branch_samples).plan,
        read_plan,
    )
    return Kernels(with_plans(setup, kkt=plan))


def spring_efforts(machine: Machine, q: Array, force: Array) -> Array:
    """Efforts (..., na) that give the tree forces when the spring forces are eliminated, loops open or not."""
    X = machine.open.function("open_effort_system")(q)
    rank = machine.setup.tree.nv
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    s = np.where(s > 1e-9 * s[..., :1], s, np.inf)[..., :rank]
    x = np.swapaxes(Vt, -1, -2) @ ((np.swapaxes(U, -1, -2) @ force[..., None])[..., 0] / s)[..., None]
    return x[..., : len(machine.setup.drives), 0]
