"""`linkwright explain`: the solution of a mechanism, step by step."""

from __future__ import annotations

import json
from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.outputs import output_option, overwrite_option, say_written


@click.command(short_help="How a mechanism is solved, step by step.")
@click.argument("name_or_file")
@output_option(
    "--html", "output", metavar="OUT", kind="page", help="Write one HTML file with typeset formulas instead."
)
@overwrite_option
@click.option("--inputs", help='Parameters that stay symbols in the formulas, "l1, m1", or "all" of the file.')
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
@reporting_errors
def explain(name_or_file: str, output: str | None, inputs: str | None, as_json: bool) -> None:
    """Explain NAME_OR_FILE (a catalog name or a mechanism file): tree, cuts, DeNOC matrices, closure equations,
    elimination order and operation counts; for small mechanisms the formulas themselves.

    \b
    Examples:
      linkwright explain four-bar
      linkwright explain arm.yaml --inputs "l1, m1"
      linkwright explain my-robot.yaml --html explained.html
    """
    from linkwright.analysis.explanation.explain import explain
    from linkwright.cli.mechanisms import imported, named_inputs

    mech = imported(name_or_file).mechanism
    found = explain(mech, named_inputs(inputs or ""))
    if as_json:
        click.echo(json.dumps(as_data(found)))
    elif output is None:
        _print(found)
    if output is not None:
        found.save(output)
        if not as_json:
            say_written(output)


def _print(found: Any) -> None:
    from linkwright.cli.tables import say

    say(f"{found.name}: how it is solved")
    for i, step in enumerate(found.steps, 1):
        say(f"\n{i}. {step.title}\n")
        for block in step.blocks:
            _print_block(block)


def _print_block(block: Any) -> None:
    from linkwright.analysis.explanation import blocks as kinds
    from linkwright.cli.tables import say, show

    match block:
        case kinds.Paragraph(text):
            say(text + "\n")
        case kinds.TheoryEquation(plain):
            say(f"    {plain}\n")
        case kinds.Drawing(title, lines):
            say(title + "\n" + "".join(f"  {line}\n" for line in lines))
        case kinds.NumberTable(title, heads, rows):
            show(title, heads, rows)
        case kinds.Matrix(name, rows, columns, entries):
            show(name, ["", *columns], [[r, *row] for r, row in zip(rows, entries)], numbers=True)
        case kinds.FormulaBlock(title):
            say(title + "\n" + "".join(f"  {line}\n" for line in block.lines))


def as_data(found: Any) -> dict[str, Any]:
    """An explanation as plain data; formulas as text."""
    return {"name": found.name, "steps": [_step_data(step) for step in found.steps]}


def _step_data(step: Any) -> dict[str, Any]:
    return {"title": step.title, "blocks": [_block_data(block) for block in step.blocks]}


# Names of blocks in the JSON output.
_KINDS = {
    "Paragraph": "paragraph",
    "TheoryEquation": "law",
    "Drawing": "drawing",
    "NumberTable": "table",
    "Matrix": "matrix",
    "FormulaBlock": "equations",
}


def _block_data(block: Any) -> dict[str, Any]:
    kind = _KINDS[type(block).__name__]
    fields = {key: value for key, value in vars(block).items() if key not in ("shared", "results", "mathml")}
    lines = {"lines": block.lines} if kind == "equations" else {}
    return {"kind": kind, **fields, **lines}
