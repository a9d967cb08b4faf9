"""Measures of batches: blocks of states on all cores, each state with the same bits wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from linkwright.compiler.native import native
from linkwright.compiler.runtime.threads import available_threads, pool
from linkwright.kernels.inputs import Inputs
from linkwright.kernels.loop.joint_twists import Graph
from linkwright.solve.measures.driver import MEASURES, measured
from linkwright.solve.measures.records import Work

LANES = 8

# States whose numbers are held in memory at once by a thread.
_BLOCK = 1024


class Ranks(Protocol):
    """Attributes of a mechanism's graph and of its generic ranks that the measures need."""

    graph: Graph
    loops: int
    output: int
    drives: int
    both: int
    length: float | None

    @property
    def picked(self) -> list[int]:
        """Rows of the output."""


def measure(ranks: Any, numbers: Callable[..., np.ndarray], q: np.ndarray, inputs: Inputs | None) -> np.ndarray:
    """Type 1, type 2, constraint, condition, manipulability and length of states q (..., nq), (..., 6).

    `numbers` gives what `joint_twists` does. Rows for which it has none are NaN.
    """
    sets = () if inputs is None else inputs.values.shape[:-1]
    lead = np.broadcast_shapes(q.shape[:-1], sets)
    if not lead:
        return _measured(ranks, numbers(q)[None])[0]
    flat = np.broadcast_to(q, (*lead, q.shape[-1])).reshape(-1, q.shape[-1])
    own = np.broadcast_to(inputs.values, (*lead, inputs.values.shape[-1])) if inputs is not None and sets else None
    out = np.empty((len(flat), MEASURES))

    def done(at: int) -> None:
        block = slice(at, at + _BLOCK)
        given = {} if own is None else {"p": own.reshape(len(flat), -1)[block]}
        out[block] = _measured(ranks, numbers(flat[block], **given))

    starts = range(0, len(flat), _BLOCK)
    threads = min(available_threads(), len(starts))
    list(pool(threads, "measures").map(done, starts) if threads > 1 else map(done, starts))
    return out.reshape(*lead, MEASURES)


def _measured(ranks: Ranks, numbers: np.ndarray) -> np.ndarray:
    """Measures of the states of one block, (n, 6)."""
    work = _work(ranks)
    found = np.empty((len(numbers), MEASURES))
    work.given, work.found = np.ascontiguousarray(numbers).reshape(-1), found.reshape(-1)
    native(measured, LANES).call(work.address, 0, len(numbers))
    found[np.isnan(numbers).any(axis=1)] = np.nan
    return found


def _work(ranks: Ranks) -> Work:
    """Memory and structure for one thread."""
    made, picked = ranks.graph, ranks.picked
    f, n, l, rows = len(made.joint), len(made.joints), len(made.loops), 6 * len(made.loops) + made.couplings
    rank = ranks.loops if rows else 0
    motions, nx, na, both = f - rank, len(picked), len(made.driven), ranks.both
    columns = max(nx * f if not rows else motions * (nx + na), 1)
    sizes = {"x": made.width, "s": 6 * f, "arms": 3 * n, "flow": rows * rows, "G": rows * f, "V": rank * f}
    sizes |= {"beta": max(rows, f), "T": motions * f, "A": rows * rank, "w": max(rows, f), "d": rank, "e": rank}
    sizes |= {"H": columns, "U": both * max(nx, na), "size": max(motions, nx), "cosines": max(both, nx), "sines": both}
    work = Work(LANES, {name: max(1, size) for name, size in sizes.items()} | {"result": MEASURES})
    shape, pattern = work.shape, work.pattern
    shape.joints, shape.rates, shape.loops, shape.couplings = n, f, l, made.couplings
    shape.rows, shape.rank, shape.motions, shape.outputs, shape.actuators = rows, rank, motions, nx, na
    shape.output_rank, shape.drive_rank, shape.both_rank = ranks.output, ranks.drives, both
    shape.planar, shape.width, shape.tree = len(made.planar), made.width, int(not rows)
    shape.carried, shape.length = int(made.carrier is not None), ranks.length or 0.0
    pattern.loops, pattern.path, pattern.joint = _ints(made.loops), _ints(made.path), _ints(made.joint)
    pattern.turns, pattern.picked, pattern.driven = _ints(made.turns), _ints(picked), _ints(made.driven)
    pattern.planar = _ints([x for row, _, turning in made.planar for x in (row, turning)])
    return work


def _ints(x: Any) -> np.ndarray:
    return np.ascontiguousarray(np.asarray(x, dtype=np.int64).reshape(-1))
