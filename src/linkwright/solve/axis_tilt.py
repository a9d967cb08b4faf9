"""Axes of joints on a body that are parallel but for a small tilt, as rounded numbers in a file leave them.

A loop whose axes are parallel moves in a plane, and its equations out of the plane repeat each other. A tilt of one
axis makes them independent, however small it is: the loop is then locked, or moves as no real one does. What is
compared are the axes that one body carries, which is the same in every configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from linkwright.algebra.pose import frame_with_z
from linkwright.dataclass import dataclass
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import listed
from linkwright.mechanism.records import Joint
from linkwright.numerics.tolerances import PARALLEL_AXES, ROUNDED_AXES

_FEWEST = 4  # joints of a loop that can move in a plane


@dataclass(frozen=True)
class Tilt:
    """A joint whose axis is tilted from those of others.

    Attributes:
        joint: its name.
        angle: from their direction, or, where it slides, out of the plane across it [rad].
        others: names of the joints to whose axes it is compared.
        slides: whether it slides.
    """

    joint: str
    angle: float
    others: tuple[str, ...]
    slides: bool = False

    def __str__(self) -> str:
        several = len(self.others) > 1
        others = f"{'those' if several else 'that'} of {listed('joint', 'joints', self.others)}"
        degrees = f"{self.angle:.2g} rad ({np.degrees(self.angle):.2g} degrees)"
        if self.slides:
            axes = "axes" if several else "axis"
            names = listed("joint", "joints", self.others)
            return f"the slide of joint '{self.joint}' leaves the plane across the {axes} of {names} by {degrees}"
        return f"the axis of joint '{self.joint}' is tilted by {degrees} from {others}"

    @property
    def remedy(self) -> str:
        """What makes a loop planar."""
        square = "square to the axes" if self.slides else "parallel to the axes"
        return f"make the direction of joint '{self.joint}' {square} of the others"


@dataclass(frozen=True, eq=False)
class BodyAxis:
    """An axis of a joint in the frame of a body that it holds, a unit vector; `slides`: of sliding, not of turning."""

    joint: str
    direction: np.ndarray
    slides: bool

    def tilt_from(self, other: BodyAxis) -> float:
        """Angle from being parallel, or, of a slide and an axis of turning, from being square [rad]."""
        sine = float(np.linalg.norm(np.cross(self.direction, other.direction)))
        cosine = abs(float(self.direction @ other.direction))
        return float(np.arctan2(sine, cosine) if self.slides == other.slides else np.arctan2(cosine, sine))


def body_axes(mech: Mechanism) -> dict[str, list[BodyAxis]]:
    """The axes of joints that every body carries, the base too."""
    out: dict[str, list[BodyAxis]] = {name: [] for name in (mech.base, *mech.names)}
    for joint in (*mech.joints, *mech.loops):
        axes, slides = joint.kind.axes, joint.kind.keeps_orientation
        for body, pose, axis in ((joint.parent, joint.at, axes[:1]), (joint.child, joint.child_at, axes[-1:])):
            for each in axis:
                direction = np.array(pose.R @ frame_with_z(each), dtype=float)[:, 2]
                out[body].append(BodyAxis(joint.name, direction, slides))
    return out


def rounded_tilt(mech: Mechanism) -> Tilt | None:
    """The joint whose axis is tilted most from others on its bodies by what rounding of a file's digits leaves.

    None where axes are parallel, or are not meant to be. A joint that is tilted from the others of both of its bodies
    counts before these, which are tilted from it on one.
    """
    pairs = [
        (a, b, angle)
        for axes in body_axes(mech).values()
        for a, b in combinations(axes, 2)
        if not (a.slides and b.slides) and (angle := a.tilt_from(b)) <= ROUNDED_AXES
    ]
    if max((angle for *_, angle in pairs), default=0.0) < PARALLEL_AXES:
        return None
    total: dict[str, float] = {}
    for a, b, angle in pairs:
        for axis in (a, b):
            total[axis.joint] = total.get(axis.joint, 0.0) + angle
    worst = max(total, key=lambda name: total[name])
    return _tilt_of(worst, pairs)


def _tilt_of(name: str, pairs: Sequence[tuple[BodyAxis, BodyAxis, float]]) -> Tilt:
    """The tilt of a joint from those with which it is compared."""
    own = [(a, b, angle) if a.joint == name else (b, a, angle) for a, b, angle in pairs if name in (a.joint, b.joint)]
    others = tuple(dict.fromkeys(b.joint for _, b, _ in own if b.joint != name))
    return Tilt(name, max(angle for *_, angle in own), others, own[0][0].slides)


def odd_axis(mech: Mechanism, around: Sequence[str]) -> Tilt | None:
    """The one joint that keeps a loop of the named joints from being planar: all other axes are parallel.

    None where there is no such one, and in loops with joints that turn about several axes, which are spatial anyway.
    """
    joints = [joint for joint in (*mech.joints, *mech.loops) if joint.name in around]
    if len(joints) < _FEWEST or not all(len(joint.kind.axes) == 1 for joint in joints):
        return None
    pairs = [pair for axes in body_axes(mech).values() for pair in _pairs_of_loop(axes, joints)]
    odd = [pair for pair in pairs if pair[2] > ROUNDED_AXES]
    if not 1 <= len(odd) <= 2 or any(a.slides and b.slides for a, b, _ in odd):
        return None
    names = [{a.joint, b.joint} for a, b, _ in odd]
    common = set.intersection(*names)
    if len(odd) == 2 and len(common) != 1:
        return None
    later = [joint.name for joint in joints if joint.name in common]
    return _tilt_of(later[-1], odd)


def _pairs_of_loop(axes: Sequence[BodyAxis], joints: Sequence[Joint]) -> list[tuple[BodyAxis, BodyAxis, float]]:
    """Pairs of axes of a body that belong to joints of one loop, with their tilt; pairs of slides have none."""
    names = {joint.name for joint in joints}
    own = [axis for axis in axes if axis.joint in names]
    return [(a, b, 0.0 if a.slides and b.slides else a.tilt_from(b)) for a, b in combinations(own, 2)]
