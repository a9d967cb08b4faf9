"""`linkwright assemble`: close the loops."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option


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
