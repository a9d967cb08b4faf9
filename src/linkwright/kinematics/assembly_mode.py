"""Assembly mode of a configuration, and the check that it is closed."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import AccuracyWarning, ArgumentError, ParameterWarning, warn_caller
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import equations_of_cut_joint
from linkwright.mechanism.tree import Tree
from linkwright.numerics.dense import count_above, singular_values
from linkwright.numerics.tolerances import CLOSED_STATE, INDEPENDENT_ROW, OPEN_STATE, ROUNDED_SUM

# Rows of a batch that are looked at.
_LOOKED_AT = 16


@dataclass(frozen=True)
class SquareLeg:
    """A loop whose own joints are as many as its equations: rows among the kept ones, and speeds."""

    rows: tuple[int, ...]
    speeds: tuple[int, ...]


def square_legs(kinematics: Kinematics) -> tuple[SquareLeg, ...]:
    """The loops that have a square Jacobian of their own; its sign is the working mode of that leg."""
    return square_legs_of_closure(kinematics.independent_rows.closure, kinematics.setup.tree)


def square_legs_of_closure(closure: Closure, tree: Tree) -> tuple[SquareLeg, ...]:
    """The legs of a closure, rows numbered among the kept ones."""
    chains = [
        {
            d
            for end in (loop.near, loop.far)
            for i in _ancestors_of_link(tree, end.link)
            for d in _velocity_indices_of_link(tree, i)
        }
        for loop in closure.loops
    ]
    kept = list(range(closure.n_all)) if closure.kept is None else list(closure.kept)
    out, row = [], 0
    for index, loop in enumerate(closure.loops):
        count = len(equations_of_cut_joint(loop))
        rows = tuple(kept.index(r) for r in range(row, row + count) if r in kept)
        row += count
        others = set().union(*(chain for j, chain in enumerate(chains) if j != index))
        own = tuple(sorted(chains[index] - others))
        if rows and len(rows) == len(own):
            out.append(SquareLeg(rows, own))
    return tuple(out)


def _ancestors_of_link(tree: Tree, link: int) -> tuple[int, ...]:
    return tree.ancestors(link) if link >= 0 else ()


def _velocity_indices_of_link(tree: Tree, i: int) -> range:
    return range(tree.dofs[i].start, tree.dofs[i].stop)


def branch_signs(kinematics: Kinematics, q: np.ndarray) -> str:
    """Signs of the legs' determinants, then of the dependent closure Jacobian, for example "++-|+"."""
    part = kinematics.partition
    J = kinematics.all_rows.function(closure_functions.closure_jacobian)(q)[list(kinematics.rank.kept)]
    leg_signs = "".join(
        _sign_character(np.linalg.det(J[np.ix_(leg.rows, leg.speeds)])) for leg in square_legs(kinematics)
    )
    return f"{leg_signs}|{_sign_character(np.linalg.det(J[:, list(part.dependent)]))}"


def _sign_character(x: float) -> str:
    return "0" if abs(x) < ROUNDED_SUM else "+" if x > 0 else "-"


def require_closed_loops(kinematics: Kinematics, q: np.ndarray) -> None:
    """Refuse coordinates (n, nq) that leave a loop open; warn where they close in another way than at home.

    A residual that is a length is measured in units of the mechanism's characteristic length, an angle as it is.
    """
    gaps = np.abs(kinematics.all_rows.function(closure_functions.closure_residual)(q))
    if not gaps.size:
        return
    relative = gaps / kinematics.scales.rows
    if np.nanmax(relative) > CLOSED_STATE:
        state, row = np.unravel_index(int(np.nanargmax(relative)), gaps.shape)
        where = f" (row {state})" if len(q) > 1 else ""
        unit = f" m, {relative[state, row]:.2g} of its size" if kinematics.setup.closure.lengths[row] else ""
        raise ArgumentError(
            f"q{where} leaves loop '{kinematics.loop_of_row(int(row))}' of '{kinematics.setup.mech.name}' open by "
            f"{gaps[state, row]:.2g}{unit}, more than {CLOSED_STATE:g}; close it with model.assemble(guess=q).q",
            gap=float(gaps[state, row]),
        )
    for each in q[np.isfinite(q).all(axis=1)]:
        warn_of_other_branch(kinematics, each)


def warn_of_open_loops(kinematics: Kinematics, function: str, q: np.ndarray) -> None:
    """Warn once of states (..., nq) that leave a loop open at the values of the mechanism's inputs.

    Such states were closed for another design. Of a batch some rows are looked at, spread evenly.
    """
    inputs = kinematics.setup.inputs
    code = kinematics.all_rows.code(closure_functions.closure_residual)
    if inputs is None or not isinstance(code, InputKernel) or not q.size:
        return
    values = inputs.values
    try:
        lead = np.broadcast_shapes(q.shape[:-1], values.shape[:-1])
    except ValueError:
        return  # the function itself refuses them
    if 0 in lead:
        return
    if lead:
        count = int(np.prod(lead))
        rows = np.unravel_index(np.unique(np.linspace(0, count - 1, min(count, _LOOKED_AT)).astype(int)), lead)
        q, values = (np.broadcast_to(x, (*lead, x.shape[-1]))[rows] for x in (q, values))
        code = code.at(np.ascontiguousarray(values))
    gaps = np.abs(np.atleast_2d(code(np.ascontiguousarray(q))))
    relative = np.nan_to_num(gaps / kinematics.scales.rows)
    state, row = np.unravel_index(int(np.argmax(relative)), relative.shape)
    if relative[state, row] <= OPEN_STATE:
        return
    loop = kinematics.loop_of_row(int(row))
    found: dict[str, object] = {
        "gap": float(gaps[state, row]),
        "unit": "m" if kinematics.setup.closure.lengths[row] else "",
    }
    if lead:
        found["row"] = [int(index[state]) for index in rows]
        found["open"] = int(np.sum(relative.max(axis=1) > OPEN_STATE))
        found["looked_at"] = len(gaps)
    warn_caller(
        f"{function} of '{kinematics.setup.mech.name}': at these parameters q leaves loop '{loop}' open, as "
        "coordinates of another design do; close them again with forward_kinematics(q_act, p=p), "
        "inverse_kinematics(pose, p=p) or project(q, v, p=p)",
        ParameterWarning,
        subject=loop,
        value=found,
    )


def warn_of_other_branch(kinematics: Kinematics, q: np.ndarray) -> None:
    """Warn of a closed configuration in which equations count that only repeat others on the home's branch.

    A parallelogram that was folded over is such a place: the mechanism has fewer freedoms there, and all that was
    planned for its home is not for it.
    """
    more = extra_equation_count(kinematics, q) if kinematics.rank.redundant else 0
    if not more:
        return
    name, mobility = kinematics.setup.mech.name, kinematics.mobility
    warn_caller(
        f"mechanism '{name}' is closed here in another way than at home: {more} more of its closure equations count, "
        f"so it has {mobility - more} degrees of freedom and not {mobility}, and dynamics computed for its home are "
        "wrong here; start nearer to home, or make this configuration the home of the file",
        AccuracyWarning,
    )


def extra_equation_count(kinematics: Kinematics, q: np.ndarray) -> int:
    """Number of closure equations that count at q beyond those that do on the home's branch."""
    J, scales = kinematics.all_rows.function(closure_functions.closure_jacobian)(q), kinematics.scales
    counting = count_above(singular_values(J, scales.rows, scales.speeds), INDEPENDENT_ROW)
    return max(0, int(counting) - kinematics.rank.rank)
