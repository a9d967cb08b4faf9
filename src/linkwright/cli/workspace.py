"""`linkwright workspace`, `indices` and `clearance`: poses a mechanism reaches, its indices and its distances there."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.options import option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_verbs import study_verb
from linkwright.cli.values import LENGTH, NAMES, POSE, Range
from linkwright.errors import ArgumentError


@study_verb(
    "q frame components stiffness encoder speed effort",
    click.option("--length", type=LENGTH, help="Characteristic length, for example '100 mm'.  [default: the mean arm]"),
    short_help="Indices of a design: condition, singularities, stiffness, capability, accuracy.",
)
def indices(model: Any, **given: Any) -> Any:
    """Compute indices of NAME_OR_FILE (a catalog name or a mechanism file) at home, at a state, or at a pose of its
    output.

    \b
    Examples:
      linkwright indices five-bar --stiffness 1e4 --encoder 1e-4
      linkwright indices delta --pose "x=50 mm, y=0, z=-150 mm" --json
      linkwright indices four-bar --frame rocker --components rz
    """
    from linkwright import analysis

    return analysis.indices(model, **given)


@study_verb(
    "q frame",
    option("--run", "run_file", more="All its rows are looked at."),
    click.option("--ignore", multiple=True, help='A pair that is not looked at, "rod1, rod2" (repeatable).'),
    short_help="Distances between links that no joint connects, at a pose or along a run.",
)
def clearance(model: Any, q: Any, frame: str | None, run_file: str | None, ignore: tuple[str, ...]) -> Any:
    """Compute the least distances between links of NAME_OR_FILE (a catalog name or a mechanism file).

    Capsules cover the shapes of the file; bodies without shapes are named.

    \b
    Examples:
      linkwright clearance delta --pose "x=50 mm, y=0, z=-200 mm"
      linkwright clearance hexapod --run run.npz --plot distances.png
    """
    from linkwright import analysis
    from linkwright.results.result_reader import read_run

    pairs: Any = [tuple(name.strip() for name in text.split(",")) for text in ignore]
    return analysis.clearance(model, q if run_file is None else read_run(run_file).q, ignore=pairs)


@study_verb(
    "at_least at_most stiffness encoder speed effort clearance frame max_seconds",
    option(
        "--pose", more='Ranges are axes of the grid, "x=-300..300 mm:41"; names alone find theirs, "x, y"; values stay.'
    ),
    click.option(
        "--turns",
        type=POSE,
        help='Poses that can be turned through all angles, "rx=-10 deg..10 deg:3, ry=0..5 deg:3".',
    ),
    click.option("--any", "some", is_flag=True, help="With --turns: through one of these at least."),
    click.option(
        "--show",
        type=NAMES,
        default=(),
        help='Further indices to compute, "condition"; speed needs --max-speed and force --max-effort, or the file\'s.',
    ),
    click.option("--no-limits", is_flag=True, help="Do not look at the joints' limits."),
    click.option("--no-refine", is_flag=True, help="Do not follow the boundary between the poses of the grid."),
    output_option("--export", "mesh", kind="workspace"),
    output_option("--view", "page_file", kind="page"),
    short_help="Workspace: reachable poses within limits and bounds, volume, boundary.",
)
def workspace(
    model: Any,
    pose: dict[str, Any] | None,
    turns: dict[str, Any] | None,
    some: bool,
    no_limits: bool,
    no_refine: bool,
    mesh: str | None,
    page_file: str | None,
    **given: Any,
) -> Any:
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

    still = {name: x for name, x in (pose or {}).items() if isinstance(x, float)}
    axes = _axes({name: x for name, x in (pose or {}).items() if name not in still}, "--pose") or None
    if mesh is not None and not mesh.lower().endswith(".json") and axes is not None and len(axes) != 3:
        raise click.UsageError(f"--export {mesh} needs three axes in --pose, which names {len(axes)}; or write .json")
    found = analysis.workspace(
        model,
        axes,
        at=typed_frame_pose(model, still, given["frame"]) if still else None,
        turns=None if turns is None else _axes(turns, "--turns"),
        combine="any" if some else "all",
        limits=not no_limits,
        refine=not no_refine,
        **{name: x for name, x in given.items() if x is not None},
    )
    return found, [(found.export, mesh), (lambda path: view(model, path, workspace=found), page_file)]


def _axes(pose: dict[str, Any], option: str) -> Any:
    """Axes with their ranges and counts, or names of axes whose ranges are found."""
    if all(x is None for x in pose.values()):
        return list(pose)
    for name, x in pose.items():
        if not isinstance(x, Range) or x.count is None:
            such = "-0.1..0.1:5" if name in "xyz" else "-10..10 deg:3"
            raise ArgumentError(f"{option}: {name} is not an axis with a range and a count; write {name}={such}")
    return {name: (x.low, x.high, x.count) for name, x in pose.items()}
