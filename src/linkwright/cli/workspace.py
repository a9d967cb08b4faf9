"""`linkwright workspace`, `indices` and `clearance`: poses a mechanism reaches, its indices and its distances there."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.kinematics import coordinates_at_pose
from linkwright.cli.options import deliver_study, option, study_options
from linkwright.cli.outputs import output_option
from linkwright.cli.time_optimal import limit_of_actuators
from linkwright.cli.values import LENGTH, NAMES, POSE, Range
from linkwright.errors import ArgumentError

# --- `linkwright indices`: Jacobian, condition, stiffness, capability and accuracy at a pose --------------------------


@click.command(short_help="Indices of a design: condition, singularities, stiffness, capability, accuracy.")
@click.argument("name_or_file")
@option("--at")
@option("--pose", more="[default: home]")
@option("--frame", more="[default: the platform, or the last body of an arm]")
@option("--components")
@click.option("--length", type=LENGTH, help="Characteristic length, for example '100 mm'.  [default: the mean arm]")
@option("--stiffness")
@option("--encoder")
@option("--max-speed", more="[default: the file's]")
@option("--max-effort", more="[default: the file's]")
@study_options
@reporting_errors
def indices(
    name_or_file: str,
    at: Any,
    pose: Any,
    frame: str | None,
    components: tuple[str, ...] | None,
    length: float | None,
    stiffness: float | None,
    encoder: float | None,
    max_speed: Any,
    max_effort: Any,
    **output: Any,
) -> None:
    """Compute indices of NAME_OR_FILE (a catalog name or a mechanism file) at home, at a state, or at a pose of its
    output.

    \b
    Examples:
      linkwright indices five-bar --stiffness 1e4 --encoder 1e-4
      linkwright indices delta --pose "x=50 mm, y=0, z=-150 mm" --json
      linkwright indices four-bar --frame rocker --components rz
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    named: dict[str, Any] = {"length": length, "stiffness": stiffness, "encoder": encoder}
    named |= {"speed": limit_of_actuators(model, "speed", max_speed)}
    named |= {"effort": limit_of_actuators(model, "effort", max_effort)}
    found = analysis.indices(
        model, coordinates_at_pose(model, pose, frame, at), frame=frame, components=components, **named
    )
    deliver_study(found, **output)


# --- `linkwright clearance`: distances between links at a pose or along a run -----------------------------------------


@click.command(short_help="Distances between links that no joint connects, at a pose or along a run.")
@click.argument("name_or_file")
@option("--at")
@option("--pose", more="[default: home]")
@option("--run", "run_file", more="All its rows are looked at.")
@option("--frame", more="[default: the platform]")
@click.option("--ignore", multiple=True, help='A pair that is not looked at, "rod1, rod2" (repeatable).')
@study_options
@reporting_errors
def clearance(
    name_or_file: str,
    at: Any,
    pose: Any,
    run_file: str | None,
    frame: str | None,
    ignore: tuple[str, ...],
    **output: Any,
) -> None:
    """Compute the least distances between links of NAME_OR_FILE (a catalog name or a mechanism file).

    Capsules cover the shapes of the file; bodies without shapes are named.

    \b
    Examples:
      linkwright clearance delta --pose "x=50 mm, y=0, z=-200 mm"
      linkwright clearance hexapod --run run.npz --plot distances.png
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.results.result_reader import read_run

    model = build_by_name(name_or_file)
    q = coordinates_at_pose(model, pose, frame, at) if run_file is None else read_run(run_file).q
    pairs = [tuple(name.strip() for name in text.split(",")) for text in ignore]
    deliver_study(analysis.clearance(model, q, ignore=pairs), **output)  # type: ignore[arg-type]


# --- `linkwright workspace` -------------------------------------------------------------------------------------------


@click.command(short_help="Workspace: reachable poses within limits and bounds, volume, boundary.")
@click.argument("name_or_file")
@option(
    "--pose", more='Ranges are axes of the grid, "x=-300..300 mm:41"; names alone find theirs, "x, y"; values stay.'
)
@click.option(
    "--turns", type=POSE, help='Poses that can be turned through all angles, "rx=-10 deg..10 deg:3, ry=0..5 deg:3".'
)
@click.option("--any", "some", is_flag=True, help="With --turns: through one of these at least.")
@option("--at-least")
@option("--at-most")
@click.option(
    "--show",
    "shown",
    type=NAMES,
    default=(),
    help='Further indices to compute, "condition"; speed needs --max-speed and force --max-effort, or the file\'s.',
)
@option("--stiffness")
@option("--encoder")
@option("--max-speed", more="[default: the file's]")
@option("--max-effort", more="[default: the file's]")
@option("--clearance")
@click.option("--no-limits", is_flag=True, help="Do not look at the joints' limits.")
@click.option("--no-refine", is_flag=True, help="Do not follow the boundary between the poses of the grid.")
@option("--frame", more="[default: the platform]")
@option("--max-seconds")
@output_option("--export", "mesh", kind="workspace")
@output_option("--view", "page_file", kind="page")
@study_options
@reporting_errors
def workspace(
    name_or_file: str,
    pose: dict[str, Any] | None,
    turns: dict[str, Any] | None,
    some: bool,
    at_least: dict[str, float] | None,
    at_most: dict[str, float] | None,
    shown: tuple[str, ...],
    stiffness: float | None,
    encoder: float | None,
    max_speed: Any,
    max_effort: Any,
    clearance: float | None,
    no_limits: bool,
    no_refine: bool,
    frame: str | None,
    max_seconds: float | None,
    mesh: str | None,
    page_file: str | None,
    **output: Any,
) -> None:
    """Compute the workspace of NAME_OR_FILE (a catalog name or a mechanism file) on a grid of poses.

    \b
    Examples:
      linkwright workspace five-bar --at-most "condition=4" --plot region.png
      linkwright workspace delta --pose "x, y, z" --show condition --view region.html
      linkwright workspace hexam --pose "x=-0.7..0.7:41, y=-0.7..0.7:41, z=-1.3..0.6:41" --export region.ply
      linkwright workspace hexapod --pose "rx=-40 deg..40 deg:41, ry=-40 deg..40 deg:41" --json
    """
    from linkwright import analysis, view
    from linkwright.cli.kinematics import typed_frame_pose
    from linkwright.cli.mechanisms import build_by_name

    still = {name: x for name, x in (pose or {}).items() if isinstance(x, float)}
    axes = _axes({name: x for name, x in (pose or {}).items() if name not in still}, "--pose") or None
    if mesh is not None and not mesh.lower().endswith(".json") and axes is not None and len(axes) != 3:
        raise click.UsageError(f"--export {mesh} needs three axes in --pose, which names {len(axes)}; or write .json")
    model = build_by_name(name_or_file)
    properties: dict[str, Any] = {"stiffness": stiffness, "encoder": encoder}
    properties |= {"speed": limit_of_actuators(model, "speed", max_speed)}
    properties |= {"effort": limit_of_actuators(model, "effort", max_effort)}
    found = analysis.workspace(
        model,
        axes,
        at=typed_frame_pose(model, still, frame) if still else None,
        turns=None if turns is None else _axes(turns, "--turns"),
        combine="any" if some else "all",
        limits=not no_limits,
        clearance=clearance,
        at_least=at_least or {},
        at_most=at_most or {},
        show=shown,
        refine=not no_refine,
        frame=frame,
        max_seconds=max_seconds,
        **{name: x for name, x in properties.items() if x is not None},
    )
    files = [(found.export, mesh), (lambda path: view(model, path, workspace=found), page_file)]
    deliver_study(found, **output, files=files)


def _axes(pose: dict[str, Any], option: str) -> Any:
    """Axes with their ranges and counts, or names of axes whose ranges are found."""
    if all(x is None for x in pose.values()):
        return list(pose)
    for name, x in pose.items():
        if not isinstance(x, Range) or x.count is None:
            such = "-0.1..0.1:5" if name in "xyz" else "-10..10 deg:3"
            raise ArgumentError(f"{option}: {name} is not an axis with a range and a count; write {name}={such}")
    return {name: (x.low, x.high, x.count) for name, x in pose.items()}
