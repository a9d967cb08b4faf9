"""The registered kinds by the names that files give them, and the way to register more."""

from __future__ import annotations

import hashlib
from typing import TypeVar

from linkwright.errors import ArgumentError
from linkwright.joints.cylindrical import Cylindrical
from linkwright.joints.distance import Distance
from linkwright.joints.fixed import Fixed
from linkwright.joints.floating import Floating
from linkwright.joints.kind import JointKind
from linkwright.joints.planar import Planar
from linkwright.joints.prismatic import Prismatic
from linkwright.joints.revolute import Revolute
from linkwright.joints.screw import Screw
from linkwright.joints.spherical import Spherical
from linkwright.joints.universal import Universal
from linkwright.plugins import JOINTS, load_plugins, source_of_class

KINDS: dict[str, type[JointKind]] = {
    kind.__name__.lower(): kind
    for kind in (Fixed, Revolute, Prismatic, Screw, Cylindrical, Universal, Spherical, Planar, Floating, Distance)
}
Kind = TypeVar("Kind", bound=type[JointKind])
_OWN = tuple(KINDS)
_sources: dict[str, str] = {}


def register(kind: Kind) -> Kind:
    """Register your own kind of joint; files name it by its class's name in lower case. Usable as a decorator.

    Args:
        kind: a frozen dataclass that extends `JointKind`. Registered again, for example by a cell of a notebook that
            runs twice, it replaces the class of the same name.

    Raises:
        ArgumentError: the kind has the name of a kind of the library, or gives too little to be computed with.
    """
    if not (isinstance(kind, type) and issubclass(kind, JointKind)):
        raise ArgumentError(f"kind is {kind!r}, expected a class that extends JointKind", name="kind")
    name = kind.__name__.lower()
    if name in _OWN:
        raise ArgumentError(f"joint kind '{name}' is one of the library's; name yours otherwise", name="kind")
    if kind.coordinate_rates is not JointKind.coordinate_rates:
        _require_motion_of_coordinates(name, kind)
    if kind.closure_rows is JointKind.closure_rows:
        raise ArgumentError(f"joint kind '{name}' gives no closure_rows; write what it holds together", name="kind")
    KINDS[name] = kind
    _sources[name] = source_of_class(kind)
    return kind


def _require_motion_of_coordinates(name: str, kind: type[JointKind]) -> None:
    """Refuse a kind whose velocities are not rates and which does not say how its coordinates follow them."""
    if len(kind.coordinates) == len(kind.velocities):
        text = "has velocities that are not the rates of its coordinates; take these rates as velocities"
        raise ArgumentError(f"joint kind '{name}' {text}", name="kind")
    for method in ("moved_coordinates", "displacement_between"):
        if getattr(kind, method) is getattr(JointKind, method):
            text = f"gives coordinate_rates and no {method}; write how its coordinates follow its velocities"
            raise ArgumentError(f"joint kind '{name}' {text}", name="kind")


def registered_kinds() -> dict[str, type[JointKind]]:
    """All kinds by name, those of installed plug-ins included."""
    load_plugins(JOINTS)
    return KINDS


def foreign_sources() -> str:
    """A digest of the source of kinds that are not the library's; empty without any."""
    return hashlib.blake2b(repr(sorted(_sources.items())).encode(), digest_size=8).hexdigest() if _sources else ""
