"""Functions that time stepping needs besides accelerations: rates, powers, gaps, projection, energies."""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inline_program, is_zero, maximum, minimum, select, tangent
from linkwright.formulations import minimal_equations
from linkwright.formulations.elimination import Plan, factor_in_order, irreducible_blocks, lu_solve, solve_factored
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.functions.definition import compiled
from linkwright.functions.design_inputs import traced_on
from linkwright.functions.fallback_chain import flag_result, in_pairs
from linkwright.functions.loop.minimal_functions import minimal_forward_dynamics
from linkwright.functions.loop.spring_functions import spring_row_forces
from linkwright.functions.setup import Setup
from linkwright.functions.stages import KKTPlan, SpringPlan, VelocityPartitionPlan
from linkwright.functions.tree.tree_functions import energies, wrench_power
from linkwright.loops.closure import actuation_matrix, gaps_of_closure, jacobian_of_closure
from linkwright.numerics.tolerances import DOUBTFUL_PIVOT, TINY
from linkwright.recursion.force_elements import lost_power
from linkwright.recursion.twist_recursion import advance_coordinates, quaternion_slices, tree_coordinate_rates


@compiled("q", "v", "tau", any_norm=True)
def state_rates(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Vec]:
    """Rates of the coordinates (nq,), and the powers of actuators and wrenches and of what dissipates, (2,) [W]."""
    rates = tree_coordinate_rates(setup.simplified, q, v)
    power = drive_power(setup, q, v, tau)
    if w_ext is not None:
        power = power + wrench_power(setup, q, v, w_ext)
    return rates, np.array([power, lost_power(setup.tree, q, v)])


def drive_power(setup: Setup, q: Vec, v: Vec, tau: Vec) -> Any:
    """Power of the actuators, [W]."""
    if not setup.drives:
        return 0.0 * v[0] if len(v) else 0.0
    return v @ (actuation_matrix(setup.closure, setup.drives, q) @ tau)


@compiled("q", "v", "tau", "damping", stage=SpringPlan, any_norm=True)
def spring_rates(
    stage: SpringPlan, q: Vec, v: Vec, tau: Vec, damping: Vec, w_ext: Mat | None = None
) -> tuple[Vec, Vec]:
    """`state_rates` with the losses of the virtual springs' dampers."""
    setup = stage.setup
    rates, powers = state_rates(setup, q, v, tau, w_ext)
    opening = spring_row_forces(stage, q, v, np.zeros(len(damping)), np.ones(len(damping)))
    return rates, powers + np.array([0.0, np.sum(damping * opening * opening)])


@compiled("q", "v", "stiffness", stage=SpringPlan, any_norm=True)
def spring_monitor(stage: SpringPlan, q: Vec, v: Vec, stiffness: Vec) -> Vec:
    """`monitor` with the energy of the virtual springs."""
    setup = stage.setup
    whole = replace(setup, closure=replace(setup.closure, kept=None))
    gap = gaps_of_closure(stage.sprung, q)
    return monitor(whole, q, v) + np.array([0.0, 0.0, 0.0, 0.5 * np.sum(stiffness * gap * gap)])


@compiled("q", "v", stage=SpringPlan, any_norm=True)
def rigid_gaps(stage: SpringPlan, q: Vec, v: Vec) -> Vec:
    """`gaps` of the loops that springs leave to multipliers, and of quaternions."""
    return gaps(without_loops(stage.setup) if stage.plan is None else stage.setup, q, v)


@compiled("q", "v", stage=SpringPlan, any_norm=True)
def rigid_projection(stage: SpringPlan, q: Vec, v: Vec) -> tuple[Vec, Vec]:
    """`projection` onto the loops that springs leave to multipliers, and onto unit quaternions."""
    return (
        unit_projection(stage.setup, q, v) if stage.plan is None else _project_step(stage.setup, stage.plan, (), q, v)
    )


@compiled("q", "v", any_norm=True)
def unit_projection(setup: Setup, q: Vec, v: Vec) -> tuple[Vec, Vec]:
    """The velocities as they are, and coordinates (nq,) with unit quaternions: the projection of a tree."""
    return v + 0.0, advance_coordinates(setup.simplified, q, np.zeros(setup.simplified.nv))


def without_loops(setup: Setup) -> Setup:
    return replace(setup, closure=replace(setup.closure, loops=(), couplings=(), kept=None))


@compiled("q", "v", any_norm=True)
def gaps(setup: Setup, q: Vec, v: Vec) -> Vec:
    """The largest gap of the loops or of a quaternion's length, and the largest rate of the loops' gaps, (2,)."""
    lengths = [q[own] @ q[own] - 1.0 for own in quaternion_slices(setup.simplified)]
    if not setup.closure.n_all:
        return np.array([_largest_of_values(lengths, q), 0.0 * q[0]])
    open_by, opening = gaps_of_closure(setup.closure, q), jacobian_of_closure(setup.closure, q) @ v
    return np.array([_largest_of_values([*open_by, *lengths], q), _largest_of_values(list(opening), q)])


def _largest_of_values(values: list[Any], q: Vec) -> Any:
    return reduce(maximum, [abs(x) for x in values]) if values else 0.0 * q[0]


@compiled("q", "v", stage=KKTPlan, pivot_checked=True, any_norm=True)
def checked_projection(stage: KKTPlan, q: Vec, v: Vec) -> tuple[Vec, Vec]:
    """Speeds (nv,) and coordinates (nq,) brought nearer to closed loops along the least kinetic energy (theory 8.5).

    Quaternions are made unit first. One factor of [M J^T; J 0] serves both, and the speeds are those of the new
    coordinates, so that what is left of either gap is of second order. The first speed is NaN where a pivot was too
    small.
    """
    if not stage.setup.closure.n_all:
        return unit_projection(stage.setup, q, v)
    return _project_step(stage.setup, stage.plan, stage.typical, q, v)


def _project_step(setup: Setup, plan: Plan, typical: tuple[float, ...], q: Vec, v: Vec) -> tuple[Vec, Vec]:
    nv = setup.simplified.nv
    q = advance_coordinates(setup.simplified, q, np.zeros(nv))
    f = factor_in_order(bordered_inertia_matrix(setup.simplified, setup.closure, q), plan)
    still = np.zeros(nv)
    dq = solve_factored(f, np.concatenate([still, -gaps_of_closure(setup.closure, q)]))[:nv]
    q_new = advance_coordinates(setup.simplified, q, dq)
    dv = solve_factored(f, np.concatenate([still, -(jacobian_of_closure(setup.closure, q_new) @ v)]))[:nv]
    return flag_result(v + dv, in_pairs(minimum, _watched_pivot_ratios(f.sizes, typical)) - DOUBTFUL_PIVOT), q_new


def _watched_pivot_ratios(sizes: list[Any], typical: tuple[float, ...]) -> list[Any]:
    """Pivots relative to their typical sizes, of those that are watched."""
    return [abs(p) * (1.0 / t) for p, t in zip(sizes, typical, strict=True) if t] if typical else []


@compiled("q", "v", any_norm=True)
def monitor(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Largest gap and gap rate, kinetic and potential energy, (4,)."""
    return np.concatenate([gaps(setup, q, v), energies(setup, q, v)])


@compiled("q", "v_ind", stage=VelocityPartitionPlan, any_norm=True)
def all_speeds(stage: VelocityPartitionPlan, q: Vec, v_ind: Vec) -> Vec:
    """Every speed from the independent ones, (nv,)."""
    return minimal_equations.minimal_velocity_map(stage.setup.closure, stage.partition, q) @ v_ind


@compiled("q", "v_ind", "tau", stage=VelocityPartitionPlan, any_norm=True)
def minimal_rates(
    stage: VelocityPartitionPlan, q: Vec, v_ind: Vec, tau: Vec, w_ext: Mat | None = None
) -> tuple[Vec, Vec]:
    """`state_rates` from the independent velocities (theory 8.6)."""
    setup = stage.setup
    return state_rates(setup, q, all_speeds(stage, q, v_ind), tau, w_ext)


@compiled("q", "v_ind", "tau", stage=VelocityPartitionPlan, any_norm=True)
def minimal_row(stage: VelocityPartitionPlan, q: Vec, v_ind: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Every speed and every acceleration from the independent velocities, (2 nv,)."""
    v = all_speeds(stage, q, v_ind)
    return np.concatenate([v, minimal_forward_dynamics(stage, q, v, tau, w_ext)])


@compiled("q", "v_ind", "tau", stage=VelocityPartitionPlan, any_norm=True)
def minimal_accelerations(stage: VelocityPartitionPlan, q: Vec, v_ind: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations of the independent velocities, (n_ind,)."""
    setup = stage.setup
    a = minimal_row(stage, q, v_ind, tau, w_ext)[setup.simplified.nv :]
    return a[list(stage.partition.independent)]


@compiled("q", stage=VelocityPartitionPlan, any_norm=True)
def displacement(stage: VelocityPartitionPlan, q: Vec) -> tuple[Any, Vec]:
    """The largest gap (1,), and the coordinates after one Newton step of the dependent ones, (nq,) (theory 8.7)."""
    setup = stage.setup
    part, gap = stage.partition, gaps_of_closure(setup.closure, q)
    _, f = minimal_equations.dependent_factor(setup.closure, part, q)
    dv = np.zeros(setup.simplified.nv, dtype=q.dtype)
    dv[list(part.dependent)] = -lu_solve(f, gap)
    return np.array([_largest_of_values(list(gap), q)]), advance_coordinates(setup.simplified, q, dv)


@compiled("q", "v_ind", stage=VelocityPartitionPlan, any_norm=True)
def minimal_projection(stage: VelocityPartitionPlan, q: Vec, v_ind: Vec) -> tuple[Vec, Vec]:
    """The independent velocities as they are, and the coordinates brought nearer to closed loops."""
    return v_ind + 0.0, displacement(stage, q)[1]


@compiled("q", stage=VelocityPartitionPlan, any_norm=True)
def closure_determinant(stage: VelocityPartitionPlan, q: Vec) -> Vec:
    """Determinant of the dependent columns of J_c, (1,): zero where the independent velocities or the loops fail."""
    setup = stage.setup
    _, f = minimal_equations.dependent_factor(setup.closure, stage.partition, q)
    return np.array([reduce(operator.mul, f.sizes, 1.0)])


@compiled("q", stage=VelocityPartitionPlan, any_norm=True)
def closure_blocks(stage: VelocityPartitionPlan, q: Vec) -> Vec:
    """Determinants of the irreducible blocks of the dependent columns of J_c.

    Loops that are solved one after the other have blocks of their own: where many of them fold at once every block
    passes zero as if it were alone, while the determinant of all has a zero of high order.
    """
    setup = stage.setup
    part = stage.partition
    J_c, f = minimal_equations.dependent_factor(setup.closure, part, q)
    pattern = np.array([[not is_zero(x) for x in row] for row in J_c[:, list(part.dependent)]])
    blocks = irreducible_blocks(pattern, part.plan)
    return np.array([reduce(operator.mul, [f.sizes[k] for k in block]) for block in blocks])


@compiled("q", "v", stage=VelocityPartitionPlan, any_norm=True)
def nearing(stage: VelocityPartitionPlan, q: Vec, v: Vec) -> Vec:
    """Of every block: what rises through zero where its determinant D is least in magnitude, D, and the rate of |D|.

    The first is D D' / (D^2 + D'^2), with the time in seconds: however many singular values vanish together, it is
    proportional to the time before and after that instant.
    """
    setup = stage.setup
    program, outer = traced_on(stage, closure_blocks, {"q": setup.simplified.nq})
    sizes = inline_program(program, q, *outer)
    rates = inline_program(tangent(program, ["q"]), q, *outer, tree_coordinate_rates(setup.simplified, q, v))
    out = []
    for size, rate in zip(sizes, rates, strict=True):
        out += [size * rate / (size * size + rate * rate + TINY), size, select(size, rate, -rate)]
    return np.array(out)
