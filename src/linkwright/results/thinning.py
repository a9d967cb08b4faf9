"""Which samples of many are kept for a picture: evenly spaced ones, or those with the peaks of curves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

Array = np.ndarray


def even_indices(count: int, most: int) -> Array:
    """At most `most` indices among `count` samples, first and last included.

    >>> even_indices(10, 4).tolist()
    [0, 3, 6, 9]
    """
    if count <= most:
        return np.arange(count)
    return np.unique(np.round(np.linspace(0, count - 1, most)).astype(int))


def peaks_kept(columns: Array, most: int) -> Array:
    """At most `most` indices among the samples of columns (n, m), with the extremes of every segment of some column.

    The samples are cut into segments; of each segment the lowest and highest sample of every column is kept as far as
    the budget goes, so that a spike is never thinned away.
    """
    n, m = columns.shape
    if n <= most or m == 0:
        return even_indices(n, most)
    segments = max(1, most // (2 * m + 2))
    edges = np.linspace(0, n, segments + 1).astype(int)
    kept = [np.array([0, n - 1]), edges[:-1]]
    quiet_low, quiet_high = np.where(np.isnan(columns), np.inf, columns), np.where(np.isnan(columns), -np.inf, columns)
    for start, stop in pairwise(edges):
        kept.append(start + quiet_low[start:stop].argmin(axis=0))
        kept.append(start + quiet_high[start:stop].argmax(axis=0))
    return np.unique(np.concatenate(kept))
