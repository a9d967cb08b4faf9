"""`linkwright explain`: the solution of a mechanism, step by step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option
from linkwright.cli.outputs import output_option, overwrite_option, say_written
from linkwright.cli.values import variable_names

_ROWS = 10  # of a table, unless everything is printed


@click.command(short_help="How a mechanism is solved, step by step.")
@click.argument("name_or_file")
@output_option("--report", kind="page", more="With typeset formulas; nothing else is printed.")
@overwrite_option
@option("--vary", more='Symbols in the formulas; "all" of the file.')
@option("--all", "everything")
@json_option
@reporting_errors
def explain(name_or_file: str, report: str | None, vary: Any, everything: bool, as_json: bool) -> None:
    """Explain NAME_OR_FILE (a catalog name or a mechanism file): tree, cuts, DeNOC matrices, closure equations,
    elimination order and operation counts; for small mechanisms the formulas themselves.

    \b
    Examples:
      linkwright explain four-bar
      linkwright explain arm.yaml --vary "l1, m1"
      linkwright explain my-robot.yaml --report explained.html
    """
    from linkwright.analysis.explanation.explain import explain
    from linkwright.cli.mechanisms import import_mechanism

    mech = import_mechanism(name_or_file).mechanism
    found = explain(mech, variable_names(vary))
    if as_json:
        click.echo(json.dumps(found.data()))
    elif report is None:
        _print_explanation(found, None if everything else _ROWS)
    if report is not None:
        found.report(report)
        if not as_json:
            say_written(report)


def _print_explanation(found: Any, most: int | None) -> None:
    from linkwright.cli.printed_tables import print_paragraph

    print_paragraph(f"{found.name}: how it is solved")
    for i, step in enumerate(found.steps, 1):
        print_paragraph(f"\n{i}. {step.title}\n")
        for block in step.blocks:
            _print_block(block, most)


def _print_block(block: Any, most: int | None) -> None:
    from linkwright.analysis.explanation import explanation_records as kinds
    from linkwright.cli.printed_tables import print_paragraph, print_table

    match block:
        case kinds.Paragraph(text):
            print_paragraph(text + "\n")
        case kinds.TheoryEquation(plain):
            print_paragraph(f"    {plain}\n")
        case kinds.Drawing(title, lines):
            _print_lines(title, lines, most)
        case kinds.NumberTable(title, heads, rows):
            print_table(title, heads, rows, most=most)
        case kinds.Matrix(name, rows, columns, entries):
            shown = columns if most is None else columns[:most]
            cells = [[r, *row[: len(shown)]] for r, row in zip(rows, entries)]
            print_table(name, ["", *shown], cells, numbers=True, most=most)
            if len(shown) < len(columns):
                print_paragraph(f"... {len(columns) - len(shown)} more columns; --all shows them\n")
        case kinds.FormulaBlock(title):
            _print_lines(title, block.lines, most)


def _print_lines(title: str, lines: Sequence[str], most: int | None) -> None:
    from linkwright.cli.printed_tables import print_paragraph

    left = 0 if most is None else max(0, len(lines) - 2 * most)
    rest = f"  ... {left} more lines; --all shows them\n" if left else ""
    print_paragraph(title + "\n" + "".join(f"  {line}\n" for line in lines[: len(lines) - left]) + rest)
