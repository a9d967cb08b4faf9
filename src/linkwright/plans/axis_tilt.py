"""Axes of joints on a body that are parallel but for a small tilt, as rounded numbers in a file leave them.

A loop whose axes are parallel moves in a plane, and its equations out of the plane repeat each other. A tilt of one
axis makes them independent, however small it is: the loop is then locked, or moves as no real one does. What is
compared are the axes that one body carries, which is the same in every configuration.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import list_of_names
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
        others = f"{'those' if several else 'that'} of {list_of_names('joint', 'joints', self.others)}"
        degrees = f"{self.angle:.2g} rad ({np.degrees(self.angle):.2g} degrees)"
        if self.slides:
            axes = "axes" if several else "axis"
            names = list_of_names("joint", "joints", self.others)
            return f"the slide of joint '{self.joint}' leaves the plane across the {axes} of {names} by {degrees}"
        return f"the axis of joint '{self.joint}' is tilted by {degrees} from {others}"

    @property
    def remedy(self) -> str:
        """What makes a loop planar."""
        square = "square to the axes" if self.slides else "parallel to the axes"
        return f"make the direction of joint '{self.joint}' {square} of the others"


@dataclass(frozen=True, eq=False)
class AxisPair:
    """Two joints with axes on one body, and their angle from being parallel, of a slide from being square [rad]."""

    first: Joint
    second: Joint
    angle: float


def axis_pairs(joints: Sequence[Joint], least: float, most: float) -> list[AxisPair]:
    """Pairs of joints that have axes on one body and a tilt between them above `least` and up to `most`."""
    found = []
    for axes in _axes_of_bodies(joints).values():
        directions = np.array([direction for _, direction in axes])
        slides = np.array([joint.kind.keeps_orientation for joint, _ in axes])
        for i, (joint, direction) in enumerate(axes[:-1]):
            rest = directions[i + 1 :]
            apart = np.minimum(np.linalg.norm(rest - direction, axis=1), np.linalg.norm(rest + direction, axis=1))
            parallel, square = 2.0 * np.arcsin(apart / 2.0), np.arcsin(np.minimum(np.abs(rest @ direction), 1.0))
            tilt = np.where(slides[i + 1 :] & slides[i], 0.0, np.where(slides[i + 1 :] == slides[i], parallel, square))
            near = np.flatnonzero((tilt > least) & (tilt <= most)).tolist()
            found += [AxisPair(joint, axes[i + 1 + j][0], float(tilt[j])) for j in near]
    return found


def _axes_of_bodies(joints: Sequence[Joint]) -> dict[str, list[tuple[Joint, np.ndarray]]]:
    """Per body the joints with an axis on it, and the directions of these in its frame, unit vectors."""
    out: dict[str, list[tuple[Joint, np.ndarray]]] = {}
    for joint in joints:
        axes = joint.kind.axes
        for body, pose, axis in ((joint.parent, joint.at, axes[:1]), (joint.child, joint.child_at, axes[-1:])):
            for each in axis:
                direction = np.array(pose.R @ np.array(each), dtype=float)
                out.setdefault(body, []).append((joint, direction / np.linalg.norm(direction)))
    return out


def rounded_tilt(mech: Mechanism) -> Tilt | None:
    """The joint whose axis is tilted most from others on its bodies by what rounding of a file's digits leaves.

    None where axes are parallel, or are not meant to be. A joint that is tilted from the others of both of its bodies
    counts before these, which are tilted from it on one.
    """
    pairs = axis_pairs((*mech.joints, *mech.loops), PARALLEL_AXES, ROUNDED_AXES)
    total: dict[str, float] = {}
    for pair in pairs:
        for joint in (pair.first, pair.second):
            total[joint.name] = total.get(joint.name, 0.0) + pair.angle
    return _tilt_of(max(total, key=lambda name: total[name]), pairs) if total else None


def _tilt_of(name: str, pairs: Sequence[AxisPair]) -> Tilt:
    """The tilt of a joint from those with which it is compared."""
    own = [pair for pair in pairs if name in (pair.first.name, pair.second.name)]
    both = {joint.name: joint for pair in own for joint in (pair.first, pair.second)}
    others = tuple(other for other in both if other != name)
    return Tilt(name, max(pair.angle for pair in own), others, both[name].kind.keeps_orientation)


def odd_axis(mech: Mechanism, around: Sequence[str]) -> Tilt | None:
    """The one joint that keeps a loop of the named joints from being planar: all other axes are parallel.

    None where there is no such one, and in loops with joints that turn about several axes, which are spatial anyway.
    """
    joints = [joint for joint in (*mech.joints, *mech.loops) if joint.name in around]
    if len(joints) < _FEWEST or not all(len(joint.kind.axes) == 1 for joint in joints):
        return None
    odd = axis_pairs(joints, ROUNDED_AXES, np.pi)
    common = set.intersection(*({pair.first.name, pair.second.name} for pair in odd)) if odd else set()
    if not 1 <= len(odd) <= 2 or (len(odd) == 2 and len(common) != 1):
        return None
    return _tilt_of([joint.name for joint in joints if joint.name in common][-1], odd)
