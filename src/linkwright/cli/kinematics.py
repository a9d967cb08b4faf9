"""`linkwright fk` and `linkwright ik`: from the actuators to the platform and back."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors

PARTS = ("x", "y", "z", "rx", "ry", "rz")


@click.command(short_help="Forward kinematics: all joints and the platform from the actuators.")
@click.argument("name_or_file")
@click.option("--at", "positions", help='Positions of the actuators, "motor=60 deg"; others stay at home.')
@click.option("--modes", is_flag=True, help="All assembly modes, not only the one reached from home.")
@click.option("--json", "as_json", is_flag=True, help="Print the configurations as JSON.")
@reporting_errors
def fk(name_or_file: str, positions: str | None, modes: bool, as_json: bool) -> None:
    """Compute all joints and the platform of NAME_OR_FILE (a catalog name or a mechanism file) from its actuators.

    \b
    Examples:
      linkwright fk four-bar --at "motor=60 deg"
      linkwright fk gough-stewart --at "leg1=1.6 m" --json
    """
    from linkwright.cli.mechanisms import built

    model = built(name_or_file)
    home = model.assemble().q
    q_act = _acts(model, home, positions)
    found = [c.q for c in model.assembly_modes(q_act)] if modes else [_reached(model, q_act, home)]
    _show(model, found, as_json)


def _reached(model: Any, q_act: list[float], home: Any) -> Any:
    from linkwright.cli.driven import is_closed

    if not is_closed(model.mechanism):
        q = home.copy()
        q[:] = [*q_act]
        return q
    return model.forward_kinematics(q_act, near=home)[0]


def _acts(model: Any, home: Any, positions: str | None) -> Any:
    """Positions of the actuators; of a tree, all coordinates."""
    from linkwright.cli import configurations
    from linkwright.cli.driven import driven_coordinates, is_closed
    from linkwright.cli.inverse import part_units

    if not is_closed(model.mechanism):
        units = part_units(model.mechanism, False, "rad", "m")
        held = configurations.given(positions, model.q_names, units, "--at")
        return [held.get(name, x) for name, x in zip(model.q_names, home.tolist())]
    names, units = driven_coordinates(model)
    both = dict(zip(names, model.actuated))
    held = configurations.given(positions, [*model.actuated, *names], [*units, *units], "--at")
    held |= {both[name]: x for name, x in held.items() if name in both}
    start = [float(home[model.q_names.index(name)]) for name in names]
    return [held.get(name, x) for name, x in zip(model.actuated, start)]


@click.command(short_help="Inverse kinematics: joints and actuators from the pose of a frame.")
@click.argument("name_or_file")
@click.option("--to", "target", help='Pose of the frame, "x=10 mm, rz=5 deg"; others stay at home.')
@click.option("--frame", help="Frame or body to place; the platform, or the last body of an arm, when left out.")
@click.option("--named-only", is_flag=True, help="Hold only the components that --to names, leave the others free.")
@click.option("--modes", is_flag=True, help="All working modes at this pose.")
@click.option("--json", "as_json", is_flag=True, help="Print the configurations as JSON.")
@reporting_errors
def ik(name_or_file: str, target: str | None, frame: str | None, named_only: bool, modes: bool, as_json: bool) -> None:
    """Compute the joints of NAME_OR_FILE (a catalog name or a mechanism file) from the pose of a frame or body.

    x y z are the frame's origin, rx ry rz its turns about the fixed axes (roll, pitch, yaw). For a mechanism with
    fewer than six freedoms name as many components as it has, or some of them with --named-only.

    \b
    Examples:
      linkwright ik gough-stewart --to "z=1.1 m, rx=5 deg"
      linkwright ik delta --to "x=50 mm, y=0, z=-150 mm" --json
      linkwright ik ur5.urdf --frame tool0 --to "x=0.4 m, y=0.1 m"
    """
    from linkwright.cli.mechanisms import built
    from linkwright.errors import ArgumentError

    model = built(name_or_file)
    home = model.assemble().q
    output = _output(model, frame)
    pose, named = _pose(model, home, target, output)
    if modes and named_only:
        raise ArgumentError("--modes holds the whole pose; leave out --named-only")
    if modes:
        found = [c.q for c in model.working_modes(pose, frame=output)]
    else:
        free = _free(model, named, named_only)
        found = [model.inverse_kinematics(pose, near=home, frame=output, components=free)[0]]
    _show(model, found, as_json, output)


def placed(model: Any, target: str | None, frame: str | None) -> Any:
    """Coordinates with a frame at a pose as `ik --to` takes it; home without one."""
    home = model.assemble().q
    if target is None:
        return home
    output = _output(model, frame)
    pose, named = _pose(model, home, target, output)
    return model.inverse_kinematics(pose, near=home, frame=output, components=_free(model, named, False))[0]


def posed(model: Any, target: str, frame: str | None) -> Any:
    """Pose of a frame as `ik --to` takes it; components that are not named stay at home."""
    return _pose(model, model.assemble().q, target, _output(model, frame))[0]


def _free(model: Any, named: list[str], named_only: bool) -> list[str] | None:
    """The components of the pose that are held; all when None."""
    from linkwright.errors import ArgumentError

    if named_only and not named:
        raise ArgumentError("--named-only holds the components that --to names, and it names none")
    if named_only:
        return named
    if model.mobility >= len(PARTS):
        return None
    if len(named) != model.mobility:
        raise ArgumentError(
            f"--to names {len(named)} components and the platform of '{model.mechanism.name}' has {model.mobility} "
            f"freedoms; name {model.mobility} of {', '.join(PARTS)}, or fewer with --named-only"
        )
    return named


def _output(model: Any, frame: str | None) -> str:
    """The frame to place: the one that was named, else the mechanism's output."""
    from linkwright.errors import ArgumentError
    from linkwright.functions.loop.twist_functions import output_frame

    name = frame or output_frame(model.mechanism)
    if not name:
        last = model.mechanism.names[-1]
        raise ArgumentError(
            f"mechanism '{model.mechanism.name}' names no platform; name a frame or body, for example --frame {last}"
        )
    return str(name)


def _pose(model: Any, home: Any, target: str | None, frame: str) -> tuple[Any, list[str]]:
    """The pose that is asked for, and the components that were named."""
    from linkwright.algebra.pose import RigidTransform
    from linkwright.cli import configurations

    held = configurations.given(target, PARTS, ["m"] * 3 + ["rad"] * 3, "--to")
    xyz, wxyz = model.frame_pose(home, frame)
    at = [held.get(name, float(x)) for name, x in zip(PARTS, xyz)]
    if not held.keys() & set(PARTS[3:]):
        return (at, wxyz), list(held)
    roll, pitch, yaw = (held.get(name, 0.0) for name in PARTS[3:])
    turned = RigidTransform.from_rpy((0.0, 0.0, 0.0), (roll, pitch, yaw))
    return (at, turned.wxyz), list(held)


def _show(model: Any, found: list[Any], as_json: bool, frame: str | None = None) -> None:
    from linkwright.cli import configurations

    data = [configurations.as_data(model, q, frame) for q in found]
    if as_json:
        configurations.as_json(data, mechanism=model.mechanism.name)
    else:
        titles = [f"mode {i}" for i in range(1, len(found) + 1)] if len(found) > 1 else ["value"]
        configurations.show_configurations(model, data, titles, frame)
