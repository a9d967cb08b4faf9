"""Checks at the door: what callers give, as arrays or as a sentence saying what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, MechanismError
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggestion
from linkwright.mechanism.records import Inertia


def wrenches(w_ext: Any, bodies: Sequence[str]) -> Any:
    """External wrenches (..., n_bodies, 6) from an array or from {body: wrench}."""
    if not isinstance(w_ext, Mapping):
        return w_ext
    rows = []
    for name in w_ext:
        if name not in bodies:
            raise ArgumentError(f"w_ext names the unknown body {name!r}{suggestion(name, bodies)}")
    zero = np.zeros(6)
    for name in bodies:
        row = real(f"w_ext[{name!r}]", w_ext.get(name, zero))
        if row.shape[-1:] != (6,):
            raise ArgumentError(f"w_ext[{name!r}] has shape {row.shape}, expected (..., 6): moment, then force")
        rows.append(row)
    return np.stack(np.broadcast_arrays(*rows), axis=-2)


def real(name: str, value: Any) -> np.ndarray:
    """A float64 array of real numbers."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"{name} is not an array of numbers: {error}") from None
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"{name} has dtype {array.dtype}, expected real numbers")
    return array.astype(np.float64, copy=False)


def names(title: str, value: Any) -> tuple[str, ...]:
    """A tuple of names from a list of texts."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(x, str) for x in value):
        raise ArgumentError(f"{title} is {value!r}, expected a list of names such as ['theta1', 'theta2']")
    return tuple(value)


def name(title: str, value: Any) -> str:
    """A single name."""
    if not isinstance(value, str):
        raise ArgumentError(f"{title} is {value!r}, expected a name as text")
    return value


def vector(title: str, value: Any, size: int) -> np.ndarray:
    """One finite vector of the given size."""
    array = real(title, value)
    if array.shape != (size,):
        raise ArgumentError(f"{title} has shape {array.shape}, expected ({size},)")
    if not np.all(np.isfinite(array)):
        raise ArgumentError(f"{title} holds {array[~np.isfinite(array)][0]}, expected finite numbers")
    return array


def rows(title: str, value: Any, size: int) -> np.ndarray:
    """Finite rows of the given size, (n, size)."""
    array = real(title, value)
    if array.ndim != 2 or array.shape[1] != size:
        raise ArgumentError(f"{title} has shape {array.shape}, expected (n, {size})")
    if not np.all(np.isfinite(array)):
        raise ArgumentError(f"{title} holds a value that is not finite; every row must be finite numbers")
    return array


def places(title: str, value: Any, known: Sequence[str]) -> dict[int, float]:
    """Places in q and values from {coordinate name: value}."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{title} is {value!r}, expected a dictionary of coordinate names and values")
    out = {}
    for key, number in value.items():
        if key not in known:
            raise ArgumentError(f"{title} names the unknown coordinate {key!r}{suggestion(key, known)}")
        out[list(known).index(key)] = float(vector(f"{title}[{key!r}]", [number], 1)[0])
    return out


def batch(title: str, value: Any, size: int) -> np.ndarray:
    """Numbers with any leading axes, (..., size); a single row must be finite."""
    array = real(title, value)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ArgumentError(f"{title} has shape {array.shape}, expected (..., {size})")
    if array.ndim == 1 and not np.all(np.isfinite(array)):
        raise ArgumentError(f"{title} holds {array[~np.isfinite(array)][0]}, expected finite numbers")
    return array


def require_mass(mech: Mechanism) -> None:
    """Refuse questions that divide by the mass of a machine without any."""
    if not any(body.inertia.mass > 0 for body in mech.bodies):
        raise MechanismError(f"mechanism '{mech.name}' has no mass, so no mass centre; give masses")


def replaced(mech: Mechanism, inertias: Mapping[str, Inertia]) -> Mechanism:
    """The mechanism with the inertias of some bodies replaced."""
    for name in inertias:
        if name not in mech.names:
            raise ArgumentError(f"inertias names the unknown body {name!r}{suggestion(name, mech.names)}")
    bodies = tuple(replace(body, inertia=inertias.get(body.name, body.inertia)) for body in mech.bodies)
    return replace(mech, bodies=bodies)


def require_tree(mech: Mechanism) -> None:
    """Refuse questions that vary coordinates one by one when loops tie them together."""
    if mech.loops or mech.couplings:
        raise MechanismError(f"mechanism '{mech.name}' has loops, so its coordinates cannot vary freely; use linearise")


def position(name: str, known: Sequence[str]) -> int:
    """Where a name stands among known ones."""
    if name not in known:
        raise ArgumentError(f"independent names the unknown speed {name!r}{suggestion(name, known)}")
    return list(known).index(name)
