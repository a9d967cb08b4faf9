"""What pydantic found in a study, said so that it can be mended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from linkwright.formats.problems import Path, Problem
from linkwright.formats.study import document
from linkwright.formats.units import shown
from linkwright.formats.yaml.text import Source
from linkwright.mechanism.names import suggestion


def problems(error: ValidationError, source: Source) -> Iterator[Problem]:
    """Every error of a study, as sentences with their places."""
    for found in error.errors(include_url=False):
        path = _path(source.data, found)
        yield Problem(_text(found, path), path, source.line(path))


def _path(data: Any, found: Any) -> Path:
    """The place in the file: pydantic's, without the kinds of law and move it met on the way."""
    path: list[str | int] = []
    for i, part in enumerate(found["loc"], start=1):
        if (isinstance(data, dict) and part in data) or (isinstance(data, list) and isinstance(part, int)):
            data = data[part]
            path.append(part)
        elif found["type"] == "missing" and i == len(found["loc"]):
            path.append(part)
    return tuple(path)


def _text(found: Any, path: Path) -> str:
    kind, context = found["type"], found.get("ctx", {})
    match kind:
        case "missing":
            return f"'{path[-1]}' is missing; add it"
        case "extra_forbidden":
            return f"unknown key '{path[-1]}'{suggestion(path[-1], _keys(found['loc'][:-1]))}"
        case "union_tag_not_found":
            key = context["discriminator"].strip("'")
            return f"'{key}' is missing; say which, for example '{key}: {_EXAMPLES[key]}'"
        case "union_tag_invalid":
            known = [word.strip(" '") for word in context["expected_tags"].split(",")]
            return f"'{context['tag']}' is not known here{suggestion(context['tag'], known)}"
        case "literal_error":
            return f"{shown(found['input'])} was found and {context['expected']} is wanted"
        case "value_error":
            return str(context["error"])
    return f"{found['msg'][:1].lower()}{found['msg'][1:]}; {shown(found['input'])} was found"


_EXAMPLES = {"law": "computed-torque", "move": "cycloidal"}


def _keys(loc: Path) -> list[str]:
    """The keys of the part of a study that a place of pydantic's lies in."""
    last = next((part for part in reversed(loc) if isinstance(part, str)), None)
    if last is None:
        return list(document.Study.model_fields)
    parts = [each for each in vars(document).values() if isinstance(each, type) and issubclass(each, BaseModel)]
    for part in parts:
        kinds = [part.model_fields[key].annotation for key in _EXAMPLES if key in part.model_fields]
        if any(last in get_args(kind) for kind in kinds):
            return list(part.model_fields)
    kind = document.Study.model_fields[last].annotation if last in document.Study.model_fields else None
    inner = [each for each in (kind, *get_args(kind)) if each in parts]
    return list(inner[0].model_fields) if inner else []
