"""Verbs of studies: arguments of a study are options by one table; its record is printed, drawn, reported and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.kinematics import coordinates_at_pose
from linkwright.cli.options import deliver_study, option, study_options
from linkwright.cli.values import WrittenList

_OUTPUT_FRAME = "[default: the platform, or the last body of an arm]"
_OF_FILE = "[default: the file's]"
ARGUMENTS: dict[str, tuple[tuple[str, ...], str]] = {
    "q": (("--at", "--pose"), "[default: home]"),
    "frame": (("--frame",), _OUTPUT_FRAME),
    "components": (("--components",), ""),
    "stiffness": (("--stiffness",), ""),
    "encoder": (("--encoder",), ""),
    "speed": (("--max-speed",), _OF_FILE),
    "effort": (("--max-effort",), _OF_FILE),
    "acceleration": (("--max-acceleration",), "[default: none]"),
    "clearance": (("--clearance",), ""),
    "at_least": (("--at-least",), ""),
    "at_most": (("--at-most",), ""),
    "max_seconds": (("--max-seconds",), ""),
}
"""Arguments of studies, the options that give them, and what there is without."""

_LIMITS = ("speed", "effort", "acceleration")
_OUTPUT = ("as_json", "page", "picture", "output", "accept_doubtful")


def study_verb(
    arguments: str,
    *options: Callable[..., Any],
    short_help: str,
    name: str | None = None,
    inputs: Callable[[dict[str, Any]], Any] | None = None,
    by_name: bool = False,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make the verb of a function of a model, arguments of the study and further options, which returns the record.

    It may return further files beside the record, writers and names.

    Args:
        arguments: names of those of the study that have their options in the table.
        options: further options and arguments of the verb.
        inputs: names of the numbers that stay inputs of the model, from all that was given.
        by_name: whether the function takes NAME_OR_FILE as it was given, and no model.
    """

    names = arguments.split()

    def decorate(function: Callable[..., Any]) -> click.Command:
        def run(name_or_file: str, **given: Any) -> None:
            output = {key: given.pop(key) for key in _OUTPUT if key in given}
            model: Any = name_or_file if by_name else _model_of_study(name_or_file, inputs and inputs(given))
            found = function(model, **_arguments_of_study(model, names, given))
            record, files = found if isinstance(found, tuple) else (found, ())
            deliver_study(record, **output, files=files)

        verb: Any = study_options(reporting_errors(run))
        verb.study_arguments = names
        for add in reversed([*_options_of_arguments(names), *options]):
            verb = add(verb)
        verb = click.argument("name_or_file")(verb)
        return click.command(name or function.__name__, short_help=short_help, help=function.__doc__)(verb)

    return decorate


def _options_of_arguments(names: Sequence[str]) -> Iterator[Callable[..., Any]]:
    for name in names:
        flags, default = ARGUMENTS[name]
        for flag in flags:
            own = (name,) if len(flags) == 1 else ()  # several make one argument
            yield option(flag, *own, more=default if flag == flags[-1] else "")


def _model_of_study(name_or_file: str, inputs: Any) -> Any:
    from linkwright import build
    from linkwright.cli.mechanisms import import_mechanism

    return build(import_mechanism(name_or_file).mechanism, inputs=inputs or ())


def _arguments_of_study(model: Any, names: Sequence[str], given: dict[str, Any]) -> dict[str, Any]:
    """All that was given, arguments as the study takes them: coordinates of a state or a pose, limits by actuator."""
    found = given | {name: limit_of_actuators(model, name, given[name]) for name in _LIMITS if name in names}
    if "q" in names:
        at, pose = found.pop("at"), found.pop("pose")
        found["q"] = coordinates_at_pose(model, pose, found.get("frame"), at)
    return found


def limit_of_actuators(model: Any, quantity: str, written: WrittenList | None) -> Any:
    """A limit of "effort", "speed" or "acceleration": one for all actuators, or by name; None where none is given."""
    if written is None:
        return None
    units = [getattr(each, f"{quantity}_unit") for each in model.actuators]
    if any(written.names):
        return written.values(model.actuated, units, kind="actuator")
    (limit,) = written.values(["all actuators"], units[:1]).values()
    return limit
