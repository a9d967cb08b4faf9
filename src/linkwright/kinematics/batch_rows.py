"""Arrays with leading batch axes, as callers give them."""

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
