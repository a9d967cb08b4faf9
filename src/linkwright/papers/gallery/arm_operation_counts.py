"""Exact operation counts for general serial arms, as Tables 1 and 2 of Saha 1999 count them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import operation_count, trace
from linkwright.dataclass import dataclass
from linkwright.formats import dh
from linkwright.mechanism import Inertia
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import Tree, group_inertial_parameters, spanning_tree
from linkwright.recursion.forward_recursion import (
    composite_forward_dynamics,
    factor_udu,
    outward_speeds,
    tree_forward_dynamics,
    udu_solve,
)
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics

SIZES = range(3, 31)


def solution_without_bias(tree: Tree, q: Vec, v: Vec, force: Vec) -> Vec:
    """Accelerations from forces already freed of the bias: inertia by composite bodies, elimination, solution."""
    order = outward_speeds(tree)
    return udu_solve(*factor_udu(tree_mass_matrix(tree, q), order), force, order)


METHODS: dict[str, Callable[..., Any]] = {
    "inverse dynamics": tree_inverse_dynamics,
    "UDU^T sweeps incl. bias": tree_forward_dynamics,
    "composite bodies incl. bias": composite_forward_dynamics,
    "composite bodies without bias": solution_without_bias,
}
INVERSE, SWEEPS, COMPOSITE, SOLUTION = METHODS
DEGREE = {INVERSE: 1, SWEEPS: 1, COMPOSITE: 3, SOLUTION: 3}


@dataclass(frozen=True)
class Cost:
    """Multiplications and divisions M, additions and subtractions A, sines and cosines."""

    M: int
    A: int
    trig: int

    @property
    def total(self) -> int:
        return self.M + self.A


Measured = dict[tuple[str, bool], dict[int, Cost]]


def generic_arm(n: int) -> Tree:
    """n revolute joints with arbitrary a, b, alpha, masses and full inertias under gravity in any direction."""
    rng = np.random.default_rng(1999)
    rows = [_generic_row(rng) for _ in range(n)]
    x, y, z = rng.normal(size=3)
    return spanning_tree(dh.arm_from_standard_dh(rows, gravity=(x, y, z)))


def _generic_row(rng: np.random.Generator) -> dh.Row:
    root = 0.1 * rng.normal(size=(3, 3))
    Sigma = root @ root.T
    tensor = np.trace(Sigma) * np.eye(3) - Sigma
    a, b, alpha = rng.uniform(0.2, 1.2, 3)
    com: Any = tuple(rng.uniform(-0.2, 0.2, 3))
    rows: Any = tuple(map(tuple, tensor))
    return dh.Row(a=a, b=b, alpha=alpha, inertia=Inertia(float(rng.uniform(0.5, 2.0)), com, rows))


def cost_of_call(method: str, n: int, grouping: bool) -> Cost:
    """Cost of one call for the general arm of n joints, the link frames chosen by `align_link_frames`."""
    tree = align_link_frames(generic_arm(n))
    tree = group_inertial_parameters(tree) if grouping else tree
    program = trace(lambda q, v, x: METHODS[method](tree, q, v, x), {"q": n, "v": n, "x": n})
    count = operation_count(program)
    return Cost(count.mul + count.div, count.add, count.trig)


def measure_costs(sizes: Iterable[int] = SIZES) -> Measured:
    """The cost of every method, with and without grouping, for every size."""
    sizes = list(sizes)
    return {(method, g): {n: cost_of_call(method, n, g) for n in sizes} for method in METHODS for g in (True, False)}


def interpolating_polynomial(values: dict[int, int], degree: int) -> list[Fraction]:
    """Coefficients (constant first) of the polynomial through the first values; every other value must lie on it."""
    points = sorted(values)[: degree + 1]
    matrix = [[Fraction(n) ** k for k in range(degree + 1)] for n in points]
    coefficients = _solve_exactly(matrix, [Fraction(values[n]) for n in points])
    off = {n: value for n, value in values.items() if polynomial_value(coefficients, n) != value}
    if off:
        raise ValueError(f"the counts do not follow a polynomial of degree {degree}: {off}")
    return coefficients


def _solve_exactly(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def polynomial_value(coefficients: list[Fraction], n: int) -> Fraction:
    """The polynomial's value."""
    return sum((c * n**k for k, c in enumerate(coefficients)), Fraction(0))


def cost_formulas(costs: dict[int, Cost], degree: int) -> list[list[Fraction]]:
    """Exact formulas of M, A and the trigonometric functions over n."""
    return [
        interpolating_polynomial({n: getattr(c, part) for n, c in costs.items()}, degree) for part in ("M", "A", "trig")
    ]


def extend_counts(few: Measured, sizes: Iterable[int] = SIZES) -> Measured:
    """Counts at further sizes by the exact formulas of those measured."""
    out: Measured = {}
    for key, costs in few.items():
        found = cost_formulas(costs, DEGREE[key[0]])
        out[key] = {n: Cost(*(int(polynomial_value(formula, n)) for formula in found)) for n in sizes}
    return out


def first_cheaper(counts: Measured, grouping: bool, part: str) -> int | None:
    """The smallest n from which the UDU^T sweeps cost less than composite bodies, for every larger n."""
    sweeps, composite = counts[SWEEPS, grouping], counts[COMPOSITE, grouping]
    dearer = [n for n in sweeps if getattr(sweeps[n], part) >= getattr(composite[n], part)]
    later = [n for n in sweeps if n > max(dearer, default=0)]
    return min(later, default=None)
