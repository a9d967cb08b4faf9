"""Options and output shared by the verbs of studies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from linkwright.cli.command_failures import command_line_text
from linkwright.cli.options import json_option
from linkwright.cli.outputs import RequestedFiles, output_option, overwrite_option


def study_options(verb: Callable[..., Any], numbers: str = "Numbers") -> Callable[..., Any]:
    """Add --json, --report, --plot, --output and --overwrite to a verb; `deliver_study` takes them.

    `numbers` says what --output holds.
    """
    verb = overwrite_option(verb)
    verb = output_option("--output", kind="study result", more=f"{numbers}, as .npz, .json or .csv.")(verb)
    verb = output_option("--plot", "picture", kind="figure")(verb)
    verb = output_option("--report", "page", kind="page")(verb)
    return json_option(verb)


def deliver_study(
    found: Any,
    as_json: bool,
    page: str | None,
    picture: str | None,
    output: str | None,
    files: Sequence[tuple[Callable[[str], Any], str | None]] = (),
) -> None:
    """Print a study and write the files that were requested; `files` are further ones, writers and names."""
    requested = RequestedFiles()
    for write, path in (*files, (found.report, page), (found.plot, picture), (found.save, output)):
        requested.write(write, path)
    if as_json:
        click.echo(json.dumps(found.data()))
    else:
        _print_study(found.content())
    requested.report(as_json)


def _print_study(content: Any) -> None:
    """Print facts, tables and notes."""
    from linkwright.cli.printed_tables import print_paragraph, print_table

    print_paragraph(content.title)
    print_table("", ["", "value"], [list(pair) for pair in content.labeled_facts])
    for each in content.tables:
        print_table(each.heading, each.heads, [[_printed_cell(x) for x in row] for row in each.rows], numbers=True)
    for note in content.notes:
        print_paragraph(f"Note: {command_line_text(note)}")


def _printed_cell(x: Any) -> str:
    import math

    from linkwright.results.study_result import value_text

    return "-" if x is None or (isinstance(x, float) and not math.isfinite(x)) else value_text(x)
