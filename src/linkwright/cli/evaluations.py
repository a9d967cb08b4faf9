"""Options and output shared by the verbs that evaluate a design."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from linkwright.cli.outputs import output_option, overwrite_option, say_written

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
    written: Sequence[str | None] = (),
) -> None:
    """Print an evaluation and write the files that were requested; `written` names those that the verb wrote itself."""
    from linkwright.cli.tables import say, show

    files = {found.report: page, found.plot: picture, found.save: output}
    for write, path in files.items():
        if path is not None:
            write(path)
    data = found.data()
    if as_json:
        click.echo(json.dumps(data))
        return
    from linkwright.results.evaluation import shown

    tables, notes = data.pop("tables"), data.pop("notes")
    say(data.pop("title"))
    show("", ["", "value"], [[name, shown(x)] for name, x in data.items()])
    for title, rows in tables.items():
        if rows:
            show(title, list(rows[0]), [[_cell(x) for x in row.values()] for row in rows], numbers=True)
    for note in notes:
        say(f"Note: {note}")
    say_written(*written, *files.values())


def _cell(x: Any) -> str:
    from linkwright.results.evaluation import shown

    return "-" if x is None else shown(x)
