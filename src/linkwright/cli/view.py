"""`linkwright view`: a mechanism in the browser, as one HTML file."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from pathlib import Path

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, open_option, plain_file_name
from linkwright.cli.outputs import claim_file, output_option, overwrite_option


@click.command(short_help="A mechanism in the browser, as one HTML file.")
@click.argument("name_or_file")
@output_option("--output", kind="view", more=".html, .svg, .gif, .mp4, .webm or .glb.  [default: NAME.html]")
@overwrite_option
@click.option("--still", is_flag=True, help="Draw the home configuration only, without moving the actuators.")
@click.option("--live", is_flag=True, help="Open the page: every page can be dragged. The same as --open.")
@open_option
@json_option
@reporting_errors
def view(name_or_file: str, output: str | None, still: bool, live: bool, show: bool | None, as_json: bool) -> None:
    """Write a page that shows NAME_OR_FILE (a catalog name or a mechanism file) in 3D; it needs no network.

    A crank turns round, other actuators go to and fro as far as the loops allow. By the ending of --output it is
    written as a page, a picture (.svg), an animation (.gif, .mp4, .webm) or a 3D model (.glb). The page computes its
    mechanism: drag a body, change a length, let it go.

    \b
    Examples:
      linkwright view gough-stewart
      linkwright view robot.yaml --still --output robot.html
      linkwright view four-bar --output four-bar.gif
      linkwright view delta --output delta.glb
      linkwright view delta --open
    """
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.viewer.shown_page import view as open_view

    model = build_by_name(name_or_file)
    file = output or claim_file(f"{plain_file_name(model.mechanism.name, '-')}.html", "page")
    open_view(model, file, still)
    announce_page(model.mechanism.name, file, show or live or None, as_json)


def announce_page(what: str, file: str, show: bool | None, as_json: bool) -> None:
    """Print where a page is; open it if requested, or if the output is a terminal."""
    from linkwright.cli.printed_tables import print_paragraph

    if as_json:
        click.echo(json.dumps({"file": file, "bytes": os.path.getsize(file)}))
    else:
        print_paragraph(f"{what}: {file} ({os.path.getsize(file) / 1e6:.1f} MB), opens by double-click")
    if show or (show is None and sys.stdout.isatty() and not as_json):
        webbrowser.open(Path(file).resolve().as_uri())
