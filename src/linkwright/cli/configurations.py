"""Configurations of a mechanism as tables and JSON: coordinates, platform, limits. For `assemble`, `fk` and `ik`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from linkwright.cli.inverse import part_units
from linkwright.cli.motion import typed
from linkwright.cli.tables import figure, say, show
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
            xyz, wxyz = model.frame_pose(q, name)
            data[key] = {"xyz": xyz.tolist(), "quaternion_wxyz": wxyz.tolist()}
    data["limits"] = [asdict(each) for each in model.limits_exceeded(q)]
    return data


def as_json(found: list[dict[str, Any]], **about: Any) -> None:
    """Print configurations as JSON."""
    click.echo(json.dumps({**about, "positions": found}))


def show_configurations(model: Any, found: list[dict[str, Any]], titles: list[str], frame: str | None = None) -> None:
    """Print configurations side by side, one column each, then the limits they exceed."""
    units = part_units(model.mechanism, False, "rad", "m")
    rows = [[n, *(figure(c["q"][n], among=1.0) for c in found), unit] for n, unit in zip(model.q_names, units)]
    show("Coordinates", ["coordinate", *titles, "unit"], rows, numbers=True)
    parts = [*(("xyz", i, name, "m") for i, name in enumerate("xyz"))]
    parts += [("quaternion_wxyz", i, f"q{name}", "") for i, name in enumerate("wxyz")]
    for which, title in (("platform", f"Platform '{model.mechanism.platform}'"), ("frame", f"Frame '{frame}'")):
        if found and which in found[0]:
            rows = [[name, *(figure(c[which][key][i], among=1.0) for c in found), unit] for key, i, name, unit in parts]
            show(title, ["", *titles, "unit"], rows, numbers=True)
    for title, c in zip(titles, found):
        for exceeded in c["limits"]:
            say(f"{title}: {exceeded['message']}")
