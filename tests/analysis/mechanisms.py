"""Mechanisms with known results, drawn at home: every body's frame is the world's, so zero coordinates are closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Distance, Floating, Prismatic, Revolute, Spherical, Universal
from linkwright.mechanism import Actuator, Body, Coupling, Frame, Inertia, Joint, Limits, Mechanism
from linkwright.mechanism.topology import arrange_spanning_tree
from tests.loops.worlds import about

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def lump(at=(0.0, 0.0, 0.0)) -> Inertia:
    return Inertia.diagonal(1.0, tuple(map(float, at)), (0.1, 0.12, 0.15))


def drawn(name, joints, actuators=(), platform=None, cut=()) -> Mechanism:
    """A mechanism from (joint, kind, parent, child, xyz) rows; the spanning tree is found."""
    rows = tuple(Joint(n, a, b, kind, RigidTransform.of(xyz), RigidTransform.of(xyz)) for n, kind, a, b, xyz in joints)
    points: dict[str, list] = {}
    for _, _, a, b, xyz in joints:
        points.setdefault(a, []).append(xyz)
        points.setdefault(b, []).append(xyz)
    found = arrange_spanning_tree(rows, "ground", cut)
    bodies = tuple(Body(n, lump(np.mean(p, axis=0))) for n, p in points.items() if n != "ground")
    frames = (Frame("tool", platform),) if platform else ()
    return Mechanism(
        name,
        bodies,
        found.joints,
        found.loops,
        actuators=tuple(Actuator(n, n) for n in actuators),
        frames=frames,
        platform="tool" if platform else None,
    )


def unit(*xyz: float) -> tuple[float, float, float]:
    x, y, z = np.array(xyz) / np.linalg.norm(xyz)
    return (float(x), float(y), float(z))


def chain(name, points, actuators, kinds=None, axis=Z) -> Mechanism:
    """One loop: a joint at every point, bodies b1, b2 ... between them, the ground at both ends."""
    bodies = ["ground", *(f"b{i + 1}" for i in range(len(points) - 1)), "ground"]
    kinds = kinds or [Revolute(axis)] * len(points)
    rows = [(f"j{i + 1}", kinds[i], bodies[i], bodies[i + 1], p) for i, p in enumerate(points)]
    last = rows[-1]
    rows[-1] = (last[0], last[1], last[3], last[2], last[4])
    return drawn(name, rows, actuators)


FOUR = ((0, 0, 0), (0.3, 0.9, 0), (2.1, 1.8, 0), (3, 0, 0))
FIVE = ((0, 0, 0), (-0.6, 0.9, 0), (0.8, 2.2, 0), (2.3, 1.1, 0), (1.8, 0, 0))


def four_bar(*actuators: str) -> Mechanism:
    return chain("four-bar", FOUR, actuators)


def five_bar(*actuators: str) -> Mechanism:
    return chain("five-bar", FIVE, actuators)


def three_cranks() -> Mechanism:
    """A coupler on three equal, parallel cranks: a parallelogram with one rod too many."""
    rows = []
    for i, x in enumerate((0.0, 1.0, 2.0)):
        rows += [(f"foot{i + 1}", Revolute(Z), "ground", f"crank{i + 1}", (x, 0, 0))]
        rows += [(f"top{i + 1}", Revolute(Z), f"crank{i + 1}", "coupler", (x + 0.5, 0.8, 0))]
    return drawn("three cranks", rows, ["foot1"])


def carried_arm(*actuators: str) -> Mechanism:
    """A four-bar whose coupler carries an arm on a hinge: two freedoms."""
    rows = [
        ("A", Revolute(Z), "ground", "crank", FOUR[0]),
        ("B", Revolute(Z), "crank", "coupler", FOUR[1]),
        ("C", Revolute(Z), "coupler", "rocker", FOUR[2]),
        ("D", Revolute(Z), "ground", "rocker", FOUR[3]),
        ("E", Revolute(Z), "coupler", "arm", (1.0, 2.0, 0.0)),
    ]
    return drawn("carried arm", rows, actuators)


def truss() -> Mechanism:
    """Two bars pinned to the ground and to each other."""
    return chain("truss", ((0, 0, 0), (1, 1.5, 0), (2, 0, 0)), ())


def shaky() -> Mechanism:
    """The same two bars in one straight line: the pin can move up a little, and no further."""
    return chain("shaky truss", ((0, 0, 0), (1, 0, 0), (2, 0, 0)), ())


def hexapod_frame() -> Mechanism:
    """A plate on six rods of fixed length: a space truss with exactly as many rods as freedoms."""
    base = [(np.cos(a), np.sin(a), 0.0) for a in np.radians([0, 20, 120, 140, 240, 260])]
    top = [(0.6 * np.cos(a), 0.6 * np.sin(a), 1.0) for a in np.radians([-50, 70, 70, 190, 190, 310])]
    rods = tuple(
        Joint(
            f"rod{i + 1}",
            "ground",
            "plate",
            Distance(float(np.linalg.norm(np.subtract(a, b)))),
            RigidTransform.of(a),
            RigidTransform.of(b),
        )
        for i, (a, b) in enumerate(zip(base, top, strict=True))
    )
    floating = Joint("pose", "ground", "plate", Floating())
    return Mechanism("frame", (Body("plate", lump((0, 0, 1))),), (floating,), rods)


def two_mechanisms() -> Mechanism:
    """Two four-bars side by side that share nothing but the ground."""
    rows = []
    for n, shift in (("left", 0.0), ("right", 10.0)):
        ends = ["ground", f"{n}_crank", f"{n}_coupler", f"{n}_rocker", "ground"]
        points = [(x + shift, y, z) for x, y, z in FOUR]
        rows += [(f"{n}{i}", Revolute(Z), ends[i], ends[i + 1], points[i]) for i in range(3)]
        rows += [(f"{n}3", Revolute(Z), "ground", f"{n}_rocker", points[3])]
    return drawn("two mechanisms", rows, ["left0", "right0"])


def bennett() -> Mechanism:
    """Four hinges, opposite links equal, length / sin(twist) the same all round: moves although the count is -2."""
    alpha, beta = 0.7, 1.3
    lengths, twists = (np.sin(alpha), np.sin(beta)) * 2, (alpha, beta) * 2
    theta1 = 1.1
    theta2 = 2.0 * np.arctan(np.sin(0.5 * (alpha + beta)) / np.sin(0.5 * (beta - alpha)) / np.tan(0.5 * theta1))
    points, axes = [np.zeros(3)], [np.array(Z)]
    R, p = np.eye(3), np.zeros(3)
    for turn, a, twist in zip((theta1, theta2, -theta1), lengths, twists, strict=False):
        R = R @ about(np.array(Z), turn)
        p = p + R @ np.array([a, 0.0, 0.0])
        R = R @ about(np.array(X), twist)
        points.append(p)
        axes.append(R @ np.array(Z))
    kinds = [Revolute(unit(*axis)) for axis in axes]
    return chain("bennett", [tuple(map(float, p)) for p in points], ["j1"], kinds)


def spherical_four_bar() -> Mechanism:
    """Four hinges whose axes meet in the origin."""
    axes = [unit(1, 0, 0.2), unit(0.4, 0.9, 0.5), unit(-0.5, 0.8, 0.7), unit(-0.9, -0.1, 0.4)]
    return chain("spherical four-bar", axes, ["j1"], [Revolute(a) for a in axes])


def sarrus() -> Mechanism:
    """Two legs of three parallel hinges, the legs at right angles: the plate moves straight up and down."""
    rows = []
    for n, axis, out in (("x", Y, np.array(X)), ("y", X, np.array(Y))):
        points = [tuple(out), tuple(1.5 * out + np.array([0, 0, 0.5])), tuple(out + np.array([0, 0, 1.0]))]
        ends = ["ground", f"low_{n}", f"high_{n}", "plate"]
        rows += [(f"{n}{i}", Revolute(axis), ends[i], ends[i + 1], points[i]) for i in range(3)]
    return drawn("sarrus", rows, ["x0"], platform="plate")


def three_upu() -> Mechanism:
    """Tsai's translational 3-UPU: in each leg the outer axes are parallel, and the inner ones too."""
    rows = []
    for i, a in enumerate(np.radians([0, 120, 240])):
        foot, top = np.array([np.cos(a), np.sin(a), 0.0]), np.array([0.4 * np.cos(a), 0.4 * np.sin(a), 1.2])
        along, outer = unit(*(top - foot)), unit(-np.sin(a), np.cos(a), 0.0)
        inner = unit(*np.cross(along, outer))
        ends = ["ground", f"cylinder{i + 1}", f"piston{i + 1}", "plate"]
        rows += [
            (f"foot{i + 1}", Universal(outer, inner), ends[0], ends[1], tuple(foot)),
            (f"stroke{i + 1}", Prismatic(along), ends[1], ends[2], tuple(0.5 * (foot + top))),
            (f"head{i + 1}", Universal(inner, outer), ends[2], ends[3], tuple(top)),
        ]
    return drawn("3-UPU", rows, ["stroke1", "stroke2", "stroke3"], platform="plate")


def oldham() -> Mechanism:
    """Two parallel shafts and a cross that slides in both."""
    kinds = [Revolute(Z), Prismatic(X), Prismatic(Y), Revolute(Z)]
    return chain("oldham", ((0, 0, 0), (0, 0, 0), (0.2, 0, 0), (0.2, 0, 0)), ["j1"], kinds)


def offset_slider_crank() -> Mechanism:
    """A slider-crank whose slide does not pass through the crank's axis."""
    kinds = [Revolute(Z)] * 3 + [Prismatic(X)]
    return chain("offset slider-crank", ((0, 0, 0), (0.3, 0.4, 0), (1.5, -0.2, 0), (1.5, -0.2, 0)), ["j1"], kinds)


def flat_parallelogram() -> Mechanism:
    """A parallelogram laid down flat, all four hinges in a line: two branches meet there."""
    return chain("flat parallelogram", ((0, 0, 0), (0.5, 0, 0), (1.5, 0, 0), (1.0, 0, 0)), ["j1"])


SPHERICAL = Spherical()


def rssr(near=SPHERICAL, actuators=("crank",)) -> Mechanism:
    """Crank and rocker on skew hinges, joined by a rod with a spherical joint at either end."""
    rows = [
        ("crank", Revolute(Z), "ground", "arm", (0, 0, 0)),
        ("near", near, "arm", "rod", (0.5, 0.1, 0)),
        ("far", Spherical(), "rod", "rocker", (0.7, 1.9, 1.1)),
        ("rocker", Revolute(X), "ground", "rocker", (0.2, 2.2, 0.1)),
    ]
    return drawn("RSSR", rows, actuators)


def with_spherical_joints(name: str, inertia: Inertia | None = None) -> Mechanism:
    """A mechanism of the catalog with spherical joints instead of its universal ones."""
    mech = catalog.load(name)
    hooke = {j.name for j in mech.joints if isinstance(j.kind, Universal)}
    joints = tuple(replace(j, kind=Spherical()) if j.name in hooke else j for j in mech.joints)
    rods = {j.child for j in mech.joints if j.name in hooke}
    bodies = tuple(replace(b, inertia=inertia) if inertia and b.name in rods else b for b in mech.bodies)
    home = []
    for j, (n, q) in ((next(j for j in mech.joints if j.name == n), (n, q)) for n, q in mech.home):
        if n in hooke:
            R = about(np.array(j.kind.first), q[0]) @ about(np.array(j.kind.second), q[1])
            q = tuple(map(float, RigidTransform.of(matrix=R).wxyz))
        home.append((n, q))
    return replace(mech, joints=joints, bodies=bodies, home=tuple(home))


def geared(*couplings: Coupling) -> Mechanism:
    """Two wheels beside each other."""
    mech = drawn("gears", [("a", Revolute(Z), "ground", "A", (0, 0, 0)), ("b", Revolute(Z), "ground", "B", (1, 0, 0))])
    return replace(mech, couplings=couplings, actuators=(Actuator("a", "a"),))


def limited() -> Mechanism:
    """A four-bar whose crank may not be where it is at home."""
    mech = four_bar("j1")
    crank = replace(mech.joints[0], limits=Limits((0.5,), (1.0,)))
    return replace(mech, joints=(crank, *mech.joints[1:]))
