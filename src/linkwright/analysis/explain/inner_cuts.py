"""Which cut a model computes with inside, in words."""

from __future__ import annotations

from linkwright.model import Model
from linkwright.solve.actuation import exactly_actuated
from linkwright.solve.alternative_trees import Solved, carrying_joint, effort_solver, forward_solver
from linkwright.solve.machine import Machine


def inner_cuts(model: Model) -> tuple[str, ...]:
    """A sentence for forward dynamics and one for efforts where another cut than the file's is offered, else nothing.

    >>> import linkwright as lw
    >>> inner_cuts(lw.build(lw.catalog.load("four-bar")))
    ()
    """
    if not model.mechanism.loops:
        return ()
    return sentences(model._engine.machine)


def sentences(machine: Machine) -> tuple[str, ...]:
    """The same of a machine."""
    if carrying_joint(machine.setup) is None:
        return ()
    solvers: list[tuple[str, Solved]] = [("forward dynamics", forward_solver(machine))]
    if exactly_actuated(machine):
        solvers.append(("efforts", effort_solver(machine)))
    return tuple(f"{title}: {solver.words}" for title, solver in solvers)
