"""Arrays as text for a page: little-endian numbers in base64, and long series thinned without losing their peaks."""

from __future__ import annotations

import base64
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray


def packed(values: Any, kind: str = "f4") -> dict[str, Any]:
    """An array as a record the page can unpack; `kind` is "f4" or "f8".

    >>> packed([[1.0, 2.0]])
    {'shape': [1, 2], 'kind': 'f4', 'base64': 'AACAPwAAAEA='}
    """
    array = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"shape": list(array.shape), "kind": kind, "base64": base64.b64encode(array.tobytes()).decode("ascii")}


def unpacked(record: dict[str, Any]) -> Array:
    """The array of a packed record.

    >>> unpacked(packed([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    flat = np.frombuffer(base64.b64decode(record["base64"]), dtype=f"<{record['kind']}")
    return flat.reshape(record["shape"])


def evenly(count: int, most: int) -> Array:
    """At most `most` places among `count` samples, first and last included.

    >>> evenly(10, 4).tolist()
    [0, 3, 6, 9]
    """
    if count <= most:
        return np.arange(count)
    return np.unique(np.round(np.linspace(0, count - 1, most)).astype(int))


def peaks_kept(columns: Array, most: int) -> Array:
    """At most `most` places among the samples of columns (n, m), with the extremes of every stretch of some column.

    The samples are cut into stretches; of each stretch the lowest and highest sample of every column is kept as far as
    the budget goes, so that a spike is never thinned away.
    """
    n, m = columns.shape
    if n <= most or m == 0:
        return evenly(n, most)
    stretches = max(1, most // (2 * m + 2))
    edges = np.linspace(0, n, stretches + 1).astype(int)
    kept = [np.array([0, n - 1]), edges[:-1]]
    quiet_low, quiet_high = np.where(np.isnan(columns), np.inf, columns), np.where(np.isnan(columns), -np.inf, columns)
    for start, stop in pairwise(edges):
        kept.append(start + quiet_low[start:stop].argmin(axis=0))
        kept.append(start + quiet_high[start:stop].argmax(axis=0))
    return np.unique(np.concatenate(kept))
