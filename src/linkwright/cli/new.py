"""`linkwright new`: a commented mechanism file to start from."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option
from linkwright.cli.outputs import claim_file, overwrite_option, say_written

_ARM = "home: {theta1: 20 deg, theta2: 40 deg, theta3: 30 deg}"  # the stretched arm is singular
_SECTIONS = {
    "parameters": "Numbers with names. '= name / 2' computes with them; --set 'name=2 m' changes one in a command.",
    "gravity": "Acceleration of gravity in the frame of the base, [m/s^2].",
    "bodies": "The moving links. Mass center and inertia (about the mass center) are in the frame of the body, which\n"
    "# sits at its joint. Units may be written; a number without one is SI. Shapes are for pictures and clearances.",
    "base": "What does not move, and how it looks.",
    "joints": "Joints that make a tree: each moves its child. 'at' is where the joint sits in the frame of the parent.",
    "dh": "An arm by Denavit and Hartenberg's parameters: a row for each joint with its link.",
    "loops": "Joints that close loops: 'at' in the frame of the parent, 'child_at' in the frame of the child.",
    "couplings": "Gears, belts and the like: a sum of ratios times coordinates that stays constant.",
    "repeat": "Copies of what follows, with an index: legs that are alike are written once.",
    "frames": "Named places on bodies, for tools and sensors.",
    "platform": "The body or frame whose pose is the output.",
    "actuators": "What drives the mechanism: a name, its joint, and its limits where they are known.",
    "home": "Coordinates to start from. Loops are closed near them; write a guess where you do not know better.",
}


class _Kind(click.ParamType):
    """An arm, or a mechanism of the catalog; the shell completes them."""

    name = "kind"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from linkwright import catalog
        from linkwright.mechanism.names import suggest_name

        if value not in (known := ["arm", *catalog.names()]):
            near = "; KIND comes before FILE" if "." in value else suggest_name(value, known, most=0)
            self.fail(f"unknown kind '{value}'{near}; choose among {', '.join(known)}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from linkwright import catalog

        return [CompletionItem(name) for name in ["arm", *catalog.names()] if name.startswith(incomplete)]


@click.command(short_help="Write a commented mechanism file to start from.")
@click.argument("kind", type=_Kind())
@click.argument("file")
@overwrite_option
@json_option
@reporting_errors
def new(kind: str, file: str, as_json: bool) -> None:
    """Write FILE, a mechanism file with comments, of a KIND: four-bar, delta, arm or another one of the catalog.

    \b
    Examples:
      linkwright new four-bar my-robot.yaml
      linkwright new arm my-arm.yaml
    """
    import json
    from pathlib import Path

    from linkwright.catalog import source_text
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.files import write_whole

    claim_file(file, "mechanism", endings=True)
    if Path(file).suffix.lower() not in (".yaml", ".yml"):
        raise click.BadParameter(f"'{file}' must end in .yaml; linkwright convert writes other formats")
    text = f"{source_text('three-link-arm').rstrip()}\n\n{_ARM}\n" if kind == "arm" else source_text(kind)
    write_whole(Path(file), commented_text(text))
    if as_json:
        click.echo(json.dumps({"file": file, "kind": kind}))
        return
    say_written(file)
    print_paragraph(f"Next: edit it, then linkwright check {file}, linkwright view {file}")


def commented_text(text: str) -> str:
    """The text of a mechanism file with a comment above each section.

    >>> print(commented_text("format: 1\\ngravity: [0, 0, -9.81]"))
    format: 1
    # Acceleration of gravity in the frame of the base, [m/s^2].
    gravity: [0, 0, -9.81]
    """
    from linkwright.forces.element import force_sections

    lines = []
    forces = {section: own.section_description for section, own in force_sections().items() if own}
    known = _SECTIONS | {section: f"{what[:1].upper()}{what[1:]}." for section, what in forces.items()}
    for line in text.split("\n"):
        section = line.partition(":")[0]
        if section in known:
            lines.append(f"# {known[section]}")
        lines.append(line)
    return "\n".join(lines)
