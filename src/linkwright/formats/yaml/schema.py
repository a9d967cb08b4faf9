"""The format as a JSON Schema, so that editors complete and check mechanism files while they are written."""

from __future__ import annotations

from typing import Any

from linkwright.formats.yaml.descriptions import DESCRIPTIONS, section_of
from linkwright.formats.yaml.document import document_type
from linkwright.formats.yaml.expansion import SECTIONS

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
    for name in ("BodyDocument", "FrameDocument", "StrutDocument", "CouplingDocument", "ActuatorDocument"):
        schema["$defs"][name]["properties"]["comment"] = _COMMENT
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
