"""The subset of Python that becomes machine code, by example:

    def grown(n: int, codes: Codes, where: Arrays) -> float:
        x = where[2]
        total = 0.0
        for i in range(n):
            if x[i] > 0.0:
                total += x[i]
        codes[0](x, x[n:])
        return total

Arguments and results are annotated; local variables are int, float or bool and keep the type of their first value.
Arrays are flat; `x[n:]` is the rest of an array, and a name given to an array keeps meaning that array.
`codes[k](...)` calls compiled programs (and Python functions) that take arrays only and return an int. Whole numbers
have 64 bits; there is no check of bounds. Numbers and constant arrays of the module, other functions of the subset,
`abs`, `min`, `max`, `float`, `int`, `sqrt`, `exp` and `log` may be used. Nothing is reassociated or fused, so the
machine code gives the same bits as Python. Arrays of lanes hold a row of numbers in every place (see `lanes`). Records
have fields with names (see `records`); a function may take them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Floats = np.ndarray
"""A flat array of float64."""

Ints = np.ndarray
"""A flat array of int64."""

Codes = Sequence[Callable[..., int]]
"""Functions of arrays, as addresses in machine code."""

Arrays = Sequence[np.ndarray]
"""Arrays of float64, as addresses in machine code."""

Lanes = np.ndarray
"""An array of rows, (n, lanes), of float64."""

LaneArrays = Sequence[np.ndarray]
"""Arrays of rows, as addresses in machine code."""

LaneCodes = Sequence[Callable[..., None]]
"""Functions of arrays of rows that return nothing, as addresses in machine code."""

SCALARS = {"int": "i64", "float": "double", "bool": "i1"}
ARRAYS = {"Floats": "double", "Ints": "i64", "Codes": "ptr", "Arrays": "arrays"} | {
    "Lanes": "rows",
    "Rows": "rows",
    "LaneArrays": "lane arrays",
    "LaneCodes": "lane codes",
}
