"""Explanation of how a mechanism is solved: tree, cuts, DeNOC matrices, closure, elimination, counts, formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.analysis.explanation import steps
from linkwright.analysis.explanation.explanation_records import (
    Block,
    Explanation,
    ExplanationStep,
    FormulaBlock,
    NumberTable,
    Paragraph,
)
from linkwright.analysis.explanation.math import Numeral, Symbol, program_formulas
from linkwright.analysis.explanation.steps import (
    closure_step,
    cuts_step,
    denoc_step,
    elimination_step,
    tree_elimination_step,
    tree_step,
)
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.compiler import Program, evaluate, operation_count, trace
from linkwright.dynamics.dynamics import Dynamics
from linkwright.errors import LinkwrightError
from linkwright.formulations import hybrid_equations
from linkwright.formulations.elimination import factor_lu, lu_solve
from linkwright.functions import Kernels
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import setup as set_up
from linkwright.functions.stages import InverseDynamicsPlan
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism import Mechanism
from linkwright.mechanism.mechanism import require_mechanism
from linkwright.model import Model, build
from linkwright.plans.closed_samples import home_coordinates
from linkwright.readable_text import number_text
from linkwright.recursion import inverse_recursion

READABLE = 250
"""Programs of more operations are not written out."""


def formulas_step(model: Model, dynamics: Dynamics) -> ExplanationStep:
    """Inertia, forces and closure of the mechanism as formulas, with its own numbers and with its inputs as symbols."""
    blocks: list[Block] = []
    too_long: list[str] = []
    for title, law, program, results in _explained_programs(model, dynamics):
        count = operation_count(program).total
        if count > READABLE:
            too_long.append(f"{title.lower()} ({count})")
            continue
        found = program_formulas(program, _program_symbols(model), results)
        shown = tuple(row for row in found.results if row[1] != _ZERO)
        blocks += [law] if law else []
        blocks.append(FormulaBlock(f"{title} ({count} operations)", found.shared, shown))
    if too_long:
        blocks.append(
            Paragraph(f"Longer than {READABLE} operations and therefore not written out: {', '.join(too_long)}.")
        )
    about = (
        "Coordinates are written by their joint's name, velocities with one dot (') and accelerations with two (''); "
        "s1, s2, ... are parts used again. Results that are always zero are left out."
    )
    return ExplanationStep("Your mechanism's formulas", (Paragraph(about), *_symbol_table(model), *blocks))


def _symbol_table(model: Model) -> list[Block]:
    rows = tuple((x.name, number_text(x.value, 1.0), x.unit or "") for x in model.parameters.records)
    return [NumberTable("Symbols that stay", ("symbol", "value in the file", "unit"), rows)] if rows else []


_ZERO = Numeral(0.0)

_Entry = tuple[str, Block | None, Program, list[str]]


def _explained_programs(model: Model, dynamics: Dynamics) -> list[_Entry]:
    names = model.v_names
    inertia = [f"M[{a}, {b}]" for a in names for b in names]
    if not dynamics.setup.closure.n_all:
        return [
            ("Generalized inertia", steps.INERTIA, model.program("mass_matrix", inputs=True), inertia),
            (
                "Forces that make the motion",
                steps.MOTION,
                model.program("generalized_forces", inputs=True),
                [f"force[{n}]" for n in names],
            ),
        ]
    rows = dynamics.kernels.setup.closure.n_rows
    kept = dynamics.kernels
    found: list[_Entry] = [
        (
            "Closure residuals",
            steps.CLOSURE,
            kept.input_program(closure_functions.closure_residual),
            [f"gap {i + 1}" for i in range(rows)],
        ),
        (
            "Jacobian of the closure residuals",
            None,
            kept.input_program(closure_functions.closure_jacobian),
            [f"J[{i + 1}, {n}]" for i in range(rows) for n in names],
        ),
    ]
    independent = model.independent
    found.append(
        (
            "All velocities from the independent ones",
            steps.COMPLEMENT,
            model.program("independent_map", inputs=True),
            [f"R[{a}, {b}]" for a in names for b in independent],
        )
    )
    pairs = [f"M_ind[{a}, {b}]" for a in independent for b in independent]
    found.append(("Inertia of the independent velocities", None, model.program("minimal_inertia", inputs=True), pairs))
    try:
        efforts = _unchecked_efforts(dynamics.actuated)
        found.append(("Efforts of the actuators", steps.EFFORTS, efforts, [f"tau[{n}]" for n in model.actuated]))
    except LinkwrightError:
        pass  # not exactly actuated: no formula of one kind
    return found


def _unchecked_efforts(kernels: Kernels[InverseDynamicsPlan]) -> Program:
    """Efforts without the watch on pivots that the compiled function has."""

    def efforts(planned: InverseDynamicsPlan, q: Vec, v: Vec, a: Vec) -> Vec:
        setup = planned.setup
        f = factor_lu(hybrid_equations.effort_multiplier_matrix(setup.closure, setup.drives, q), planned.plan)
        return lu_solve(f, inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, None))[
            : len(setup.drives)
        ]

    sizes = kernels.setup.sizes()
    shapes = {name: sizes[name] for name in ("q", "v", "a")}
    if kernels.setup.inputs is None:
        return trace(lambda q, v, a: efforts(kernels.stage, q, v, a), shapes)
    return kernels.with_inputs(lambda planned, p, q, v, a: efforts(planned, q, v, a), shapes)


def _program_symbols(model: Model) -> dict[str, tuple[Symbol, ...]]:
    return {
        "q": tuple(Symbol(name) for name in model.q_names),
        "v": tuple(Symbol(name, 1) for name in model.v_names),
        "a": tuple(Symbol(name, 2) for name in model.v_names),
        "tau": tuple(Symbol(name) for name in model.actuated),
        "p": tuple(Symbol(name) for name in model.parameters.names),
    }


_FUNCTIONS = (
    ("inverse_dynamics", "efforts of the actuators for a motion"),
    ("forward_dynamics", "accelerations under efforts"),
    ("generalized_forces", "forces along every velocity of the tree"),
    ("mass_matrix", "inertia of the tree"),
    ("closure_residual", "closure residuals"),
    ("closure_jacobian", "Jacobian of the closure residuals"),
    ("independent_map", "all velocities from the independent ones"),
    ("minimal_inertia", "inertia of the independent velocities"),
)


def explain(mech: Mechanism, inputs: Sequence[str] | str = ()) -> Explanation:
    """Every step from the drawing to the compiled functions; steps that fail give the reason.

    Args:
        mech: what to explain.
        inputs: parameters of the file, or paths of numbers such as "bodies.crank.mass", that stay symbols in the
            formulas; all other numbers are written as they are.

    >>> from linkwright import catalog
    >>> [step.title for step in explain(catalog.load("three-link-arm")).steps][:3]
    ['The tree', 'The cuts', 'The DeNOC matrices']
    """
    model = build(require_mechanism("explain", mech))
    with_symbols = build(mech, inputs=inputs)
    dynamics = Dynamics(Kinematics(Kernels(set_up(mech, None))))
    symbolic = with_symbols.dynamics if inputs else dynamics
    pose, closed = _home_pose_to_explain(dynamics)
    setup = dynamics.setup
    steps = [
        tree_step(mech),
        cuts_step(mech),
        denoc_step(
            mech, setup.tree, pose, evaluate(dynamics.kinematics.all_rows.program(tree_functions.mass_matrix), pose)
        ),
        closure_step(setup, dynamics.kinematics if closed else None, pose),
    ]
    rest: list[tuple[str, Callable[[], ExplanationStep]]] = [
        (
            "The elimination",
            lambda: elimination_step(dynamics) if setup.closure.n_all else tree_elimination_step(setup),
        ),
        ("The operations", lambda: counts_step(model)),
        (
            "Your mechanism's formulas",
            lambda: formulas_step(with_symbols, symbolic),
        ),
    ]
    steps += [_try_step(title, made) for title, made in rest]
    return Explanation(mech.name, tuple(steps), studied_mechanism(model) if closed else None)


def _home_pose_to_explain(dynamics: Dynamics) -> tuple[np.ndarray, bool]:
    """The home pose, closed when it can be, and whether it is."""
    start = home_coordinates(dynamics.kinematics.all_rows)
    if not dynamics.setup.closure.n_all:
        return start, True
    try:
        return dynamics.kinematics.home, True
    except LinkwrightError:
        return start, False


def _try_step(title: str, made: Callable[[], ExplanationStep]) -> ExplanationStep:
    try:
        return made()
    except LinkwrightError as error:
        return ExplanationStep(title, (Paragraph(f"This step cannot be taken: {error}"),))


def counts_step(model: Model) -> ExplanationStep:
    """Exact operations of the mechanism's main functions."""
    rows = []
    for name, meaning in _FUNCTIONS:
        try:
            n = model.operation_count(name)
        except LinkwrightError:
            continue
        rows.append((name, meaning, *map(str, (n.mul, n.add, n.div, n.sqrt, n.trig, n.total))))
    heads = ("function", "gives", "mul", "add", "div", "sqrt", "sin, cos", "total")
    blocks: tuple[Block, ...] = (
        Paragraph(
            "Each function was run once with recording numbers and became a straight list of operations, without loops "
            "or zeros; the counts are exact for this mechanism."
        ),
        NumberTable("Operations of one call", heads, tuple(rows)),
    )
    return ExplanationStep("The operations", blocks)
