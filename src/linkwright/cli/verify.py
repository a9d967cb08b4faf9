"""`linkwright verify` and `selftest`: the papers' claims computed, and laws checked on your own model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from textwrap import shorten
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import deliver_study, json_option, option, study_options
from linkwright.errors import Exit

# --- `linkwright selftest`: laws that must hold, checked on the user's own model --------------------------------------


@click.command(short_help="Check a model by laws that must hold for every mechanism.")
@click.argument("name_or_file")
@option("--draws", default=10, show_default=True, more="Closed states to try.")
@option("--seed", default=0, show_default=True)
@study_options
@reporting_errors
def selftest(name_or_file: str, draws: int, seed: int, **output: Any) -> None:
    """Check laws on NAME_OR_FILE (a catalog name or a mechanism file); ends with 5 when one is broken.

    \b
    Examples:
      linkwright selftest gough-stewart
      linkwright selftest my-robot.yaml --draws 100
    """
    from linkwright.analysis.self_test import selftest
    from linkwright.cli.mechanisms import build_by_name

    model = build_by_name(name_or_file)
    found = selftest(model, draws, seed)
    deliver_study(found, **output)
    if found.broken:
        raise click.exceptions.Exit(Exit.CHECK_FAILED)


# --- `linkwright verify`: the papers' claims computed, and their figures drawn ----------------------------------------

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
    """Compute what the five papers behind linkwright claim, and published benchmarks, and compare.

    Prints a line for each paper, then what failed and what differs; --all prints every claim. Each claim passes,
    differs for a known reason, or fails. Ends with 0 when every difference has its reason, else 5. Numbers with "ref"
    belong to a curve or an equation of the paper and were computed independently. With names (saha, khan, wang,
    hanzaki, rao, andrews, iftomm, dietmaier, alias, or claims) only those; with --figures their figures are drawn too.

    \b
    Examples:
      linkwright verify
      linkwright verify saha khan/K9
      linkwright verify wang --figures figures --format png
    """
    from linkwright.papers.gallery.claim_records import choose_claims
    from linkwright.papers.gallery.collection import CLAIMS

    selected = choose_claims(CLAIMS, claims)
    if listing:
        _list_claims(selected, as_json)
        return
    found = _try_claims(selected, as_json)
    drawn = _draw_figures({claim.paper for claim in selected}, figures, ending) if figures else ()
    if as_json:
        click.echo(json.dumps(_verification_data(found, drawn)))
    else:
        _print_verdicts(found, drawn, everything)
    if not all(verdict.good for verdict in found):
        raise click.exceptions.Exit(Exit.CHECK_FAILED)


def _list_claims(selected: Sequence[Any], as_json: bool) -> None:
    from linkwright.cli.printed_tables import print_table

    if as_json:
        click.echo(json.dumps([{"claim": c.name, "where": c.where, "statement": c.statement} for c in selected]))
    else:
        print_table("", ["claim", "where", "what is claimed"], [[c.name, c.where, c.statement] for c in selected])


def _try_claims(selected: Sequence[Any], quiet: bool) -> list[Any]:
    from linkwright.papers.gallery.claim_records import claim_verdicts

    return list(_steps_with_bar(claim_verdicts(selected), len(selected), "computing", quiet))


def _steps_with_bar(steps: Iterator[Any], count: int, title: str, quiet: bool = False) -> Iterator[Any]:
    """The steps, with a bar on the terminal while they are taken."""
    from rich.console import Console
    from rich.progress import track

    from linkwright.cli.progress_line import is_quiet, other_progress

    other_progress()
    return iter(track(steps, title, count, console=Console(stderr=True), transient=True, disable=quiet or is_quiet()))


def _draw_figures(papers: set[str], folder: str, ending: str) -> tuple[str, ...]:
    from linkwright.papers.gallery.paper_figures import figure_drawings

    steps = figure_drawings(papers, folder, ending)
    return tuple(_steps_with_bar(iter(steps), len(steps), "drawing"))


def _verification_data(found: Sequence[Any], drawn: Sequence[str]) -> dict[str, Any]:
    return {"claims": [_verdict_data(v) for v in found], "summary": _outcome_counts(found), "figures": list(drawn)}


def _verdict_data(verdict: Any) -> dict[str, Any]:
    claim = verdict.claim
    published, margin = _published_texts(claim)
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


def _published_texts(claim: Any) -> tuple[str, str]:
    """The published value and its tolerance, as text."""
    value = claim.published
    return (value, "") if isinstance(value, str) else (value.text, value.margin)


def _outcome_counts(found: Sequence[Any]) -> dict[str, int]:
    from linkwright.papers.gallery.claim_records import DIFFERS, FAILED, PASS

    return {outcome: sum(v.outcome == outcome for v in found) for outcome in (PASS, DIFFERS, FAILED)}


def _print_verdicts(found: Sequence[Any], drawn: Sequence[str], everything: bool) -> None:
    from linkwright.cli.printed_tables import print_paragraph, print_table
    from linkwright.papers.gallery.collection import PAPERS

    heads = ["", "claim", "where", "what is claimed", "published", "ours", "tolerance"]
    for paper, title in PAPERS.items() if everything else ():
        rows = [_verdict_row(v) for v in found if v.claim.paper == paper]
        print_table(f"{paper}: {title}", heads, rows)
    if not everything:
        print_table("", ["paper", "claims", "reproduced", "differ for a reason", "failed"], _counts(found, PAPERS))
    for outcome, title in (("failed", "Failed:"), ("differs because", "Differences and their reasons:")):
        listed = [v for v in found if v.outcome == outcome]
        most = len(listed) if everything or outcome == "failed" else _REASONS
        if listed:
            print_paragraph(title)
            for v in listed[:most]:
                print_paragraph(
                    f"  {v.claim.name}: {v.reason if everything else shorten(v.reason, _WIDTH, placeholder=' ...')}"
                )
            if len(listed) > most:
                print_paragraph(f"  ... {len(listed) - most} more; --all shows them")
            print_paragraph("")
    if drawn:
        print_paragraph(f"{len(drawn)} figures drawn: {', '.join(drawn)}")
    counts = _outcome_counts(found)
    print_paragraph(
        ", ".join(f"{n} {name}" for name, n in zip(("reproduced", "differ for a reason", "failed"), counts.values()))
    )


def _counts(found: Sequence[Any], papers: Iterable[str]) -> list[list[str]]:
    """The verdicts of each paper, counted."""
    rows = []
    for paper in papers:
        own = [v for v in found if v.claim.paper == paper]
        if own:
            rows.append([paper, str(len(own)), *map(str, _outcome_counts(own).values())])
    return rows


def _verdict_row(verdict: Any) -> list[str]:
    from linkwright.papers.gallery.claim_records import REFERENCE, short_number_list

    claim = verdict.claim
    short = {"pass": "pass", "differs because": "differs", "failed": "FAILED"}[verdict.outcome]
    value, margin = _published_texts(claim)
    unit = "" if isinstance(claim.published, str) else claim.unit
    mark = " (ref)" if claim.source == REFERENCE else ""
    published = f"{value} {unit}".strip() + mark
    name = claim.name.partition("/")[2]
    return [
        short,
        name,
        claim.where,
        claim.statement,
        published,
        short_number_list(verdict.ours) or "not computed",
        margin,
    ]
