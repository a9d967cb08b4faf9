"""`linkwright export`: a mechanism's functions as C, and the file format as a JSON Schema."""

from __future__ import annotations

import json

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.file_names import c_name


@click.group(short_help="Export compiled functions and the file format.")
def export() -> None:
    """Write a mechanism's functions for other programs.

    \b
    Examples:
      linkwright export c gough-stewart inverse_dynamics --output platform.c
      linkwright export schema > mechanism.schema.json
    """


@export.command("c", short_help="One function as a C99 file.")
@click.argument("name_or_file")
@click.argument("function", default="inverse_dynamics")
@click.option("--name", callback=c_name, help="Name of the C function.  [default: from mechanism and function]")
@click.option("--output", help="File to write.  [default: NAME.c]")
@click.option("--input", "inputs", multiple=True, help="A parameter or path that stays an argument (repeatable).")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
@reporting_errors
def c(
    name_or_file: str, function: str, name: str | None, output: str | None, inputs: tuple[str, ...], as_json: bool
) -> None:
    """Export FUNCTION of NAME_OR_FILE (a catalog name or a mechanism file) as C99 that needs only math.h.

    FUNCTION is inverse_dynamics unless given, or forward_dynamics, mass_matrix, bias_forces, gravity_forces,
    energy or another compiled function. Compiled with -DNAME_SELFTEST in capitals the file has a main that checks
    stored vectors.

    \b
    Examples:
      linkwright export c four-bar
      linkwright export c stanford-arm forward_dynamics --output arm.c
      linkwright export c four-bar --input bodies.crank.mass --input joints.B.at.x
    """
    from pathlib import Path

    from linkwright.cli.mechanisms import built
    from linkwright.cli.tables import say
    from linkwright.compiler import operation_count
    from linkwright.export import c_source
    from linkwright.formats.files import write_whole
    from linkwright.model.building import build

    model = built(name_or_file)
    model = build(model.mechanism, inputs=inputs) if inputs else model
    title = name or _identifier(f"{model.mechanism.name}_{function}")
    program = model.program(function, inputs=bool(inputs))
    text = c_source(program, title, parameters=model.parameters.by_name if inputs else None)
    path = output or f"{title}.c"
    write_whole(Path(path), text)
    count = operation_count(program)
    if as_json:
        click.echo(json.dumps({"file": path, "name": title, "function": function, "operations": count.total}))
        return
    say(f"{path}: {title}, {count.total} operations, {len(text.encode())} bytes; test it with")
    say(f"  cc -O2 -D{title.upper()}_SELFTEST {path} -lm -o selftest && ./selftest")


def _identifier(text: str) -> str:
    """Return a valid C identifier.

    >>> _identifier("3-rrr inverse")
    'm3_rrr_inverse'
    """
    clean = "".join(c if c.isascii() and c.isalnum() else "_" for c in text)
    return clean if clean[:1].isalpha() else f"m{clean}"


@export.command("schema", short_help="JSON Schema of mechanism files, for editors.")
@reporting_errors
def schema() -> None:
    """Print the JSON Schema of mechanism files.

    \b
    Example:
      linkwright export schema > mechanism.schema.json
    """
    from linkwright.formats import json_schema

    click.echo(json.dumps(json_schema(), indent=1))
