"""What is allowed but looks like a slip: lengths in millimetres, grams for kilograms, inertias about another point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from linkwright.formats.imported import Note
from linkwright.mechanism import Body, Mechanism
from linkwright.mechanism.validation import body_doubts

FAR = 300.0  # times the middle length of the machine; millimetres read as metres are 1000
HEAVY = 1e5  # times the middle mass
WIDE = 30.0  # radius of gyration in sizes of the machine
NARROW = 1 / 300  # radius of gyration in distances of the mass centre from the body's origin; a rod has 0.58
HUGE = 50.0  # m
STRONG = 100.0  # m/s^2
TURNS = 4 * math.pi  # rad


def doubts(mech: Mechanism) -> tuple[Note, ...]:
    """A note for every value that is out of proportion with the others of the machine.

    >>> from linkwright.mechanism import Joint, Revolute, Inertia
    >>> from linkwright.algebra.pose import Pose
    >>> bodies = tuple(Body(f"b{i}", Inertia(1.0)) for i in range(3))
    >>> spots = (Pose((0.1, 0.0, 0.0)), Pose((0.2, 0.0, 0.0)), Pose((300.0, 0.0, 0.0)))
    >>> joints = tuple(Joint(f"j{i}", "ground", f"b{i}", Revolute(), spot) for i, spot in enumerate(spots))
    >>> print(doubts(Mechanism("m", bodies, joints))[0])
    joint 'j2' stands 300 m from its parent's origin, 1500 times the usual length here; were millimetres meant?
    """
    sizes = dict(_lengths(mech))
    positive = [x for x in sizes.values() if x > 0.0]
    middle = median(positive) if len(positive) > 2 else 0.0
    far = tuple(_far(what, x, middle) for what, x in sizes.items() if middle and x > FAR * middle)
    unreal = (
        Note(text, "warning", "impossible-inertia", body.name) for body in mech.bodies for text in body_doubts(body)
    )
    size = max(positive, default=0.0)
    return (
        *far,
        *_masses(mech),
        *_spread(mech, size),
        *_units(mech, 0.0 if far else size),
        *unreal,
    )


def _lengths(mech: Mechanism) -> Iterator[tuple[str, float]]:
    for joint in (*mech.joints, *mech.loops):
        yield f"joint '{joint.name}' stands {{}} from its parent's origin", math.hypot(*joint.at.xyz)
        yield f"joint '{joint.name}' stands {{}} from its child's origin", math.hypot(*joint.child_at.xyz)
    for body in mech.bodies:
        yield f"the mass centre of body '{body.name}' lies {{}} from its origin", math.hypot(*body.inertia.com)
    for frame in mech.frames:
        yield f"frame '{frame.name}' lies {{}} from its body's origin", math.hypot(*frame.pose.xyz)


def _far(what: str, size: float, middle: float) -> Note:
    text = f"{size / middle:.0f} times the usual length here; were millimetres meant?"
    return Note(f"{what.format(f'{size:g} m')}, {text}", "warning", "far-away", what.split("'")[1], size)


def _masses(mech: Mechanism) -> Iterator[Note]:
    masses = [body.inertia.mass for body in mech.bodies if body.inertia.mass > 0.0]
    middle = median(masses) if len(masses) > 2 else math.inf
    for body in mech.bodies:
        if body.inertia.mass > HEAVY * middle:
            ratio = f"{body.inertia.mass / middle:.0f} times the usual mass here"
            text = f"body '{body.name}' has the mass {body.inertia.mass:g} kg, {ratio}; is the unit right?"
            yield Note(text, "warning", "heavy", body.name, body.inertia.mass)


def _spread(mech: Mechanism, size: float) -> Iterator[Note]:
    for body in mech.bodies:
        radius = _gyration(body)
        if size > 0.0 and radius > WIDE * size:
            yield Note(
                f"body '{body.name}' has the radius of gyration {radius:.3g} m in a machine of {size:.3g} m; "
                "were kg mm^2 meant?",
                "warning",
                "wide",
                body.name,
                radius,
            )


def _units(mech: Mechanism, size: float) -> Iterator[Note]:
    """A whole machine in other units: too large, too small in its inertias, or too heavy."""
    slim = [body.name for body in mech.bodies if 0.0 < _gyration(body) < NARROW * math.hypot(*body.inertia.com)]
    if size > HUGE:
        text = f"the machine is {size:.3g} m large; were millimetres meant? Bare numbers are metres"
        yield Note(text, "warning", "huge", mech.name, size)
    elif slim:
        named = ", ".join(f"'{name}'" for name in slim)
        text = f"the inertias of {named} are tiny for the place of the mass centre; is the unit right?"
        yield Note(text, "warning", "narrow", slim[0])
    if math.hypot(*mech.gravity) > STRONG:
        text = f"gravity is {math.hypot(*mech.gravity):g} m/s^2; were mm/s^2 meant? On earth it is 9.81"
        yield Note(text, "warning", "strong-gravity", "gravity", math.hypot(*mech.gravity))


def written_doubts(mech: Mechanism) -> tuple[Note, ...]:
    """A note for every value of a native file that its writer may have meant otherwise."""
    return (*_angles(mech), *_idle_homes(mech))


def _angles(mech: Mechanism) -> Iterator[Note]:
    """Angles that look like degrees."""
    home = dict(mech.home)
    for joint in (*mech.joints, *mech.loops):
        told = {"home": home.get(joint.name, ()), "lower": joint.limits.lower, "upper": joint.limits.upper}
        for what, values in told.items():
            for part, value in zip(getattr(joint.kind, "q_parts", ()), values, strict=False):
                if part in ("angle", "first", "second") and TURNS < abs(value) < math.inf:
                    text = f"'{what}' of joint '{joint.name}' is {value:.6g} rad, {abs(value) / math.tau:.1f} turns"
                    text += f"; were degrees meant? Write '{value:g} deg'"
                    yield Note(text, "warning", "turns", joint.name, value)


def _idle_homes(mech: Mechanism) -> Iterator[Note]:
    """Home positions of joints outside the tree, which have no coordinates to set."""
    for name in (loop.name for loop in mech.loops if loop.name in dict(mech.home)):
        text = f"the home position of joint '{name}' is not used, because the joint is cut to open a loop"
        text += "; give it for the other joints, or list the joints to cut under 'loops'"
        yield Note(text, "warning", "unused-home", name)


def _gyration(body: Body) -> float:
    largest = max(body.inertia.tensor[i][i] for i in range(3))
    return math.sqrt(max(largest, 0.0) / body.inertia.mass) if body.inertia.mass > 0.0 else 0.0
