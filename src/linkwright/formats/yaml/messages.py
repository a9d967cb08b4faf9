"""What pydantic found in a mechanism or study file, put so that an engineer can correct it."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from linkwright.findings import Finding, Path
from linkwright.formats.dh import DIFFERENCE
from linkwright.formats.units import shown
from linkwright.formats.yaml.hints import meant, way_out
from linkwright.formats.yaml.text import Source

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
_TAGS = {  # keys that choose between kinds of blocks: what they choose, and one of them
    "type": ("kind of joint", "revolute"),
    "joint": ("kind of joint", "revolute"),
    "law": ("law", "computed-torque"),
    "move": ("move", "cycloidal"),
}


def problems(error: ValidationError, source: Source, root: type[BaseModel]) -> Iterator[Finding]:
    """Every error that the document type `root` found in a file."""
    for found in error.errors(include_url=False):
        path = _path(source.data, found)
        code, message, fix = _described(found, path, root)
        value = found["input"] if isinstance(found["input"], str | int | float) else None
        yield source.problem(code, message, path, fix, value)


def _path(data: Any, found: Any) -> Path:
    """The place in the file: pydantic's, without the kinds of block it met on the way."""
    path: list[str | int] = []
    for i, part in enumerate(found["loc"], start=1):
        if (isinstance(data, dict) and part in data) or (isinstance(data, list) and isinstance(part, int)):
            data = data[part]
            path.append(part)
        elif found["type"] == "missing" and i == len(found["loc"]):
            path.append(part)
    return tuple(path)


def _described(found: Any, path: Path, root: type[BaseModel]) -> tuple[str, str, str]:
    """Code, message and fix of one error."""
    kind, value, context = found["type"], found["input"], found.get("ctx", {})
    convention = path == ("dh", "convention")
    match kind:
        case "missing" if path == ("format",):
            return "missing-key", "the file does not say its format", "begin it with 'format: 1'"
        case "missing" if convention:
            return "missing-key", DIFFERENCE, ""
        case "missing":
            return "missing-key", f"'{path[-1]}' is missing", "add it"
        case "extra_forbidden":
            fields = _fields(root, found["loc"][:-1])
            return "unknown-key", f"unknown key '{path[-1]}'{meant(path[-1], fields)}", ""
        case "union_tag_not_found":
            key = context["discriminator"].strip("'")
            what, example = _TAGS[key]
            return "missing-key", f"'{key}' is missing", f"say the {what}, for example '{key}: {example}'"
        case "union_tag_invalid":
            known = [word.strip(" '") for word in context["expected_tags"].split(",")]
            what, _ = _TAGS[context["discriminator"].strip("'")]
            return "unknown-name", f"'{context['tag']}' is no {what} known here{meant(context['tag'], known)}", ""
        case "literal_error":
            message = f"{_seen(value)} was found and {context['expected']} is wanted"
            return "bad-value", message, DIFFERENCE if convention else ""
        case "value_error":
            return "bad-value", way_out(str(context["error"])) if _computes(root) else str(context["error"]), ""
        case _ if kind in _SHAPES:
            message = f"{_SHAPES[kind]} is wanted here and {_seen(value)} was found"
            return "wrong-type", message, _example(kind, found["loc"], root)
    return "bad-value", f"{found['msg'][:1].lower()}{found['msg'][1:]}", f"{_seen(value)} was found"


def _computes(root: type[BaseModel]) -> bool:
    """Whether files of this kind may hold `= expressions`; those of studies belong to their mechanism."""
    return "mechanism" not in root.model_fields


def _seen(value: Any) -> str:
    names: dict[type, str] = {dict: "a block", list: "a list"}
    return names.get(type(value), shown(value))


def _example(kind: str, loc: Path, root: type[BaseModel]) -> str:
    """How a block could be written: its required keys, or its first two."""
    if not kind.startswith("model"):
        return ""
    fields = _fields(root, loc)
    if not fields:
        return "write for example {type: revolute, parent: ..., child: ...}"
    needed = [name for name, field in fields.items() if field.is_required()] or list(fields)[:2]
    return f"write for example {{{', '.join(f'{name}: ...' for name in needed)}}}"


def _fields(here: Any, loc: Path) -> dict[str, Any]:
    """The fields of a document at a place; none where blocks of different kinds have different ones."""
    for part in loc:
        here = _inside(here, part)
    return getattr(_bare(here), "model_fields", {})


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
    return get_args(next(choice.model_fields[key] for key in _TAGS if key in choice.model_fields).annotation)
