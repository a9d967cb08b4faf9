"""The subset of Python that becomes machine code, by example:

    class Walk(Record):
        n: int
        x: Floats
        shown: FunctionPointer

    def grown(w: Walk) -> float:
        x = w.x
        total = 0.0
        for i in range(w.n):
            if x[i] > 0.0:
                total += x[i]
        w.shown(x, x[w.n :])
        return total

Arguments and results are annotated; local variables are int, float or bool and keep the type of their first value.
Arrays are flat; `x[n:]` is the rest of an array; a name given to an array or a record keeps meaning it. Functions in
a record are compiled programs (and Python functions) that take arrays only and return an int. Whole numbers have 64
bits; bounds are not checked. Numbers and constant arrays of the module, other functions of the subset, `abs`,
`min`, `max`, `float`, `int`, `sqrt`, `exp` and `log` may be used. Nothing is reassociated or fused, so the machine code
gives the same bits as Python. `records` says what a record may hold, `lanes` what rows of lanes are.
"""

from __future__ import annotations

import numpy as np

Floats = np.ndarray
"""A flat array of float64."""

Ints = np.ndarray
"""A flat array of int64."""

SCALARS = {"int": "i64", "float": "double", "bool": "i1"}
ARRAYS = {"Floats": "double", "Ints": "i64", "Rows": "rows"}
