"""What is held while the inputs of a mechanism change, chosen and planned, and the motion that follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import evaluate, jacobian, minimum
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.elimination import SquareFactor, SquarePlan, factor_lu, lu_solve
from linkwright.formulations.minimal_equations import transposed_solve
from linkwright.functions import part_names
from linkwright.functions.definition import Definition
from linkwright.functions.fallback_chain import small_pivot_share
from linkwright.functions.loop import closure_functions
from linkwright.functions.loop.minimal_functions import independence_margin, planned_complement
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.functions.memo import at_values_of, memo
from linkwright.functions.setup import Setup
from linkwright.functions.stages import FixedQuantityPlan, HeldFunctions, VelocityPartitionPlan
from linkwright.functions.store import Kernels
from linkwright.gradients import differentiated_equations as equations
from linkwright.gradients.differentiated_equations import Differentiable, closure_gap, held_matrix
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import all_motions
from linkwright.kinematics.query import COMPONENTS
from linkwright.kinematics.singularity import generic_ranks
from linkwright.kinematics.target_plans import moving_components, samples_of
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.mechanism.names import counted_noun
from linkwright.numerics.dense import decompose_scaled, singular_values
from linkwright.numerics.tolerances import ACCEPTED_RATES, INDEPENDENT_ROW, LEAST_SIZE, UNDETERMINED
from linkwright.plans.elimination_plans import square_plan

# --- what is held while the inputs of a mechanism change, chosen and planned; inputs that open its loops --------------

Array = np.ndarray

HELD_MATRIX = Definition("held_matrix", ("q",), held_matrix, stage=HeldFunctions)


@dataclass(frozen=True)
class FixedQuantities:
    """What is held: the actuators (frame None), or components rx ry rz x y z of a frame's pose, 0 to 5."""

    frame: str | None = None
    given: tuple[int, ...] = ()


@memo(valid_at="all")
def driving_speeds(kinematics: Kinematics) -> tuple[int, ...] | None:
    """Indices in v of the velocities that dynamics are written in; None where an actuator sits at a cut joint.

    The actuators' in front, of those that repeat each other the first ones, and those that nobody drives.
    """
    setup = kinematics.setup
    if not kinematics.has_closure:
        return tuple(range(setup.tree.nv))
    if any(drive.speed is None for drive in setup.drives):
        return None
    first = [setup.drives[i].speed for i in first_actuators(kinematics)]
    chosen = (*(speed for speed in first if speed is not None), *find_undriven_freedoms(kinematics).undriven.speeds)
    return chosen if len(chosen) == kinematics.mobility else kinematics.independent


@memo(valid_at="all")
def first_actuators(kinematics: Kinematics) -> tuple[int, ...]:
    """Numbers of the actuators that repeat no other before them."""
    setup, driven = kinematics.setup, find_undriven_freedoms(kinematics).driven
    if driven == len(setup.drives):
        return tuple(range(driven))
    rates = all_motions(kinematics).rates(setup.actuated)
    return tuple(_independent_first_rows(rates, driven))


def _independent_first_rows(rows: Array, count: int) -> list[int]:
    """Numbers of the first rows of matrices (samples, m, n), at most so many, that stand apart from those before.

    A row holds rates of one function by n orthonormal motions, in the mechanism's own units.
    """
    kept: list[int] = []
    for i in range(rows.shape[1]):
        values = singular_values(rows[:, [*kept, i]])
        if (
            len(kept) < min(count, rows.shape[2])
            and np.median(values[:, -1] / np.maximum(values[:, 0], 1.0)) > INDEPENDENT_ROW
        ):
            kept.append(i)
    return kept


def held_components(kinematics: Kinematics, frame: str, given: tuple[int, ...] | None) -> tuple[int, ...]:
    """The components of a frame's pose that are held: those named, or those in which it moves; refused if unclear."""
    nominal = kinematics.nominal or kinematics
    need = find_undriven_freedoms(nominal).driven
    if given is not None:
        if len(given) > need:
            raise ArgumentError(
                f"holding {', '.join(COMPONENTS[i] for i in given)} of '{frame}' asks for {len(given)} components, and "
                f"'{kinematics.setup.mech.name}' has {counted_noun(need, 'driven freedom')}; name {need}: "
                "FixedPose(components=[...])"
            )
        return given
    moving = moving_components(nominal, frame)
    if len(moving) <= need:
        return tuple(moving)
    linear = tuple(i for i in moving if i >= 3)
    tip = frame == output_frame(nominal.setup.mech) and generic_ranks(nominal).components == (3, 4, 5)
    if tip and len(linear) == need:
        return linear
    raise ArgumentError(
        f"'{frame}' of '{kinematics.setup.mech.name}' moves in {', '.join(COMPONENTS[i] for i in moving)} with {need} "
        f"freedoms, so that its whole pose cannot be held; name {need} components: "
        f"fixed=lw.types.FixedPose(components=[...])"
    )


def plan_fixed_quantities(kinematics: Kinematics, setup: Setup, hold: FixedQuantities) -> FixedQuantityPlan:
    """The held functions, on the closure of a setup, with the elimination planned."""
    if kinematics.nominal is not None:
        found: FixedQuantityPlan = at_values_of(kinematics, plan_fixed_quantities(kinematics.nominal, setup, hold))
        return found
    speeds = find_undriven_freedoms(kinematics).undriven.speeds
    given = first_actuators(kinematics) if hold.frame is None else hold.given
    every = HeldFunctions(setup, hold.frame, given, speeds)
    chosen, plan, typical = _plan_held(kinematics, every)
    n = len(given)
    functions = HeldFunctions(
        setup,
        hold.frame,
        tuple(given[i] for i in chosen if i < n),
        tuple(speeds[i - n] for i in chosen if i >= n),
    )
    return FixedQuantityPlan(functions, plan, typical)


@memo(on_disk="holding")
def _plan_held(kinematics: Kinematics, every: HeldFunctions) -> tuple[tuple[int, ...], SquarePlan, tuple[float, ...]]:
    """Which functions are held, and the elimination of the square matrix."""
    kernels, scale = Kernels(every), kinematics.scales
    X = evaluate(kernels.program(HELD_MATRIX), samples_of(kinematics))
    n = every.setup.closure.n_rows
    units = _held_function_units(kinematics, every)
    scaled = X[:, n:] * scale.speeds / units[:, None]
    closing = X[:, :n] / every.setup.closure.select(scale.rows)[:, None] * scale.speeds if n else X[:, :0]
    motions = decompose_scaled(closing, complete=True).null_space(n)
    chosen = _independent_first_rows(scaled @ motions, kinematics.mobility)
    if len(chosen) != kinematics.mobility or n + len(chosen) != X.shape[2]:
        raise ArgumentError(_not_held(kinematics, every, len(chosen)))
    rows = [*range(n), *(n + i for i in chosen)]
    pattern = kernels.pattern(HELD_MATRIX)[rows]
    plan, typical = square_plan(X[:, rows], pattern, scale.speeds)
    return tuple(chosen), plan, typical


def _held_function_units(kinematics: Kinematics, every: HeldFunctions) -> Array:
    scale, drives = kinematics.scales, every.setup.drives
    if every.frame is not None:
        own = [1.0 if i < 3 else scale.length for i in every.given]
    else:
        speeds = [drives[i].speed for i in every.given]
        own = [1.0 if speed is None else float(scale.speeds[speed]) for speed in speeds]
    return np.array([*own, *scale.speeds[list(every.speeds)]])


def _not_held(kinematics: Kinematics, every: HeldFunctions, count: int) -> str:
    name, left = kinematics.setup.mech.name, kinematics.mobility - count
    if every.frame is None:
        names = [part_names(kinematics.setup.mech.joints, speeds=True)[i] for i in every.speeds]
        return f"the actuators of '{name}' and {names} leave {left} freedoms open, so that nothing follows from them"
    named = ", ".join(COMPONENTS[i] for i in every.given)
    return (
        f"holding {named} of '{every.frame}' leaves {left} of {kinematics.mobility} freedoms of '{name}' open; hold "
        "components that determine the mechanism, fixed=lw.types.FixedPose(frame=..., components=[...])"
    )


# Samples in which changes of gaps are compared with what motions make up for.
_LOOKS = 5


@memo(valid_at="all")
def opening_inputs(kinematics: Kinematics) -> tuple[int, ...]:
    """Numbers of the inputs whose change leaves a gap that no motion closes, in some configuration."""
    inputs = kinematics.setup.inputs
    if inputs is None or not kinematics.rank.redundant:
        return ()
    p = np.array(inputs.source.nominal)
    q = kinematics.branch_samples[:: max(1, len(kinematics.branch_samples) // _LOOKS)]
    residual = kinematics.all_rows.with_inputs(lambda s, p, q: closure_gap(s.setup, q), {"q": kinematics.setup.tree.nq})
    changes = evaluate(jacobian(residual, ["p"]), q, np.broadcast_to(p, (len(q), len(p))))
    changes = changes / kinematics.scales.rows[:, None]
    J = evaluate(kinematics.all_rows.program(closure_functions.exact_closure_jacobian), q)
    U = decompose_scaled(J, kinematics.scales.rows, kinematics.scales.speeds).column_space(kinematics.rank.rank)
    left = changes - U @ (np.swapaxes(U, -1, -2) @ changes)
    size, gone = np.linalg.norm(changes, axis=-2), np.linalg.norm(left, axis=-2)
    return tuple(int(i) for i in np.flatnonzero(np.any(gone > UNDETERMINED * np.maximum(size, LEAST_SIZE), axis=0)))


# --- motion as a function of what stays while the inputs of a mechanism change ----------------------------------------


class HeldCompletion(Protocol):
    """Motion as a function of what is held. Its equations are the closure's, and behind them those of held functions.

    Where velocities are held they have no equations: these velocities simply do not change.
    """

    @property
    def R(self) -> Mat:
        """v = R rates of what is held, (nv, n_held)."""

    def closing(self, rates: Mat) -> Mat:
        """Changes of all velocities, at rest in what is held, that undo rates of the equations."""

    def closing_transposed(self, weights: Vec) -> Vec:
        """Its transpose: weights on rates of the equations from weights on velocities."""

    def multipliers(self, force: Vec) -> Vec:
        """lam of the closure equations that carries a force which needs no effort along what is held."""


@dataclass(frozen=True, eq=False)
class Unlooped:
    """The completion of a tree: every velocity is held."""

    R: Mat

    def closing(self, rates: Mat) -> Mat:
        return np.zeros((len(self.R), *rates.shape[1:]))

    def closing_transposed(self, weights: Vec) -> Vec:
        return np.zeros(0)

    def multipliers(self, force: Vec) -> Vec:
        return np.zeros(0)


@dataclass(frozen=True, eq=False)
class SquareCompletion:
    """The completion of held functions: the factors of [J_c; their Jacobian], with so many closure rows."""

    factor: SquareFactor
    n_rows: int
    R: Mat

    def closing(self, rates: Mat) -> Mat:
        return -lu_solve(self.factor, np.asarray(rates, dtype=np.result_type(rates, self.R)))

    def closing_transposed(self, weights: Vec) -> Vec:
        return -transposed_solve(self.factor, weights)

    def multipliers(self, force: Vec) -> Vec:
        return transposed_solve(self.factor, force)[: self.n_rows]


def completion_at(stage: Any, q: Vec, with_map: bool = True) -> tuple[HeldCompletion, Any]:
    """The completion of a division, of held functions or of a tree, and a number below zero where it is spoiled.

    `with_map`: all columns of R are needed anyway; else the judgment makes one motion without them.
    """
    if isinstance(stage, VelocityPartitionPlan):
        found = planned_complement(stage, q)
        return found, independence_margin(stage.setup, q, found, with_map)
    if isinstance(stage, FixedQuantityPlan):
        held, n = stage.functions, stage.setup.closure.n_rows
        X = equations.held_matrix(held, q)
        f = factor_lu(X, stage.plan)
        R = lu_solve(f, np.concatenate([np.zeros((n, held.count)), np.eye(held.count)]).astype(X.dtype))
        return SquareCompletion(f, n, R), small_pivot_share(f.sizes, stage.typical) - ACCEPTED_RATES
    return Unlooped(np.eye(stage.setup.simplified.nv)), 1.0


@dataclass(frozen=True, eq=False)
class FixedMotion:
    """What is held: the completion, and the equations of positions, velocities and accelerations, by "q", "v", "a".

    There are none where a tree holds every velocity. `more` is the number of equations behind those of the closure.
    """

    completion: HeldCompletion
    equations: Mapping[str, Differentiable]
    more: int = 0

    def carrying(self, weights: Vec) -> Vec:
        """The transpose of `multipliers`: weights on forces, (nv,), from weights on multipliers."""
        return -self.completion.closing(np.concatenate([weights, np.zeros(self.more)]))


def smaller_margin(a: Any, b: Any) -> Any:
    """The smaller one of two margins."""
    return b if isinstance(a, float) else a if isinstance(b, float) else minimum(a, b)
