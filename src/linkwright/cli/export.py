"""`linkwright export`: a mechanism's functions for other programs, and the file format as a JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option, option_of_joints
from linkwright.cli.outputs import claim_file, claim_folder, output_option, overwrite_option, require_new_folder
from linkwright.cli.registered_targets import ExportTargets
from linkwright.cli.values import variable_names
from linkwright.generated_text import c_identifier

if TYPE_CHECKING:
    from linkwright.model import Model
    from linkwright.model.submechanism import Submechanism


@click.group(cls=ExportTargets, short_help="Export compiled functions and the file format.")
def export() -> None:
    """Write a mechanism's functions for other programs.

    \b
    Examples:
      linkwright export c gough-stewart -o robot
      linkwright export c gough-stewart inverse_dynamics --output platform.c
      linkwright export fmu gough-stewart -o platform.fmu
      linkwright export ros2 gough-stewart -o robot
      linkwright export casadi five-bar forward_dynamics
      linkwright export jax five-bar forward_dynamics
      linkwright export wasm delta -o web
      linkwright export list five-bar
      linkwright export schema > mechanism.schema.json
    """


@export.command("c", short_help="A controller's kit, or one function, as C99.")
@click.argument("name_or_file")
@click.argument("function", required=False)
@option("--name", more="Prefix of all names, or name of the function.  [default: mechanism]")
@output_option("--output", "-o", kind=None, more="Folder of the kit, or file of the function.  [default: NAME, NAME.c]")
@overwrite_option
@option("--vary", more="Arguments of the functions.")
@option("--frame", more="Its pose is computed.  [default: the platform]")
@option_of_joints()
@option("--wrench", "wrenches", multiple=True)
@click.option("--float", "single", is_flag=True, help="Single precision (kit).")
@click.option("--newton-steps", type=click.IntRange(1, 100), default=4, show_default=True, help="Of kinematics (kit).")
@option("--list", "listing", more="Functions of a kit, and those exported alone.")
@json_option
@reporting_errors
def c(
    name_or_file: str,
    function: str | None,
    name: str | None,
    output: str | None,
    vary: Any,
    frame: str | None,
    joints: tuple[str, ...],
    wrenches: tuple[str, ...],
    single: bool,
    newton_steps: int,
    listing: bool,
    as_json: bool,
) -> None:
    """Export NAME_OR_FILE (a catalog name or a mechanism file) as C99 that needs only math.h.

    Without FUNCTION, a kit for a controller that measures the actuators: forward kinematics that closes the loops,
    inverse kinematics, Jacobian, gravity, inverse dynamics, bias, mass matrix, joint reactions, with a self-test and a
    CMake file. With FUNCTION (inverse_dynamics, mass_matrix, frame_pose, ... see --list), that function of all
    coordinates as one file, which has a main that checks stored vectors when compiled with -DNAME_SELFTEST in capitals.

    \b
    Examples:
      linkwright export c gough-stewart -o robot
      linkwright export c four-bar --vary "bodies.crank.mass, joints.B.at.x"
      linkwright export c ankle.yaml --joint ankle --frame foot -o ankle
      linkwright export c stanford-arm forward_dynamics --output arm.c
      linkwright export c stanford-arm frame_jacobian --frame hand
    """
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.model.model_construction import build
    from linkwright.model.submechanism import submechanism

    if output is not None and not listing:
        if function is None:
            require_new_folder(output)
        else:
            claim_file(output, "code")
    model, inputs = build_by_name(name_or_file), variable_names(vary)
    model = build(model.mechanism, inputs=inputs) if inputs else model
    if listing:
        _list_exports(model, frame, as_json)
    elif function is None:
        options = {"frame": frame, "precision": "float" if single else "double", "newton_steps": newton_steps}
        source: Model | Submechanism = model
        if joints:
            source = submechanism(model.mechanism, model.actuated, joints, inputs)
        _export_kit(source, name or c_identifier(model.mechanism.name), output, options, as_json)
    else:
        _export_function(model, function, name, output, {"frame": frame, "wrenches": wrenches}, as_json)


def _export_kit(
    source: Model | Submechanism, prefix: str, output: str | None, options: dict[str, Any], as_json: bool
) -> None:
    from linkwright.cli.printed_tables import print_paragraph, print_table
    from linkwright.export import c_kit

    require_new_folder(output or prefix)
    kit = c_kit(source, prefix, **options)
    folder = claim_folder(output or prefix, kit.files)
    kit.write(folder)
    if as_json:
        figures = {n: {"operations": x.operations, "stack": x.stack} for n, x in kit.figures.items()}
        found = {"folder": folder, "files": sorted(kit.files), "functions": figures, "left_out": dict(kit.left_out)}
        click.echo(json.dumps(found))
        return
    rows = [[n, str(x.operations), str(x.stack)] for n, x in kit.figures.items()]
    print_table(f"{prefix}: one call", ["function", "operations", "stack, bytes"], rows, numbers=True)
    for n, why in kit.left_out.items():
        print_paragraph(f"not in the kit: {n}: {why}")
    print_paragraph(f"{folder}: {', '.join(sorted(kit.files))}; test it with")
    print_paragraph(f"  cc -O2 {folder}/{prefix}.c {folder}/{prefix}_selftest.c -lm -o selftest && ./selftest")


def _export_function(
    model: Model, function: str, name: str | None, output: str | None, options: dict[str, Any], as_json: bool
) -> None:
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.compiler import operation_count
    from linkwright.export import c_source
    from linkwright.files import write_whole

    title = name or c_identifier(f"{model.mechanism.name}_{function}")
    path = output or claim_file(f"{title}.c", "code")
    inputs = bool(len(model.parameters))
    program = model.program(function, inputs=inputs, **options)
    text = c_source(program, title, parameters=model.parameters.by_name if inputs else None)
    write_whole(Path(path), text)
    count = operation_count(program)
    if as_json:
        click.echo(json.dumps({"file": path, "name": title, "function": function, "operations": count.total}))
        return
    print_paragraph(f"{path}: {title}, {count.total} operations, {len(text.encode())} bytes; test it with")
    print_paragraph(f"  cc -O2 -D{title.upper()}_SELFTEST {path} -lm -o selftest && ./selftest")


def _list_exports(model: Model, frame: str | None, as_json: bool) -> None:
    from dataclasses import asdict

    from linkwright.cli.printed_tables import print_paragraph, print_table
    from linkwright.export.c.exportables import exportable_functions, listed_kit

    found, kit = exportable_functions(model), listed_kit(model, frame)
    if as_json:
        listed = {"functions": [asdict(x) for x in found], "kit": [asdict(x) for x in kit.functions]}
        click.echo(json.dumps({**listed, "no_kit": kit.reason}))
        return
    rows = [[x.name, str(x.operations), str(x.stack), x.note] for x in kit.functions]
    print_table(f"kit of {model.mechanism.name}", ["function", "operations", "stack, bytes", "note"], rows)
    if kit.reason:
        print_paragraph(f"no kit: {kit.reason}")
    print_table(
        f"functions of {model.mechanism.name}",
        ["function", "arguments", "note"],
        [[x.name, ", ".join(x.inputs), x.reason or ("--frame" if x.frame else "")] for x in found],
    )


@export.command("list", short_help="Functions of a mechanism, and what they can be exported to.")
@click.argument("name_or_file")
@click.option("--target", type=click.Choice(["c", "casadi", "jax", "torch"]), help="One target only.")
@json_option
@reporting_errors
def listing(name_or_file: str, target: str | None, as_json: bool) -> None:
    """List the functions of NAME_OR_FILE with their arguments and targets, or why the mechanism lacks one.

    C is written by export c, CasADi functions by export casadi; JAX and PyTorch functions are made in Python with
    linkwright.export.jax_function and torch_function.

    \b
    Examples:
      linkwright export list five-bar
      linkwright export list five-bar --target jax --json
    """
    from dataclasses import asdict

    from linkwright.cli.mechanisms import build_by_name
    from linkwright.cli.printed_tables import print_table
    from linkwright.export.listing import list_functions

    model = build_by_name(name_or_file)
    found = [x for x in list_functions(model) if target is None or target in x.targets or not x.targets]
    if as_json:
        click.echo(json.dumps([asdict(x) for x in found]))
        return
    rows = [
        [x.name, ", ".join(x.arguments), ", ".join(x.targets), x.reason or ("frame" if x.frame else "")] for x in found
    ]
    print_table(f"functions of {model.mechanism.name}", ["function", "arguments", "targets", "note"], rows)


@export.command("ros2", short_help="A ROS 2 node that closes the loops, with URDF and launch file.")
@click.argument("name_or_file")
@option("--name", more="File names begin with it.  [default: mechanism]")
@output_option("--output", "-o", kind=None, more="Folder of the files.  [default: NAME]")
@overwrite_option
@json_option
@reporting_errors
def ros2(name_or_file: str, name: str | None, output: str | None, as_json: bool) -> None:
    """Write a node that turns actuator states of NAME_OR_FILE into states of all joints, with closed loops.

    The node is one file and needs rclpy only. The URDF beside it has joints of one freedom each, as
    robot_state_publisher wants them.

    \b
    Examples:
      linkwright export ros2 gough-stewart -o robot
      ros2 launch robot/gough_stewart.launch.py
    """
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.export import ros2_relay

    if output is not None:
        require_new_folder(output)
    model = build_by_name(name_or_file)
    prefix = name or c_identifier(model.mechanism.name)
    folder = output or prefix
    require_new_folder(folder)
    made = ros2_relay(model, prefix, folder)
    claim_folder(folder, made.files)
    made.write(folder)
    if as_json:
        click.echo(json.dumps({"folder": folder, "files": sorted(made.files), "joints": list(made.joints)}))
        return
    for finding in made.findings:
        if finding.matters:
            print_paragraph(str(finding))
    print_paragraph(f"{folder}: {', '.join(sorted(made.files))}; {len(made.joints)} joints from {model.na} actuators")


@export.command("casadi", short_help="One function as a CasADi file.")
@click.argument("name_or_file")
@click.argument("function")
@option("--name", more="Name of the function.  [default: FUNCTION]")
@output_option("--output", "-o", kind=None, more="[default: NAME.casadi]")
@overwrite_option
@option("--frame", more="For functions that depend on one.")
@option("--wrench", "wrenches", multiple=True)
@json_option
@reporting_errors
def casadi(
    name_or_file: str,
    function: str,
    name: str | None,
    output: str | None,
    frame: str | None,
    wrenches: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write FUNCTION of NAME_OR_FILE as a file that casadi.Function.load reads, in Python, C++ and MATLAB.

    \b
    Example:
      linkwright export casadi five-bar forward_dynamics -o five_bar.casadi
    """
    import tempfile

    from linkwright.cli.mechanisms import build_by_name
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.export import casadi_function
    from linkwright.files import write_whole

    path = claim_file(output or f"{name or function}.casadi", "function")
    made = casadi_function(build_by_name(name_or_file), function, frame=frame, name=name, wrenches=wrenches)
    with tempfile.TemporaryDirectory() as folder:
        made.save(str(Path(folder, "function")))
        write_whole(Path(path), Path(folder, "function").read_text(encoding="ascii"))
    if as_json:
        click.echo(json.dumps({"file": path, "name": made.name(), "instructions": made.n_instructions()}))
        return
    print_paragraph(f"{path}: {made}")


@export.command("jax", short_help="One function as a JAX artifact, which needs no linkwright.")
@click.argument("name_or_file")
@click.argument("function")
@output_option("--output", "-o", kind=None, more="[default: FUNCTION.jax]")
@overwrite_option
@option("--frame", more="For functions that depend on one.")
@option("--wrench", "wrenches", multiple=True)
@option("--vary", more="Arguments of the functions.")
@json_option
@reporting_errors
def jax(
    name_or_file: str,
    function: str,
    output: str | None,
    frame: str | None,
    wrenches: tuple[str, ...],
    vary: Any,
    as_json: bool,
) -> None:
    """Write FUNCTION of NAME_OR_FILE as a file that jax.export.deserialize reads: StableHLO with derivatives.

    Arguments are batches, (batch, ...), in double precision, for CPUs and CUDA. Functions of PyTorch call linkwright's
    machine code and have no file: make them in Python with linkwright.export.torch_function.

    \b
    Examples:
      linkwright export jax five-bar forward_dynamics -o five_bar.jax
      linkwright export jax five-bar forward_kinematics --vary proximal
    """
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.export.jax import jax_artifact
    from linkwright.files import write_whole

    path = claim_file(output or f"{function}.jax", "function")
    model = build_by_name(name_or_file, lambda _: variable_names(vary))
    data = jax_artifact(model, function, frame=frame, wrenches=wrenches)
    write_whole(Path(path), data)
    if as_json:
        click.echo(json.dumps({"file": path, "function": function, "bytes": len(data)}))
        return
    print_paragraph(
        f"{path}: {len(data)} bytes; jax.export.deserialize(bytearray(open('{path}', 'rb').read())).call(...)"
    )


@export.command("fmu", short_help="A Functional Mock-up Unit (FMI 2 or 3).")
@click.argument("name_or_file")
@output_option("--output", "-o", kind="unit", more="[default: NAME.fmu]")
@overwrite_option
@click.option("--fmi", "version", type=click.Choice(["2", "3"]), default="3", show_default=True, help="Version of FMI.")
@option("--name", more="[default: mechanism]")
@option("--vary", more="They can be tuned.")
@option("--frame", "frames", multiple=True, more="Its pose is put out (repeatable).")
@option("--no-reactions")
@click.option(
    "--no-derivatives", is_flag=True, help="Leave directional derivatives out: it compiles in a third of the time."
)
@click.option("--sources-only", is_flag=True, help="Compile nothing.")
@json_option
@reporting_errors
def fmu(
    name_or_file: str,
    output: str | None,
    version: str,
    name: str | None,
    vary: Any,
    frames: tuple[str, ...],
    no_reactions: bool,
    no_derivatives: bool,
    sources_only: bool,
    as_json: bool,
) -> None:
    """Export NAME_OR_FILE (a catalog name or a mechanism file) as a Functional Mock-up Unit.

    One file with model exchange and co-simulation: efforts in; coordinates, velocities, poses, energies and reactions
    out; parameters named by --vary can be tuned. Loops stay closed inside. The C sources are always in it, and a
    binary for this computer where a C compiler (cc, gcc, clang, or the package ziglang) is at hand.

    \b
    Examples:
      linkwright export fmu five-bar -o five_bar.fmu
      linkwright export fmu four-bar --fmi 2 --vary bodies.crank.mass
    """
    from linkwright.cli.mechanisms import build_by_name
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.export import fmu as make_unit
    from linkwright.mechanism.names import counted_noun
    from linkwright.model.model_construction import build

    model, inputs = build_by_name(name_or_file), variable_names(vary)
    model = build(model.mechanism, inputs=inputs) if inputs else model
    unit_name = name or c_identifier(model.mechanism.name)
    path = output or claim_file(f"{unit_name}.fmu", "unit")
    unit = make_unit(
        model,
        unit_name,
        version=2 if version == "2" else 3,
        frames=frames or None,
        reactions=not no_reactions,
        derivatives=not no_derivatives,
        binary=False if sources_only else None,
    )
    unit.write(path)
    count = {role: sum(x.role == role for x in unit.variables) for role in ("effort", "parameter", "state", "result")}
    if as_json:
        found = {"file": path, "version": unit.version, "binary": unit.binary, "left_out": dict(unit.left_out)}
        click.echo(json.dumps(found | {"variables": [x.name for x in unit.variables]}))
        return
    print_paragraph(
        f"{path}: FMI {unit.version}, model exchange and co-simulation, "
        f"{', '.join(counted_noun(count[role], role) for role in ('effort', 'parameter', 'state'))}, "
        f"{counted_noun(len(unit.variables), 'variable')}"
    )
    print_paragraph(f"  {unit.binary or 'C sources only'}")
    for n, why in unit.left_out.items():
        print_paragraph(f"not in the unit: {n}: {why}")


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
