"""Configurations of a mechanism: the state of --at, tables and JSON of coordinates, platform and limits."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import click

from linkwright.algebra.transforms import rpy_of_rotation
from linkwright.cli.printed_tables import print_paragraph, print_table, readable_quantity
from linkwright.cli.values import Given, Range, WrittenList
from linkwright.errors import ArgumentError
from linkwright.readable_text import number_text


def has_dependent_joints(mech: Any) -> bool:
    """Return True if some joints follow from others.

    >>> from linkwright import catalog
    >>> has_dependent_joints(catalog.load("four-bar")), has_dependent_joints(catalog.load("stanford-arm"))
    (True, False)
    """
    return bool(mech.loops or mech.couplings)


def coordinate_units(model: Any) -> list[str]:
    """The unit of every coordinate; parts of a quaternion have none."""
    return _units(model, "coordinates", "rad", "m")


def velocity_units(model: Any) -> list[str]:
    """The unit of every velocity."""
    return _units(model, "velocities", "rad/s", "m/s")


def _units(model: Any, which: str, turning: str, sliding: str) -> list[str]:
    from linkwright.joints.kind import units_along_parts

    parts = tuple(p for j in model.mechanism.joints for p in getattr(j.kind, which))
    return list(units_along_parts(parts, turning, sliding))


def coordinate_of_each_actuator(model: Any) -> tuple[list[str], list[str]]:
    """Name and unit of the coordinate that each actuator moves.

    >>> from linkwright import build, catalog
    >>> coordinate_of_each_actuator(build(catalog.load("four-bar")))
    (['theta'], ['rad'])
    """
    if not model.na:
        raise ArgumentError(
            f"mechanism '{model.mechanism.name}' has loops or couplings and names no actuators; name them in its file"
        )
    for each in model.actuators:
        if not each.coordinate:
            raise ArgumentError(
                f"actuator '{each.name}' drives '{each.velocity}', which is not a coordinate (its joint carries a "
                "quaternion or closes a loop); give coordinates instead"
            )
    return [each.coordinate for each in model.actuators], [each.unit for each in model.actuators]


def held_coordinates(model: Any, at: WrittenList | None) -> dict[str, float]:
    """Coordinates that --at gives, by their own names or those of actuators; in order, those of the actuators."""
    if at is None:
        return {}
    at.require_single()
    return dict(_given_positions(model, at, only_actuators=False))  # type: ignore[arg-type]


def ends_of_move(model: Any, at: WrittenList, home: dict[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """First and last values of what moves: the bounds of ranges, or from home to a value; the others stay at home."""
    given = _given_positions(model, at, only_actuators=has_dependent_joints(model.mechanism))
    start = {name: x.low if isinstance(x, Range) else home[name] for name, x in given.items()}
    end = {name: x.high if isinstance(x, Range) else x for name, x in given.items()}
    return {**home, **start}, {**home, **end}


def _given_positions(model: Any, at: WrittenList, only_actuators: bool) -> dict[str, Given]:
    aliases = {each.name: each.coordinate for each in model.actuators if each.coordinate}
    units = dict(zip(model.q_names, coordinate_units(model)))
    in_order = bool(at.entries) and not any(at.names)
    lost = [name for name in at.names if name in model.actuated and name not in (*aliases, *units)]
    if only_actuators or lost or (in_order and has_dependent_joints(model.mechanism)):
        names = coordinate_of_each_actuator(model)[0]
        return at.ranges(names, [units[name] for name in names], aliases, "actuator")
    return at.ranges(model.q_names, [*units.values()], aliases, "actuator or coordinate")


def configuration_at(model: Any, at: WrittenList | None) -> Any:
    """Coordinates (nq,) of a state: of a tree as given; else from the actuators, or closed with some joints held."""
    home, held = model.assemble().q.copy(), held_coordinates(model, at)
    if not has_dependent_joints(model.mechanism):
        for name, x in held.items():
            home[model.q_names.index(name)] = x
        return home
    positions = positions_with_home(model, held, home)
    if positions is None:
        return model.assemble(fixed=held).q
    return model.forward_kinematics(positions, near=home)[0]


def positions_with_home(model: Any, held: dict[str, float], home: Any) -> list[float] | None:
    """Positions of the actuators, those that are not held at home; None where other joints are held."""
    names = [each.coordinate for each in model.actuators]
    if not names or not all(names) or not held.keys() <= {*names}:
        return None
    return [held.get(name, float(home[model.q_names.index(name)])) for name in names]


def configuration_data(model: Any, q: Any, frame: str | None = None) -> dict[str, Any]:
    """Return one configuration as plain data: coordinates, pose of the platform or of another frame, limits."""
    data: dict[str, Any] = {"q": dict(zip(model.q_names, q.tolist()))}
    for key, name in (("platform", model.mechanism.platform), ("frame", frame)):
        if name and (key == "platform" or name != model.mechanism.platform):
            pose = model.frame_pose(q, name)
            data[key] = {"xyz": pose.position.tolist(), "quaternion_wxyz": pose.quaternion_wxyz.tolist()}
            data[key]["rpy"] = list(rpy_of_rotation(pose.rotation))
    data["limits"] = [asdict(each) for each in model.limits_exceeded(q)]
    return data


def print_configurations_json(found: list[dict[str, Any]], **about: Any) -> None:
    """Print configurations as JSON."""
    click.echo(json.dumps({**about, "positions": found}))


def show_configurations(model: Any, found: list[dict[str, Any]], titles: list[str], frame: str | None = None) -> None:
    """Print configurations side by side, one column each, then the limits they exceed."""
    units = dict(zip(model.q_names, coordinate_units(model)))
    driven = _coordinates_of_actuators(model)
    first = [_coordinate_row(name, driven[name], units[driven[name]], found) for name in driven]
    print_table("Actuators", ["actuator", *titles], first, numbers=True)
    for which, title in (("platform", f"Platform '{model.mechanism.platform}'"), ("frame", f"Frame '{frame}'")):
        if found and which in found[0]:
            print_table(title, ["", *titles], _printed_pose_rows([c[which] for c in found]), numbers=True)
    rest = [_coordinate_row(name, name, unit, found) for name, unit in units.items() if name not in driven.values()]
    print_table("Other coordinates" if first else "Coordinates", ["coordinate", *titles], rest, numbers=True)
    for title, c in zip(titles, found):
        for exceeded in c["limits"]:
            print_paragraph(f"{title}: {exceeded['message']}")


def _coordinates_of_actuators(model: Any) -> dict[str, str]:
    """The coordinate that each actuator moves; empty for a tree whose joints are the actuators, and for cut joints."""
    if not has_dependent_joints(model.mechanism) or not all(each.coordinate for each in model.actuators):
        return {}
    return {each.name: each.coordinate for each in model.actuators}


def _coordinate_row(title: str, name: str, unit: str, found: list[dict[str, Any]]) -> list[str]:
    values = [readable_quantity(c["q"][name], unit)[0] for c in found]
    shown = readable_quantity(0.0, unit)[1]
    return [f"{title} [{shown}]" if shown else title, *(number_text(x, 1.0, 6) for x in values)]


def _printed_pose_rows(poses: list[dict[str, Any]]) -> list[list[str]]:
    """Position and turns about the fixed axes, as `--pose` takes them."""
    angles = [[math.degrees(x) for x in pose["rpy"]] for pose in poses]
    rows = [[f"{name} [m]", *(number_text(pose["xyz"][i], 1.0, 6) for pose in poses)] for i, name in enumerate("xyz")]
    return rows + [[f"r{name} [deg]", *(number_text(x[i], 100.0, 6) for x in angles)] for i, name in enumerate("xyz")]
