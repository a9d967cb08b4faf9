"""Options and output shared by the verbs of studies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, command_line_text
from linkwright.cli.options import json_option
from linkwright.cli.outputs import RequestedFiles, output_option, overwrite_option
from linkwright.errors import Exit


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
    accept_doubtful: bool = False,
) -> None:
    """Print a study and write the files that were requested; `files` are further ones, writers and names.

    Doubtful values are printed, and fail; they go into no file but the page and the figure unless they are accepted.
    """
    requested = RequestedFiles()
    refused = bool(found.doubts) and not accept_doubtful
    values = [(write, path) for write, path in (*files, (found.save, output)) if path is not None]
    for write, path in (*(() if refused else values), (found.report, page), (found.plot, picture)):
        requested.write(write, path)
    if as_json:
        click.echo(json.dumps(found.data()))
    else:
        _print_study(found.content())
    requested.report(as_json)
    if refused:
        more = f" ({len(found.doubts) - 1} more in the notes)" if len(found.doubts) > 1 else ""
        left = "".join(f"; {path} is not written" for _, path in values)
        text = f"the values are doubtful: {found.doubts[0]}{more}{left}. --accept-doubtful takes them as they are"
        raise CommandFailure(text, Exit.NOT_CLOSED)


def _print_study(content: Any) -> None:
    """Print facts, tables and notes."""
    from linkwright.cli.printed_tables import print_paragraph, print_table
    from linkwright.results.study_result import describe_study

    found = describe_study(content)
    print_paragraph(found.title)
    print_table("", ["", "value"], [list(pair) for pair in found.facts])
    for each in found.tables:
        print_table(each.heading, each.heads, each.rows, numbers=True)
    for note in found.notes:
        print_paragraph(f"Note: {command_line_text(note)}")
