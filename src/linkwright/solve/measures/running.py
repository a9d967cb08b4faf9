"""Measures of batches: blocks of states on all cores, each state with the same bits wherever it stands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.compiler.native import native
from linkwright.compiler.runtime.threads import available_threads, pool
from linkwright.kernels.inputs import Inputs
from linkwright.solve.measures.distances import MEASURES
from linkwright.solve.measures.driver import measured
from linkwright.solve.measures.structure import Structure

LANES = 8

# States whose numbers are held in memory at once by a thread.
_BLOCK = 1024


def measure(made: Structure, numbers: Callable[..., np.ndarray], q: np.ndarray, inputs: Inputs | None) -> np.ndarray:
    """Type 1, type 2, constraint, condition, manipulability and length of states q (..., nq), (..., 6).

    `numbers` gives what `joint_twists` does. Rows for which it has none are NaN.
    """
    sets = () if inputs is None else inputs.values.shape[:-1]
    lead = np.broadcast_shapes(q.shape[:-1], sets)
    if not lead:
        return _measured(made, numbers(q)[None])[0]
    flat = np.broadcast_to(q, (*lead, q.shape[-1])).reshape(-1, q.shape[-1])
    own = np.broadcast_to(inputs.values, (*lead, inputs.values.shape[-1])) if inputs is not None and sets else None
    out = np.empty((len(flat), MEASURES))

    def done(at: int) -> None:
        block = slice(at, at + _BLOCK)
        given = {} if own is None else {"p": own.reshape(len(flat), -1)[block]}
        out[block] = _measured(made, numbers(flat[block], **given))

    starts = range(0, len(flat), _BLOCK)
    threads = min(available_threads(), len(starts))
    list(pool(threads, "measures").map(done, starts) if threads > 1 else map(done, starts))
    return out.reshape(*lead, MEASURES)


def _measured(made: Structure, numbers: np.ndarray) -> np.ndarray:
    """Measures of the states of one block, (n, 6)."""
    work = made.borrowed(LANES)
    found = np.empty((len(numbers), MEASURES))
    work.given, work.found = np.ascontiguousarray(numbers).reshape(-1), found.reshape(-1)
    native(measured, LANES).call(work.address, 0, len(numbers))
    made.spare.append(work)
    found[np.isnan(numbers).any(axis=1)] = np.nan
    return found
