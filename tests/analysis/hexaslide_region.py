"""Constant-orientation workspace of a hexaslide by its boundary: exact intervals along vertical lines.

A leg of length l from the platform's joint P to a slider at A + d u (unit u) needs (A + d u - P)^2 = l^2, so
d = u.w +- sqrt(l^2 - w.w + (u.w)^2) with w = P - A. Along a line in z the region can end only where the root vanishes
(a cylinder about the rail), where d = 0 or where d = d_max (spheres about the rail's ends): roots of quadratics.
Written from the geometry of Rao, Saha, Rao (2006), figure 1; nothing here uses the library.
"""

import numpy as np


class Hexaslide:
    """Rails from A (6, 3) along unit vectors u (6, 3), ways up to d_max (6,), joints b (6, 3) in world axes, legs l."""

    def __init__(self, A, u, d_max, b, l, home):
        self.A, self.u, self.d_max, self.b, self.l = A, u, d_max, b, l
        w = home + b - A
        along = np.sum(w * u, axis=1)
        root = np.sqrt(l**2 - np.sum(w * w, axis=1) + along**2)
        low, high = along - root, along + root
        inside = (low >= 0.0) & (low <= d_max), (high >= 0.0) & (high <= d_max)
        assert np.all(inside[0] ^ inside[1])  # the mode of each leg is plain at home
        self.sign = np.where(inside[0], -1.0, 1.0)

    def reaches(self, p):
        """Points (..., 3) that every leg reaches within its way, in the mode of home."""
        return self.margin(p) >= 0.0

    def margin(self, p):
        """Least of all ways left to the rails' ends and to stretched legs, (...), [m]: 0 on the boundary."""
        w = p[..., None, :] + self.b - self.A
        along = np.sum(w * self.u, axis=-1)
        squared = self.l**2 - np.sum(w * w, axis=-1) + along**2
        d = along + self.sign * np.sqrt(np.maximum(squared, 0.0))
        return np.min([squared / self.l, d, self.d_max - d], axis=(0, -1))

    def lengths(self, x, y, low, high):
        """Length of the region on vertical lines through (x, y), (n,), between two heights."""
        ends = [np.full((len(x), 1), low), np.full((len(x), 1), high)]
        for i in range(6):
            foot = np.stack([x, y, np.zeros_like(x)], axis=1) + self.b[i] - self.A[i]
            for shift, axis in ((0.0, None), (self.d_max[i], None), (0.0, self.u[i])):
                ends.append(self._roots(foot - shift * self.u[i], axis))
        at = np.sort(np.clip(np.concatenate(ends, axis=1), low, high), axis=1)
        middle = 0.5 * (at[:, 1:] + at[:, :-1])
        points = np.stack(
            [np.broadcast_to(x[:, None], middle.shape), np.broadcast_to(y[:, None], middle.shape), middle], -1
        )
        return np.sum(np.diff(at, axis=1) * self.reaches(points), axis=1)

    def _roots(self, w, axis):
        """Heights z at which |w + z e_z| = l, or the distance from a line along `axis`; (n, 2), NaN to zero."""
        e = np.array([0.0, 0.0, 1.0])
        if axis is not None:
            w, e = w - (w @ axis)[:, None] * axis, e - axis[2] * axis
        a, b, c = e @ e, w @ e, np.sum(w * w, axis=1) - self.l**2
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        return np.stack([(-b - root) / a, (-b + root) / a], axis=1)

    def volume(self, x, y, z, n):
        """Volume between bounds x, y, z by n x n vertical lines at the middles of a grid."""
        xs, ys = (low + (high - low) * (np.arange(n) + 0.5) / n for low, high in (x, y))
        X, Y = np.meshgrid(xs, ys, indexing="ij")
        cell = (x[1] - x[0]) * (y[1] - y[0]) / n**2
        total = 0.0
        for row in range(n):
            total += cell * self.lengths(X[row], Y[row], *z).sum()
        return total


def from_mechanism(mech, R, home):
    """The numbers of a catalog hexaslide; R (3, 3) is the platform's orientation."""
    slides = [joint for joint in mech.joints if joint.name in [f"d{i}" for i in range(1, 7)]]
    A = np.array([joint.at.xyz for joint in slides])
    u = np.array([joint.kind.axis for joint in slides], dtype=float)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    b = np.array([joint.child_at.xyz for joint in mech.loops]) @ R.T
    l = abs(mech.loops[0].at.xyz[2])
    return Hexaslide(A, u, np.array([joint.limits.upper[0] for joint in slides]), b, l, home)
