"""How the two frames of a cut joint stand and move relative to each other, in the near frame's axes (any scalar)."""

from __future__ import annotations

from linkwright.loops.ends import End, Loop
from linkwright.mechanism import joints as kinds
from linkwright.recursion.motion import Motion
from linkwright.recursion.places import WORLD, Place
from linkwright.recursion.relative import (
    RelativeMotion,
    RelativePose,
    closed_pose,
    frame_motion,
    relative_motion,
    relative_pose,
)

Meeting = RelativePose
Drift = RelativeMotion

_POINT = (kinds.Spherical, kinds.Revolute, kinds.Universal, kinds.Fixed)


def meeting(loop: Loop, places: list[Place]) -> Meeting:
    """Where the far frame stands in the near frame."""
    near, far = (_place(end, places) for end in (loop.near, loop.far))
    return relative_pose(near, far)


def _place(end: End, places: list[Place]) -> Place:
    link = WORLD if end.link < 0 else places[end.link]
    return Place(link.r + link.R @ end.at.r, link.R @ end.at.R)


def closed(loop: Loop, meet: Meeting) -> Meeting:
    """The same meeting with what closure makes zero or one written as such, which costs fewer operations."""
    return closed_pose(loop.kind, meet)


def drift(loop: Loop, meet: Meeting, state: Motion) -> Drift:
    """Relative velocity and acceleration of a closed loop; uniform gravity cancels between the two sides."""
    near, far = (frame_motion(state, end.link, end.at) for end in (loop.near, loop.far))
    return relative_motion(meet, near, far, point=isinstance(loop.kind, _POINT))
