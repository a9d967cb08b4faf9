"""Checks of numbers given to references and laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import ArgumentError

Array = np.ndarray


def row(name: str, given: Any, size: int | None = None) -> Array:
    """A read-only (k,) array of finite numbers; a single number is repeated when the size is known."""
    found = finite(name, given)
    if found.ndim == 0:
        found = np.full(1 if size is None else size, float(found))
    if found.ndim != 1 or (size is not None and len(found) != size):
        expected = "(k,)" if size is None else f"({size},)"
        raise ArgumentError(f"{name} has shape {found.shape}, expected {expected}")
    found.setflags(write=False)
    return found


def finite(name: str, given: Any) -> Array:
    """A float64 array without NaN and infinity."""
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {given!r}, expected numbers") from None
    if not np.isfinite(found).all():
        raise ArgumentError(f"{name} holds a number that is not finite; check where it comes from")
    return found


def positive(name: str, given: Any) -> float:
    """A finite number above zero."""
    found = finite(name, given)
    if found.shape != () or found <= 0.0:
        raise ArgumentError(f"{name} is {given!r}, expected a number above zero")
    return float(found)


def frozen(record: Any, **values: Any) -> None:
    """Put checked values into a frozen record that is being made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)
