"""Inertia of SDF links: as written, or from the collision shapes and their density (`auto="true"`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.formats.assets import Assets
from linkwright.formats.meshes import is_closed_surface, load_mesh, solid_inertia
from linkwright.formats.sdf.scenes import numbers_of_child, pose_of
from linkwright.formats.xml import Element
from linkwright.formats.xml_values import Findings
from linkwright.mechanism import Box, Capsule, Cylinder, Ellipsoid, Inertia, Mesh, Sphere

WATER = 1000.0  # kg/m^3, SDF's density of everything
_ONE = Inertia.diagonal(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@dataclass(frozen=True)
class Masses:
    """Reads the inertia of links; `solid` reads a geometry."""

    assets: Assets
    found: Findings
    solid: Callable[[Element, str], Any]

    def of(self, link: Element, owner: str) -> Inertia:
        """The inertia of a link; one without <inertial> has 1 kg and 1 kg m^2."""
        inertial = link.first("inertial")
        if inertial is None:
            self.found.note(f"{owner}: no <inertial>; SDF's 1 kg and 1 kg m^2 assumed", code="assumed", subject=owner)
            return _ONE
        if inertial.attributes.get("auto", "false") in ("true", "1"):
            return self.automatic(link, inertial, owner)
        return self.written(inertial, owner)

    def written(self, inertial: Element, owner: str) -> Inertia:
        pose, _ = pose_of(inertial, owner, self.found)
        moments = inertial.first("inertia")
        e = {
            key: numbers_of_child(moments, f"i{key}", owner, self.found, (float(key[0] == key[1]),))[0]
            for key in ("xx", "yy", "zz", "xy", "xz", "yz")
        }
        rows = [[e["xx"], e["xy"], e["xz"]], [e["xy"], e["yy"], e["yz"]], [e["xz"], e["yz"], e["zz"]]]
        turned: Any = pose.R @ rows @ pose.R.T
        return Inertia(
            numbers_of_child(inertial, "mass", owner, self.found, (1.0,))[0], pose.xyz, (turned + turned.T) / 2.0
        )

    def automatic(self, link: Element, inertial: Element, owner: str) -> Inertia:
        """The sum over collision shapes; a mass that is written too scales it."""
        (density,) = numbers_of_child(inertial, "density", owner, self.found, (WATER,))
        parts = [part for each in link.all("collision") if (part := self.part(each, density, owner)) is not None]
        if not parts:
            text = f"{owner}: nothing to compute its inertia from; SDF's 1 kg and 1 kg m^2 assumed"
            self.found.note(text, "warning", "dropped-mass", owner, fix="write <mass> and <inertia>")
            return _ONE
        whole = reduce(sum_of_inertias, parts)
        if inertial.first("mass") is None or not whole.mass:
            return whole
        (mass,) = numbers_of_child(inertial, "mass", owner, self.found, (1.0,))
        tensor: Any = np.array(whole.tensor) * (mass / whole.mass)
        return Inertia(mass, whole.com, tensor)

    def part(self, collision: Element, density: float, owner: str) -> Inertia | None:
        geometry = collision.first("geometry")
        if geometry is None or not geometry.children:
            return None
        (density,) = numbers_of_child(collision, "density", owner, self.found, (density,))
        try:
            found = solid_of(self.solid(geometry.children[0], owner), density, self.assets)
        except LinkwrightError as error:
            self.found.note(f"{owner}: {error}", "warning", "dropped-mass", owner, fix="write <mass> and <inertia>")
            return None
        return None if found is None else inertia_at_pose(found, pose_of(collision, owner, self.found)[0])


def solid_of(solid: Any, density: float, assets: Assets) -> Inertia | None:
    """Inertia of a homogeneous solid about its own frame; None where the shape is not known."""
    match solid:
        case Box((x, y, z)):
            m = density * x * y * z
            moments = (m * (y * y + z * z) / 12.0, m * (x * x + z * z) / 12.0, m * (x * x + y * y) / 12.0)
        case Sphere(radius):
            m = density * 4.0 / 3.0 * math.pi * radius**3
            moments = (0.4 * m * radius**2,) * 3
        case Ellipsoid((x, y, z)):
            m = density * 4.0 / 3.0 * math.pi * x * y * z
            moments = (0.2 * m * (y * y + z * z), 0.2 * m * (x * x + z * z), 0.2 * m * (x * x + y * y))
        case Capsule(radius, (_, _, low), (_, _, high)):
            length = high - low
            rod, balls = density * math.pi * radius**2 * length, density * 4.0 / 3.0 * math.pi * radius**3
            m = rod + balls
            turned = length**2 / 4.0 + 3.0 * length * radius / 8.0  # half spheres at both ends of the rod
            across = rod * (3.0 * radius**2 + length**2) / 12.0 + balls * (0.4 * radius**2 + turned)
            moments = (across, across, 0.5 * rod * radius**2 + 0.4 * balls * radius**2)
        case Cylinder(radius, length):
            m = density * math.pi * radius**2 * length
            across = m * (3.0 * radius**2 + length**2) / 12.0
            moments = (across, across, 0.5 * m * radius**2)
        case Mesh(file, scale):
            path = assets.find(file)
            surface = load_mesh(Mesh(file if path is None else str(path), scale))
            if not is_closed_surface(surface):
                raise LinkwrightError(f"the mesh '{file}' is not closed, so that it has no volume")
            return solid_inertia(surface, density)
        case _:
            return None
    return Inertia.diagonal(m, (0.0, 0.0, 0.0), moments)


def inertia_at_pose(inertia: Inertia, pose: RigidTransform) -> Inertia:
    """The inertia of a solid that stands at a pose."""
    tensor = pose.R @ np.array(inertia.tensor) @ pose.R.T
    com = pose.r + pose.R @ np.array(inertia.com)
    return Inertia(inertia.mass, tuple(com.tolist()), (tensor + tensor.T) / 2.0)


def sum_of_inertias(a: Inertia, b: Inertia) -> Inertia:
    """The inertia of two bodies fixed to each other."""
    mass = a.mass + b.mass
    com = (a.mass * np.array(a.com) + b.mass * np.array(b.com)) / mass if mass else np.zeros(3)
    tensor: Any = np.zeros((3, 3))
    for each in (a, b):
        d = np.array(each.com) - com
        tensor += np.array(each.tensor) + each.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(mass, tuple(com.tolist()), tensor)
