"""`linkwright workspace`: poses that a mechanism reaches within limits and bounds, with volume and boundary."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_output import deliver_study, study_options
from linkwright.cli.values import NAMES, POSE, Range
from linkwright.errors import ArgumentError


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
@click.option("--show", "shown", type=NAMES, default=(), help='Further indices to compute, "condition".')
@option("--stiffness")
@option("--encoder")
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
