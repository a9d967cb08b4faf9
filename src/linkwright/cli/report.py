"""`linkwright report`: a saved run as one HTML file."""

from __future__ import annotations

import os
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import json_option, open_option, option
from linkwright.cli.outputs import claim_file, output_option, overwrite_option
from linkwright.cli.view import announce_page
from linkwright.errors import Exit


@click.command(short_help="A saved run as one HTML file with animation, curves and tables.")
@click.argument("run_file")
@output_option("--output", kind="page", more="An HTML page.  [default: beside the run]")
@overwrite_option
@click.option("--title", default=None, help="Heading of the page.")
@click.option("--path", "paths", multiple=True, help="Frame or body whose way is drawn; may be repeated.")
@click.option("--compare", default=None, help="Another saved run, drawn dotted and pale.")
@option("--no-reactions")
@open_option
@json_option
@reporting_errors
def report(
    run_file: str,
    output: str | None,
    title: str | None,
    paths: tuple[str, ...],
    compare: str | None,
    no_reactions: bool,
    show: bool | None,
    as_json: bool,
) -> None:
    """Write a page of RUN_FILE (.npz, .csv, .mat or .nc, saved by a simulation); it needs no network.

    \b
    Examples:
      linkwright report run.npz
      linkwright report run.npz --title "Test 3" --path platform
      linkwright report after.npz --compare before.npz
    """
    run = _open_run_file(run_file)
    target = output or claim_file(f"{os.path.splitext(run_file)[0]}.html", "page")
    other = _open_run_file(compare) if compare else None
    file = run.report(target, title=title, paths=paths or None, reactions=not no_reactions, compare=other)
    announce_page(title or os.path.basename(run_file), file, show, as_json)


def _open_run_file(run_file: str) -> Any:
    from linkwright.errors import ResultError
    from linkwright.results.result_reader import read_run

    try:
        return read_run(run_file)
    except ResultError as error:
        raise CommandFailure(str(error), Exit.BAD_FILE) from None
