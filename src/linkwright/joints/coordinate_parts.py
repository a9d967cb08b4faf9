"""Names and units of coordinates, velocities and fields that several kinds share."""

from __future__ import annotations

from linkwright.joints.kind import JointNumber, JointPart

ANGLE = JointPart("angle", "rad")
LENGTH = JointPart("length", "m")
POSITION = tuple(JointPart(name, "m") for name in ("x", "y", "z"))
QUATERNION = tuple(JointPart(name, "") for name in ("qw", "qx", "qy", "qz"))
ANGULAR_VELOCITY = tuple(JointPart(name, "rad") for name in ("wx", "wy", "wz"))
LINEAR_VELOCITY = tuple(JointPart(name, "m") for name in ("vx", "vy", "vz"))
AXIS = JointNumber("axis", is_direction=True)


def units_along_parts(parts: tuple[JointPart, ...], turning: str, sliding: str) -> tuple[str, ...]:
    """The unit of a quantity along each coordinate or velocity; quaternion parts have none.

    >>> units_along_parts((ANGLE, LENGTH), "N m", "N")
    ('N m', 'N')
    """
    return tuple("" if not part.unit else turning if part.unit == "rad" else sliding for part in parts)
