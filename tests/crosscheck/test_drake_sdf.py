"""SDF as Drake reads it: its own parser, masses, frames, mass matrix and bias of the tree, accelerations with loops."""

import logging
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.formats import to_sdf
from linkwright.formats.written_files import Losses, on_joints
from linkwright.joints import Floating, Spherical
from linkwright.mechanism.tree import coordinate_slices
from tests.formats.test_writers import NAMES, upright

pytest.importorskip("pydrake", reason="Drake (pip package drake) is not installed")
from pydrake.math import RigidTransform as Pose
from pydrake.math import RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

logging.getLogger("drake").setLevel(logging.ERROR)
UNREAL_INERTIA = ("puma-560",)  # whose inertia no body can have, so that it is written differently


class Twin:
    """A mechanism and what Drake makes of its file."""

    def __init__(self, mech):
        self.mech = replace(on_joints(mech, Losses()), frames=(), platform=None)
        self.model, self.home = lw.build(self.mech), dict(mech.home)
        self.plant = MultibodyPlant(1e-3)
        self.plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
        self.text = to_sdf(mech, None, "drake").text
        Parser(self.plant).AddModelsFromString(self.text, "sdf")
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()

    def pose(self, q, body):
        pose = self.model.frame_pose(q, body)
        return Pose(RotationMatrix(pose.rotation), pose.position)

    def set_positions(self, q):
        for joint, coords, _ in self._parts():
            if isinstance(joint.kind, Floating):
                self.plant.SetFreeBodyPose(
                    self.context, self.plant.GetBodyByName(joint.child), self.pose(q, joint.child)
                )
            elif isinstance(joint.kind, Spherical):
                raise NotImplementedError("no mechanism of the catalog has one in its tree")
            else:
                home = self.home.get(joint.name, joint.kind.neutral)
                positions = self.plant.GetPositions(self.context).copy()
                names = [self.drake_names[joint.name, i] for i in range(joint.kind.nv)]
                positions[[self.plant.GetJointByName(name).position_start() for name in names]] = q[coords] - home
                self.plant.SetPositions(self.context, positions)

    def drake_velocities(self, q):
        """T with v_drake = T v, (nv, nv), at the positions that are set."""
        T = np.zeros((self.plant.num_velocities(), self.model.nv))
        for joint, _, dofs in self._parts():
            for i in range(dofs.start, dofs.stop):
                if isinstance(joint.kind, Floating):
                    twist = self.model.frame_twist(q, np.eye(self.model.nv)[i], joint.child).reshape(2, 3)
                    body = self.plant.GetBodyByName(joint.child)
                    self.plant.SetVelocities(self.context, np.zeros(len(T)))
                    self.plant.SetFreeBodySpatialVelocity(self.context, body, SpatialVelocity(*twist))
                    T[:, i] = self.plant.GetVelocities(self.context)
                else:
                    name = self.drake_names[joint.name, i - dofs.start]
                    T[self.plant.GetJointByName(name).velocity_start(), i] = 1.0
        return T

    def _parts(self):
        slices = coordinate_slices(self.mech.joints)
        return [(joint, *slices[joint.name]) for joint in self.mech.joints]

    @property
    def drake_names(self):
        """Drake's joint for each velocity of ours."""
        links = {*self.mech.names}
        names = {}
        for joint in self.mech.joints:
            single = f"{joint.name}_joint" if joint.name in links else joint.name
            for i in range(joint.kind.nv):
                names[joint.name, i] = single if joint.kind.nv == 1 else f"{joint.name}_{i + 1}"
        return names


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNREAL_INERTIA])
def test_drake_reads_the_same_tree(name):
    twin, rng = Twin(upright(catalog.load(name))), np.random.default_rng(1)
    model, plant, context = twin.model, twin.plant, twin.context
    q = model.integrate(model.assemble().q, 0.3 * rng.uniform(-1, 1, model.nv), 1.0)
    twin.set_positions(q)
    for body in twin.mech.bodies:
        theirs = plant.GetBodyByName(body.name)
        assert theirs.default_mass() == body.inertia.mass
        gap = twin.pose(q, body.name).inverse() @ plant.EvalBodyPoseInWorld(context, theirs)
        assert np.abs(gap.GetAsMatrix34() - np.eye(4)[:3]).max() < 1e-12
    T = twin.drake_velocities(q)
    M = model.mass_matrix(q)
    assert np.abs(T.T @ plant.CalcMassMatrix(context) @ T - M).max() < 1e-11 * np.abs(M).max()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNREAL_INERTIA])
def test_drake_closes_the_same_loops(name):
    """Accelerations from rest with Drake's masses, forces and points that stay together."""
    twin = Twin(upright(catalog.load(name)))
    model, plant, context = twin.model, twin.plant, twin.context
    q = model.assemble().q
    twin.set_positions(q)
    T = twin.drake_velocities(q)
    plant.SetVelocities(context, np.zeros(plant.num_velocities()))
    driven = twin.mech.actuators
    tau = np.random.default_rng(2).uniform(-0.1, 0.1, len(driven))
    force = forces_of_elements(plant, context)
    for actuator, effort in zip(driven, tau, strict=True):
        theirs = plant.GetJointActuatorByName(twin.drake_names[actuator.joint, actuator.dof])
        force[theirs.joint().velocity_start()] += effort
    M, J = plant.CalcMassMatrix(context), closure_jacobian(twin)
    assert plant.num_constraints() == len(J) // 3
    KKT = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    a = np.linalg.lstsq(KKT, np.concatenate([force, np.zeros(len(J))]), rcond=1e-12)[0][: len(M)]
    ours = T @ model.forward_dynamics(q, np.zeros(model.nv), tau if driven else np.zeros(model.na))
    assert np.abs(a - ours).max() <= 1e-8 * np.abs(ours).max()


def forces_of_elements(plant, context):
    """Generalized forces of gravity and springs, (nv,)."""
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    return plant.CalcGeneralizedForces(context, forces)


def closure_jacobian(twin):
    """Velocity of one point of each ball constraint of the file seen from the other, (3 n, nv)."""
    plant, world, tag = twin.plant, twin.plant.world_frame(), "{http://drake.mit.edu}ball_constraint"
    rows = [np.zeros((0, plant.num_velocities()))]
    for constraint in ElementTree.fromstring(twin.text).iter(tag):
        ends = [
            (constraint.findtext(f"{tag}_body_{side}"), np.array(constraint.findtext(f"{tag}_{point}").split(), float))
            for side, point in (("A", "p_AP"), ("B", "p_BQ"))
        ]
        near, far = (
            plant.CalcJacobianTranslationalVelocity(
                twin.context, JacobianWrtVariable.kV, plant.GetFrameByName(body), point, world, world
            )
            for body, point in ends
        )
        rows.append(far - near)
    return np.vstack(rows)
