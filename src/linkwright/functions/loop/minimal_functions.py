"""Functions on independent velocities, pivot-checked: equations of motion, states of actuators, Newton steps.

The order in which the dependent columns of J_c are eliminated is fixed, so in some positions a pivot is small although
the mechanism is regular. Whether that did harm is seen by putting the result back into the equations: in J_c v = 0 no
row may be off by more than rounding would explain (its backward error). Where it is, or where a speed becomes so large
that the mechanism may be singular, the state is solved again with full pivoting.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.transforms import wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inline_program, is_constant, is_zero, maximum, minimum, select, tangent
from linkwright.errors import ArgumentError
from linkwright.formulations import minimal_equations
from linkwright.formulations.elimination import factor_in_order, solve_factored
from linkwright.formulations.minimal_equations import Complement
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.formulations.noc import uncoupled_equations
from linkwright.formulations.virtual_power import (
    Resistance,
    cut_forces,
    cut_speed_rows,
    passive_tree_forces,
    resistance_of_joints,
)
from linkwright.functions.definition import compiled
from linkwright.functions.design_inputs import traced_on
from linkwright.functions.fallback_chain import flag_result, in_pairs, small_pivot_share
from linkwright.functions.loop.closure_functions import driven_force
from linkwright.functions.setup import Setup
from linkwright.functions.stages import KKTPlan, MinimalEquations, VelocityPartitionPlan
from linkwright.functions.tree.tree_functions import frame_attachment, link_frame_wrenches
from linkwright.loops.closure import (
    Closure,
    actuation_matrix,
    closure_bias,
    closure_of,
    jacobian_of_closure,
    relative_poses,
)
from linkwright.loops.cut_joints import joint_value
from linkwright.mechanism.tree import tree_without_resistance
from linkwright.numerics.tolerances import ACCEPTED, CLOSED_ROW, EXACT_MARGIN, FASTEST_DEPENDENT, ROUNDED_SUM, TINY
from linkwright.recursion import inertia, inverse_recursion
from linkwright.recursion.forward_recursion import factor_udu
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.poses import jacobian_of_frame
from linkwright.recursion.twist_recursion import motion_of_tree, tree_coordinate_rates

# --- the equations of motion on independent velocities, and a Newton step of the dependent coordinates ----------------


def resistance_of(setup: Setup, q: Vec, v: Vec) -> Resistance:
    """Forces of springs, friction and rotors at all joints at q, v."""
    closure = _parent_sided(setup)
    S = cut_speed_rows(closure, q)
    return resistance_of_joints(setup.simplified, closure, q, v, S, _cut_velocity_drift(setup, closure, q, v))


def resisted_speeds(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Forces of springs, friction and rotors along the velocities of the tree and of cut joints that have some."""
    closure, tree = _parent_sided(setup), setup.simplified
    S = cut_speed_rows(closure, q)
    outside, _ = cut_forces(tree, closure, q, S @ v, S @ a + _cut_velocity_drift(setup, closure, q, v))
    return np.concatenate([passive_tree_forces(tree, q, v) + tree.rotors * a, outside])


def forces_for_motion(setup: Setup, q: Vec, v: Vec, a: Vec, outer: list[Vec] | None = None) -> Vec:
    """Tree forces that a motion needs, as `recursion.inverse.inverse_dynamics`, resistance by virtual power, (nv,)."""
    bare, taken = tree_without_resistance(setup.simplified), resistance_of(setup, q, v)
    return inverse_recursion.forces_along_joints(bare, motion_of_tree(bare, q, v, a), outer) + taken.h + taken.M @ a


def _parent_sided(setup: Setup) -> Closure:
    """The loops written on their parents' sides."""
    return closure_of(setup.mech, setup.simplified)


def _cut_velocity_drift(setup: Setup, closure: Closure, q: Vec, v: Vec) -> Vec:
    """S_dot v: what the cut joints' speeds gain at zero acceleration, (n,)."""
    if not setup.simplified.cut_rotors:
        return np.zeros(sum(cut.kind.nv for cut in setup.simplified.cut_joints))
    program, outer = traced_on(closure, cut_speed_rows, {"q": setup.simplified.nq})
    rate = inline_program(tangent(program, ["q"]), q, *outer, tree_coordinate_rates(setup.simplified, q, v))
    return rate @ v


@compiled("q", "v", "tau", stage=VelocityPartitionPlan, of_loops=True)
def minimal_forward_dynamics(stage: VelocityPartitionPlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    setup = stage.setup
    force, outer, taken = driven_force(setup, q, tau), link_frame_wrenches(setup, w_ext), resistance_of(setup, q, v)
    bare = tree_without_resistance(setup.simplified)
    return minimal_equations.forward_dynamics_minimal(bare, setup.closure, stage.partition, q, v, force, taken, outer)


@compiled("q", "v", "a", of_loops=True)
def virtual_power_forces(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Tree forces that a motion needs, (nv,), springs, friction and rotors as the second method finds them."""
    return forces_for_motion(setup, q, v, a, link_frame_wrenches(setup, w_ext))


@compiled("q", "v", "tau", stage=MinimalEquations, pivot_checked=True, of_loops=True)
def checked_minimal_dynamics(stage: MinimalEquations, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """The same; the first is NaN where pivots are too small, or so large that small numbers were lost in them."""
    pivots, typical = list(minimal_pivots(stage.division, q)), stage.pivots
    grown = in_pairs(maximum, [1.0, *(abs(p) * (1.0 / t) for p, t in zip(pivots, typical, strict=True) if t)])
    margin = small_pivot_share(pivots, typical) - ACCEPTED * grown
    return flag_result(minimal_forward_dynamics(stage.division, q, v, tau, w_ext), margin)


@compiled("q", stage=VelocityPartitionPlan, of_loops=True)
def minimal_pivots(stage: VelocityPartitionPlan, q: Vec) -> Vec:
    """Pivots of the dependent columns of J_c and of the minimal inertia, in the order they are met, (nv,)."""
    setup = stage.setup
    found = minimal_equations.loop_complement(setup.closure, stage.partition, q)
    _, D = factor_udu(found.R.T @ inertia.tree_mass_matrix(setup.simplified, q) @ found.R)
    return np.array([*found.factor.sizes, *D])


@compiled("q", stage=VelocityPartitionPlan, of_loops=True, public=True)
def independent_map(s: Any, q: Vec) -> Any:
    return minimal_equations.minimal_velocity_map(s.setup.closure, s.partition, q)


@compiled("q", stage=VelocityPartitionPlan, of_loops=True, public=True)
def minimal_inertia(s: Any, q: Vec) -> Any:
    return minimal_equations.minimal_inertia_matrix(s.setup.simplified, s.setup.closure, s.partition, q)


# --- functions of the independent velocities, pivot-checked -----------------------------------------------------------


def planned_complement(stage: VelocityPartitionPlan, q: Vec) -> Complement:
    """The complement on the independent velocities that were planned."""
    return minimal_equations.loop_complement(stage.setup.closure, stage.partition, q)


def independence_margin(setup: Setup, q: Vec, found: Complement, with_map: bool = True) -> Any:
    """Least margin, positive where every row of J_c v = 0 holds to rounding and no velocity is too fast.

    v is the motion in which every independent velocity is near 1: v_ind = 1 + 0.3 cos(0, 1, 2, ...). The margin of a
    row is the rounding that it may have minus |row @ v|.

    Redundant rows take part too: where the kept ones degenerate, those show it. Without `with_map`, v is solved for by
    itself, which takes less than all columns of R where nobody else needs them.
    """
    share, independent = 1.0 + 0.3 * np.cos(np.arange(found.R.shape[1])), list(found.part.independent)
    if with_map:
        v = found.R @ share
    else:
        v = found.closing(found.J_c[:, independent] @ share)
        v[independent] = share
    size = np.array([abs(x) for x in v])
    largest = reduce(maximum, size)
    margins = [FASTEST_DEPENDENT - largest]
    kept = setup.closure.kept
    for i, row in enumerate(jacobian_of_closure(replace(setup.closure, kept=None), q)):
        if _is_rounding(row):
            continue
        scale = np.array([abs(x) for x in row])
        allowed = scale @ size + 0.01 * largest * np.sum(scale)
        off = ROUNDED_SUM if kept is None or i in kept else CLOSED_ROW
        margins.append(off * allowed - abs(row @ v))
    return reduce(minimum, margins) + EXACT_MARGIN


def _is_rounding(row: Vec) -> bool:
    """True if a row is constant and nothing but rounding, as rows of loops of sliders or inside one rigid piece are."""
    return all(is_constant(x) and abs(float(x)) < ROUNDED_SUM for x in row)


@compiled("q", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True)
def checked_independent_map(stage: VelocityPartitionPlan, q: Vec) -> Mat:
    """R with v = R v_ind, (nv, n_ind)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    return flag_result(found.R, independence_margin(setup, q, found))


@compiled("q", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True)
def checked_minimal_inertia(stage: VelocityPartitionPlan, q: Vec) -> Mat:
    """R^T M R, (n_ind, n_ind)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    return flag_result(
        found.R.T @ tree_mass_matrix(setup.simplified, q) @ found.R, independence_margin(setup, q, found)
    )


@compiled("q", "v_ind", "a_ind", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True)
def checked_motion(stage: VelocityPartitionPlan, q: Vec, v_ind: Vec, a_ind: Vec) -> Mat:
    """All speeds and all accelerations that go with the independent ones, (2, nv)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    v = found.R @ v_ind
    c = closure_bias(setup.closure, q, v, motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv)))
    return flag_result(np.array([v, found.R @ a_ind + found.closing(c)]), independence_margin(setup, q, found))


@compiled("q", "v", "a", "tau", stage=KKTPlan, pivot_checked=True, of_loops=True)
def checked_multipliers(stage: KKTPlan, q: Vec, v: Vec, a: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Multipliers of the kept rows for a motion and its efforts, (n_rows,): J_c^T lam makes up for what efforts leave.

    A remainder that no multiplier carries, of a motion these efforts do not make, is left to the motion.
    """
    setup = stage.setup
    needed = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, link_frame_wrenches(setup, w_ext))
    force = needed - actuation_matrix(setup.closure, setup.drives, q) @ tau if setup.drives else needed
    K, nv = bordered_inertia_matrix(setup.simplified, setup.closure, q), setup.simplified.nv
    x = solve_factored(factor_in_order(K, stage.plan), np.concatenate([force, np.zeros(setup.closure.n_rows)]))
    carried = [sum(abs(K[i, j]) * abs(x[j]) for j in range(nv, len(x))) + abs(force[i]) for i in range(nv)]
    floor = 0.01 * reduce(maximum, carried)
    off = [abs(K[i] @ x - force[i]) for i in range(nv)]
    margins = [ROUNDED_SUM * (size + floor) - miss for size, miss in zip(carried, off, strict=True)]
    free = [_free_acceleration(force[i], K[i, i], stage.setup.inputs is not None) for i in range(nv)]
    margins += _left_to_motion(setup, q, x[:nv], np.array(free))
    return flag_result(x[nv:], in_pairs(minimum, margins) + EXACT_MARGIN)


def _free_acceleration(force: Any, inertia: Any, may_vanish: bool) -> Any:
    """Size of the acceleration of one velocity by itself; one massless, also at some values of inputs, has none."""
    if is_zero(inertia):
        return 0.0
    if not may_vanish:
        return abs(force / inertia)
    return select(inertia - TINY, abs(force), 0.0) / select(inertia - TINY, inertia, 1.0)


def _left_to_motion(setup: Setup, q: Vec, rest: Vec, size: Vec) -> list[Any]:
    """Margins by which the remainder's accelerations keep redundant rows too; where kept rows degenerate, it does not.

    `size` is what the forces would accelerate without the loops.
    """
    kept, J = setup.closure.kept, jacobian_of_closure(replace(setup.closure, kept=None), q)
    rows = [] if kept is None else [J[i] for i in range(len(J)) if i not in kept]
    return [CLOSED_ROW * (np.array([abs(x) for x in row]) @ size) - abs(row @ rest) for row in rows]


# --- positions, velocities and accelerations of the actuators, and the Jacobian from them to a frame's twist ----------


@compiled("q", public=True)
def actuator_positions(setup: Setup, q: Vec) -> Vec:
    """Coordinates along which the actuators act, (na,); angles at cut joints lie between -pi and pi."""
    by_speed = {
        link.dofs.start + i: link.coords.start + i
        for link in setup.tree.links
        if not link.kind.has_quaternion
        for i in range(link.dofs.stop - link.dofs.start)
    }
    cut = [joint_value(loop, pose) for loop, pose in zip(setup.closure.loops, relative_poses(setup.closure, q))]
    out = []
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        own = cut[drive.loop] if drive.speed is None else ()
        if drive.speed in by_speed:
            out.append(q[by_speed[drive.speed]])
        elif drive.part < len(own) and not setup.closure.loops[drive.loop].kind.has_quaternion:
            out.append(own[drive.part])
        else:
            raise ArgumentError(no_position(name, setup.mech.name))
    return np.array(out, dtype=q.dtype)


def no_position(name: str, mechanism: str) -> str:
    """Say that an actuator has no position."""
    return (
        f"actuator '{name}' of '{mechanism}' drives a joint whose rotation is a quaternion, so it has no "
        "position; ask actuator_velocities, or actuate joints of one freedom each"
    )


@compiled("q", "v", public=True)
def actuator_velocities(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Velocities along which the actuators act, (na,)."""
    return actuation_matrix(setup.closure, setup.drives, q).T @ v


@compiled("q", "v", "a", public=True)
def actuator_accelerations(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Rates of `actuator_velocities` while the mechanism moves with v and a, (na,)."""

    def rows(setup: Setup, q: Vec) -> Mat:
        return actuation_matrix(setup.closure, setup.drives, q)

    program, outer = traced_on(setup, rows, {"q": setup.tree.nq})
    B_dot = inline_program(tangent(program, ["q"]), q, *outer, tree_coordinate_rates(setup.simplified, q, v))
    return rows(setup, q).T @ a + B_dot.T @ v


@compiled("q", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True, frame=True)
def checked_actuator_jacobian(stage: VelocityPartitionPlan, q: Vec, frame: str) -> Mat:
    """J with twist of the frame = J v_ind, (6, n_ind), world axes; the actuators are the independent velocities."""
    found = planned_complement(stage, q)
    J = jacobian_of_frame(stage.setup.simplified, q, *frame_attachment(stage.setup, frame))
    return flag_result(J @ found.R, independence_margin(stage.setup, q, found))


# --- constraints, velocities and wrenches of separate bodies, for the numerical complement that checks the dynamics ---


@compiled("q", "v", "a", public=True)
def noc_parts(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> dict[str, Any]:
    links = setup.tree.links
    outer = None if w_ext is None else [wrench_from(w, link.body) for w, link in zip(w_ext, links, strict=True)]
    parts = uncoupled_equations(setup.mech, setup.tree, q, v, a, resisted_speeds(setup, q, v, a), outer)
    return {"A": parts.A, "V": parts.V, "w": parts.w, "resisted": parts.resisted}
