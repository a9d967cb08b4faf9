"""`linkwright optimize`: the best dimensions of a mechanism within bounds and constraints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from linkwright.cli.failures import reporting_errors
from linkwright.cli.outputs import output_option
from linkwright.cli.spans import assignments, span
from linkwright.cli.study_output import deliver, study_options
from linkwright.errors import ArgumentError, FormatError

_OVER_POSES = ("condition", "gain", "reduction")


@click.command(short_help="Best dimensions within bounds and constraints, with exact gradients and many starts.")
@click.argument("name_or_file")
@click.option("--vary", help='Bounds of parameters, "proximal=200 mm..450 mm, distal=300 mm..500 mm".')
@click.option("--at", "at", help='Poses of the output, "x=-0.1..0.1:5, y=0.3..0.5:5"; home when left out.')
@click.option("--minimize", default="condition", show_default=True, help='"condition", "gain", "reduction", or a sum.')
@click.option("--at-most", help='Measures that must not exceed values, "condition=1.8, gain=1".')
@click.option("--starts", type=click.IntRange(1, 10_000), default=8, show_default=True, help="Local searches.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random starts.")
@output_option("--save", "mechanism_file", kind="mechanism", help="Mechanism file to write with the best dimensions.")
@study_options
@reporting_errors
def optimize(name_or_file: str, mechanism_file: str | None, starts: int, seed: int, **given: Any) -> None:
    """Vary dimensions of NAME_OR_FILE, a study with an `optimize` block, or a mechanism and the options that follow.

    A sum to make least is written with weights: "2*proximal + 2*distal".

    \b
    Examples:
      linkwright optimize study.yaml --save best.yaml --report best.html
      linkwright optimize five-bar --vary "proximal=0.2..0.45, distal=0.3..0.5" --at "x=-0.1..0.1:5, y=0.3..0.5:5"
    """
    from linkwright import save
    from linkwright.analysis.optimization.files import problem_of
    from linkwright.cli.mechanisms import imported
    from linkwright.cli.study_options import is_study
    from linkwright.cli.sweep import mechanism_beside
    from linkwright.formats.study.optimizations import load_optimization

    output = {name: given.pop(name) for name in ("as_json", "page", "picture", "output")}
    if is_study(name_or_file):
        _refuse_search_options(name_or_file)
        described, folder = load_optimization(name_or_file), Path(name_or_file).parent
        mech = mechanism_beside(described.mechanism, folder)
    else:
        mech, folder = imported(name_or_file).mechanism, Path()
        described = _described(name_or_file, starts, seed, **given)
    found = problem_of(described, mech, folder).solved()
    deliver(found, **output, files=[(lambda path: save(found.mechanism, path), mechanism_file)])


def _refuse_search_options(study: str) -> None:
    """Refuse options that were typed for a study, which describes its search itself."""
    context = click.get_current_context()
    for name in ("vary", "at", "minimize", "at_most", "starts", "seed"):
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for mechanisms; the study {study} defines the search: change it there"
            )


def _described(
    name: str, starts: int, seed: int, vary: str | None, at: str | None, minimize: str, at_most: str | None
) -> Any:
    """The study that the options describe."""
    import json

    from linkwright.formats.study.optimizations import from_optimization_text

    if vary is None:
        raise click.UsageError('name the parameters to vary, --vary "proximal=200 mm..450 mm"')
    search = {
        "vary": _spans(vary),
        "minimize": _measure(minimize),
        "constraints": _constraints(at_most),
        "starts": starts,
        "seed": seed,
    }
    data = {"format": 1, "mechanism": name, "optimize": search, "at": _poses(at)}
    try:
        return from_optimization_text(json.dumps(data), "the options")
    except FormatError as error:
        raise ArgumentError(str(error)) from None


def _spans(text: str) -> dict[str, list[str]]:
    found = {}
    for name, value in assignments(text, "--vary", "proximal=200 mm..450 mm"):
        found_span = span(value)
        if found_span is None or found_span.count is not None:
            raise ArgumentError(f"--vary: {name} is '{value}'; write two bounds, for example 200 mm..450 mm")
        found[name] = [found_span.low, found_span.high]
    return found


def _poses(text: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in assignments(text, "--at", "x=-0.1..0.1:5"):
        values = span(value)
        if (values is None and (".." in value or ":" in value)) or (values is not None and values.count is None):
            raise ArgumentError(f"--at: {name} is '{value}'; write for example -0.1..0.1:5, or one value")
        found[name] = [value] if values is None else {"from": values.low, "to": values.high, "count": values.count}
    return found


def _measure(text: str) -> dict[str, Any]:
    if text.strip() in _OVER_POSES:
        return {"measure": text.strip()}
    weights = {}
    for part in (part.strip() for part in text.split("+")):
        factor, star, name = (x.strip() for x in part.rpartition("*"))
        try:
            weights[name] = float(factor) if star else 1.0
        except ValueError:
            raise ArgumentError(f"--minimize: '{part}'; write {', '.join(_OVER_POSES)} or a sum, 2*proximal") from None
    return {"measure": "sum", "weights": weights}


def _constraints(text: str | None) -> list[dict[str, Any]]:
    found = []
    for name, value in assignments(text, "--at-most", "condition=1.8"):
        try:
            found.append({"measure": name, "at_most": float(value)})
        except ValueError:
            raise ArgumentError(f"--at-most: {name} is '{value}'; write a number") from None
    return found
