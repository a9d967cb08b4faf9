"""Documents of force elements: one per element, made from its fields and the units of its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any

from pydantic import ValidationError, create_model

from linkwright.forces.element import ENDS, ForceElement, force_elements
from linkwright.forces.strut import Strut
from linkwright.formats.units import UnitError, quote_short_value
from linkwright.formats.yaml.quantities import Checked, Strict, Text, number_field
from linkwright.formats.yaml.shape_documents import Point
from linkwright.mechanism.names import suggest_name


@cache
def force_document(element: type[ForceElement]) -> type[Strict]:
    """The document of an element: its numbers in their units, points of its ends, and texts."""
    units = {each.key: each.unit for each in element.numbers}
    keys: dict[str, Any] = {}
    for field in fields(element):  # type: ignore[arg-type]
        if field.name in ENDS:
            keys[field.name] = (Point, (0.0, 0.0, 0.0))
        elif field.name != "name":
            kind = Annotated[float, number_field(units[field.name])] if field.name in units else _plain_type(field.type)
            keys[field.name] = (kind, ... if field.default is MISSING else field.default)
    return create_model(f"{element.__name__}Document", __base__=Strict, **keys)


def _plain_type(declared: Any) -> Any:
    return Text if declared in ("str", str) else Any


def _read_force(written: Any) -> Any:
    """A registered element as its class and its document."""
    if not isinstance(written, dict) or not isinstance(written.get("type"), str):
        raise UnitError(
            f"{quote_short_value(written)} is not a force element; write for example {{type: ..., joint: ...}}"
        )
    known = force_elements()
    if written["type"] not in known:
        raise UnitError(
            f"the force element {quote_short_value(written['type'])} is not "
            f"registered{suggest_name(written['type'], known)}; "
            "import its module, or install its package"
        )
    element = known[written["type"]]
    try:
        return element, force_document(element)(**{key: value for key, value in written.items() if key != "type"})
    except ValidationError as error:
        first = error.errors()[0]
        raise UnitError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


StrutDocument: Any = force_document(Strut)
AnyForce = Annotated[Any, Checked(_read_force, dict[str, Any])]


def read_forces(document: Any) -> Iterator[ForceElement]:
    """The elements of a document, those of its own sections first."""
    yield from (Strut(name, **dict(written)) for name, written in document.struts.items())
    yield from (element(name, **dict(written)) for name, (element, written) in document.forces.items())


def force_data(forces: Iterable[ForceElement], section: str) -> dict[str, dict[str, Any]]:
    """The elements of a section as a file says them."""
    return {force.name: _data_of_force(force) for force in forces if force.section == section}


def _data_of_force(force: ForceElement) -> dict[str, Any]:
    written = {f.name: getattr(force, f.name) for f in fields(force) if f.name != "name"}  # type: ignore[arg-type]
    data = {key: list(value) if isinstance(value, tuple) else value for key, value in written.items()}
    return data if force.section != ForceElement.section else {"type": type(force).__name__.lower(), **data}
