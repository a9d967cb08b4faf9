"""Checks of two sections together: names, and units that depend on the joint."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from linkwright.findings import Finding, Path
from linkwright.formats.units import Computed, UnitError, quote_short_value, value_in_si
from linkwright.formats.yaml.yaml_text import SourceDocument
from linkwright.joints.joint_registry import KINDS
from linkwright.joints.kind import units_along_parts
from linkwright.mechanism.names import suggest_name

_BASES = ("ground", "base", "world", "frame", "fixed", "earth")
_ACTUATOR_UNITS = {"rotor_inertia": ("kg m^2", "kg"), "effort": ("N m", "N"), "speed": ("rad/s", "m/s")}


def joint_kinds(data: Any) -> dict[str, Any]:
    """The kind of every joint whose kind is known, also in a file with other errors."""
    named: dict[str, Any] = {}
    for section in ("joints", "loops"):
        for name, joint in _block_of_key(data, section).items():
            named[name] = KINDS.get(str(_block_of_key({"": joint}, "").get("type")))
    rows = _block_of_key(data, "dh").get("rows")
    for i, row in enumerate(rows if isinstance(rows, list) else (), start=1):
        about = row if isinstance(row, dict) else {}
        named[str(about.get("name") or f"q{i}")] = KINDS.get(str(about.get("joint")))
    return {name: kind for name, kind in named.items() if kind is not None}


def _block_of_key(data: Any, key: str) -> dict[str, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def home_row(written: Any, kind: Any) -> tuple[float, ...]:
    """The coordinates of one joint in SI; a `UnitError` says what is wrong."""
    items = written if isinstance(written, list) else [written]
    if len(items) != len(kind.q_parts):
        parts = ", ".join(kind.q_parts) or "nothing"
        raise UnitError(f"{quote_short_value(written)} has {len(items)} values and the joint's coordinates are {parts}")
    return tuple(value_in_si(item, unit) for item, unit in zip(items, units_along_parts(kind.coordinates, "rad", "m")))


def dof_number(written: Any, kind: Any) -> int:
    """Index of the velocity of a joint that an actuator drives; written as a number from 0, or a name like `angle`."""
    if isinstance(written, str):
        if written not in kind.v_parts:
            raise UnitError(f"'{written}' is not a freedom of the joint{suggest_name(written, kind.v_parts)}")
        return int(kind.v_parts.index(written))
    if isinstance(written, bool) or not isinstance(written, int):
        raise UnitError(
            f"{quote_short_value(written)} is not a freedom; write a whole number from 0, or one of {kind.v_parts}"
        )
    return written


def crosscheck_problems(source: SourceDocument) -> Iterator[Finding]:
    """Names of two things or none, home positions and actuator data that do not fit their joints."""
    yield from _connection_problems(source)
    kinds = joint_kinds(source.data)
    for name, written in _block_of_key(source.data, "home").items():
        if name in kinds:
            yield from _problem_of_check(source, ("home", name), lambda w=written, k=kinds[name]: home_row(w, k))
    for name, actuator in _block_of_key(source.data, "actuators").items():
        about = actuator if isinstance(actuator, dict) else {}
        if isinstance(about.get("joint"), str) and about["joint"] in kinds:
            yield from _actuator_problems(source, ("actuators", name), about, kinds[about["joint"]])


def _actuator_problems(source: SourceDocument, path: Path, actuator: dict[str, Any], kind: Any) -> Iterator[Finding]:
    try:
        dof = dof_number(actuator.get("dof", 0), kind)
    except UnitError as error:
        yield source.problem("unknown-freedom", str(error), (*path, "dof"), value=actuator["dof"])
        return
    if not 0 <= dof < len(kind.v_parts):
        return
    turning = kind.velocities[dof].unit == "rad"
    for key, (angular, linear) in _ACTUATOR_UNITS.items():
        if isinstance(actuator.get(key), str | Computed):
            unit = angular if turning else linear
            yield from _problem_of_check(source, (*path, key), lambda k=key, u=unit: value_in_si(actuator[k], u))


def _problem_of_check(source: SourceDocument, path: Path, check: Any) -> Iterator[Finding]:
    try:
        check()
    except UnitError as error:
        yield source.problem("bad-value", str(error), path)


def _connection_problems(source: SourceDocument) -> Iterator[Finding]:
    """Joints at bodies that are not there, and names of two things."""
    data = source.data
    base = _base_name(data.get("base"))
    bodies = [*_block_of_key(data, "bodies"), *_table_links(data)]
    if base in bodies:
        text = f"the body '{base}' has the name of the base, which is there already"
        fix = "leave it out, or call the base otherwise, 'base: frame'"
        yield source.problem("name-taken", text, ("bodies", base), fix)
    for name in _block_of_key(data, "loops"):
        if name in _block_of_key(data, "joints"):
            first = source.line(("joints", name))
            text, fix = f"'{name}' is the name of a joint too, in line {first}", "keep one, or rename it"
            yield source.problem("name-taken", text, ("loops", name), fix)
    for section in ("joints", "loops"):
        for name, joint in _block_of_key(data, section).items():
            yield from _unknown_end_problems(source, (section, name), joint, bodies, base)


def _unknown_end_problems(
    source: SourceDocument, path: Path, joint: Any, bodies: Collection[str], base: str
) -> Iterator[Finding]:
    for end in ("parent", "child"):
        named = joint.get(end) if isinstance(joint, dict) else None
        if isinstance(named, str) and named not in bodies and named != base:
            close = (
                f" (the base is called '{base}')" if named.lower() in _BASES else suggest_name(named, (*bodies, base))
            )
            text = f"joint '{path[1]}' has the unknown {end} body '{named}'{close}"
            yield source.problem("unknown-name", text, (*path, end), value=named)


def _base_name(written: Any) -> str:
    name = written.get("name", "ground") if isinstance(written, dict) else written
    return name if isinstance(name, str) else "ground"


def _table_links(data: Any) -> list[str]:
    rows = _block_of_key(data, "dh").get("rows")
    named = [row.get("link") if isinstance(row, dict) else None for row in rows] if isinstance(rows, list) else []
    return [name if isinstance(name, str) else f"link{i}" for i, name in enumerate(named, start=1)]
