"""Pinocchio as the other program: trees from its own URDF reader, or from our records where joints differ."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Cylindrical, Distance, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism.tree import coordinate_slices
from linkwright.plans.near_redundancy import Released
from tests.corpus.dense import Comparison, Dense, rate_along
from tests.corpus.extended import constraint_rows
from tests.crosscheck import peer as built

Array = np.ndarray


@dataclass(frozen=True)
class Peer:
    """A mechanism beside Pinocchio's model of the same file; `origin` is who read the file.

    Closure equations that the library leaves out (`released`) are left out here too.
    """

    mech: Mechanism
    model: built.Peer
    origin: str
    released: tuple[Released, ...] = ()

    def compare(self, q: Array, v: Array, a: Array, force: Array) -> Comparison:
        """How far our accelerations are from those of Pinocchio's equations, with forces along our velocities."""
        return self.equations(q, v).compare(a, force)

    def extended(self, q: Array, v: Array, force: Array) -> Array:
        """Our accelerations by Pinocchio's equations with constraint rows in extended precision."""
        return self.equations(q, v).extended(force, *constraint_rows(self.mech, q, v))

    def equations(self, q: Array, v: Array) -> Dense:
        """Pinocchio's equations along our velocities."""
        model, data = self.model.model, self.model.model.createData()
        x, (T, T_dot) = self.coordinates(q), self.model.velocities(q, v)
        M = np.array(pin.crba(model, data, x))
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, x, T @ v)
        M, h = T.T @ M @ T, T.T @ (h + M @ T_dot @ v)
        extra, resisting = self.passive(q, v)
        J = self.rows(x) @ T
        c = np.zeros(0)
        if len(J):
            c = rate_along(lambda t: self.rows(pin.integrate(model, x, t * (T @ v))), T @ v) + self.rows(x) @ T_dot @ v
        return Dense(M + np.diag(extra), h + resisting, J, c)

    def coordinates(self, q: Array) -> Array:
        """Our coordinates in Pinocchio's form; its continuous joints have a cosine and a sine."""
        x, model = self.model.q(q), self.model.model
        for joint in self.mech.joints:
            theirs = model.joints[self.model.joints[joint.name]] if joint.name in self.model.joints else None
            if isinstance(joint.kind, Revolute) and theirs is not None and theirs.nq == 2:
                angle = q[coordinate_slices(self.mech.joints)[joint.name][0]][0]
                x[theirs.idx_q : theirs.idx_q + 2] = np.cos(angle), np.sin(angle)
        return x

    def passive(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Rotor inertia, and forces of dampers and springs, along our velocities."""
        inertia, force = np.zeros(len(v)), np.zeros(len(v))
        slices = coordinate_slices(self.mech.joints)
        for joint in self.mech.joints:
            coords, dofs = slices[joint.name]
            if joint.armature:
                inertia[dofs] += joint.armature
            if joint.friction is not None and joint.friction.viscous:
                force[dofs] += joint.friction.viscous * v[dofs]
            if joint.spring is not None:
                force[dofs] += np.array(joint.spring.stiffness) * (q[coords] - np.array(joint.spring.rest or 0.0))
        for actuator in self.mech.actuators:
            if actuator.joint not in slices:
                continue
            d = slices[actuator.joint][1].start + actuator.dof
            inertia[d] += actuator.gear**2 * actuator.rotor_inertia
            if actuator.friction is not None and actuator.friction.viscous:
                force[d] += actuator.friction.viscous[0] * v[d]
        return inertia, force

    def rows(self, x: Array) -> Array:
        """Rows of all loops and couplings at a position, in Pinocchio's velocities."""
        model = self.model.model
        data = model.createData()
        pin.computeJointJacobians(model, data, x)
        found = [self._kept(joint, self._loop(data, joint)) for joint in self.mech.loops]
        found += [self._coupling(coupling.terms)[None] for coupling in self.mech.couplings]
        return np.vstack(found) if found else np.zeros((0, model.nv))

    def _kept(self, joint: Joint, rows: Array) -> Array:
        """The rows of a loop without those that are released."""
        left_out = [row.number for row in self.released if row.loop == joint.name]
        if left_out and not isinstance(joint.kind, Spherical):
            raise NotImplementedError(f"released equations of a {type(joint.kind).__name__}")
        return np.delete(rows, left_out, axis=0)

    def _coupling(self, terms: Any) -> Array:
        row = np.zeros(self.model.model.nv)
        for name, ratio in terms:
            row[self.model.model.joints[self.model.joints[name]].idx_v] = ratio
        return row

    def _side(self, data: Any, body: str, at: RigidTransform) -> tuple[Any, Array]:
        """Pose of a joint's side in the world, and its Jacobian there, world axes, [linear; angular]."""
        model, (index, pose) = self.model.model, self.model.bodies[body]
        place = data.oMi[index] * built.placement(pose @ at)
        if index == 0:
            return place, np.zeros((6, model.nv))
        J = pin.getJointJacobian(model, data, index, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        arm = pin.skew(place.translation - data.oMi[index].translation)
        return place, np.vstack([J[:3] - arm @ J[3:], J[3:]])

    def _loop(self, data: Any, joint: Joint) -> Array:
        (near, J), (far, K) = self._side(data, joint.parent, joint.at), self._side(data, joint.child, joint.child_at)
        linear, angular = K[:3] - J[:3], K[3:] - J[3:]
        if isinstance(joint.kind, Distance):
            return ((far.translation - near.translation) @ linear)[None]
        # seen from the parent's side, whose frame turns: d/dt of the difference in the parent's axes
        arm = pin.skew(far.translation - near.translation)
        linear = near.rotation.T @ (linear + arm @ J[3:])
        angular = near.rotation.T @ angular
        match joint.kind:
            case Fixed():
                return np.vstack([linear, angular])
            case Spherical():
                return linear
            case Revolute(axis):
                return np.vstack([linear, _across(axis) @ angular])
            case Prismatic(axis):
                return np.vstack([_across(axis) @ linear, angular])
            case Cylindrical(axis):
                return np.vstack([_across(axis) @ linear, _across(axis) @ angular])
            case Planar(normal):
                return np.vstack([np.array(normal)[None] @ linear, _across(normal) @ angular])
            case Screw(axis, pitch):
                along = np.array(axis)[None] @ (linear - pitch * angular)
                return np.vstack([_across(axis) @ linear, along, _across(axis) @ angular])
            case Universal(first, second):
                other = near.rotation.T @ far.rotation @ np.array(second)
                return np.vstack([linear, np.cross(first, other)[None] @ angular])
        raise NotImplementedError(type(joint.kind).__name__)


def _across(axis: Any) -> Array:
    """Two unit vectors across an axis, as rows."""
    return np.linalg.svd(np.array(axis, dtype=float)[None])[2][1:]


def peer(mech: Mechanism, path: Path | None) -> Peer:
    """Pinocchio's reading of a URDF file if it has our joints, else its model of our records."""
    records = built.peer(mech)
    if path is None or path.suffix != ".urdf":
        return Peer(mech, records, "pinocchio (records)")
    try:
        model = pin.buildModelFromUrdf(str(path))
        return Peer(mech, _matched(mech, records, model), "pinocchio (own reader)")
    except Exception:
        return Peer(mech, records, "pinocchio (records)")


def _matched(mech: Mechanism, records: built.Peer, model: Any) -> built.Peer:
    """The same joints and bodies in Pinocchio's model of the file; any difference raises."""
    joints = {name: model.getJointId(name) for name in records.joints}
    for joint in mech.joints:
        if joint.name in joints and model.joints[joints[joint.name]].nv != joint.kind.nv:
            raise ValueError(joint.name)
    if len(joints) != model.njoints - 1:
        raise ValueError("Pinocchio has other joints")
    bodies = {}
    for name in records.bodies:
        frame = model.frames[model.getFrameId(name, pin.FrameType.BODY)]
        bodies[name] = (frame.parentJoint, RigidTransform.of(frame.placement.translation, frame.placement.rotation))
    return built.Peer(mech, model, joints, bodies)
