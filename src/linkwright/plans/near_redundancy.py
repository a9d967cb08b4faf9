"""Overconstrained loops whose equations disagree by little, as tilted axes and rounded numbers leave them.

A loop whose axes are parallel moves in a plane, and its equations out of the plane repeat each other. A tilt of one
axis makes them independent, however small it is: the loop is then locked, or moves as no real one does. What is
compared are the axes that one body carries, which is the same in every configuration.

Three cranks of nearly equal lengths between two bars hold them with four equations for four velocities. With equal
lengths one equation would follow from the others and the mechanism would move; with lengths as a file rounds them no
configuration closes, or some isolated ones do. What a user means is the motion. So where no configuration near home
closes, the residual is small, and the equations that keep it repeat others but for as much, these are left out
("released"): the others close exactly, and the residual of the released ones is reported.

A planar loop one of whose axes is tilted by what a file's digits leave closes at home and is locked there. What a user
means is the motion in the plane, and the equations that only the tilt keeps from repeating others are released too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.findings import Finding
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import Setup
from linkwright.functions.store import Kernels
from linkwright.functions.tree import displacement_functions
from linkwright.loops.closure import closure_of
from linkwright.loops.cut_joints import equations_of_cut_joint, joints_of_loop
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import counted_noun, list_of_names
from linkwright.mechanism.records import Joint
from linkwright.numerics.dense import count_above, least_norm, singular_values
from linkwright.numerics.tolerances import (
    CLOSED,
    EFFECT_OF_TILT,
    NEARLY_CLOSED,
    NEARLY_REPEATED,
    PARALLEL_AXES,
    REPEATED_EQUATION,
    ROUNDED_AXES,
    SLIGHT_TILT,
    SOLVED,
    TINY,
)
from linkwright.plans.closure_newton import close_all, limit_steps, right_way_round, row_names
from linkwright.plans.rank import Block, blocks_of_pattern, standing_out
from linkwright.plans.scales import Scales, scales_of_mechanism

# --- axes of joints on a body that are parallel but for a small tilt, as rounded numbers in a file leave them ---------

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


# --- overconstrained loops whose equations disagree by little: those that repeat others are left out ------------------

# Motions from the home, steps of each, how far the fastest velocity moves in a step; steps of a closing.
_MOTIONS, _STEPS, _STRIDE = 4, 6, 0.05
_CLOSING_STEPS = 40

# How far a motion goes that goes on; one that only begins comes back to the home.
_GOES_ON = 0.05


@dataclass(frozen=True)
class Released:
    """A closure equation that is left out.

    Attributes:
        loop: name of the cut joint.
        number: of the equation among those of the joint.
        equation: what it demands.
        residual: by how much it is open where the others close, [m, or sine of an angle].
    """

    loop: str
    number: int
    equation: str
    residual: float


def near_redundancy_finding(mech_name: str, released: Sequence[Released], tilt: Tilt | None = None) -> Finding:
    """The warning that loops close, or move, only with equations left out that repeat others but for rounding."""
    worst = max(released, key=lambda r: r.residual)
    names = list_of_names("loop", "loops", list(dict.fromkeys(r.loop for r in released)))
    if tilt is not None:
        return Finding(
            "rounded-axis",
            f"{tilt} of '{mech_name}', as rounded numbers are, and with this tilt {names} could not move; the axes are "
            f"taken as parallel: {counted_noun(len(released), 'closure equation')} of {names} that would repeat "
            "others are "
            f"left out, and open by up to {worst.residual:.2g} on the way",
            f"write the axis of joint '{tilt.joint}' (or the orientation of the frame it is given in) with more digits",
            "warning",
            tilt.joint,
            tilt.angle,
        )
    return Finding(
        "nearly-closed",
        f"{names} of '{mech_name}' cannot close exactly: its equations repeat those of other loops and disagree with "
        f"them by {worst.residual:.2g}, as rounded numbers do; of loop '{worst.loop}' it is left out that "
        f"{worst.equation}, all other equations hold",
        "give the lengths of these loops more digits, or leave out the loops that repeat others",
        "warning",
        worst.loop,
        worst.residual,
    )


def tilt_finding(mech_name: str, mobility: int, tilt: Tilt) -> Finding:
    """The warning that a tilted axis locks a loop."""
    return Finding(
        "tilted-axis",
        f"mechanism '{mech_name}' has {counted_noun(mobility, 'degree')} of freedom, because {tilt} of its loop: with "
        "parallel axes the loop could move in its plane",
        f"give joint '{tilt.joint}' the direction of the others, or make it a universal or spherical joint if the tilt "
        "is real",
        "warning",
        tilt.joint,
        tilt.angle,
    )


def nearly_closed(kernels: Kernels, start: np.ndarray) -> tuple[np.ndarray, tuple[Released, ...], Tilt | None] | None:
    """A configuration near `start` (nq,) that closes all equations but some that repeat others, or None.

    With the tilt of axes that explains why it does not close all.
    """
    if kernels.setup.inputs is not None:
        return None
    tilt = rounded_tilt(kernels.here.mech)
    system = _System.with_tilt(kernels, tilt)
    q = system.least_squares(start[None, :])
    gap = system.residual(q)[0]
    if not CLOSED < np.abs(gap).max(initial=0.0) < system.most:
        return None
    rows = [
        row
        for block in system.blocks
        if np.abs(gap[block.rows]).max() > CLOSED
        for row in system.repeated_rows(block, system.along(block, q))
    ]
    without = released_kernels(kernels, [_released_row_record(kernels, row, 0.0) for row in rows])
    closed = close_all(without, q)
    left = np.abs(system.residual(closed.q)[0])
    if not rows or not (closed.gap[0] < CLOSED and left.max() < system.most):
        return None
    found = [
        _released_row_record(kernels, row, float(left[row] * system.scale.rows[row]))
        for row in rows
        if left[row] > CLOSED
    ]
    final = close_all(released_kernels(kernels, found), closed.q)
    good = final.gap[0] < CLOSED and right_way_round(kernels, final.q)[0]
    if not good:
        return None
    caused = tilt is not None and max(each.residual for each in found) < EFFECT_OF_TILT * tilt.angle
    return final.q[0], tuple(found), tilt if caused else None


def repeated_but_for_tilt(kernels: Kernels, q: np.ndarray) -> tuple[tuple[Released, ...], Tilt | None]:
    """Equations that repeat others at the closed q (nq,) but for a tilt of nearly parallel axes, and that tilt.

    Without equations the tilt is one that locks a loop and is too large for rounding; None where there is none.
    """
    tilt = rounded_tilt(kernels.here.mech)
    if tilt is not None:
        system = _System.with_tilt(kernels, tilt)
        found = [row for block in system.blocks for row in _repeated_along(system, block, q)]
        if found:
            return tuple(found), tilt
    return (), _locking_tilt(kernels, q)


def _repeated_along(system: _System, block: Block, q: np.ndarray) -> list[Released]:
    """Equations of the loops of a block that repeat others but for rounding along a motion that goes on."""
    s = singular_values(block.of(system.jacobian(q[None, :])[0]))
    if not np.any((s > REPEATED_EQUATION * s[0]) & (s < system.share * s[0])):
        return []
    along = system.along(block, q[None, :])
    left = np.abs(system.residual(along)).max(axis=0)
    rows = [row for row in system.repeated_rows(block, along) if left[row] > CLOSED]
    if system.distance(q, along) < _GOES_ON or left[block.rows].max(initial=0.0) > system.most:
        return []
    return [_released_row_record(system.kernels, row, float(left[row] * system.scale.rows[row])) for row in rows]


def _locking_tilt(kernels: Kernels, q: np.ndarray) -> Tilt | None:
    """The tilt of one axis of a loop that cannot move at q (nq,) and would be planar without it."""
    setup = kernels.here
    tilts = {loop.name: odd_axis(setup.mech, joints_of_loop(setup.tree, loop)) for loop in setup.closure.loops}
    slight = {name: tilt for name, tilt in tilts.items() if tilt is not None and tilt.angle < SLIGHT_TILT}
    if not slight:
        return None
    system, names = _System.with_tilt(kernels, None), row_names(setup.closure)
    for block in system.blocks:
        s = singular_values(block.of(system.jacobian(q[None, :])[0]))
        if count_above(s, REPEATED_EQUATION) == len(block.columns):
            return next((slight[names[row]] for row in block.rows.tolist() if names[row] in slight), None)
    return None


def released_kernels(kernels: Kernels, released: Sequence[Released]) -> Kernels[Setup]:
    """Kernels of the mechanism without some of its closure equations."""
    drawn: Setup = kernels.setup
    by_loop = {loop.name: [r.number for r in released if r.loop == loop.name] for loop in drawn.closure.loops}
    rows = tuple(tuple(numbers) for numbers in by_loop.values())
    return Kernels(replace(drawn, closure=closure_of(drawn.mech, drawn.simplified, drawn.closure.flipped, rows)))


def _released_row_record(kernels: Kernels, row: int, residual: float) -> Released:
    """A row of the loops' equations as a record."""
    every = [
        (loop.name, i, eq) for loop in kernels.setup.closure.loops for i, eq in enumerate(equations_of_cut_joint(loop))
    ]
    name, number, equation = every[row]
    return Released(name, number, equation.description, residual)


@dataclass(frozen=True, eq=False)
class _System:
    """The closure equations of a mechanism in units of its size.

    Attributes:
        kernels: of the mechanism. scale: its sizes.
        share: of the largest singular value, below which those of equations lie that repeat others.
        most: residual of equations that count as repeating others [rad, or shares of the mechanism's length].
    """

    kernels: Kernels
    scale: Scales
    share: float
    most: float

    @staticmethod
    def with_tilt(kernels: Kernels, tilt: Tilt | None) -> _System:
        """The equations of a mechanism whose axes have a tilt."""
        effect = EFFECT_OF_TILT * (0.0 if tilt is None else tilt.angle)
        scale = scales_of_mechanism(kernels.setup.mech, kernels.setup.closure)
        return _System(kernels, scale, max(NEARLY_REPEATED, effect), max(NEARLY_CLOSED, effect))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Loops that share velocities."""
        return blocks_of_pattern(self.kernels.pattern(closure_functions.closure_jacobian))

    def residual(self, q: np.ndarray) -> np.ndarray:
        """Scaled residuals (n, m)."""
        return np.asarray(self.kernels.function(closure_functions.closure_residual)(q)) / self.scale.rows

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Their derivatives (n, m, nv) by the scaled velocities."""
        J = self.kernels.function(closure_functions.exact_closure_jacobian)(q)
        return np.asarray(J / self.scale.rows[:, None] * self.scale.speeds)

    def displace(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """Configurations displaced by scaled velocities."""
        return np.asarray(self.kernels.function(closure_functions.advanced)(q, dv * self.scale.speeds))

    def distance(self, start: np.ndarray, q: np.ndarray) -> float:
        """How far the fastest velocity moves from `start` (nq,) to the farthest of the configurations q (n, nq)."""
        moved = self.kernels.function(displacement_functions.difference)(np.broadcast_to(start, q.shape), q)
        return float(np.abs(moved / self.scale.speeds).max(initial=0.0))

    def least_squares(self, q: np.ndarray) -> np.ndarray:
        """Configurations near q (n, nq) whose residual has no part that a motion removes, rows that repeat aside."""
        for _ in range(_CLOSING_STEPS):
            dv = -least_norm(self.jacobian(q), self.residual(q), self.share)
            q = self.displace(q, limit_steps(dv))
            if np.abs(dv).max(initial=0.0) < SOLVED:
                break
        return q

    def repeated_rows(self, block: Block, along: np.ndarray) -> list[int]:
        """Rows of the loops of a block that repeat others in the configurations `along` a motion, (n, nq)."""
        J = block.of(self.jacobian(along))
        s = singular_values(J)
        rank = int(count_above(s, self.share).max())
        kept = {int(block.rows[i]) for i in standing_out(J, rank)}
        couplings = self.kernels.setup.closure.n_all - len(self.kernels.setup.closure.couplings)
        return [row for row in block.rows.tolist() if row not in kept and row < couplings]

    def along(self, block: Block, start: np.ndarray) -> np.ndarray:
        """Configurations along motions of a block's velocities that keep their direction, (n, nq)."""
        rng = np.random.default_rng(6)
        q, out = np.repeat(start, _MOTIONS, axis=0), [start]
        dv = np.zeros((_MOTIONS, self.kernels.setup.tree.nv))
        dv[:, block.columns] = rng.normal(size=(_MOTIONS, len(block.columns)))
        for _ in range(_STEPS):
            J = self.jacobian(q)
            dv = dv - least_norm(J, np.einsum("nmv,nv->nm", J, dv), self.share)
            dv = dv / np.maximum(np.abs(dv).max(axis=1, keepdims=True), TINY)
            q = self.least_squares(self.displace(q, _STRIDE * dv))
            out.append(q)
        return np.concatenate(out)
