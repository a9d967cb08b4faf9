"""What pydantic found, said so that an engineer can mend the file."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from linkwright.formats.dh import DIFFERENCE
from linkwright.formats.problems import Path, Problem
from linkwright.formats.units import shown
from linkwright.formats.yaml.document import Document
from linkwright.formats.yaml.hints import meant, way_out
from linkwright.formats.yaml.text import Source

_SPECIAL: dict[Path, str] = {
    ("format",): "the file does not say its format; begin it with 'format: 1'",
    ("dh", "convention"): DIFFERENCE,
}
_SHAPES = {
    "dict_type": "a block of 'name: value' lines",
    "model_type": "a block of 'key: value' lines",
    "model_attributes_type": "a block of 'key: value' lines",
    "tuple_type": "a list, '- ...' or [...]",
    "list_type": "a list, '- ...' or [...]",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "bool_type": "true or false",
}


def problems(error: ValidationError, source: Source) -> Iterator[Problem]:
    """Every error of a document, as sentences with their places."""
    for found in error.errors(include_url=False):
        path = _path(source.data, found)
        yield Problem(_text(found, path), path, source.line(path))


def _path(data: Any, found: Any) -> Path:
    """The place in the file: pydantic's, without the kinds of joint it met on the way."""
    path: list[str | int] = []
    for i, part in enumerate(found["loc"], start=1):
        if (isinstance(data, dict) and part in data) or (isinstance(data, list) and isinstance(part, int)):
            data = data[part]
            path.append(part)
        elif found["type"] == "missing" and i == len(found["loc"]):
            path.append(part)
    return tuple(path)


def _text(found: Any, path: Path) -> str:
    kind, value = found["type"], found["input"]
    if kind == "missing":
        return _SPECIAL.get(path, f"'{path[-1]}' is missing; add it")
    if kind == "extra_forbidden":
        return f"unknown key '{path[-1]}'{meant(path[-1], _keys(found['loc'][:-1]))}"
    if kind == "union_tag_not_found":
        key = found["ctx"]["discriminator"].strip("'")
        return f"'{key}' is missing; say the kind of joint, for example '{key}: revolute'"
    if kind == "union_tag_invalid":
        known = [word.strip(" '") for word in found["ctx"]["expected_tags"].split(",")]
        return f"'{found['ctx']['tag']}' is no kind of joint known here{meant(found['ctx']['tag'], known)}"
    if kind == "literal_error":
        return f"{_seen(value)} was found and {found['ctx']['expected']} is wanted" + (
            f"; {DIFFERENCE}" if path == ("dh", "convention") else ""
        )
    if kind == "value_error":
        return way_out(str(found["ctx"]["error"]))
    if kind in _SHAPES:
        return f"{_SHAPES[kind]} is wanted here and {_seen(value)} was found{_example(kind, found['loc'])}"
    return f"{found['msg'][:1].lower()}{found['msg'][1:]}; {_seen(value)} was found"


def _seen(value: Any) -> str:
    names: dict[type, str] = {dict: "a block", list: "a list"}
    return names.get(type(value), shown(value))


def _example(kind: str, loc: Path) -> str:
    """How a block could be written: its required keys, or its first two."""
    if not kind.startswith("model"):
        return ""
    fields = _fields(loc)
    if not fields:
        return "; write for example {type: revolute, parent: ..., child: ...}"
    needed = [name for name, field in fields.items() if field.is_required()] or list(fields)[:2]
    return f"; write for example {{{', '.join(f'{name}: ...' for name in needed)}}}"


def _fields(loc: Path) -> dict[str, Any]:
    """The fields of the document at a place; none where kinds of joints have different ones."""
    here: Any = Document
    for part in loc:
        here = _inside(here, part)
    return getattr(_bare(here), "model_fields", {})


def _keys(loc: Path) -> tuple[str, ...]:
    """The keys a document knows at a place."""
    return tuple(_fields(loc))


def _bare(kind: Any) -> Any:
    """A type without its annotations and without `| None`."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        choices = [choice for choice in get_args(kind) if choice is not NoneType]
        return _bare(choices[0]) if len(choices) == 1 else kind
    return kind


def _inside(kind: Any, part: str | int) -> Any:
    kind = _bare(kind)
    if get_origin(kind) in (Union, UnionType):
        return next(choice for choice in get_args(kind) if part in _tags(choice))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_fields[str(part)].annotation
    return get_args(kind)[0 if get_origin(kind) is tuple else 1]


def _tags(choice: Any) -> tuple[Any, ...]:
    return get_args(choice.model_fields["type" if "type" in choice.model_fields else "joint"].annotation)
