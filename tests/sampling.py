"""A sample of many cases for the suite; all of them in `python3 dev.py soak`."""

import os
from collections.abc import Sequence
from typing import Any

SOAKING = "LINKWRIGHT_SOAK"
"""Environment variable: every case is run where it is set."""


def sample(cases: Sequence[Any], kept: int | Sequence[Any]) -> list[Any]:
    """The cases to run: the kept ones, or so many at even distances, the first and the last among them; soaking, all.

    >>> from tests.sampling import sample
    >>> sample(range(9), 3) if not SOAKING in os.environ else [0, 4, 8]
    [0, 4, 8]
    """
    if os.environ.get(SOAKING) or (isinstance(kept, int) and kept >= len(cases)):
        return list(cases)
    if isinstance(kept, int):
        assert kept > 1, "a sample has at least two cases"
        return [cases[round(i * (len(cases) - 1) / (kept - 1))] for i in range(kept)]
    assert all(case in cases for case in kept), "a kept case is none of the cases"
    return list(kept)
