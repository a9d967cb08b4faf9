"""The options that several verbs have, names of files they read and make, and options and output of studies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from linkwright.cli import values
from linkwright.cli.command_failures import CommandFailure, command_line_text
from linkwright.cli.outputs import RequestedFiles, output_option, overwrite_option
from linkwright.errors import Exit
from linkwright.generated_text import c_identifier

# --- names of files to read, and of functions and files that are made of a mechanism's name ---------------------------


class ReadableFile(click.Path):
    """A name that no folder has; one with characters that no file name can have is refused with a message."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        try:
            return super().convert(value, param, ctx)
        except (ValueError, OSError):
            self.fail(f"{str(value)[:100]!r} cannot be the name of a file", param, ctx)


def c_name(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """Return the name of a C function; refuse one that is not a valid identifier."""
    if name is not None and c_identifier(name) != name:
        raise click.BadParameter(
            f"'{name}' is not a valid identifier in C and C++; use at most 100 letters, digits and _, a letter first, "
            f"for example '{c_identifier(name)}'"
        )
    return name


def plain_file_name(name: str, fill: str) -> str:
    """A mechanism's name as a file name.

    >>> plain_file_name("../my robot", "-")
    'my-robot'
    """
    return "".join(c if c.isalnum() or c in "-_" else fill for c in name).strip(fill) or "mechanism"


# --- the options that several verbs have: one name, one meaning, one reader -------------------------------------------

_ROWS = click.IntRange(2, 10_000_000)
_NUMBER = click.FloatRange(min=0.0)
_MEANINGS: dict[str, tuple[click.ParamType | None, str]] = {  # None: a switch
    "--at": (values.STATE, 'The state, by actuators or coordinates, "motor=60 deg".'),
    "--pose": (values.POSE, 'The pose of the output frame, "x=10 mm, rz=5 deg".'),
    "--frame": (click.STRING, "The output frame or body."),
    "--components": (values.COMPONENT_NAMES, 'The components of the pose that count, "x y".'),
    "--vary": (values.VARIABLES, 'Parameters that stay variable, "proximal, bodies.crank.mass".'),
    "--minimize": (click.STRING, "The measure that shall be least."),
    "--maximize": (click.STRING, "The measure that shall be largest."),
    "--at-least": (values.BOUNDS, 'Measures that must not be below, "type2=0.1".'),
    "--at-most": (values.BOUNDS, 'Measures that must not be above, "condition=4".'),
    "--samples": (_ROWS, "Rows of the result."),
    "--draws": (click.IntRange(1, 10_000_000), "Random draws."),
    "--starts": (click.IntRange(1, 100_000), "Random starts of the search."),
    "--max-seconds": (click.FloatRange(0.0, min_open=True), "End after this time (or Ctrl-C) with what is found."),
    "--seed": (click.IntRange(0), "Seed of the random numbers."),
    "--run": (click.STRING, "A saved run to read."),
    "--duration": (values.TIME, "Duration of the motion."),
    "--poses": (click.STRING, "CSV file of poses: x, y, z, rx, ry, rz, or qw, qx, qy, qz instead of the angles."),
    "--actuators": (click.STRING, "CSV file of actuator positions: a column for each actuator."),
    "--clearance": (values.LENGTH, 'Least distance that links must keep, "5 mm".'),
    "--stiffness": (_NUMBER, "Stiffness of every actuator, [N m/rad or N/m]."),
    "--encoder": (_NUMBER, "Largest position error of every actuator, [rad or m]."),
    "--max-effort": (
        values.VALUES,
        'Largest efforts of the actuators, "10" or "motor1=10 N m".',
    ),
    "--max-speed": (values.VALUES, 'Largest speeds of the actuators, "3" or "motor1=3 rad/s".'),
    "--max-acceleration": (values.VALUES, 'Largest accelerations of the actuators, "100" or by name.'),
    "--modes": (None, "Find all modes, not only the one nearest to home."),
    "--wrench": (click.STRING, "A body or frame on which a wrench acts (repeatable)."),
    "--force": (click.STRING, 'Force on a body or frame, world axes, "slider=0, 0, -50 N" (repeatable).'),
    "--name": (click.STRING, "Identifier of what is written."),
    "--no-reactions": (None, "Leave the reactions of the joints out."),
    "--list": (None, "List what there is, and compute nothing."),
    "--all": (None, "Print everything, not only a summary."),
    "--accept-doubtful": (
        None,
        "Save doubtful values, too: not settled, far off the file, or not explaining the measurements.",
    ),
    "--json": (None, "Print the result as JSON."),
    "--open": (None, "Open the file in the browser (in a terminal it does)."),
}
_CALLBACKS: dict[str, Any] = {"--name": c_name}


def option(name: str, *names: str, more: str = "", **settings: Any) -> Callable[..., Any]:
    """An option of the table; `more` says what is special in this verb."""
    kind, meaning = _MEANINGS[name]
    settings |= {"callback": _CALLBACKS[name]} if name in _CALLBACKS else {}
    settings |= {"is_flag": True} if kind is None else {"type": kind}
    return click.option(name, *names, help=f"{meaning}  {more}".strip(), **settings)


json_option = option("--json", "as_json")


def option_of_joints(argument: str = "joints") -> Callable[..., Any]:
    """The option for joints of a submechanism; `argument` is the name of the verb's argument."""
    text = "A joint that the actuators move: maps both ways (repeatable)."
    return click.option("--joint", argument, multiple=True, help=text)


open_option = click.option("--open/--no-open", "show", default=None, help=_MEANINGS["--open"][1])


# --- options and output shared by the verbs of studies ----------------------------------------------------------------


def study_options(
    verb: Callable[..., Any], numbers: str = "Numbers, as .npz, .json or .csv.", kind: str | None = "study result"
) -> Callable[..., Any]:
    """Add --json, --report, --plot, --output and --overwrite to a verb; `deliver_study` takes them.

    `numbers` says what --output holds, a file of some `kind`.
    """
    verb = overwrite_option(verb)
    verb = output_option("--output", kind=kind, more=numbers)(verb)
    verb = output_option("--plot", "picture", kind="figure")(verb)
    verb = output_option("--report", "page", kind="page")(verb)
    return json_option(verb)


def deliver_study(
    found: Any,
    as_json: bool,
    page: str | None,
    picture: str | None,
    output: str | None,
    files: Sequence[tuple[Callable[[str], Any], str | None]] = (),
    accept_doubtful: bool = False,
    written: Sequence[str] = (),
) -> None:
    """Print a study and write the files that were requested; `files` are further ones, writers and names.

    Those in `written` are there already.

    Doubtful values are printed, and fail; they go into no file but the page and the figure unless they are accepted.
    What a study had at Ctrl-C is printed and written likewise, and the verb ends as interrupted.
    """
    requested = RequestedFiles(written)
    refused = bool(found.doubts) and not accept_doubtful
    values = [(write, path) for write, path in (*files, (found.save, output)) if path is not None]
    for write, path in (*(() if refused else values), (found.report, page), (found.plot, picture)):
        requested.write(write, path)
    if as_json:
        click.echo(json.dumps(found.data() | ({"files": list(written)} if written else {})))
    else:
        _print_study(found.content())
    requested.report(as_json)
    if found.interrupted:
        left = "".join(f"; {path} is not written, because the values are doubtful" for _, path in values if refused)
        raise CommandFailure(f"interrupted; the result is what was found until then{left}", Exit.INTERRUPTED)
    if refused:
        more = f" ({len(found.doubts) - 1} more in the notes)" if len(found.doubts) > 1 else ""
        left = "".join(f"; {path} is not written" for _, path in values)
        text = f"the values are doubtful: {found.doubts[0]}{more}{left}. --accept-doubtful takes them as they are"
        raise CommandFailure(text, Exit.NOT_CLOSED)


def _print_study(content: Any) -> None:
    """Print facts, tables and notes."""
    from linkwright.cli.printed_tables import print_paragraph, print_table
    from linkwright.results.study_result import describe_study

    found = describe_study(content)
    print_paragraph(found.title)
    print_table("", ["", "value"], [list(pair) for pair in found.facts])
    for each in found.tables:
        print_table(each.heading, each.heads, each.rows, numbers=True)
    for note in found.notes:
        print_paragraph(f"Note: {command_line_text(note)}")
