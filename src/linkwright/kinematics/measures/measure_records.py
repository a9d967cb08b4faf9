"""What the machine code of the measures reads and writes: its structure, made once, and its records."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Protocol

import numpy as np

from linkwright.compiler.native import Floats, FunctionPointer, Ints, Record, Row, Rows, choose_by_lane
from linkwright.dataclass import dataclass
from linkwright.functions.loop.twist_functions import Graph
from linkwright.numerics.tolerances import STRONG, WEAK

# --- what the machine code of the measures reads and writes -----------------------------------------------------------


class MeasureSizes(Record):
    """Sizes of the arrays, and flags of the structure."""

    joints: int  # n
    rates: int  # f, velocities of the joints
    loops: int
    couplings: int
    rows: int  # of G, six for each loop and one for each coupling
    rank: int  # of G
    motions: int  # rates less the rank
    outputs: int  # rows of the output
    actuators: int
    output_rank: int
    drive_rank: int
    both_rank: int  # of output and actuators together
    planar: int  # planar actuators
    width: int  # numbers per state
    coordinates: int  # of a state, where the code makes its twists
    parameters: int  # and numbers of its parameters
    tree: int  # 1 without rows
    carried: int  # 1 with an output frame on a body
    squares: int  # 1 where squares of G serve
    groups: int  # of rates that belong to the same loops
    length: float  # by which rotation and translation are compared, [m]; 0 for the mean arm


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


# --- the structure that the machine code of the measures works on -----------------------------------------------------


class Ranks(Protocol):
    """Attributes of a mechanism's graph and of its generic ranks that the measures need."""

    graph: Graph
    loops: int
    output: int
    drives: int
    both: int
    length: float | None

    @property
    def output_rows(self) -> list[int]:
        """Rows of the output."""


@dataclass(frozen=True, eq=False)
class Structure:
    """Sizes of the arrays of a `Work`, the fields of its `shape` and `pattern`, and memory that no thread uses now."""

    arrays: dict[str, int]
    shape: dict[str, float]
    pattern: dict[str, np.ndarray]
    spare: list[Work] = field(default_factory=list)

    def borrow_work(self, lanes: int) -> Work:
        """Memory and structure for one thread, until it is put back into `spare`."""
        try:
            found = self.spare.pop()
        except IndexError:
            return self._work(lanes)
        return found if found.lanes == lanes else self._work(lanes)

    def _work(self, lanes: int) -> Work:
        made = Work(lanes, self.arrays)
        for name, number in self.shape.items():
            setattr(made.shape, name, number)
        for name, numbers in self.pattern.items():
            setattr(made.pattern, name, numbers)
        return made


def measure_structure(ranks: Any) -> Structure:
    """The structure of a mechanism's graph with its generic `Ranks`."""
    made, picked = ranks.graph, ranks.output_rows
    rows = 6 * len(made.loops) + made.couplings
    loops = _sparse_loop_basis(made.loops)
    groups = _rate_groups(loops[:, made.joint], made.path[made.joint])
    shape = {"joints": len(made.joints), "rates": len(made.joint), "loops": len(loops), "couplings": made.couplings}
    shape |= {"rows": rows, "rank": ranks.loops if rows else 0, "outputs": len(picked), "actuators": len(made.driven)}
    shape |= {"motions": shape["rates"] - shape["rank"], "output_rank": ranks.output, "drive_rank": ranks.drives}
    shape |= {"both_rank": ranks.both, "planar": len(made.planar), "width": made.width, "tree": int(not rows)}
    shape |= {"carried": int(made.carrier is not None), "squares": int(_is_square(ranks)), "groups": len(groups)}
    first = _flow_profile(loops, rows)
    pattern = {"loops": loops, "path": made.path, "joint": made.joint, "turns": made.turns, "picked": picked}
    pattern |= {"driven": made.driven, "planar": [x for row, _, turning in made.planar for x in (row, turning)]}
    pattern |= {"order": [rate for group in groups for rate in group], "groups": np.cumsum([0, *map(len, groups)])}
    pattern |= {"first": first, "last": [max(np.flatnonzero(np.array(first) <= i)) for i in range(rows)]}
    pattern |= {"full": np.zeros(max(rows, len(made.driven)))}
    arrays = {name: max(1, size) for name, size in _workspace_array_rows(shape).items()}
    return Structure(
        arrays, shape | {"length": ranks.length or 0.0}, {name: _integer_array(x) for name, x in pattern.items()}
    )


def _workspace_array_rows(shape: dict[str, int]) -> dict[str, int]:
    """Rows of each array of a `Work`; some loops read up to four rows behind what they need."""
    f, rows, rank, motions = (shape[name] for name in ("rates", "rows", "rank", "motions"))
    nx, na, both = (shape[name] for name in ("outputs", "actuators", "both_rank"))
    long = max(rows, f) + 1
    sizes = {"x": shape["width"], "s": 6 * f, "arms": 3 * shape["joints"], "flow": rows * rows, "G": rows * f}
    sizes |= {"V": rank * f, "beta": long, "T": motions * f, "A": rows * rank, "w": long, "d": max(rank, na)}
    sizes |= {"e": max(rank, na), "H": max(nx * f if not rows else motions * (nx + na), nx * na)}
    sizes |= {"U": max(both * max(nx, na), na * na), "size": max(motions, nx), "cosines": max(both, nx), "sines": both}
    sizes |= {"result": MEASURES, "kept": MEASURES, "sure": 1, "total": 1, "steps": 18}
    squares = {"K": rows * rows, "Y": rows * rows, "E": rows * (nx + na) + 4, "u": 2 * rows}
    squares |= {"r": max(2 * rows, nx + na + 4), "S": max(36, na * na), "J": nx * na}
    return sizes | (squares if shape["squares"] else dict.fromkeys(squares, 1))


def _is_square(ranks: Ranks) -> bool:
    """Whether G has full rank, and the output moves with the actuators and with nothing else."""
    made = ranks.graph
    same = ranks.output == ranks.drives == ranks.both == len(made.driven) > 0
    full = 6 * len(made.loops) == ranks.loops > 1
    return same and full and made.carrier is not None and not (made.couplings or made.planar)


def _sparse_loop_basis(loops: np.ndarray) -> np.ndarray:
    """Loops with fewer joints, or with joints of loops nearer to them, that span the same ones."""
    found = np.array(loops)
    for i, row in enumerate(found):
        for other in found[:i]:
            for changed in (row - other, row + other):
                if np.abs(changed).max() <= 1 and np.count_nonzero(changed) <= np.count_nonzero(row):
                    row[:] = changed
    return found


def _rate_groups(loops: np.ndarray, path: np.ndarray) -> list[list[int]]:
    """Rates of joints that belong to the same loops, and to the output alike; those of no loop are left out."""
    found: dict[tuple[int, ...], list[int]] = {}
    for rate, column in enumerate(np.vstack([loops, path]).T):
        if column[:-1].any():
            sign = column[np.flatnonzero(column)[0]]
            found.setdefault(tuple(int(x) for x in sign * column), []).append(rate)
    return list(found.values())


def _flow_profile(loops: np.ndarray, rows: int) -> list[int]:
    """The first column of each row of the flow: six of a loop begin with the first loop that shares a joint."""
    met = (np.abs(loops) @ np.abs(loops).T) > 0
    return [6 * int(np.argmax(met[i // 6])) if i < 6 * len(loops) else i for i in range(rows)]


def _integer_array(x: Any) -> np.ndarray:
    return np.ascontiguousarray(np.asarray(x, dtype=np.int64).reshape(-1))
