"""Bit-exact reference: one state, one operation at a time, with every rounding as the machine code must do it."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from linkwright.compiler import Op, Program, trace
from linkwright.compiler.codegen.target import Options, host_target
from linkwright.compiler.passes.schedule import fuse_products
from linkwright.compiler.runtime.kernel import compile_program


def exact_results(program: Program, inputs: list[float], options: Options) -> list[float]:
    """Flat outputs of the program as compiled with these options."""
    fma = host_target(options).fma
    program = fuse_products(program) if fma else program
    values = [*inputs, *program.constants.tolist()]
    for op, args in program.operations:
        values.append(_apply(Op(op), [values[i] for i in args], options.generic))
    return [values[i] for i in program.results.tolist()]


def _apply(op: Op, x: list[float], generic: bool) -> float:
    if op in (Op.SIN, Op.COS):
        return _sine_and_cosine(generic)(x[0])[op == Op.COS]
    return _RULES[op](*x)


@cache
def _sine_and_cosine(generic: bool) -> Any:
    """Sine and cosine have tests of their own; here they only have to be the same everywhere."""
    pair = compile_program(trace(lambda x: (np.sin(x), np.cos(x)), {"x": ()}), Options(generic=generic))

    def both(x: float) -> tuple[float, float]:
        if not math.isfinite(x):
            return math.nan, math.nan
        sine, cosine = pair(x)
        return float(sine), float(cosine)

    return both


def _fma(a: float, b: float, c: float) -> float:
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if total == 0:
        return a * b + c
    sign = 1.0 if total > 0 else -1.0
    try:
        return math.copysign(float(total), sign)
    except OverflowError:
        return math.copysign(math.inf, sign)


def _reciprocal(a: float) -> float:
    return math.copysign(math.inf, a) if a == 0.0 else 1.0 / a


def _chosen(a: float, b: float, first: bool) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else (a if first else b)


def _quiet(function: Any) -> Any:
    def call(*x: float) -> float:
        with np.errstate(all="ignore"):
            return float(function(*map(np.float64, x)))

    return call


def _library(function: Any, overflow: float = math.inf) -> Any:
    """The C library by way of Python's math module, which raises where C returns NaN or infinity."""

    def call(*x: float) -> float:
        try:
            return function(*x)
        except OverflowError:
            return overflow
        except ValueError:
            return -math.inf if function is math.log and x[0] == 0.0 else math.nan

    return call


_RULES: dict[Op, Any] = {
    Op.ADD: _quiet(lambda a, b: a + b),
    Op.SUB: _quiet(lambda a, b: a - b),
    Op.MUL: _quiet(lambda a, b: a * b),
    Op.NEG: lambda a: -a,
    Op.RECIP: _reciprocal,
    Op.SQRT: _quiet(np.sqrt),
    Op.ATAN2: _library(math.atan2),
    Op.EXP: _library(math.exp),
    Op.LOG: _library(math.log),
    Op.TANH: _library(math.tanh),
    Op.ABS: abs,
    Op.MIN: lambda a, b: _chosen(a, b, a < b),
    Op.MAX: lambda a, b: _chosen(a, b, a > b),
    Op.SELECT: lambda c, a, b: a if c > 0.0 else b,
    Op.FMA: _fma,
    Op.FMS: lambda a, b, c: _fma(a, b, -c),
    Op.FNMA: lambda a, b, c: _fma(-a, b, c),
}
