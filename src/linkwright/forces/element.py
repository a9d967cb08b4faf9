"""What every force element provides, what follows from it for all, and the registered elements.

An element is a frozen record whose fields are what a file says. It acts along one scalar channel x of the mechanism:
the distance between points of two bodies (`PointForce`), or a coordinate of a joint, in the tree or outside it
(`JointForce`). Methods take any scalar.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.plugins import FORCES, load_plugins

# --- what every force element provides, and what follows from it for all ----------------------------------------------

End = tuple[str, Vec3]
Role = Literal["dissipative", "inertia", "elastic"]
ENDS = ("at", "child_at")
"""Keys of the points of an element's ends in files."""


@dataclass(frozen=True)
class ForceNumber:
    """A number of an element: its key in files, its unit, the least value it may have, and what it is.

    A field with the default None may be left out.
    """

    key: str
    unit: str = ""
    at_least: float = -np.inf
    description: str = ""

    @property
    def bound_description(self) -> str:
        """The bound in words."""
        if self.at_least == 0.0:
            return " that is not negative"
        return f" of at least {self.at_least:g}" if np.isfinite(self.at_least) else ""


@dataclass(frozen=True)
class LinearParameter:
    """A number that the force of an element is linear in."""

    kind: str
    unit: str
    value: Any


@dataclass(frozen=True)
class LinearSpring:
    """A spring and damper that other tools know: stiffness (x - length) + damping x_dot."""

    stiffness: float
    length: float
    damping: float


class ForceElement(ABC):
    """A force along one channel x of a mechanism.

    Attributes:
        name: of the element.
        numbers: fields that are numbers; they become paths, inputs, and keys of files.
        section: of a file, in which elements stand by name; `section_description` says what stands in one of its own.
        role: which columns of the regressor stand first along one channel: dissipative, inertia, then elastic.
        is_smooth: whether the force has no jumps in its values or its slope.
    """

    name: str
    numbers: ClassVar[tuple[ForceNumber, ...]] = ()
    section: ClassVar[str] = "forces"
    section_description: ClassVar[str] = ""
    role: ClassVar[Role] = "elastic"
    is_smooth: ClassVar[bool] = True

    @property
    def ends(self) -> tuple[End, ...]:
        """Points that it joins, each a body and a point in its frame; () at a joint."""
        return ()

    def given_numbers(self) -> Iterator[tuple[ForceNumber, Any]]:
        """Its numbers with their values, without those that are left out."""
        pairs = ((number, getattr(self, number.key)) for number in self.numbers)
        return ((number, value) for number, value in pairs if value is not None)

    @abstractmethod
    def channel_force(self, x: Any, x_dot: Any) -> Any:
        """Force against the growth of x, [N, or N m along an angle]; its power x_dot times it goes into the element."""

    def stored_energy(self, x: Any) -> Any:
        """Energy [J] whose gradient is the force at rest."""
        return 0.0

    def lost_power(self, x: Any, x_dot: Any) -> Any:
        """Power [W] that is neither stored nor given back."""
        return 0.0

    @property
    def channel_inertia(self) -> Any:
        """Inertia along x, [kg, or kg m^2 along an angle], whose force is this times the acceleration of x."""
        return 0.0

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        """Numbers that the force is linear in; by default a factor of the whole force."""
        return (LinearParameter("factor", "1", 1.0),)

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        """Force per unit of every linear parameter."""
        return (self.channel_force(x, x_dot),)

    def inertia_columns(self) -> tuple[Any, ...]:
        """Inertia along x per unit of every linear parameter."""
        return (0.0,) * len(self.linear_parameters())

    def with_parameters(self, values: Mapping[str, float]) -> Self:
        """The element with other values of its linear parameters, by kind."""
        if values != {each.kind: each.value for each in self.linear_parameters()}:
            raise ArgumentError(f"'{self.name}' has no number that makes its force {values} times as large")
        return self

    def merged_with(self, other: ForceElement) -> Self | None:
        """One element for this and another along the same channel; None if they stay two."""
        return None

    def linear_spring(self) -> LinearSpring | None:
        """The element as a linear spring and damper between its ends; None if it is not one."""
        return None

    def with_ends(self, change: Callable[[str, Vec3], End]) -> Self:
        """The element with its ends on other bodies or at other points."""
        return self

    @property
    def glyph(self) -> str:
        """Drawing of the line between its ends."""
        return "spring"


@dataclass(frozen=True)
class PointForce(ForceElement):
    """A force along the line between a point on one body and a point on another (or on the base), massless.

    Its channel x is the distance [m].
    """

    name: str
    parent: str
    child: str
    at: Vec3
    child_at: Vec3

    @property
    def ends(self) -> tuple[End, ...]:
        return (self.parent, self.at), (self.child, self.child_at)

    @property
    def may_vanish(self) -> bool:
        """Whether the points may meet; the force must be zero there."""
        return False

    def with_ends(self, change: Callable[[str, Vec3], End]) -> Self:
        (parent, at), (child, child_at) = (change(*end) for end in self.ends)
        return replace(self, parent=parent, at=at, child=child, child_at=child_at)


@dataclass(frozen=True)
class JointForce(ForceElement):
    """A force along one coordinate of a joint, in the tree or outside it, of those kinds whose velocities are rates.

    Its channel x is the coordinate [rad or m] less `rest`; at a joint outside the tree an angle is within half a turn
    of its rest.
    """

    name: str
    joint: str

    @property
    def part(self) -> int:
        """Number of the coordinate in its joint."""
        return 0

    @property
    def rest(self) -> Any:
        """Coordinate at which x is zero, [rad or m]."""
        return 0.0

    def placed_at(self, joint: Any) -> tuple[JointForce, ...]:
        """The elements that act at its joint, with the numbers that they take from the joint; by default itself."""
        return (self,)


@dataclass(frozen=True)
class PartForce(JointForce):
    """A force along one velocity of a joint that the joint itself or its actuator has, as a spring or friction.

    Its name is that of the velocity; `turns`: along an angle, else along a length.
    """

    part: int = 0
    turns: bool = True

    def _unit(self, along_angle: str, along_length: str) -> str:
        return along_angle if self.turns else along_length


def merge_forces(elements: Iterable[ForceElement]) -> list[ForceElement]:
    """The elements of one channel with those of a sort as one."""
    out: list[ForceElement] = []
    for each in elements:
        found = ((i, other.merged_with(each)) for i, other in enumerate(out))
        at, both = next(((i, both) for i, both in found if both is not None), (len(out), each))
        out[at : at + 1] = [both]
    return out


# --- the registered force elements by the names that files give them --------------------------------------------------

_ELEMENTS: dict[str, type[ForceElement]] = {}


def register_force(element: type[ForceElement]) -> type[ForceElement]:
    """Add a force element, so that files can name it by its class in lower case; also as a decorator."""
    if not (isinstance(element, type) and issubclass(element, ForceElement)):
        raise ArgumentError(f"register_force takes a class derived from ForceElement, found {element!r:.60}")
    _ELEMENTS[element.__name__.lower()] = element
    return element


def force_elements() -> dict[str, type[ForceElement]]:
    """The registered elements, those of installed plug-ins too."""
    load_plugins(FORCES)
    return dict(_ELEMENTS)


def force_sections() -> dict[str, type[ForceElement] | None]:
    """Sections of a file that hold force elements, and the element of each; None where every one says its type."""
    own = {each.section: each for each in _ELEMENTS.values() if each.section != ForceElement.section}
    return {**own, ForceElement.section: None}
