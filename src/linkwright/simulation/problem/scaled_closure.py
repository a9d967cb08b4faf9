"""The loops' equations of a mechanism in its own units: the one place where runs scale and decompose them."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import memo
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import distance_to_singularity, singular_values

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ScaledClosure:
    """Gaps and Jacobian of the loops, lengths in shares of the mechanism's own; displacements are in these units."""

    kinematics: Kinematics

    @property
    def rank(self) -> int:
        """Equations that are independent nearly everywhere."""
        return self.kinematics.rank.rank

    def jacobian(self, q: Array) -> Array:
        """J (..., n_rows, nv)."""
        scale = self.kinematics.scales
        J: Array = self.kinematics.all_rows.function(closure_functions.closure_jacobian)(q)
        return J / scale.rows[:, None] * scale.speeds

    def gap(self, q: Array) -> Array:
        """Gaps (n_rows,)."""
        found: Array = (
            self.kinematics.all_rows.function(closure_functions.closure_residual)(q) / self.kinematics.scales.rows
        )
        return found

    def moved(self, q: Array, d: Array) -> Array:
        """Coordinates moved by a displacement (nv,)."""
        found: Array = self.kinematics.all_rows.function(closure_functions.advanced)(
            q, d * self.kinematics.scales.speeds
        )
        return found

    def loosest(self, J: Array) -> float:
        """Smallest singular value of J, of those that count, relative to the largest."""
        return float(distance_to_singularity(singular_values(J), self.rank))

    @property
    def usual_loosest(self) -> float:
        """The median of that over the mechanism's own samples."""
        return _usual_loosest(self.kinematics)


@memo(valid_at="all")
def _usual_loosest(kinematics: Kinematics) -> float:
    s = singular_values(ScaledClosure(kinematics).jacobian(kinematics.branch_samples))
    return float(np.median(distance_to_singularity(s, kinematics.rank.rank)))
