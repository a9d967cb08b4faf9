"""How linkwright solves one's own machine: tree, cuts, DeNOC matrices, closure, elimination, operation counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.analysis.explain.formulas import formulas_step
from linkwright.analysis.explain.loops import closure_step, elimination_step, tree_elimination_step
from linkwright.analysis.explain.records import Block, Explanation, Paragraph, Step, Table
from linkwright.analysis.explain.tree import cuts_step, denoc_step, tree_step
from linkwright.compiler import evaluate
from linkwright.errors import LinkwrightError
from linkwright.kernels.setup import setup as set_up
from linkwright.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.solve.machine import Machine
from linkwright.solve.samples import home

_QUESTIONS = (
    ("inverse_dynamics", "efforts of the motors for a motion"),
    ("forward_dynamics", "accelerations under efforts"),
    ("generalized_forces", "forces along every speed of the tree"),
    ("generalized_inertia", "inertia of the tree"),
    ("closure_residual", "gaps of the loops"),
    ("closure_jacobian", "Jacobian of the gaps"),
    ("independent_map", "all speeds from the independent ones"),
    ("minimal_inertia", "inertia of the independent speeds"),
)


def explanation(mech: Mechanism) -> Explanation:
    """Every step from the drawing to the compiled functions; steps that fail say why.

    >>> from linkwright import catalog
    >>> [step.title for step in explanation(catalog.load("three-link-arm")).steps][:3]
    ['The tree', 'The cuts', 'The DeNOC matrices']
    """
    model = build(mech)
    machine = Machine(set_up(mech, None))
    pose, closed = _pose(machine)
    setup = machine.setup
    steps = [
        tree_step(mech),
        cuts_step(mech),
        denoc_step(mech, setup.tree, pose, evaluate(machine.open.program("tree_inertia"), pose)),
        closure_step(setup, machine if closed else None, pose),
    ]
    rest: list[tuple[str, Callable[[], Step]]] = [
        ("The elimination", lambda: elimination_step(machine) if setup.closure.n_all else tree_elimination_step(setup)),
        ("The operations", lambda: counts_step(model)),
        ("Your machine's formulas", lambda: formulas_step(model, machine)),
    ]
    return Explanation(mech.name, tuple(steps + [_attempted(title, made) for title, made in rest]))


def _pose(machine: Machine) -> tuple[np.ndarray, bool]:
    """The home pose, closed when it can be, and whether it is."""
    start = home(machine.open)
    if not machine.setup.closure.n_all:
        return start, True
    try:
        return machine.home, True
    except LinkwrightError:
        return start, False


def _attempted(title: str, made: Callable[[], Step]) -> Step:
    try:
        return made()
    except LinkwrightError as error:
        return Step(title, (Paragraph(f"This step cannot be taken: {error}"),))


def counts_step(model: Model) -> Step:
    """Exact operations of the machine's main functions."""
    rows = []
    for name, words in _QUESTIONS:
        try:
            n = model.operation_count(name)
        except LinkwrightError:
            continue
        rows.append((name, words, *map(str, (n.mul, n.add, n.div, n.sqrt, n.trig, n.total))))
    heads = ("function", "gives", "mul", "add", "div", "sqrt", "sin, cos", "total")
    blocks: tuple[Block, ...] = (
        Paragraph(
            "Each function was run once with recording numbers and became a straight list of operations, without loops "
            "or zeros; the counts are exact for this machine."
        ),
        Table("Operations of one call", heads, tuple(rows)),
    )
    return Step("The operations", blocks)
