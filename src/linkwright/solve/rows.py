"""Dense algebra on batches in which some rows may be NaN; such rows stay NaN and disturb no other."""

from __future__ import annotations

import numpy as np


def least_norm(A: np.ndarray, b: np.ndarray, rcond: float = 1e-11) -> np.ndarray:
    """Least-norm least-squares solutions x of A x = b, (..., n), for A (..., m, n) and b (..., m)."""
    lead = np.broadcast_shapes(A.shape[:-2], b.shape[:-1])
    A, b = np.broadcast_to(A, (*lead, *A.shape[-2:])), np.broadcast_to(b, (*lead, b.shape[-1]))
    bad = ~(np.isfinite(A).all(axis=(-2, -1)) & np.isfinite(b).all(axis=-1))
    clean = np.where(bad[..., None, None], 0.0, A)
    x = (np.linalg.pinv(clean, rcond=rcond) @ np.where(bad[..., None], 0.0, b)[..., None])[..., 0]
    return np.where(bad[..., None], np.nan, x)
