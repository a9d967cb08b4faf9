"""A machine's function run leg by leg: the legs' parts at once, the centre, the legs' second parts at once.

This is Khan's scheme of chain nodes with a central sum, and Rao's of a platform and its legs, applied to any traced
function of a machine of legs and platform. Whether it is faster is another matter: docs/leg_by_leg.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

from linkwright.analysis.leg_by_leg.legs import input_legs, legs, result_legs
from linkwright.analysis.leg_by_leg.slices import Part, Slices, slices
from linkwright.compiler import Kernel, Program, compiled
from linkwright.mechanism import Mechanism
from linkwright.model import Model

Array = np.ndarray
Mapping = Callable[..., Iterable[Any]]


def leg_slices(mech: Mechanism, program: Program) -> Slices:
    """A traced function of a machine, cut by its legs.

    >>> import linkwright as lw
    >>> machine = lw.catalog.load("gough-stewart")
    >>> cut = leg_slices(machine, lw.build(machine).program("forward_dynamics"))
    >>> len(cut.first), len(cut.second)
    (6, 6)
    """
    found = legs(mech)
    return slices(program, input_legs(mech, program, found), result_legs(mech, program, found), len(found.bodies))


class LegByLeg:
    """A function of a machine as separately compiled parts; results equal those of the whole to round-off.

    States so near a singularity that the whole marks them by NaN are marked here too, and not repaired.
    """

    def __init__(self, cut: Slices) -> None:
        self.cut = cut
        self._kernels = {part.name: _kernel(part.program) for part in (*cut.first, *cut.central, *cut.second)}

    def __call__(self, *arrays: Any, run: Mapping = map) -> Any:
        """The whole result for one state or a batch of states, in the form the whole program has: an array or several.

        Args:
            arrays: inputs of the whole in order, (..., n).
            run: how the parts of a stage are run: `map` one after another, an executor's `map` on threads.
        """
        return _joined(self.cut, arrays, lambda part, given: self._kernels[part.name](*given), run)


def _kernel(program: Program) -> Kernel:
    return compiled(b"leg by leg " + program.digest, lambda: program)


def _joined(cut: Slices, arrays: Sequence[Any], work: Callable[..., Any], run: Mapping) -> Any:
    """Run the three stages and put the results together."""
    given = {port.name: np.asarray(x, dtype=float) for port, x in zip(cut.whole.inputs, arrays, strict=True)}
    lead = np.broadcast_shapes(
        *(x.shape[: x.ndim - len(port.shape)] for port, x in zip(cut.whole.inputs, given.values(), strict=True))
    )
    out = np.empty((*lead, cut.whole.n_outputs))
    for stage in (cut.first, cut.central, cut.second):
        if not stage:
            continue
        inputs = [[given[name] for name in part.needs] for part in stage]
        for part, answers in zip(stage, run(work, stage, inputs) if len(stage) > 1 else map(work, stage, inputs)):
            _put(part, answers, out, given)
    ends = np.cumsum([port.size for port in cut.whole.outputs])
    parts = zip(cut.whole.outputs, np.split(out, ends[:-1], axis=-1), strict=True)
    return cut.whole.signature.pack({port.name: part.reshape((*lead, *port.shape)) for port, part in parts})


def _put(part: Part, answers: Any, out: Array, given: dict[str, Array]) -> None:
    for port, array in zip(part.program.outputs, answers, strict=True):
        if port.name == "live":
            given[part.name] = array
        elif port.name == "out":
            out[..., list(part.gives)] = array


def leg_by_leg(model: Model, function: str = "forward_dynamics") -> LegByLeg:
    """A named function of a model of legs and platform, cut and compiled: any that `model.program` traces.

    What a paper's formulation gives beside its result (how near it is to the formulation's own singularity) and what
    virtual springs take beside the state (stiffness and damping of every closure equation) belong to their legs too.
    """
    return LegByLeg(leg_slices(model.mechanism, model.program(function)))


class LegProcesses:
    """The same on processes: each has all parts compiled, and arrays travel by pickle."""

    def __init__(self, cut: Slices, workers: int) -> None:
        self.cut = cut
        programs = {part.name: part.program for part in (*cut.first, *cut.central, *cut.second)}
        fresh = get_context("spawn")  # a fork of a process with threads may hang
        self._pool: Executor = ProcessPoolExecutor(workers, fresh, initializer=_prepare, initargs=(programs,))

    def __call__(self, *arrays: Any) -> Any:
        return _joined(self.cut, arrays, lambda part, given: _answer(part.name, part.program, given), self._run)

    def _run(self, _: Any, stage: Sequence[Part], inputs: Sequence[Any]) -> Iterable[Any]:
        return self._pool.map(_answer, [p.name for p in stage], [None] * len(stage), inputs)

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown()


_PREPARED: dict[str, Kernel] = {}


def _prepare(programs: dict[str, Program]) -> None:
    _PREPARED.update({name: _kernel(program) for name, program in programs.items()})


def _answer(name: str, program: Program | None, given: Sequence[Array]) -> Any:
    kernel = _PREPARED[name] if program is None else _kernel(program)
    return kernel(*given)
