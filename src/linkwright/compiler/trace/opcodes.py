"""The operations a program may contain, and how many arguments each takes."""

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


ARITY: dict[Op, int] = {
    Op.INPUT: 0,
    Op.CONST: 0,
    Op.ADD: 2,
    Op.SUB: 2,
    Op.MUL: 2,
    Op.NEG: 1,
    Op.RECIP: 1,
    Op.SQRT: 1,
    Op.SIN: 1,
    Op.COS: 1,
    Op.ATAN2: 2,
    Op.EXP: 1,
    Op.LOG: 1,
    Op.TANH: 1,
    Op.ABS: 1,
    Op.MIN: 2,
    Op.MAX: 2,
    Op.SELECT: 3,
    Op.FMA: 3,
    Op.FMS: 3,
    Op.FNMA: 3,
}

FIRST_TABLE = 64
"""Operation FIRST_TABLE + 2 i + kind looks something up in table i of the program; it takes one argument."""
FIND, READ = 0, 1  # which interval of the table x falls into; what stands in the table at place x


def arity(op: int) -> int:
    """How many arguments an operation takes."""
    return 1 if op >= FIRST_TABLE else ARITY[Op(op)]
