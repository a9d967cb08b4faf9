"""The registered force elements by the names that files give them."""

from __future__ import annotations

from linkwright.forces.element import ForceElement
from linkwright.plugins import FORCES, load_plugins

FORCE_SECTIONS = ("struts", ForceElement.section)
"""Sections of a file that hold force elements."""

_ELEMENTS: dict[str, type[ForceElement]] = {}


def register_force(element: type[ForceElement]) -> type[ForceElement]:
    """Add a force element, so that files can name it by its class in lower case; also as a decorator."""
    _ELEMENTS[element.__name__.lower()] = element
    return element


def force_elements() -> dict[str, type[ForceElement]]:
    """The registered elements, those of installed plug-ins too."""
    load_plugins(FORCES)
    return dict(_ELEMENTS)
