"""Errors of pydantic in a mechanism or study file as messages that an engineer can act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError

from linkwright.findings import Finding, Path
from linkwright.formats.dh import DIFFERENCE
from linkwright.formats.units import quote_short_value
from linkwright.formats.yaml.yaml_text import SourceDocument
from linkwright.mechanism.names import suggest_name

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

_KINDS = {  # names in other programs for kinds of joints, and for keys
    "revolute": "r hinge pin rotary rotational rotation rotating continuous turning",
    "prismatic": "p slider slide sliding linear translational translation piston",
    "spherical": "s ball ball-joint ball-and-socket",
    "universal": "u cardan hooke gimbal",
    "cylindrical": "c cylinder",
    "fixed": "weld welded rigid",
    "floating": "free freeflyer 6dof",
    "screw": "h helical leadscrew spindle",
    "planar": "e plane",
    "distance": "rod rope",
}
_KEYS = {
    "bodies": "links parts segments",
    "actuators": "motors drives actuated",
    "joints": "pairs hinges connections",
    "loops": "constraints closures closed_loop",
    "lower": "min minimum low",
    "upper": "max maximum high",
    "com": "cog center_of_mass center_of_mass mass_center mass_center",
    "at": "origin position pos xyz",
    "parent": "from body1 predecessor",
    "child": "to body2 successor",
    "type": "kind",
    "license": "license",
    "source": "author reference",
    "coulomb": "static dry",
    "gear": "ratio reduction",
}
_PHRASES = {  # a key that is not one, what it is here, and a key that is known wherever the phrase fits
    "damping": ("friction", "friction: {viscous: ...}"),
    "damper": ("friction", "friction: {viscous: ...}"),
    "dampers": ("struts", "struts: ... with 'damping', or 'friction: {viscous: ...}' in a joint"),
    "springs": ("struts", "struts: ... with 'stiffness', or 'spring: {stiffness: ...}' in a joint"),
    "stiffness": ("spring", "spring: {stiffness: ...}"),
    "length": ("com", "'at' and 'child_at' of its joints; a body itself has no length"),
    "variables": ("bodies", "parameters: {name: value}"),
}


def problems_of_validation(error: ValidationError, source: SourceDocument, root: type[BaseModel]) -> Iterator[Finding]:
    """Every error that the document type `root` found in a file."""
    for found in error.errors(include_url=False):
        path = _path_in_file(source.data, found)
        code, message, fix = _describe_validation_error(found, path, root)
        value = found["input"] if isinstance(found["input"], str | int | float) else None
        yield source.problem(code, message, path, fix, value)


def _path_in_file(data: Any, found: Any) -> Path:
    """The location in the file: pydantic's, without the kinds of block it met on the way."""
    path: list[str | int] = []
    for i, part in enumerate(found["loc"], start=1):
        if (isinstance(data, dict) and part in data) or (isinstance(data, list) and part in range(len(data))):
            data = data[part]
            path.append(part)
        elif found["type"] == "missing" and i == len(found["loc"]):
            path.append(part)
    return tuple(path)


def _describe_validation_error(found: Any, path: Path, root: type[BaseModel]) -> tuple[str, str, str]:
    """Code, message and fix of one error."""
    kind, value, context = found["type"], found["input"], found.get("ctx", {})
    convention = path == ("dh", "convention")
    match kind:
        case "missing" if path == ("format",):
            return "missing-key", "the file has no format", "begin it with 'format: 1'"
        case "missing" if convention:
            return "missing-key", DIFFERENCE, ""
        case "missing" if isinstance(path[-1], int):
            return "missing-key", f"value number {path[-1] + 1} of the list is missing", "add it"
        case "missing":
            return "missing-key", f"'{path[-1]}' is missing", "add it"
        case "extra_forbidden":
            fields = _fields_at_location(root, found["loc"][:-1])
            return "unknown-key", f"unknown key '{path[-1]}'{suggestion_for_name(path[-1], fields)}", ""
        case "union_tag_not_found":
            key = context["discriminator"].strip("'")
            what, example = _TAGS[key]
            return "missing-key", f"'{key}' is missing", f"name the {what}, for example '{key}: {example}'"
        case "union_tag_invalid":
            known = [
                tag for choice in get_args(_type_at_location(root, found["loc"])) for tag in _tags_of_choice(choice)
            ]
            what, _ = _TAGS[context["discriminator"].strip("'")]
            return "unknown-name", f"unknown {what} '{context['tag']}'{suggestion_for_name(context['tag'], known)}", ""
        case "literal_error":
            message = f"{_describe_given_value(value)} was found and {context['expected']} is wanted"
            return "bad-value", message, DIFFERENCE if convention else ""
        case "value_error":
            return "bad-value", str(context["error"]) + _hint_about_expressions(context["error"], root), ""
        case _ if kind in _SHAPES:
            message = f"{_SHAPES[kind]} is wanted here and {_describe_given_value(value)} was found"
            return "wrong-type", message, _example_block(kind, found["loc"], root)
    return "bad-value", f"{found['msg'][:1].lower()}{found['msg'][1:]}", f"{_describe_given_value(value)} was found"


def _hint_about_expressions(error: ValueError, root: type[BaseModel]) -> str:
    """That a mechanism file can compute what is not a quantity; a study holds no expressions."""
    text = getattr(error, "computable", "") if "mechanism" not in root.model_fields else ""
    return f", or '= {text}' to compute it from parameters" if text else ""


def _describe_given_value(value: Any) -> str:
    names: dict[type, str] = {dict: "a block", list: "a list"}
    return names.get(type(value), quote_short_value(value))


def _example_block(kind: str, loc: Path, root: type[BaseModel]) -> str:
    """An example of a block: its required keys, or its first two."""
    if not kind.startswith("model"):
        return ""
    fields = _fields_at_location(root, loc)
    if not fields:
        return "write for example {type: revolute, parent: ..., child: ...}"
    needed = [name for name, field in fields.items() if field.is_required()] or list(fields)[:2]
    return f"write for example {{{', '.join(f'{name}: ...' for name in needed)}}}"


def _fields_at_location(root: type[BaseModel], loc: Path) -> dict[str, Any]:
    """The fields of a document at a location; none where blocks of different kinds have different ones."""
    return _fields_by_file_name(_type_at_location(root, loc))


def _fields_by_file_name(kind: Any) -> dict[str, Any]:
    """The fields of a block by their names in files."""
    return {field.alias or name: field for name, field in getattr(kind, "model_fields", {}).items()}


def _type_at_location(here: Any, loc: Path) -> Any:
    """The type of a document at a location."""
    for part in loc:
        here = _type_of_part(here, part)
    return _unannotated_type(here)


def _unannotated_type(kind: Any) -> Any:
    """A type without its annotations and without `| None`."""
    if get_origin(kind) is Annotated:
        return _unannotated_type(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        choices = [choice for choice in get_args(kind) if choice is not NoneType]
        return _unannotated_type(choices[0]) if len(choices) == 1 else kind
    return kind


def _type_of_part(kind: Any, part: str | int) -> Any:
    kind = _unannotated_type(kind)
    if get_origin(kind) in (Union, UnionType):
        return next((choice for choice in get_args(kind) if part in _tags_of_choice(choice)), object)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _fields_by_file_name(kind)[str(part)].annotation
    inner = get_args(kind) or (object,)
    return inner[1] if get_origin(kind) is dict else inner[0]


def _tags_of_choice(choice: Any) -> tuple[Any, ...]:
    """Where a choice of a union is found in pydantic's paths: at the values of its key, or at its own tag."""
    named = [each.tag for each in getattr(choice, "__metadata__", ()) if isinstance(each, Tag)]
    fields = _fields_by_file_name(choice)
    tags = [get_args(fields[key].annotation) for key in _TAGS if key in fields]
    return tags[0] if tags else tuple(named)


def suggestion_for_name(name: object, known: Iterable[str]) -> str:
    """A closing clause for an unknown name: its name here, the closest known one, or what there is.

    >>> suggestion_for_name("hinge", ["fixed", "revolute"]), suggestion_for_name("damping", ["spring", "friction"])
    (" (did you mean 'revolute'?)", ' (write friction: {viscous: ...})')
    """
    known, low = list(known), str(name).lower()
    if low in _PHRASES and _PHRASES[low][0] in known:
        return f" (write {_PHRASES[low][1]})"
    for table in (_KINDS, _KEYS):
        for here, others in table.items():
            if here in known and low in others.split():
                return f" (did you mean '{here}'?)"
    return suggest_name(name, known)
