"""Mechanisms whose loops close and open."""

from itertools import pairwise

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.forces import Spring
from linkwright.joints import Distance, Fixed, Floating, Planar, Prismatic, Revolute, Spherical
from linkwright.mechanism import Body, Inertia, Joint, Mechanism

UP = (0.0, 0.0, 1.0)
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
IN_PLANE = RigidTransform.of(matrix=np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))


def rimless_wheel(mass, inertia, length, alpha, incline, feet):
    """A wheel without rim on an incline: spokes of a length at angles 2 alpha; foot k stands at 2 k length sin(alpha).

    The x axis points down the incline, so gravity is turned; foot 0 holds at the start. The coordinates are x, z and
    the angle, which falls as the wheel rolls down.
    """
    body = Body("wheel", Inertia.diagonal(mass, (0.0, 0.0, 0.0), (inertia, inertia, inertia)))
    loops = []
    for k in range(feet):
        tip = (length * np.sin(2 * alpha * k), 0.0, -length * np.cos(2 * alpha * k))
        position = (2 * k * length * np.sin(alpha), 0.0, 0.0)
        loops.append(
            Joint(f"foot{k}", "ground", "wheel", Revolute(Y), at=RigidTransform(position), child_at=RigidTransform(tip))
        )
    return Mechanism(
        "rimless wheel",
        (body,),
        (Joint("hub", "ground", "wheel", Planar(), at=IN_PLANE, child_at=IN_PLANE),),
        (loops[0],),
        gravity=(9.81 * np.sin(incline), 0.0, -9.81 * np.cos(incline)),
        home=(("hub", (0.0, length, 0.0)),),
        open_loops=tuple(loops[1:]),
    )


def block(width, height, mass):
    """A block on the ground that stands on one of its lower corners and can come down on the other."""
    moments = (mass * height**2 / 12, mass * (width**2 + height**2) / 12, mass * width**2 / 12)
    corners = {"left": (-width / 2, 0.0, -height / 2), "right": (width / 2, 0.0, -height / 2)}
    loops = [
        Joint(
            name, "ground", "block", Revolute(Y), at=RigidTransform((x, 0.0, 0.0)), child_at=RigidTransform((x, 0.0, z))
        )
        for name, (x, _, z) in corners.items()
    ]
    return Mechanism(
        "block",
        (Body("block", Inertia.diagonal(mass, (0.0, 0.0, 0.0), moments)),),
        (Joint("free", "ground", "block", Planar(), at=IN_PLANE, child_at=IN_PLANE),),
        (loops[0],),
        home=(("free", (0.0, height / 2, 0.0)),),
        open_loops=(loops[1],),
    )


def walker(rng):
    """A floating body with one jointed limb whose tip can stand on the ground, of random inertias."""

    def inertia(mass):
        a = rng.normal(size=(3, 3))
        return Inertia(mass, tuple(0.2 * rng.normal(size=3)), tuple(map(tuple, 0.05 * (a @ a.T + np.eye(3)))))

    limb = Joint("hinge", "trunk", "limb", Revolute(Y), at=RigidTransform((0.1, 0.2, -0.3)))
    foot = Joint("foot", "ground", "limb", Spherical(), child_at=RigidTransform((0.05, 0.0, -0.5)))
    return Mechanism(
        "walker",
        (Body("trunk", inertia(3.0)), Body("limb", inertia(1.0))),
        (Joint("free", "ground", "trunk", Floating()), limb),
        open_loops=(foot,),
    )


def sliders(masses, positions, length, gravity=(0.0, 0.0, 0.0)):
    """Balls on one rail along x, each in contact with the next at a distance."""
    names = [f"ball{i}" for i in range(len(masses))]
    rails = [
        Joint(f"x{i}", "ground", name, Prismatic(X), at=RigidTransform((x, 0, 0)))
        for i, (name, x) in enumerate(zip(names, positions))
    ]
    rods = [Joint(f"hit{i}", a, b, Distance(length)) for i, (a, b) in enumerate(pairwise(names))]
    bodies = tuple(Body(name, Inertia(m)) for name, m in zip(names, masses))
    return Mechanism("balls", bodies, tuple(rails), gravity=gravity, open_loops=tuple(rods))


def ball(radius):
    """A ball that falls on the ground."""
    return Mechanism(
        "ball",
        (Body("ball", Inertia(0.7)),),
        (Joint("height", "ground", "ball", Prismatic(UP)),),
        open_loops=(Joint("floor", "ground", "ball", Distance(radius)),),
    )


def hopper(body, foot, stiffness):
    """A mass on a springy leg whose foot can stand on the ground."""
    leg = Joint("leg", "top", "foot", Prismatic((0.0, 0.0, -1.0)), spring=Spring((stiffness,), (0.5,)))
    return Mechanism(
        "hopper",
        (Body("top", Inertia(body)), Body("foot", Inertia(foot))),
        (Joint("height", "ground", "top", Prismatic(UP)), leg),
        open_loops=(Joint("floor", "ground", "foot", Planar(UP)),),
    )


def hand(finger_masses, object_mass):
    """Two fingers on a rail and a free object between them; a finger that meets the object holds it as it is."""
    fingers = ("left", "right")
    bodies = [Body(name, Inertia(m)) for name, m in zip(fingers, finger_masses)]
    bodies.append(Body("object", Inertia.diagonal(object_mass, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01))))
    joints = [Joint(f"{name} slide", "ground", name, Prismatic(X)) for name in fingers]
    joints.append(Joint("flight", "ground", "object", Planar(), at=IN_PLANE, child_at=IN_PLANE))
    tips = {"left": (0.05, 0.0, 0.0), "right": (-0.05, 0.0, 0.0)}
    sides = {"left": (-0.1, 0.0, 0.02), "right": (0.1, 0.0, 0.02)}
    grips = [
        Joint(f"{n} grip", n, "object", Fixed(), at=RigidTransform(tips[n]), child_at=RigidTransform(sides[n]))
        for n in fingers
    ]
    return Mechanism("hand", tuple(bodies), tuple(joints), gravity=(0.0, 0.0, 0.0), open_loops=tuple(grips))
