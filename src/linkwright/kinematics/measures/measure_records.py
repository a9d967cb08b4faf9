"""What the machine code of the measures reads and writes."""

from __future__ import annotations

from linkwright.compiler.native import Floats, FunctionPointer, Ints, Record, Row, Rows, choose_by_lane
from linkwright.numerics.tolerances import STRONG, WEAK


class MeasureSizes(Record):
    """Sizes: joints n, rates f, loops, couplings, rows of G, their rank, motions, output rows, actuators; ranks of the
    output, of the actuators and of both; numbers per state; coordinates of a state and numbers of its parameters, where
    the code makes its twists; and flags (`squares`: whether squares of G serve)."""

    joints: int
    rates: int
    loops: int
    couplings: int
    rows: int
    rank: int
    motions: int
    outputs: int
    actuators: int
    output_rank: int
    drive_rank: int
    both_rank: int
    planar: int
    width: int
    coordinates: int
    parameters: int
    tree: int
    carried: int
    squares: int
    groups: int
    length: float


class Pattern(Record):
    """Structure of the graph: signs of joints in loops (loops, n) and on the way to the output (n,), the joint of
    each rate and whether it turns, rows of the output, driven rates, (row, turning rate) of planar actuators; rates in
    groups that belong to the same loops, and where each group begins; the first column of each row of the flow, the
    last column of each row that these reach, and rows that begin at 0."""

    loops: Ints
    path: Ints
    joint: Ints
    turns: Ints
    picked: Ints
    driven: Ints
    planar: Ints
    order: Ints
    groups: Ints
    first: Ints
    last: Ints
    full: Ints


class Work(Record):
    """Everything that one thread needs: `given` (states, width) in, `found` (states, 6) out, matrices between.

    With a function `twists`, `given` holds coordinates (states, coordinates) instead, and the function makes the
    numbers of several states from these, q, and from the parameters p, side by side.

    Attributes:
        x: numbers of the states, as `joint_twists` returns them. s: unit twists (f, 6). arms: (n, 3).
        flow: squares of wrenches, then their Cholesky factor, (rows, rows). G: (rows, f), weighted, then triangular.
        beta: factors of the reflections, which stand in V (rank, f). T: motions, (motions, f).
        A: (rows, rank), becomes bidiagonal: d and e. H: output and actuators by motions, (motions, rows of both).
        U, size, cosines, sines: singular values of H and of its two parts. w, u, r: work. result: the measures.
        K: squares G G^T. Y: the same, weighted. E: G by output and actuators, (rows, rows of both). S: squares of a
        joint, then of the actuators. J: output by actuators. kept: the measures so far. sure: 1 where they are right.
        total: sum of q and x, finite where all of it is. steps: those to the extreme eigenvalues.
    """

    shape: MeasureSizes
    pattern: Pattern
    given: Floats
    found: Floats
    twists: FunctionPointer
    q: Rows
    p: Rows
    x: Rows
    s: Rows
    arms: Rows
    flow: Rows
    G: Rows
    V: Rows
    beta: Rows
    T: Rows
    A: Rows
    w: Rows
    d: Rows
    e: Rows
    H: Rows
    U: Rows
    size: Rows
    cosines: Rows
    sines: Rows
    result: Rows
    u: Rows
    r: Rows
    K: Rows
    Y: Rows
    E: Rows
    S: Rows
    J: Rows
    kept: Rows
    sure: Rows
    total: Rows
    steps: Rows


MEASURES = 6
INFINITE = float("inf")
UNKNOWN = float("nan")


def distances_from_gains(w: Work, least: Row, most: Row, product: Row, seen: Row) -> None:
    """Type 1, type 2, condition and manipulability from the gains."""
    result = w.result
    weak = most
    strong = most
    if w.shape.tree == 0:
        weak = choose_by_lane(most < 1.0, most, 1.0)
        weak = choose_by_lane(weak > WEAK, weak, WEAK)
        strong = choose_by_lane(least > 1.0, least, 1.0)
        strong = choose_by_lane(strong < STRONG, strong, STRONG)
    share = least / choose_by_lane(weak > 0.0, weak, 1.0)
    share = choose_by_lane(share < 1.0, share, 1.0) * seen
    result[0] = choose_by_lane(weak > 0.0, share, 0.0)
    share = strong / choose_by_lane(most > 0.0, most, 1.0)
    share = choose_by_lane(share < 1.0, share, 1.0) * seen
    result[1] = choose_by_lane(most > 0.0, share, 1.0)
    finite = choose_by_lane(most < INFINITE, least, 0.0)
    result[3] = choose_by_lane(finite > 0.0, most / choose_by_lane(finite > 0.0, finite, 1.0), INFINITE)
    result[4] = product
