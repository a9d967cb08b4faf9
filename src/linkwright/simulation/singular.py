"""Singularities met on the way: which kind, and other independent speeds to go on in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.results.series import Event
from linkwright.simulation.problem import Problem, coordinates_of_speeds, machine_of, minimal_problem

# Where the determinant vanishes the constraint's smallest singular value is either as small as the interpolant's error,
# or far larger. A state whose loops are open by a gap is as far from a closed singular one as the root of the gap:
# there the loops' equations meet like curves that touch.
TRUE_SINGULARITY = 1e-5

# A determinant above this share of its usual size is far from zero.
FAR = 1e-3
TYPE_2 = 1e-5
_POOR = 0.2


@dataclass(frozen=True)
class Passage:
    """A singularity passed at time t: whether the loops' equations themselves lose rank, and what to note."""

    t: float
    true: bool
    event: Event | None


def size(problem: Problem, q: np.ndarray) -> float:
    """Magnitude of the determinant that is watched."""
    assert problem.watched is not None
    return abs(float(problem.watched.function("closure_determinant")(q)[0]))


def usual_size(problem: Problem) -> float:
    """The usual magnitude of that determinant: its median over the machine's own samples."""
    if problem.watched is None:
        return 0.0
    known = problem.model.__dict__.setdefault("_usual", [])
    if not known:
        samples = machine_of(problem.model).branch_samples
        known.append(float(np.nanmedian(np.abs(problem.watched.function("closure_determinant")(samples)))))
    return known[0]


def passage(problem: Problem, q: np.ndarray, t: float, usual: float) -> Passage:
    """What kind of singularity the coordinates q at time t are; none while the determinant is near its usual size."""
    if size(problem, q) > FAR * usual:
        return Passage(t, False, None)
    least = loosest(problem, q)
    if least < max(TRUE_SINGULARITY, math.sqrt(gap(problem, q))):
        text = (
            f"the loops' equations lose rank (smallest singular value {least:.1e} of the largest), "
            "so the motion may branch"
        )
        return Passage(t, True, Event(t, "singularity", "constraint", text))
    if driven(problem) and size(problem, q) < TYPE_2 * usual:
        return Passage(t, False, type_2(t))
    return Passage(t, False, None)


def type_2(t: float) -> Event:
    """The loss of the actuators' hold at time t."""
    return Event(t, "singularity", "type2", "the actuators lose hold of the platform (type 2)")


def loosest(problem: Problem, q: np.ndarray) -> float:
    """Smallest singular value of the loops' equations, of those that count, relative to the largest."""
    machine = machine_of(problem.model)
    J = machine.open.function("closure_jacobian")(q) / machine.scales.rows[:, None] * machine.scales.speeds
    values = np.linalg.svd(J, compute_uv=False)[: machine.rank.rank]
    return float(values[-1] / values[0])


def gap(problem: Problem, q: np.ndarray) -> float:
    """Largest gap of the loops, in the machine's own units."""
    machine = machine_of(problem.model)
    return float(np.abs(machine.open.function("closure_residual")(q) / machine.scales.rows).max())


def driven(problem: Problem) -> bool:
    """Whether the determinant that is watched is that of the actuators."""
    assert problem.watched is not None
    setup = problem.watched.setup
    speeds = {drive.speed for drive in setup.drives}
    return setup.plans.partition is not None and speeds == set(setup.plans.partition.independent)


def determinant(problem: Problem, q: np.ndarray) -> float:
    """Determinant of the dependent columns of the state's own partition."""
    assert problem.partitioned is not None
    return float(problem.partitioned.function("closure_determinant")(q)[0])


def other_independents(problem: Problem, q: np.ndarray) -> Problem | None:
    """The problem in the best independent speeds at q; None when the present will do."""
    machine = machine_of(problem.model)
    J = machine.open.function("closure_jacobian")(q) / machine.scales.rows[:, None] * machine.scales.speeds
    allowed = coordinates_of_speeds(problem.model) if problem.solves else range(problem.model.nv)
    best = best_set(J, problem.ns, tuple(allowed))
    present = tuple(problem.independent or ())
    if sorted(best) == sorted(present) or condition(J, present) > _POOR * condition(J, best):
        return None
    try:
        return minimal_problem(problem.model, best, problem.solves)
    except LinkwrightError:
        return None


def best_set(J: np.ndarray, n: int, allowed: tuple[int, ...]) -> tuple[int, ...]:
    """The n speeds, of those allowed, best left independent: a pivoted elimination takes their columns last."""
    from scipy.linalg import qr

    others = [i for i in range(J.shape[1]) if i not in allowed]
    base, _ = qr(J[:, others], mode="economic") if others else (np.zeros((len(J), 0)), None)
    left = J[:, list(allowed)] - base @ (base.T @ J[:, list(allowed)])
    _, _, order = qr(left, pivoting=True, mode="economic")
    return tuple(sorted(allowed[i] for i in order[len(allowed) - n :]))


def condition(J: np.ndarray, independent: tuple[int, ...]) -> float:
    """Smallest singular value, of those that count, of the dependent columns, relative to the largest of all."""
    rest = [i for i in range(J.shape[1]) if i not in independent]
    values = np.linalg.svd(J[:, rest], compute_uv=False)
    return float(values[len(rest) - 1] / values[0]) if len(values) >= len(rest) and values[0] > 0 else 0.0
