"""Verbs of registered studies: arguments of the function become options, the rest is as for every study."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from linkwright.cli.command_failures import CommandLine
from linkwright.cli.study_verbs import study_verb

_ARGUMENT = re.compile(r"^    (\w+): (.+(?:\n        .+)*)", re.MULTILINE)  # and its meaning, in a docstring
_TYPES = {"float": float, "int": int, "str": str}


def registered_verb(name: str, function: Callable[..., Any]) -> click.Command:
    """The verb of a registered study."""

    def compute_study(model: Any, **given: Any) -> Any:
        return function(model, **{key: x for key, x in given.items() if x is not None})

    doc = inspect.getdoc(function) or f"The study {name}."
    compute_study.__doc__ = doc.split("\n\nArgs:")[0]
    return study_verb("", *function_options(function), name=name, short_help=doc.splitlines()[0])(compute_study)


def function_options(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Options for the arguments whose types a command line can give."""
    meanings = dict(_ARGUMENT.findall(inspect.getdoc(function) or ""))
    for each in [*inspect.signature(function).parameters.values()][1:]:
        annotation = getattr(each.annotation, "__name__", str(each.annotation)).split(" | ")[0]
        flag = f"--{each.name.replace('_', '-')}"
        required = each.default is inspect.Parameter.empty
        if annotation == "bool":
            yield click.option(flag, each.name, is_flag=True, default=None, help=meanings.get(each.name))
        elif annotation in _TYPES:
            yield click.option(
                flag, each.name, type=_TYPES[annotation], required=required, help=meanings.get(each.name)
            )


_LISTS = "'linkwright info' lists the catalog"
_NO_VERBS = {"catalog": _LISTS, "list": _LISTS}


class StudyCommandLine(CommandLine):
    """The verbs of the library and of registered studies; the help page lists them in `groups`, by title."""

    groups: Mapping[str, Sequence[str]] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs in their groups, those of registered studies last."""
        known = [name for names in self.groups.values() for name in names]
        others = [name for name in self.list_commands(ctx) if name not in known]
        for title, names in {**self.groups, "Registered studies": others}.items():
            verbs = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name, verb.get_short_help_str(100)) for name, verb in verbs if verb is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A verb of the library, or of a registered study."""
        own = super().get_command(ctx, cmd_name)
        return own or self._registered_command().get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb of a command line; words that people try first are answered with the verb that does it."""
        if args and args[0] in _NO_VERBS and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"No such command '{args[0]}'; {_NO_VERBS[args[0]]}.")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs of the library, and those of registered studies."""
        return [*super().list_commands(ctx), *self._registered_command()]

    @staticmethod
    def _registered_command() -> dict[str, click.Command]:
        from linkwright.analysis.study_registry import registered_studies

        return {name: registered_verb(name, study) for name, study in registered_studies().items()}
