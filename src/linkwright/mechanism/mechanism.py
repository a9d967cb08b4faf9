"""The whole machine, checked as it is made."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.algebra.vectors import Vec3
from linkwright.mechanism.records import Actuator, Body, Coupling, Frame, Joint, Strut
from linkwright.mechanism.shapes import Shape
from linkwright.mechanism.validation import require_sound


@dataclass(frozen=True)
class Mechanism:
    """A machine as its user drew it. `joints` span a tree from `base`; `loops` are the joints outside it.

    `open_loops` are joints outside the tree that do not hold yet: a run may close them, see `linkwright.Close`.
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
    licence: str = ""
    open_loops: tuple[Joint, ...] = ()

    def __post_init__(self) -> None:
        require_sound(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moving bodies, in the file's order."""
        return tuple(body.name for body in self.bodies)
