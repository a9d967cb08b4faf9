"""Steps of an explanation: tree, cuts, DeNOC matrices, closure equations, elimination order, and the laws quoted."""

from __future__ import annotations

import re

import numpy as np

from linkwright.analysis.explanation.explanation_records import (
    Block,
    Drawing,
    ExplanationStep,
    Matrix,
    NumberTable,
    Paragraph,
    TheoryEquation,
)
from linkwright.compiler import evaluate
from linkwright.dynamics.actuation import exactly_actuated
from linkwright.dynamics.alternative_trees import TreeChoice, carrying_joint, effort_solver, forward_solver
from linkwright.dynamics.dynamics import Dynamics
from linkwright.functions import Kernels, part_names
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.cut_joints import equations_of_cut_joint
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism.names import counted_noun
from linkwright.mechanism.tree import Tree
from linkwright.model import Model
from linkwright.readable_text import number_text
from linkwright.recursion.matrices import denoc_matrices, mass_center
from linkwright.recursion.poses import link_poses

# --- the laws an explanation quotes, as plain text and as MathML ------------------------------------------------------

_SIGNS = {"[": "<mtable class='brackets'><mtr><mtd>", "&": "</mtd><mtd>", ";": "</mtd></mtr><mtr><mtd>"}
_SIGNS |= {"]": "</mtd></mtr></mtable>", ",": "<mo>,</mo><mspace width='1em'/>"}


def _law_mathml(formula: str) -> str:
    """MathML of symbols and signs that blanks separate; `[ a & b ; c & d ]` is a matrix, `x_i^T` has both indices."""
    return "".join(_SIGNS.get(token) or _token_mathml(token) for token in formula.split())


def _token_mathml(token: str) -> str:
    if token.isdigit():
        return f"<mn>{token}</mn>"
    base, sub, sup = re.fullmatch(r"(.+?)(?:_(\w+?))?(?:\^(\w+))?", token).groups()  # type: ignore[union-attr]
    if not base.isalpha():
        return f"<mo>{token}</mo>"
    symbol = f"<mtext>{base}</mtext>" if base == "gap" else f"<mi>{base}</mi>"
    if sub and sup:
        return f"<msubsup>{symbol}<mi>{sub}</mi><mi>{sup}</mi></msubsup>"
    return f"<msub>{symbol}<mi>{sub}</mi></msub>" if sub else f"<msup>{symbol}<mi>{sup}</mi></msup>" if sup else symbol


def _theory_equation(plain: str, formula: str = "") -> TheoryEquation:
    return TheoryEquation(plain, _law_mathml(formula or plain))


TWISTS = _theory_equation("t = N_l N_d v")
INERTIA = _theory_equation("M(q) = N^T M_b N,  N = N_l N_d", "M ( q ) = N^T M_b N")
PROPAGATION = _theory_equation("B_ij = [1 0; c_ij x 1, 1]", "B_ij = [ 1 & 0 ; c_ij × 1 & 1 ]")
MOTION = _theory_equation("M a + h = force", "M a + h = φ")
CLOSURE = _theory_equation("gap(q) = 0,  J_c v = 0,  J_c a + c = 0", "gap ( q ) = 0 , J_c v = 0 , J_c a + c = 0")
BORDERED = _theory_equation(
    "[M J_c^T; J_c 0] [a; -lambda] = [force - h; -c]", "[ M & J_c^T ; J_c & 0 ] [ a ; − λ ] = [ φ − h ; − c ]"
)
UDU = _theory_equation("M = U D U^T")
EFFORTS = _theory_equation("[B J_c^T] [tau; lambda] = M a + h", "[ B & J_c^T ] [ τ ; λ ] = M a + h")
COMPLEMENT = _theory_equation("v = R v_ind,  J_c R = 0", "v = R v_ind , J_c R = 0")


# --- steps of an explanation ------------------------------------------------------------------------------------------

_WIDEST = 12


def tree_step(mech: Mechanism) -> ExplanationStep:
    """The spanning tree, drawn."""
    velocities = sum(j.kind.nv for j in mech.joints)
    blocks: list[Block] = [
        Paragraph(
            f"Every moving body hangs on the base '{mech.base}' by one chain of joints. The {len(mech.joints)} joints "
            f"of this spanning tree have {velocities} velocities; their coordinates are q, in the order of the file."
        ),
        Drawing("Spanning tree", tuple(_tree_drawing(mech, mech.base, ""))),
    ]
    return ExplanationStep("The tree", tuple(blocks))


def _tree_drawing(mech: Mechanism, body: str, indent: str) -> list[str]:
    lines = [] if indent else [body]
    below = [j for j in mech.joints if j.parent == body]
    for i, joint in enumerate(below):
        last = i == len(below) - 1
        lines.append(f"{indent}{'└' if last else '├'}─ {joint.child}   by '{joint.name}' ({_joint_label(joint)})")
        lines += _tree_drawing(mech, joint.child, indent + ("   " if last else "│  "))
    return lines


def _joint_label(joint: Joint) -> str:
    return f"{type(joint.kind).__name__.lower()}, {counted_noun(joint.kind.nv, 'freedom')}"


def cuts_step(mech: Mechanism) -> ExplanationStep:
    """The joints that close loops, and the reason for their choice."""
    if not (mech.loops or mech.couplings):
        return ExplanationStep(
            "The cuts", (Paragraph("No joint closes a loop: the mechanism is a tree, and nothing is cut."),)
        )
    above = {j.child: j.name for j in mech.joints}
    blocks: list[Block] = []
    for loop in mech.loops:
        carried = " and ".join(
            f"'{name}' is carried by '{above[name]}'" if name in above else f"'{name}' is the base"
            for name in (loop.parent, loop.child)
        )
        cost = len(loop.kind.closure_rows())
        way = " - ".join(_loop_bodies(mech, loop))
        blocks.append(
            Paragraph(
                f"'{loop.name}' ({_joint_label(loop)}) is cut: {carried} already, so it would carry a body twice. It "
                "closes "
                f"the loop {way}. Cut, it saves {counted_noun(loop.kind.nv, 'velocity', 'velocities')} and costs "
                f"{counted_noun(cost, 'closure equation')}; joints with many freedoms are the cheapest to cut."
            )
        )
    for c in mech.couplings:
        powers = [(x, name, k) for name, factors in c.curves for k, x in enumerate(factors, start=2) if x]
        terms = " + ".join(
            [f"{number_text(ratio, 1.0)} {name}" for name, ratio in c.terms]
            + [f"{number_text(x, 1.0)} {name}^{k}" for x, name, k in powers]
        )
        blocks.append(Paragraph(f"Coupling '{c.name}' is one equation more: {terms} = {number_text(c.offset, 1.0)}."))
    return ExplanationStep("The cuts", tuple(blocks))


def _loop_bodies(mech: Mechanism, loop: Joint) -> list[str]:
    """Bodies of a loop, from one side of the cut round to the other."""
    parent = {j.child: j.parent for j in mech.joints}

    def up(body: str) -> list[str]:
        chain = [body]
        while chain[-1] in parent:
            chain.append(parent[chain[-1]])
        return chain

    near, far = up(loop.parent), up(loop.child)
    while len(near) > 1 and len(far) > 1 and near[-2] == far[-2]:
        near, far = near[:-1], far[:-1]
    return near + far[-2::-1]


def denoc_step(mech: Mechanism, tree: Tree, q: np.ndarray, inertia: np.ndarray) -> ExplanationStep:
    """N_l and N_d: their structure, their values at home, and the inertia (nv, nv) there."""
    D = denoc_matrices(tree, q, np.zeros(tree.nv))
    names = mech.names
    blocks: list[Block] = [
        Paragraph(
            "The twists of all bodies follow from the joint velocities in two steps: N_d turns each joint's velocities "
            "into the twist it adds to its own body, N_l hands twists on from every body to all bodies it carries. "
            "Inertial frame, twists [angular; linear] at the mass centers, as in the papers."
        ),
        TWISTS,
        PROPAGATION,
        _block_structure("N_l", tree, names),
        NumberTable(
            "Arms at home [m]",
            ("body i", "carried by j", "c_ij, from mass center i to j"),
            tuple(_mass_center_arms(tree, q, names)),
        ),
        NumberTable(
            "Blocks of N_d at home",
            ("body", "velocity", "angular part of p", "linear part of p [m]"),
            tuple(_twist_column_rows(mech, tree, D.N_d)),
        ),
        INERTIA,
    ]
    if any(j.kind.bends for j in mech.joints):
        blocks.append(
            Paragraph(
                "The papers' matrices are for rigid bodies: N_l and N_d show links unbent; M below has the bending too."
            )
        )
    if 0 < tree.nv <= _WIDEST:
        names = _velocity_names(mech)
        blocks.append(Matrix("M at home", names, names, _matrix_entries(inertia)))
    return ExplanationStep("The DeNOC matrices", tuple(blocks))


def _block_structure(name: str, tree: Tree, names: tuple[str, ...]) -> Block:
    if len(names) > _WIDEST:
        deep = sum(len(tree.ancestors(i)) for i in tree.bodies)
        return Paragraph(f"{name} has {deep} blocks that are not zero, of {len(names) ** 2}.")
    rows = []
    for i in tree.bodies:
        above = tree.ancestors(i)
        rows.append(tuple("1" if j == i else f"B_{i + 1},{j + 1}" if j in above else "" for j in tree.bodies))
    return Matrix(name, names, names, tuple(rows))


def _mass_center_arms(tree: Tree, q: np.ndarray, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    poses = link_poses(tree, q)
    center = [p.r + p.R @ mass_center(tree, i) for i, p in enumerate(poses)]
    pairs = [(i, j) for i in tree.bodies for j in tree.ancestors(i)[1:2]]
    return [(names[i], names[j], _vector_text(center[j] - center[i])) for i, j in pairs]


def _twist_column_rows(mech: Mechanism, tree: Tree, N_d: np.ndarray) -> list[tuple[str, ...]]:
    names = _velocity_names(mech)
    rows: list[tuple[str, ...]] = []
    for i in tree.bodies:
        for d in range(tree.dofs[i].start, tree.dofs[i].stop):
            p = N_d[6 * i : 6 * i + 6, d]
            rows.append((mech.names[i], names[d], _vector_text(p[:3]), _vector_text(p[3:])))
    return rows


def _velocity_names(mech: Mechanism) -> tuple[str, ...]:
    out: list[str] = []
    for joint in mech.joints:
        parts = joint.kind.v_parts
        out += [joint.name] if len(parts) == 1 else [f"{joint.name}.{part}" for part in parts]
    return tuple(out)


def _vector_text(x: np.ndarray) -> str:
    return "(" + ", ".join(number_text(float(v), 1.0) for v in x) + ")"


def _matrix_entries(X: np.ndarray) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(number_text(float(x), 1.0) for x in row) for row in X)


def inner_cuts(model: Model) -> tuple[str, ...]:
    """A message for forward dynamics and one for efforts where another cut than the file's is offered, else nothing.

    >>> import linkwright as lw
    >>> inner_cuts(lw.build(lw.catalog.load("four-bar")))
    ()
    """
    if not model.mechanism.loops:
        return ()
    return solver_messages(model.dynamics)


def solver_messages(dynamics: Dynamics) -> tuple[str, ...]:
    """The same of the dynamics of a mechanism."""
    if carrying_joint(dynamics.setup) is None:
        return ()
    solvers: list[tuple[str, TreeChoice]] = [("forward dynamics", forward_solver(dynamics))]
    if exactly_actuated(dynamics.kinematics):
        solvers.append(("efforts", effort_solver(dynamics)))
    return tuple(f"{title}: {solver.description}" for title, solver in solvers)


_WIDEST_JACOBIAN = 14


def closure_step(setup: Setup, kinematics: Kinematics | None, q: np.ndarray) -> ExplanationStep:
    """The closure equations, their residuals, their Jacobian."""
    if not setup.closure.n_all:
        return ExplanationStep("The closure equations", (Paragraph("There are none: nothing is cut."),))
    kernels = Kernels(setup)
    gaps = evaluate(kernels.program(closure_functions.closure_residual), q)
    spare = set(kinematics.rank.redundant) if kinematics else set()
    titles = row_titles(setup)
    rows = [
        (title, demand, number_text(float(gap), 1.0), "repeats others" if i in spare else "")
        for i, ((title, demand), gap) in enumerate(zip(titles, gaps, strict=True))
    ]
    blocks: list[Block] = [
        CLOSURE,
        NumberTable("Equations at home", ("equation", "demands that", "residual", ""), tuple(rows)),
    ]
    if kinematics:
        left = setup.tree.nv - kinematics.rank.rank
        blocks.append(
            Paragraph(
                f"{kinematics.rank.rank} of the {setup.closure.n_all} equations are independent along the branch of "
                f"the home pose, so the freedoms that remain are {setup.tree.nv} - {kinematics.rank.rank} = {left}."
            )
        )
    if setup.tree.nv <= _WIDEST_JACOBIAN and setup.closure.n_all <= _WIDEST_JACOBIAN:
        J = evaluate(kernels.program(closure_functions.closure_jacobian), q)
        pattern = kernels.pattern(closure_functions.closure_jacobian)
        entries = tuple(
            tuple(number_text(float(x), 1.0) if there else "" for x, there in zip(row, mask, strict=True))
            for row, mask in zip(J, pattern, strict=True)
        )
        names = part_names(setup.mech.joints, speeds=True)
        blocks.append(Matrix("J_c at home", tuple(t for t, _ in titles), names, entries))
    else:
        blocks.append(
            Drawing(
                "Structure of J_c, one line per equation",
                _pattern_drawing(kernels.pattern(closure_functions.closure_jacobian)),
            )
        )
    return ExplanationStep("The closure equations", tuple(blocks))


def row_titles(setup: Setup) -> list[tuple[str, str]]:
    """A title and a demand for every closure equation."""
    out = []
    for loop in setup.closure.loops:
        out += [(f"{loop.name} {i + 1}", eq.description) for i, eq in enumerate(equations_of_cut_joint(loop))]
    return out + [(c.name, "the coupled joints keep their ratio") for c in setup.closure.couplings]


def _pattern_drawing(pattern: np.ndarray) -> tuple[str, ...]:
    return tuple("".join("x" if there else "." for there in row) for row in pattern)


def tree_elimination_step(setup: Setup) -> ExplanationStep:
    """Forward dynamics of a tree: from the tips to the base."""
    order = [setup.mech.names[i] for i in setup.tree.inward]
    blocks: tuple[Block, ...] = (
        MOTION,
        UDU,
        Paragraph(
            "The inertia is eliminated from the tips to the base (reverse Gaussian elimination): a body's articulated "
            "inertia is finished when all bodies it carries have been taken in, so no zero fills up."
        ),
        Paragraph("Order: " + ", ".join(order) + "."),
    )
    return ExplanationStep("The elimination", blocks)


def elimination_step(dynamics: Dynamics) -> ExplanationStep:
    """The planned elimination of the bordered matrix: order, sizes of pivots, fill-in."""
    planned = dynamics.kernels.stage
    setup, plan = planned.setup, planned.plan
    pattern = dynamics.kernels.pattern(closure_functions.kkt_matrix)
    names = _unknown_names(setup)
    rows = [
        (
            str(k + 1),
            " and ".join(names[i] for i in pivot),
            str(len(touched)),
            _abbreviated_names([names[i] for i in touched]),
        )
        for k, (pivot, touched) in enumerate(zip(plan.pivots, plan.touched, strict=True))
    ]
    fill = sum(len(t) * (len(t) - 1) // 2 for t in plan.touched)
    blocks: list[Block] = [
        BORDERED,
        Paragraph(
            f"The matrix has {len(pattern)} rows, {int(pattern.sum())} of its {pattern.size} entries are not zero by "
            "structure. The order of elimination was chosen once, for few operations and for pivots that stay large "
            "on the mechanism's configurations; a pair of rows is eliminated together where a diagonal entry is zero. "
            f"Off-diagonal updates in all: {fill}."
        ),
        NumberTable("Order", ("step", "eliminates", "touches", "namely"), tuple(rows)),
        Drawing("Structure of the matrix in the order of elimination", _pattern_in_pivot_order(pattern, plan.pivots)),
    ]
    if planned.leg_sizes:
        blocks.append(
            Paragraph(
                "Forward dynamics itself goes leg by leg here, which costs fewer operations: each leg becomes an "
                "inertia at its spherical joint, the platform carries them all, and one 6 x 6 system is left "
                "(theory 6.11-6.14)."
            )
        )
    blocks += [Paragraph(f"{message[0].upper()}{message[1:]}.") for message in solver_messages(dynamics)]
    return ExplanationStep("The elimination", tuple(blocks))


def _unknown_names(setup: Setup) -> list[str]:
    titles = [title for title, _ in row_titles(setup)]
    kept = range(setup.closure.n_all) if setup.closure.kept is None else setup.closure.kept
    return [*part_names(setup.mech.joints, speeds=True), *(f"lambda of {titles[r]}" for r in kept)]


def _abbreviated_names(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _pattern_in_pivot_order(pattern: np.ndarray, pivots: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    order = [i for pivot in pivots for i in pivot]
    return _pattern_drawing(pattern[np.ix_(order, order)])
