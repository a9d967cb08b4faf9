"""The kinds of joint, one file each; axes are unit vectors in the joint's frame.

docs/theory/2-joints-and-poses.md gives the coordinates q and velocities v of each.
"""

from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_X, SAME_Z, Along, Angle, Equation
from linkwright.joints.cylindrical import Cylindrical
from linkwright.joints.derivatives import Constraint, Coordinate
from linkwright.joints.distance import Distance
from linkwright.joints.fixed import Fixed
from linkwright.joints.floating import Floating
from linkwright.joints.joint_registry import register
from linkwright.joints.kind import GlyphPart, JointKind, JointNumber, JointPart, SimpleStep
from linkwright.joints.modes import Modes as Modes
from linkwright.joints.motion_terms import RelativeMotion, RelativePose
from linkwright.joints.planar import Planar
from linkwright.joints.prismatic import Prismatic
from linkwright.joints.revolute import Revolute
from linkwright.joints.screw import Screw
from linkwright.joints.section import Section as Section
from linkwright.joints.spherical import Spherical
from linkwright.joints.universal import Universal

__all__ = [
    "SAME_ORIGIN",
    "SAME_X",
    "SAME_Z",
    "Along",
    "Angle",
    "Constraint",
    "Coordinate",
    "Cylindrical",
    "Distance",
    "Equation",
    "Fixed",
    "Floating",
    "GlyphPart",
    "JointKind",
    "JointNumber",
    "JointPart",
    "Planar",
    "Prismatic",
    "RelativeMotion",
    "RelativePose",
    "Revolute",
    "Screw",
    "SimpleStep",
    "Spherical",
    "Universal",
    "register",
]
