"""The force elements, one file each, and the protocol of your own."""

from linkwright.forces.element import (
    ForceElement,
    ForceNumber,
    JointForce,
    LinearParameter,
    LinearSpring,
    PartForce,
    PointForce,
    merge_forces,
)
from linkwright.forces.friction import DryFriction, Friction, ViscousFriction
from linkwright.forces.registry import force_elements, register_force
from linkwright.forces.rotor import Rotor
from linkwright.forces.spring import JointSpring, Spring
from linkwright.forces.strain import Strain
from linkwright.forces.strut import Strut

FORCE_SECTIONS = (Strut.section, ForceElement.section)
"""Sections of a file that hold force elements."""

__all__ = [
    "FORCE_SECTIONS",
    "DryFriction",
    "ForceElement",
    "ForceNumber",
    "Friction",
    "JointForce",
    "JointSpring",
    "LinearParameter",
    "LinearSpring",
    "PartForce",
    "PointForce",
    "Rotor",
    "Spring",
    "Strain",
    "Strut",
    "ViscousFriction",
    "force_elements",
    "merge_forces",
    "register_force",
]
