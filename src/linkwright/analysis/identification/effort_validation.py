"""Validation: efforts of a second measured motion against those computed before and after identification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analysis.identification.measured_motion import MeasuredMotion, measured_motion
from linkwright.analysis.identification.regression_equations import MotionEquations
from linkwright.checks import require_array_shape
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.results.charts import Curve, Panel
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Validation(StudyResult):
    """Measured and computed efforts of a motion that took no part in the identification.

    Attributes:
        mechanism: name. actuated, units: names of the actuators and units of their efforts.
        motion: the measurements. before, after: computed efforts, (n, na); NaN in rows that are left out.
    """

    mechanism: str
    actuated: tuple[str, ...]
    units: tuple[str, ...]
    motion: MeasuredMotion
    before: Array
    after: Array

    @property
    def used(self) -> Array:
        """Rows that were compared, (n,)."""
        return np.isfinite(self.after).all(axis=1) & np.isfinite(np.asarray(self.motion.tau)).all(axis=1)

    def error(self, computed: Array) -> Array:
        """Root mean square difference of each actuator, relative to that of its effort, (na,)."""
        tau = np.asarray(self.motion.tau)[self.used]
        computed = require_array_shape("computed", computed, self.after.shape, nan=True)
        size = np.sqrt(np.mean(tau**2, axis=0))
        return np.sqrt(np.mean((tau - computed[self.used]) ** 2, axis=0)) / np.where(size > 0.0, size, 1.0)

    @property
    def errors(self) -> tuple[Array, Array]:
        """Relative errors before and after, (na,) each."""
        return self.error(self.before), self.error(self.after)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        before, after = self.errors
        rows = [[name, float(x), float(y)] for name, x, y in zip(self.actuated, before, after, strict=True)]
        table = StudyTable(
            "errors", {"actuator": "", "before": "", "after": ""}, rows, "Relative errors of the efforts"
        )
        facts = {
            "mechanism": self.mechanism,
            "rows": int(self.used.sum()),
            "largest_error_before": float(before.max(initial=0.0)),
            "largest_error_after": float(after.max(initial=0.0)),
        }
        arrays = {"t": np.asarray(self.motion.t), "measured": np.asarray(self.motion.tau)}
        arrays |= {"before": self.before, "after": self.after}
        efforts = list(zip(self.actuated, self.units, strict=True))
        panels = effort_panels(efforts, self.motion, self.before, self.after)
        return StudyContent(f"Validation of {self.mechanism}", facts, [table], panels, arrays)


def effort_panels(
    efforts: Sequence[tuple[str, str]], motion: MeasuredMotion, before: Array, after: Array
) -> list[Panel]:
    """Measured efforts over time beside those computed; `efforts` are names and units of the actuators."""
    out = []
    for i, (name, unit) in enumerate(efforts):
        columns = (("measured", motion.tau, False), ("before", before, True), ("after", after, True))
        curves = [Curve(title, motion.t, np.asarray(x)[:, i], dashed=dashed) for title, x, dashed in columns]
        out.append(Panel("time [s]", f"effort of {name} [{unit}]", curves))
    return out


def compare_efforts(
    model: Model, theta: Array, measured: Any, near: Any = None, cutoff: float | None = None
) -> Validation:
    """Efforts of a measured motion with the model's own parameters and with others, (n_theta,)."""
    found = MotionEquations.of(model, measured_motion(model, measured, cutoff), near)
    if not np.isfinite(found.Y).all(axis=(1, 2)).any():
        raise ArgumentError(f"no row of the motion can be reached by '{model.mechanism.name}'", name="measured")
    own, other = (found.efforts(x) for x in (model.regressor_parameters.values, theta))
    return Validation(model.mechanism.name, model.actuated, actuator_effort_units(model), found.motion, own, other)


def actuator_effort_units(model: Model) -> tuple[str, ...]:
    """Units of the actuators' efforts."""
    return tuple(each.effort_unit for each in model.actuators)
