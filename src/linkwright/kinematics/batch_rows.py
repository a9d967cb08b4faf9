"""Arrays with leading batch axes: as callers give them, and least-norm solutions in which rows of NaN stay NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.compiler.runtime import arguments as compiled_arguments
from linkwright.errors import ArgumentError


def real(title: str, value: Any) -> np.ndarray:
    """A float64 array of real numbers."""
    return compiled_arguments.real(title, value).astype(np.float64, copy=False)


def batch(title: str, value: Any, size: int) -> np.ndarray:
    """Numbers with any leading axes, (..., size); a single row must be finite."""
    array = real(title, value)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ArgumentError(f"{title} has shape {array.shape}, expected (..., {size})")
    if array.ndim == 1 and not np.all(np.isfinite(array)):
        raise ArgumentError(f"{title} holds {array[~np.isfinite(array)][0]}, expected finite numbers")
    return array


def joined(parts: Mapping[str, tuple[Any, int]]) -> list[np.ndarray]:
    """Arrays of given last sizes with their leading axes made equal; None stands for zeros."""
    arrays = {title: batch(title, value, size) for title, (value, size) in parts.items() if value is not None}
    try:
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        shapes = {title: array.shape for title, array in arrays.items()}
        raise ArgumentError(f"the leading axes do not fit together: {shapes}") from None
    return [np.broadcast_to(arrays.get(title, np.zeros(size)), (*lead, size)) for title, (_, size) in parts.items()]


def least_norm(A: np.ndarray, b: np.ndarray, rcond: float = 1e-11) -> np.ndarray:
    """Least-norm least-squares solutions x of A x = b, (..., n), for A (..., m, n) and b (..., m)."""
    lead = np.broadcast_shapes(A.shape[:-2], b.shape[:-1])
    A, b = np.broadcast_to(A, (*lead, *A.shape[-2:])), np.broadcast_to(b, (*lead, b.shape[-1]))
    bad = ~(np.isfinite(A).all(axis=(-2, -1)) & np.isfinite(b).all(axis=-1))
    clean = np.where(bad[..., None, None], 0.0, A)
    x = (np.linalg.pinv(clean, rcond=rcond) @ np.where(bad[..., None], 0.0, b)[..., None])[..., 0]
    return np.where(bad[..., None], np.nan, x)


def of_rank(A: np.ndarray, b: np.ndarray, rank: int) -> np.ndarray:
    """Least-norm least-squares solutions x of A x = b for matrices of a known rank; further singular values are noise.

    Of the others those below 1e-9 of the largest are left out too. A is (..., m, n) and b (..., m).
    """
    bad = ~(np.isfinite(A).all(axis=(-2, -1)) & np.isfinite(b).all(axis=-1))
    U, s, Vt = np.linalg.svd(np.where(bad[..., None, None], 0.0, A), full_matrices=False)
    U, s, Vt = U[..., :rank], s[..., :rank], Vt[..., :rank, :]
    lost = s <= 1e-9 * s[..., :1]
    y = (np.swapaxes(U, -1, -2) @ np.where(bad[..., None], 0.0, b)[..., None])[..., 0]
    y = np.where(lost, 0.0, y / np.where(lost, 1.0, s))
    x = (np.swapaxes(Vt, -1, -2) @ y[..., None])[..., 0]
    return np.where(bad[..., None], np.nan, x)
