"""Freedoms of a joint as turns and slides, for mobility and singularities."""

from __future__ import annotations

from typing import Any

from linkwright.dataclass import dataclass

COORDINATE_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class JointFreedom:
    """One freedom of a joint: turning about an axis with a pitch [m/rad], or sliding along it (`turns` False).

    The axis is given in the joint's frame on the parent (`side` 0), on the child (1), or in a frame whose z is the
    direction of a rod (2). It passes a point at `share` of the way from the parent's origin to the child's.
    """

    turns: bool
    axis: tuple[Any, ...]
    side: int = 0
    share: float = 0.0
    pitch: Any = 0.0
