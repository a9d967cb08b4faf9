"""Pose of one frame in another: constants, frozen and hashable, or inputs of a mechanism (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra import quaternion
from linkwright.algebra.rotation import axis_rotation
from linkwright.algebra.sums import all_known, float_if_known, known_value, nominal_value, numeric_array
from linkwright.algebra.vectors import Mat, Vec, Vec3, cross_product, join_twist, reproducible_product
from linkwright.checks import refuse_argument
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.numerics.tolerances import GIMBAL_LOCK, ROUNDED_ENTRY

Rows = tuple[Vec3, Vec3, Vec3]
UPRIGHT: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_UPRIGHT = [list(row) for row in UPRIGHT]


def _snap_rotation(matrix: Mat) -> Rows:
    """Round-off around 0, 1 and -1 removed, so that a right angle stays exactly sparse."""
    if matrix.dtype == object:
        return tuple(tuple(map(_snap_known_number, row)) for row in matrix)  # type: ignore[return-value]
    rows = matrix.astype(float).tolist()
    if rows == _UPRIGHT:
        return UPRIGHT
    return tuple(tuple(map(_snap_near_integer, row)) for row in rows)  # type: ignore[return-value]


def _snap_near_integer(x: float) -> float:
    """A number without round-off around whole ones; nine numbers are quicker one by one than as an array."""
    near = float(round(x)) if -2.0 < x < 2.0 else x
    return (near if abs(x - near) <= ROUNDED_ENTRY else x) + 0.0


def _snap_known_number(x: Any) -> Any:
    value = known_value(x)
    if value is None:
        return x
    return (round(value) if abs(value - round(value)) <= ROUNDED_ENTRY else value) + 0.0


def _numeric_array(title: str, value: Any, shape: tuple[int, ...]) -> Any:
    """An array of plain numbers, or of objects where some are not known, of a given shape."""
    try:
        found = np.asarray(value)
        plain_kind = found.dtype.kind in "fiu"
        if found.shape != shape or not (
            plain_kind or (found.dtype == object and all(map(_is_plain_or_recorded, found.flat)))
        ):
            raise ValueError
        return numeric_array(found)
    except (TypeError, ValueError, OverflowError):
        refuse_argument(title, value, f"numbers of shape {shape}")


def _is_plain_or_recorded(x: Any) -> bool:
    """Return True for a plain number and for one that a program records."""
    return isinstance(x, int | float | np.number) or hasattr(x, "nominal") or hasattr(x, "op")


@dataclass(frozen=True)
class RigidTransform:
    """Origin `xyz` [m] and rotation rows of a frame, seen from its parent; columns of the rotation are its axes."""

    xyz: Vec3 = (0.0, 0.0, 0.0)
    rows: Rows = UPRIGHT

    @staticmethod
    def of(xyz: Vec | Vec3 = (0.0, 0.0, 0.0), matrix: Mat | None = None) -> RigidTransform:
        """A pose from an origin and a 3x3 rotation matrix."""
        rows = UPRIGHT if matrix is None else _snap_rotation(_numeric_array("matrix", matrix, (3, 3)))
        r = _numeric_array("xyz", xyz, (3,))
        x, y, z = map(float_if_known, r) if r.dtype == object else r.tolist()
        return RigidTransform((x + 0.0, y + 0.0, z + 0.0), rows)

    @staticmethod
    def from_quaternion(xyz: Vec | Vec3, wxyz: Vec | tuple[float, ...]) -> RigidTransform:
        """A pose from an origin and a quaternion w x y z of any positive length."""
        q = _numeric_array("wxyz", wxyz, (4,))
        if not all_known(q):
            return RigidTransform.of(xyz, quaternion.rotation_of_quaternion(q))
        if not 0.0 < np.linalg.norm(q) < np.inf:
            raise ArgumentError(f"wxyz is {wxyz}, expected a quaternion of a positive length")
        return RigidTransform.of(xyz, quaternion.rotation_matrix(q / np.sqrt(reproducible_product(q, q))))

    @staticmethod
    def from_rpy(xyz: Vec | Vec3, rpy: Vec | Vec3) -> RigidTransform:
        """A pose from roll, pitch, yaw [rad] about the fixed x, y, z axes (URDF's convention)."""
        roll, pitch, yaw = _numeric_array("rpy", rpy, (3,))
        return RigidTransform.of(xyz, (axis_rotation(2, yaw) * axis_rotation(1, pitch) * axis_rotation(0, roll)).matrix)

    @property
    def R(self) -> Mat:
        """Rotation matrix, (3, 3)."""
        return np.array(self.rows)

    @property
    def r(self) -> Vec:
        """Origin, (3,), [m]."""
        return np.array(self.xyz)

    @property
    def wxyz(self) -> Vec:
        """The rotation as a unit quaternion with w >= 0."""
        return quaternion.from_matrix(self.R)

    def __matmul__(self, other: RigidTransform) -> RigidTransform:
        """The pose of `other`, given in this frame, seen from this frame's parent."""
        if not isinstance(other, RigidTransform):
            return NotImplemented
        return _make_pose(self.r + reproducible_product(self.R, other.r), reproducible_product(self.R, other.R))

    @property
    def inverse(self) -> RigidTransform:
        """This frame's parent seen from this frame."""
        return _make_pose(-reproducible_product(self.R.T, self.r), self.R.T)


def _make_pose(r: Vec, R: Mat) -> RigidTransform:
    """A pose from arrays whose shapes are right."""
    if r.dtype == object or R.dtype == object:
        return RigidTransform.of(r, R)
    x, y, z = r.tolist()
    return RigidTransform((x + 0.0, y + 0.0, z + 0.0), _snap_rotation(R))


IDENTITY = RigidTransform()


def rpy_of_rotation(R: Mat) -> tuple[float, float, float]:
    """Roll, pitch, yaw [rad] about the fixed x, y, z axes of a rotation; where pitch is a right angle, roll is 0.

    >>> [round(angle, 12) for angle in rpy_of_rotation(RigidTransform.from_rpy((0, 0, 0), (0.1, 0.2, 0.3)).R)]
    [0.1, 0.2, 0.3]
    """
    flat = np.hypot(R[0, 0], R[1, 0])
    if flat < GIMBAL_LOCK:
        return 0.0, float(np.arctan2(-R[2, 0], flat)), float(np.arctan2(-R[0, 1], R[1, 1]))
    return float(np.arctan2(R[2, 1], R[2, 2])), float(np.arctan2(-R[2, 0], flat)), float(np.arctan2(R[1, 0], R[0, 0]))


def frame_with_z(axis: Vec | Vec3) -> Mat:
    """A rotation matrix whose third column is the unit vector along `axis`; exact for coordinate axes."""
    z = numeric_array(axis)
    if not all_known(z):
        return _general_frame_with_z(z)
    z = z / np.sqrt(reproducible_product(z, z))
    for i in range(3):
        if abs(z[i]) == 1.0:
            cyclic = np.eye(3)[:, [(i + 1) % 3, (i + 2) % 3, i]]
            return cyclic if z[i] > 0 else cyclic @ np.diag([1.0, -1.0, -1.0])
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.sqrt(reproducible_product(x, x))
    return np.column_stack([x, np.cross(z, x), z])


def _general_frame_with_z(axis: Vec) -> Mat:
    """The same for a direction that is an input; at its nominal value it is the frame of a constant direction.

    x is across the coordinate axis that it is across at the nominal value, so that the frame moves smoothly with z.
    """
    z = axis / np.sqrt(axis @ axis)
    at = frame_with_z(np.array([nominal_value(x) for x in axis]))
    x = cross_product(np.eye(3)[int(np.argmin(np.abs(at[:, 0]) + np.abs(at[:, 2])))], z)
    x = x * (1.0 / np.sqrt(x @ x))
    if np.array([nominal_value(y) for y in x]) @ at[:, 0] < 0.0:
        x = -x
    return np.column_stack([x, cross_product(z, x), z])


def wrench_at(w: Vec, frame: RigidTransform) -> Vec:
    """A wrench given at an origin, seen from a frame that stands at `frame` there: its axes, about its origin."""
    moment = w[:3] - cross_product(frame.r, w[3:])
    return join_twist(frame.R.T @ moment, frame.R.T @ w[3:])


def wrench_from(w: Vec, frame: RigidTransform) -> Vec:
    """The reverse of `wrench_at`: a wrench given in a frame, brought to the origin the frame is given in."""
    force = frame.R @ w[3:]
    return join_twist(frame.R @ w[:3] + cross_product(frame.r, force), force)
