"""`linkwright check`: the mobility doctor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

from linkwright.cli.failures import sentences


@click.command(short_help="What is wrong with a mechanism, and the fix.")
@click.argument("name_or_file")
@click.option("--json", "machine", is_flag=True, help="Print the diagnosis as JSON.")
@sentences
def check(name_or_file: str, machine: bool) -> None:
    """Examine NAME_OR_FILE (a catalog name or a mechanism file): how it moves, what drives it, what is wrong.

    Ends with 0 when nothing is wrong, 3 for a file that is no mechanism, 4 when loops do not close, 5 for any other
    problem. Remarks alone end with 0.

    \b
    Examples:
      linkwright check delta
      linkwright check my-robot.yaml --json
    """
    found = _diagnosis(name_or_file)
    if machine:
        click.echo(json.dumps(found.as_data()))
    else:
        _print(found)
    if found.exit_code:
        raise click.exceptions.Exit(found.exit_code)


def _diagnosis(name: str) -> Any:
    from linkwright.analysis.doctor import diagnosis, unreadable
    from linkwright.cli.mechanisms import imported
    from linkwright.errors import MechanismError

    try:
        about = imported(name, told=False)
    except MechanismError as error:
        return unreadable(name, error)
    found = diagnosis(about.mechanism)
    return replace(found, findings=(*found.findings, *_doubts(about.notes, found.findings)))


def _doubts(notes: Any, findings: Any) -> Iterator[Any]:
    """What looked like a slip when the file was read, unless the doctor says it of the same body."""
    from linkwright.analysis.doctor_records import Finding

    known = {finding.text.partition(" gyration ")[0] for finding in findings}
    for note in notes:
        if note.matters and note.text.partition(" gyration ")[0] not in known:
            doubt, _, question = note.text.partition("; ")
            way_out = question[:1].upper() + question[1:] or "Check the file there"
            yield Finding("doubt", doubt, way_out if way_out.endswith("?") else f"{way_out}.")


def _print(found: Any) -> None:
    from linkwright.cli.tables import say

    if found.bodies:
        say(
            f"{found.name}: {_plural(found.bodies, 'body', 'bodies')}, {_plural(found.joints, 'joint')}, "
            f"{_plural(found.loops, 'loop')}" + (f", {_plural(found.couplings, 'coupling')}" if found.couplings else "")
        )
        say(_counts(found))
    if found.actuation is not None:
        _print_motors(found.actuation)
    for title, findings in (("Problems", found.problems), ("Remarks", [f for f in found.findings if not f.is_problem])):
        if findings:
            say(f"\n{title}")
        for each in findings:
            text = each.text if each.text.endswith("?") else f"{each.text}."
            say(f"- {text}" if each.kind == "file" else f"- {text}\n  {each.fix}")
    say("\nNothing is wrong." if not found.problems else f"\n{_plural(len(found.problems), 'problem')}.")


def _counts(found: Any) -> str:
    count = f"Gruebler's count: {found.speeds} speeds - {found.equations} equations = {found.gruebler}"
    if found.mobility is None:
        return f"{count}; mobility: unknown"
    redundant = f", {len(found.redundant)} of the equations redundant" if found.redundant else ""
    idle = f", {len(found.idle)} of it idle" if found.idle else ""
    elastic = f", {found.elastic} of it elastic" if found.elastic else ""
    return f"{count}; mobility: {found.mobility}{idle}{elastic}{redundant}"


def _print_motors(found: Any) -> None:
    from linkwright.cli.tables import say, show

    words = {
        "exact": "they drive it exactly",
        "redundant": "more than enough",
        "insufficient": "too few",
        "wrong": "wrongly chosen",
        "none": "none named",
        "locked": "nothing to drive",
    }
    named = f"{', '.join(found.motors)}: " if found.motors else ""
    say(f"motors: {named}{words[found.verdict]} ({found.driven} of {_plural(found.needed, 'freedom')} driven)\n")
    if found.alternatives:
        rest = "" if found.examined == found.possible else f" of {found.examined} looked at"
        say(f"{_plural(found.admissible, 'set')}{rest} of {found.possible} possible would do:")
    show(
        "Motors that would do, best first",
        ["joints", "conditioning"],
        [[", ".join(choice.joints), f"{choice.conditioning:.3f}"] for choice in found.alternatives],
    )


def _plural(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
