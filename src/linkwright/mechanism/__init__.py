"""Records of a mechanism, frozen. Nothing here needs a coordinate."""

from linkwright.mechanism.flexible_bodies import beams_of, flexible
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism, parameterize_mechanism
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
    "Body",
    "Box",
    "Capsule",
    "Coupling",
    "Cylinder",
    "Ellipsoid",
    "Frame",
    "Inertia",
    "Joint",
    "Limits",
    "Mechanism",
    "Mesh",
    "Parameter",
    "ParameterizedMechanism",
    "Plate",
    "Quantity",
    "Shape",
    "Sphere",
    "beams_of",
    "flexible",
    "parameterize_mechanism",
]
