"""Random mechanisms for the laws: hypothesis draws the shape of the tree, a drawn seed the numbers.

Numbers are of order one in SI units, so that 1e-10 of the larger of one and the value is a relative tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from linkwright.algebra import rotations
from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Vec, Vec3
from linkwright.forces import Friction, Spring, Strut
from linkwright.joints import (
    Cylindrical,
    Fixed,
    Floating,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.joints.kind import X, Y, Z
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism
from linkwright.mechanism.tree import Tree, spanning_tree
from linkwright.recursion.inertia import tree_mass_matrix

KINDS = (Revolute, Prismatic, Screw, Cylindrical, Universal, Spherical, Planar, Floating, Fixed)
_DIRECTIONS: tuple[Vec3, ...] = (X, Y, Z, (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


def a_share(n: int) -> settings:
    """Settings of an expensive law: an n-th of the examples the profile asks for."""
    return settings(max_examples=max(4, settings.default.max_examples // n))


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """A mechanism, its tree, a state with accelerations, and a source of further numbers."""

    mech: Mechanism
    tree: Tree
    q: Vec
    v: Vec
    a: Vec
    seed: int

    def __repr__(self) -> str:
        drawn = ", ".join(f"{type(j.kind).__name__}({j.parent}, {j.child})" for j in self.mech.joints)
        return f"Sample({drawn}; q={self.q}, v={self.v}, a={self.a}, seed={self.seed})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed + 1)

    @property
    def condition(self) -> float:
        """Condition number of the inertia: the digits that accelerations may lose."""
        return float(np.linalg.cond(tree_mass_matrix(self.tree, self.q))) if self.tree.nv else 1.0

    @property
    def wrenches(self) -> list[Vec]:
        """One external wrench per body."""
        return list(self.rng.normal(size=(len(self.tree.links), 6)))


@st.composite
def mechanisms(
    draw: st.DrawFn,
    allowed: tuple[type, ...] = KINDS,
    max_bodies: int = 8,
    passive: bool = True,
    struts: bool = False,
    backwards: bool = True,
):
    """Trees of 1 to 8 bodies: any branching, any joint types, any frames, shuffled bodies, any gravity.

    Args:
        draw: given by hypothesis.
        allowed: kinds of joint to choose from.
        max_bodies: most bodies of a tree.
        passive: some joints get springs, friction and rotors, and some bodies have no mass.
        struts: springs and dampers between bodies are added.
        backwards: a part of the joints is drawn from child to parent.
    """
    n = draw(st.integers(1, max_bodies), label="bodies")
    parents = [-1, *(draw(st.integers(-1, i - 1)) for i in range(1, n))]
    chosen = [draw(st.sampled_from(allowed)) for _ in range(n)]
    plain = [draw(st.booleans()) for _ in range(n)]
    seed = draw(st.integers(0, 2**32 - 1), label="seed")
    rng = np.random.default_rng(seed)
    mech = random_mechanism(rng, parents, chosen, plain, passive)
    if not backwards:
        mech = replace(mech, joints=tuple(replace(joint, reversed=False) for joint in mech.joints))
    return replace(mech, forces=random_struts(rng, mech)) if struts else mech


@st.composite
def samples(
    draw: st.DrawFn,
    allowed: tuple[type, ...] = KINDS,
    max_bodies: int = 8,
    passive: bool = True,
    struts: bool = False,
    backwards: bool = True,
):
    """A random mechanism (see `mechanisms`) in a random state."""
    mech = draw(mechanisms(allowed, max_bodies, passive, struts, backwards))
    seed = draw(st.integers(0, 2**32 - 1), label="state seed")
    tree = spanning_tree(mech)
    return Sample(mech, tree, *random_state(tree, np.random.default_rng(seed)), seed)


def trees(allowed: tuple[type, ...] = KINDS, max_bodies: int = 8):
    """The spanning trees of random mechanisms."""
    return mechanisms(allowed, max_bodies).map(spanning_tree)


def random_mechanism(
    rng: np.random.Generator, parents: list[int], chosen: list[type], plain: list[bool], passive: bool = True
) -> Mechanism:
    """A mechanism with the given tree and joint types; `plain` joints have frames and axes along coordinate axes.

    A part of the joints is drawn from child to parent.
    """
    bodies, joints, actuators = [], [], []
    for i, (parent, kind, simple) in enumerate(zip(parents, chosen, plain, strict=True)):
        joint = Joint(
            f"joint{i}",
            f"body{parent}" if parent >= 0 else "ground",
            f"body{i}",
            random_kind(rng, kind, simple),
            at=random_pose(rng, simple),
            child_at=random_pose(rng, simple),
            reversed=bool(rng.random() < 0.3),
        )
        massless = passive and rng.random() < 0.1
        share = rng.spawn(1)[0].choice([0.0, 0.0, 0.0, 0.6, 1.0]) if passive else 0.0
        inertia = Inertia() if massless else random_inertia(rng, simple)
        bodies.append(Body(f"body{i}", inertia, gravity_compensation=float(share)))
        joints.append(_with_passive(rng, joint) if passive else joint)
        if massless or (passive and rng.random() < 0.3):
            actuators += _rotors(rng, joint)
    if passive:
        joints = [_with_armature(rng.spawn(1)[0], joint) for joint in joints]
    order = rng.permutation(len(bodies))
    return Mechanism(
        "random",
        tuple(bodies[i] for i in order),
        tuple(joints),
        actuators=tuple(actuators),
        gravity=_triple(5.0 * rng.normal(size=3)),
    )


def random_struts(rng: np.random.Generator, mech: Mechanism) -> tuple[Strut, ...]:
    """Springs with dampers between points of the bodies and the base, far enough apart to keep a direction."""
    names = [mech.base, *mech.names]
    out = []
    for i in range(int(rng.integers(1, 4))):
        ends = rng.choice(len(names), size=2, replace=False)
        at, child_at = (_triple(x) for x in rng.normal(size=(2, 3)))
        out.append(
            Strut(
                f"strut{i}",
                names[ends[0]],
                names[ends[1]],
                at,
                child_at,
                stiffness=float(rng.uniform(1, 5)),
                length=float(rng.uniform(0, 1)),
                damping=float(rng.choice([0.0, 0.7])),
            )
        )
    return tuple(out)


def random_kind(rng: np.random.Generator, kind: type, simple: bool = False) -> JointKind:
    """A joint of the given type with random axes."""
    if kind is Universal:
        first = random_axis(rng, simple)
        second = random_axis(rng, simple)
        while np.linalg.norm(np.cross(first, second)) < 0.5:
            second = random_axis(rng, simple)
        return Universal(first, second)
    if kind is Screw:
        return Screw(random_axis(rng, simple), float(rng.uniform(-0.3, 0.3)))
    return kind() if kind in (Fixed, Spherical, Floating) else kind(random_axis(rng, simple))


def random_axis(rng: np.random.Generator, simple: bool = False) -> Vec3:
    """A unit vector, along a coordinate axis when `simple`."""
    if simple:
        return _DIRECTIONS[rng.integers(6)]
    x = rng.normal(size=3)
    return _triple(x / np.linalg.norm(x))


def random_pose(rng: np.random.Generator, simple: bool = False) -> RigidTransform:
    """A pose within some decimeters; when `simple`, turned by whole right angles and moved along one axis.

    A part of the right angles is off by a little, as in files with rounded numbers: nothing may take them for exact.
    """
    if not simple:
        return RigidTransform.from_quaternion(0.4 * rng.normal(size=3), rng.normal(size=4))
    shift = np.array(random_axis(rng, True)) * rng.choice([0.0, 0.5])
    slip = rng.normal(size=3) * 10.0 ** rng.uniform(-12, -3) if rng.random() < 0.3 else 0.0
    return RigidTransform.from_rpy(shift, 0.5 * np.pi * rng.integers(0, 4, size=3) + slip)


def random_inertia(rng: np.random.Generator, simple: bool = False) -> Inertia:
    """Mass, mass center and tensor of a cloud of points, which some body always has."""
    root = np.diag(rng.uniform(0.1, 0.3, 3)) if simple else 0.2 * rng.normal(size=(3, 3))
    Sigma = root @ root.T + 1e-3 * np.eye(3)
    tensor = np.trace(Sigma) * np.eye(3) - Sigma
    com = 0.2 * (rng.normal(size=3) if not simple else np.array(random_axis(rng, True)))
    return Inertia(float(rng.uniform(0.5, 2.0)), _triple(com), tuple(map(_triple, tensor)))


def _with_passive(rng: np.random.Generator, joint: Joint) -> Joint:
    """The joint with a spring, friction, both or nothing; only coordinates that integrate velocities have springs."""
    nq, nv = joint.kind.nq, joint.kind.nv
    if nq == nv > 0 and rng.random() < 0.3:
        spring = Spring(tuple(rng.uniform(1, 5, nv)), tuple(rng.normal(size=nq)) if rng.random() < 0.5 else ())
        joint = replace(joint, spring=spring)
    if nv > 0 and rng.random() < 0.3:
        friction = Friction(tuple(rng.uniform(0, 1, nv)), tuple(rng.uniform(0, 1, nv)), slip=0.5)
        joint = replace(joint, friction=friction)
    return joint


def _with_armature(rng: np.random.Generator, joint: Joint) -> Joint:
    """A fifth of the joints carry inertia along their velocities without any actuator."""
    return replace(joint, armature=tuple(rng.uniform(0, 0.3, joint.kind.nv))) if rng.random() < 0.2 else joint


def _rotors(rng: np.random.Generator, joint: Joint) -> list[Actuator]:
    return [
        Actuator(f"{joint.name}-{d}", joint.name, d, gear=float(rng.uniform(1, 3)), rotor_inertia=0.2)
        for d in range(joint.kind.nv)
    ]


def random_state(tree: Tree, rng: np.random.Generator) -> tuple[Vec, Vec, Vec]:
    """Coordinates with unit quaternions, velocities and accelerations."""
    q = rng.normal(size=tree.nq)
    for part in quaternion_slices(tree):
        q[part] /= np.linalg.norm(q[part])
    return q, rng.normal(size=tree.nv), rng.normal(size=tree.nv)


def quaternion_slices(tree: Tree) -> list[slice]:
    """Indices of the quaternions in q."""
    balls = (link.coords for link in tree.links if isinstance(link.kind, Spherical | Floating))
    return [slice(coords.stop - 4, coords.stop) for coords in balls]


def carried(tree: Tree, q: Vec, v: Vec, s: float) -> Vec:
    """Coordinates after the time s on a path that leaves q with the velocities v."""
    out = np.array(q)
    for link in tree.links:
        x, rates = q[link.coords], s * v[link.dofs]
        match link.kind:
            case Spherical():
                x = _turned(x, rates)
            case Floating():
                shift = rotations.rotation_matrix(x[3:]) @ rates[3:]
                x = np.concatenate([x[:3] + shift, _turned(x[3:], rates[:3])])
            case _:
                x = x + rates
        out[link.coords] = x
    return out


def _turned(wxyz: Vec, turn: Vec) -> Vec:
    """A quaternion turned further by the rotation vector `turn` in the child's axes."""
    half = 0.5 * np.sqrt(turn @ turn)
    step = np.concatenate([[np.cos(half)], 0.5 * turn * np.sinc(half / np.pi)])
    return rotations.quaternion_product(wxyz, step)


def rate(f: Callable[[float], Vec], h: float = 0.02) -> Vec:
    """Derivative of f at zero by the central difference of eighth order.

    For motions of up to about 3 rad/s its own error is (3 h)^9 / (630 h), below 1e-12, and round-off is 1e-16 / h:
    both far under the laws' 1e-10, so the tolerance judges the law and not the difference.
    """
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (f(k * h) - f(-k * h)) for k, w in enumerate(weights, start=1)) / h


def slow(v: Vec) -> Vec:
    """Velocities scaled down so that their sum is at most one; `rate` is then exact to 1e-12."""
    return v / max(1.0, float(np.abs(v).sum()))


def error(actual: Vec, expected: Vec, scale: float = 1.0) -> float:
    """Largest difference relative to the largest of one, the expected values and `scale`."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if expected.size == 0:
        return 0.0
    return float(np.abs(actual - expected).max() / max(1.0, scale, float(np.abs(expected).max())))


def _triple(x: Vec) -> Vec3:
    return (float(x[0]), float(x[1]), float(x[2]))
