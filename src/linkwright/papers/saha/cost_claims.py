"""Saha 1999, Tables 1 and 2: operations of the published algorithms, set beside those of our traced programs."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from linkwright.papers.gallery.arm_operation_counts import (
    COMPOSITE,
    INVERSE,
    SWEEPS,
    Cost,
    Measured,
    cost_of_call,
    extend_counts,
    first_cheaper,
    polynomial_value,
)
from linkwright.papers.gallery.claim_records import Computed

TABLE_1 = {
    "Hollerbach": ((-277, 412), (-201, 320)),
    "Luh": ((-48, 150), (48, 131)),
    "Walker-Orin": ((-22, 137), (-11, 101)),
    "proposed": ((-44, 120), (-55, 97)),
    "Khalil": ((-92, 105), (-86, 94)),
    "Angeles": ((-109, 105), (-105, 90)),
    "Balafoutis": ((-69, 93), (-65, 81)),
}
"""Formulas of M and A in n, constant first."""

PROPOSED = ([Fraction(-335), Fraction(201)], [Fraction(-361), Fraction(193)])
FEATHERSTONE = ([Fraction(-198), Fraction(199)], [Fraction(-173), Fraction(174)])
WALKER_ORIN = (
    [Fraction(-47), Fraction(115, 3), Fraction(23, 2), Fraction(1, 6)],
    [Fraction(-46), Fraction(233, 6), Fraction(7), Fraction(1, 6)],
)
_TRACED = range(3, 9)


@cache
def our_operation_counts() -> Measured:
    """Our counts by their exact formulas, from programs traced for few joints."""
    methods = (INVERSE, SWEEPS, COMPOSITE)
    return extend_counts({(method, True): {n: cost_of_call(method, n, True) for n in _TRACED} for method in methods})


def _printed_table_1() -> list[float]:
    """Values of the formulas of Table 1 at n = 6, row by row."""
    return [float(polynomial_value([Fraction(c) for c in formula], 6)) for row in TABLE_1.values() for formula in row]


def _cost_of_six_joints(method: str) -> Cost:
    return our_operation_counts()[method, True][6]


def _paper_crossover() -> float:
    """First n from which the paper's own row needs fewer operations than Walker and Orin's, by the formulas."""
    sizes = range(6, 31)
    dearer = [n for n in sizes if _total_operations(PROPOSED, n) >= _total_operations(WALKER_ORIN, n)]
    return float(max(dearer) + 1)


def _total_operations(formulas: tuple[list[Fraction], list[Fraction]], n: int) -> Fraction:
    return polynomial_value(formulas[0], n) + polynomial_value(formulas[1], n)


def _our_crossover() -> float:
    return float(first_cheaper(our_operation_counts(), True, "total") or 0)


COMPUTE: Computed = {
    "S10-table1": _printed_table_1,
    "S10-table2": lambda: [float(polynomial_value(f, 6)) for pair in (PROPOSED, WALKER_ORIN) for f in pair],
    "S10-table2-second": lambda: [
        float(polynomial_value(f, 12)) for pair in (PROPOSED, FEATHERSTONE, WALKER_ORIN) for f in pair
    ],
    "S10-inverse": lambda: _cost_of_six_joints(INVERSE).M,
    "S10-inverse-additions": lambda: _cost_of_six_joints(INVERSE).A,
    "S10-linear": lambda: (
        our_operation_counts()[INVERSE, True][12].total - our_operation_counts()[INVERSE, True][11].total
    ),
    "S10-forward": lambda: _cost_of_six_joints(COMPOSITE).total,
    "S10-crossover": _paper_crossover,
    "S10-our-crossover": _our_crossover,
}
"""Our numbers for every claim, by its name."""
