"""Forces on a mechanism besides its actuators' efforts: wrenches on bodies, end stops (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.kernels.setup import Setup
from linkwright.kernels.stages import Stage
from linkwright.simulation.problem.stops import Stop, stopped


@dataclass(frozen=True)
class Acting:
    """Wrenches on bodies that are given with the efforts, and end stops.

    Attributes:
        bodies: numbers of the bodies that wrenches act on, in the order in which they are given.
        stops: limits of joints that push back.
    """

    bodies: tuple[int, ...] = ()
    stops: tuple[Stop, ...] = ()

    @property
    def n_wrenches(self) -> int:
        """Numbers that are given behind the efforts."""
        return 6 * len(self.bodies)

    def on(self, stage: Stage, q: Vec, v: Vec, given: Vec) -> Applied:
        """What acts at a state; `given` are the efforts, then the wrenches on the bodies, each in its body's frame."""
        setup = stage.setup
        tau, lost = given[: len(setup.drives)], 0.0
        outer = self._wrenches(setup, given[len(tau) :])
        if self.stops:
            more, tau, lost = stopped(setup, self.stops, q, v, tau)
            stage = stage.on(more)
        return Applied(stage, tau, outer, lost)

    def _wrenches(self, setup: Setup, given: Vec) -> tuple[Any, ...]:
        if not self.bodies:
            return ()
        w_ext = np.zeros((len(setup.tree.links), 6), dtype=given.dtype)
        w_ext[list(self.bodies)] = given.reshape(-1, 6)
        return (w_ext,)


@dataclass(frozen=True, eq=False)
class Applied:
    """What acts at a state: a stage with all drives, their efforts, the wrenches on all bodies if there are any, and
    the power lost in end stops [W]."""

    stage: Stage
    tau: Vec
    outer: tuple[Any, ...]
    lost: Any


NOTHING = Acting()
