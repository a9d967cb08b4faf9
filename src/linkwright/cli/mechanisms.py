"""NAME_OR_FILE: a mechanism of the catalog or of a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from linkwright.cli.command_failures import CommandFailure
from linkwright.cli.progress_line import pause_progress_line
from linkwright.errors import Exit, LinkwrightError, ParameterWarning
from linkwright.findings import Finding, merge_similar_findings

if TYPE_CHECKING:
    from linkwright.formats import Imported
    from linkwright.mechanism import Mechanism
    from linkwright.model import Model


SET = "linkwright.set"
FOLDERS = "linkwright.folders"
XACRO = "linkwright.xacro"


def import_mechanism(name: str, parameters: Mapping[str, Any] | None = None, warn: bool = True) -> Imported:
    """A mechanism by its catalog name, or by its file when there is one or when it looks like one.

    Its parameters are as given, or those of the option --set. What looks like a slip in the file is a warning on the
    error stream, unless the verb shows the notes itself (`warn=False`).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ParameterWarning)  # doubtful lengths are notes here
        found = _read_by_name(name, parameters)
    if parameters is None and requested_parameters():
        found = replace(found, notes=(*found.notes, *_warnings_of_set_values(name, found.mechanism)))
    for note in merge_similar_findings([note for note in found.notes if note.matters] if warn else ()):
        with pause_progress_line():
            click.echo(f"Warning: {note}", err=True)
    return found


def computed_parameters(mech: Mechanism) -> dict[str, list[str]]:
    """Parameters that follow from others, each with the names of those that follow from none."""
    from linkwright.mechanism.expressions import names_in_expression

    definitions = {each.name: each for each in mech.formulas.definitions}

    def find_sources(name: str) -> set[str]:
        expression = definitions[name].expression
        return {name} if expression is None else set().union(*map(find_sources, names_in_expression(expression)))

    computed = {name: find_sources(name) for name, each in definitions.items() if each.expression is not None}
    return {name: [own for own in definitions if own in sources] for name, sources in computed.items()}


def _warnings_of_set_values(name: str, mech: Mechanism) -> Iterator[Finding]:
    """Warnings of --set for lengths that vanish, are negative or far from the file's, and for computed parameters."""
    from linkwright.mechanism.parameterized_mechanism import parameterize_mechanism

    try:
        written = _read_by_name(name, {}).mechanism
    except LinkwrightError:  # readable only with these values: there is nothing to compare with
        return
    given = requested_parameters()
    names = [each.name for each in written.parameters if each.name in given and not each.structural]
    for own, sources in computed_parameters(written).items():
        if own in given:
            used = ", ".join(sources)
            text = f"--set: '{own}' is computed from {used} in the file; what else follows from them keeps its value"
            yield Finding("computed-parameter", text, f"set {used} instead", "warning", own)
    source = parameterize_mechanism(written, names)
    for each in source.doubtful_lengths([mech.value(own) for own in names]):
        yield Finding(
            "doubtful-length", f"--set: {each}", "a length is above zero; write its unit", "warning", each.name
        )


def build_by_name(name: str, inputs: Callable[[Mechanism], list[str]] | None = None) -> Model:
    """The model of a mechanism by its catalog name or file; `inputs` names the parameters that stay inputs."""
    from linkwright import build

    mech = import_mechanism(name).mechanism
    return build(mech, inputs=inputs(mech) if inputs else ())


def _read_by_name(name: str, parameters: Mapping[str, Any] | None) -> Imported:
    from linkwright import catalog
    from linkwright.formats import Imported, read
    from linkwright.mechanism.names import suggest_name

    parameters = requested_parameters() if parameters is None else parameters
    context = click.get_current_context(silent=True)
    meta: dict[str, Any] = context.meta if context else {}
    folders, arguments = meta.get(FOLDERS, ()), meta.get(XACRO) or None
    if os.path.isfile(name):
        return read(name, parameters, folders, arguments)
    if name in catalog.names():
        return Imported(catalog.load(name, parameters))
    if os.path.splitext(name)[1] or os.path.exists(name) or os.sep in name:
        return read(name, parameters, folders, arguments)
    raise CommandFailure(
        f"'{name}' is neither a file nor a mechanism of the catalog{suggest_name(name, catalog.names())}", Exit.BAD_FILE
    )


def requested_parameters() -> dict[str, str]:
    """Return the values of --set by name."""
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(SET, {})) if context else {}


def remember_parameters(ctx: click.Context, param: click.Parameter, written: tuple[str, ...]) -> None:
    """Keep the values of --set NAME=VALUE for when the mechanism is read."""
    ctx.meta[SET] = _named_values("--set", "'radius=300 mm'", written)


def remember_arguments(ctx: click.Context, param: click.Parameter, written: tuple[str, ...]) -> None:
    """Keep the values of --xacro-arg NAME=VALUE for when the mechanism is read."""
    ctx.meta[XACRO] = _named_values("--xacro-arg", "ur_type=ur5e", written)


def remember_folders(ctx: click.Context, param: click.Parameter, written: tuple[str, ...]) -> None:
    """Keep the folders of --folder for when the mechanism is read."""
    ctx.meta[FOLDERS] = written


def _named_values(flag: str, example: str, written: tuple[str, ...]) -> dict[str, str]:
    """Values by name of an option NAME=VALUE that may be repeated."""
    pairs = [text.partition("=") for text in written]
    for (name, sign, value), text in zip(pairs, written, strict=True):
        if not (name.strip() and sign and value.strip()):
            raise click.UsageError(f"{flag} {text}: write NAME=VALUE, for example {flag} {example}")
        if sum(name.strip() == other.strip() for other, _, _ in pairs) > 1:
            raise click.UsageError(f"{flag} gives '{name.strip()}' twice; give it once")
    return {name.strip(): value.strip() for name, _, value in pairs}
