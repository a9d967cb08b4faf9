"""Values that are allowed but look like a slip: lengths in millimeters, grams as kilograms, inertias elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.findings import Finding, Path
from linkwright.mechanism import Body, Mechanism
from linkwright.mechanism.validation import body_doubts, body_part
from linkwright.numerics.tolerances import MANY_TURNS

FAR = 300.0  # times the median length of the mechanism; millimeters read as meters are 1000
HEAVY = 1e5  # times the median mass
WIDE = 30.0  # radius of gyration in sizes of the mechanism
NARROW = 1 / 300  # radius of gyration in distances of the mass center from the body's origin; a rod has 0.58
HUGE = 50.0  # m
STRONG = 100.0  # m/s^2


def doubts_about_values(mech: Mechanism) -> tuple[Finding, ...]:
    """A finding for every value that is out of proportion with the others of the mechanism.

    >>> from linkwright.joints import Revolute
    >>> from linkwright.mechanism import Joint, Inertia
    >>> from linkwright.algebra.transforms import RigidTransform
    >>> bodies = tuple(Body(f"b{i}", Inertia(1.0)) for i in range(3))
    >>> spots = (RigidTransform((0.1, 0.0, 0.0)), RigidTransform((0.2, 0.0, 0.0)), RigidTransform((300.0, 0.0, 0.0)))
    >>> joints = tuple(Joint(f"j{i}", "ground", f"b{i}", Revolute(), spot) for i, spot in enumerate(spots))
    >>> print(doubts_about_values(Mechanism("m", bodies, joints))[0])
    joint 'j2' is 300 m from its parent's origin, 1500 times the usual length here; were millimeters meant?
    """
    sizes = list(_lengths_in_mechanism(mech))
    positive = [each.size for each in sizes if each.size > 0.0]
    middle = median(positive) if len(positive) > 2 else 0.0
    far = [each.doubt(middle) for each in sizes if middle and each.size > FAR * middle]
    size = max(positive, default=0.0)
    unreal = (doubt for body in mech.bodies for doubt in body_doubts(body))
    return (
        *far,
        *_doubts_about_masses(mech),
        *_doubts_about_gyration(mech, size),
        *_doubts_about_units(mech, 0.0 if far else size),
        *unreal,
    )


@dataclass(frozen=True)
class _Length:
    """A distance in the mechanism: `title` and `end` go before and after it in a message."""

    title: str
    end: str
    size: float  # m
    path: Path

    def doubt(self, middle: float) -> Finding:
        ratio = f"{self.size / middle:.0f} times the usual length here"
        text = f"{self.title} {self.size:g} m from {self.end}, {ratio}"
        return _doubt_finding("far-away", text, "were millimeters meant?", self.size, self.path)


def _doubt_finding(code: str, message: str, fix: str, value: Any, path: Path) -> Finding:
    return Finding(code, message, fix, "warning", str(path[-1]), value, path)


def _lengths_in_mechanism(mech: Mechanism) -> Iterator[_Length]:
    for joint in (*mech.joints, *mech.loops):
        for end, pose in (("parent", joint.at), ("child", joint.child_at)):
            title, path = f"joint '{joint.name}' is", ("joints", joint.name)
            yield _Length(title, f"its {end}'s origin", math.hypot(*pose.xyz), path)
    for body in mech.bodies:
        title = f"the mass center of body '{body.name}' lies"
        yield _Length(title, "its origin", math.hypot(*body.inertia.com), ("bodies", body.name))
    for frame in mech.frames:
        size = math.hypot(*frame.pose.xyz)
        yield _Length(f"frame '{frame.name}' lies", "its body's origin", size, ("frames", frame.name))


def _doubts_about_masses(mech: Mechanism) -> Iterator[Finding]:
    masses = [body.inertia.mass for body in mech.bodies if body.inertia.mass > 0.0]
    middle = median(masses) if len(masses) > 2 else math.inf
    for body in mech.bodies:
        mass = body.inertia.mass
        if mass > HEAVY * middle:
            text = f"has the mass {mass:g} kg, {mass / middle:.0f} times the usual mass here"
            yield body_part(body.name).doubt("heavy", text, "is the unit right?", mass)


def _doubts_about_gyration(mech: Mechanism, size: float) -> Iterator[Finding]:
    for body in mech.bodies:
        radius = _radius_of_gyration(body)
        if size > 0.0 and radius > WIDE * size:
            text = f"has the radius of gyration {radius:.3g} m in a mechanism of {size:.3g} m"
            yield body_part(body.name).doubt("wide-inertia", text, "were kg mm^2 meant?", radius)


def _doubts_about_units(mech: Mechanism, size: float) -> Iterator[Finding]:
    """A whole mechanism in other units: too large, too small in its inertias, or too heavy."""
    slim = [
        body.name for body in mech.bodies if 0.0 < _radius_of_gyration(body) < NARROW * math.hypot(*body.inertia.com)
    ]
    if size > HUGE:
        fix = "were millimeters meant? Bare numbers are meters"
        yield Finding("huge", f"the mechanism is {size:.3g} m large", fix, "warning", mech.name, size)
    elif slim:
        named = ", ".join(f"'{name}'" for name in slim)
        text = f"the inertias of {named} are tiny for the position of the mass center"
        yield _doubt_finding("narrow-inertia", text, "is the unit right?", slim, ("bodies", slim[0]))
    strength = math.hypot(*mech.gravity)
    if strength > STRONG:
        fix = "were mm/s^2 meant? On earth it is 9.81"
        yield _doubt_finding("strong-gravity", f"gravity is {strength:g} m/s^2", fix, strength, ("gravity",))


def written_doubts(mech: Mechanism) -> tuple[Finding, ...]:
    """A finding for every value of a native file that its writer may have meant otherwise."""
    return (*_doubts_about_angles(mech), *_idle_homes(mech))


def _doubts_about_angles(mech: Mechanism) -> Iterator[Finding]:
    """Angles that look like degrees."""
    home = dict(mech.home)
    for joint in (*mech.joints, *mech.loops):
        given = {"home": home.get(joint.name, ()), "lower": joint.limits.lower, "upper": joint.limits.upper}
        for what, values in given.items():
            for part, value in zip(getattr(joint.kind, "q_parts", ()), values, strict=False):
                if part in ("angle", "first", "second") and MANY_TURNS < abs(value) < math.inf:
                    text = f"'{what}' of joint '{joint.name}' is {value:.6g} rad, {abs(value) / math.tau:.1f} turns"
                    fix = f"were degrees meant? Write '{value:g} deg'"
                    yield _doubt_finding("many-turns", text, fix, value, ("joints", joint.name))


def _idle_homes(mech: Mechanism) -> Iterator[Finding]:
    """Home positions of joints outside the tree, which have no coordinates to set."""
    for name in (loop.name for loop in mech.loops if loop.name in dict(mech.home)):
        text = f"the home position of joint '{name}' is not used, because the joint is cut to open a loop"
        fix = "give it for the other joints, or list the joints to cut under 'loops'"
        yield _doubt_finding("unused-home", text, fix, None, ("home", name))


def _radius_of_gyration(body: Body) -> float:
    largest = max(body.inertia.tensor[i][i] for i in range(3))
    return math.sqrt(max(largest, 0.0) / body.inertia.mass) if body.inertia.mass > 0.0 else 0.0
