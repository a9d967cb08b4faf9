"""A closed configuration and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Configuration:
    """Coordinates with every loop closed.

    Attributes:
        q: coordinates, (nq,).
        residual: largest closure residual, [m or 1].
        signs: what computes `branch` when it is first read, or its value.
        distance: the same of `singularity`.
    """

    q: np.ndarray
    residual: float
    signs: str | Callable[[], str] = field(default="", repr=False)
    distance: float | Callable[[], float] = field(default=1.0, repr=False)

    @cached_property
    def branch(self) -> str:
        """Signs of the loops' determinants and of the whole closure, for example `++-|+`; empty for a tree."""
        return self.signs() if callable(self.signs) else self.signs

    @cached_property
    def singularity(self) -> float:
        """Smallest of the distances of `Model.singularity`; 0 at a singularity, 1 at an isotropic pose."""
        return self.distance() if callable(self.distance) else self.distance

    def __reduce__(self) -> tuple[Any, ...]:
        return Configuration, (self.q, self.residual, self.branch, self.singularity)
