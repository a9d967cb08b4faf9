"""Checks of numbers given to references and laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import checks
from linkwright.checks import require_finite_array
from linkwright.compiler import Scalar
from linkwright.errors import ArgumentError

Array = np.ndarray
_NUMBERS = (float, int, np.floating, np.integer, Scalar)


def finite_row(name: str, given: Any, size: int | None = None) -> Array:
    """A read-only (k,) array of finite numbers; a single number is repeated when the size is known."""
    found = require_finite_array(name, given)
    if found.ndim == 0:
        found = np.full(1 if size is None else size, float(found))
    if found.ndim != 1 or (size is not None and len(found) != size):
        expected = "(k,)" if size is None else f"({size},)"
        raise ArgumentError(f"{name} has shape {found.shape}, expected {expected}")
    found.setflags(write=False)
    return found


def nonnegative_gains(record: Any, size: int, *names: str) -> dict[str, Array]:
    """Attributes of a record by name, (size,) each; numbers below zero would drive the mechanism away."""
    found = {name: finite_row(name, getattr(record, name), size) for name in names}
    for name, values in found.items():
        if np.any(values < 0.0):
            given = getattr(record, name)
            raise ArgumentError(f"{name} is {given!r:.80}, expected numbers that are not below zero")
    return found


def scalar_array(name: str, given: Any, size: int | None = None) -> Any:
    """Plain or recorded numbers as an array, (..., size) where a size is stated."""
    try:
        found = np.asarray(given)
    except (TypeError, ValueError):
        found = np.asarray("")
    if found.dtype == object and all(isinstance(x, int | float | np.number) for x in found.flat):
        found = found.astype(float)  # whole numbers beyond 64 bits
    if found.dtype.kind not in "fiu" and not (
        found.dtype == object and all(isinstance(x, _NUMBERS) for x in found.flat)
    ):
        checks.refuse_argument(name, given, "numbers")
    if size is not None and found.shape[-1:] != (size,):
        raise ArgumentError(f"{name} has shape {found.shape}, expected (..., {size})")
    return found


def compatible_states(model: Any, t: Any, q: Any, v: Any) -> tuple[Any, Any, Any]:
    """Times (...), coordinates (..., nq) and velocities (..., nv) whose leading axes fit together."""
    t, q, v = scalar_array("t", t), scalar_array("q", q, model.nq), scalar_array("v", v, model.nv)
    try:
        np.broadcast_shapes(t.shape, q.shape[:-1], v.shape[:-1])
    except ValueError:
        raise ArgumentError(
            f"t, q and v have shapes {t.shape}, {q.shape} and {v.shape}, and their leading axes do not fit together"
        ) from None
    return t, q, v


def one_state(model: Any, t: Any, q: Any, v: Any) -> tuple[Any, Any, Any]:
    """A time, coordinates (nq,) and velocities (nv,) of one instant."""
    return _scalars_of_shape("t", t, ()), _scalars_of_shape("q", q, (model.nq,)), _scalars_of_shape("v", v, (model.nv,))


def controller_states(law: Any, z: Any) -> Any:
    """States of a controller, (n_states,)."""
    return _scalars_of_shape("z", z, (law.n_states,))


def _scalars_of_shape(name: str, given: Any, shape: tuple[int, ...]) -> Any:
    found = scalar_array(name, given)
    if found.shape != shape:
        raise ArgumentError(f"{name} has shape {found.shape}, expected {shape}: this law takes one state at a time")
    return found


def require_reference(name: str, given: Any, size: int | None = None) -> Any:
    """A reference motion, of so many numbers where a size is stated."""
    checks.require_attributes(
        name, given, ("size", "at"), "a reference with `size` and `at(t)`, for example control.Quintic(...)"
    )
    if size is not None and given.size != size:
        raise ArgumentError(f"{name} is a reference of {given.size} numbers, expected {size}")
    return given


def require_law(name: str, given: Any) -> Any:
    """An effort law."""
    return checks.require_attributes(name, given, ("na", "tau"), "an effort law with `na` and `tau(t, q, v)`")


def set_frozen_fields(record: Any, **values: Any) -> None:
    """Put checked values into a frozen record that is being made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)
