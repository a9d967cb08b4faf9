"""Names and units of coordinates, velocities and fields that several kinds share."""

from linkwright.joints.kind import JointNumber, JointPart

ANGLE = JointPart("angle", "rad")
LENGTH = JointPart("length", "m")
POSITION = tuple(JointPart(name, "m") for name in ("x", "y", "z"))
QUATERNION = tuple(JointPart(name, "") for name in ("qw", "qx", "qy", "qz"))
ANGULAR_VELOCITY = tuple(JointPart(name, "rad") for name in ("wx", "wy", "wz"))
LINEAR_VELOCITY = tuple(JointPart(name, "m") for name in ("vx", "vy", "vz"))
AXIS = JointNumber("axis", is_direction=True)
