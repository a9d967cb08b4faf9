"""The export target for closed-loop transmissions: C, ros2_control, PyTorch, JAX, tables and a page in one folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.errors import ArgumentError, BatchWarning, LinkwrightError, MotionWarning, withheld_warnings
from linkwright.export.transmissions.array_module import Library, array_module
from linkwright.export.transmissions.c_files import c_files, ros2_control_files
from linkwright.export.transmissions.chebyshev import ChebyshevTable
from linkwright.export.transmissions.pack_programs import TransmissionPack
from linkwright.export.transmissions.ranges import outline_of_box
from linkwright.export.transmissions.transmission_page import transmission_page
from linkwright.formats.units import value_in_si
from linkwright.generated_text import c_identifier
from linkwright.mechanism.loop_parts import part_of_joints, with_merged_turns
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.model.submechanism import Submechanism, submechanism

_LIBRARIES: tuple[Library, ...] = ("torch", "jax")
_SMALLEST = 1e-12


def transmission(
    model: Mechanism | Model,
    motors: str | Sequence[str],
    joints: str | Sequence[str],
    name: str = "transmission",
    ranges: str | Mapping[str, tuple[float, float]] = "",
    table_error: float = 1e-6,
) -> Mapping[str, str | bytes]:
    """A closed-loop ankle, knee, wrist or waist as a pack: C, ros2_control, PyTorch, JAX, tables and a page.

    The loops around the named joints are cut out of the robot; everything else stands still. Maps go both ways:
    positions, rates, efforts with the power they have, and inertia. NAME.json says ranges, bounds and what is left out.

    Args:
        model: a robot with loops, as its file has it.
        motors: names of the motors' joints or actuators, "left_crank right_crank".
        joints: names of the joints they move, as many.
        name: of the files, and prefix in code.
        ranges: of the joints, "pitch=-40 deg..30 deg, roll=-0.3..0.3"; others are those of the file or free of locks.
        table_error: largest error of the tables, in rad or m.

    >>> import linkwright as lw
    >>> files = lw.export.transmission(lw.catalog.load("four-bar"), "theta", "phi", "rocker", "phi=1.2..1.4")
    >>> [file for file in sorted(files) if file.endswith((".py", ".html"))]
    ['rocker.html', 'rocker_jax.py', 'rocker_torch.py']
    """
    mech = model.mechanism if isinstance(model, Model) else model
    checks.require_instance("model", mech, Mechanism, "a Mechanism or a Model; read a file with linkwright.load")
    sides = [_require_names(title, given) for title, given in (("motors", motors), ("joints", joints))]
    prefix = c_identifier(checks.require_text("name", name)).lower()
    error = checks.require_positive("table_error", table_error)
    if error < _SMALLEST:
        raise ArgumentError(f"table_error is {error:g}, and no table has errors below {_SMALLEST:g}")
    sub = transmission_of(mech, *sides)
    with withheld_warnings(BatchWarning, MotionWarning):  # points out of reach end the ranges; idle rods are free
        return _pack_files(TransmissionPack.of(sub, prefix, _require_ranges(sub, ranges), error))


def transmission_of(mech: Mechanism, motors: Sequence[str], joints: Sequence[str]) -> Submechanism:
    """The maps between motors and joints of a robot, whose other joints stand still.

    A name that is both an actuator's and another joint's means the actuator among the motors, the joint among joints.
    """
    known = {joint.name for joint in (*mech.joints, *mech.loops)}
    acts_on = {actuator.name: actuator.joint for actuator in mech.actuators}
    doubtful = {name: joint for name, joint in acts_on.items() if name in known}
    motors = [doubtful.get(name, name) for name in motors]
    mech = replace(mech, actuators=tuple(replace(x, name=doubtful.get(x.name, x.name)) for x in mech.actuators))
    named = [
        name if name in known else acts_on.get(name, name.rpartition(".")[0] or name) for name in (*motors, *joints)
    ]
    for name, given in zip(named, (*motors, *joints), strict=True):
        if name not in known:
            raise ArgumentError(f"'{mech.name}' has no joint '{given}'{suggest_name(given, [*known, *acts_on])}")
    return submechanism(with_merged_turns(part_of_joints(mech, named), named), motors, joints)


def _require_names(title: str, given: str | Sequence[str]) -> list[str]:
    names = given.replace(",", " ").split() if isinstance(given, str) else list(checks.require_texts(title, given))
    if not names:
        raise ArgumentError(f"{title} names no joint", name=title)
    return names


def _require_ranges(
    sub: Submechanism, given: str | Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    pairs: dict[str, Any] = dict(given) if not isinstance(given, str) else _read_ranges(sub, given)
    for joint, pair in pairs.items():
        if joint not in sub.outputs:
            raise ArgumentError(f"ranges names the unknown joint '{joint}'{suggest_name(joint, sub.outputs)}")
        low, high = checks.require_array_shape(f"ranges['{joint}']", pair, (2,)).tolist()
        if not low < high:
            raise ArgumentError(f"the range of '{joint}' is {low:g} to {high:g}; the lower end comes first")
        pairs[joint] = (low, high)
    return pairs


def _read_ranges(sub: Submechanism, text: str) -> dict[str, tuple[float, float]]:
    """Ranges as they are typed; a unit after the second number counts for both.

    >>> import linkwright as lw
    >>> rocker = lw.submechanism(lw.catalog.load("four-bar"), ["theta"], ["phi"])
    >>> _read_ranges(rocker, "phi = 1.9..2 rad")
    {'phi': (1.9, 2.0)}
    """
    units, pairs = {each.name: each.unit for each in sub.posed.actuators}, {}
    for part in filter(str.strip, text.split(",")):
        joint, equals, range_text = (x.strip() for x in part.partition("="))
        low, dots, high = (x.strip() for x in range_text.partition(".."))
        if not (equals and dots and low and high):
            raise ArgumentError(f"'{part.strip()}' is not a range; write for example \"{sub.outputs[0]}=-0.3..0.3\"")
        unit = high.split()[1:]
        low = f"{low} {unit[0]}" if unit and len(low.split()) == 1 else low
        try:
            pairs[joint] = (value_in_si(low, units.get(joint, "rad")), value_in_si(high, units.get(joint, "rad")))
        except ValueError as error:
            raise ArgumentError(f"ranges: {error}") from None
    return pairs


def _pack_files(pack: TransmissionPack) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {**c_files(pack), **ros2_control_files(pack)}
    left_out: dict[str, str] = {}
    for library in _LIBRARIES:
        try:
            files[f"{pack.name}_{library}.py"] = array_module(pack, library)
        except LinkwrightError as reason:
            left_out[f"{pack.name}_{library}.py"] = str(reason)
    for one, table in (("motor", pack.motor_table), ("joint", pack.joint_table)):
        if isinstance(table, str):
            left_out[f"{one} table"] = table
    if isinstance(pack.reflected_inertia, str):
        left_out["reflected inertia"] = pack.reflected_inertia
    files[f"{pack.name}.html"] = transmission_page(pack)
    files[f"{pack.name}.json"] = json.dumps(describe_pack(pack) | {"left_out": left_out}, indent=1) + "\n"
    return files


def describe_pack(pack: TransmissionPack) -> dict[str, Any]:
    """Ranges, gains, tables and their bounds, as numbers by name."""
    ranges, sub = pack.ranges, pack.sub
    gain = ranges.check.gain
    within = ranges.reached_joints
    return {
        "format": 1,
        "mechanism": sub.driven.mechanism.name,
        "base": sub.driven.mechanism.base,
        "motors": _side(sub.inputs, [each.unit for each in sub.driven.actuators], ranges.motors, ranges.motor_limits),
        "joints": _side(sub.outputs, [each.unit for each in sub.posed.actuators], ranges.joints, None),
        "range_sources": dict(zip(sub.outputs, ranges.sources, strict=True)),
        "share_of_limits": ranges.share,
        "gain": [float(gain[..., 0].min()), float(gain[..., 1].max())],
        "joints_within_motor_limits": None if within is None else within.tolist(),
        "share_within_motor_limits": float(ranges.within_limits.mean()),
        "outlines": _outlines(pack),
        "tables": {
            one: _table(table)
            for one, table in (("motors_of_joints", pack.motor_table), ("joints_of_motors", pack.joint_table))
            if isinstance(table, ChebyshevTable)
        },
    }


def _side(names: Sequence[str], units: Sequence[str], ends: Any, limits: Any) -> dict[str, Any]:
    found = {name: {"unit": unit, "range": pair} for name, unit, pair in zip(names, units, ends.tolist(), strict=True)}
    for name, pair in zip(names, [] if limits is None else limits.tolist(), strict=False):
        if np.isfinite(pair).all():
            found[name]["limits"] = pair
    return found


def _outlines(pack: TransmissionPack) -> dict[str, Any]:
    """The edges of the joints' box as the motors have them, and those of the motors' limits as the joints have them."""
    ranges, sub = pack.ranges, pack.sub
    of_box = sub.from_outputs(outline_of_box(ranges.joints), near=ranges.home).inputs
    limits = np.where(np.isfinite(ranges.motor_limits), ranges.motor_limits, ranges.motors)
    try:
        of_limits = sub.from_inputs(outline_of_box(limits), near=ranges.home).outputs
    except LinkwrightError:
        of_limits = np.zeros((0, pack.size))
    reached = np.isfinite(of_limits).all(axis=-1)
    return {"joint_ranges_at_motors": of_box.tolist(), "motor_limits_at_joints": of_limits[reached].tolist()}


def _table(table: ChebyshevTable) -> dict[str, Any]:
    return {
        "form": "y = sum of coefficients[i][j] T_i(s_0) T_j(s_1), s = matrix (x - center) / half, each within -1 to 1",
        "center": table.polynomial.center.tolist(),
        "matrix": table.polynomial.matrix.tolist(),
        "half": table.polynomial.half.tolist(),
        "bound": table.bound.tolist(),
        "rate_bound": table.rate_bound.tolist(),
        "checked": table.checked.tolist(),
        "points": table.points,
        "coefficients": table.polynomial.coefficients.tolist(),
    }
