"""What stays while inputs of a model change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from linkwright.dataclass import dataclass


@dataclass(frozen=True)
class FixedPose:
    """A frame whose pose stays while inputs of a model change, in derivatives with loops kept closed.

    Attributes:
        frame: a frame or body; None takes the model's output, as `inverse_kinematics` does.
        components: those of x y z rx ry rz that stay; None for all in which the frame moves.
    """

    frame: str | None = None
    components: Sequence[str] | None = None


Fixed = Literal["actuators", "pose", "state"] | FixedPose
"""What stays while an input changes."""
