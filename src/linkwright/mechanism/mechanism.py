"""The whole mechanism, checked as it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from linkwright.algebra.vectors import Vec3
from linkwright.mechanism import parameters as by_name
from linkwright.mechanism.parameters import Formulas, Parameter
from linkwright.mechanism.paths import Quantity, unknown
from linkwright.mechanism.records import Actuator, Body, Coupling, Frame, Joint, Strut
from linkwright.mechanism.shapes import Shape
from linkwright.mechanism.validation import require_sound


@dataclass(frozen=True)
class Mechanism:
    """A mechanism as its user drew it. `joints` span a tree from `base`; `loops` are the joints outside it.

    `open_loops` are joints outside the tree that do not hold yet: a run may close them, see `linkwright.events.Close`.
    `formulas` say which numbers follow from named parameters; mechanisms with equal numbers are equal.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loops: tuple[Joint, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    struts: tuple[Strut, ...] = ()
    frames: tuple[Frame, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    platform: str | None = None
    base: str = "ground"
    base_shapes: tuple[Shape, ...] = ()
    gravity: Vec3 = (0.0, 0.0, -9.81)
    home: tuple[tuple[str, tuple[float, ...]], ...] = ()
    source: str = ""
    license: str = ""
    open_loops: tuple[Joint, ...] = ()
    formulas: Formulas = field(default=Formulas(), compare=False, repr=False)

    def __post_init__(self) -> None:
        require_sound(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moving bodies, in the file's order."""
        return tuple(body.name for body in self.bodies)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named parameters of the mechanism's file, each with its nominal value, unit, and where it is used."""
        return by_name.parameters(self)

    @property
    def numbers(self) -> dict[str, Quantity]:
        """Every number by its path, such as `bodies.crank.mass` or `joints.B.at.x`, with its SI unit."""
        return by_name.numbers(self)

    def value(self, name: str) -> float:
        """The value [SI] of a parameter, or of a number by its path.

        >>> from linkwright import catalog
        >>> catalog.load("four-bar").value("joints.B.at.x")
        4.0
        """
        named = {definition.name: definition.value for definition in self.formulas.definitions}
        if name in named:
            return named[name]
        known = self.numbers
        if name not in known:
            raise unknown(name, {**named, **known})
        return known[name].value

    def with_values(self, values: Mapping[str, float]) -> Mechanism:
        """The mechanism with other values [SI] of parameters, and of numbers named by their paths.

        A parameter changes every number that follows from it; a number given by its path no longer follows from any.

        >>> from linkwright import catalog
        >>> catalog.load("four-bar").with_values({"gravity.y": -1.6}).gravity
        (0.0, -1.6, 0.0)
        """
        return by_name.with_values(self, values)

    def unchecked(self, **changes: Any) -> Mechanism:
        """The mechanism with fields replaced whose numbers need not be plain ones, and are not checked."""
        new = object.__new__(Mechanism)
        for each in fields(self):
            object.__setattr__(new, each.name, changes.get(each.name, getattr(self, each.name)))
        return new
