"""`linkwright assemble`: close the loops."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors


@click.command(short_help="Close every loop, from home or with some coordinates held.")
@click.argument("name_or_file")
@click.option("--fixed", help='Coordinates to hold, for example "theta=30 deg".')
@click.option("--modes", is_flag=True, help="All assembly modes at the positions of the actuators, --fixed or home.")
@click.option("--guesses", default=512, show_default=True, help="Random starts when the first does not close.")
@click.option("--json", "as_json", is_flag=True, help="Print the configurations as JSON.")
@reporting_errors
def assemble(name_or_file: str, fixed: str | None, modes: bool, guesses: int, as_json: bool) -> None:
    """Find closed configurations of NAME_OR_FILE (a catalog name or a mechanism file).

    \b
    Examples:
      linkwright assemble four-bar --fixed "theta=60 deg"
      linkwright assemble 3-rrr --modes
    """
    from linkwright.cli import configurations
    from linkwright.cli.inverse import part_units
    from linkwright.cli.mechanisms import built

    model = built(name_or_file)
    held = configurations.given(fixed, model.q_names, part_units(model.mechanism, False, "rad", "m"), "--fixed")
    found = [model.assemble(fixed=held, guesses=guesses)]
    if modes:
        found = model.assembly_modes(model.actuator_positions(found[0].q), guesses)
    data = [{**configurations.as_data(model, c.q), **_about(c)} for c in found]
    if as_json:
        configurations.as_json(data, mechanism=model.mechanism.name)
        return
    titles = [f"mode {i} [{c.branch}]" if modes else "closed" for i, c in enumerate(found, start=1)]
    configurations.show_configurations(model, data, titles)
    _show_closure(found, titles)


def _about(configuration: Any) -> dict[str, Any]:
    return {
        "residual": float(configuration.residual),
        "branch": configuration.branch,
        "singularity": float(configuration.singularity),
    }


def _show_closure(found: list[Any], titles: list[str]) -> None:
    from linkwright.cli.tables import show

    rows = [[t, f"{c.residual:.1e}", c.branch, f"{c.singularity:.3g}"] for t, c in zip(titles, found)]
    show("Closure", ["", "closure residual", "branch", "distance to a singularity"], rows)
