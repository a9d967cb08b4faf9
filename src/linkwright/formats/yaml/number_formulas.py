"""Expressions of a file brought to the numbers of the mechanism that it describes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from linkwright.findings import Path
from linkwright.formats.units import Computed, value_in_si
from linkwright.formats.yaml.document_builder import joint_kinds
from linkwright.formats.yaml.expansion import Expanded
from linkwright.formats.yaml.part_documents import is_direction
from linkwright.mechanism import Mechanism
from linkwright.mechanism.expressions import (
    Expression,
    Formulas,
    Number,
    Operation,
    evaluate_expression,
    names_in_expression,
    number_expression,
)
from linkwright.mechanism.parameters import rebuild_mechanism
from linkwright.mechanism.paths import QUATERNION, RPY, XYZ
from linkwright.numerics.tolerances import ROUNDED_ENTRY

_TABLE = ("a", "b", "d", "alpha", "theta")
_ROWS = ("limits", "spring", "friction")


def with_formulas(mech: Mechanism, found: Expanded) -> Mechanism:
    """The mechanism that was read, with the parameters of its file and the expressions of its numbers."""
    if not found.definitions:
        return mech
    expressions = dict(_expressions_by_path(found))
    formulas = Formulas(found.definitions, tuple(expressions.items()))
    return rebuild_mechanism(mech, formulas.numbers({}), formulas, checked=True)


def _expressions_by_path(found: Expanded) -> Iterator[tuple[str, Expression]]:
    """Paths of numbers with their expressions; parts that only mean something together are given together."""
    kinds = joint_kinds(found.source.data)
    tables = []
    for location in found.expressions:
        if location[0] == "dh" and location[3] in _TABLE:
            tables.append(location[2])
            continue
        for part in _locations_together(location):
            path = _path_of_location(part, found.source.data, kinds)
            if path is not None:
                yield path, _expression_at_location(part, found)
    for row in dict.fromkeys(tables):
        yield from _table_poses(row, found)


def _locations_together(location: Path) -> list[Path]:
    """The locations that belong together with one: the parts of a direction or of an orientation."""
    if "matrix" in location[2:-1]:
        return [(*location[:-2], i, j) for i in range(3) for j in range(3)]
    if "quaternion" in location[2:-1]:
        return [(*location[:-1], i) for i in range(4)]
    if "rpy" in location[2:-1] or (location[0] in ("joints", "loops") and is_direction(location[2])):
        return [(*location[:-1], i) for i in range(3)]
    return [location]


def _expression_at_location(location: Path, found: Expanded, unit: str = "") -> Expression:
    """The expression at a location; a plain number is a constant."""
    if location in found.expressions:
        return found.expressions[location]
    data = found.source.data
    for part in location:
        data = data[part]
    if isinstance(data, Computed):  # its dimension was looked at with its field
        return number_expression(float(data))
    return number_expression(value_in_si(data, unit or ("rad" if location[-2] == "rpy" else "")))


def _path_of_location(location: Path, data: Any, kinds: Any) -> str | None:
    """The path of a number from its location in a file; None for what is not a number of the mechanism."""
    match location:
        case ("gravity", int(i)):
            return f"gravity.{XYZ[i]}"
        case ("base", *rest):
            return _join_path("base", _path_tail(rest, None, {}))
        case ("dh", "rows", int(i), *rest):
            row = data["dh"]["rows"][i]
            name = row.get("name") or f"q{i + 1}"
            owner = (
                f"joints.{name}" if rest[0] in (*_ROWS, "armature") else f"bodies.{row.get('link') or f'link{i + 1}'}"
            )
            return _join_path(owner, _path_tail(rest, kinds.get(name), row))
        case ("home", str(name), *rest) if name in kinds:
            return _join_path(f"home.{name}", _part_suffix(rest, kinds[name].q_parts))
        case ("joints" | "loops", str(name), *rest):
            return _join_path(f"joints.{name}", _path_tail(rest, kinds.get(name), {}))
        case ("actuators", str(name), "friction", str(key), *_):
            return f"actuators.{name}.friction.{key}"
        case (str(section), str(name), *rest):
            return _join_path(f"{section}.{name}", _path_tail(rest, None, data[section][name]))
    return None


def _join_path(head: str, tail: str | None) -> str | None:
    return None if tail is None else f"{head}{tail}"


def _part_suffix(rest: list[Any], parts: tuple[str, ...]) -> str:
    """A value per coordinate or velocity; one alone has no name of its own."""
    return f".{parts[rest[0]]}" if rest and len(parts) > 1 else ""


def _path_tail(rest: list[Any], kind: Any, entry: Any) -> str | None:
    """The end of a path, inside an entry of a section."""
    match rest:
        case ("at" | "child_at" as key, int(i)) | ("at" | "child_at" as key, "xyz", int(i)):
            return f".{key}.{XYZ[i]}"
        case ("at" | "child_at" as key, "rpy", int(i)):
            return f".{key}.{RPY[i]}"
        case ("at" | "child_at" as key, "quaternion", int(i)):
            return f".{key}.{QUATERNION[i]}"
        case ("at" | "child_at" as key, "matrix", int(i), int(j)):
            return f".{key}.{XYZ[i]}{XYZ[j]}"
        case ("inertia", int(i)):
            return f".inertia.{XYZ[i]}{XYZ[i]}"
        case ("inertia", int(i), int(j)):
            return f".inertia.{XYZ[min(i, j)]}{XYZ[max(i, j)]}"
        case ("limits" | "spring" | "friction" as owner, str(key), *inner):
            parts = kind.q_parts if key in ("lower", "upper", "rest") else kind.v_parts
            return f".{owner}.{key}{_part_suffix(inner, parts)}"
        case ("armature", *inner):
            return f".armature{_part_suffix(inner, kind.v_parts)}"
        case ("beam", "stiffness", int(i)):
            planes = entry["beam"].get("planes", "y")
            return f".beam.stiffness.{planes[i] if isinstance(planes, list) else planes}"
        case ("shapes", int(i), "at", *inner):
            return _join_path(f".shapes.{i}", _path_tail(["at", *inner], kind, entry))
        case ("shapes", int(i), str(solid), "corners", int(corner), int(j)):
            return f".shapes.{i}.{solid}.corners.{corner}.{XYZ[j]}"
        case ("shapes", int(i), str(solid), str(key), int(j)):
            return f".shapes.{i}.{solid}.{key}.{XYZ[j]}"
        case (str(key), int(i)):
            return f".{key}.{XYZ[i]}"
        case (*keys,) if all(isinstance(key, str | int) for key in keys):
            return "".join(f".{key}" for key in keys)
    return None


def _table_poses(row: Any, found: Expanded) -> Iterator[tuple[str, Expression]]:
    """The frames of a joint that a row of a DH table gives, in terms of the row (theory of `formats.dh`)."""
    table = found.source.data["dh"]
    written = table["rows"][row]

    def of(key: str, unit: str) -> Expression:
        return _expression_at_location(("dh", "rows", row, key), found, unit) if key in written else Number(0.0)

    a, alpha, theta = of("a", "m"), of("alpha", "rad"), of("theta", "rad")
    b = of("b" if "b" in written else "d", "m")
    up, across = (
        _product_expression(b, _trigonometric_expression("cos", alpha)),
        _product_expression(b, _trigonometric_expression("sin", alpha)),
    )
    name = f"joints.{written.get('name') or f'q{row + 1}'}"
    if table["convention"] == "standard":
        yield from _orientation(f"{name}.at", RPY, (Number(0.0), Number(0.0), theta))
        yield from _position(f"{name}.child_at", (a, across, up), _negated_expression)
        yield from _orientation(f"{name}.child_at", RPY, (_negated_expression(alpha), Number(0.0), Number(0.0)))
        return
    yield from _position(f"{name}.at", (a, _negated_expression(across), up))
    ca, sa, ct, st = (
        _trigonometric_expression("cos", alpha),
        _trigonometric_expression("sin", alpha),
        _trigonometric_expression("cos", theta),
        _trigonometric_expression("sin", theta),
    )
    rows = (
        *(ct, _negated_expression(st), Number(0.0)),
        *(Operation("*", (ca, st)), Operation("*", (ca, ct)), _negated_expression(sa)),
        *(Operation("*", (sa, st)), Operation("*", (sa, ct)), ca),
    )
    yield from _orientation(f"{name}.at", [f"{row}{column}" for row in XYZ for column in XYZ], rows)


def _position(path: str, parts: Sequence[Expression], sign: Any = lambda x: x) -> Iterator[tuple[str, Expression]]:
    """The coordinates of a position that follow from parameters; the others are numbers of the mechanism."""
    yield from ((f"{path}.{part}", sign(x)) for part, x in zip(XYZ, parts, strict=True) if names_in_expression(x))


def _orientation(path: str, names: Sequence[str], parts: Sequence[Expression]) -> Iterator[tuple[str, Expression]]:
    """The parts of an orientation, all together, if one of them follows from parameters."""
    if any(names_in_expression(x) for x in parts):
        yield from ((f"{path}.{part}", x) for part, x in zip(names, parts, strict=True))


def _negated_expression(x: Expression) -> Expression:
    return x if x == Number(0.0) else Operation("minus", (x,))


def _trigonometric_expression(name: str, x: Expression) -> Expression:
    """Sine or cosine of an angle; of a known one the number, whole where it is but for rounding, as in rotations."""
    if names_in_expression(x):
        return Operation(name, (x,))
    value = math.sin(evaluate_expression(x, {})) if name == "sin" else math.cos(evaluate_expression(x, {}))
    return number_expression(float(round(value)) if abs(value - round(value)) <= ROUNDED_ENTRY else value)


def _product_expression(x: Expression, y: Expression) -> Expression:
    return Number(0.0) if Number(0.0) in (x, y) else Operation("*", (x, y))
