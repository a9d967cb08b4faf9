"""Partial derivatives of every operation, written with the recording rules so that they simplify as they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from linkwright.compiler.trace.opcodes import FIRST_TABLE, Op
from linkwright.compiler.trace.recorder import Recorder
from linkwright.compiler.trace.scalar import Scalar

_Rule = Callable[[Recorder, Sequence[Scalar], Scalar], tuple[Scalar, ...]]


def partials(rec: Recorder, op: int, x: Sequence[Scalar], y: Scalar) -> tuple[Scalar, ...]:
    """dy/dx_k for every argument of y = op(x)."""
    return (rec.zero,) if op >= FIRST_TABLE else _RULES[op](rec, x, y)


def _choose(rec: Recorder, c: Scalar) -> tuple[Scalar, Scalar]:
    return rec.select(c, rec.one, rec.zero), rec.select(c, rec.zero, rec.one)


def _atan2(rec: Recorder, x: Sequence[Scalar], y: Scalar) -> tuple[Scalar, ...]:
    scale = rec.recip(x[0] * x[0] + x[1] * x[1])
    return x[1] * scale, -(x[0] * scale)


_RULES: Mapping[int, _Rule] = {
    Op.ADD: lambda rec, x, y: (rec.one, rec.one),
    Op.SUB: lambda rec, x, y: (rec.one, rec.neg(rec.one)),
    Op.MUL: lambda rec, x, y: (x[1], x[0]),
    Op.NEG: lambda rec, x, y: (rec.neg(rec.one),),
    Op.RECIP: lambda rec, x, y: (-(y * y),),
    Op.SQRT: lambda rec, x, y: (0.5 / y,),
    Op.SIN: lambda rec, x, y: (rec.cos(x[0]),),
    Op.COS: lambda rec, x, y: (-rec.sin(x[0]),),
    Op.ATAN2: _atan2,
    Op.EXP: lambda rec, x, y: (y,),
    Op.LOG: lambda rec, x, y: (rec.recip(x[0]),),
    Op.TANH: lambda rec, x, y: (1.0 - y * y,),
    Op.ABS: lambda rec, x, y: (rec.select(x[0], rec.one, rec.neg(rec.one)),),
    Op.MIN: lambda rec, x, y: _choose(rec, x[1] - x[0]),
    Op.MAX: lambda rec, x, y: _choose(rec, x[0] - x[1]),
    Op.SELECT: lambda rec, x, y: (rec.zero, *_choose(rec, x[0])),
    Op.FMA: lambda rec, x, y: (x[1], x[0], rec.one),
    Op.FMS: lambda rec, x, y: (x[1], x[0], rec.neg(rec.one)),
    Op.FNMA: lambda rec, x, y: (-x[1], -x[0], rec.one),
}
