"""Verbs of `linkwright export` for registered targets: arguments of the function become options."""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option, option_of_joints
from linkwright.cli.outputs import claim_folder, output_option, overwrite_option, require_new_folder, say_written
from linkwright.cli.registered_studies import function_options
from linkwright.cli.values import variable_names


class ExportTargets(click.Group):
    """The verbs of the library's targets and of registered ones."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A verb of the library, or of a registered target."""
        return super().get_command(ctx, cmd_name) or self._registered_verbs().get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs of the library, and those of registered targets."""
        return [*super().list_commands(ctx), *self._registered_verbs()]

    @staticmethod
    def _registered_verbs() -> dict[str, click.Command]:
        from linkwright.export.target_registry import registered_targets

        return {name: target_verb(name, target) for name, target in registered_targets().items()}


def target_verb(name: str, function: Callable[..., Any]) -> click.Command:
    """The verb of a registered target."""

    @output_option("--output", "-o", kind=None, more="Folder of the files.  [default: .]")
    @overwrite_option
    @json_option
    @reporting_errors
    def run(
        name_or_file: str,
        output: str | None,
        as_json: bool,
        vary: Any = None,
        moved_joints: tuple[str, ...] = (),
        **given: Any,
    ) -> None:
        from linkwright.export.export_files import write_files

        folder = output or "."
        require_new_folder(folder)
        source = _source_of_target(name_or_file, takes_mechanism, variable_names(vary), moved_joints)
        texts = function(source, **{key: x for key, x in given.items() if x is not None})
        claim_folder(folder, texts)
        write_files(folder, texts)
        written = [os.path.join(folder, file) for file in texts]
        if as_json:
            click.echo(json.dumps({"files": written}))
        else:
            say_written(*written)

    doc = inspect.getdoc(function) or f"The export target {name}."
    first = next(iter(inspect.signature(function).parameters.values()))
    takes_mechanism = re.search(r"\bMechanism\b", str(first.annotation)) is not None
    if not takes_mechanism:
        run = option("--vary", more="Arguments of the functions.")(run)
    if "Submechanism" in str(first.annotation):
        run = option_of_joints("moved_joints")(run)
    for each in reversed([*function_options(function)]):
        run = each(run)
    verb = click.command(name, short_help=doc.splitlines()[0], help=doc.split("\n\nArgs:")[0])
    return verb(click.argument("name_or_file")(run))


def _source_of_target(name_or_file: str, takes_mechanism: bool, inputs: Any, joints: tuple[str, ...]) -> Any:
    """What a target is given: a mechanism, a model, or a submechanism."""
    from linkwright.cli.mechanisms import build_by_name, import_mechanism
    from linkwright.model.submechanism import submechanism

    if takes_mechanism:
        return import_mechanism(name_or_file).mechanism
    model = build_by_name(name_or_file, lambda _: inputs)
    return submechanism(model.mechanism, model.actuated, joints, inputs) if joints else model
