"""Mechanisms under which a refactoring is watched: the catalog, and every joint kind in a tree and closing a loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.forces import Friction, Spring, Strut
from linkwright.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism

_SLANTED = (0.48, 0.6, 0.64)
_INERTIA = Inertia(
    1.25, (0.125, -0.25, 0.375), ((0.5, 0.03125, 0.0625), (0.03125, 0.625, 0.015625), (0.0625, 0.015625, 0.75))
)
_AT = RigidTransform.from_rpy((0.25, -0.5, 0.125), (0.5, -0.25, 0.75))
_CHILD_AT = RigidTransform.from_rpy((-0.125, 0.25, 0.375), (-0.25, 0.5, 0.125))
_ARM = RigidTransform.from_rpy((0.75, 0.125, -0.25), (0.25, 0.125, -0.5))

_IN_TREES = {
    "fixed": Fixed(),
    "revolute": Revolute(_SLANTED),
    "prismatic": Prismatic(_SLANTED),
    "screw": Screw(_SLANTED, 0.0625),
    "cylindrical": Cylindrical(_SLANTED),
    "universal": Universal((1.0, 0.0, 0.0), (0.0, 0.6, 0.8)),
    "spherical": Spherical(),
    "planar": Planar(_SLANTED),
    "floating": Floating(),
}
_IN_LOOPS = {name: kind for name, kind in _IN_TREES.items() if name != "floating"} | {"distance": Distance(1.5)}


def mechanisms() -> Iterator[tuple[str, Mechanism]]:
    """Names and mechanisms: the catalog, then a tree and a loop for every kind, drawn either way."""
    for name in catalog.names():
        yield name, catalog.load(name)
    for name, kind in _IN_TREES.items():
        for drawn, tree in _both_ways(_tree(Joint("joint", "ground", "first", kind, _AT, _CHILD_AT))):
            yield f"tree-{name}{drawn}", tree
    for name, kind in _IN_LOOPS.items():
        for drawn, loop in _both_ways(_loop(Joint("joint", "ground", "second", kind, _AT, _CHILD_AT))):
            yield f"loop-{name}{drawn}", loop
    yield "chain-of-60", _chain(60)


def _tree(joint: Joint) -> Mechanism:
    """The joint between ground and a first body, a revolute joint to a second, passive forces and a strut."""
    hinge = Joint("hinge", "first", "second", Revolute(_SLANTED), _ARM, _CHILD_AT)
    strut = Strut("strut", "ground", "second", (0.5, 0.5, 0.5), (0.125, 0.25, 0.375), 80.0, 0.75, 1.5)
    return Mechanism(
        "tree", _bodies(), (_with_passive_forces(joint), hinge), forces=(strut,), actuators=_actuators(joint)
    )


def _loop(joint: Joint) -> Mechanism:
    """Ground and two bodies, the first floating; the joint closes the loop."""
    base = Joint("base", "ground", "first", Floating())
    hinge = Joint("hinge", "first", "second", Revolute(_SLANTED), _ARM, _CHILD_AT)
    return Mechanism("loop", _bodies(), (base, hinge), (_with_passive_forces(joint),), actuators=_actuators(joint))


def _chain(n: int) -> Mechanism:
    """Bodies in a row, long enough for rolled code; kinds with a constant motion matrix take turns, drawn both ways."""
    kinds = [_IN_TREES[name] for name in ("revolute", "prismatic", "screw", "cylindrical", "spherical", "fixed")]
    names = ["ground", *(f"body{i}" for i in range(n))]
    joints = [
        Joint(f"joint{i}", names[i], names[i + 1], kinds[i % 6], _ARM, _CHILD_AT, reversed=i % 6 < 2 and i % 4 == 0)
        for i in range(n)
    ]
    return Mechanism("chain", tuple(Body(name, _INERTIA) for name in names[1:]), tuple(joints))


def _bodies() -> tuple[Body, ...]:
    return Body("first", _INERTIA), Body("second", replace(_INERTIA, mass=0.75), gravity_compensation=0.25)


def _with_passive_forces(joint: Joint) -> Joint:
    n = len(joint.kind.v_parts)
    if n == 0 or isinstance(joint.kind, Spherical | Floating):
        friction = Friction(viscous=(0.5,) * n) if n else None
        return replace(joint, friction=friction)
    return replace(
        joint,
        spring=Spring((40.0,) * n, (0.125,) * n),
        friction=Friction((0.5,) * n, (0.25,) * n),
        armature=(0.0625,) * n,
    )


def _actuators(joint: Joint) -> tuple[Actuator, ...]:
    friction = Friction((0.125,), (0.0625,))
    own = (Actuator(f"own{i}", "joint", i, 2.0, 0.03125, friction) for i in range(len(joint.kind.v_parts)))
    return (Actuator("hinge", "hinge"), *own)


def _both_ways(mech: Mechanism) -> Iterator[tuple[str, Mechanism]]:
    yield "", mech
    turned = tuple(
        replace(each, reversed=True) if each.name == "joint" else each for each in (*mech.joints, *mech.loops)
    )
    yield "-reversed", replace(mech, joints=turned[: len(mech.joints)], loops=turned[len(mech.joints) :])
