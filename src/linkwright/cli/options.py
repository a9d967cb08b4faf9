"""The options that several verbs have: one name, one meaning, one reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linkwright.cli import values
from linkwright.cli.file_names import c_name

_ROWS = click.IntRange(2, 10_000_000)
_NUMBER = click.FloatRange(min=0.0)
_MEANINGS: dict[str, tuple[click.ParamType | None, str]] = {  # None: a switch
    "--at": (values.STATE, 'The state, by actuators or coordinates, "motor=60 deg".'),
    "--pose": (values.POSE, 'The pose of the output frame, "x=10 mm, rz=5 deg".'),
    "--frame": (click.STRING, "The output frame or body."),
    "--components": (values.COMPONENT_NAMES, 'The components of the pose that count, "x y".'),
    "--vary": (values.VARIABLES, 'Parameters that stay variable, "proximal, bodies.crank.mass".'),
    "--minimize": (click.STRING, "The measure that shall be least."),
    "--maximize": (click.STRING, "The measure that shall be largest."),
    "--at-least": (values.BOUNDS, 'Measures that must not be below, "type2=0.1".'),
    "--at-most": (values.BOUNDS, 'Measures that must not be above, "condition=4".'),
    "--samples": (_ROWS, "Rows of the result."),
    "--draws": (click.IntRange(1, 10_000_000), "Random draws."),
    "--starts": (click.IntRange(1, 100_000), "Random starts of the search."),
    "--max-seconds": (click.FloatRange(0.0, min_open=True), "End after this time (or Ctrl-C) with what is found."),
    "--seed": (click.IntRange(0), "Seed of the random numbers."),
    "--run": (click.STRING, "A saved run to read."),
    "--duration": (values.TIME, "Duration of the motion."),
    "--poses": (click.STRING, "CSV file of poses: x, y, z, rx, ry, rz, or qw, qx, qy, qz instead of the angles."),
    "--actuators": (click.STRING, "CSV file of actuator positions: a column for each actuator."),
    "--clearance": (values.LENGTH, 'Least distance that links must keep, "5 mm".'),
    "--stiffness": (_NUMBER, "Stiffness of every actuator, [N m/rad or N/m]."),
    "--encoder": (_NUMBER, "Largest position error of every actuator, [rad or m]."),
    "--max-effort": (values.VALUES, 'Largest efforts of the actuators, "10" or "motor1=10 N m".'),
    "--max-speed": (values.VALUES, 'Largest speeds of the actuators, "3" or "motor1=3 rad/s".'),
    "--max-acceleration": (values.VALUES, 'Largest accelerations of the actuators, "100" or by name.'),
    "--modes": (None, "Find all modes, not only the one nearest to home."),
    "--wrench": (click.STRING, "A body or frame on which a wrench acts (repeatable)."),
    "--force": (click.STRING, 'Force on a body or frame, world axes, "slider=0, 0, -50 N" (repeatable).'),
    "--name": (click.STRING, "Identifier of what is written."),
    "--no-reactions": (None, "Leave the reactions of the joints out."),
    "--list": (None, "List what there is, and compute nothing."),
    "--all": (None, "Print everything, not only a summary."),
    "--accept-doubtful": (None, "Save values that did not settle or are far off the file, too."),
    "--json": (None, "Print the result as JSON."),
    "--open": (None, "Open the file in the browser (in a terminal it does)."),
}
_CALLBACKS: dict[str, Any] = {"--name": c_name}


def option(name: str, *names: str, more: str = "", **settings: Any) -> Callable[..., Any]:
    """An option of the table; `more` says what is special in this verb."""
    kind, meaning = _MEANINGS[name]
    settings |= {"callback": _CALLBACKS[name]} if name in _CALLBACKS else {}
    settings |= {"is_flag": True} if kind is None else {"type": kind}
    return click.option(name, *names, help=f"{meaning}  {more}".strip(), **settings)


json_option = option("--json", "as_json")
open_option = click.option("--open/--no-open", "show", default=None, help=_MEANINGS["--open"][1])
