"""`linkwright neglect`: how much efforts change along a run when the inertias of some bodies are left out."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.study_output import deliver, study_options
from linkwright.errors import ArgumentError


@click.command(short_help="Efforts along a run with the inertias of some bodies left out.")
@click.argument("name_or_file")
@click.argument("run")
@click.option("--without", "cases", multiple=True, required=True, help='Bodies, "rods: rod1, rod2"; may be repeated.')
@click.option(
    "--faster",
    type=click.FloatRange(1e-6, 1e6),
    default=1.0,
    show_default=True,
    help="Run the same path this many times as fast.",
)
@study_options
@reporting_errors
def neglect(name_or_file: str, run: str, cases: tuple[str, ...], faster: float, **output: Any) -> None:
    """Compute efforts of NAME_OR_FILE (a catalog name or a mechanism file) along a saved RUN with and without inertias.

    \b
    Example:
      linkwright motion delta --pick-and-place "25 mm, 100 mm, 25 mm" --output run.npz
      linkwright neglect delta run.npz --without "rods: rod1a, rod1b, rod2a, rod2b, rod3a, rod3b" --without "arm: arm1"
    """
    from linkwright import analysis
    from linkwright.cli.mechanisms import built
    from linkwright.results.opening import read_run

    model, found = built(name_or_file), read_run(run)
    if found.a.shape[1] != model.nv:
        raise ArgumentError(
            f"{run} has no accelerations of '{model.mechanism.name}'; save a run of `linkwright motion`"
        )
    given = dict(_case(text) for text in cases)
    deliver(analysis.neglect_inertia(model, given, found.q, faster * found.v, faster**2 * found.a), **output)


def _case(text: str) -> tuple[str, list[str]]:
    name, colon, bodies = text.rpartition(":")
    picked = [body.strip() for body in bodies.split(",") if body.strip()]
    return (name.strip() if colon else f"without {', '.join(picked)}"), picked
