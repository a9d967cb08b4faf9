"""Options and output shared by the verbs that evaluate a design."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from linkwright.cli.outputs import RequestedFiles, output_option, overwrite_option

_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    output_option("--report", "page", kind="page", help="HTML page to write."),
    output_option("--plot", "picture", kind="figure", help="Figure to write: .pdf, .svg or .png."),
    output_option("--output", kind="evaluation", help="Numbers to write: .npz, .json or .csv."),
    overwrite_option,
)


def evaluation_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json, --report, --plot, --output and --overwrite to a verb; `deliver` takes them."""
    for option in reversed(_OPTIONS):
        verb = option(verb)
    return verb


def deliver(
    found: Any,
    as_json: bool,
    page: str | None,
    picture: str | None,
    output: str | None,
    files: Sequence[tuple[Callable[[str], Any], str | None]] = (),
) -> None:
    """Print an evaluation and write the files that were requested; `files` are further ones, writers and names."""
    requested = RequestedFiles()
    for write, path in (*files, (found.report, page), (found.plot, picture), (found.save, output)):
        requested.write(write, path)
    data = found.data()
    if as_json:
        click.echo(json.dumps(data))
    else:
        _print(data)
    requested.report(as_json)


def _print(data: dict[str, Any]) -> None:
    """Print facts, tables and notes."""
    from linkwright.cli.tables import say, show
    from linkwright.results.evaluation import shown

    tables, notes = data.pop("tables"), data.pop("notes")
    say(data.pop("title"))
    show("", ["", "value"], [[name, shown(x)] for name, x in data.items()])
    for title, rows in tables.items():
        if rows:
            show(title, list(rows[0]), [[_cell(x) for x in row.values()] for row in rows], numbers=True)
    for note in notes:
        say(f"Note: {note}")


def _cell(x: Any) -> str:
    from linkwright.results.evaluation import shown

    return "-" if x is None else shown(x)
