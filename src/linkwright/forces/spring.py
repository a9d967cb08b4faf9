"""A linear spring along the coordinates of a joint."""

from __future__ import annotations

from linkwright.algebra.vectors import keep_tuples
from linkwright.dataclass import dataclass


@dataclass(frozen=True)
class Spring:
    """A linear spring along each coordinate of a joint: force -stiffness (q - rest)."""

    stiffness: tuple[float, ...]
    rest: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        keep_tuples(self, "stiffness", "rest")
