"""Steps of an explanation that need the loops: closure equations, elimination order, alternative cuts."""

from __future__ import annotations

import numpy as np

from linkwright.analysis.explain import laws as laws
from linkwright.analysis.explain.records import Block, Drawing, Matrix, Paragraph, Step, Table, figure
from linkwright.compiler import evaluate
from linkwright.kernels import Kernels, part_names
from linkwright.kernels.setup import Setup
from linkwright.loops.equations import equations
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


_WIDEST = 14


def closure_step(setup: Setup, machine: Machine | None, q: np.ndarray) -> Step:
    """The closure equations in words, their gaps, their Jacobian."""
    if not setup.closure.n_all:
        return Step("The closure equations", (Paragraph("There are none: nothing is cut."),))
    kernels = Kernels(setup)
    gaps = evaluate(kernels.program("closure_residual"), q)
    spare = set(machine.rank.redundant) if machine else set()
    titles = row_titles(setup)
    rows = [
        (title, words, figure(float(gap)), "repeats others" if i in spare else "")
        for i, ((title, words), gap) in enumerate(zip(titles, gaps, strict=True))
    ]
    blocks: list[Block] = [
        laws.CLOSURE,
        Table("Equations at home", ("equation", "demands that", "gap", ""), tuple(rows)),
    ]
    if machine:
        left = setup.tree.nv - machine.rank.rank
        blocks.append(
            Paragraph(
                f"{machine.rank.rank} of the {setup.closure.n_all} equations are independent along the branch of the "
                f"home pose, so the freedoms that remain are {setup.tree.nv} - {machine.rank.rank} = {left}."
            )
        )
    if setup.tree.nv <= _WIDEST and setup.closure.n_all <= _WIDEST:
        J = evaluate(kernels.program("closure_jacobian"), q)
        pattern = kernels.pattern("closure_jacobian")
        entries = tuple(
            tuple(figure(float(x)) if there else "" for x, there in zip(row, mask, strict=True))
            for row, mask in zip(J, pattern, strict=True)
        )
        names = part_names(setup.mech.joints, speeds=True)
        blocks.append(Matrix("J_c at home", tuple(t for t, _ in titles), names, entries))
    else:
        blocks.append(Drawing("Structure of J_c, one line per equation", _dots(kernels.pattern("closure_jacobian"))))
    return Step("The closure equations", tuple(blocks))


def row_titles(setup: Setup) -> list[tuple[str, str]]:
    """A title and a demand in words for every closure equation."""
    out = []
    for loop in setup.closure.loops:
        out += [(f"{loop.name} {i + 1}", eq.words) for i, eq in enumerate(equations(loop))]
    return out + [(c.name, "the coupled joints keep their ratio") for c in setup.closure.couplings]


def _dots(pattern: np.ndarray) -> tuple[str, ...]:
    return tuple("".join("x" if there else "." for there in row) for row in pattern)


def tree_elimination_step(setup: Setup) -> Step:
    """Forward dynamics of a tree: from the tips to the base."""
    order = [setup.mech.names[i] for i in setup.tree.inward]
    blocks: tuple[Block, ...] = (
        laws.MOTION,
        laws.UDU,
        Paragraph(
            "The inertia is eliminated from the tips to the base (reverse Gaussian elimination): a body's articulated "
            "inertia is finished when all bodies it carries have been taken in, so no zero fills up."
        ),
        Paragraph("Order: " + ", ".join(order) + "."),
    )
    return Step("The elimination", blocks)


def elimination_step(machine: Machine) -> Step:
    """The planned elimination of the bordered matrix: order, sizes of pivots, fill-in."""
    setup = machine.kernels.setup
    plan = setup.plans.kkt
    assert plan is not None
    pattern = machine.kernels.pattern("kkt_matrix")
    names = _unknowns(setup)
    rows = [
        (str(k + 1), " and ".join(names[i] for i in pivot), str(len(touched)), _some([names[i] for i in touched]))
        for k, (pivot, touched) in enumerate(zip(plan.pivots, plan.touched, strict=True))
    ]
    fill = sum(len(t) * (len(t) - 1) // 2 for t in plan.touched)
    blocks: list[Block] = [
        laws.BORDERED,
        Paragraph(
            f"The matrix has {len(pattern)} rows, {int(pattern.sum())} of its {pattern.size} entries are not zero by "
            "structure. The order of elimination was chosen once, for few operations and for pivots that stay large "
            "on the machine's configurations; a pair of rows is eliminated together where a diagonal entry is zero. "
            f"Off-diagonal updates in all: {fill}."
        ),
        Table("Order", ("step", "eliminates", "touches", "namely"), tuple(rows)),
        Drawing("Structure of the matrix in the order of elimination", _ordered(pattern, plan.pivots)),
    ]
    if setup.plans.leg_sizes:
        blocks.append(
            Paragraph(
                "Forward dynamics itself goes leg by leg here, which costs fewer operations: each leg becomes an "
                "inertia at its ball joint, the platform carries them all, and one 6 x 6 system is left "
                "(theory 6.11-6.14)."
            )
        )
    blocks += [Paragraph(f"{words[0].upper()}{words[1:]}.") for words in sentences(machine)]
    return Step("The elimination", tuple(blocks))


def _unknowns(setup: Setup) -> list[str]:
    titles = [title for title, _ in row_titles(setup)]
    kept = range(setup.closure.n_all) if setup.closure.kept is None else setup.closure.kept
    return [*part_names(setup.mech.joints, speeds=True), *(f"lambda of {titles[r]}" for r in kept)]


def _some(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _ordered(pattern: np.ndarray, pivots: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    order = [i for pivot in pivots for i in pivot]
    return _dots(pattern[np.ix_(order, order)])
