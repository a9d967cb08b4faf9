"""Exact operation counts for general serial arms, set beside Tables 1 and 2 of Saha 1999.

`python -m benchmarks.operation_counts` traces the recursions for arms of 3 to 30 revolute joints, prints the tables and
writes docs/operation_counts.md. A test regenerates the page and compares.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from linkwright.papers.gallery.arm_operation_counts import (
    COMPOSITE,
    DEGREE,
    INVERSE,
    METHODS,
    SOLUTION,
    SWEEPS,
    Cost,
    Measured,
    cost_formulas,
    cost_of_call,
    extend_counts,
    first_cheaper,
    generic_arm,
    interpolating_polynomial,
    measure_costs,
    polynomial_value,
)

__all__ = ["Cost", "cost_of_call", "extend_counts", "generic_arm", "interpolating_polynomial"]

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "operation_counts.md"


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

General serial arms with n revolute joints: arbitrary DH parameters a, b, alpha, full inertia tensors, mass centers
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
        lines.append(f"| {name} | {text(M)} | {text(A)} | {polynomial_value(M, 6)} M {polynomial_value(A, 6)} A |")
    return lines + [_our_row(counts, INVERSE, g, (6,)) for g in (False, True)]


def table_2(counts: Measured) -> list[str]:
    lines = ["## Forward dynamics (Table 2)", "", "| algorithm | M | A | n = 6 | n = 12 |", "|---|---|---|---|---|"]
    for name, row in published()["formulas"]["forward (cubic: c3,c2,c1,c0)"].items():
        M, A = ([Fraction(c) for c in reversed(row[x])] for x in "MA")
        at_sizes = " | ".join(f"{polynomial_value(M, n)} M {polynomial_value(A, n)} A" for n in (6, 12))
        lines.append(f"| {name} | {text(M)} | {text(A)} | {at_sizes} |")
    return lines + [
        _our_row(counts, method, g, (6, 12)) for method in (SWEEPS, COMPOSITE, SOLUTION) for g in (False, True)
    ]


def _our_row(counts: Measured, method: str, grouping: bool, sizes: tuple[int, ...]) -> str:
    costs = counts[method, grouping]
    M, A, _ = cost_formulas(costs, DEGREE[method])
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
    content = page(measure_costs())
    PAGE.write_text(content, encoding="utf-8", newline="\n")
    print(content)


if __name__ == "__main__":
    main()
