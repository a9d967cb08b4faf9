"""Distances from singularities of type 1 and 2 by the gains (theory 6.29). In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native import Row, choose
from linkwright.kinematics.measures.measure_records import Work
from linkwright.numerics.tolerances import STRONG, WEAK

MEASURES = 6
INFINITE = float("inf")
UNKNOWN = float("nan")


def distances(w: Work, least: Row, most: Row, product: Row, seen: Row) -> None:
    """Type 1, type 2, condition and manipulability from the gains."""
    result = w.result
    weak = most
    strong = most
    if w.shape.tree == 0:
        weak = choose(most < 1.0, most, 1.0)
        weak = choose(weak > WEAK, weak, WEAK)
        strong = choose(least > 1.0, least, 1.0)
        strong = choose(strong < STRONG, strong, STRONG)
    share = least / choose(weak > 0.0, weak, 1.0)
    share = choose(share < 1.0, share, 1.0) * seen
    result[0] = choose(weak > 0.0, share, 0.0)
    share = strong / choose(most > 0.0, most, 1.0)
    share = choose(share < 1.0, share, 1.0) * seen
    result[1] = choose(most > 0.0, share, 1.0)
    finite = choose(most < INFINITE, least, 0.0)
    result[3] = choose(finite > 0.0, most / choose(finite > 0.0, finite, 1.0), INFINITE)
    result[4] = product
