"""Measures of batches: blocks of states on all cores, each state with the same bits wherever it stands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import FunctionPointer, Rows, native_function
from linkwright.compiler.runtime.code import available_threads, thread_pool
from linkwright.compiler.runtime.kernel import is_unit
from linkwright.dataclass import dataclass
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.setup import Setup
from linkwright.kinematics.measures.measure_driver import measure_state_range
from linkwright.kinematics.measures.measure_records import MEASURES, Structure, Work

LANES = 8

# States that a thread takes at once.
_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The function that gives what `joint_twists` does, and its code for states side by side where that is there.

    Attributes:
        function: of coordinates (n, nq), and of values of the inputs `p` where states have their own.
        code: the kernel, with the numbers that follow from the inputs as its last argument.
        early_results: these numbers; None without inputs.
        block: address of the code for states side by side, 0 where rows are made one behind the other.
    """

    function: Callable[..., np.ndarray]
    code: Kernel | None = None
    early_results: np.ndarray | None = None
    block: int = 0

    @property
    def lanes(self) -> int:
        """States side by side."""
        return self.code.lanes if self.block and self.code is not None else LANES

    def handed_to(self, work: Work, nq: int) -> None:
        """Let the driver call the code of states side by side, each of nq coordinates, where there is some."""
        given = np.zeros(0) if self.early_results is None else self.early_results
        work.twists = FunctionPointer(self.block, self.function)
        work.shape.coordinates, work.shape.parameters = nq, len(given)
        work.q = Rows(np.empty((nq, self.lanes)))
        work.p = Rows(np.repeat(given[:, None], self.lanes, axis=1))


def measure_states(made: Structure, numbers: Callable[..., np.ndarray], q: np.ndarray, setup: Setup) -> np.ndarray:
    """Type 1, type 2, constraint, condition, manipulability and length of states q (..., nq), (..., 6).

    `numbers` gives what `joint_twists` does. Rows for which it has none are NaN.
    """
    lead = np.broadcast_shapes(q.shape[:-1], setup.p_axes)
    if not lead:
        return _measure_block(made, _Numbers(numbers), numbers(q)[None])[0]
    flat = np.broadcast_to(q, (*lead, q.shape[-1])).reshape(-1, q.shape[-1])
    own = setup.p_over(lead)
    source = _Numbers(numbers) if own is not None else _side_by_side(numbers, len(flat))
    out = np.empty((len(flat), MEASURES))

    def done(at: int) -> None:
        block = slice(at, at + _BLOCK)
        given = {} if own is None else {"p": own.reshape(len(flat), -1)[block]}
        out[block] = _measure_block(made, source, flat[block] if source.block else numbers(flat[block], **given))

    starts = range(0, len(flat), _BLOCK)
    threads = min(available_threads(), len(starts))
    list(thread_pool(threads, "measures").map(done, starts) if threads > 1 else map(done, starts))
    return out.reshape(*lead, MEASURES)


def _side_by_side(numbers: Callable[..., np.ndarray], rows: int) -> _Numbers:
    """The function with its code for states side by side, once enough rows came to compile it."""
    if isinstance(numbers, InputKernel):
        return _Numbers(numbers, numbers.rest, numbers.early_results, numbers.rest.addresses.block(rows))
    if isinstance(numbers, Kernel):
        return _Numbers(numbers, numbers, None, numbers.addresses.block(rows))
    return _Numbers(numbers)


def _measure_block(made: Structure, source: _Numbers, given: np.ndarray) -> np.ndarray:
    """Measures of the states of one block, (n, 6), from their numbers, or from their coordinates."""
    work = made.borrow_work(source.lanes)
    found = np.empty((len(given), MEASURES))
    given = np.ascontiguousarray(given, dtype=float)
    work.given, work.found = given.reshape(-1), found.reshape(-1)
    source.handed_to(work, given.shape[1])
    native_function(measure_state_range, source.lanes).call(work.address, 0, len(given))
    made.spare.append(work)
    if source.block and source.code is not None:
        for _, unit in source.code.signature.units:
            found[~is_unit(unit, given)] = np.nan
    return found
