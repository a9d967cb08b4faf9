"""Position along a path over time: constant acceleration of the parameter within every interval."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analysis.paths.route import GeometricPath
from linkwright.checks import require_real_array
from linkwright.control.pose_references import Kinematics
from linkwright.control.references import Motion
from linkwright.dataclass import dataclass
from linkwright.model.pose import Pose

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PathTiming:
    """The parameter s of a path over time.

    Attributes:
        s: values at the ends of intervals, (n + 1,). x: squares of ds/dt there, (n + 1,).
    """

    s: Array
    x: Array

    @property
    def rate(self) -> Array:
        """ds/dt at the ends of intervals, (n + 1,)."""
        return np.sqrt(self.x)

    @property
    def second(self) -> Array:
        """d^2s/dt^2 in the intervals, (n,)."""
        return 0.5 * np.diff(self.x) / np.diff(self.s)

    @cached_property
    def t(self) -> Array:
        """Times at the ends of intervals, (n + 1,), [s]."""
        return np.concatenate([[0.0], np.cumsum(2.0 * np.diff(self.s) / (self.rate[1:] + self.rate[:-1]))])

    @property
    def duration(self) -> float:
        """Time of the whole path, [s]."""
        return float(self.t[-1])

    def at(self, t: Any) -> tuple[Array, Array, Array]:
        """s, ds/dt and d^2s/dt^2 at times; at rest outside."""
        given = require_real_array("t", t).astype(float)
        now = np.clip(given, 0.0, self.duration)
        i = np.clip(np.searchsorted(self.t, now, side="right") - 1, 0, len(self.s) - 2)
        h = now - self.t[i]
        s = np.clip(self.s[i] + h * (self.rate[i] + 0.5 * h * self.second[i]), 0.0, 1.0)
        inside = (given >= 0.0) & (given <= self.duration)
        return s, np.where(inside, self.rate[i] + h * self.second[i], 0.0), np.where(inside, self.second[i], 0.0)


@dataclass(frozen=True, eq=False)
class TimedPoses:
    """A path of a frame over time, a reference for `lw.motion(model, t, pose=...)`."""

    route: GeometricPath
    timing: PathTiming

    def at(self, t: Any) -> Kinematics:
        """Pose, twist and twist rate at times (...)."""
        s, rate, second = self.timing.at(t)
        pose, twist, bend = self.route.poses(np.atleast_1d(s).ravel())
        lead = np.shape(s)
        position, wxyz = (np.asarray(x).reshape(*lead, n) for x, n in zip(pose, (3, 4), strict=True))
        twist, bend = twist.reshape(*lead, 6), bend.reshape(*lead, 6)
        return Pose(position, wxyz), twist * rate[..., None], twist * second[..., None] + bend * (rate**2)[..., None]


@dataclass(frozen=True, eq=False)
class TimedActuators:
    """A path of the actuators over time, a reference for `lw.motion(model, t, q_act=...)`."""

    route: GeometricPath
    timing: PathTiming

    @property
    def size(self) -> int:
        """Number of actuators."""
        return len(self.route.driven)

    def at(self, t: Any) -> Motion:
        """Positions, velocities and accelerations at times (...)."""
        s, rate, second = self.timing.at(t)
        p, d, bend = (x.reshape(*np.shape(s), self.size) for x in self.route.positions(np.atleast_1d(s).ravel()))
        return p, d * rate[..., None], d * second[..., None] + bend * (rate**2)[..., None]
