"""The operations a program may contain, and the number of arguments of each."""

from enum import IntEnum


class Op(IntEnum):
    """One machine-level operation; the numbers are part of the cache format."""

    INPUT = 0
    CONST = 1
    ADD = 2
    SUB = 3
    MUL = 4
    NEG = 5
    RECIP = 6
    SQRT = 7
    SIN = 8
    COS = 9
    ATAN2 = 10
    EXP = 11
    LOG = 12
    TANH = 13
    ABS = 14
    MIN = 15
    MAX = 16
    SELECT = 17  # SELECT(c, a, b): a where c > 0, else b
    FMA = 18  # a * b + c, rounded once
    FMS = 19  # a * b - c
    FNMA = 20  # c - a * b


FIRST_TABLE = 64
"""Operation FIRST_TABLE + 2 i + kind looks something up in table i of the program; it takes one argument."""
FIND, READ = 0, 1  # the interval of the table that x falls into; the entry of the table at index x

_BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.ATAN2, Op.MIN, Op.MAX)
_TERNARY = (Op.SELECT, Op.FMA, Op.FMS, Op.FNMA)


def arity(op: int) -> int:
    """Number of arguments of an operation."""
    return 0 if op <= Op.CONST else 2 if op in _BINARY else 3 if op in _TERNARY else 1
