"""Our mechanisms as Pinocchio models, and the dictionary between the two vocabularies.

Pinocchio: twists [linear; angular]; quaternions x y z w; a planar joint has cosine and sine in q and its linear rates
in the child's axes. Everything else means the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.algebra.vectors import Mat, Vec
from linkwright.joints import Cylindrical, Fixed, Floating, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism import Body, Joint, Mechanism
from linkwright.mechanism.tree import coordinate_slices


def placement(pose: RigidTransform) -> Any:
    """A pose in Pinocchio's convention."""
    return pin.SE3(pose.R, pose.r)


def joint_model(kind: Any) -> Any:
    """Pinocchio's joint of one of our kinds."""
    match kind:
        case Revolute(axis):
            return pin.JointModelRevoluteUnaligned(np.array(axis))
        case Prismatic(axis):
            return pin.JointModelPrismaticUnaligned(np.array(axis))
        case Screw(axis, pitch):
            return pin.JointModelHelicalUnaligned(np.array(axis), pitch)
        case Cylindrical(axis):
            return composite(pin.JointModelRevoluteUnaligned, axis, pin.JointModelPrismaticUnaligned, axis)
        case Universal(first, second) if abs(np.dot(first, second)) == 0.0:
            return pin.JointModelUniversal(np.array(first), np.array(second))
        case Universal(first, second):
            return composite(pin.JointModelRevoluteUnaligned, first, pin.JointModelRevoluteUnaligned, second)
        case Spherical():
            return pin.JointModelSpherical()
        case Planar():
            return pin.JointModelPlanar()
        case Floating():
            return pin.JointModelFreeFlyer()


def composite(first: Any, axis: Any, second: Any, other_axis: Any) -> Any:
    both = pin.JointModelComposite(first(np.array(axis)))
    both.addJoint(second(np.array(other_axis)))
    return both


@dataclass(frozen=True)
class Peer:
    """A Pinocchio model and where each of our joints and bodies is found in it."""

    mech: Mechanism
    model: Any
    joints: dict[str, int]
    bodies: dict[str, tuple[int, RigidTransform]]

    def q(self, q: Vec) -> Vec:
        """Our coordinates in Pinocchio's order and form."""
        out = np.zeros(self.model.nq)
        for joint, coords, _ in self._parts():
            start = self.model.joints[self.joints[joint.name]].idx_q
            x = _coordinates(joint, q[coords])
            out[start : start + len(x)] = x
        return out

    def velocities(self, q: Vec, v: Vec) -> tuple[Mat, Mat]:
        """T and T_dot with v_pin = T v and a_pin = T a + T_dot v, (nv, nv)."""
        nv = self.model.nv
        T, T_dot = np.zeros((nv, nv)), np.zeros((nv, nv))
        for joint, coords, dofs in self._parts():
            start = self.model.joints[self.joints[joint.name]].idx_v
            block = slice(start, start + dofs.stop - dofs.start)
            T[block, dofs], T_dot[block, dofs] = _speeds(joint, q[coords], v[dofs])
        return T, T_dot

    def _parts(self) -> list[tuple[Joint, slice, slice]]:
        slices = coordinate_slices(self.mech.joints)
        return [(j, *slices[j.name]) for j in self.mech.joints if not isinstance(j.kind, Fixed)]


def peer(mech: Mechanism) -> Peer:
    """Build the Pinocchio model of a tree through its API."""
    model, joints = pin.Model(), {}
    model.gravity.linear = np.array(mech.gravity)
    bodies: dict[str, tuple[int, RigidTransform]] = {mech.base: (0, RigidTransform())}
    records = {body.name: body for body in mech.bodies}
    for joint in depth_first(mech, mech.base):
        parent, frame = bodies[joint.parent]
        if isinstance(joint.kind, Fixed):
            bodies[joint.child] = (parent, frame @ joint.at @ joint.child_at.inverse)
        else:
            axes = _plane(joint)
            joints[joint.name] = model.addJoint(
                parent, joint_model(joint.kind), placement(frame @ joint.at @ axes), joint.name
            )
            bodies[joint.child] = (joints[joint.name], (joint.child_at @ axes).inverse)
        index, pose = bodies[joint.child]
        model.appendBodyToJoint(index, inertia(records[joint.child]), placement(pose))
    return Peer(mech, model, joints, bodies)


def depth_first(mech: Mechanism, body: str) -> list[Joint]:
    """Joints branch by branch: in any other order Pinocchio's `crba` is silently wrong."""
    return [j for start in mech.joints if start.parent == body for j in (start, *depth_first(mech, start.child))]


def _plane(joint: Joint) -> RigidTransform:
    """Pinocchio's planar joint moves in its x y plane."""
    return (
        RigidTransform.of(matrix=frame_with_z(joint.kind.normal))
        if isinstance(joint.kind, Planar)
        else RigidTransform()
    )


def inertia(body: Body) -> Any:
    mass, com, tensor = body.inertia.mass, body.inertia.com, body.inertia.tensor
    made = pin.Inertia.Zero()  # the constructor refuses tensors that no body can have, which files hold all the same
    made.mass, made.lever, made.inertia = mass, np.array(com), np.array(tensor)
    return made


def _coordinates(joint: Joint, x: Vec) -> Vec:
    match joint.kind:
        case Spherical():
            return np.roll(x, -1)
        case Floating():
            return np.concatenate([x[:3], np.roll(x[3:], -1)])
        case Planar():
            return np.array([x[0], x[1], np.cos(x[2]), np.sin(x[2])])
        case _:
            return x


def _speeds(joint: Joint, x: Vec, v: Vec) -> tuple[Mat, Mat]:
    match joint.kind:
        case Floating():
            return np.eye(6)[[3, 4, 5, 0, 1, 2]], np.zeros((6, 6))
        case Planar():
            c, s = np.cos(x[2]), np.sin(x[2])
            T = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
            return T, v[2] * np.array([[-s, c, 0.0], [-c, -s, 0.0], [0.0, 0.0, 0.0]])
        case _:
            return np.eye(len(v)), np.zeros((len(v), len(v)))
