"""`linkwright verify`: the papers' claims computed, and their figures drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from textwrap import shorten
from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.options import json_option, option
from linkwright.errors import Exit

_REASONS, _WIDTH = 12, 100  # of differences in the short listing, and characters of each


@click.command(short_help="Compute the published claims of the papers and compare.")
@click.argument("claims", nargs=-1, metavar="[PAPER|CLAIM]...")
@click.option("--figures", type=click.Path(file_okay=False), help="Draw the papers' figures into this folder.")
@click.option(
    "--format",
    "ending",
    type=click.Choice(["pdf", "png", "svg"]),
    default="pdf",
    show_default=True,
    help="Kind of the figures' files.",
)
@option("--list", "listing")
@option("--all", "everything")
@json_option
@reporting_errors
def verify(
    claims: tuple[str, ...], figures: str | None, ending: str, listing: bool, everything: bool, as_json: bool
) -> None:
    """Compute what the five papers behind linkwright claim, and two standard benchmarks, and compare.

    Prints a line for each paper, then what failed and what differs; --all prints every claim. Each claim passes,
    differs for a known reason, or fails. Ends with 0 when every difference has its reason, else 5. Numbers with "ref"
    belong to a curve or an equation of the paper and were computed independently. With names (saha, khan, wang,
    hanzaki, rao, andrews, iftomm, or claims) only those; with --figures their figures are drawn too.

    \b
    Examples:
      linkwright verify
      linkwright verify saha khan/K9
      linkwright verify wang --figures figures --format png
    """
    from linkwright.papers.gallery.collection import CLAIMS
    from linkwright.papers.gallery.running import chosen

    selected = chosen(CLAIMS, claims)
    if listing:
        _list(selected, as_json)
        return
    found = _tried(selected, as_json)
    drawn = _drawn({claim.paper for claim in selected}, figures, ending) if figures else ()
    if as_json:
        click.echo(json.dumps(_data(found, drawn)))
    else:
        _print(found, drawn, everything)
    if not all(verdict.good for verdict in found):
        raise click.exceptions.Exit(Exit.CHECK_FAILED)


def _list(selected: Sequence[Any], as_json: bool) -> None:
    from linkwright.cli.tables import show

    if as_json:
        click.echo(json.dumps([{"claim": c.name, "where": c.where, "statement": c.statement} for c in selected]))
    else:
        show("", ["claim", "where", "what is claimed"], [[c.name, c.where, c.statement] for c in selected])


def _tried(selected: Sequence[Any], quiet: bool) -> list[Any]:
    from linkwright.papers.gallery.running import verdicts

    return list(_watched(verdicts(selected), len(selected), "computing", quiet))


def _watched(steps: Iterator[Any], count: int, title: str, quiet: bool = False) -> Iterator[Any]:
    """The steps, with a bar on the terminal while they are taken."""
    from rich.console import Console
    from rich.progress import track

    from linkwright.cli.progress import is_quiet, other_progress

    other_progress()
    return iter(track(steps, title, count, console=Console(stderr=True), transient=True, disable=quiet or is_quiet()))


def _drawn(papers: set[str], folder: str, ending: str) -> tuple[str, ...]:
    from linkwright.papers.gallery.figures import drawings

    steps = drawings(papers, folder, ending)
    return tuple(_watched(iter(steps), len(steps), "drawing"))


def _data(found: Sequence[Any], drawn: Sequence[str]) -> dict[str, Any]:
    return {"claims": [_verdict(v) for v in found], "summary": _summary(found), "figures": list(drawn)}


def _verdict(verdict: Any) -> dict[str, Any]:
    claim = verdict.claim
    published, margin = _published(claim)
    return {
        "claim": claim.name,
        "paper": claim.paper,
        "where": claim.where,
        "statement": claim.statement,
        "published": published,
        "source": claim.source,
        "tolerance": margin,
        "unit": claim.unit,
        "ours": list(verdict.ours),
        "verdict": verdict.outcome,
        "reason": verdict.reason,
        "seconds": verdict.seconds,
    }


def _published(claim: Any) -> tuple[str, str]:
    """The published value and its tolerance, as text."""
    value = claim.published
    return (value, "") if isinstance(value, str) else (value.text, value.margin)


def _summary(found: Sequence[Any]) -> dict[str, int]:
    from linkwright.papers.gallery.records import DIFFERS, FAILED, PASS

    return {outcome: sum(v.outcome == outcome for v in found) for outcome in (PASS, DIFFERS, FAILED)}


def _print(found: Sequence[Any], drawn: Sequence[str], everything: bool) -> None:
    from linkwright.cli.tables import say, show
    from linkwright.papers.gallery.collection import PAPERS

    heads = ["", "claim", "where", "what is claimed", "published", "ours", "tolerance"]
    for paper, title in PAPERS.items() if everything else ():
        rows = [_row(v) for v in found if v.claim.paper == paper]
        show(f"{paper}: {title}", heads, rows)
    if not everything:
        show("", ["paper", "claims", "reproduced", "differ for a reason", "failed"], _counts(found, PAPERS))
    for outcome, title in (("failed", "Failed:"), ("differs because", "Differences and their reasons:")):
        listed = [v for v in found if v.outcome == outcome]
        most = len(listed) if everything or outcome == "failed" else _REASONS
        if listed:
            say(title)
            for v in listed[:most]:
                say(f"  {v.claim.name}: {v.reason if everything else shorten(v.reason, _WIDTH, placeholder=' ...')}")
            if len(listed) > most:
                say(f"  ... {len(listed) - most} more; --all shows them")
            say("")
    if drawn:
        say(f"{len(drawn)} figures drawn: {', '.join(drawn)}")
    counts = _summary(found)
    say(", ".join(f"{n} {name}" for name, n in zip(("reproduced", "differ for a reason", "failed"), counts.values())))


def _counts(found: Sequence[Any], papers: Iterable[str]) -> list[list[str]]:
    """The verdicts of each paper, counted."""
    rows = []
    for paper in papers:
        own = [v for v in found if v.claim.paper == paper]
        if own:
            rows.append([paper, str(len(own)), *map(str, _summary(own).values())])
    return rows


def _row(verdict: Any) -> list[str]:
    from linkwright.papers.gallery.records import REFERENCE, numbers

    claim = verdict.claim
    short = {"pass": "pass", "differs because": "differs", "failed": "FAILED"}[verdict.outcome]
    value, margin = _published(claim)
    unit = "" if isinstance(claim.published, str) else claim.unit
    mark = " (ref)" if claim.source == REFERENCE else ""
    published = f"{value} {unit}".strip() + mark
    name = claim.name.partition("/")[2]
    return [short, name, claim.where, claim.statement, published, numbers(verdict.ours) or "not computed", margin]
