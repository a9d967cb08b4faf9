"""Options from a file, and completion of names in the shell."""

from __future__ import annotations

import os
from typing import Any

import click

from linkwright.cli.mechanisms import remember_arguments, remember_folders, remember_parameters
from linkwright.cli.progress_line import QUIET

ARGUMENT = "name_or_file"


class MechanismName(click.ParamType):
    """A catalog name or a file; the shell completes both."""

    name = "name or file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from linkwright import catalog

        names = [CompletionItem(name) for name in catalog.names() if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


def add_common_options(verb: click.Command) -> click.Command:
    """The verb with --quiet, its NAME_OR_FILE completed by the shell, and what the reader of a file is given."""
    for inner in getattr(verb, "commands", {}).values():
        add_common_options(inner)
    for param in list(verb.params):
        if param.name == ARGUMENT:
            param.type = MechanismName()
            verb.params += [_set_option(), _folder_option(), _xacro_option()]
    if not hasattr(verb, "commands"):
        verb.params.append(_quiet_option())
    return verb


def _set_option() -> click.Option:
    text = "A value for a parameter of the mechanism's file, or a number by its path, as NAME=VALUE; may be repeated."
    return click.Option(
        ["--set"], multiple=True, expose_value=False, callback=remember_parameters, metavar="TEXT", help=text
    )


def _folder_option() -> click.Option:
    text = "A folder in which the file may name meshes, models and packages; may be repeated."
    folder = click.Path(exists=True, file_okay=False)
    return click.Option(
        ["--folder"], type=folder, multiple=True, expose_value=False, callback=remember_folders, help=text
    )


def _xacro_option() -> click.Option:
    text = "A value for an argument of a xacro file, as NAME=VALUE; may be repeated."
    return click.Option(
        ["--xacro-arg"], multiple=True, expose_value=False, callback=remember_arguments, metavar="TEXT", help=text
    )


def _quiet_option() -> click.Option:
    text = "Print nothing but errors, and JSON where it is requested; files are written."
    return click.Option(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_set_quiet, help=text)


def _set_quiet(ctx: click.Context, param: click.Parameter, quiet: bool) -> None:
    ctx.meta[QUIET] = ctx.meta.get(QUIET, False) or quiet


def read_option_defaults(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    """Take defaults of options from a TOML file with one table per verb."""
    if path:
        ctx.default_map = _options_of_file(path, ctx.command)


def _options_of_file(path: str, group: Any) -> dict[str, Any]:
    import tomllib
    from pathlib import Path

    from linkwright.errors import ResultError
    from linkwright.files import require_regular

    try:
        require_regular(Path(path), 1 << 20)
        with open(path, "rb") as stream:
            written = tomllib.load(stream)
    except ResultError as error:
        raise click.UsageError(str(error)) from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise click.UsageError(f"{os.fspath(path)}: the options cannot be read ({reason})") from None
    return {verb: _options_of_verb(path, verb, options, group) for verb, options in written.items()}


def _options_of_verb(path: str, verb: str, options: Any, group: Any) -> dict[str, Any]:
    from linkwright.mechanism.names import suggest_name

    if verb not in group.commands or not isinstance(options, dict):
        raise click.UsageError(f"{path}: [{verb}] is not a known verb{suggest_name(verb, group.commands)}")
    names = {flag.lstrip("-"): p.name for p in group.commands[verb].params for flag in p.opts if flag.startswith("--")}
    for option in options:
        if option not in names:
            raise click.UsageError(f"{path}: [{verb}] has no option '{option}'{suggest_name(option, names)}")
    return {names[option]: value for option, value in options.items()}
