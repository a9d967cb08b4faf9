"""Rotations, written for the oracle alone."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def hat(a: Array) -> Array:
    """The matrix of a x."""
    x, y, z = a
    zero = 0.0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def turn(axis: Array, angle: float) -> Array:
    """Rotation about a unit axis (Rodrigues)."""
    K = hat(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def of_quaternion(wxyz: Any) -> Array:
    """Rotation of a quaternion, normalized first."""
    w, *xyz = np.asarray(wxyz, dtype=float) / np.linalg.norm(wxyz)
    K = hat(np.array(xyz))
    return np.eye(3) + 2.0 * w * K + 2.0 * (K @ K)


def to_quaternion(R: Array) -> Array:
    """The unit quaternion w x y z of a rotation, by the eigenvector of the symmetric 4x4 matrix, w >= 0."""
    x, y, z = R[0, 0], R[1, 1], R[2, 2]
    a = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    K = np.zeros((4, 4))
    K[0, 0], K[0, 1:], K[1:, 0] = x + y + z, a, a
    K[1:, 1:] = R + R.T - (x + y + z) * np.eye(3)
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0 else -q


def of_rpy(rpy: Any) -> Array:
    """Roll about x, pitch about y, yaw about z, all about the fixed axes (as in URDF)."""
    r, p, y = rpy
    ex, ey, ez = np.eye(3)
    return turn(ez, y) @ turn(ey, p) @ turn(ex, r)


def plane_axes(normal: Array) -> tuple[Array, Array]:
    """The directions of a planar joint's x and y: the cyclic ones for a coordinate axis, y reversed for a negative one;
    otherwise x is normal to the coordinate axis least aligned with the normal."""
    k = int(np.argmax(np.abs(normal)))
    if abs(normal[k]) == 1.0:
        x, y = np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
        return x, y * normal[k]
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(normal)))], normal)
    x = x / np.linalg.norm(x)
    return x, np.cross(normal, x)
