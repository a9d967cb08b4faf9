"""`linkwright view`: a mechanism in the browser, as one HTML file."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import json_option, open_option, plain_file_name
from linkwright.cli.outputs import claim_file, output_option, overwrite_option
from linkwright.errors import Exit

if TYPE_CHECKING:
    from linkwright.model import Model


@click.command(short_help="A mechanism in the browser, as one HTML file.")
@click.argument("name_or_file")
@output_option("--output", kind="view", more=".html, .svg, .gif, .mp4, .webm or .glb.  [default: NAME.html]")
@overwrite_option
@click.option("--still", is_flag=True, help="Draw the home configuration only, without moving the actuators.")
@click.option("--live", "drag", is_flag=True, help="Serve a page in which the mechanism can be dragged, until Ctrl-C.")
@click.option("--port", default=0, help="Port of the live page; a free one unless given.")
@open_option
@json_option
@reporting_errors
def view(
    name_or_file: str, output: str | None, still: bool, drag: bool, port: int, show: bool | None, as_json: bool
) -> None:
    """Write a page that shows NAME_OR_FILE (a catalog name or a mechanism file) in 3D; it needs no network.

    A crank turns round, other actuators go to and fro as far as the loops allow. By the ending of --output it is
    written as a page, a picture (.svg), an animation (.gif, .mp4, .webm) or a 3D model (.glb). With --live a page
    is served to this computer only, in which the platform and the actuators can be dragged while all loops stay closed.

    \b
    Examples:
      linkwright view gough-stewart
      linkwright view robot.yaml --still --output robot.html
      linkwright view four-bar --output four-bar.gif
      linkwright view delta --output delta.glb
      linkwright view delta --live
    """
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.viewer.live_requests import free_parameters
    from linkwright.viewer.shown_page import view as open_view

    if drag:
        serve_live_page(build_by_name(name_or_file, inputs=free_parameters), name_or_file, port, show, as_json)
        return
    model = build_by_name(name_or_file)
    file = output or claim_file(f"{plain_file_name(model.mechanism.name, '-')}.html", "page")
    open_view(model, file, still)
    announce_page(model.mechanism.name, file, show, as_json)


def serve_live_page(model: Model, name: str, port: int, show: bool | None, as_json: bool) -> None:
    """Serve the live page until the user stops it."""
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.viewer.live_server import LiveServer

    try:
        server = LiveServer(model, name, port)
    except (OSError, OverflowError) as error:
        raise CommandFailure(
            f"port {port} cannot be used: {error}; choose another one or leave --port out", Exit.USAGE
        ) from None
    if as_json:
        click.echo(json.dumps({"address": server.address}))
    else:
        print_paragraph(f"{model.mechanism.name}: {server.address}\nOnly this computer can open it. Stop with Ctrl-C.")
    if show or (show is None and sys.stdout.isatty() and not as_json):
        webbrowser.open(server.redirect_file())
    try:
        server.run()
    except KeyboardInterrupt:
        print_paragraph("stopped")
    finally:
        server.remove_files()


def announce_page(what: str, file: str, show: bool | None, as_json: bool) -> None:
    """Print where a page is; open it if requested, or if the output is a terminal."""
    from linkwright.cli.printed_tables import print_paragraph

    if as_json:
        click.echo(json.dumps({"file": file, "bytes": os.path.getsize(file)}))
    else:
        print_paragraph(f"{what}: {file} ({os.path.getsize(file) / 1e6:.1f} MB), opens by double-click")
    if show or (show is None and sys.stdout.isatty() and not as_json):
        webbrowser.open(Path(file).resolve().as_uri())
