"""Poses of frames, propagation of twists and mass moments from one frame to another (any scalar).

The second moment Sigma = integral of r r^T dm replaces the inertia tensor J = tr(Sigma) 1 - Sigma: with the spin
rate S of `spin_acceleration_matrix` Newton's and Euler's equations become f = m acc + S h and n = [S Sigma]_x + h x
acc, which cost 13 multiplications for the moment where the textbook form costs 24 (theory 3.7).

The child's origin is `r` [m, parent axes] away from the parent's, the axes turn by R, and a further shift `s`
[m, child axes] follows (a prismatic travel). `A @ t` takes the parent's twist to the child's origin and axes,
`A.T @ w` takes a child's wrench back, `A.congruence(M)` is A^T M A.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.rotations import Rotation, axis_rotation
from linkwright.algebra.sums import all_known, float_if_known, known_value, nominal_value, numeric_array
from linkwright.algebra.vectors import (
    Mat,
    Vec,
    Vec3,
    cross_product,
    join_twist,
    reproducible_product,
    skew,
    spin_acceleration_matrix,
    stack_scalars,
)
from linkwright.checks import refuse_argument
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.numerics.tolerances import GIMBAL_LOCK, ROUNDED_ENTRY

# --- pose of one frame in another: constants, frozen and hashable, or inputs of a mechanism (any scalar) --------------

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
            return RigidTransform.of(xyz, rotations.rotation_of_quaternion(q))
        if not 0.0 < np.linalg.norm(q) < np.inf:
            raise ArgumentError(f"wxyz is {wxyz}, expected a quaternion of a positive length")
        return RigidTransform.of(xyz, rotations.rotation_matrix(q / np.sqrt(reproducible_product(q, q))))

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
        return rotations.from_matrix(self.R)

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


# --- mass moments of a body about its origin: mass, first and second moments of the mass distribution -----------------


@dataclass(frozen=True, eq=False)
class Moments:
    """Mass m [kg], first moment h [kg m], second moment Sigma and inertia tensor J [kg m^2], about the body's origin.

    J = tr(Sigma) 1 - Sigma is kept beside Sigma because a turn about an axis leaves J about that axis untouched, which
    saves its recomputation in composite bodies.
    """

    m: Any
    h: Vec
    Sigma: Mat
    J: Mat

    @staticmethod
    def of(m: Any, h: Vec, Sigma: Mat) -> Moments:
        """Moments from mass, first and second moment."""
        S = Sigma
        xx, yy, zz = S[1, 1] + S[2, 2], S[0, 0] + S[2, 2], S[0, 0] + S[1, 1]
        J = np.array([[xx, -S[0, 1], -S[0, 2]], [-S[0, 1], yy, -S[1, 2]], [-S[0, 2], -S[1, 2], zz]])
        return Moments(m, h, Sigma, J)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.Sigma + other.Sigma, self.J + other.J)

    def rotate_axes(self, R: Rotation) -> Moments:
        """The same body in axes that R turns from."""
        return Moments(self.m, R @ self.h, R.similar_symmetric(self.Sigma), R.similar_symmetric(self.J))

    def shift_origin(self, r: Vec) -> Moments:
        """The same body about an origin r before the present one (the body sits at +r)."""
        product = np.outer(r, self.h + 0.5 * self.m * r)
        both = product + product.T
        spread = np.diag([both[1, 1] + both[2, 2], both[0, 0] + both[2, 2], both[0, 0] + both[1, 1]])
        J = self.J + spread - (both - np.diag(np.diagonal(both)))
        return Moments(self.m, self.h + self.m * r, self.Sigma + both, J)

    @property
    def M(self) -> Mat:
        """The 6x6 mass matrix about the origin, angular first."""
        H = skew(self.h)
        return np.block([[self.J, H], [H.T, self.m * np.eye(3)]])

    def momentum(self, t: Vec) -> Vec:
        """The 6-momentum M t of a body with twist t."""
        omega, vel = t[:3], t[3:]
        return join_twist(self.J @ omega + cross_product(self.h, vel), self.m * vel - cross_product(self.h, omega))


def moments_about_origin(mass: float, com: Vec, tensor: Mat) -> Moments:
    """Moments about the origin from mass, mass center and inertia tensor about the mass center."""
    com, tensor = numeric_array(com), numeric_array(tensor)
    Sigma = 0.5 * np.trace(tensor) * np.eye(3) - tensor + mass * np.outer(com, com)
    return Moments.of(float_if_known(mass), mass * com, Sigma)


def newton_euler(body: Moments, t: Vec, t_dot: Vec) -> Vec:
    """Wrench that gives a body with twist t the ordinary twist rate t_dot = [alpha; acc of the origin] (theory 3.7)."""
    S, acc = spin_acceleration_matrix(t[:3], t_dot[:3]), t_dot[3:]
    return join_twist(spin_moment(S, body.Sigma) + cross_product(body.h, acc), body.m * acc + S @ body.h)


def spin_moment(S: Mat, Sigma: Mat) -> Vec:
    """The moment integral of r x (S r) dm, written so that no product is computed twice."""
    n_x = S[2, 1] * Sigma[1, 1] - S[1, 2] * Sigma[2, 2] + (S[2, 2] - S[1, 1]) * Sigma[1, 2]
    n_y = S[0, 2] * Sigma[2, 2] - S[2, 0] * Sigma[0, 0] + (S[0, 0] - S[2, 2]) * Sigma[0, 2]
    n_z = S[1, 0] * Sigma[0, 0] - S[0, 1] * Sigma[1, 1] + (S[1, 1] - S[0, 0]) * Sigma[0, 1]
    return stack_scalars(
        n_x + S[2, 0] * Sigma[0, 1] - S[1, 0] * Sigma[0, 2],
        n_y + S[0, 1] * Sigma[1, 2] - S[2, 1] * Sigma[0, 1],
        n_z + S[1, 2] * Sigma[0, 2] - S[0, 2] * Sigma[1, 2],
    )


# --- the twist propagation A from a parent body to its child, kept as shift, rotation, shift --------------------------


@dataclass(frozen=True, eq=False)
class Transform:
    """Twist propagation matrix A as an operator, (6, 6) when written out."""

    r: Vec
    R: Rotation
    s: Vec

    def __matmul__(self, t: Vec) -> Vec:
        R_T = self.R.T
        omega = R_T @ t[:3]
        return join_twist(omega, R_T @ (t[3:] + cross_product(t[:3], self.r)) + cross_product(omega, self.s))

    def rate(self, t: Vec, t_dot: Vec) -> Vec:
        """Ordinary rate at the child's origin of a point fixed in the parent: A t_dot plus the centripetal part."""
        R_T = self.R.T
        omega, alpha = R_T @ t[:3], R_T @ t_dot[:3]
        acc = R_T @ (t_dot[3:] + spin_acceleration_matrix(t[:3], t_dot[:3]) @ self.r)
        return join_twist(alpha, acc + spin_acceleration_matrix(omega, alpha) @ self.s)

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def congruence(self, M: Mat) -> Mat:
        """A^T M A for a symmetric 6x6 matrix M."""
        J, H, m = shift_symmetric_form(M[:3, :3], M[:3, 3:], M[3:, 3:], self.s)
        J, H, m = self.R.similar_symmetric(J), self.R.similar(H), self.R.similar_symmetric(m)
        J, H, m = shift_symmetric_form(J, H, m, self.r)
        return np.block([[J, H], [H.T, m]])

    def moments_in_parent(self, body: Moments) -> Moments:
        """The child's moments seen from the parent's origin and axes."""
        return body.shift_origin(self.s).rotate_axes(self.R).shift_origin(self.r)

    @property
    def origin(self) -> Vec:
        """The child's origin seen from the parent, [m], parent axes."""
        return self.r + self.R @ self.s

    @property
    def matrix(self) -> Mat:
        """A written out, (6, 6)."""
        return np.array([self @ e for e in np.eye(6)]).T


@dataclass(frozen=True, eq=False)
class Transposed:
    """The transpose of a `Transform`: takes wrenches from child to parent."""

    A: Transform

    def __matmul__(self, w: Vec) -> Vec:
        A = self.A
        f = A.R @ w[3:]
        return join_twist(A.R @ (w[:3] + cross_product(A.s, w[3:])) + cross_product(A.r, f), f)


def shift_symmetric_form(J: Mat, H: Mat, m: Mat, r: Vec) -> tuple[Mat, Mat, Mat]:
    """Blocks of a symmetric 6x6 form seen from an origin r before the present one, one coordinate at a time."""
    for i in range(3):
        J, H = _shift_along_axis(J, H, m, i, r[i])
    return J, H, m


def _shift_along_axis(J: Mat, H: Mat, m: Mat, i: int, r: object) -> tuple[Mat, Mat]:
    """The same for a shift r along coordinate axis i: H + X m and J - H X + X H_new^T with X = r (e_i x 1)."""
    j, k = (i + 1) % 3, (i + 2) % 3
    H_new, J_new = _copy_for_products(H, r), _copy_for_products(J, r)
    for a in range(3):
        H_new[j, a], H_new[k, a] = H[j, a] - r * m[k, a], H[k, a] + r * m[j, a]
    J_new[i, j] = J_new[j, i] = J[i, j] - r * H[i, k]
    J_new[i, k] = J_new[k, i] = J[i, k] + r * H[i, j]
    J_new[j, k] = J_new[k, j] = J[j, k] + r * (H[j, j] - H_new[k, k])
    J_new[j, j] = J[j, j] - r * (H[j, k] + H_new[j, k])
    J_new[k, k] = J[k, k] + r * (H[k, j] + H_new[k, j])
    return J_new, H_new


def _copy_for_products(B: Mat, r: object) -> Mat:
    """A copy of B that can hold products with r."""
    return np.array(B, dtype=np.result_type(B, np.asarray(r)))
