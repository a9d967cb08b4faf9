"""Mechanisms with many loops: separate four-bars, and a biped whose knees and ankles are driven through rods."""

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Floating, Revolute, Spherical, Universal
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism
from linkwright.papers.gallery.four_bar_chain import G, planar_hinge, uniform_rod


def separate(n, driven=False):
    """N four-bars beside each other that share nothing but the ground; every one starts a little otherwise."""
    bodies, joints, loops, home = [], [], [], []
    for i in range(n):
        x, angle = 3.0 * i, 1.0 + 0.3 * np.sin(i)
        bodies += [uniform_rod(f"crank{i}", 1.0), uniform_rod(f"coupler{i}", 2.0), uniform_rod(f"rocker{i}", 1.7)]
        joints += [
            planar_hinge(f"a{i}", "ground", f"crank{i}", x),
            planar_hinge(f"b{i}", f"crank{i}", f"coupler{i}", 1.0),
            planar_hinge(f"c{i}", "ground", f"rocker{i}", x + 2.2),
        ]
        loops.append(planar_hinge(f"d{i}", f"coupler{i}", f"rocker{i}", 2.0, 1.7))
        home += [(f"a{i}", (angle,)), (f"b{i}", (-0.5,)), (f"c{i}", (1.2,))]
    return Mechanism(
        f"{n} four-bars",
        tuple(bodies),
        tuple(joints),
        tuple(loops),
        gravity=(0.0, -G, 0.0),
        home=tuple(home),
        actuators=tuple(Actuator(f"m{i}", f"a{i}") for i in range(n)) if driven else (),
    )


def box(name, mass, size):
    """A uniform box whose origin is its center."""
    x, y, z = (mass / 12 * (a * a + b * b) for a, b in ((size[1], size[2]), (size[0], size[2]), (size[0], size[1])))
    return Body(name, Inertia.diagonal(mass, (0.0, 0.0, 0.0), (x, y, z)))


def at(*xyz):
    return RigidTransform(tuple(float(x) for x in xyz))


def _leg(side, y):
    """Hip of three hinges, knee and ankle; a rod to the heel spring and two rods from shin motors to the foot."""
    X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

    def name(part):
        return f"{side}_{part}"

    def joint(part, parent, child, kind, where, child_at=(0.0, 0.0, 0.0)):
        return Joint(name(part), parent, name(child), kind, at=at(*where), child_at=at(*child_at))

    bodies = [box(name("hip_roll"), 2.0, (0.1, 0.1, 0.1)), box(name("hip_yaw"), 2.0, (0.1, 0.1, 0.1))]
    bodies += [box(name("thigh"), 5.0, (0.1, 0.1, 0.4)), box(name("shin"), 3.0, (0.08, 0.08, 0.4))]
    bodies += [box(name("tarsus"), 2.0, (0.06, 0.06, 0.4)), box(name("heel"), 0.3, (0.1, 0.03, 0.03))]
    bodies += [box(name("achilles"), 0.2, (0.02, 0.02, 0.5))]
    bodies += [box(name("pitch"), 0.1, (0.02, 0.02, 0.02)), box(name("foot"), 0.8, (0.2, 0.08, 0.03))]
    joints = [
        joint("hip_roll", "torso", "hip_roll", Revolute(X), (0.0, y, -0.1)),
        joint("hip_yaw", name("hip_roll"), "hip_yaw", Revolute(Z), (0.0, 0.0, -0.05)),
        joint("hip_pitch", name("hip_yaw"), "thigh", Revolute(Y), (0.0, 0.0, -0.05)),
        joint("knee", name("thigh"), "shin", Revolute(Y), (0.0, 0.0, -0.4)),
        joint("tarsus", name("shin"), "tarsus", Revolute(Y), (0.0, 0.0, -0.4)),
        joint("heel", name("tarsus"), "heel", Revolute(Y), (-0.05, 0.0, 0.0)),
        joint("achilles", name("hip_yaw"), "achilles", Universal(X, Y), (0.02, 0.05, -0.05)),
        joint("toe_pitch", name("tarsus"), "pitch", Revolute(Y), (0.0, 0.0, -0.4)),
        joint("toe_roll", name("pitch"), "foot", Revolute(X), (0.0, 0.0, 0.0)),
    ]
    heel_end = np.array((-0.05, 0.0, -0.8 - 0.05)) + (-0.1, 0.0, 0.0)
    length = float(np.linalg.norm(heel_end - (0.02, 0.05, -0.05)))
    loops = [joint("heel_ball", name("heel"), "achilles", Spherical(), (-0.1, 0.0, 0.0), (0.0, 0.0, -length))]
    for k, sign in (("a", 1.0), ("b", -1.0)):
        bodies += [box(name(f"crank_{k}"), 0.1, (0.06, 0.02, 0.02)), box(name(f"rod_{k}"), 0.1, (0.01, 0.01, 0.3))]
        joints += [
            joint(f"crank_{k}", name("tarsus"), f"crank_{k}", Revolute(Y), (0.0, 0.05 * sign, -0.1)),
            joint(f"rod_{k}", name(f"crank_{k}"), f"rod_{k}", Universal(X, Y), (-0.06, 0.0, 0.0)),
        ]
        loops.append(joint(f"ball_{k}", name("foot"), f"rod_{k}", Spherical(), (-0.06, 0.05 * sign, 0.0), (0, 0, -0.3)))
    return bodies, joints, loops


def leg():
    """One leg of the biped, its torso fixed: 6 actuators, a rod to the heel and two to the foot."""
    bodies, joints, loops = _leg("left", 0.1)
    driven = [f"left_{part}" for part in ("hip_roll", "hip_yaw", "hip_pitch", "knee", "crank_a", "crank_b")]
    actuators = tuple(Actuator(name, name) for name in driven)
    return Mechanism("leg", tuple(bodies), tuple(joints), tuple(loops), actuators=actuators, base="torso")


def biped():
    """A floating biped with arms and a head, 54 velocities, 6 spatial loops (a rod to each heel, two to each foot)."""
    bodies = [box("torso", 15.0, (0.2, 0.3, 0.5))]
    joints = [Joint("base", "ground", "torso", Floating())]
    loops = []
    for side, y in (("left", 0.1), ("right", -0.1)):
        more = _leg(side, y)
        bodies, joints, loops = bodies + more[0], joints + more[1], loops + more[2]
        parent = "torso"
        for k, (axis, mass) in enumerate(zip("xyzyzxy", (2.0, 1.5, 1.5, 1.0, 0.5, 0.4, 0.3), strict=True)):
            body, direction = f"{side}_arm{k}", tuple(float(a == axis) for a in "xyz")
            bodies.append(box(body, mass, (0.05, 0.05, 0.2)))
            where = at(0.0, 2.0 * y, 0.2) if k == 0 else at(0.0, 0.0, -0.15)
            joints.append(Joint(f"{side}_arm{k}", parent, body, Revolute(direction), at=where))
            parent = body
    for k, axis in enumerate(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))):
        bodies.append(box(f"head{k}", 1.0, (0.1, 0.1, 0.1)))
        joints.append(Joint(f"head{k}", "torso" if k == 0 else "head0", f"head{k}", Revolute(axis), at=at(0, 0, 0.2)))
    legs = ("hip_roll", "hip_yaw", "hip_pitch", "knee", "crank_a", "crank_b")
    driven = [f"{side}_{part}" for side in ("left", "right") for part in legs]
    driven += [f"{side}_arm{k}" for side in ("left", "right") for k in range(7)] + ["head0", "head1"]
    return Mechanism(
        "biped",
        tuple(bodies),
        tuple(joints),
        tuple(loops),
        home=(("base", (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)),),
        actuators=tuple(Actuator(name, name) for name in driven),
    )
