"""Compiled Newton steps to a target, and when the place at which they end is taken.

A jump is taken when its steps shrink from the first on (each at most a share of the one before, the first no longer
than `LONGEST`), so that the solution is the one connected to the start, and when no irreducible block of the Jacobian
has changed its sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import target_functions
from linkwright.functions.loop.target_functions import LONGEST
from linkwright.functions.memo import memo
from linkwright.functions.stages import SquareTarget
from linkwright.functions.store import Kernels
from linkwright.kinematics.batches import LEFT_OPEN, REACHED, TURNED, BatchRows, Ended, repeat_rows
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.target_plans import square_target
from linkwright.numerics.tolerances import CLOSED_STATE, LAST_STEP, REGULAR_STATE, SOLVED

Array = np.ndarray

# Equations that take no part hold as well as the others: within so many times the error of those, or CLOSED_STATE.
_AS_WELL = 100.0


class Steps:
    """Compiled Newton steps to a target.

    Attributes:
        call: q, target and what follows from the values of the mechanism's inputs to a step; see `target_step`.
        nq: number of coordinates.
    """

    def __init__(self, kernels: Kernels[SquareTarget]) -> None:
        code = kernels.code(target_functions.target_step)
        self._code, self.nq = code, kernels.setup.tree.nq
        self.call = code.rest.call if isinstance(code, InputKernel) else code.call

    def given(self, values: Array | None) -> tuple[Array, ...]:
        """What steps take behind q and target: what follows from values of the inputs; None for the nominal ones."""
        if not isinstance(self._code, InputKernel):
            return ()
        return (self._code.prepared if values is None else self._code.first.call(np.ascontiguousarray(values)),)


@memo(valid_at="nominal")
def steps_to(kinematics: Kinematics, frame: str | None, given: tuple[int, ...]) -> Steps | None:
    """Compiled steps to a frame's given components or to the actuators' positions; None where there are none."""
    kernels = square_target(kinematics, frame, given)
    return None if kernels is None else Steps(kernels)


@dataclass(frozen=True)
class Acceptance:
    """When the end of Newton steps is taken.

    Attributes:
        shrinks: largest share of a step of the one before; infinite where damped steps go on no path.
        most: at most so many steps.
        singular: a determinant below this share of its typical size has no sign.
    """

    shrinks: float
    most: int = 25
    singular: float = REGULAR_STATE

    @property
    def on_path(self) -> bool:
        return self.shrinks < np.inf


# A jump all the way; a part of the way, which may be short before a singularity, where steps shrink by one half; and
# damped steps on no path, where modes meet within a share of a leg's own singularity (a pole, a stretched elbow).
JUMP, PART, NO_PATH = Acceptance(0.5), Acceptance(0.6), Acceptance(np.inf, 60, 1e-2)


@dataclass(frozen=True, eq=False)
class Newton:
    """Newton steps of rows from starts to targets.

    Attributes:
        steps: the compiled steps.
        sense: signs that the determinants have to keep, (blocks,) or one row each.
        accept: when their end is taken.
    """

    steps: Steps
    sense: Array
    accept: Acceptance

    def one(self, q: Array, target: Array, given: tuple[Array, ...]) -> tuple[Array, Ended]:
        """The same as `rows` for a single row, with fewer operations in between."""
        call, allowed, singular = self.steps.call, LONGEST, self.accept.singular
        for _ in range(self.accept.most):
            moved, info = call(q, target, *given)
            worst, unused, length, *determinants = info.tolist()
            if worst <= SOLVED or (length <= LAST_STEP and min(map(abs, determinants), default=1.0) > singular):
                turned = any(d * sign < -singular for d, sign in zip(determinants, self.sense.tolist()))
                ended = LEFT_OPEN if _left_open(unused, worst) else TURNED if turned else REACHED
                return moved if length <= LAST_STEP else q, ended
            if not length <= allowed:
                break
            q, allowed = moved, self.accept.shrinks * length
        return q, Ended.OPEN

    def rows(self, q: Array, target: Array, given: tuple[Array, ...]) -> tuple[Array, Array]:
        """Coordinates at the end and how each row ended; (n, nq), (n,)."""
        n, sense = len(q), self.sense
        out, ended, active = np.full((n, self.steps.nq), np.nan), np.full(n, Ended.OPEN, dtype=np.int8), np.arange(n)
        on_path = self.accept.on_path
        allowed: Any = np.full(n, LONGEST if on_path else np.inf)
        going = np.ones(n, dtype=bool)
        for _ in range(self.accept.most):
            before, (q, info) = q, self.steps.call(q, target, *given)
            worst, length = info[:, 0], info[:, 2]
            solved = worst <= SOLVED
            closed = going & (solved | (length <= LAST_STEP))
            short = np.flatnonzero(closed & ~solved)
            closed[short] = self._regular(info[short])
            going &= solved | (length <= allowed)
            if closed.any():
                rows = active[closed]
                out[rows] = np.where(length[closed, None] <= LAST_STEP, q[closed], before[closed])
                ended[rows] = self._judge_rows(info[closed], sense if sense.ndim == 1 else sense[closed])
                going &= ~closed
            left = int(np.count_nonzero(going))
            if not left:
                break
            if on_path:
                allowed = self.accept.shrinks * length
            if 2 * left <= len(going):
                pick = np.flatnonzero(going)
                active, q, allowed, going = active[pick], q[pick], allowed[pick], going[pick]
                target, sense = target[pick], sense if sense.ndim == 1 else sense[pick]
                given = tuple(x if x.ndim == 1 else x[pick] for x in given)
        out[active[going]] = q[going]
        return out, ended

    def _regular(self, info: Array) -> Array:
        """Mask of rows (...,) whose steps follow from the equations: near a singularity a short step proves nothing."""
        return np.abs(info[..., 3:]).min(axis=-1, initial=np.inf) > self.accept.singular

    def _judge_rows(self, info: Array, sense: Array) -> Array:
        """How rows ended whose steps did: (...,) from what the last step reported, (..., 3 + blocks)."""
        turned = (info[..., 3:] * sense).min(axis=-1, initial=0.0) < -self.accept.singular
        left_open = _left_open(info[..., 1], info[..., 0])
        return np.where(left_open, int(LEFT_OPEN), np.where(turned, int(TURNED), int(REACHED)))


def _left_open(unused: Any, worst: Any) -> Any:
    """Return True where equations that take no part in the steps hold less well than the others."""
    return unused > _AS_WELL * worst + CLOSED_STATE


def sense_at(steps: Steps, q: Array, target: Array, given: tuple[Array, ...], singular: float = JUMP.singular) -> Array:
    """Signs of the determinants, (..., blocks), 0 where they are singular."""
    determinants = steps.call(q, target, *given)[1][..., 3:]
    return np.sign(determinants) * (np.abs(determinants) > singular)


def all_hold(steps: Steps, q: Array, rows: BatchRows, within: float) -> Array:
    """Mask of rows (n,) in which all equations hold, those too that take no part in the steps."""
    part = slice(0, rows.count)
    info = steps.call(q, repeat_rows(rows.of(rows.target, part), len(q)), *steps.given(rows.of(rows.values, part)))[1]
    return info[:, 1] <= within


def error_at(steps: Steps, q: Array, rows: BatchRows) -> Array:
    """Largest error of the equations used, in units of the mechanism's size, at q (n, nq)."""
    part = slice(0, rows.count)
    info = steps.call(q, repeat_rows(rows.of(rows.target, part), len(q)), *steps.given(rows.of(rows.values, part)))[1]
    return info[:, 0]
