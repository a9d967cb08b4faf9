"""`linkwright convert`: a mechanism file in another format."""

from __future__ import annotations

import json
import warnings

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import ReadableFile, json_option, option
from linkwright.cli.outputs import claim_file, overwrite_option, say_written
from linkwright.errors import Exit

_REMARKS = 12  # that are printed, unless all are


@click.command(short_help="Write a mechanism in another format: YAML, URDF, MJCF, SDF.")
@click.argument("name_or_file")
@click.argument("output", type=ReadableFile())
@click.option(
    "--dialect",
    metavar="NAME",
    help="Of URDF: loops as <loop> elements (plus, unless given), or in a sidecar .yaml (extended). "
    "Of SDF: loops as joints (joints, unless given), or as ball constraints (drake).",
)
@overwrite_option
@option("--all", "everything")
@json_option
@reporting_errors
def convert(name_or_file: str, output: str, dialect: str | None, everything: bool, as_json: bool) -> None:
    """Read NAME_OR_FILE (a catalog name or a mechanism file) and write it as OUTPUT, by the ending of its name.

    Where the file's home leaves loops open, the nearest closed configuration is written as home.
    What the format cannot express is listed; the exit code is 5 where an error is among it, such as a lost loop.

    \b
    Examples:
      linkwright convert robot.urdf robot.xml
      linkwright convert gough-stewart stewart.urdf --dialect extended
    """
    from linkwright.cli.mechanisms import import_mechanism
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.formats.mechanism_files import save
    from linkwright.model.model_construction import with_closed_home

    claim_file(output, "mechanism")
    mech = with_closed_home(import_mechanism(name_or_file).mechanism)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses = save(mech, output, dialect)
    if as_json:
        keys = ("code", "severity", "subject", "message", "fix")
        rows = [{key: getattr(loss, key) for key in keys} for loss in losses]
        click.echo(json.dumps({"file": output, "losses": rows}))
    else:
        say_written(output)
        ranked = sorted(losses, key=lambda loss: ("error", "warning", "remark").index(loss.severity))
        most = len(ranked) if everything else max(_REMARKS, sum(loss.severity == "error" for loss in ranked))
        for loss in ranked[:most]:
            print_paragraph(f"  {loss.severity}: {loss}")
        if len(ranked) > most:
            print_paragraph(f"  ... {len(ranked) - most} more; --all shows them")
    if any(loss.severity == "error" for loss in losses):
        raise click.exceptions.Exit(Exit.CHECK_FAILED)
