"""Checks at the door: what callers give, as arrays or as a sentence saying what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler import UnitVector
from linkwright.compiler.runtime import arguments as compiled_arguments
from linkwright.errors import ArgumentError, MechanismError
from linkwright.formulations.kinds import Minimal, Multipliers, VirtualSprings
from linkwright.formulations.roads import Hanzaki, Khan, Rao
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
    try:
        return np.stack(np.broadcast_arrays(*rows), axis=-2)
    except ValueError:
        shapes = {name: row.shape for name, row in zip(bodies, rows, strict=True) if name in w_ext}
        raise ArgumentError(f"the leading axes of w_ext do not fit together: {shapes}") from None


def real(title: str, value: Any) -> np.ndarray:
    """A float64 array of real numbers."""
    return compiled_arguments.real(title, value).astype(np.float64, copy=False)


def names(title: str, value: Any, such: str = "['theta1', 'theta2']") -> tuple[str, ...]:
    """A tuple of names from a list of texts; `such` would do, for the message."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(x, str) for x in value):
        raise ArgumentError(f"{title} is {value!r}, expected a list of names such as {such}")
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
        if key.endswith((".qw", ".qx", ".qy", ".qz")):
            raise ArgumentError(
                f"{title} names {key!r}, one part of a quaternion, which cannot be held alone; use a guess"
            )
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


def unit_quaternions(title: str, q: np.ndarray, units: Sequence[UnitVector]) -> np.ndarray:
    """Coordinates (..., nq) with quaternions of norm 1; one too far from it is refused, in a batch its row is NaN."""
    if not units:
        return q
    out = np.array(q, dtype=float)
    for unit in units:
        good = compiled_arguments.is_unit(unit, out)
        if out.ndim == 1 and not good:
            raise ArgumentError(compiled_arguments.not_unit(unit, title, out))
        with np.errstate(divide="ignore", invalid="ignore"):
            out[..., unit.part] /= np.linalg.norm(out[..., unit.part], axis=-1, keepdims=True)
        out[~good] = np.nan
    return out


def require_mass(mech: Mechanism) -> None:
    """Refuse questions that divide by the mass of a machine without any."""
    if not any(body.inertia.mass > 0 for body in mech.bodies):
        raise MechanismError(f"mechanism '{mech.name}' has no mass, so no mass centre; give masses")


def replaced(mech: Mechanism, inertias: Mapping[str, Inertia]) -> Mechanism:
    """The mechanism with the inertias of some bodies replaced."""
    if not isinstance(inertias, Mapping):
        raise ArgumentError(f"inertias is {inertias!r}, expected a dictionary of body names and Inertia records")
    for name, inertia in inertias.items():
        if name not in mech.names:
            raise ArgumentError(f"inertias names the unknown body {name!r}{suggestion(name, mech.names)}")
        if not isinstance(inertia, Inertia):
            raise ArgumentError(f"inertias[{name!r}] is {inertia!r}, expected an Inertia record")
    bodies = tuple(replace(body, inertia=inertias.get(body.name, body.inertia)) for body in mech.bodies)
    return replace(mech, bodies=bodies)


def position(name: str, known: Sequence[str]) -> int:
    """Where a name stands among known ones."""
    if name not in known:
        raise ArgumentError(f"independent names the unknown speed {name!r}{suggestion(name, known)}")
    return list(known).index(name)


def joined(parts: Mapping[str, tuple[Any, int]]) -> list[np.ndarray]:
    """Arrays of given last sizes with their leading axes made equal; None stands for zeros."""
    arrays = {title: batch(title, value, size) for title, (value, size) in parts.items() if value is not None}
    try:
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        shapes = {title: array.shape for title, array in arrays.items()}
        raise ArgumentError(f"the leading axes do not fit together: {shapes}") from None
    return [np.broadcast_to(arrays.get(title, np.zeros(size)), (*lead, size)) for title, (_, size) in parts.items()]


def choice(title: str, value: Any, known: tuple[str, ...]) -> str:
    """One of some words."""
    if value not in known:
        raise ArgumentError(f"{title} is {value!r}, expected one of {', '.join(map(repr, known))}")
    return str(value)


def formulation(value: Any) -> Any:
    """How loops are solved: None or one of the objects that say so."""
    if value is None or isinstance(value, Multipliers | Minimal | VirtualSprings | Khan | Rao | Hanzaki):
        return value
    raise ArgumentError(
        f"formulation is {value!r}, expected Multipliers(...), Minimal(...), VirtualSprings(...), or a paper's road: "
        "Khan(...), Rao(...), Hanzaki()"
    )


def count(title: str, value: Any) -> int:
    """A whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(f"{title} is {value!r}, expected a whole number of at least 1")
    return value


def positive(title: str, value: Any) -> float:
    """A finite number above zero."""
    number = float(vector(title, [value], 1)[0])
    if number <= 0.0:
        raise ArgumentError(f"{title} is {number:g}, expected a number above zero")
    return number


def put(out: Any, result: np.ndarray) -> np.ndarray:
    """The result, written into `out` when one was given."""
    if out is None:
        return result
    if (
        not isinstance(out, np.ndarray)
        or out.shape != result.shape
        or out.dtype != np.float64
        or not out.flags.writeable
    ):
        raise ArgumentError(f"out must be a writeable float64 array of shape {result.shape}, found {out!r:.80}")
    out[...] = result
    return out


def taking_out(answer: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The same function with an `out` argument."""
    return lambda *arrays, out=None: put(out, answer(*arrays))


_TRACED = {
    "inverse_dynamics_derivatives": "inverse_derivatives",
    "forward_dynamics_derivatives": "forward_derivatives",
    "reactions": "joint_wrenches",
}


def public(name: str) -> str:
    """The traced name of a public function; those of a frame have no program without one."""
    if name.startswith("frame_") or name == "beam_points":
        raise ArgumentError(f"'{name}' has no program of its own: it depends on the frame asked for")
    return _TRACED.get(name, name)
