"""URDF links to bodies: inertia turned into the link's axes, simple geometry to shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwright.formats.colors import color_text
from linkwright.formats.xml import Element
from linkwright.formats.xml_values import Findings
from linkwright.mechanism import Body, Box, Capsule, Cylinder, Ellipsoid, Inertia, Mesh, Shape, Sphere

_ROUNDED = 1e-6  # kg m^2; what a file with few digits may leave below zero


def body_of_link(link: Element, colors: dict[str, str], found: Findings) -> Body:
    """A link as a body whose frame is the link frame."""
    name = found.text(link, "name", "a link")
    owner = f"link '{name}'"
    return Body(name, _inertia_of_link(link, owner, found), _shapes_of_visuals(link, owner, colors, found))


def _inertia_of_link(link: Element, owner: str, found: Findings) -> Inertia:
    inertial = link.first("inertial")
    if inertial is None:
        return Inertia()
    mass, moments = inertial.first("mass"), inertial.first("inertia")
    if mass is None:
        found.problem(f"{owner}: <inertial> has no <mass>", inertial, "missing-key", 'add <mass value="..."/>')
        return Inertia()
    origin = found.origin(inertial, owner)
    e = {key: found.number(moments, f"i{key}", owner) for key in ("xx", "yy", "zz", "xy", "xz", "yz")}
    rows = [[e["xx"], e["xy"], e["xz"]], [e["xy"], e["yy"], e["yz"]], [e["xz"], e["yz"], e["zz"]]]
    R = origin.R
    turned = R @ rows @ R.T
    symmetric = _possible_inertia_tensor((turned + turned.T) / 2.0, owner, found)
    tensor: Any = tuple(tuple(float(x) for x in row) for row in symmetric)
    return Inertia(found.number(mass, "value", owner), origin.xyz, tensor)


def _possible_inertia_tensor(tensor: Any, owner: str, found: Findings) -> Any:
    """The inertia without a negative principal moment: rounded files have small ones, some robots have large ones."""
    if not all(math.isfinite(x) for x in tensor.ravel()):
        return tensor
    moments, axes = np.linalg.eigh(tensor)
    if moments[0] >= -1e-12 * max(moments[2], _ROUNDED) or moments[0] < -max(_ROUNDED, 0.5 * moments[2]):
        return tensor
    rounded = moments[0] >= -max(_ROUNDED, 1e-3 * moments[2])
    text = (
        f"{owner}: its smallest principal moment {moments[0]:.3g} kg m^2 is negative, taken as zero; correct the file"
    )
    found.note(text, "warning" if rounded else "error", "repaired-inertia", owner, float(moments[0]))
    return (axes * np.maximum(moments, 0.0)) @ axes.T


def _shapes_of_visuals(link: Element, owner: str, colors: dict[str, str], found: Findings) -> tuple[Shape, ...]:
    shapes = []
    for visual in link.all("visual"):
        geometry = visual.first("geometry")
        solids = geometry.children if geometry is not None else []
        for solid in solids:
            drawn = _solid_of_geometry(solid, owner, found)
            if drawn is not None:
                shapes.append(Shape(drawn, found.origin(visual, owner), _color_of_visual(visual, owner, colors, found)))
    return tuple(shapes)


def _solid_of_geometry(
    solid: Element, owner: str, found: Findings
) -> Box | Cylinder | Sphere | Capsule | Ellipsoid | Mesh | None:
    match solid.tag:
        case "box":
            return Box(found.triple(solid, "size", owner))
        case "cylinder":
            return Cylinder(found.number(solid, "radius", owner), found.number(solid, "length", owner))
        case "sphere":
            return Sphere(found.number(solid, "radius", owner))
        case "capsule" | "drake:capsule":
            half = 0.5 * found.number(solid, "length", owner)
            return Capsule(found.number(solid, "radius", owner), (0.0, 0.0, -half), (0.0, 0.0, half))
        case "drake:ellipsoid":
            a, b, c = (found.number(solid, axis, owner) for axis in "abc")
            return Ellipsoid((a, b, c))
        case "mesh":
            return Mesh(found.text(solid, "filename", owner), found.triple(solid, "scale", owner, (1.0, 1.0, 1.0)))
    found.note(f"{owner}: geometry <{solid.tag}> left out of the drawing")
    return None


def _color_of_visual(visual: Element, owner: str, colors: dict[str, str], found: Findings) -> str | None:
    material = visual.first("material")
    if material is None:
        return None
    return color_of_material(material, owner, found) or colors.get(material.attributes.get("name", ""))


def color_of_material(material: Element, owner: str, found: Findings) -> str | None:
    """A material's color as text, if it has one."""
    element = material.first("color")
    if element is None:
        return None
    return color_text(found.numbers(element, "rgba", owner, (0.5, 0.5, 0.5, 1.0)))
