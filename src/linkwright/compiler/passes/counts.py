"""Exact operation counts of a program, as the papers tabulate them."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np

from linkwright.compiler.trace.operations import OPERATIONS
from linkwright.compiler.trace.program import Program, RolledProgram
from linkwright.dataclass import dataclass


@dataclass(frozen=True)
class OpCount:
    """Multiplications, additions (and subtractions), divisions, square roots, transcendental functions.

    Negations and choices are not counted: they cost nothing next to an addition.

    >>> OpCount(mul=2, add=1) + OpCount(trig=2)
    OpCount(mul=2, add=1, div=0, sqrt=0, trig=2)
    """

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0

    @property
    def total(self) -> int:
        """All operations together."""
        return self.mul + self.add + self.div + self.sqrt + self.trig

    def __add__(self, other: OpCount) -> OpCount:
        if not isinstance(other, OpCount):
            return NotImplemented
        return OpCount(*(x + y for x, y in zip(astuple(self), astuple(other), strict=True)))

    def __rmul__(self, times: int) -> OpCount:
        return OpCount(*(times * x for x in astuple(self)))


def operation_count(program: Program | RolledProgram) -> OpCount:
    """Operations of a straight or rolled program; a fused multiply-add counts as both.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> operation_count(trace(lambda x, y: x @ y, {"x": 3, "y": 3}))
    OpCount(mul=3, add=2, div=0, sqrt=0, trig=0)
    """
    if isinstance(program, RolledProgram):
        return _rolled_count(program)
    out: dict[str, int] = {}
    ops, times = np.unique(program.opcodes, return_counts=True)
    for op, n in zip(ops.tolist(), times.tolist(), strict=True):
        for cost in OPERATIONS[op].cost if op in OPERATIONS else ():
            out[cost] = out.get(cost, 0) + n
    return OpCount(**out)


def _rolled_count(rolled: RolledProgram) -> OpCount:
    """Operations of all steps over all items, without the additions into parents' fields."""
    total = OpCount()
    how_often = np.bincount(np.asarray(rolled.kind, dtype=np.int64)).tolist()
    for sweep in rolled.sweeps:
        for times, step in zip(how_often, sweep.steps, strict=False):
            total += times * operation_count(step) if step is not None else OpCount()
    return total
