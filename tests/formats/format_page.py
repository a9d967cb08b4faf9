"""The reference page of the file format, from the schema: `python -m tests.formats.format_page` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linkwright.formats import json_schema
from linkwright.formats.yaml.schema import DESCRIPTIONS, section_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "file-format.md"
_INTRO = """# The mechanism file, key by key

Every key of a mechanism file, made from the same schema that the reader checks files with and that editors use for
completion (`linkwright export schema > mechanism.schema.json`). Keys that are not listed are errors. Numbers are SI; a
number may carry a unit instead (`300 mm`, `20 deg`, `1200 rpm`, `2 kg cm^2`) or be an expression of parameters
(`= 2 * radius`). [Write a mechanism file](../howto/mechanism-files.md) shows how the sections work together.
"""
_ABOUT = {
    "Mechanism": ("The file", "name: arm\nformat: 1\ngravity: [0, 0, -9.81]"),
    "Body": ("Bodies", "bodies:\n  crank: {mass: 0.5 kg, com: [50 mm, 0, 0], inertia: [0, 1e-4, 1e-4]}"),
    "Base": ("Base", "base: {name: frame, mass: 12 kg}"),
    "Joint": ("Joints and loops", "joints:\n  A: {type: revolute, parent: ground, child: crank, axis: z}"),
    "Limits": ("Limits of a joint", "limits: {lower: -90 deg, upper: 90 deg, effort: 20 N m}"),
    "Spring": ("Spring in a joint", "spring: {stiffness: 3 N m/rad, rest: 10 deg}"),
    "Friction": ("Friction in a joint or drive", "friction: {viscous: 0.02 N m s/rad, coulomb: 0.1 N m}"),
    "Coupling": ("Couplings", "couplings:\n  belt: {terms: {wheel: 1, motor: -0.25}}"),
    "Strut": ("Struts", "struts:\n  pull: {parent: ground, child: arm, child_at: [0.2, 0, 0], stiffness: 800 N/m}"),
    "Frame": ("Frames", "frames:\n  tip: {body: arm, at: [0.4, 0, 0]}"),
    "Actuator": ("Actuators", "actuators:\n  motor: {joint: A, gear: 50, rotor_inertia: 2e-5 kg m^2, effort: 30 N m}"),
    "Table": ("Denavit-Hartenberg table", "dh:\n  convention: modified\n  rows: [{joint: revolute, a: 0.4, mass: 2}]"),
    "Row": ("Row of a table", "rows: [{joint: revolute, name: waist, d: 0.3, alpha: 90 deg}]"),
    "Beam": ("Flexible link", "beam: {length: 1 m, density: 0.8 kg/m, stiffness: 12 N m^2, shapes: {clamped: 2}}"),
    "BeamShapes": ("Shapes of a flexible link", "shapes: {polynomial: 3, root: clamped, tip: free}"),
    "Shape": ("Shapes for drawing", "shapes: [{sphere: {radius: 50 mm}, at: [0, 0, 0.1], color: '#4477aa'}]"),
    "Box": ("Box", "box: {size: [0.1, 0.1, 0.02]}"),
    "Cylinder": ("Cylinder", "cylinder: {radius: 20 mm, length: 0.3}"),
    "Sphere": ("Sphere", "sphere: {radius: 50 mm}"),
    "Ellipsoid": ("Ellipsoid", "ellipsoid: {radii: [0.1, 0.05, 0.05]}"),
    "Capsule": ("Capsule", "capsule: {radius: 10 mm, start: [0, 0, 0], end: [0.3, 0, 0]}"),
    "Plate": ("Plate", "plate: {corners: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0]], thickness: 8 mm}"),
    "Mesh": ("Mesh", "mesh: {file: meshes/arm.stl, scale: [0.001, 0.001, 0.001]}"),
    "Pose": ("Pose", "at: {xyz: [0, 0, 0.3], rpy: [0, 90 deg, 0]}"),
}


def page() -> str:
    """The page as Markdown."""
    schema = json_schema()
    merged = {"Mechanism": (schema["properties"], set(schema["required"]))}
    for name, part in schema["$defs"].items():
        properties, required = merged.setdefault(section_of(name), ({}, set(part.get("required", ()))))
        required &= set(part.get("required", ()))
        for key, value in part.get("properties", {}).items():
            properties.setdefault(key, value)
    return _INTRO + "".join(_section(name, *merged[name]) for name in _ABOUT)


def _section(name: str, properties: dict[str, Any], required: set[str]) -> str:
    title, example = _ABOUT[name]
    order = [key for key in DESCRIPTIONS[name] if key in properties]
    rows = "".join(
        f"| `{key}` | {_type(properties[key])} | {'required' if key in required else _default(properties[key])} | "
        f"{DESCRIPTIONS[name][key].replace('|', chr(92) + '|')} |\n"
        for key in order
    )
    return f"\n## {title}\n\n```yaml\n{example}\n```\n\n| key | value | default | meaning |\n|---|---|---|---|\n{rows}"


def _type(value: dict[str, Any]) -> str:
    """The kind of value in one or two words."""
    if "anyOf" in value:
        kinds = dict.fromkeys(_type(each) for each in value["anyOf"] if each.get("type") != "null")
        return "quantity" if set(kinds) == {"number", "text"} else " or ".join(kinds)
    if "$ref" in value:
        return section_of(value["$ref"].rsplit("/", 1)[-1]).lower()
    if "oneOf" in value:
        return "section"
    if "const" in value or "enum" in value:
        return "one of a list" if len(value.get("enum", [1])) > 1 else "fixed text"
    names = {"string": "text", "array": "list", "object": "section", "boolean": "true or false", "integer": "number"}
    kind = value.get("type", "value")
    return names.get(kind, str(kind)) if isinstance(kind, str) else "value"


def _default(value: dict[str, Any]) -> str:
    found = value.get("default")
    if found is None or isinstance(found, dict) or found in ([], ""):
        return "-"
    if isinstance(found, list) and found and isinstance(found[0], list):
        return "-"
    return f"`{found}`".replace("True", "true").replace("False", "false")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
