"""Euler parameters with three independent rates, as Hanzaki writes a spherical joint (any scalar).

A turn about the unit axis u by the angle phi has e0 = cos(phi / 2) and e = u sin(phi / 2): the unit quaternion w x y z.
The rates of e alone are independent velocities, since e0 follows from them; at e0 = 0 (a half turn) they are not, and
G* is singular there, although the paper claims freedom from singularities.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.rotations import rotation_matrix
from linkwright.algebra.vectors import Mat, Vec, skew


def from_rotation(R: Mat) -> Vec:
    """Euler parameters (e0, e1, e2, e3) of a rotation matrix with e0 > 0; not for half turns.

    >>> from_rotation(np.diag([1.0, 1.0, 1.0])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    e0 = 0.5 * np.sqrt(1.0 + R[0, 0] + R[1, 1] + R[2, 2])
    scale = 0.25 / e0
    return np.array([e0, scale * (R[2, 1] - R[1, 2]), scale * (R[0, 2] - R[2, 0]), scale * (R[1, 0] - R[0, 1])])


def G_star(wxyz: Vec) -> Mat:
    """G* = (R + 1) / e0, rates of e to the angular velocity in the parent's axes, (3, 3) (Hanzaki 5, theory 7.26)."""
    return (rotation_matrix(wxyz) + np.eye(3)) * (1.0 / wxyz[0])


def euler_parameter_rates(wxyz: Vec, omega: Vec) -> Vec:
    """Rates of e for an angular velocity in the parent's axes, G*^-1 omega = (e0 1 - e x) omega / 2 (theory 7.27)."""
    return 0.5 * (wxyz[0] * omega - skew(wxyz[1:]) @ omega)


def scalar_rate(wxyz: Vec, e_dot: Vec) -> Any:
    """The rate of e0 that goes with the rates of e."""
    return -(wxyz[1:] @ e_dot) * (1.0 / wxyz[0])


def G_star_rate(wxyz: Vec, e_dot: Vec) -> Mat:
    """The rate of G* = 2 (e0 1 + e e^T / e0 + e x) while e moves with e_dot, (3, 3)."""
    e0, e, e0_dot = wxyz[0], wxyz[1:], scalar_rate(wxyz, e_dot)
    both = np.outer(e_dot, e)
    spread = (both + both.T) * (1.0 / e0) - np.outer(e, e) * (e0_dot / (e0 * e0))
    return 2.0 * (e0_dot * np.eye(3) + spread + skew(e_dot))
