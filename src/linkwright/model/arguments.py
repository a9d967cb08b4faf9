"""Checks of arguments: arrays of the right shape, or an error that names what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.checks import require_integer, require_vector
from linkwright.compiler import UnitVector
from linkwright.compiler.runtime.kernel import is_unit, not_unit
from linkwright.errors import ArgumentError, MechanismError
from linkwright.formulations.formulation import Formulation
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.functions.setup import normalized_quaternion_argument
from linkwright.kinematics.query import COMPONENTS, batch_array, real_array
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Inertia
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import QUATERNION_NORM

MOST_GUESSES = 1_000_000  # random starts of one search


def require_start_count(title: str, value: Any) -> int:
    """A number of random starts."""
    return require_integer(title, value, 1, MOST_GUESSES)


def require_share(title: str, value: Any) -> float:
    """A number between 0 and 1."""
    found = checks.require_number(title, value)
    if not 0.0 < found < 1.0:
        raise ArgumentError(f"{title} is {value!r}, expected a number between 0 and 1")
    return found


def leading_axes(titles: Sequence[str], arrays: Sequence[np.ndarray | None]) -> tuple[int, ...]:
    """Common leading axes of arrays (..., n); None counts for nothing."""
    if all(x is None or x.ndim == 1 for x in arrays):
        return ()
    shapes = {title: x.shape for title, x in zip(titles, arrays, strict=True) if x is not None}
    try:
        return np.broadcast_shapes(*(shape[:-1] for shape in shapes.values()))
    except ValueError:
        raise ArgumentError(f"the leading axes do not fit together: {shapes}") from None


def external_wrenches(w_ext: Any, bodies: Sequence[str]) -> Any:
    """External wrenches (..., n_bodies, 6) from an array or from {body: wrench}."""
    if not isinstance(w_ext, Mapping):
        return w_ext
    rows = []
    for name in w_ext:
        if not isinstance(name, str) or name not in bodies:
            raise ArgumentError(f"w_ext names the unknown body {name!r}{suggest_name(name, bodies)}")
    zero = np.zeros(6)
    for name in bodies:
        row = real_array(f"w_ext[{name!r}]", w_ext.get(name, zero))
        if row.shape[-1:] != (6,):
            raise ArgumentError(f"w_ext[{name!r}] has shape {row.shape}, expected (..., 6): moment, then force")
        rows.append(row)
    try:
        return np.stack(np.broadcast_arrays(*rows), axis=-2)
    except ValueError:
        shapes = {name: row.shape for name, row in zip(bodies, rows, strict=True) if name in w_ext}
        raise ArgumentError(f"the leading axes of w_ext do not fit together: {shapes}") from None


def require_rows(title: str, value: Any, size: int) -> np.ndarray:
    """Finite rows of the given size, (n, size)."""
    array = real_array(title, value)
    if array.ndim != 2 or array.shape[1] != size:
        raise ArgumentError(f"{title} has shape {array.shape}, expected (n, {size})")
    if not np.all(np.isfinite(array)):
        raise ArgumentError(f"{title} holds a value that is not finite; every row must be finite numbers")
    return array


def fixed_coordinate_indices(title: str, value: Any, known: Sequence[str]) -> dict[int, float]:
    """Indices in q and values from {coordinate name: value}."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{title} is {value!r:.80}, expected a dictionary of coordinate names and values")
    out = {}
    for key, number in value.items():
        if not isinstance(key, str) or key not in known:
            raise ArgumentError(f"{title} names the unknown coordinate {key!r}{suggest_name(key, known)}")
        if key.endswith((".qw", ".qx", ".qy", ".qz")):
            raise ArgumentError(
                f"{title} names {key!r}, one part of a quaternion, which cannot be held alone; use a guess"
            )
        out[list(known).index(key)] = float(require_vector(f"{title}[{key!r}]", [number], 1)[0])
    return out


def unit_quaternions(title: str, q: np.ndarray, units: Sequence[UnitVector]) -> np.ndarray:
    """Coordinates (..., nq) with quaternions of norm 1; one too far from it is refused, in a batch its row is NaN."""
    if not units:
        return q
    out = np.array(q, dtype=float)
    if out.ndim == 1:
        return _one_of_unit_quaternions(title, out, units)
    for unit in units:
        good = is_unit(unit, out)
        with np.errstate(divide="ignore", invalid="ignore"):
            w, x, y, z = np.moveaxis(out[..., unit.part], -1, 0)
            out[..., unit.part] /= np.sqrt(w * w + x * x + y * y + z * z)[..., None]
        out[~good] = np.nan
    return out


def _one_of_unit_quaternions(title: str, q: np.ndarray, units: Sequence[UnitVector]) -> np.ndarray:
    for unit in units:
        part = q[unit.part]
        w, x, y, z = part.tolist()
        norm = math.sqrt(w * w + x * x + y * y + z * z)  # as in a batch, bit for bit
        if not abs(norm - 1.0) <= unit.tolerance:
            raise ArgumentError(not_unit(unit, title, q))
        part /= norm
    return q


def needed_at_cuts(function: str, name: str, **given: Any) -> dict[str, Any]:
    """The arguments that rates of actuators at cut joints need, or an error that names the missing ones."""
    missing = [title for title, value in given.items() if value is None]
    if missing:
        raise ArgumentError(
            f"{function} of '{name}' needs {' and '.join(missing)}: an actuator sits at a cut joint, and its rates "
            f"depend on the configuration; give {', '.join(f'{title}=...' for title in missing)}"
        )
    return given


def require_mechanism_mass(mech: Mechanism) -> None:
    """Refuse functions that divide by the mass of a mechanism without any."""
    if not any(body.inertia.mass > 0 for body in mech.bodies):
        raise MechanismError(f"mechanism '{mech.name}' has no mass, so no mass center; give masses")


def replace_inertias(mech: Mechanism, inertias: Mapping[str, Inertia]) -> Mechanism:
    """The mechanism with the inertias of some bodies replaced."""
    if not isinstance(inertias, Mapping):
        raise ArgumentError(f"inertias is {inertias!r}, expected a dictionary of body names and Inertia records")
    for name, inertia in inertias.items():
        if not isinstance(name, str) or name not in mech.names:
            raise ArgumentError(f"inertias names the unknown body {name!r}{suggest_name(name, mech.names)}")
        if not isinstance(inertia, Inertia):
            raise ArgumentError(f"inertias[{name!r}] is {inertia!r}, expected an Inertia record")
    bodies = tuple(replace(body, inertia=inertias.get(body.name, body.inertia)) for body in mech.bodies)
    return replace(mech, bodies=bodies)


def require_formulation(value: Any) -> Any:
    """Formulation of closed loops: None or one of the records."""
    if value is None or isinstance(value, Formulation):
        return value
    raise ArgumentError(
        f"formulation is {value!r}, expected Multipliers(...), Minimal(...), VirtualSprings(...), LegByLeg(), "
        "or one of lw.papers: Khan(...), Rao(...), Hanzaki()"
    )


def write_to_out(out: Any, result: np.ndarray) -> np.ndarray:
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


def taking_out(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The same function with an `out` argument."""
    return lambda *arrays, out=None: write_to_out(out, function(*arrays))


def require_output_frame(mech: Mechanism, frame: Any = None) -> str:
    """The frame or body that is asked for; when None the mechanism's output, or the message that asks for one."""
    if frame is not None:
        return checks.require_text("frame", frame)
    found = output_frame(mech)
    if not found:
        raise MechanismError(
            f"mechanism '{mech.name}' names no platform; say which frame or body is meant, for example "
            f"frame='{mech.names[-1]}', or add `platform: <frame>` to the file"
        )
    return found


def component_rows(components: Sequence[str] | None) -> list[int]:
    """Indices of the named components of a pose or twist, angular ones first; all when none are named."""
    if components is None:
        return list(range(6))
    wanted = checks.require_texts("components", components, "['z', 'rx', 'ry']")
    if not wanted:
        raise ArgumentError(f"components is empty, so no pose is requested; name some of {', '.join(COMPONENTS)}")
    if len(set(wanted)) < len(wanted):
        raise ArgumentError(f"components is {list(wanted)}, and a component is named twice; name each once")
    for each in wanted:
        if each not in COMPONENTS:
            raise ArgumentError(f"components names the unknown component '{each}'{suggest_name(each, COMPONENTS)}")
    return [i for i, each in enumerate(COMPONENTS) if each in wanted]


def named_arguments(method: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a method by name, those that are given."""
    takes = signature(method)
    try:
        bound = takes.bind(None, *given, **named).arguments
    except TypeError as error:
        known = ", ".join(name for name in takes.parameters if name not in ("self", "out"))
        raise ArgumentError(f"{method.__name__} takes {known}: {error}") from None
    return {name: x for name, x in bound.items() if x is not None and name not in ("self", "out")}


def as_arrays(given: Mapping[str, Any], bodies: Sequence[str]) -> dict[str, Any]:
    """Named arguments with numbers as arrays."""
    out = {name: external_wrenches(x, bodies) if name == "w_ext" else x for name, x in given.items()}
    return {name: real_array(name, x) if name in _AXES else x for name, x in out.items()}


# Axes of one state, for arguments that broadcast.
_AXES = {"q": 1, "v": 1, "a": 1, "tau": 1, "w_ext": 2}


def row_of(given: Mapping[str, Any], row: Any, lead: tuple[int, ...]) -> dict[str, Any]:
    """The arguments of one row of a batch."""
    return {
        name: np.broadcast_to(x, (*lead, *x.shape[x.ndim - _AXES[name] :]))[row] if name in _AXES else x
        for name, x in given.items()
    }


def pose_array(value: Any) -> np.ndarray:
    """A pose given as a pair, as origin x y z and unit quaternion w x y z in one array, (..., 7)."""
    found = _one_pose(value)
    if found is not None:
        return found
    parts = origin_and_quaternion(value)
    lead = leading_axes(["pose origin", "pose quaternion"], parts)
    return np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])) for x in parts], axis=-1)


def wrong_norms(value: Any, rows: np.ndarray) -> np.ndarray | None:
    """Norms of a batch's quaternions where poses came out as rows of NaN; None where none did."""
    if rows.ndim == 1 or not np.isnan(rows[..., 3]).any():
        return None
    return np.linalg.norm(real_array("pose[1]", value[1]), axis=-1)


def _one_pose(value: Any) -> np.ndarray | None:
    """The same for one pose in plain arrays of good numbers, without calls in between; None for all others."""
    if not isinstance(value, tuple) or len(value) != 2 or not all(type(x) is np.ndarray for x in value):
        return None
    xyz, wxyz = value
    if xyz.shape != (3,) or wxyz.shape != (4,) or xyz.dtype != np.float64 or wxyz.dtype != np.float64:
        return None
    out = np.empty(7)
    out[:3], out[3:] = xyz, wxyz
    x, y, z, a, b, c, d = out.tolist()
    norm = math.sqrt(a * a + b * b + c * c + d * d)
    if not (abs(norm - 1.0) <= QUATERNION_NORM and math.isfinite(x + y + z)):
        return None
    out[3:] /= norm
    return out


def origin_and_quaternion(value: Any) -> Pose:
    """Origin (..., 3) and unit quaternion w x y z (..., 4) of a pose given as a pair."""
    if not isinstance(value, Sequence) or len(value) != 2:
        raise ArgumentError("pose is the pair (origin x y z, quaternion w x y z); give both")
    xyz, wxyz = batch_array("pose origin", value[0], 3), batch_array("pose quaternion", value[1], 4)
    return Pose(xyz, unit_quaternions("pose[1]", wxyz, (normalized_quaternion_argument(0, "quaternion"),)))
