"""`linkwright info`: the parts of a mechanism."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from linkwright.cli.command_failures import reporting_errors
from linkwright.cli.options import json_option, option

Show = Callable[..., None]
_ROWS = 10  # of a table, unless everything is printed


@click.command(short_help="Parts of a mechanism, or the list of the catalog.")
@click.argument("name_or_file", required=False)
@option("--all", "everything")
@json_option
@reporting_errors
def info(name_or_file: str | None, everything: bool, as_json: bool) -> None:
    """Describe NAME_OR_FILE (a catalog name or a mechanism file); without it, list the catalog.

    Tables end after ten rows; --all prints them whole.

    \b
    Examples:
      linkwright info
      linkwright info stanford-arm
      linkwright info robot.urdf --json
    """
    from linkwright.cli.mechanisms import import_mechanism

    if name_or_file is None:
        _print_catalog(as_json)
        return
    about = import_mechanism(name_or_file, warn=False)
    data = mechanism_data(about.mechanism) | {"notes": [asdict(note) for note in about.notes]}
    if as_json:
        click.echo(json.dumps(data))
    else:
        _print_mechanism(data, [str(note) for note in about.notes], None if everything else _ROWS)
        _print_next(name_or_file, about.mechanism)


def _print_catalog(as_json: bool) -> None:
    from textwrap import shorten

    from linkwright import catalog
    from linkwright.cli.printed_tables import print_paragraph, print_table

    about = catalog.summaries()
    if as_json:
        click.echo(json.dumps({name: asdict(one) for name, one in about.items()}))
        return
    rows = [[n, shorten(s.what, 70, placeholder=" ..."), str(s.mobility), str(s.actuators)] for n, s in about.items()]
    print_table("Catalog", ["name", "what it is", "mobility", "actuators"], rows)
    print_paragraph("More of one: linkwright info NAME; look at it: linkwright view NAME")


def mechanism_data(mech: Any) -> dict[str, Any]:
    """A mechanism as plain data, ready for a table or for JSON."""
    from linkwright.cli.mechanisms import computed_parameters
    from linkwright.mechanism.topology import cut_reasons

    computed = computed_parameters(mech)
    return {
        "name": mech.name,
        "source": mech.source,
        "license": mech.license,
        "base": mech.base,
        "gravity": mech.gravity,
        "coordinates": sum(j.kind.nq for j in mech.joints),
        "speeds": sum(j.kind.nv for j in mech.joints),
        "parameters": [
            {"name": p.name, "value": p.value, "unit": p.unit, "computed": p.name in computed} for p in mech.parameters
        ],
        "bodies": [
            {"name": b.name, "mass": b.inertia.mass, "com": b.inertia.com, "inertia": b.inertia.tensor}
            for b in mech.bodies
        ],
        "joints": [_joint_data(j) for j in mech.joints],
        "loops": [_joint_data(j) for j in mech.loops],
        "open_loops": [_joint_data(j) for j in mech.open_loops],
        "cuts": list(cut_reasons(mech.joints, mech.loops, mech.base)),
        "couplings": [
            {"name": c.name, "terms": c.terms, "curves": c.curves, "offset": c.offset} for c in mech.couplings
        ],
        **_mobility_and_redundancy(mech),
        "frames": [{"name": f.name, "body": f.body, "xyz": f.pose.xyz} for f in mech.frames],
        "platform": mech.platform,
        "actuators": [
            {"name": a.name, "joint": a.joint, "dof": a.dof, "gear": a.gear, "effort": a.effort, "speed": a.speed}
            for a in mech.actuators
        ],
        "forces": _force_numbers(mech),
        "home": dict(mech.home),
    }


def _force_numbers(mech: Any) -> list[dict[str, Any]]:
    """Numbers of springs, friction, rotors and other force elements that are not zero, by path."""
    from linkwright.forces.element import force_sections

    sections = set(force_sections())
    of_parts = {"spring", "friction", "armature", "rotor_inertia", "gravity_compensation"}
    found = []
    for path, number in mech.numbers.items():
        section, _, *rest = path.split(".")
        is_force = not {"at", "child_at"} & set(rest) if section in sections else of_parts & set(rest)
        if is_force and number.value:
            found.append({"path": path, "value": number.value, "unit": number.unit})
    return found


def _mobility_and_redundancy(mech: Any) -> dict[str, Any]:
    """Mobility and number of redundant closure equations; with loops this takes a model, which may fail."""
    from linkwright.errors import LinkwrightError

    if not (mech.loops or mech.couplings):
        return {"mobility": sum(j.kind.nv for j in mech.joints), "redundant_equations": 0}
    try:
        from linkwright import build
        from linkwright.analysis.explanation.steps import inner_cuts

        model = build(mech)
        found = {"mobility": model.mobility, "redundant_equations": len(model.redundant_equations)}
        return found | {"computed_with": list(inner_cuts(model))}
    except (LinkwrightError, ValueError, ArithmeticError) as error:
        return {"mobility": None, "redundant_equations": None, "mobility_unknown": str(error)}


def _joint_data(joint: Any) -> dict[str, Any]:
    from linkwright.mechanism.topology import as_drawn

    joint = as_drawn(joint)
    limits = {key: value for key, value in vars(joint.limits).items() if value not in ((), None)}
    return {
        "name": joint.name,
        "type": type(joint.kind).__name__.lower(),
        "parent": joint.parent,
        "child": joint.child,
        "coordinates": joint.kind.q_parts,
        "limits": {key: [_finite_or_none(x) for x in v] if isinstance(v, tuple) else v for key, v in limits.items()},
    }


def _finite_or_none(x: float) -> float | None:
    """JSON has no infinity."""
    return x if abs(x) != float("inf") else None


def _print_mechanism(data: dict[str, Any], notes: list[str], most: int | None) -> None:
    from functools import partial

    from linkwright.cli import printed_tables

    show = partial(printed_tables.print_table, most=most)
    _print_head(data)
    _print_parameters(data, show)
    _print_bodies(data, show)
    _print_joints(data, show)
    show("Cuts", ["why"], [[reason] for reason in (*data["cuts"], *data.get("computed_with", ()))])
    _print_couplings(data, show)
    show(
        "Frames",
        ["frame", "body", "x, y, z [m]"],
        [[f["name"], f["body"], _listed_figures(f["xyz"])] for f in data["frames"]],
    )
    _print_drives(data, show)
    _print_forces(data, show)
    _print_home(data, show)
    show("Notes of the import", ["dropped or assumed"], [[note] for note in notes])


def _print_parameters(data: dict[str, Any], show: Show) -> None:
    from linkwright.cli.printed_tables import readable_quantity
    from linkwright.readable_text import quantity_text

    rows: dict[bool, list[list[str]]] = {False: [], True: []}
    for each in data["parameters"]:
        value = quantity_text(*readable_quantity(each["value"], each["unit"]))
        rows[each["computed"]].append([each["name"], value])
    show("Parameters (change one: --set NAME=VALUE)", ["parameter", "value"], rows[False])
    show("Computed from these, not to set", ["parameter", "value"], rows[True])


def _print_next(name: str, mech: Any) -> None:
    """Say where to go from here."""
    from linkwright.cli.printed_tables import print_paragraph

    steps = [f"linkwright view {name}", f"linkwright check {name}"]
    if mech.actuators:
        kinds = {joint.name: joint.kind for joint in (*mech.joints, *mech.loops)}
        parts = kinds[mech.actuators[0].joint].velocities
        unit = "m" if parts[mech.actuators[0].dof].unit == "m" else "deg"
        steps.append(f'linkwright fk {name} --at "{mech.actuators[0].name}=... {unit}"')
    if mech.platform:
        steps.append(f"linkwright workspace {name}")
    print_paragraph("Next: " + "\n      ".join(steps))


def _print_head(data: dict[str, Any]) -> None:
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.mechanism.names import counted_noun

    print_paragraph(
        f"{data['name']}: {counted_noun(len(data['bodies']), 'body', 'bodies')} on '{data['base']}', "
        f"{counted_noun(data['speeds'], 'freedom')} of the tree"
    )
    if data["loops"] or data["couplings"]:
        print_paragraph(_mobility_text(data))
    if data["source"]:
        print_paragraph(data["source"])
    if data["license"]:
        print_paragraph(f"license: {data['license']}")
    print_paragraph(f"units: SI, angles in degrees; gravity: {_listed_figures(data['gravity'])} m/s^2\n")


def _print_bodies(data: dict[str, Any], show: Show) -> None:
    from linkwright.readable_text import number_text

    moments = [[b["inertia"][i][i] for i in range(3)] for b in data["bodies"]]
    show(
        "Bodies",
        ["body", "mass [kg]", "mass center [m]", "Ixx, Iyy, Izz [kg m^2]"],
        [
            [b["name"], number_text(b["mass"]), _listed_figures(b["com"]), _listed_figures(m)]
            for b, m in zip(data["bodies"], moments)
        ],
    )


def _print_joints(data: dict[str, Any], show: Show) -> None:
    sections = {"joints": "Joints", "loops": "Loops (joints outside the tree)", "open_loops": "Loops that are open"}
    for section, title in sections.items():
        rows = [[j["name"], j["type"], j["parent"], j["child"], _limits_text(j)] for j in data[section]]
        show(title, ["joint", "type", "parent", "child", "limits"], rows)


def _print_couplings(data: dict[str, Any], show: Show) -> None:
    from linkwright.readable_text import number_text

    rows = [
        [
            c["name"],
            " + ".join([f"{number_text(r)} {j}" for j, r in c["terms"]] + _coupling_powers(c)),
            number_text(c["offset"]),
        ]
        for c in data["couplings"]
    ]
    show("Couplings", ["coupling", "ratio times coordinate, summed", "value"], rows)


def _print_drives(data: dict[str, Any], show: Show) -> None:
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.readable_text import number_text

    if data["platform"]:
        print_paragraph(f"platform: {data['platform']}\n")
    types = {j["name"]: j["type"] for j in (*data["joints"], *data["loops"])}
    rows = [
        [
            a["name"],
            a["joint"],
            number_text(a["gear"]),
            *(_actuator_bound_text(a, key, types[a["joint"]]) for key in ("effort", "speed")),
        ]
        for a in data["actuators"]
    ]
    show("Actuators", ["actuator", "joint", "gear", "largest effort", "largest speed"], rows)
    if not data["actuators"] and not data["loops"] and not data["couplings"]:
        print_paragraph("actuators: none named, so every joint is driven")


def _print_forces(data: dict[str, Any], show: Show) -> None:
    from linkwright.cli.printed_tables import readable_quantity
    from linkwright.readable_text import quantity_text

    rows = [[each["path"], quantity_text(*readable_quantity(each["value"], each["unit"]))] for each in data["forces"]]
    show("Springs, friction, rotors and other forces", ["number", "value"], rows)


def _print_home(data: dict[str, Any], show: Show) -> None:
    types = {j["name"]: j["type"] for j in (*data["joints"], *data["loops"])}
    rows = [
        [name, _coordinates_text(values, types.get(name, "")) + _coordinate_unit(types.get(name, ""))]
        for name, values in data["home"].items()
    ]
    show("Home", ["joint", "coordinates"], rows)


def _listed_figures(values: Any) -> str:
    from linkwright.readable_text import number_text

    return ", ".join(number_text(x) for x in values)


def _coordinates_text(values: Any, kind: str) -> str:
    """Coordinates of a joint without their unit; angles in degrees."""
    from linkwright.cli.printed_tables import readable_quantity

    unit = _unit_suffix(kind, 0).strip()
    return _listed_figures(x if x is None else readable_quantity(x, unit)[0] for x in values)


def _coordinate_unit(kind: str) -> str:
    return _unit_suffix(kind, 0).replace("rad", "deg")


def _mobility_text(data: dict[str, Any]) -> str:
    if data["mobility"] is None:
        return f"mobility: unknown, because {data['mobility_unknown']}"
    return f"mobility: {data['mobility']}; redundant closure equations: {data['redundant_equations']}"


_UNITS = (("rad", "m"), ("rad/s", "m/s"), ("N m", "N"))  # of coordinates, velocities and efforts


def _unit_suffix(kind: str, quantity: int) -> str:
    """The unit of a quantity at a joint whose parts all have the same."""
    from linkwright.joints.joint_registry import registered_kinds
    from linkwright.joints.kind import units_along_parts

    known = registered_kinds().get(kind)
    parts = () if known is None else known.velocities if quantity else known.coordinates
    units = set(units_along_parts(parts, *_UNITS[quantity]))
    return f" {units.pop()}".rstrip() if len(units) == 1 else ""


def _actuator_bound_text(actuator: dict[str, Any], key: str, kind: str) -> str:
    from linkwright.readable_text import number_text

    bound = actuator[key]
    return "-" if bound is None else number_text(bound) + _unit_suffix(kind, 2 if key == "effort" else 1)


def _limits_text(joint: dict[str, Any]) -> str:
    limits, kind, parts = joint["limits"], joint["type"], []
    if "lower" in limits or "upper" in limits:
        lower, upper = (limits.get(key, [None]) for key in ("lower", "upper"))
        parts.append(f"{_coordinates_text(lower, kind)} to {_coordinates_text(upper, kind)}" + _coordinate_unit(kind))
    for key, quantity in (("speed", 1), ("effort", 2)):
        if key in limits:
            parts.append(f"{key} {_listed_figures(limits[key])}" + _unit_suffix(kind, quantity))
    if "cone" in limits:
        parts.append(f"cone {_coordinates_text([limits['cone']], 'revolute')} deg")
    return "; ".join(parts)


def _coupling_powers(coupling: dict[str, Any]) -> list[str]:
    """Higher powers in a coupling."""
    from linkwright.readable_text import number_text

    return [
        f"{number_text(x)} {j}^{k}" for j, factors in coupling["curves"] for k, x in enumerate(factors, start=2) if x
    ]
