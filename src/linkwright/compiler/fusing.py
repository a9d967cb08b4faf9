"""Decide, once for every way of running a program, which multiply-adds are rounded once.

Left to itself a code generator fuses differently in scalar and in vector code. Choosing here makes a state give the
same bits alone and in any lane.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.compiler.opcodes import Op
from linkwright.compiler.program import Program


def fused(program: Program) -> Program:
    """The program with every product that only one sum needs merged into that sum.

    >>> from linkwright.compiler.tracing import trace
    >>> fused(trace(lambda x, y: x @ y, {"x": 3, "y": 3})).n_operations
    3
    """
    opcodes, args = program.opcodes.copy(), program.args.copy()
    first = program.first_operation
    single = _use_counts(program) == 1
    dead = np.zeros(len(opcodes), dtype=bool)
    for k in np.flatnonzero((opcodes == Op.ADD) | (opcodes == Op.SUB)).tolist():
        for place in _product_places(opcodes, args, first, single, dead, k):
            product = args[k, place] - first
            opcodes[k], args[k] = _merged(opcodes[k], args[product], args[k, 1 - place], place)
            dead[product] = True
            break
    return _without(replace(program, opcodes=opcodes, args=args), dead)


def _use_counts(program: Program) -> np.ndarray:
    named = np.concatenate([program.args[program.args >= 0], program.results])
    return np.bincount(named, minlength=program.first_operation + program.n_operations)


def _product_places(
    opcodes: np.ndarray, args: np.ndarray, first: int, single: np.ndarray, dead: np.ndarray, k: int
) -> list[int]:
    """Which arguments of sum k are products of its own; the one computed last first, it is on the longer path."""
    places = []
    for place in (0, 1):
        value = args[k, place]
        if value >= first and single[value] and opcodes[value - first] == Op.MUL and not dead[value - first]:
            places.append(place)
    return sorted(places, key=lambda place: -args[k, place])


def _merged(op: int, product: np.ndarray, rest: int, place: int) -> tuple[int, tuple[int, int, int]]:
    if op == Op.ADD:
        code = Op.FMA
    else:
        code = Op.FMS if place == 0 else Op.FNMA
    return code, (product[0], product[1], rest)


def _without(program: Program, dead: np.ndarray) -> Program:
    """The program after removing operations nobody names any more."""
    first = program.first_operation
    number = np.concatenate([np.arange(first), first + np.cumsum(~dead) - 1])
    args = program.args[~dead]
    args = np.where(args >= 0, number[args], -1)
    return replace(program, opcodes=program.opcodes[~dead], args=args, results=number[program.results])
