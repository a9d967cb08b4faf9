"""Machines with beams for the tests, and an independent picture of a beam: its points, by plain formulas."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Fixed, Floating, Revolute, Spherical, Universal
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine, axial_shortening, center_line_deflection
from linkwright.mechanism import Body, Inertia, Joint, Mechanism, flexible
from linkwright.mechanism.tree import spanning_tree
from linkwright.recursion import energy, forward_recursion, inertia, inverse_recursion, poses
from linkwright.recursion.twist_recursion import advance_coordinates

BEAMS = {
    "planar": Beam(1.2, 0.8, 30.0, Sine(2), damping=0.01),
    "spatial": Beam(1.2, 0.8, (30.0, 50.0), Clamped(2), ("y", "z")),
    "rotary": Beam(0.9, 1.1, 40.0, Polynomial(2, "pinned", "free"), ("z", "y"), gyration=0.1),
    "all": Beam(0.7, 1.0, 20.0, Polynomial(2), ("y", "z"), gyration=0.05, shortening=True),
}


def arm(beam: Beam, root=None, gravity=(0.3, -9.0, 2.0)) -> Mechanism:
    """A beam on a joint, carrying a second link and a tip mass that sits off its line."""
    root = root or Universal()
    bodies = (
        Body("beam", Inertia.diagonal(0.3, (0.05, 0.02, -0.01), (0.01, 0.02, 0.02))),
        Body("link", Inertia.diagonal(0.7, (0.2, 0.1, 0.0), (0.02, 0.05, 0.06))),
        Body("mass", Inertia.diagonal(0.5, (0.0, 0.1, 0.0), (0.01, 0.01, 0.02))),
    )
    tip = RigidTransform.from_rpy((beam.length, 0.05, 0.0), (0.1, 0.2, 0.3))
    joints = (
        Joint("root", "ground", "beam", root, RigidTransform.from_rpy((0.1, 0.2, 0.3), (0.3, -0.2, 0.4))),
        Joint("elbow", "beam", "link", Revolute((0.6, 0.0, 0.8)), tip),
        Joint("weld", "beam", "mass", Fixed(), RigidTransform((0.5 * beam.length, 0.0, 0.1))),
    )
    return flexible(Mechanism("arm", bodies, joints, gravity=gravity), {"beam": beam})


ROOTS = {
    "universal": Universal(),
    "floating": Floating(),
    "spherical": Spherical(),
}


def bent_points(beam: Beam, eta, xs, offsets=((0.0, 0.0),)):
    """Points of a bent beam in its own frame, (len(xs), len(offsets), 3): center line, or off it by (y, z)."""
    out = np.zeros((len(xs), len(offsets), 3))
    for k, x in enumerate(xs):
        shift, tilt = center_line_deflection(beam, x) @ eta, center_line_deflection(beam, x, 1) @ eta
        short = 0.5 * eta @ axial_shortening(beam, x) @ eta if beam.shortening else 0.0
        for n, (y, z) in enumerate(offsets):
            out[k, n] = np.array([x - short - y * tilt[1] - z * tilt[2], y, z]) + shift
    return out


class Plain:
    """Functions of a mechanism by the recursions on plain floats: nothing is compiled."""

    def __init__(self, mech: Mechanism) -> None:
        self.mechanism, self.tree = mech, spanning_tree(mech)
        self.nq, self.nv = self.tree.nq, self.tree.nv

    def moved(self, q, v, s):
        return advance_coordinates(self.tree, q, s * v)

    def home(self):
        return np.concatenate([np.array(j.kind.neutral) for j in self.mechanism.joints])

    def energy(self, q, v):
        return energy.kinetic_energy(self.tree, q, v), energy.potential_energy(self.tree, q)

    def momentum(self, q, v):
        return energy.tree_momentum(self.tree, q, v)

    def mass_matrix(self, q):
        return inertia.tree_mass_matrix(self.tree, q)

    def generalized_forces(self, q, v, a):
        return inverse_recursion.tree_inverse_dynamics(self.tree, q, v, a)

    def bias_forces(self, q, v):
        return inverse_recursion.tree_bias_forces(self.tree, q, v)

    def accelerations(self, q, v, force):
        return forward_recursion.tree_forward_dynamics(self.tree, q, v, force)

    def attachment(self, name):
        i = self.mechanism.names.index(name)
        return i, self.tree.links[i].body

    def frame_pose(self, q, name):
        found = poses.pose_of_frame(self.tree, q, *self.attachment(name))
        return found.r, found.R

    def frame_twist(self, q, v, name):
        return poses.twist_of_frame(self.tree, q, v, *self.attachment(name))

    def frame_acceleration(self, q, v, a, name):
        return poses.frame_acceleration(self.tree, q, v, a, *self.attachment(name))

    def frame_jacobian(self, q, name):
        return poses.jacobian_of_frame(self.tree, q, *self.attachment(name))

    def frame_jacobian_rate(self, q, v, name):
        return poses.jacobian_rate_of_frame(self.tree, q, v, *self.attachment(name))
