"""Equations of motion of a read file at given poses and velocities of its bodies, solved by singular values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tests.loops.oracle.drawing import Array, Joint, Pose, System
from tests.loops.oracle.rotations import hat, plane_axes, to_quaternion

Poses = Mapping[str, Pose]
_STEP = 1e-40
_RANK = 1e-9


def frame(poses: Poses, body: str, at: Pose) -> Pose:
    """A frame of a body in the world; the base stands at the origin."""
    R, r = poses.get(body, (np.eye(3), np.zeros(3)))
    return R @ at[0], r + R @ at[1]


def _ends(poses: Poses, joint: Joint) -> tuple[Pose, Pose]:
    """The joint's frames on parent and child in the world."""
    return frame(poses, joint.parent, joint.at), frame(poses, joint.child, joint.child_at)


def covectors(joint: Joint, near: Pose, far: Pose) -> tuple[list[Array], list[Array]]:
    """Covectors (n; f) of a joint's freedoms, in the order of its velocities, and of what it holds; world axes.

    Each takes the relative twist: angular velocity of the child against the parent, and velocity of the child's joint
    point against the parent's frame.
    """
    A, C, d = near[0], far[0], far[1] - near[1]
    o = np.zeros(3)

    def moment(*axes: Array) -> list[Array]:
        return [np.concatenate([n, o]) for n in axes]

    def force(*axes: Array) -> list[Array]:
        return [np.concatenate([o, f]) for f in axes]

    def around(axis: Array) -> tuple[Array, Array, Array]:
        x, y = plane_axes(axis)
        return A @ axis, A @ x, A @ y

    match joint.kind:
        case "fixed":
            return [], moment(*A.T) + force(*A.T)
        case "revolute":
            u, a, b = around(joint.axes[0])
            return moment(u), moment(a, b) + force(*A.T)
        case "prismatic":
            u, a, b = around(joint.axes[0])
            return force(u), moment(*A.T) + force(a, b)
        case "screw":
            u, a, b = around(joint.axes[0])
            return moment(u), moment(a, b) + force(a, b) + [np.concatenate([-joint.size * u, u])]
        case "cylindrical":
            u, a, b = around(joint.axes[0])
            return moment(u) + force(u), moment(a, b) + force(a, b)
        case "universal":
            u, w = A @ joint.axes[0], C @ joint.axes[1]
            c = joint.axes[0] @ joint.axes[1]
            return moment((u - c * w) / (1.0 - c * c), (w - c * u) / (1.0 - c * c)), moment(hat(u) @ w) + force(*A.T)
        case "spherical":
            return moment(*C.T), force(*A.T)
        case "planar":
            u, a, b = around(joint.axes[0])
            return force(a, b) + moment(u), moment(a, b) + force(u)
        case "floating":
            return moment(*C.T) + force(*C.T), []
        case "distance":
            return [], force(d / joint.size)
    raise ValueError(joint.kind)


def coordinates(joint: Joint, near: Pose, far: Pose) -> Array:
    """Coordinates of a joint from its two frames; angles between -pi and pi."""
    R, d = near[0].T @ far[0], near[0].T @ (far[1] - near[1])

    def angle(axis: Array) -> float:
        axial = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return float(np.arctan2(axial @ axis, 0.5 * (np.trace(R) - 1.0)))

    match joint.kind:
        case "revolute" | "screw":
            return np.array([angle(joint.axes[0])])
        case "prismatic":
            return np.array([joint.axes[0] @ d])
        case "cylindrical":
            return np.array([angle(joint.axes[0]), joint.axes[0] @ d])
        case "universal":
            first, second = joint.axes
            one = _swing(first, second, R @ second)  # R second = turn(first, q1) second
            two = _swing(second, R.T @ first, first)  # R^T first = turn(second, -q2) first
            return np.array([one, two])
        case "planar":
            x, y = plane_axes(joint.axes[0])
            return np.array([x @ d, y @ d, angle(joint.axes[0])])
        case "spherical":
            return to_quaternion(R)
        case "floating":
            return np.concatenate([d, to_quaternion(R)])
    return np.zeros(0)


def _swing(axis: Array, start: Array, end: Array) -> float:
    """The angle about an axis that turns one vector into another."""
    return float(np.arctan2(axis @ np.cross(start, end), start @ end - (axis @ start) * (axis @ end)))


@dataclass(frozen=True, eq=False)
class Equations:
    """A file at the poses of its bodies (body frames in the world) and their velocities V (6 n).

    `wrenches` (moment; force) act on the named bodies at their origins, in their axes.
    """

    system: System
    poses: Poses
    V: Array
    wrenches: Mapping[str, Array] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: 6 * i for i, name in enumerate(self.system.bodies)}

    def centers(self, poses: Poses) -> dict[str, Array]:
        return {name: poses[name][1] + poses[name][0] @ body.com for name, body in self.system.bodies.items()}

    # ---------------------------------------------------------------- kinematics

    def _twist(self, poses: Poses, joint: Joint) -> Array:
        """Relative twist of child against parent at the child's joint point, (6, 6 n)."""
        point, centers = frame(poses, joint.child, joint.child_at)[1], self.centers(poses)
        W = np.zeros((6, len(self.V)), dtype=np.result_type(*centers.values()))
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body in self.index:
                k = self.index[body]
                W[:, k : k + 6] += sign * _carried(point - centers[body])
        return W

    def _rows(self, poses: Poses) -> tuple[Array, Array]:
        """S of all joints' velocities, and G of all that is held, couplings last."""
        free, held, slices = [], [], self.system.slices
        for joint in self.system.joints:
            W = self._twist(poses, joint)
            one, other = covectors(joint, *_ends(poses, joint))
            free += [c @ W for c in one]
            held += [c @ W for c in other]
        for terms in self.system.couplings:
            held.append(sum(ratio * free[slices[name].start] for name, ratio in terms))
        return np.reshape(free, (len(free), len(self.V))), np.reshape(held, (len(held), len(self.V)))

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        return self._rows(self.poses)

    @cached_property
    def bias(self) -> tuple[Array, Array]:
        """S_dot V and G_dot V, by a complex step along the motion."""
        stepped, centers = {}, self.centers(self.poses)
        for name, (R, r) in self.poses.items():
            k = self.index[name]
            omega, vel = self.V[k : k + 3], self.V[k + 3 : k + 6]
            origin = vel + np.cross(omega, r - centers[name])
            stepped[name] = (R + 1j * _STEP * (hat(omega) @ R), r + 1j * _STEP * origin)
        S, G = self._rows(stepped)
        return (S @ self.V).imag / _STEP, (G @ self.V).imag / _STEP

    @cached_property
    def decomposition(self) -> tuple[Array, Array, Array]:
        """Singular values of G, its null space N (6 n, mobility), and its pseudo-inverse."""
        G = self.rows[1]
        if not len(G):
            return np.zeros(0), np.eye(len(self.V)), np.zeros((len(self.V), 0))
        U, s, Vt = np.linalg.svd(G)
        rank = int(np.sum(s > _RANK * s[0]))
        return s, Vt[rank:].T, (Vt[:rank].T / s[:rank]) @ U[:, :rank].T

    @property
    def N(self) -> Array:
        return self.decomposition[1]

    @property
    def mobility(self) -> int:
        return self.N.shape[1]

    @property
    def redundant(self) -> int:
        """Number of rows of G that repeat others."""
        return len(self.rows[1]) - (len(self.V) - self.mobility)

    @property
    def margin(self) -> float:
        """Smallest over largest singular value of G, redundant rows apart: how far the closure is from losing rank."""
        s = self.decomposition[0]
        rank = len(self.V) - self.mobility
        return float(s[rank - 1] / s[0]) if rank else 1.0

    def with_velocity(self, V: Array) -> Equations:
        return Equations(self.system, self.poses, V)

    @cached_property
    def velocities(self) -> Array:
        """The velocities s of all joints."""
        return self.rows[0] @ self.V

    def accelerations(self, V_dot: Array) -> Array:
        """Rates of the joint velocities."""
        return self.rows[0] @ V_dot + self.bias[0]

    @cached_property
    def coordinates(self) -> dict[str, Array]:
        return {joint.name: coordinates(joint, *_ends(self.poses, joint)) for joint in self.system.joints}

    # ---------------------------------------------------------------- forces

    @cached_property
    def mass(self) -> Array:
        """Inertia of the bodies and, along their joints, of the rotors, (6 n, 6 n)."""
        M = np.zeros((len(self.V), len(self.V)))
        for name, body in self.system.bodies.items():
            k, R = self.index[name], self.poses[name][0]
            M[k : k + 3, k : k + 3] = R @ body.tensor @ R.T
            M[k + 3 : k + 6, k + 3 : k + 6] = body.mass * np.eye(3)
        return M + (self.rows[0].T * self.rotors) @ self.rows[0]

    @cached_property
    def rotors(self) -> Array:
        return np.concatenate([j.rotor for j in self.system.joints])

    @cached_property
    def passive(self) -> Array:
        """Forces of springs and friction along the joint velocities."""
        out, s = np.zeros(len(self.velocities)), self.velocities
        for joint, part in zip(self.system.joints, self.system.slices.values()):
            if np.any(joint.stiffness):
                out[part] -= joint.stiffness * (self.coordinates[joint.name] - joint.rest)
            for viscous, coulomb, slip in joint.friction:
                out[part] -= viscous * s[part] + coulomb * s[part] / np.hypot(s[part], slip)
        return out

    @cached_property
    def needed(self) -> Array:
        """Forces on the bodies' velocities at zero V_dot that drives and constraints must give, (6 n,)."""
        out, S = np.zeros(len(self.V)), self.rows[0]
        for name, body in self.system.bodies.items():
            k, R = self.index[name], self.poses[name][0]
            omega = self.V[k : k + 3]
            out[k : k + 3] += np.cross(omega, R @ body.tensor @ (R.T @ omega))
            out[k + 3 : k + 6] -= body.weight * self.system.gravity
        for name, wrench in self.wrenches.items():
            k, (R, r) = self.index[name], self.poses[name]
            moment, force = R @ wrench[:3], R @ wrench[3:]
            arm = r - self.centers(self.poses)[name]
            out[k : k + 6] -= np.concatenate([moment + np.cross(arm, force), force])
        return out + S.T @ (self.rotors * self.bias[0] - self.passive) - self._strut_forces

    @cached_property
    def _strut_forces(self) -> Array:
        out, centers = np.zeros(len(self.V)), self.centers(self.poses)
        for strut in self.system.struts:
            ends = []
            for body, at, sign in ((strut["child"], "child_at", 1.0), (strut["parent"], "at", -1.0)):
                x = frame(self.poses, body, (np.eye(3), np.array(strut.get(at, [0.0, 0.0, 0.0]), dtype=float)))[1]
                row = np.zeros((3, len(self.V)))
                if body in self.index:
                    row[:, self.index[body] : self.index[body] + 6] = _carried(x - centers[body])[3:]
                ends.append((x, row, sign))
            d = ends[0][0] - ends[1][0]
            span, J = np.linalg.norm(d), ends[0][1] - ends[1][1]
            pull = strut["stiffness"] * (span - strut.get("length", 0.0))
            pull += strut.get("damping", 0.0) * (d @ (J @ self.V)) / span
            out -= pull * (d / span) @ J
        return out

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity (zero at the world's origin), springs and struts, [J]."""
        potential, centers = 0.0, self.centers(self.poses)
        for name, body in self.system.bodies.items():
            potential -= body.weight * float(self.system.gravity @ centers[name])
        for joint in self.system.joints:
            if np.any(joint.stiffness):
                potential += 0.5 * float(joint.stiffness @ (self.coordinates[joint.name] - joint.rest) ** 2)
        for strut in self.system.struts:
            one, other = (
                frame(self.poses, strut[body], (np.eye(3), np.array(strut.get(at, [0.0, 0.0, 0.0]), dtype=float)))[1]
                for body, at in (("child", "child_at"), ("parent", "at"))
            )
            stretch = np.linalg.norm(one - other) - strut.get("length", 0.0)
            potential += 0.5 * strut["stiffness"] * float(stretch**2)
        return 0.5 * float(self.V @ self.mass @ self.V), potential

    # ---------------------------------------------------------------- solutions

    @property
    def drives(self) -> Array:
        """Efforts to forces on the bodies' velocities, (6 n, na)."""
        return self.rows[0][self.system.drives].T

    def particular(self) -> Array:
        """The least V_dot that keeps everything held."""
        return -self.decomposition[2] @ self.bias[1]

    def forward(self, tau: Array) -> Array:
        """V_dot from efforts."""
        N, start = self.N, self.particular()
        rest = self.drives @ tau - self.needed - self.mass @ start
        return start + N @ np.linalg.solve(N.T @ self.mass @ N, N.T @ rest)

    def efforts(self, V_dot: Array) -> Array:
        """Efforts of least norm that produce V_dot."""
        total = self.N.T @ (self.mass @ V_dot + self.needed)
        return np.linalg.lstsq(self.N.T @ self.drives, total, rcond=_RANK)[0]

    def completed(self, V_dot: Array) -> Array:
        """V_dot with the motions that no drive moves as they follow from the forces; the driven ones stay."""
        drives = self.N.T @ self.drives
        U, s, _ = np.linalg.svd(drives) if drives.size else (np.eye(self.mobility), np.zeros(0), None)
        free = self.N @ U[:, int(np.sum(s > _RANK * s[0])) if len(s) else 0 :]
        left = free.T @ (self.mass @ V_dot + self.needed)
        return V_dot - free @ np.linalg.solve(free.T @ self.mass @ free, left)

    def undriven(self, V_dot: Array) -> Array:
        """Remainder of the forces along the allowed motions when the best efforts act, (mobility,)."""
        total = self.mass @ V_dot + self.needed - self.drives @ self.efforts(V_dot)
        return self.N.T @ total

    def reactions(self, V_dot: Array, tau: Array) -> dict[str, Array]:
        """Wrench (moment; force) of parent on child through each joint, at the child's joint point, child body's axes.

        It is everything that passes through the joint: what is held, drives (less what their rotors take), springs,
        friction and couplings. With redundant rows it is the one of least norm.
        """
        system, G = self.system, self.rows[1]
        lam = self.decomposition[2].T @ (self.mass @ V_dot + self.needed - self.drives @ tau)
        along = self.passive - self.rotors * self.accelerations(V_dot)
        np.add.at(along, system.drives, tau)
        for terms, size in zip(system.couplings, lam[len(G) - len(system.couplings) :]):
            for name, ratio in terms:
                along[system.slices[name]] += ratio * size
        out, row = {}, 0
        for joint, part in zip(system.joints, system.slices.values()):
            free, held = covectors(joint, *_ends(self.poses, joint))
            sizes = [*along[part], *lam[row : row + len(held)]]
            row += len(held)
            total = sum((size * c for size, c in zip(sizes, [*free, *held], strict=True)), np.zeros(6))
            R = self.poses[joint.child][0] if joint.child in self.poses else np.eye(3)
            out[joint.name] = np.concatenate([R.T @ total[:3], R.T @ total[3:]])
        return out


def _carried(arm: Array) -> Array:
    """From (omega, velocity of the mass center) to the twist at a point `arm` away from it."""
    out = np.eye(6, dtype=arm.dtype)
    out[3:, :3] = -hat(arm)
    return out
