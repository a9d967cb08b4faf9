"""Closed loops in Pinocchio: `constraintDynamics`, `lcaba`, and the usual code for inverse dynamics."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.closed import Edge, PeerTree
from benchmarks.comparison import Rival
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.joints import Floating, Planar, Prismatic, Revolute, Spherical, Universal

Array = np.ndarray
# Accuracy (absolute, relative), damping, iterations. Of dampings from 1e-4 to 1e-12 these were the fastest that agree
# with us to 1e-8 at home.
CHOLESKY, LCABA = (1e-12, 1e-12, 1e-12, 20), (1e-12, 1e-12, 1e-6, 50)


class Loops:
    """A Pinocchio model with point closures, one state, and where our numbers stand in it."""

    def __init__(self, tree: PeerTree) -> None:
        import pinocchio as pin

        self.pin, self.tree = pin, tree
        self.model = pin.Model()
        self.model.gravity.linear = np.array(tree.mech.gravity)
        self.bodies: dict[str, tuple[int, RigidTransform]] = {tree.mech.base: (0, RigidTransform())}
        self.last: dict[str, list[int]] = {}
        for edge in tree.edges:
            self._add(edge)
        self.q, self.v, self.tau = self._state()
        self.constraints = pin.StdVec_RigidConstraintModel()
        for cut in tree.cuts:
            self.constraints.append(self._constraint(cut))

    def _add(self, edge: Edge) -> None:
        joint = edge.joint
        parent, frame = self.bodies[joint.parent]
        pose = frame @ joint.at
        numbers: list[int] = []
        for kind, axes in self._steps(joint.kind):
            parent = self.model.addJoint(parent, kind, self._se3(pose @ axes), f"{joint.name}{len(numbers)}")
            numbers.append(parent)
            pose = axes.inverse
        self.last[joint.name] = numbers
        self.bodies[joint.child] = (parent, pose @ joint.child_at.inverse)
        inertia = next(body.inertia for body in self.tree.mech.bodies if body.name == joint.child)
        theirs = self.pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.tensor))
        self.model.appendBodyToJoint(parent, theirs, self._se3(self.bodies[joint.child][1]))

    def _steps(self, kind: Any) -> list[tuple[Any, RigidTransform]]:
        """Pinocchio's joints for one of ours, of the kinds that ran fastest."""
        pin = self.pin
        match kind:
            case Revolute(axis):
                return [(pin.JointModelRZ(), _along(axis))]
            case Prismatic(axis):
                return [(pin.JointModelPZ(), _along(axis))]
            case Universal(first, second) if abs(np.dot(first, second)) < 1e-12:
                return [(pin.JointModelUniversal(np.array(first), np.array(second)), RigidTransform())]
            case Universal(first, second):
                return [(pin.JointModelRZ(), _along(first)), (pin.JointModelRZ(), _along(second))]
            case Spherical():
                return [(pin.JointModelSpherical(), RigidTransform())]
            case Floating():
                return [(pin.JointModelFreeFlyer(), RigidTransform())]
            case Planar(normal):
                return [(pin.JointModelPlanar(), _along(normal))]
        raise NotImplementedError(f"a {type(kind).__name__} joint in Pinocchio")

    def _se3(self, pose: RigidTransform) -> Any:
        return self.pin.SE3(pose.R, pose.r)

    def _constraint(self, cut: Any) -> Any:
        pin = self.pin
        one, two = self.bodies[cut.parent], self.bodies[cut.child]
        return pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D,
            self.model,
            one[0],
            self._se3(one[1] @ cut.at),
            two[0],
            self._se3(two[1] @ cut.child_at),
            pin.ReferenceFrame.LOCAL,
        )

    def _state(self) -> tuple[Array, Array, Array]:
        q, v, tau = self.pin.neutral(self.model), np.zeros(self.model.nv), np.zeros(self.model.nv)
        for edge in self.tree.edges:
            name = edge.joint.name
            x, y = _their_state(edge)
            first = self.model.joints[self.last[name][0]]
            q[first.idx_q : first.idx_q + len(x)] = x
            v[first.idx_v : first.idx_v + len(y)] = y
            if name in self.tree.efforts:
                tau[first.idx_v] = self.tree.efforts[name]
        return q, v, tau

    def driven(self) -> list[int]:
        """Indices of the actuated velocities in Pinocchio's."""
        return [self.model.joints[self.last[name][0]].idx_v for name in self.tree.efforts]

    def rates(self, a: Array) -> Array:
        """Accelerations of the legs' joints, in the order of `rate_slices`."""
        out = []
        for name, ours in self.tree.rate_slices.items():
            start = self.model.joints[self.last[name][0]].idx_v
            out.append(a[start : start + ours.stop - ours.start])
        return np.concatenate(out)

    def rivals(self) -> dict[str, Rival]:
        """The two constrained forward dynamics."""
        return {"constraintDynamics": self._by_cholesky(), "lcaba": self._by_lcaba()}

    def _by_cholesky(self) -> Rival:
        pin, model, data, parts = self.pin, self.model, self.model.createData(), self._data()
        pin.initConstraintDynamics(model, data, self.constraints, parts)
        settings = pin.ProximalSettings(*CHOLESKY)
        call = partial(pin.constraintDynamics, model, data, self.q, self.v, self.tau, self.constraints, parts, settings)
        return Rival(call, lambda: self.rates(call()))

    def _by_lcaba(self) -> Rival:
        pin, model, data, parts = self.pin, self.model, self.model.createData(), self._data()
        pin.computeJointMinimalOrdering(model, data, self.constraints)
        settings = pin.ProximalSettings(*LCABA)
        call = partial(pin.lcaba, model, data, self.q, self.v, self.tau, self.constraints, parts, settings)
        return Rival(call, lambda: self.rates(call()), tolerance=1e-7)  # its iteration stops early

    def _data(self) -> Any:
        out = self.pin.StdVec_RigidConstraintData()
        for constraint in self.constraints:
            out.append(constraint.createData())
        return out

    def inverse(self) -> Rival:
        """Efforts by the code that users write: forces of the tree, closure Jacobian, one dense solve for efforts and
        closure forces."""
        pin, model, data, parts = self.pin, self.model, self.model.createData(), self._data()
        pin.initConstraintDynamics(model, data, self.constraints, parts)
        settings = pin.ProximalSettings(*CHOLESKY)
        q, v, constraints, solve = self.q, self.v, self.constraints, np.linalg.solve
        a = pin.constraintDynamics(model, data, q, v, self.tau, constraints, parts, settings).copy()
        indices = self.driven()
        n = len(indices)
        matrix = np.zeros((model.nv, n + 3 * len(constraints)))
        matrix[indices, range(n)] = 1.0

        def call() -> Array:
            force = pin.rnea(model, data, q, v, a)
            matrix[:, n:] = pin.getConstraintsJacobian(model, data, constraints, parts).T
            return solve(matrix, force)[:n]

        return Rival(call, call)


def _along(axis: Any) -> RigidTransform:
    return RigidTransform.of(matrix=frame_with_z(axis))


def _their_state(edge: Edge) -> tuple[Array, Array]:
    """Quaternions x y z w; floating bodies linear first; planar velocities in the body's axes."""
    q, v = edge.q, edge.v
    match edge.joint.kind:
        case Spherical():
            return np.roll(q, -1), v
        case Floating():
            return np.concatenate([q[:3], np.roll(q[3:], -1)]), np.concatenate([v[3:], v[:3]])
        case Planar():
            c, s = np.cos(q[2]), np.sin(q[2])
            return np.array([q[0], q[1], c, s]), np.array([c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]])
        case _:
            return q, v
