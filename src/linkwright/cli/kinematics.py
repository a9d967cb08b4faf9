"""`linkwright assemble`, `fk` and `ik`: close the loops; from the actuators to the platform and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option
from linkwright.cli.values import COMPONENTS, Given, Range, WrittenList
from linkwright.errors import ArgumentError

# --- `linkwright assemble`: close the loops ---------------------------------------------------------------------------


@click.command(short_help="Close every loop, from home or with some coordinates held.")
@click.argument("name_or_file")
@option("--at", more="These are held; others start at home.")
@option("--modes")
@option("--starts", default=512, show_default=True, more="Used when home does not lead to a closed configuration.")
@json_option
@reporting_errors
def assemble(name_or_file: str, at: Any, modes: bool, starts: int, as_json: bool) -> None:
    """Find closed configurations of NAME_OR_FILE (a catalog name or a mechanism file).

    \b
    Examples:
      linkwright assemble four-bar --at "theta=60 deg"
      linkwright assemble 3-rrr --modes
    """
    from linkwright.cli import configurations
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    found = [model.assemble(fixed=configurations.held_coordinates(model, at), guesses=starts)]
    if modes:
        found = model.assembly_modes(model.actuator_positions(found[0].q), starts)
    data = [{**configurations.configuration_data(model, c.q), **_assembly_measures(c)} for c in found]
    if as_json:
        configurations.print_configurations_json(data, mechanism=model.mechanism.name)
        return
    titles = [f"mode {i} [{c.branch}]" if modes else "closed" for i, c in enumerate(found, start=1)]
    configurations.show_configurations(model, data, titles)
    _show_closure(found, titles)


def _assembly_measures(configuration: Any) -> dict[str, Any]:
    return {
        "residual": float(configuration.residual),
        "branch": configuration.branch,
        "singularity": float(configuration.singularity),
    }


def _show_closure(found: list[Any], titles: list[str]) -> None:
    from linkwright.cli.printed_tables import print_table

    rows = [[t, f"{c.residual:.1e}", c.branch, f"{c.singularity:.3g}"] for t, c in zip(titles, found)]
    print_table("Closure", ["", "closure residual", "branch", "distance to a singularity"], rows)


# --- `linkwright fk` and `linkwright ik`: from the actuators to the platform and back ---------------------------------

WrittenPose = dict[str, Given | None]


@click.command(short_help="Forward kinematics: all joints and the platform from the actuators.")
@click.argument("name_or_file")
@option("--at", more="Others stay at home.")
@option("--modes")
@json_option
@reporting_errors
def fk(name_or_file: str, at: Any, modes: bool, as_json: bool) -> None:
    """Compute all joints and the platform of NAME_OR_FILE (a catalog name or a mechanism file) from its actuators.

    \b
    Examples:
      linkwright fk four-bar --at "motor=60 deg"
      linkwright fk gough-stewart --at "leg1=1.6 m" --json
    """
    from linkwright.cli.configurations import configuration_at, held_coordinates, positions_with_home
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    if not modes:
        _show_modes(model, [configuration_at(model, at)], as_json)
        return
    positions: Any = positions_with_home(model, held_coordinates(model, at), model.assemble().q)
    if positions is None:
        positions = model.actuator_positions(configuration_at(model, at))
    _show_modes(model, [c.q for c in model.assembly_modes(positions)], as_json)


@click.command(short_help="Inverse kinematics: joints and actuators from the pose of a frame.")
@click.argument("name_or_file")
@option("--pose", more="Components that are not named stay at home.")
@option("--frame", more="[default: the platform, or the last body of an arm]")
@option("--components", more="[default: those that the mechanism can move]")
@option("--modes")
@json_option
@reporting_errors
def ik(
    name_or_file: str,
    pose: WrittenPose | None,
    frame: str | None,
    components: tuple[str, ...] | None,
    modes: bool,
    as_json: bool,
) -> None:
    """Compute the joints of NAME_OR_FILE (a catalog name or a mechanism file) from the pose of a frame or body.

    x y z are the frame's origin, rx ry rz its turns about the fixed axes (roll, pitch, yaw). For a mechanism with
    fewer than six freedoms name as many components as it has, or say with --components which of them are held.

    \b
    Examples:
      linkwright ik gough-stewart --pose "z=1.1 m, rx=5 deg"
      linkwright ik delta --pose "x=50 mm, y=0, z=-150 mm" --json
      linkwright ik ur5.urdf --frame tool0 --pose "x=0.4 m, y=0.1 m"
    """
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    home = model.assemble().q
    output = output_name(model, frame)
    named = single_pose(pose or {})
    if modes and components:
        raise ArgumentError("--modes holds the whole pose; leave out --components")
    if modes:
        found = [c.q for c in model.working_modes(_requested_pose(model, home, named, output), frame=output)]
    else:
        found = [_joints_at_positions(model, home, named, output, components)]
    _show_modes(model, found, as_json, output)


def coordinates_at_pose(model: Any, pose: WrittenPose | None, frame: str | None, at: WrittenList | None = None) -> Any:
    """Coordinates with a frame at a pose as `ik --pose` takes it, or at the state of --at; home without both."""
    from linkwright.cli.configurations import configuration_at

    if at is not None:
        if pose is not None:
            raise click.UsageError("--at and --pose both say where the mechanism is; give one of them")
        return configuration_at(model, at)
    home = model.assemble().q
    return (
        home if pose is None else _joints_at_positions(model, home, single_pose(pose), output_name(model, frame), None)
    )


def typed_frame_pose(model: Any, named: dict[str, float], frame: str | None) -> Any:
    """Pose of a frame, as `model.inverse_kinematics` takes it; components that are not named stay at home."""
    return _requested_pose(model, model.assemble().q, named, output_name(model, frame))


def single_pose(pose: WrittenPose) -> dict[str, float]:
    """The components of one pose; ranges are refused."""
    found = {}
    for name, x in pose.items():
        if x is None or isinstance(x, Range):
            raise ArgumentError(f'--pose: {name} needs one value here; write for example "{name}=0.1"')
        found[name] = x
    return found


def _joints_at_positions(
    model: Any, home: Any, named: dict[str, float], frame: str, components: Sequence[str] | None
) -> Any:
    held = _held_components(model, named, components)
    return model.inverse_kinematics(
        _requested_pose(model, home, named, frame), near=home, frame=frame, components=held
    )[0]


def _held_components(model: Any, named: dict[str, float], components: Sequence[str] | None) -> Sequence[str] | None:
    """The components of the pose that are held; all when None."""
    if components is not None or model.mobility >= len(COMPONENTS):
        return components
    if len(named) != model.mobility:
        raise ArgumentError(
            f"--pose names {len(named)} components and the platform of '{model.mechanism.name}' has {model.mobility} "
            f"freedoms; name {model.mobility} of {', '.join(COMPONENTS)}"
        )
    return list(named)


def output_name(model: Any, frame: str | None) -> str:
    """The frame to place: the one that was named, else the mechanism's output."""
    from linkwright.functions.loop.twist_functions import output_frame

    name = frame or output_frame(model.mechanism)
    if not name:
        last = model.mechanism.names[-1]
        raise ArgumentError(
            f"mechanism '{model.mechanism.name}' names no platform; name a frame or body, for example --frame {last}"
        )
    return str(name)


def _requested_pose(model: Any, home: Any, named: dict[str, float], frame: str) -> Any:
    """The pose that is asked for: position and quaternion."""
    from linkwright.algebra.transforms import RigidTransform

    xyz, wxyz = model.frame_pose(home, frame)
    at = [named.get(name, float(x)) for name, x in zip(COMPONENTS, xyz)]
    if not named.keys() & set(COMPONENTS[3:]):
        return at, wxyz
    roll, pitch, yaw = (named.get(name, 0.0) for name in COMPONENTS[3:])
    return at, RigidTransform.from_rpy((0.0, 0.0, 0.0), (roll, pitch, yaw)).wxyz


def _show_modes(model: Any, found: list[Any], as_json: bool, frame: str | None = None) -> None:
    from linkwright.cli import configurations

    data = [configurations.configuration_data(model, q, frame) for q in found]
    if as_json:
        configurations.print_configurations_json(data, mechanism=model.mechanism.name)
    else:
        titles = [f"mode {i}" for i in range(1, len(found) + 1)] if len(found) > 1 else ["value"]
        configurations.show_configurations(model, data, titles, frame)
