"""Closed formulas of two parallel robots, written from the geometry alone: nothing here uses the library.

Five-bar: X.-J. Liu, J. Wang, G. Pritschow, "Kinematics, singularity and workspace of planar 5R symmetrical parallel
mechanisms", Mechanism and Machine Theory 41 (2006). Delta: R. Clavel (1990), in the form of F. Pierrot, C. Reynaud,
A. Fournier, "DELTA: a simple and efficient parallel robot", Robotica 8 (1990). Both differentiate |tip - elbow| = rod:
d . x_dot = (d . e) theta_dot, with e the elbow's velocity per unit rate.
"""

import numpy as np

BASE, PROXIMAL, DISTAL = 0.1, 0.25, 0.35
BASE_RADIUS, PLATFORM_RADIUS, ARM, ROD = 0.4573 / (2 * 3**0.5), 0.115 / (2 * 3**0.5), 0.112, 0.232


def five_bar_angles(x, y):
    """Motor angles of the tip position with both elbows outwards."""
    found = []
    for side in (-1.0, 1.0):
        dx, dy = x - side * BASE, y
        r = np.hypot(dx, dy)
        inner = np.arccos((PROXIMAL**2 + r**2 - DISTAL**2) / (2 * PROXIMAL * r))
        found.append(np.arctan2(dy, dx) - side * inner)
    return np.array(found)


def five_bar_jacobian(x, y):
    """2 x 2: tip velocity per motor rate."""
    A, B = np.zeros((2, 2)), np.zeros((2, 2))
    for i, (side, angle) in enumerate(zip((-1.0, 1.0), five_bar_angles(x, y))):
        elbow = np.array([side * BASE + PROXIMAL * np.cos(angle), PROXIMAL * np.sin(angle)])
        d = np.array([x, y]) - elbow
        A[i], B[i, i] = d, d @ (PROXIMAL * np.array([-np.sin(angle), np.cos(angle)]))
    return np.linalg.solve(A, B)


def delta_angles(p):
    """Arm angles below the horizontal, elbows outwards."""
    found = []
    for turn in (0.0, 2 * np.pi / 3, -2 * np.pi / 3):
        c, s = np.cos(turn), np.sin(turn)
        x, y, z = c * p[0] + s * p[1], -s * p[0] + c * p[1], p[2]
        u, w = x + PLATFORM_RADIUS - BASE_RADIUS, -z  # in the arm's plane, from the motor; w downwards
        reach = (u * u + w * w + ARM**2 - (ROD**2 - y * y)) / (2 * ARM)
        found.append(np.arctan2(w, u) - np.arccos(reach / np.hypot(u, w)))
    return np.array(found)


def delta_jacobian(p):
    """3 x 3: platform velocity per motor rate."""
    A, B = np.zeros((3, 3)), np.zeros((3, 3))
    for i, (turn, angle) in enumerate(zip((0.0, 2 * np.pi / 3, -2 * np.pi / 3), delta_angles(p))):
        out, down = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([0.0, 0.0, -1.0])
        elbow = (BASE_RADIUS + ARM * np.cos(angle)) * out + ARM * np.sin(angle) * down
        d = np.asarray(p) + PLATFORM_RADIUS * out - elbow
        A[i], B[i, i] = d, d @ (ARM * (-np.sin(angle) * out + np.cos(angle) * down))
    return np.linalg.solve(A, B)
