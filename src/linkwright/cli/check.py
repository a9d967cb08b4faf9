"""`linkwright check`: diagnosis of a mechanism."""

from __future__ import annotations

import json
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option
from linkwright.cli.outputs import output_option, overwrite_option

_SHOWN = 40
_COLORS = {"error": "bold red", "warning": "yellow", "remark": "cyan"}


@click.command(short_help="Diagnose a mechanism: what is wrong, and the fix.")
@click.argument("name_or_file")
@output_option("--suggest", kind="mechanism")
@overwrite_option
@json_option
@reporting_errors
def check(name_or_file: str, suggest: str | None, as_json: bool) -> None:
    """Examine NAME_OR_FILE (a catalog name or a mechanism file): how it moves, what drives it, what is wrong.

    The last line counts errors, warnings and remarks. Only errors set the exit code: 3 for a file that is not a
    mechanism, 4 when loops do not close, 5 for any other error; otherwise 0.

    \b
    Examples:
      linkwright check delta
      linkwright check my-robot.yaml --json
      linkwright check my-robot.urdf --suggest exact.urdf
    """
    found = _diagnose_by_name(name_or_file)
    suggestion = None if suggest is None or found.stopped is not None else _suggest_file(name_or_file, suggest)
    if as_json:
        click.echo(json.dumps(found.as_data() | ({} if suggestion is None else {"suggested": suggestion})))
    else:
        _print_diagnosis(found)
        if suggest is not None:
            _print_suggestion(suggest, suggestion)
    if found.exit_code:
        raise click.exceptions.Exit(found.exit_code)


def _diagnose_by_name(name: str) -> Any:
    from linkwright.analysis.check.check import check as check_mechanism
    from linkwright.analysis.check.check import unreadable_diagnosis
    from linkwright.cli.mechanisms import import_mechanism
    from linkwright.errors import MechanismError

    try:
        about = import_mechanism(name, warn=False)
    except MechanismError as error:
        return unreadable_diagnosis(name, error)
    return check_mechanism(about.mechanism, about.notes)


def _suggest_file(name: str, path: str) -> list[str]:
    """Write the mechanism with exact axes and lengths, and return what changed."""
    from linkwright.analysis.check.exact_numbers import suggest_exact_numbers
    from linkwright.cli.mechanisms import import_mechanism
    from linkwright.formats.mechanism_files import save

    suggestion = suggest_exact_numbers(import_mechanism(name, warn=False).mechanism)
    save(suggestion.mechanism, path)
    return [str(change) for change in suggestion.changes]


def _print_suggestion(path: str, changes: list[str] | None) -> None:
    from linkwright.cli.printed_tables import print_paragraph

    if changes is None:
        print_paragraph("Nothing is suggested: correct what is wrong first.")
    elif not changes:
        print_paragraph(f"No axis or length looks rounded; {path} holds the mechanism as it is.")
    else:
        print_paragraph(f"Suggested, written to {path}:")
        for change in changes:
            print_paragraph(f"- {change}")


def _print_diagnosis(found: Any) -> None:
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.findings import merge_similar_findings

    if found.bodies:
        print_paragraph(
            f"{found.name}: {_counted_noun(found.bodies, 'body', 'bodies')}, {_counted_noun(found.joints, 'joint')}, "
            f"{_counted_noun(found.loops, 'loop')}"
            + (f", {_counted_noun(found.couplings, 'coupling')}" if found.couplings else "")
        )
        print_paragraph(_mobility_counts(found))
    if found.actuation is not None:
        _print_actuators(found.actuation)
    for severity in ("error", "warning", "remark"):
        findings = [each for each in found.findings if each.severity == severity]
        findings = list(merge_similar_findings(findings)) if severity == "warning" else findings
        if findings:
            print_paragraph(f"\n{severity.capitalize()}s", _COLORS[severity])
        for each in findings[:_SHOWN]:
            print_paragraph(f"- {_with_full_stop(str(each))}" if each.file else _two_lines(each))
        if len(findings) > _SHOWN:
            print_paragraph(f"- and {len(findings) - _SHOWN} more.")
    worst = next((each for each in ("error", "warning") if found.count(each)), None)
    print_paragraph(f"\n{_finding_totals(found)}", _COLORS[worst] if worst else "green")


def _two_lines(finding: Any) -> str:
    fix = finding.fix and f"\n  {_with_full_stop(finding.fix[0].upper() + finding.fix[1:])}"
    return f"- {_with_full_stop(finding.message)}{fix}"


def _with_full_stop(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _finding_totals(found: Any) -> str:
    """The last line: how many errors, warnings and remarks there are."""
    counts = ", ".join(_counted_noun(found.count(severity), severity) for severity in ("error", "warning", "remark"))
    clean = not found.count("error") and not found.count("warning")
    return f"Nothing is wrong ({counts})." if clean else f"{counts}."


def _mobility_counts(found: Any) -> str:
    velocities = _counted_noun(found.velocities, "velocity", "velocities")
    count = f"Gruebler's count: {velocities} - {_counted_noun(found.equations, 'equation')} = {found.gruebler}"
    if found.mobility is None:
        return f"{count}; mobility: unknown"
    redundant = f", {len(found.redundant)} of the equations redundant" if found.redundant else ""
    idle = f", {len(found.idle)} of it idle" if found.idle else ""
    elastic = f", {found.elastic} of it elastic" if found.elastic else ""
    return f"{count}; mobility: {found.mobility}{idle}{elastic}{redundant}"


def _print_actuators(found: Any) -> None:
    from linkwright.cli.printed_tables import print_paragraph, print_table

    verdicts = {
        "exact": "they drive it exactly",
        "redundant": "more than enough",
        "insufficient": "too few",
        "wrong": "wrongly chosen",
        "none": "none named",
        "locked": "nothing to drive",
    }
    named = f"{', '.join(found.actuators)}: " if found.actuators else ""
    print_paragraph(
        f"actuators: {named}{verdicts[found.verdict]} ({found.driven} of {_counted_noun(found.needed, 'freedom')} "
        "driven)\n"
    )
    if found.alternatives:
        rest = "" if found.examined == found.possible else f" of {found.examined} looked at"
        print_paragraph(f"{_counted_noun(found.admissible, 'set')}{rest} of {found.possible} possible would do:")
    print_table(
        "Actuated joints that would do, best first",
        ["joints", "conditioning"],
        [[", ".join(choice.joints), f"{choice.conditioning:.3f}"] for choice in found.alternatives],
    )


def _counted_noun(n: int, one: str, many: str = "") -> str:
    from linkwright.mechanism.names import counted_noun

    return counted_noun(n, one, many)
