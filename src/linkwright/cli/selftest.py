"""`linkwright selftest`: laws that must hold, checked on the user's own model."""

from __future__ import annotations

import json
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option
from linkwright.errors import Exit


@click.command(short_help="Check a model by laws that must hold for every mechanism.")
@click.argument("name_or_file")
@option("--draws", default=10, show_default=True, more="Closed states to try.")
@option("--seed", default=0, show_default=True)
@json_option
@reporting_errors
def selftest(name_or_file: str, draws: int, seed: int, as_json: bool) -> None:
    """Check laws on NAME_OR_FILE (a catalog name or a mechanism file); ends with 5 when one is broken.

    \b
    Examples:
      linkwright selftest gough-stewart
      linkwright selftest my-robot.yaml --draws 100
    """
    from linkwright.analysis.self_test import broken_laws, selftest
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    checks = selftest(model, draws, seed)
    if as_json:
        click.echo(json.dumps([_check_data(check) for check in checks]))
    else:
        _print_law_checks(model.mechanism.name, checks, draws)
    if any(broken_laws(checks)):
        raise click.exceptions.Exit(Exit.CHECK_FAILED)


def _check_data(check: Any) -> dict[str, Any]:
    about = {"check": check.name, "passed": check.passed, "allowed": check.allowed}
    return {**about, "skipped": check.skipped} if check.skipped else {**about, "worst": check.worst}


def _print_law_checks(name: str, checks: Any, states: int) -> None:
    from linkwright.cli.printed_tables import print_table

    rows = []
    for check in checks:
        verdict = "skipped" if check.skipped else "pass" if check.passed else "FAILED"
        worst = check.skipped or f"{check.worst:.1e} of {check.allowed:.0e} allowed"
        rows.append([verdict, check.name, worst])
    print_table(f"{name}, {states} random closed states", ["", "law", "largest relative error"], rows)
