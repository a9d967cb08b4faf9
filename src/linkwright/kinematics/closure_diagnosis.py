"""Loops that no start closes: by how much, in which direction, and whether only their orientations are in the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright import joints as kinds
from linkwright.dataclass import dataclass
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import setup
from linkwright.functions.store import Kernels
from linkwright.loops.closure import relative_poses
from linkwright.loops.cut_joints import joints_of_loop
from linkwright.mechanism.names import list_of_names
from linkwright.numerics.tolerances import CLOSED, TINY
from linkwright.plans.closure_newton import Group, close_all, loop_groups, row_names
from linkwright.plans.near_redundancy import Tilt, odd_axis
from linkwright.plans.scales import scales_of_mechanism

# Starts from which loops are tried with their orientations left free.
_RETRIED = 64


@dataclass(frozen=True)
class OpenLoop:
    """A loop that stays open in every configuration tried, with the loops that share joints with it.

    Attributes:
        loop: the cut joint or coupling that is open most where its group is open least.
        residual: its closure residual there, [m, or sine of an angle].
        distance: between the origins of its two frames there [m]; NaN of a coupling.
        direction: of the successor frame's origin in the axes of the predecessor frame, a unit vector.
        angle: by which the successor frame is turned against what the joint leaves free: its axis against that of the
            predecessor frame, or all of it where the joint does not turn [rad]; NaN where the joint turns freely.
        starts: number of configurations tried.
        others: other loops of the group that are open there.
        origins_meet: whether the loops close once fixed cut joints are made spherical: the origins of the two frames
            meet, their orientations do not.
        tilt: the one axis that is not parallel to all others around the loop, where there is such a one.
    """

    loop: str
    residual: float
    distance: float
    direction: tuple[float, float, float]
    angle: float
    starts: int
    others: tuple[str, ...]
    origins_meet: bool
    tilt: Tilt | None = None

    @property
    def description(self) -> str:
        """The smallest residual, where it points, and what goes with it."""
        also = f", and {list_of_names('loop', 'loops', self.others)} with it" if self.others else ""
        where = ""
        if not np.isnan(self.distance):
            x, y, z = self.direction
            where = (
                f" (the origins of its frames are {self.distance:.3g} m apart along ({x:.2f}, {y:.2f}, {z:.2f}) of the "
                f"predecessor frame{'' if np.isnan(self.angle) else f', their axes {_degrees_text(self.angle)}'})"
            )
        mismatch = (
            "; with spherical instead of fixed cut joints it closes: the origins of the two frames can meet, their "
            "orientations cannot (a 3D closure written as 6D)"
            if self.origins_meet
            else ""
        )
        tilt = "" if self.tilt is None else f"; {self.tilt} around this loop"
        return (
            f"the best of {self.starts} starts leaves a closure residual of {self.residual:.3g}{where}{also}{mismatch}"
            f"{tilt}"
        )

    @property
    def way_out(self) -> str:
        """What to change, where that is known; else ""."""
        if self.tilt is None:
            return ""
        return f"if the loop is planar, {self.tilt.remedy}"


def find_open_groups(kernels: Kernels, tried: np.ndarray) -> tuple[OpenLoop, ...]:
    """The groups of loops that no row of `tried` (n, nq) closes, the one that is open most first."""
    scale = scales_of_mechanism(kernels.setup.mech, kernels.setup.closure)
    gap = np.abs(kernels.function(closure_functions.closure_residual)(tried)) / scale.rows
    gap = np.where(np.isfinite(gap), gap, np.inf)
    found = []
    for group in loop_groups(kernels):
        size = gap[:, group.rows].max(axis=1)
        best = int(np.argmin(size))
        if size[best] > CLOSED:
            found.append((float(size[best]), _describe_open_loop(kernels, group, tried, best, gap[best], scale.rows)))
    return tuple(loop for _, loop in sorted(found, key=lambda pair: -pair[0]))


def _describe_open_loop(
    kernels: Kernels, group: Group, tried: np.ndarray, best: int, gap: np.ndarray, units: np.ndarray
) -> OpenLoop:
    names = row_names(kernels.setup.closure)
    row = int(group.rows[np.argmax(gap[group.rows])])
    loops = {loop.name: i for i, loop in enumerate(kernels.setup.closure.loops)}
    still_open = {names[r]: None for r in group.rows.tolist() if gap[r] > CLOSED}
    distance, direction, angle = np.nan, np.zeros(3), np.nan
    if names[row] in loops:
        pose = relative_poses(kernels.here.closure, tried[best])[loops[names[row]]]
        distance = float(np.linalg.norm(pose.d))
        direction = pose.d / max(distance, TINY)
        angle = _turn_against(kernels.setup.closure.loops[loops[names[row]]].kind, pose.Q)
    return OpenLoop(
        names[row],
        float(gap[row] * units[row]),
        distance,
        (float(direction[0]), float(direction[1]), float(direction[2])),
        angle,
        len(tried),
        tuple(name for name in still_open if name != names[row]),
        _origins_meet(kernels, set(still_open), tried[:_RETRIED]),
        next((tilt for name in still_open if name in loops and (tilt := _odd_axis(kernels, loops[name]))), None),
    )


def _odd_axis(kernels: Kernels, loop: int) -> Tilt | None:
    found = kernels.here.closure.loops[loop]
    return odd_axis(kernels.here.mech, joints_of_loop(kernels.here.tree, found))


def _degrees_text(angle: float) -> str:
    return f"{np.degrees(angle):.3g} degrees"


def _turn_against(kind: kinds.JointKind, Q: np.ndarray) -> float:
    """Angle by which the rotation Q (3, 3) between a cut joint's frames breaks its equations; NaN where it has none."""
    if kind.keeps_orientation:
        return float(np.arccos(np.clip((np.trace(Q) - 1.0) / 2.0, -1.0, 1.0)))
    if kind.keeps_axis:
        return float(np.arctan2(np.hypot(Q[0, 2], Q[1, 2]), Q[2, 2]))
    return float(np.arcsin(min(1.0, abs(float(Q[2, 2]))))) if len(kind.axes) == 2 else float("nan")


def _origins_meet(kernels: Kernels, names: set[str], tried: np.ndarray) -> bool:
    """Whether some loops close once those of them that are fixed are made spherical."""
    mech = kernels.setup.mech
    if kernels.setup.inputs is not None or not any(j.name in names and j.kind.is_rigid for j in mech.loops):
        return False
    eased = tuple(replace(j, kind=kinds.Spherical()) if j.name in names and j.kind.is_rigid else j for j in mech.loops)
    other = Kernels(setup(replace(mech, loops=eased, actuators=()), ()))
    closed = close_all(other, tried)
    gap = np.abs(other.function(closure_functions.closure_residual)(closed.q))
    rows = [r for r, name in enumerate(row_names(other.setup.closure)) if name in names]
    return bool(np.min(gap[:, rows].max(axis=1)) < CLOSED)
