"""`linkwright optimize`: the best dimensions of a mechanism within bounds and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from linkwright.cli.options import option
from linkwright.cli.outputs import output_option
from linkwright.cli.study_verbs import study_verb
from linkwright.cli.values import Range, WrittenList, WrittenOption
from linkwright.errors import ArgumentError, FormatError

_OVER_POSES = ("condition", "gain", "reduction")


@study_verb(
    "max_seconds",
    option("--vary", more='Each with its bounds, "proximal=200..450 mm, distal=300..500 mm".'),
    option("--pose", more='Ranges for many, "x=-0.1..0.1:5, y=0.3..0.5:5".  [default: home]'),
    option("--minimize", more='"condition", "gain", "reduction", or a sum.  [default: condition]'),
    option("--maximize", more='A sum of parameters, "proximal + 2*distal".'),
    option("--at-least", more="Sums of parameters."),
    option("--at-most"),
    option("--starts", default=8, show_default=True),
    option("--seed", default=0, show_default=True),
    output_option("--save-mechanism", kind="mechanism"),
    short_help="Best dimensions within bounds and constraints, with exact gradients and many starts.",
    by_name=True,
)
def optimize(
    name_or_file: str, save_mechanism: str | None, starts: int, seed: int, max_seconds: float | None, **given: Any
) -> Any:
    """Vary dimensions of NAME_OR_FILE, a study with an `optimize` block, or a mechanism and the options that follow.

    A sum to make least is written with weights: "2*proximal + 2*distal".

    \b
    Examples:
      linkwright optimize study.yaml --save-mechanism best.yaml --report best.html
      linkwright optimize five-bar --vary "proximal=0.2..0.45, distal=0.3..0.5" --pose "x=-0.1..0.1:5, y=0.3..0.5:5"
    """
    from linkwright import save
    from linkwright.analysis.optimization.search import problem_of
    from linkwright.cli.mechanisms import import_mechanism
    from linkwright.cli.study_options import is_study
    from linkwright.cli.sweep import mechanism_beside
    from linkwright.formats.study.sweeps import load_optimization

    if is_study(name_or_file):
        _refuse_search_options(name_or_file)
        described, folder = load_optimization(name_or_file), Path(name_or_file).parent
        mech = mechanism_beside(described.mechanism, folder)
    else:
        mech, folder = import_mechanism(name_or_file).mechanism, Path()
        parameters = [each.name for each in mech.parameters]
        described = _optimization_study(name_or_file, parameters, starts, seed, **given)
    found = problem_of(described, mech, folder).solve(max_seconds)
    return found, [(lambda path: save(found.mechanism, path), save_mechanism)]


def _refuse_search_options(study: str) -> None:
    """Refuse options that were typed for a study, which describes its search itself."""
    context = click.get_current_context()
    for name in ("vary", "pose", "minimize", "maximize", "at_least", "at_most", "starts", "seed"):
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for mechanisms; the study {study} defines the search: change it there"
            )


def _optimization_study(
    name: str,
    parameters: Sequence[str],
    starts: int,
    seed: int,
    vary: WrittenList | None,
    pose: dict[str, Any] | None,
    minimize: str | None,
    maximize: str | None,
    at_least: dict[str, float] | None,
    at_most: dict[str, float] | None,
) -> Any:
    """The study that the options describe."""
    import json

    from linkwright.formats.study.sweeps import from_optimization_text

    if vary is None:
        raise click.UsageError('name the parameters to vary, --vary "proximal=200..450 mm"')
    if minimize is not None and maximize is not None:
        raise click.UsageError("--minimize and --maximize exclude each other; give one")
    most = [{**_typed_measure(text, "--at-most", parameters), "at_most": x} for text, x in (at_most or {}).items()]
    least = [{**_negative(text, "--at-least", parameters), "at_most": -x} for text, x in (at_least or {}).items()]
    if maximize:
        objective = _negative(maximize, "--maximize", parameters)
    else:
        objective = _typed_measure(minimize or "condition", "--minimize", parameters)
    search = {"vary": _bounds(vary), "minimize": objective, "constraints": most + least, "starts": starts, "seed": seed}
    data = {"format": 1, "mechanism": name, "optimize": search, "at": _typed_poses(pose or {})}
    try:
        return from_optimization_text(json.dumps(data), "the options")
    except FormatError as error:
        raise ArgumentError(str(error)) from None


def _bounds(vary: WrittenList) -> dict[str, list[str]]:
    for each in vary.entries:
        if not (each.name and each.is_range) or each.count is not None:
            vary.source.fail(
                each.value_at, f"'{each.value}' is not a range; write {each.name or each.value}=200..450 mm"
            )
    return {each.name: [each.low, each.high] for each in vary.entries}


def _typed_poses(pose: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, x in pose.items():
        if x is None or (isinstance(x, Range) and x.count is None):
            raise ArgumentError(f"--pose: {name} needs a value or a range with a count; write {name}=-0.1..0.1:5")
        found[name] = {"from": x.low, "to": x.high, "count": x.count} if isinstance(x, Range) else [x]
    return found


def _typed_measure(text: str, option: str, parameters: Sequence[str]) -> dict[str, Any]:
    """A measure over the poses, or a sum of parameters with weights."""
    from linkwright.mechanism.names import suggest_name

    if text.strip() in _OVER_POSES:
        return {"measure": text.strip()}
    weights = {}
    for part in (part.strip() for part in text.split("+")):
        factor, star, name = (x.strip() for x in part.rpartition("*"))
        try:
            weights[name] = float(factor) if star else 1.0
        except ValueError:
            raise ArgumentError(f"{option}: '{part}'; write {', '.join(_OVER_POSES)} or a sum, 2*proximal") from None
        if name not in parameters and "." not in name:
            near = suggest_name(name, [*_OVER_POSES, *parameters])
            WrittenOption(option, text).fail(text.index(name), f"unknown measure or parameter '{name}'{near}")
    return {"measure": "sum", "weights": weights}


def _negative(text: str, option: str, parameters: Sequence[str]) -> dict[str, Any]:
    """The negative of a sum of parameters."""
    found = _typed_measure(text, option, parameters)
    if found["measure"] != "sum":
        raise ArgumentError(f"{option}: '{text}' is better when it is less; bound it with --at-most, or minimize it")
    return {**found, "weights": {name: -x for name, x in found["weights"].items()}}
