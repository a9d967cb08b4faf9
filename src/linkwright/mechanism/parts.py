"""The parts of a mechanism: the record that checks, parameters and beams read and change."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, Self, TypeVar

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement
from linkwright.mechanism.formulas import Formulas
from linkwright.mechanism.records import NO_INERTIA, Actuator, Body, Coupling, Frame, Inertia, Joint
from linkwright.mechanism.shapes import Shape


@dataclass(frozen=True)
class Parts:
    """The fields of a `Mechanism`, whose only subclass that is."""

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loops: tuple[Joint, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    frames: tuple[Frame, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    platform: str | None = None
    base: str = "ground"
    base_shapes: tuple[Shape, ...] = ()
    base_inertia: Inertia = NO_INERTIA
    gravity: Vec3 = (0.0, 0.0, -9.81)
    home: tuple[tuple[str, tuple[float, ...]], ...] = ()
    source: str = ""
    license: str = ""
    open_loops: tuple[Joint, ...] = ()
    formulas: Formulas = field(default=Formulas(), compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moving bodies, in the file's order."""
        return tuple(body.name for body in self.bodies)

    def unchecked(self, **changes: Any) -> Self:
        """The mechanism with fields replaced whose numbers need not be plain ones, and are not checked."""
        new = object.__new__(type(self))
        for each in fields(self):
            object.__setattr__(new, each.name, changes.get(each.name, getattr(self, each.name)))
        return new


M = TypeVar("M", bound=Parts)
"""A mechanism that comes back as the same type."""
