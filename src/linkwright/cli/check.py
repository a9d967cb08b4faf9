"""`linkwright check`: diagnosis of a mechanism."""

from __future__ import annotations

import json
from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.options import json_option

_SHOWN = 40
_COLORS = {"error": "bold red", "warning": "yellow", "remark": "cyan"}


@click.command(short_help="Diagnose a mechanism: what is wrong, and the fix.")
@click.argument("name_or_file")
@json_option
@reporting_errors
def check(name_or_file: str, as_json: bool) -> None:
    """Examine NAME_OR_FILE (a catalog name or a mechanism file): how it moves, what drives it, what is wrong.

    The last line counts errors, warnings and remarks. Only errors set the exit code: 3 for a file that is not a
    mechanism, 4 when loops do not close, 5 for any other error; otherwise 0.

    \b
    Examples:
      linkwright check delta
      linkwright check my-robot.yaml --json
    """
    found = _diagnosis(name_or_file)
    if as_json:
        click.echo(json.dumps(found.as_data()))
    else:
        _print(found)
    if found.exit_code:
        raise click.exceptions.Exit(found.exit_code)


def _diagnosis(name: str) -> Any:
    from linkwright.analysis.check.check import check as examined
    from linkwright.analysis.check.check import unreadable
    from linkwright.cli.mechanisms import imported
    from linkwright.errors import MechanismError

    try:
        about = imported(name, warn=False)
    except MechanismError as error:
        return unreadable(name, error)
    return examined(about.mechanism, about.notes)


def _print(found: Any) -> None:
    from linkwright.cli.tables import say

    if found.bodies:
        say(
            f"{found.name}: {_plural(found.bodies, 'body', 'bodies')}, {_plural(found.joints, 'joint')}, "
            f"{_plural(found.loops, 'loop')}" + (f", {_plural(found.couplings, 'coupling')}" if found.couplings else "")
        )
        say(_counts(found))
    if found.actuation is not None:
        _print_actuators(found.actuation)
    for severity in ("error", "warning", "remark"):
        findings = [each for each in found.findings if each.severity == severity]
        if findings:
            say(f"\n{severity.capitalize()}s", _COLORS[severity])
        for each in findings[:_SHOWN]:
            say(f"- {_ended(str(each))}" if each.file else _two_lines(each))
        if len(findings) > _SHOWN:
            say(f"- and {len(findings) - _SHOWN} more.")
    worst = next((each for each in ("error", "warning") if found.count(each)), None)
    say(f"\n{_closing(found)}", _COLORS[worst] if worst else "green")


def _two_lines(finding: Any) -> str:
    fix = finding.fix and f"\n  {_ended(finding.fix[0].upper() + finding.fix[1:])}"
    return f"- {_ended(finding.message)}{fix}"


def _ended(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _closing(found: Any) -> str:
    """The last line: how many errors, warnings and remarks there are."""
    counts = ", ".join(_plural(found.count(severity), severity) for severity in ("error", "warning", "remark"))
    clean = not found.count("error") and not found.count("warning")
    return f"Nothing is wrong ({counts})." if clean else f"{counts}."


def _counts(found: Any) -> str:
    count = f"Gruebler's count: {found.velocities} velocities - {found.equations} equations = {found.gruebler}"
    if found.mobility is None:
        return f"{count}; mobility: unknown"
    redundant = f", {len(found.redundant)} of the equations redundant" if found.redundant else ""
    idle = f", {len(found.idle)} of it idle" if found.idle else ""
    elastic = f", {found.elastic} of it elastic" if found.elastic else ""
    return f"{count}; mobility: {found.mobility}{idle}{elastic}{redundant}"


def _print_actuators(found: Any) -> None:
    from linkwright.cli.tables import say, show

    verdicts = {
        "exact": "they drive it exactly",
        "redundant": "more than enough",
        "insufficient": "too few",
        "wrong": "wrongly chosen",
        "none": "none named",
        "locked": "nothing to drive",
    }
    named = f"{', '.join(found.actuators)}: " if found.actuators else ""
    say(f"actuators: {named}{verdicts[found.verdict]} ({found.driven} of {_plural(found.needed, 'freedom')} driven)\n")
    if found.alternatives:
        rest = "" if found.examined == found.possible else f" of {found.examined} looked at"
        say(f"{_plural(found.admissible, 'set')}{rest} of {found.possible} possible would do:")
    show(
        "Actuated joints that would do, best first",
        ["joints", "conditioning"],
        [[", ".join(choice.joints), f"{choice.conditioning:.3f}"] for choice in found.alternatives],
    )


def _plural(n: int, one: str, many: str = "") -> str:
    from linkwright.mechanism.names import counted

    return counted(n, one, many)
