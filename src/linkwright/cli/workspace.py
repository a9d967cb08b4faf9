"""`linkwright workspace`: poses that a mechanism reaches within limits and bounds, with volume and boundary."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.outputs import output_option
from linkwright.cli.spans import assignments, span
from linkwright.cli.study_output import deliver, study_options
from linkwright.errors import ArgumentError

_PARTS = ("x", "y", "z", "rx", "ry", "rz")
_EXAMPLES = {"--grid": "x=-300 mm..300 mm:41", "--turns": "rx=-10 deg..10 deg:3"}


@click.command(short_help="Workspace: reachable poses within limits and bounds, volume, boundary.")
@click.argument("name_or_file")
@click.option("--grid", help='Axes, "x=-300 mm..300 mm:41, y=0..0.5:41"; their names alone find the ranges, "x, y".')
@click.option("--at", "target", help='Components that stay, "z=0.4 m, rx=10 deg"; home when left out.')
@click.option("--turns", help='Poses that can be turned through all angles, "rx=-10 deg..10 deg:3, ry=0..5 deg:3".')
@click.option("--any", "some", is_flag=True, help="With --turns: through one of these at least.")
@click.option("--at-least", help='Indices that must not be below, "type2=0.1, least_stiffness=1e6".')
@click.option("--at-most", help='Indices that must not be above, "condition=10".')
@click.option("--show", "shown", help='Further indices to compute, "condition".')
@click.option("--stiffness", type=float, help="Stiffness of every actuator, [N m/rad or N/m].")
@click.option("--encoder", type=float, help="Largest position error of every actuator, [rad or m].")
@click.option("--clearance", "distance", help="Least distance between links, for example '5 mm'.")
@click.option("--no-limits", is_flag=True, help="Do not look at the joints' limits.")
@click.option("--no-refine", is_flag=True, help="Do not follow the boundary between the poses of the grid.")
@click.option("--frame", help="Frame or body that moves; the platform when left out.")
@output_option(
    "--export", "mesh", kind="workspace", help="Boundary as .ply or .vtk, the grid as .vti, or both as .json."
)
@output_option("--view", "page_file", kind="page", help="Page to write: the region as a layer at the mechanism.")
@study_options
@reporting_errors
def workspace(
    name_or_file: str,
    grid: str | None,
    target: str | None,
    turns: str | None,
    some: bool,
    at_least: str | None,
    at_most: str | None,
    shown: str | None,
    stiffness: float | None,
    encoder: float | None,
    distance: str | None,
    no_limits: bool,
    no_refine: bool,
    frame: str | None,
    mesh: str | None,
    page_file: str | None,
    **output: Any,
) -> None:
    """Compute the workspace of NAME_OR_FILE (a catalog name or a mechanism file) on a grid of poses.

    \b
    Examples:
      linkwright workspace five-bar --at-most "condition=4" --plot region.png
      linkwright workspace delta --grid "x, y, z" --show condition --view region.html
      linkwright workspace hexam --grid "x=-0.7..0.7:41, y=-0.7..0.7:41, z=-1.3..0.6:41" --export region.ply
      linkwright workspace hexapod --grid "rx=-40 deg..40 deg:41, ry=-40 deg..40 deg:41" --json
    """
    from linkwright import analysis, view
    from linkwright.cli.mechanisms import built
    from linkwright.cli.motion import typed

    axes = _grid(grid, "--grid")
    if mesh is not None and not mesh.lower().endswith(".json") and axes is not None and len(axes) != 3:
        raise click.UsageError(f"--export {mesh} needs three axes in --grid, which names {len(axes)}; or write .json")
    model = built(name_or_file)
    properties: dict[str, Any] = {"stiffness": stiffness, "encoder": encoder}
    found = analysis.workspace(
        model,
        axes,
        at=None if target is None else _pose(model, frame, target),
        turns=_grid(turns, "--turns"),
        combine="any" if some else "all",
        limits=not no_limits,
        clearance=None if distance is None else typed(distance, "--clearance", "m"),
        at_least=_bounds(at_least, "--at-least"),
        at_most=_bounds(at_most, "--at-most"),
        show=() if shown is None else shown.replace(",", " ").split(),
        refine=not no_refine,
        frame=frame,
        **{name: x for name, x in properties.items() if x is not None},
    )
    files = [(found.export, mesh), (lambda path: view(model, path, workspace=found), page_file)]
    deliver(found, **output, files=files)


def _grid(text: str | None, option: str) -> Any:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    such = _EXAMPLES[option]
    if not parts:
        raise ArgumentError(f"{option}: '{text}' names no axis; write for example \"{such}\"")
    if all("=" not in part for part in parts):
        return parts
    return {name: _axis(name, value, option, such) for name, value in assignments(text, option, such)}


def _axis(name: str, value: str, option: str, such: str) -> tuple[float, float, int]:
    from linkwright.cli.motion import typed

    values = span(value)
    if name not in _PARTS or values is None or values.count is None:
        raise ArgumentError(f"{option}: '{name}={value}' is not an axis; write for example \"{such}\"")
    low, high = (typed(x, f"{option}: {name}", "m" if name in "xyz" else "rad") for x in (values.low, values.high))
    return low, high, values.count


def _bounds(text: str | None, option: str) -> dict[str, float]:
    found = {}
    for name, value in assignments(text, option, "condition=10"):
        try:
            found[name] = float(value)
        except ValueError:
            raise ArgumentError(
                f"{option}: '{name}={value}' is not a bound; write for example \"condition=10\""
            ) from None
    return found


def _pose(model: Any, frame: str | None, target: str) -> Any:
    from linkwright.cli.kinematics import posed

    return posed(model, target, frame)
