"""Designs of a search one after the other: coordinates at given poses start from those of the design before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from linkwright.checks import require_callable, require_flag, require_instance, require_vector
from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning, ParameterWarning, withheld_warnings
from linkwright.kinematics.continuation import Steps, jump_to_targets, steps_to
from linkwright.kinematics.query import BatchRows, Ended
from linkwright.model import Model
from linkwright.model.pose import Pose

Array = np.ndarray
_PARTS = (1, 4)  # into how many the way between two designs is divided before it counts as not to be gone


@dataclass(frozen=True, eq=False)
class MeasureValue:
    """A measure at one design: its value, the exact (not smoothed) one, and the gradient by the model's inputs.

    A design that does not reach all poses has `reached` below 1 and no value. Of a worst case, `parts` are the values
    above zero of which the largest counts, (k,), and `part_gradients` their gradients, (k, n_p): a search then limits
    every part instead of the smoothed value.
    """

    value: float
    exact: float
    gradient: Array
    reached: float = 1.0
    parts: Array | None = None
    part_gradients: Array | None = None


Judged = Callable[[Model, Array, bool], MeasureValue]
"""The measure of a model, at its design, from coordinates (m, nq) at the poses; with or without its gradient."""


@dataclass(eq=False)
class WarmStartedMeasure:
    """A measure along a search: each design is solved from the last one that reached all poses.

    Loops are closed along the straight way between the designs, in the working mode of the last one; the first design
    starts from the model's home. A way that has to be gone in many small parts counts as not reached: a search then
    takes a shorter step.

    Attributes:
        model: with the parameters as inputs. poses: of the output, (m, 3) and (m, 4).
        frame, components: whose pose, and the components (of rx ry rz x y z) that are given.
        judged: the measure from closed coordinates. last: the last design that reached all poses, and its coordinates.
    """

    model: Model
    poses: Pose
    frame: str
    components: tuple[int, ...]
    names: tuple[str, ...]
    judged: Judged
    last: tuple[Array, Array] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        require_instance("model", self.model, Model, "a Model")
        require_instance("poses", self.poses, tuple, "a Pose with positions (m, 3) and quaternions (m, 4)")
        require_callable(
            "judged", self.judged, "a measure from coordinates, as JacobianMeasure(...).following() has it"
        )

    def __call__(self, p: Array, gradient: bool = True) -> MeasureValue:
        """The measure at values of the model's inputs, (n_p,); without gradients it takes less time."""
        p, gradient = require_vector("p", p, len(self.model.parameters)), require_flag("gradient", gradient)
        with withheld_warnings(BatchWarning, ParameterWarning):
            here = self.model.with_parameters(p)
            q = self._solve_poses(here, p)
            good = np.isfinite(q).all(axis=1)
            if not good.all():
                return partial_reach_value(p, float(good.mean()))
            found = self.judged(here, q, gradient)
        if found.reached == 1.0:
            self.last = np.array(p, dtype=float), q
        return found

    def _solve_poses(self, here: Model, p: Array) -> Array:
        """Coordinates at the poses, (m, nq), NaN in rows that are not reached."""
        steps = steps_to(here.kinematics, self.frame, self.components)
        if self.last is None or steps is None:
            near = None if self.last is None else self.last[1]
            return here.inverse_kinematics(self.poses, near=near, frame=self.frame, components=self.names)[0]
        for parts in _PARTS:
            q, ended = self._go_to_design(steps, p, parts)
            if (ended == Ended.REACHED).all():
                return q
        if (ended == Ended.LEFT_OPEN).any():
            return here.inverse_kinematics(self.poses, near=self.last[1], frame=self.frame, components=self.names)[0]
        q[ended != Ended.REACHED] = np.nan
        return q

    def _go_to_design(self, steps: Steps, p: Array, parts: int) -> tuple[Array, Array]:
        """Coordinates and how each pose ended after some equal parts of the way from the last design to this one."""
        target = np.concatenate(self.poses, axis=1)
        first, q = self.last  # type: ignore[misc]
        before = first
        for k in range(1, parts + 1):
            values = np.array(p, dtype=float) if k == parts else first + (p - first) * (k / parts)
            q, ended = jump_to_targets(steps, BatchRows((len(target),), q, target, values, before))
            if (ended != Ended.REACHED).any():
                break
            before = values
        return q, ended


def partial_reach_value(p: Array, share: float) -> MeasureValue:
    """A design that reaches some share of the poses."""
    return MeasureValue(np.nan, np.nan, np.full(len(p), np.nan), share)
