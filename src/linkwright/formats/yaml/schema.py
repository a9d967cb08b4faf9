"""The format as a JSON Schema, so that editors complete and check mechanism files while they are written."""

from __future__ import annotations

from typing import Any

from linkwright.formats.yaml.document import Document
from linkwright.formats.yaml.expansion import SECTIONS

_VALUE = {"type": ["number", "string"]}
_COMMENT = {"type": "string", "description": "left out of the mechanism"}


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a mechanism file.

    >>> json_schema()["properties"]["format"]["const"]
    1
    """
    schema = Document.model_json_schema()
    parts = schema["properties"]
    schema |= {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "linkwright mechanism"}
    sections = {name: parts[name] for name in SECTIONS}
    for name in ("BodyDocument", "FrameDocument", "StrutDocument", "CouplingDocument", "ActuatorDocument"):
        schema["$defs"][name]["properties"]["comment"] = _COMMENT
    for name, part in schema["$defs"].items():
        if name.endswith("Joint"):
            part["properties"]["comment"] = _COMMENT
    parts |= {"comment": _COMMENT, "parameters": _parameters(), "repeat": _repeat(sections)}
    return schema


def _parameters() -> dict[str, Any]:
    about = "values by name: numbers in SI, quantities such as 300 mm, or expressions such as '= 2 * radius'"
    return {"type": "object", "description": about, "additionalProperties": _VALUE}


def _repeat(sections: dict[str, Any]) -> dict[str, Any]:
    series = {"anyOf": [{"type": "string", "pattern": r"^-?\d+\s*\.\.\s*-?\d+$"}, {"type": "array", "items": _VALUE}]}
    block = {
        "type": "object",
        "required": ["for"],
        "additionalProperties": False,
        "properties": {"for": {"type": "object", "additionalProperties": series}, **sections},
    }
    return {
        "description": "sections written once for several parts",
        "anyOf": [block, {"type": "array", "items": block}],
    }
