"""Elimination orders for a mechanism, decided on many closed configurations and verified on more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwright.compiler import evaluate, operation_count
from linkwright.dataclass import dataclass
from linkwright.errors import AssemblyError
from linkwright.formulations.elimination import Plan, SquarePlan, factor_in_order, factor_lu, solve_factored
from linkwright.formulations.hybrid_equations import Undriven
from linkwright.formulations.minimal_equations import Partition
from linkwright.functions.definition import Definition
from linkwright.functions.fallback_chain import small_pivot_share
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions
from linkwright.functions.setup import Setup
from linkwright.functions.stages import (
    HybridDynamicsPlan,
    InverseDynamicsPlan,
    KKTPlan,
    ReducedEffortPlan,
    Units,
    VelocityPartitionPlan,
)
from linkwright.functions.store import LARGE, AnyStage, Kernels
from linkwright.loops.closure import closure_of
from linkwright.loops.legs import legs_and_platform
from linkwright.numerics.dense import least_norm
from linkwright.numerics.tolerances import (
    ACCEPTED,
    ACCEPTED_LEG,
    CLOSED,
    DOUBTFUL_PIVOT,
    PROMISED,
    ROUNDED_AWAY,
    STABLE_PIVOT,
    STEADY_PIVOT,
    SUNK_PIVOT,
)
from linkwright.plans.closed_samples import sample_share
from linkwright.plans.closure_newton import close_all, right_way_round
from linkwright.plans.elimination_orders import (
    SymmetricOrderChoice,
    choose_pivot_order,
    choose_square,
    scale_symmetrically,
)
from linkwright.plans.scales import scales_of_mechanism

_BASE = 256
_ROUNDS = 4
_WORST, _FEWEST = 16, 4

# Numbers of dense matrices that are held in memory at a time.
_NUMBERS = 3_000_000

# Sides of loops are compared by an estimate from so many operations on, and one is out of question that takes so many
# times as many as another.
_WORTH_ESTIMATING, _CLEARLY = 1000, 1.1


@dataclass(frozen=True, eq=False)
class Side:
    """Kernels with the loops written on one side, rows chosen, and closed configurations (n, nq) regular there.

    Orders are planned on `samples`; `far` are more of them, all over the branch, for which pivots must be watched.
    """

    kernels: Kernels[Setup]
    samples: np.ndarray
    far: np.ndarray

    @property
    def setup(self) -> Setup:
        return self.kernels.setup


@dataclass(frozen=True)
class PlannedRows:
    """The sides on which loops are written, and the closure rows that are kept there, None for all."""

    flipped: tuple[bool, ...]
    kept: tuple[int, ...] | None

    @staticmethod
    def of(setup: Setup) -> PlannedRows:
        """Those of a setup."""
        return PlannedRows(setup.closure.flipped, setup.closure.kept)

    def on(self, setup: Setup) -> Setup:
        """A setup with its loops written so."""
        closure = closure_of(setup.mech, setup.simplified, self.flipped, setup.closure.released)
        return replace(setup, closure=replace(closure, kept=self.kept))


@dataclass(frozen=True, eq=False)
class SampledMatrices:
    """Square matrices as what is not zero of them: pattern (n, n), slots in the flat matrix, values (samples, k)."""

    pattern: np.ndarray
    slots: np.ndarray
    values: np.ndarray

    def join_samples(self, other: SampledMatrices) -> SampledMatrices:
        """These matrices and others of the same pattern."""
        return replace(self, values=np.concatenate([self.values, other.values]))

    def some(self, which: slice | np.ndarray) -> SampledMatrices:
        """Some of the matrices."""
        return replace(self, values=self.values[which])

    def dense(self) -> np.ndarray:
        """The matrices themselves, (samples, n, n)."""
        out = np.zeros((len(self.values), self.pattern.size))
        out[:, self.slots] = self.values
        return out.reshape(-1, *self.pattern.shape)

    @cached_property
    def grid(self) -> np.ndarray:
        """Matrix (n, n) whose entries are samples, each (samples,), for algorithms on any scalar."""
        out = np.full(self.pattern.size, 0.0, dtype=object)
        columns = dict(zip(self.slots.tolist(), self.values.T, strict=True))
        for slot in np.flatnonzero(self.pattern).tolist():
            out[slot] = columns.get(slot, np.zeros(len(self.values)))
        return out.reshape(self.pattern.shape)

    def times(self, x: np.ndarray) -> np.ndarray:
        """Products with a vector (n,), (samples, n)."""
        rows, columns = np.divmod(self.slots, len(x))
        out = np.zeros((len(self.values), len(x)))
        np.add.at(out.T, rows, (self.values * x[columns]).T)
        return out


@dataclass(frozen=True, eq=False)
class Verified:
    """An order, typical sizes of the pivots to watch (else 0), and the largest error in samples it accepted."""

    plan: Plan
    typical: tuple[float, ...]
    error: float


def _promising_sides(sides: tuple[Side, ...]) -> tuple[Side, ...]:
    """The sides that are planned on: all, or the one with the cheapest closure Jacobian where velocities are many."""
    if sides[0].setup.tree.nv < LARGE:
        return sides
    return (
        min(sides, key=lambda side: operation_count(side.kernels.program(closure_functions.closure_jacobian)).total),
    )


def plan_cheapest_side(closer: Kernels, sides: tuple[Side, ...], units: Units) -> KKTPlan:
    """Loop rows written on the cheapest side, and the order of the bordered matrix planned there.

    `closer` closes the loops, on any side.
    """
    promising = [_draft_elimination(side) for side in _promising_sides(sides)]
    candidates: list[tuple[bool, KKTPlan]] = []
    for drafts in _by_estimate(promising):
        for draft in drafts:
            side = draft.side
            done = verified_order(
                closer, side.kernels, closure_functions.kkt_matrix, side.samples, side.far, draft.plan
            )
            trial = KKTPlan(side.setup, done.plan, done.typical, units)
            candidates += [(done.error > PROMISED, each) for each in (trial, *_leg_by_leg(trial, side.samples))]
        if not all(bad for bad, _ in candidates):
            break
    good = [each for bad, each in candidates if not bad] or [each for _, each in candidates]
    return _least_operations(good, multiplier_functions.checked_forward_dynamics)


@dataclass(frozen=True, eq=False)
class _Draft:
    """A side with the first plan of its bordered matrix, and an estimate of the operations that it takes."""

    side: Side
    plan: Plan
    operations: int


def _draft_elimination(side: Side) -> _Draft:
    """Plan the elimination of the bordered matrix [M J_c^T; J_c 0] on a side at its samples, and estimate its cost."""
    pattern = side.kernels.pattern(closure_functions.kkt_matrix)
    base = SampledMatrices(
        pattern, *side.kernels.entries(closure_functions.kkt_matrix, _base_samples(side.kernels, pattern, side.samples))
    )
    plan = _plan_pivots(scale_symmetrically(base.dense()), pattern).plan
    matrix = operation_count(side.kernels.program(closure_functions.kkt_matrix)).total
    return _Draft(side, plan, matrix + _elimination_operations(plan))


def _elimination_operations(plan: Plan) -> int:
    """Estimate of the multiplications and additions of an elimination and a solution in the planned order."""
    sizes = [(len(pivot), len(rows)) for pivot, rows in zip(plan.pivots, plan.touched, strict=True)]
    return sum(m * n * n + n * m * (m + 1) + 3 * n * n + 4 * m * n for n, m in sizes)


def _by_estimate(drafts: list[_Draft]) -> list[list[_Draft]]:
    """The drafts to verify first, and those only where none of these is good.

    Verifying takes long where operations are many; there the estimate is good to some hundredths. What
    it does not know is how much is saved leg by leg.
    """
    least = min(draft.operations for draft in drafts)
    if least < _WORTH_ESTIMATING:
        return [drafts]
    first = [x for x in drafts if x.operations <= _CLEARLY * least or legs_and_platform(x.side.setup.closure)]
    return [first, [x for x in drafts if x not in first]]


def _least_operations(candidates: list[AnyStage], definition: Definition) -> AnyStage:
    """The stage on which a definition takes fewest operations; nothing is traced for a single one."""
    if len(candidates) == 1:
        return candidates[0]
    return min(candidates, key=lambda stage: operation_count(Kernels(stage).program(definition)).total)


def _leg_by_leg(planned: KKTPlan, samples: np.ndarray) -> list[KKTPlan]:
    """The same solved leg by leg, where the mechanism has legs and a platform and the results agree."""
    setup = planned.setup
    if legs_and_platform(setup.closure) is None:
        return []
    kernels = Kernels(setup)
    still, idle = np.zeros((len(samples), setup.tree.nv)), np.ones((len(samples), len(setup.drives)))
    with np.errstate(all="ignore"):
        a, dets = evaluate(kernels.program(multiplier_functions.legs_forward_dynamics), samples, still, idle)
    sizes = tuple(float(x) for x in np.median(np.abs(dets), axis=0))
    K = kernels.values(closure_functions.kkt_matrix, samples)
    b = evaluate(kernels.program(closure_functions.kkt_right_side), samples, still, idle)
    right = _pivoted_solutions(K, b)[:, : setup.tree.nv]
    error = np.abs(a - right).max(axis=1) / np.abs(right).max(axis=1)
    accepted = np.min(np.abs(dets) / sizes, axis=1) > ACCEPTED_LEG
    doubtful = accepted & ~(error < PROMISED)
    good = np.all(error[doubtful] < np.finfo(float).eps * np.linalg.cond(K[doubtful]))
    return [replace(planned, leg_sizes=sizes)] if good else []


def verified_order(
    closer: Kernels,
    kernels: Kernels,
    definition: Definition,
    samples: np.ndarray,
    far: np.ndarray | None = None,
    first: Plan | None = None,
) -> Verified:
    """An order for a symmetric matrix of the mechanism: planned, checked on all samples, re-planned with the worst.

    A pivot is watched when it becomes small in a sample or in one of the configurations `far`. `first` is the plan on
    the first samples, where it is known.
    """
    pattern, worst = kernels.pattern(definition), max(_FEWEST, round(_WORST * sample_share(kernels)))

    def matrix(q: np.ndarray) -> SampledMatrices:
        return SampledMatrices(pattern, *kernels.entries(definition, q))

    n_base = len(_base_samples(kernels, pattern, samples))
    known = matrix(samples)
    base = known.some(slice(n_base))
    for number in range(_ROUNDS):
        plan = (
            first if first is not None and not number else _plan_pivots(scale_symmetrically(base.dense()), pattern).plan
        )
        sizes = _pivot_magnitudes(known, plan)
        typical = tuple(float(x) for x in _typical_pivot_sizes(sizes))
        hard = _adversarial_configurations(
            closer, matrix, plan, typical, samples[np.argsort(_smallest_pivot_ratio(sizes, typical))[:worst]]
        )
        K = known.join_samples(matrix(hard))
        error, sizes = _solve_errors(K, plan)
        error = error * (_accepted_share(sizes, typical) > ACCEPTED)
        if error.max() < PROMISED:
            break
        base = base.join_samples(K.some(np.argsort(error)[-worst:]))
    sizes = sizes if far is None else np.hstack([sizes, _pivot_magnitudes(matrix(far), plan)])
    smallest = np.nan_to_num(sizes / np.array(typical)[:, None]).min(axis=1)
    watched = tuple(t if least < STEADY_PIVOT else 0.0 for t, least in zip(typical, smallest, strict=True))
    return Verified(plan, watched, float(error.max()))


def _base_samples(kernels: Kernels, pattern: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """The samples that a first plan of matrices of a pattern is made on."""
    if not len(samples):
        raise AssemblyError(
            f"no closed configuration of mechanism '{kernels.setup.mech.name}' was found to plan its equations at; "
            "check lengths and units: numbers of very different size leave none"
        )
    return samples[: min(_BASE, max(_FEWEST, _NUMBERS // max(pattern.size, 1)))]


def _plan_pivots(K: np.ndarray, pattern: np.ndarray) -> SymmetricOrderChoice:
    """Single pivots when they are stable enough; pairs, for light or massless legs, when they are not."""
    single = choose_pivot_order(K, pattern, threshold=STABLE_PIVOT, pairs=False)
    if single.growth > DOUBTFUL_PIVOT:
        return single
    double = choose_pivot_order(K, pattern, threshold=0.05, pairs=True)
    return double if double.growth > single.growth else single


def _pivot_magnitudes(K: SampledMatrices, plan: Plan) -> np.ndarray:
    """Magnitudes of the pivots, (pivots, samples)."""
    with np.errstate(all="ignore"):
        return np.abs(np.array(factor_in_order(K.grid, plan).sizes))


def _smallest_pivot_ratio(sizes: np.ndarray, typical: tuple[float, ...]) -> np.ndarray:
    """Smallest pivot of each sample relative to its typical size; `sizes` of the pivots, (pivots, samples)."""
    return np.nan_to_num(np.min(sizes / np.array(typical)[:, None], axis=0))


def _accepted_share(sizes: np.ndarray, typical: tuple[float, ...]) -> np.ndarray:
    """The share by which each sample is accepted."""
    return np.nan_to_num(np.broadcast_to(small_pivot_share(list(sizes), typical), sizes.shape[1]))


def _solve_errors(K: SampledMatrices, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Errors of a solve by the plan (samples,), those that pivoting could not avoid either taken off; pivot sizes."""
    x = np.cos(np.arange(1.0, len(K.pattern) + 1.0))
    b, right = K.times(x), np.empty(len(x), dtype=object)
    right[:] = list(b.T)
    with np.errstate(all="ignore"):
        f = factor_in_order(K.grid, plan)
        error = np.abs(np.array(list(solve_factored(f, right))) - x[:, None]).max(axis=0)
    at_once = max(1, _NUMBERS // K.pattern.size)
    parts = [slice(i, i + at_once) for i in range(0, len(b), at_once)]
    unavoidable = np.concatenate([np.abs(_pivoted_solutions(K.some(i).dense(), b[i]) - x).max(axis=1) for i in parts])
    left = np.maximum(np.where(np.isfinite(error), error, 1e300) - 100.0 * unavoidable, 0.0)
    return left, np.abs(np.array(f.sizes))


def _pivoted_solutions(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solutions with pivoting; zeros for a singular matrix, whose error is then all unavoidable."""
    try:
        return np.linalg.solve(K, b[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        return least_norm(K, b, ROUNDED_AWAY)


def _adversarial_configurations(
    closer: Kernels, matrix: Callable[..., SampledMatrices], plan: Plan, typical: tuple[float, ...], start: np.ndarray
) -> np.ndarray:
    """Closed configurations that drive pivots to zero: steps of all sizes from the worst known, kept where worse."""
    setup = closer.setup
    scale = scales_of_mechanism(setup.mech, setup.closure)
    rng = np.random.default_rng(1)
    q, ratio, seen = np.array(start), _smallest_pivot_ratio(_pivot_magnitudes(matrix(start), plan), typical), [start]
    for size in (0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8):
        dv = size * rng.normal(size=(len(q), setup.tree.nv)) * scale.speeds
        moved = close_all(closer, closer.function(closure_functions.advanced)(q, dv))
        good = (moved.gap < CLOSED) & right_way_round(closer, moved.q)
        trial = np.where(good[:, None], moved.q, q)
        new = _smallest_pivot_ratio(_pivot_magnitudes(matrix(trial), plan), typical)
        better = new < ratio
        q, ratio = np.where(better[:, None], trial, q), np.where(better, new, ratio)
        seen.append(q)
    return np.concatenate(seen)


def cheapest_partition(sides: tuple[Side, ...], independent: tuple[int, ...]) -> VelocityPartitionPlan:
    """Loop rows on the side on which motions cost least, and the order of the dependent velocities planned there."""
    trials = [
        VelocityPartitionPlan(s.setup, order_dependent_columns(s.kernels, s.samples, independent))
        for s in _promising_sides(sides)
    ]
    return _least_operations(trials, minimal_functions.checked_motion) if independent else trials[0]


def order_dependent_columns(kernels: Kernels, samples: np.ndarray, independent: tuple[int, ...]) -> Partition:
    """An order for the columns of J_c that belong to the dependent velocities."""
    setup = kernels.setup
    scale = scales_of_mechanism(setup.mech, setup.closure)
    J = kernels.values(closure_functions.closure_jacobian, samples) / scale.rows[:, None] * scale.speeds
    dependent = [i for i in range(setup.tree.nv) if i not in independent]
    pattern = kernels.pattern(closure_functions.closure_jacobian)[:, dependent]
    plan = choose_square(J[:, :, dependent], pattern).plan
    return Partition(independent, tuple(dependent), plan)


def partition_sizes(division: VelocityPartitionPlan, samples: np.ndarray) -> tuple[float, ...]:
    """Typical sizes of the pivots of the dependent speeds and of the minimal inertia; all of them are watched.

    A pivot of the closure Jacobian that is small nearly everywhere is measured by the mechanism's units instead.
    """
    setup, part = division.setup, division.partition
    scale = scales_of_mechanism(setup.mech, setup.closure)
    units = [scale.rows[r] / scale.speeds[part.dependent[c]] for r, c in part.plan.pivots]
    floor = DOUBTFUL_PIVOT * np.array(units + [0.0] * len(part.independent))
    with np.errstate(all="ignore"):
        pivots = np.abs(evaluate(Kernels(division).program(minimal_functions.minimal_pivots), samples))
    return tuple(float(t) for t in np.maximum(_typical_pivot_sizes(pivots.T), floor))


def _typical_pivot_sizes(pivots: np.ndarray) -> np.ndarray:
    """Median sizes of pivots (pivots, samples) over the samples in which every pivot is a number."""
    return np.median(pivots[:, np.isfinite(pivots).all(axis=0)], axis=1)


def cheapest_efforts(sides: tuple[Side, ...], units: Units) -> InverseDynamicsPlan:
    """Loop rows on the side that makes exact efforts cheapest, and their order planned there."""
    trials = []
    for side in _promising_sides(sides):
        plan, sizes = effort_plan(side.kernels, closure_functions.effort_system, side.samples, side.far)
        trials.append(InverseDynamicsPlan(side.setup, plan, sizes, units))
    return _least_operations(trials, multiplier_functions.checked_efforts)


def cheapest_hybrid(sides: tuple[Side, ...], undriven: Undriven) -> HybridDynamicsPlan:
    """The same for the efforts of the driven freedoms, the others left free."""
    trials = []
    for side in _promising_sides(sides):
        reduced = ReducedEffortPlan(side.setup, undriven)
        plan, sizes = effort_plan(Kernels(reduced), multiplier_functions.reduced_effort_system, side.samples, side.far)
        trial = HybridDynamicsPlan(reduced, plan, sizes)
        if undriven.heavy:
            pivots, inertias = _undriven_pivots(trial, side.samples)
            everywhere = np.hstack([pivots, _undriven_pivots(trial, side.far)[0]])
            watched = _watched_pivot_sizes(
                everywhere, np.maximum(_typical_pivot_sizes(pivots), SUNK_PIVOT * _typical_pivot_sizes(inertias))
            )
            trial = replace(trial, reduced=replace(reduced, undriven=replace(undriven, sizes=watched)))
        trials.append(trial)
    return _least_operations(trials, multiplier_functions.checked_hybrid_efforts)


def _undriven_pivots(planned: HybridDynamicsPlan, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pivots and diagonal of the inertia of undriven motions, each (n, samples)."""
    with np.errstate(all="ignore"):
        both = np.abs(evaluate(Kernels(planned).program(multiplier_functions.undriven_pivots), samples))
    return both[:, 0].T, both[:, 1].T


def effort_plan(
    kernels: Kernels, definition: Definition, samples: np.ndarray, far: np.ndarray
) -> tuple[SquarePlan, tuple[float, ...]]:
    """An order for the square matrix [B J_c^T], and typical sizes of the pivots to watch there or far away (else 0)."""
    X = kernels.values(definition, samples)
    if not X.size:
        return SquarePlan((), (), ()), ()
    size = np.median(np.abs(X), axis=0).max(axis=1)
    plan = choose_square(X / np.where(size > 0, size, 1.0)[:, None], kernels.pattern(definition)).plan
    pivots = _square_sizes(X, plan)
    everywhere = np.hstack([pivots, _square_sizes(kernels.values(definition, far), plan)])
    floor = np.array([DOUBTFUL_PIVOT * size[r] for r, _ in plan.pivots])
    return plan, _watched_pivot_sizes(everywhere, np.maximum(_typical_pivot_sizes(pivots), floor))


def square_plan(X: np.ndarray, pattern: np.ndarray, speeds: np.ndarray) -> tuple[SquarePlan, tuple[float, ...]]:
    """An order for square matrices (samples, n, n) with columns of given units, and typical sizes of all pivots."""
    scaled_X = X * speeds
    size = np.median(np.abs(scaled_X), axis=0).max(axis=1)
    plan = choose_square(scaled_X / np.where(size > 0, size, 1.0)[:, None], pattern).plan
    floor = np.array([DOUBTFUL_PIVOT * size[r] / speeds[c] for r, c in plan.pivots])
    return plan, tuple(float(t) for t in np.maximum(_typical_pivot_sizes(_square_sizes(X, plan)), floor))


def _square_sizes(X: np.ndarray, plan: SquarePlan) -> np.ndarray:
    """Magnitudes of the pivots of square matrices (samples, n, n), (pivots, samples)."""
    with np.errstate(all="ignore"):
        return np.abs([np.broadcast_to(p, len(X)) for p in factor_lu(np.moveaxis(X, 0, -1), plan).sizes])


def _watched_pivot_sizes(pivots: np.ndarray, typical: np.ndarray) -> tuple[float, ...]:
    """Typical sizes of the pivots (pivots, samples) that become small in some samples, 0 for the others."""
    least = np.nan_to_num(pivots).min(axis=1)
    return tuple(float(t) if x < STEADY_PIVOT * t else 0.0 for x, t in zip(least, typical, strict=True))
