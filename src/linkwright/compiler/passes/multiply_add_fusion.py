"""Decide, once for every way of running a program, which multiply-adds are rounded once.

Left to itself a code generator fuses differently in scalar and in vector code. Choosing here makes a state give the
same bits alone and in any lane.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.compiler.trace.operations import Op
from linkwright.compiler.trace.program import Program

_ADD, _SUB, _MUL, _FMA, _FMS, _FNMA = map(int, (Op.ADD, Op.SUB, Op.MUL, Op.FMA, Op.FMS, Op.FNMA))


def fuse_products(program: Program) -> Program:
    """The program with every product that only one sum needs merged into that sum.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> fuse_products(trace(lambda x, y: x @ y, {"x": 3, "y": 3})).n_operations
    3
    """
    first = program.first_operation
    single = (_count_value_uses(program) == 1).tolist()
    operations = list(program.operations)
    dead = np.zeros(len(operations), dtype=bool)
    for k, (op, args) in enumerate(program.operations):
        if op not in (_ADD, _SUB):
            continue
        # of two products the one computed last is merged: it is on the longer path
        for side in (0, 1) if args[0] > args[1] else (1, 0):
            value = args[side]
            if value >= first and single[value] and operations[value - first][0] == _MUL:
                operations[k] = _fused_operation(op, operations[value - first][1], args[1 - side], side)
                dead[value - first] = True
                break
    return _drop_dead_operations(program, operations, dead)


def _count_value_uses(program: Program) -> np.ndarray:
    named = np.concatenate([program.args[program.args >= 0], program.results])
    return np.bincount(named, minlength=program.first_operation + program.n_operations)


def _fused_operation(op: int, product: tuple[int, ...], rest: int, side: int) -> tuple[int, tuple[int, ...]]:
    if op == _ADD:
        return _FMA, (*product, rest)
    return (_FMS if side == 0 else _FNMA), (*product, rest)


def _drop_dead_operations(program: Program, operations: list[tuple[int, tuple[int, ...]]], dead: np.ndarray) -> Program:
    """The program with these operations, less those nobody names any more."""
    first = program.first_operation
    number = np.concatenate([np.arange(first), first + np.cumsum(~dead) - 1])
    kept = [operation for operation, gone in zip(operations, dead.tolist(), strict=True) if not gone]
    args = np.array([(*args, -1, -1)[:3] for _, args in kept], dtype=np.int32).reshape(-1, 3)
    args = np.where(args >= 0, number[args], -1)
    opcodes = np.array([op for op, _ in kept], dtype=np.uint16)
    return replace(program, opcodes=opcodes, args=args, results=number[program.results])
