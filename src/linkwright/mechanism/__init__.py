"""What a robot is: frozen records. Nothing here needs a coordinate."""

from linkwright.mechanism.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    JointType,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Actuator, Body, Coupling, Frame, Friction, Inertia, Joint, Limits, Spring
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Plate, Shape, Sphere

__all__ = [
    "Actuator",
    "Body",
    "Box",
    "Capsule",
    "Coupling",
    "Cylinder",
    "Cylindrical",
    "Distance",
    "Fixed",
    "Floating",
    "Frame",
    "Friction",
    "Inertia",
    "Joint",
    "JointType",
    "Limits",
    "Mechanism",
    "Planar",
    "Plate",
    "Prismatic",
    "Revolute",
    "Screw",
    "Shape",
    "Sphere",
    "Spherical",
    "Spring",
    "Universal",
]
