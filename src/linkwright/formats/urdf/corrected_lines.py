"""Findings about a mechanism with the lines of its URDF, and those lines as they should be."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.findings import Finding
from linkwright.formats.written_inertia import possible_part
from linkwright.formats.xml import Element, corrected_tag, plain_numbers

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def corrected_link(end: Element, name: str, names: Iterable[str]) -> str:
    """The line of a joint's end with the link whose name is closest, "" where none is close."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f"write {corrected_tag(end, link=close[0])}" if close else ""


def finding_with_corrected_line(finding: Finding, root: Element) -> Finding:
    """A mechanism's own finding with the line of the link or joint it names, and that line corrected."""
    tag = {"bodies": "link", "joints": "joint"}.get(str(finding.path[0]) if finding.path else "", "")
    owner = (
        next((each for each in root.all(tag) if each.attributes.get("name") == finding.subject), None) if tag else None
    )
    message = f"link{finding.message.removeprefix('body')}" if finding.message.startswith("body") else finding.message
    found = replace(finding, message=message, path=(), line=0 if owner is None else owner.line)
    if owner is None:
        return found
    element, better = _corrected_element(finding, owner)
    if element is None:
        return found
    fix = f"{finding.fix}; " * bool(finding.fix) + better
    return replace(found, line=element.line, fix=fix)


def _corrected_element(finding: Finding, owner: Element) -> tuple[Element | None, str]:
    """The element that holds the value of a finding, and the clause with its corrected line."""
    inertial = owner.first("inertial")
    mass, moments = (None if inertial is None else inertial.first(tag) for tag in ("mass", "inertia"))
    origin, axis = owner.first("origin"), owner.first("axis")
    match finding.code:
        case "impossible-inertia" if moments is not None:
            return moments, f"the nearest that a body can have is {_nearest_inertia(moments)}"
        case "wide-inertia" if moments is not None:
            scaled = {
                key: plain_numbers([1e-6 * _number(moments, key)]) for key in _MOMENTS if key in moments.attributes
            }
            return moments, f"if so, write {corrected_tag(moments, **scaled)}"
        case "negative-mass" if mass is not None:
            return mass, f"write {corrected_tag(mass, value=plain_numbers([-_number(mass, 'value')]))}"
        case "heavy" if mass is not None:
            grams = corrected_tag(mass, value=plain_numbers([1e-3 * _number(mass, "value")]))
            return mass, f"if grams were meant, write {grams}"
        case "far-away" if origin is not None and owner.tag == "joint":
            lengths = [1e-3 * x for x in map(float, origin.attributes.get("xyz", "0 0 0").split())]
            return origin, f"if so, write {corrected_tag(origin, xyz=plain_numbers(lengths))}"
        case "bad-axis" if axis is not None:
            return axis, f"write {corrected_tag(axis, xyz='0 0 1')}, or the axis that is meant"
    return None, ""


def _nearest_inertia(moments: Element) -> str:
    xx, xy, xz, yy, yz, zz = (_number(moments, key) for key in _MOMENTS)
    tensor: Any = possible_part(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    values = (tensor[0, 0], tensor[0, 1], tensor[0, 2], tensor[1, 1], tensor[1, 2], tensor[2, 2])
    return corrected_tag(moments, **{key: plain_numbers([x]) for key, x in zip(_MOMENTS, values, strict=True)})


def _number(element: Element, key: str) -> float:
    """A number that was read before; zero where it is missing."""
    try:
        value = float(element.attributes.get(key, "0"))
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0
