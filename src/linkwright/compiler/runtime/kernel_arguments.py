"""From the arguments of a call to contiguous float64 arrays, or to an error message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.checks import is_masked, quote_value, require_real_array
from linkwright.compiler.trace.program import GIVEN, Port, Signature, UnitVector
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError


@dataclass(frozen=True)
class Arguments:
    """Inputs ready for machine code.

    Attributes:
        batch: leading axes of the result.
        arrays: contiguous float64, either one row or one row per state.
        strides: doubles from one state to the next, 0 where a single row serves all.
    """

    batch: tuple[int, ...]
    arrays: tuple[np.ndarray, ...]
    strides: tuple[int, ...]


def checked_arguments(signature: Signature, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> Arguments:
    """Inputs by position or name, converted, with their leading axes broadcast."""
    given = [
        require_real_array(f"input '{port.name}'", x)
        for port, x in zip(signature.inputs, signature.bind(arrays, named), strict=True)
    ]
    leading = [port.leading_axes(x.shape) for port, x in zip(signature.inputs, given, strict=True)]
    try:
        batch = np.broadcast_shapes(*leading)
    except ValueError:
        shapes = {port.name: x.shape for port, x in zip(signature.inputs, given, strict=True)}
        prepared = shapes.pop(GIVEN, ())  # from parameters: the caller has none of that name
        of = f", with parameters for {prepared[:-1]}" if prepared[:-1] else ""
        raise ArgumentError(f"the leading axes of the inputs do not fit together: {shapes}{of}") from None
    rows = [_input_rows(port, x, own, batch) for port, x, own in zip(signature.inputs, given, leading, strict=True)]
    if not batch:
        _require_finite(signature, [x for x, _ in rows])
        _require_units(signature, [x for x, _ in rows])
    return Arguments(batch, tuple(x for x, _ in rows), tuple(s for _, s in rows))


def _input_rows(port: Port, x: np.ndarray, own: tuple[int, ...], batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    if all(n == 1 for n in own):
        return np.ascontiguousarray(x, dtype=np.float64), 0
    full = x if own == batch else np.broadcast_to(x, (*batch, *port.shape))
    return np.require(full, np.float64, ["C", "A"]), port.size


def _require_finite(signature: Signature, rows: Sequence[np.ndarray]) -> None:
    for port, x in zip(signature.inputs, rows, strict=True):
        bad = np.flatnonzero(~np.isfinite(x))
        if bad.size:
            where = tuple(int(i) for i in np.unravel_index(bad[0], port.shape)) if port.shape else ()
            index = "".join(f"[{i}]" for i in where)
            raise ArgumentError(f"{port.name}{index} is {x.ravel()[bad[0]]}, expected a finite number")


def _require_units(signature: Signature, rows: Sequence[np.ndarray]) -> None:
    for i, unit in signature.units:
        if not is_unit(unit, rows[i].ravel()):
            raise ArgumentError(not_unit(unit, signature.inputs[i].name, rows[i].ravel()))


def is_unit(unit: UnitVector, x: np.ndarray) -> Any:
    """Return True where the part of x (..., n) that should have norm 1 does; False where it holds NaN."""
    return np.abs(np.linalg.norm(x[..., unit.part], axis=-1) - 1.0) <= unit.tolerance


def not_unit(unit: UnitVector, title: str, x: np.ndarray) -> str:
    """The message for a vector that should have norm 1 and does not."""
    norm = float(np.linalg.norm(x[unit.part]))
    where = f"{title}[{unit.start}:{unit.start + unit.size}]"
    return f"{where}, the {unit.name}, has norm {norm:.6g}, expected 1 within {unit.tolerance:g}; divide it by its norm"


def good_rows(signature: Signature, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Flags of the rows of the inputs, each (n, ...), with finite numbers only and unit vectors where due, (n,)."""
    flat = [x.reshape(len(x), -1) for x in arrays]
    good = np.all([np.isfinite(x).all(axis=1) for x in flat], axis=0)
    for i, unit in signature.units:
        good &= is_unit(unit, flat[i])
    return good


def output_arrays(
    signature: Signature, batch: tuple[int, ...], out: Any, inputs: Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """Fresh arrays, or the caller's after checking that results can be written there."""
    if out is None:
        return {port.name: np.empty((*batch, *port.shape)) for port in signature.outputs}
    names = [port.name for port in signature.outputs]
    if isinstance(out, np.ndarray):
        out = (out,)
    if not isinstance(out, Mapping | Sequence) or isinstance(out, str):
        raise ArgumentError(f"out is {quote_value(out)}, expected one array for each of {names}")
    if len(out) != len(names) or (isinstance(out, Mapping) and set(out) != set(names)):
        raise ArgumentError(f"out has {len(out)} entries, expected one array for each of {names}")
    given = dict(out) if isinstance(out, Mapping) else dict(zip(names, out, strict=True))
    taken = list(inputs)
    for port in signature.outputs:
        _check_out(port, given[port.name], batch, taken)
        taken.append(given[port.name])
    return {name: given[name] for name in names}


def _check_out(port: Port, x: Any, batch: tuple[int, ...], taken: Sequence[np.ndarray]) -> None:
    shape = (*batch, *port.shape)
    if not isinstance(x, np.ndarray) or is_masked(x) or x.dtype != np.float64 or x.shape != shape:
        found = f"{x.dtype} {x.shape}" if type(x) is np.ndarray else type(x).__name__
        raise ArgumentError(f"out for '{port.name}' is {found}, expected a float64 array of shape {shape}")
    if not (x.flags.writeable and x.flags.c_contiguous and x.flags.aligned):
        raise ArgumentError(f"out for '{port.name}' must be writeable and C-contiguous; pass np.empty({shape})")
    if any(np.may_share_memory(x, other) for other in taken):
        raise ArgumentError(
            f"out for '{port.name}' shares memory with an input or another output; pass a separate array"
        )
