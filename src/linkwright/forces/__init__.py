"""The force elements, one file each, and the protocol of your own."""

from linkwright.forces.element import (
    ForceElement,
    ForceNumber,
    JointForce,
    LinearParameter,
    LinearSpring,
    PointForce,
    force_elements,
    register_force,
)
from linkwright.forces.end_stop import EndStop
from linkwright.forces.friction import Friction
from linkwright.forces.spring import Spring
from linkwright.forces.strut import Strut

__all__ = [
    "EndStop",
    "ForceElement",
    "ForceNumber",
    "Friction",
    "JointForce",
    "LinearParameter",
    "LinearSpring",
    "PointForce",
    "Spring",
    "Strut",
    "force_elements",
    "register_force",
]
