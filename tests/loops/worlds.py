"""Bodies in world axes from joint coordinates, and back: plain kinematics, independent of the library's recursions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.joints import Fixed, Floating, Planar, Prismatic, Revolute, Spherical, Universal
from linkwright.mechanism import Joint, Mechanism

_O = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Moving:
    """A frame in the world: axes R (columns), origin r, and the velocities and accelerations of both."""

    R: np.ndarray
    r: np.ndarray
    omega: np.ndarray
    vel: np.ndarray
    alpha: np.ndarray
    acc: np.ndarray

    def at(self, pose: RigidTransform) -> Moving:
        """The motion of a frame fixed in this one."""
        arm = self.R @ pose.r
        vel = self.vel + np.cross(self.omega, arm)
        acc = self.acc + np.cross(self.alpha, arm) + np.cross(self.omega, np.cross(self.omega, arm))
        return Moving(self.R @ pose.R, self.r + arm, self.omega, vel, self.alpha, acc)

    @property
    def motion(self) -> np.ndarray:
        """Angular and linear acceleration, (6,)."""
        return np.concatenate([self.alpha, self.acc])


GROUND = Moving(np.eye(3), _O, _O, _O, _O, _O)


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about a unit axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def relative(kind, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Moving:
    """Motion of a joint's child side in its parent side, given coordinates, speeds and their rates."""
    match kind:
        case Fixed():
            return GROUND
        case Revolute(axis):
            w = np.array(axis)
            return Moving(about(w, q[0]), _O, w * v[0], _O, w * a[0], _O)
        case Prismatic(axis):
            w = np.array(axis)
            return Moving(np.eye(3), w * q[0], _O, w * v[0], _O, w * a[0])
        case Universal(first, second):
            f, R = np.array(first), about(np.array(first), q[0])
            s = R @ np.array(second)
            turned = R @ about(np.array(second), q[1])
            alpha = f * a[0] + s * a[1] + np.cross(f, s) * v[0] * v[1]
            return Moving(turned, _O, f * v[0] + s * v[1], _O, alpha, _O)
        case Planar((0.0, 0.0, 1.0) as normal):
            flat = np.diag([1.0, 1.0, 0.0])
            w, shift, rate, push = np.array(normal), *(flat[:, :2] @ x[:2] for x in (q, v, a))
            return Moving(about(w, q[2]), shift, w * v[2], rate, w * a[2], push)
        case Spherical():
            R = RigidTransform.from_quaternion(_O, q).R
            return Moving(R, _O, R @ v, _O, R @ a, _O)
        case Floating():
            R = RigidTransform.from_quaternion(_O, q[3:]).R
            return Moving(R, q[:3], R @ v[:3], R @ v[3:], R @ a[:3], R @ (a[3:] + np.cross(v[:3], v[3:])))
    raise NotImplementedError(kind)


def carried(parent: Moving, step: Moving) -> Moving:
    """A motion given relative to a moving frame, in the world."""
    R, arm = parent.R, parent.R @ step.r
    omega, rate = R @ step.omega, R @ step.vel
    own = parent.at(RigidTransform.of(step.r))
    return Moving(
        R @ step.R,
        parent.r + arm,
        parent.omega + omega,
        own.vel + rate,
        parent.alpha + R @ step.alpha + np.cross(parent.omega, omega),
        own.acc + R @ step.acc + 2.0 * np.cross(parent.omega, rate),
    )


def bodies(mech: Mechanism, q: np.ndarray, v: np.ndarray, a: np.ndarray | None = None) -> dict[str, Moving]:
    """Every body's motion in the world, the base included."""
    a = np.zeros(len(v)) if a is None else a
    parts, iq, iv = {}, 0, 0
    for joint in mech.joints:
        nq, nv = len(joint.kind.q_parts), len(joint.kind.v_parts)
        parts[joint.name] = (q[iq : iq + nq], v[iv : iv + nv], a[iv : iv + nv])
        iq, iv = iq + nq, iv + nv
    known, waiting = {mech.base: GROUND}, list(mech.joints)
    while waiting:
        joint = next(j for j in waiting if j.parent in known)
        waiting.remove(joint)
        step = relative(joint.kind, *parts[joint.name])
        known[joint.child] = carried(known[joint.parent].at(joint.at), step).at(joint.child_at.inverse)
    return known


def coordinates(joint: Joint, world: dict[str, Moving]) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds a joint has when its bodies move as given."""
    near, far = world[joint.parent].at(joint.at), world[joint.child].at(joint.child_at)
    R, d = near.R.T @ far.R, near.R.T @ (far.r - near.r)
    omega = near.R.T @ (far.omega - near.omega)
    vel = near.R.T @ (far.vel - near.vel - np.cross(near.omega, far.r - near.r))
    match joint.kind:
        case Revolute(axis):
            return np.array([_angle(R, np.array(axis))]), np.array([omega @ axis])
        case Prismatic(axis):
            return np.array([d @ axis]), np.array([vel @ axis])
        case Universal(first, second):
            f, s = np.array(first), np.array(second)
            q1 = np.arctan2(np.cross(s, R @ s) @ f, s @ (R @ s))
            q2 = np.arctan2(np.cross(f, R.T @ f) @ -s, f @ (R.T @ f))
            return np.array([q1, q2]), np.array([omega @ f, omega @ (R @ s)])
        case Planar():
            return np.array([*d[:2], _angle(R, np.array([0.0, 0.0, 1.0]))]), np.array([*vel[:2], omega[2]])
        case Spherical():
            return _quaternion(R), R.T @ omega
        case Floating():
            return np.concatenate([d, _quaternion(R)]), np.concatenate([R.T @ omega, R.T @ vel])
    raise NotImplementedError(joint.kind)


def state(mech: Mechanism, world: dict[str, Moving]) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds of a mechanism's tree joints."""
    parts = [coordinates(joint, world) for joint in mech.joints]
    return np.concatenate([q for q, _ in parts]), np.concatenate([v for _, v in parts])


def _angle(R: np.ndarray, w: np.ndarray) -> float:
    skew = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(skew @ w, 0.5 * (np.trace(R) - 1.0)))


def _quaternion(R: np.ndarray) -> np.ndarray:
    return RigidTransform(IDENTITY.xyz, tuple(tuple(map(float, row)) for row in R)).wxyz
