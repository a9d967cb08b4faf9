"""A mechanism with its values looked at: the stages that follow from its geometry and from its masses."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.kernels.kernels import Kernels
from linkwright.kernels.setup import Setup
from linkwright.solve.dynamics import LoopDynamics
from linkwright.solve.kinematics import LoopKinematics
from linkwright.solve.rank import Rank
from linkwright.solve.scales import Scales
from linkwright.solve.singularities import Generic, generic


class Machine:
    """The two stages of one mechanism, and short names for what they hold.

    Attributes:
        kinematics: closed configurations, independent equations and velocities; works without masses.
        dynamics: elimination orders and kernels for accelerations and efforts.
    """

    def __init__(self, setup: Setup, like: Kernels | None = None) -> None:
        self.kinematics = LoopKinematics(Kernels(setup, like))
        self.dynamics = LoopDynamics(self.kinematics)

    @property
    def open(self) -> Kernels:
        return self.kinematics.open

    @property
    def setup(self) -> Setup:
        return self.kinematics.setup

    @property
    def scales(self) -> Scales:
        return self.kinematics.scales

    @property
    def home(self) -> np.ndarray:
        return self.kinematics.home

    @property
    def branch_samples(self) -> np.ndarray:
        return self.kinematics.branch_samples

    @property
    def samples(self) -> np.ndarray:
        return self.kinematics.samples

    @property
    def rank(self) -> Rank:
        return self.kinematics.rank

    @property
    def redundancy(self) -> tuple[str, ...]:
        return self.kinematics.redundancy

    @property
    def mobility(self) -> int:
        return self.kinematics.mobility

    @cached_property
    def generic(self) -> Generic:
        """The graph of all joints and its ranks away from singularities, by which distances to them are measured."""
        return generic(self)

    def loop_of_row(self, row: int) -> str:
        return self.kinematics.loop_of_row(row)

    @cached_property
    def kernels(self) -> Kernels:
        return self.dynamics.kernels

    @cached_property
    def minimal(self) -> Kernels:
        return self.dynamics.minimal

    def minimal_on(self, speeds: tuple[int, ...]) -> Kernels:
        return self.dynamics.minimal_on(speeds)

    @cached_property
    def actuated(self) -> Kernels:
        return self.dynamics.actuated
