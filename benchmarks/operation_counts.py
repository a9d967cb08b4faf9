"""Exact operation counts for general serial arms, set beside Tables 1 and 2 of Saha 1999.

`python -m benchmarks.operation_counts` traces the recursions for arms of 3 to 30 revolute joints, prints the tables and
writes docs/operation_counts.md. A test regenerates the page and compares.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import operation_count, trace
from linkwright.formats import dh
from linkwright.mechanism import Inertia
from linkwright.mechanism.alignment import aligned
from linkwright.mechanism.grouping import grouped
from linkwright.mechanism.tree import Tree, spanning_tree
from linkwright.recursion.factor import outward_speeds, udu, udu_solve
from linkwright.recursion.forward import forward_dynamics, forward_dynamics_composite
from linkwright.recursion.inertia import generalized_inertia
from linkwright.recursion.inverse import inverse_dynamics

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "operation_counts.md"
SIZES = range(3, 31)


def solution_without_bias(tree: Tree, q: Vec, v: Vec, force: Vec) -> Vec:
    """Accelerations from forces already freed of the bias: inertia by composite bodies, elimination, solution."""
    order = outward_speeds(tree)
    return udu_solve(*udu(generalized_inertia(tree, q), order), force, order)


METHODS: dict[str, Callable[..., Any]] = {
    "inverse dynamics": inverse_dynamics,
    "UDU^T sweeps incl. bias": forward_dynamics,
    "composite bodies incl. bias": forward_dynamics_composite,
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
    return spanning_tree(dh.standard(rows, gravity=(x, y, z)))


def _generic_row(rng: np.random.Generator) -> dh.Row:
    root = 0.1 * rng.normal(size=(3, 3))
    Sigma = root @ root.T
    tensor = np.trace(Sigma) * np.eye(3) - Sigma
    a, b, alpha = rng.uniform(0.2, 1.2, 3)
    com = tuple(rng.uniform(-0.2, 0.2, 3))
    return dh.Row(a=a, b=b, alpha=alpha, inertia=Inertia(float(rng.uniform(0.5, 2.0)), com, tuple(map(tuple, tensor))))


def cost(method: str, n: int, grouping: bool) -> Cost:
    """What one call costs for the general arm of n joints, the link frames chosen by `aligned`."""
    tree = aligned(generic_arm(n))
    tree = grouped(tree) if grouping else tree
    program = trace(lambda q, v, x: METHODS[method](tree, q, v, x), {"q": n, "v": n, "x": n})
    count = operation_count(program)
    return Cost(count.mul + count.div, count.add, count.trig)


def measured(sizes: Iterable[int] = SIZES) -> Measured:
    """The cost of every method, with and without grouping, for every size."""
    sizes = list(sizes)
    return {(method, g): {n: cost(method, n, g) for n in sizes} for method in METHODS for g in (True, False)}


def polynomial(values: dict[int, int], degree: int) -> list[Fraction]:
    """Coefficients (constant first) of the polynomial through the first values; every other value must lie on it."""
    points = sorted(values)[: degree + 1]
    matrix = [[Fraction(n) ** k for k in range(degree + 1)] for n in points]
    coefficients = _solved(matrix, [Fraction(values[n]) for n in points])
    off = {n: value for n, value in values.items() if at(coefficients, n) != value}
    if off:
        raise ValueError(f"the counts do not follow a polynomial of degree {degree}: {off}")
    return coefficients


def _solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def at(coefficients: list[Fraction], n: int) -> Fraction:
    """The polynomial's value."""
    return sum((c * n**k for k, c in enumerate(coefficients)), Fraction(0))


def formulas(costs: dict[int, Cost], degree: int) -> list[list[Fraction]]:
    """Exact formulas of M, A and the trigonometric functions over n."""
    return [polynomial({n: getattr(c, part) for n, c in costs.items()}, degree) for part in ("M", "A", "trig")]


def extended(few: Measured, sizes: Iterable[int] = SIZES) -> Measured:
    """Counts at further sizes by the exact formulas of those measured."""
    out: Measured = {}
    for key, costs in few.items():
        found = formulas(costs, DEGREE[key[0]])
        out[key] = {n: Cost(*(int(at(formula, n)) for formula in found)) for n in sizes}
    return out


def first_cheaper(counts: Measured, grouping: bool, part: str) -> int | None:
    """The smallest n from which the UDU^T sweeps cost less than composite bodies, for every larger n."""
    sweeps, composite = counts[SWEEPS, grouping], counts[COMPOSITE, grouping]
    dearer = [n for n in sweeps if getattr(sweeps[n], part) >= getattr(composite[n], part)]
    later = [n for n in sweeps if n > max(dearer, default=0)]
    return min(later, default=None)


def published() -> dict[str, Any]:
    """Tables 1 and 2 of the paper, from the case file."""
    return json.loads((ROOT / "tests" / "data" / "saha_opcounts.json").read_text(encoding="utf-8"))


def text(coefficients: list[Fraction]) -> str:
    """A polynomial in n as people write it; its leading coefficient is positive."""
    powers = ("", " n", " n^2", " n^3")
    terms = [(c, power) for c, power in zip(coefficients, powers, strict=False) if c]
    signed = [f"{'-' if c < 0 else '+'} {abs(c)}{power}" for c, power in reversed(terms)]
    return " ".join(signed).removeprefix("+ ")


def page(counts: Measured) -> str:
    """The committed page."""
    return "\n".join([HEAD, *table_1(counts), "", *table_2(counts), "", *crossover(counts), "", *by_size(counts), ""])


HEAD = """# Operation counts

Written by `python -m benchmarks.operation_counts`; a test regenerates this page and compares.

General serial arms with n revolute joints: arbitrary DH parameters a, b, alpha, full inertia tensors, mass centres
anywhere, gravity in any direction. M counts multiplications and divisions, A additions and subtractions, as the paper
does. Our counts are those of the traced program, exact and including everything from joint angles to forces or
accelerations, except the 2 n sines and cosines, which no row includes (without bias: 2 n - 2). Link frames are chosen
by `aligned`; *grouped* means
inertial parameters folded towards the base (`grouped`, the default). Other rows: S. K. Saha, "Dynamics of Serial
Multibody Systems Using the DeNOC Matrices", ASME J. Appl. Mech. 66 (1999) 986-996, Tables 1 and 2; additions of Walker
and Orin at n = 6 by the printed formula (475; the table prints 480). Their forward row costs less than their own
inverse dynamics, which the bias takes (800 M 595 A), so it cannot include the bias; our rows *without bias* compare
with it.
"""


def table_1(counts: Measured) -> list[str]:
    lines = ["## Inverse dynamics (Table 1)", "", "| algorithm | M | A | n = 6 |", "|---|---|---|---|"]
    for name, row in published()["formulas"]["inverse (linear: c1 n + c0)"].items():
        M, A = ([Fraction(c) for c in reversed(row[x])] for x in "MA")
        lines.append(f"| {name} | {text(M)} | {text(A)} | {at(M, 6)} M {at(A, 6)} A |")
    return lines + [_our_row(counts, INVERSE, g, (6,)) for g in (False, True)]


def table_2(counts: Measured) -> list[str]:
    lines = ["## Forward dynamics (Table 2)", "", "| algorithm | M | A | n = 6 | n = 12 |", "|---|---|---|---|---|"]
    for name, row in published()["formulas"]["forward (cubic: c3,c2,c1,c0)"].items():
        M, A = ([Fraction(c) for c in reversed(row[x])] for x in "MA")
        at_sizes = " | ".join(f"{at(M, n)} M {at(A, n)} A" for n in (6, 12))
        lines.append(f"| {name} | {text(M)} | {text(A)} | {at_sizes} |")
    return lines + [
        _our_row(counts, method, g, (6, 12)) for method in (SWEEPS, COMPOSITE, SOLUTION) for g in (False, True)
    ]


def _our_row(counts: Measured, method: str, grouping: bool, sizes: tuple[int, ...]) -> str:
    costs = counts[method, grouping]
    M, A, _ = formulas(costs, DEGREE[method])
    name = f"linkwright, {method}, {'grouped' if grouping else 'not grouped'}"
    at_sizes = " | ".join(f"**{costs[n].M} M {costs[n].A} A**" for n in sizes)
    return f"| **{name}** | {text(M)} | {text(A)} | {at_sizes} |"


def crossover(counts: Measured) -> list[str]:
    lines = ["## UDU^T sweeps against composite bodies", ""]
    for g in (True, False):
        M, A, total = (first_cheaper(counts, g, part) for part in ("M", "A", "total"))
        lines.append(
            f"- {'grouped' if g else 'not grouped'}: the sweeps need fewer operations than composite bodies with "
            f"explicit elimination from n = {total} on (multiplications alone: n = {M}, additions alone: n = {A})."
        )
    return lines


def by_size(counts: Measured) -> list[str]:
    keys = [(method, g) for method in METHODS for g in (True, False)]
    titles = [f"{method}{'' if g else ', not grouped'}" for method, g in keys]
    lines = ["## Every size", "", "| n | " + " | ".join(titles) + " |", "|---" * (len(keys) + 1) + "|"]
    for n in counts[INVERSE, True]:
        lines.append(f"| {n} | " + " | ".join(f"{counts[k][n].M} M {counts[k][n].A} A" for k in keys) + " |")
    return lines


def main() -> None:
    """Print the tables and write the page."""
    content = page(measured())
    PAGE.write_text(content, encoding="utf-8", newline="\n")
    print(content)


if __name__ == "__main__":
    main()
