"""A motion given as a reference, a function, an array or a CSV file, with its rates and accelerations at times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.algebra.jets import Jet, as_jet
from linkwright.checks import require_real_array
from linkwright.control.pose_references import Kinematics, euler_quaternion, pose_kinematics
from linkwright.errors import ArgumentError
from linkwright.formats.tables import TitledTable, is_table, read_table
from linkwright.model.actuator_records import ModelActuator
from linkwright.numerics.tolerances import END_OF_WAY

Array = np.ndarray
POSE = ("x", "y", "z", "rx", "ry", "rz")
QUATERNION = ("qw", "qx", "qy", "qz")
POSE_UNITS = {**dict.fromkeys(POSE[:3], "m"), **dict.fromkeys(POSE[3:], "rad"), **dict.fromkeys(QUATERNION, "")}
_DEGREE = 5


def check_times(t: Any) -> Array:
    """Times (n,), ascending; a number is the end of 201 times from zero."""
    found = require_real_array("t", t).astype(float)
    if found.ndim == 0:
        if not (np.isfinite(found) and found > 0.0):
            raise ArgumentError(f"t is {t!r}, expected an end time above zero [s], or an array of times")
        return np.linspace(0.0, float(found), 201)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise ArgumentError(f"t has shape {found.shape}, expected finite times (n,) [s], or the end time")
    if np.any(np.diff(found) <= 0.0):
        k = int(np.argmax(np.diff(found) <= 0.0)) + 1
        raise ArgumentError(f"times must ascend, but t[{k}] = {found[k]:g} follows {found[k - 1]:g}")
    return found


def is_reference(given: Any) -> bool:
    """True for an object whose motion at times is that of its method `at`."""
    return callable(getattr(given, "at", None)) and not isinstance(given, type)


def actuators_at(
    given: Any, t: Array, actuators: Sequence[ModelActuator], knots: Array | None = None
) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of the actuators, (n, na) each; rows of an array are at `knots`."""
    na = len(actuators)
    if is_reference(given):
        found = tuple(np.asarray(x, dtype=float) for x in given.at(t))
    elif callable(given):
        found = _jet_columns(_function_jets(given, t, "q_act", (na,)), len(t))
    elif is_table(given):
        found = _spline_motion(*timed_rows(given, actuator_columns(actuators), t), t)
    else:
        at = t if knots is None else knots
        found = _spline_motion(at, _check_motion_rows("q_act", given, len(at), na), t)
    if any(x.shape != (len(t), na) for x in found):
        names = ", ".join(each.name for each in actuators)
        raise ArgumentError(f"q_act gives shape {found[0].shape}, expected ({len(t)}, {na}): {names}")
    return found  # type: ignore[return-value]


def poses_at(given: Any, t: Array, sequence: str = "xyz", knots: Array | None = None) -> Kinematics:
    """Poses, twists and twist rates of a frame, with n rows; rows of an array are at `knots`."""
    if is_reference(given):
        pose, twist, rate = given.at(t)
        return pose, np.asarray(twist), np.asarray(rate)
    if callable(given):
        return _from_jets(_function_jets(given, t, "pose", (6, 7)), len(t), sequence)
    if is_table(given):
        table = read_table(given, "motion")
        own, values = timed_rows(table, pose_columns(table), t)
        return _from_jets(_spline_jets(own, _continue_orientations(values), t), len(t), sequence)
    at = t if knots is None else knots
    values = check_pose_rows(given, len(at))
    return _from_jets(_spline_jets(at, _continue_orientations(values), t), len(t), sequence)


def check_pose_rows(given: Any, n: int) -> Array:
    """x y z and angles (n, 6), or x y z and quaternion (n, 7), from an array or a pair."""
    if isinstance(given, tuple) and len(given) == 2:
        xyz, wxyz = (require_real_array("pose", x).astype(float) for x in given)
        if any(x.shape not in ((k,), (n, k)) for x, k in ((xyz, 3), (wxyz, 4))):
            raise ArgumentError(f"pose has shapes {xyz.shape} and {wxyz.shape}, expected ({n}, 3) and ({n}, 4)")
        both = np.concatenate([np.broadcast_to(xyz, (n, 3)), np.broadcast_to(wxyz, (n, 4))], axis=1)
        return _check_motion_rows("pose", both, n, 7)
    found = require_real_array("pose", given).astype(float)
    return _check_motion_rows("pose", found, n, 7 if found.ndim == 2 and found.shape[1] == 7 else 6)


def _check_motion_rows(title: str, given: Any, n: int, size: int) -> Array:
    found = require_real_array(title, given).astype(float)
    if found.shape != (n, size):
        raise ArgumentError(f"{title} has shape {found.shape}, expected ({n}, {size}): a row for each time")
    if not np.isfinite(found).all():
        raise ArgumentError(f"{title} is not finite in row {int(np.argmin(np.isfinite(found).all(axis=1)))}")
    return found


def _continue_orientations(values: Array) -> Array:
    """Rows with quaternions of unit length whose sign does not jump, or with angles that do not jump by turns."""
    out = values.copy()
    if values.shape[1] == 6:
        out[:, 3:] = np.unwrap(values[:, 3:], axis=0)
        return out
    wxyz = values[:, 3:] / np.linalg.norm(values[:, 3:], axis=1, keepdims=True)
    flips = np.where(np.sum(wxyz[1:] * wxyz[:-1], axis=1) < 0.0, -1.0, 1.0)
    out[:, 3:] = wxyz * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
    return out


def _spline_motion(at: Array, values: Array, t: Array) -> tuple[Array, Array, Array]:
    """Values, rates and accelerations of the spline of degree 5 through rows (fewer rows: of lower degree)."""
    if len(at) == 1:
        return values, np.zeros_like(values), np.zeros_like(values)
    from scipy.interpolate import make_interp_spline  # half a second to import

    degree = min(_DEGREE, len(at) - 1)
    curve = make_interp_spline(at, values, k=degree if degree % 2 else degree - 1)
    k = curve.k
    return curve(t), curve.derivative(1)(t), curve.derivative(2)(t) if k > 1 else np.zeros((len(t), values.shape[1]))


def _spline_jets(at: Array, values: Array, t: Array) -> list[Jet]:
    return [Jet(*parts) for parts in zip(*(x.T for x in _spline_motion(at, values, t)), strict=True)]


def _function_jets(function: Any, t: Array, title: str, sizes: tuple[int, ...]) -> list[Jet]:
    """The numbers of a function of time with their derivatives."""
    now = Jet(t, np.ones_like(t), np.zeros_like(t))
    try:
        found = function(now)
        if len(sizes) > 1 and isinstance(found, tuple | list) and len(found) == 2:
            found = [*found[0], *found[1]]
        found = [as_jet(x) for x in found]
    except (TypeError, ValueError, AttributeError) as error:
        raise ArgumentError(
            f"the function given as {title} cannot be differentiated ({error}); write it with NumPy functions of t "
            "(sin, cos, exp, sqrt, arctan2, **), or give an array of its values at the times"
        ) from None
    if len(found) not in sizes:
        known = " or ".join(map(str, sizes))
        raise ArgumentError(f"the function given as {title} returns {len(found)} numbers, expected {known}")
    return found


def _jet_columns(found: list[Jet], n: int) -> tuple[Array, Array, Array]:
    parts = (
        [np.broadcast_to(np.asarray(getattr(x, name), dtype=float), n) for x in found]
        for name in ("value", "rate", "second")
    )
    p, p_dot, p_ddot = (np.stack(part, axis=-1) for part in parts)
    return p, p_dot, p_ddot


def _from_jets(found: list[Jet], n: int, sequence: str) -> Kinematics:
    position, turned = _jet_columns(found[:3], n), found[3:]
    return pose_kinematics(position, turned if len(turned) == 4 else euler_quaternion(turned, sequence))


def pose_columns(table: TitledTable) -> dict[str, str]:
    """Names and SI units of the columns of a pose: x, y, z, and a quaternion where there is one, else angles."""
    turned = QUATERNION if QUATERNION[0] in table else POSE[3:]
    return {name: POSE_UNITS[name] for name in (*POSE[:3], *turned)}


def actuator_columns(actuators: Sequence[ModelActuator]) -> dict[str, str]:
    """Names and SI units of the columns of actuator positions."""
    return {each.name: each.unit for each in actuators}


def times_of_table(given: Any) -> Array:
    """Times of a table, [s]."""
    return check_times(read_table(given, "motion", ["t"]).numbers("t", "s"))


def timed_rows(given: Any, units: Mapping[str, str], t: Array) -> tuple[Array, Array]:
    """Times and rows of the named columns of a table, which must cover the times t."""
    table = read_table(given, "motion", ["t", *units])
    own = times_of_table(table)
    if t[0] < own[0] - END_OF_WAY or t[-1] > own[-1] + END_OF_WAY:
        raise ArgumentError(
            f"{table.source}: its times go from {own[0]:g} to {own[-1]:g} s and do not cover {t[0]:g} to {t[-1]:g} s"
        )
    return own, table.stack(units)
