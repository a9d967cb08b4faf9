"""Configurations of a mechanism as tables and JSON: coordinates, platform, limits. For `assemble`, `fk` and `ik`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from linkwright.algebra.pose import rpy
from linkwright.cli.driven import driven_coordinates, is_closed
from linkwright.cli.inverse import part_units
from linkwright.cli.motion import typed
from linkwright.cli.tables import figure, readable, say, show
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggestion


def given(text: str | None, names: Sequence[str], units: Sequence[str], option: str) -> dict[str, float]:
    """Return values by name as typed on the command line, `theta=30 deg, rho=0.2 m`.

    >>> given("b=300 mm", ["a", "b"], ["rad", "m"], "--fixed")
    {'b': 0.3}
    """
    values: dict[str, float] = {}
    for part in (part.strip() for part in (text or "").split(",")):
        name, equals, written = (text.strip() for text in part.partition("="))
        if not part:
            continue
        if not equals or name not in names:
            what = f"unknown name '{name}'{suggestion(name, names)}" if equals else f"'{part}' has no '='"
            raise ArgumentError(f'{option}: {what}; write for example "{names[0]}=0.1"')
        values[name] = typed(written, f"{option}: {name}", units[list(names).index(name)])
    return values


def as_data(model: Any, q: Any, frame: str | None = None) -> dict[str, Any]:
    """Return one configuration as plain data: coordinates, pose of the platform or of another frame, limits."""
    data: dict[str, Any] = {"q": dict(zip(model.q_names, q.tolist()))}
    for key, name in (("platform", model.mechanism.platform), ("frame", frame)):
        if name and (key == "platform" or name != model.mechanism.platform):
            pose = model.frame_pose(q, name)
            data[key] = {"xyz": pose.position.tolist(), "quaternion_wxyz": pose.quaternion_wxyz.tolist()}
            data[key]["rpy"] = list(rpy(pose.rotation))
    data["limits"] = [asdict(each) for each in model.limits_exceeded(q)]
    return data


def as_json(found: list[dict[str, Any]], **about: Any) -> None:
    """Print configurations as JSON."""
    click.echo(json.dumps({**about, "positions": found}))


def show_configurations(model: Any, found: list[dict[str, Any]], titles: list[str], frame: str | None = None) -> None:
    """Print configurations side by side, one column each, then the limits they exceed."""
    units = dict(zip(model.q_names, part_units(model.mechanism, False, "rad", "m")))
    driven = _driven(model)
    first = [_row(name, driven[name], units[driven[name]], found) for name in driven]
    show("Actuators", ["actuator", *titles], first, numbers=True)
    for which, title in (("platform", f"Platform '{model.mechanism.platform}'"), ("frame", f"Frame '{frame}'")):
        if found and which in found[0]:
            show(title, ["", *titles], _pose_rows([c[which] for c in found]), numbers=True)
    rest = [_row(name, name, unit, found) for name, unit in units.items() if name not in driven.values()]
    show("Other coordinates" if first else "Coordinates", ["coordinate", *titles], rest, numbers=True)
    for title, c in zip(titles, found):
        for exceeded in c["limits"]:
            say(f"{title}: {exceeded['message']}")


def _driven(model: Any) -> dict[str, str]:
    """The coordinate that each actuator moves; empty for a tree whose joints are the actuators, and for cut joints."""
    if not is_closed(model.mechanism) or not model.na:
        return {}
    try:
        return dict(zip(model.actuated, driven_coordinates(model)[0]))
    except ArgumentError:
        return {}


def _row(title: str, name: str, unit: str, found: list[dict[str, Any]]) -> list[str]:
    values = [readable(c["q"][name], unit)[0] for c in found]
    shown = readable(0.0, unit)[1]
    return [f"{title} [{shown}]" if shown else title, *(figure(x, among=1.0) for x in values)]


def _pose_rows(poses: list[dict[str, Any]]) -> list[list[str]]:
    """Position and turns about the fixed axes, as `--to` takes them."""
    angles = [[math.degrees(x) for x in pose["rpy"]] for pose in poses]
    rows = [[f"{name} [m]", *(figure(pose["xyz"][i], among=1.0) for pose in poses)] for i, name in enumerate("xyz")]
    return rows + [[f"r{name} [deg]", *(figure(x[i], among=100.0) for x in angles)] for i, name in enumerate("xyz")]
