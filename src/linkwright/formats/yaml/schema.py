"""The format as a JSON Schema for editors, and what every key of a mechanism file means."""

from __future__ import annotations

import re
from typing import Any

from linkwright.forces.element import force_sections
from linkwright.formats.yaml.document import document_type
from linkwright.formats.yaml.expansion import SECTIONS

# --- what every key of a mechanism file means -------------------------------------------------------------------------

_POSE = "pose x y z in m, or {xyz: ..., rpy: ...}, {xyz: ..., quaternion: ...} or {xyz: ..., matrix: ...}"
_ENDS = {
    "parent": "body, or the base, that carries the joint",
    "child": "body that moves with the joint",
    "at": f"frame of the joint on the parent: {_POSE}",
    "child_at": f"frame of the joint on the child: {_POSE}",
}
_SOLID = {
    "mass": "mass [kg]",
    "com": "center of mass in the body's frame [m]",
    "inertia": "about the center of mass, body axes [kg m^2]: xx yy zz, or {xx, yy, zz, xy, xz, yz}, or a 3x3 matrix",
    "shapes": "list of solids for drawing; they have no influence on the motion",
}
_RESISTANCE = {
    "limits": "ranges of positions, velocities and efforts; reported, they change no motion",
    "spring": "linear spring along the coordinates",
    "friction": "viscous and dry friction along the velocities",
    "armature": "inertia along each velocity that moves no body [kg m^2, kg]",
}
_FORCES = [(section, own) for section, own in force_sections().items() if own]  # with sections of their own

# by kind of section, then by key; units are SI, and every number may carry a unit: 300 mm, 20 deg, 2 kg cm^2
DESCRIPTIONS: dict[str, dict[str, str]] = {
    "Mechanism": {
        "format": "version of the format; 1",
        "name": "name of the mechanism",
        "source": "where the numbers come from: a paper, a data sheet",
        "license": "license of the file",
        "gravity": "acceleration of gravity in base axes [m/s^2]",
        "base": "name of the base, or its name, mass and shapes",
        "dh": "serial chain as a Denavit-Hartenberg table, instead of or beside bodies and joints",
        "bodies": "moving bodies by name",
        "joints": "joints by name; with the bodies they form a tree, or a graph in which loops are found",
        "loops": "joints by name that close loops; they are cut from the spanning tree and have no coordinates",
        "couplings": "gears, belts and cams by name: relations between coordinates of joints",
        **{section: f"{own.section_description}, by name" for section, own in _FORCES},
        "forces": "registered force elements, by name, each with its type",
        "frames": "named frames on bodies: tools, sensors, points of interest",
        "platform": "name of the frame whose pose is the output of the mechanism",
        "actuators": "actuators by name, or a list of the joints that are driven",
        "home": "coordinates of joints where the mechanism is assembled first, by joint [rad, m]",
        "comment": "text for readers; left out of the mechanism",
        "parameters": "named numbers: SI values, quantities such as 300 mm, or expressions such as '= 2 * radius'",
        "repeat": "sections written once for several parts, with the values of a variable",
    },
    "Body": {
        **_SOLID,
        "gravity_compensation": "share of the weight that is carried by something outside the model, 0 to 1",
        "beam": "makes the body a flexible beam along its x axis",
        "comment": "text for readers",
    },
    "Base": {**_SOLID, "name": "name of the base, by which joints name it as parent"},
    "Joint": {
        "type": "revolute, prismatic, screw, cylindrical, universal, spherical, planar, floating, fixed or distance",
        **_ENDS,
        "axis": "axis of rotation or sliding in the joint's frame: x, y, z, -x, -y, -z or three numbers",
        "first": "first axis of a universal joint, on the parent",
        "second": "second axis of a universal joint, on the child",
        "normal": "normal of the plane of a planar joint",
        "pitch": "advance of a screw per angle [m/rad]",
        "length": "length of the massless rod of a distance joint [m]",
        **_RESISTANCE,
        "open": "true for a loop that is open at the start and closed by an event of a run",
        "comment": "text for readers",
    },
    "Limits": {
        "lower": "smallest position, one per coordinate [rad, m]",
        "upper": "largest position, one per coordinate [rad, m]",
        "speed": "largest velocity, one per velocity [rad/s, m/s]",
        "effort": "largest effort, one per velocity [N m, N]",
        "cone": "largest angle between the z axes of both sides of a spherical or universal joint [rad]",
    },
    "Spring": {
        "stiffness": "stiffness, one per coordinate [N m/rad, N/m]",
        "rest": "coordinate without force, one per coordinate [rad, m]; zero unless given",
    },
    "Friction": {
        "viscous": "effort per velocity, one per velocity [N m s/rad, N s/m]; a damper",
        "coulomb": "dry friction, one per velocity [N m, N]",
        "slip": "velocity over which dry friction is smoothed around standstill [rad/s, m/s]",
    },
    "Coupling": {
        "terms": "ratio of each joint: the sum of ratio times coordinate stays at the offset",
        "offset": "value of that sum [rad or m]",
        "curves": "further factors of the square, the cube and so on of a joint's coordinate, by joint",
        "comment": "text for readers",
    },
    **{
        own.__name__: {
            "parent": "one body, or the base",
            "child": "the other body",
            "at": "point on the parent [m]",
            "child_at": "point on the child [m]",
            **{number.key: f"{number.description} [{number.unit}]" for number in own.numbers},
            "comment": "text for readers",
        }
        for _, own in _FORCES
    },
    "Frame": {"body": "body, or the base, that carries the frame", "at": _POSE, "comment": "text for readers"},
    "Actuator": {
        "joint": "joint that is driven",
        "dof": "which velocity of the joint, by number from 0 or by name",
        "gear": "turns of the rotor per turn of the joint; efforts and limits are at the joint, after the gear",
        "rotor_inertia": "inertia of the rotor before the gear [kg m^2, or kg of a linear one]",
        "friction": "friction of the drive, at the joint",
        "effort": "largest effort at the joint [N m, N]",
        "speed": "largest velocity of the joint [rad/s, m/s]",
        "comment": "text for readers",
    },
    "Table": {
        "convention": "standard (Denavit and Hartenberg, frame at the far end of the link) or modified (Craig)",
        "rows": "one row per joint, from the base outwards",
    },
    "Row": {
        **_SOLID,
        "gravity_compensation": "share of the weight that is carried by something outside the model, 0 to 1",
        "joint": "revolute, prismatic or fixed",
        "name": "name of the joint",
        "link": "name of the link",
        "a": "distance of the z axes along x [m]",
        "b": "offset along z [m]; another name of d",
        "d": "offset along z [m]",
        "alpha": "angle of the z axes about x [rad]",
        "theta": "angle of the x axes about z [rad], or its part that is constant",
        **_RESISTANCE,
    },
    "Beam": {
        "length": "length along the body's x axis [m]",
        "density": "mass per length [kg/m]",
        "stiffness": "bending stiffness E I, one value or one per direction [N m^2]",
        "shapes": "family and number of the assumed shapes",
        "planes": "directions of bending: y, z or [y, z]",
        "damping": "structural damping [s]: a shape of angular frequency w has the damping ratio damping w / 2",
        "gyration": "radius of gyration of the cross section, for its rotary inertia [m]",
        "shortening": "true to count that the end of a bent beam comes nearer",
    },
    "BeamShapes": {
        "sine": "number of sine shapes (both ends pinned)",
        "clamped": "number of shapes of a beam that is clamped at its root",
        "polynomial": "number of polynomial shapes with the ends `root` and `tip`",
        "root": "clamped, pinned or free, for polynomial shapes",
        "tip": "clamped, pinned or free, for polynomial shapes",
    },
    "Shape": {
        "box": "block with edges along x, y, z, centered",
        "cylinder": "cylinder along z, centered",
        "sphere": "sphere, centered",
        "ellipsoid": "ellipsoid, centered",
        "capsule": "rod with round ends between two points",
        "plate": "flat polygon",
        "mesh": "surface from a file",
        "at": _POSE,
        "color": "'#rrggbb', or '#rrggbbaa' with an opacity",
    },
    "Box": {"size": "edge lengths [m]"},
    "Cylinder": {"radius": "radius [m]", "length": "length [m]"},
    "Sphere": {"radius": "radius [m]"},
    "Ellipsoid": {"radii": "half axes along x, y, z [m]"},
    "Capsule": {"radius": "radius [m]", "start": "one end of the center line [m]", "end": "the other end [m]"},
    "Plate": {"corners": "corners in their order [m]", "thickness": "thickness [m]"},
    "Mesh": {
        "file": "name of an STL, OBJ, PLY, OFF, DAE or GLB file below the folder of this file",
        "scale": "factors by which the numbers of the file become meters",
    },
    "Pose": {
        "xyz": "position [m]",
        "rpy": "rotations about the fixed axes x, then y, then z [rad]",
        "quaternion": "quaternion w x y z",
        "matrix": "rotation matrix, by rows",
    },
}

_OTHERS = {"ShapesDocument": "BeamShapes", "PoseForm": "Pose", "Document": "Mechanism"}


def section_of(name: str) -> str:
    """The kind of section that a part of the schema belongs to.

    >>> section_of("RevoluteLoopJoint"), section_of("BodyDocument"), section_of("ScrewLimits")
    ('Joint', 'Body', 'Limits')
    """
    if name in _OTHERS:
        return _OTHERS[name]
    last = re.findall("[A-Z][a-z]*", name.removesuffix("Document"))[-1]
    return str(last)


# --- the format as a JSON Schema, so that editors complete and check mechanism files while they are written -----------

_VALUE = {"type": ["number", "string"]}
_COMMENT = {"type": "string"}


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a mechanism file.

    >>> json_schema()["properties"]["format"]["const"]
    1
    """
    schema = document_type().model_json_schema()
    parts = schema["properties"]
    schema |= {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "linkwright mechanism"}
    sections = {name: parts[name] for name in SECTIONS}
    for name in ("Body", "Frame", *(own.__name__ for _, own in _FORCES), "Coupling", "Actuator"):
        schema["$defs"][f"{name}Document"]["properties"]["comment"] = _COMMENT
    for name, part in schema["$defs"].items():
        if name.endswith("Joint"):
            part["properties"]["comment"] = _COMMENT
    parts |= {"comment": _COMMENT, "parameters": _parameters_schema(), "repeat": _repeat_schema(sections)}
    _describe_keys("Mechanism", parts)
    for name, part in schema["$defs"].items():
        _describe_keys(section_of(name), part.get("properties", {}))
    return schema


def _describe_keys(section: str, properties: dict[str, Any]) -> None:
    """Add the meaning of every key, which editors show where it is written."""
    for key in properties:
        properties[key] = {**properties[key], "description": DESCRIPTIONS[section][key]}


def _parameters_schema() -> dict[str, Any]:
    return {"type": "object", "additionalProperties": _VALUE}


def _repeat_schema(sections: dict[str, Any]) -> dict[str, Any]:
    series = {"anyOf": [{"type": "string", "pattern": r"^-?\d+\s*\.\.\s*-?\d+$"}, {"type": "array", "items": _VALUE}]}
    block = {
        "type": "object",
        "required": ["for"],
        "additionalProperties": False,
        "properties": {"for": {"type": "object", "additionalProperties": series}, **sections},
    }
    return {"anyOf": [block, {"type": "array", "items": block}]}
