"""Records of a mechanism, frozen. Nothing here needs a coordinate."""

from linkwright.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine
from linkwright.mechanism.flexible_bodies import beams_of, flexible
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism, parameterized
from linkwright.mechanism.parameters import Parameter
from linkwright.mechanism.paths import Quantity
from linkwright.mechanism.records import (
    Actuator,
    Body,
    Coupling,
    Frame,
    Inertia,
    Joint,
    Limits,
)
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plate, Shape, Sphere

__all__ = [
    "Actuator",
    "Beam",
    "Body",
    "Box",
    "Capsule",
    "Clamped",
    "Coupling",
    "Cylinder",
    "Cylindrical",
    "Distance",
    "Ellipsoid",
    "Fixed",
    "Floating",
    "Frame",
    "Inertia",
    "Joint",
    "JointKind",
    "Limits",
    "Mechanism",
    "Mesh",
    "Parameter",
    "ParameterizedMechanism",
    "Planar",
    "Plate",
    "Polynomial",
    "Prismatic",
    "Quantity",
    "Revolute",
    "Screw",
    "Shape",
    "Sine",
    "Sphere",
    "Spherical",
    "Universal",
    "beams_of",
    "flexible",
    "parameterized",
]
