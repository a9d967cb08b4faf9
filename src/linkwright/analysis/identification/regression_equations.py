"""Linear equations of a measured motion, Y theta = tau, and efforts of a second motion against those computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.analysis.identification.base_parameters import BaseParameters, quiet_regressor
from linkwright.analysis.identification.measured_motion import (
    LowPass,
    MeasuredMotion,
    measured_motion,
    states_of,
    true_segments,
)
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_array_shape
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.results.charts import Curve, Panel
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

# --- linear equations of a measured motion, Y theta = tau, filtered side by side --------------------------------------

Array = np.ndarray
_ROUGH = 0.02  # share of noise in accelerations from which on it is noted; 12 rows per period have as much


@dataclass(frozen=True, eq=False)
class MotionEquations:
    """Regressors and efforts of the rows of a measured motion.

    Attributes:
        Y: regressors, (n, na, n_theta); NaN in rows that have none.
        tau: measured efforts, (n, na), as Y was filtered, without what redundant actuators do against each other.
        used: rows that take part, (n,): of filtered ones, those whose noise is independent.
        motion: the measurements, with efforts as they are compared. notes: rows that were left out, and why.
        q: coordinates of the rows, (n, nq).
    """

    Y: Array
    tau: Array
    used: Array
    motion: MeasuredMotion
    notes: tuple[str, ...]
    q: Array

    @staticmethod
    def of(model: Model, motion: MeasuredMotion, near: Any) -> MotionEquations:
        """The equations of a motion with rates, in the assembly mode of `near` or home."""
        states = states_of(model, motion, near)
        good = np.isfinite(states.a).all(axis=1)
        measured = np.isfinite(np.asarray(motion.tau)).all(axis=1)
        Y = np.full((len(states), model.na, len(model.regressor_parameters)), np.nan)
        if good.any():
            Y[good] = quiet_regressor(model, states.q[good], states.v[good], states.a[good])
        held = np.isfinite(Y).all(axis=(1, 2))
        used, notes = held & measured, _omitted_row_notes(motion, measured, held)
        offsets = [each.kind == "offset" for each in model.regressor_parameters]
        tau = np.where(used[:, None], (Y[..., offsets] @ np.asarray(motion.tau)[..., None])[..., 0], np.nan)
        if motion.low_pass is None:
            return MotionEquations(Y, tau, used, motion, notes, states.q)
        return _filter_equations(motion, Y, tau, used, notes, states.q)

    def efforts(self, theta: Array) -> Array:
        """Efforts (n, na) with some parameters, filtered as the measured ones; NaN in rows that have none."""
        return self.Y @ theta

    def unknown(self, base: BaseParameters, known: Array) -> Array:
        """Efforts of the rows in use that the unknown parameters have to explain, (m, na)."""
        rest = np.ones(self.Y.shape[-1], dtype=bool)
        rest[base.columns] = False
        return self.tau[self.used] - self.Y[self.used][..., rest] @ known[rest]


def _omitted_row_notes(motion: MeasuredMotion, measured: Array, held: Array) -> tuple[str, ...]:
    """Rows that are left out."""
    given = np.isfinite(np.asarray(motion.q_act)).all(axis=1) & np.isfinite(np.asarray(motion.a_act)).all(axis=1)
    reasons = (
        (~given | ~measured, "with NaN, or at the ends, where rates are unknown"),
        (given & measured & ~held, "whose positions cannot be reached, or cannot be held by the actuators"),
    )
    notes = [f"{int(rows.sum())} of {len(rows)} rows {why} were left out" for rows, why in reasons if rows.any()]
    if motion.differenced and motion.low_pass is None and motion.noise > _ROUGH:
        notes.append(
            f"some {motion.noise:.0%} of the accelerations are noise of the positions, which spoils the estimates, or "
            "rows are too few for the motion: give cutoff=20.0, some five times the fastest frequency of the motion, "
            "[Hz]"
        )
    return tuple(notes)


def _filter_equations(
    motion: MeasuredMotion, Y: Array, tau: Array, used: Array, notes: tuple[str, ...], q: Array
) -> MotionEquations:
    """The equations with both sides through the filter that the positions went through.

    What the filter takes from efforts (noise, and steps of Coulomb friction) it takes from regressors too, so that they
    still agree. Where the filter has not settled, rows are NaN.
    """
    low: LowPass = motion.low_pass  # type: ignore[assignment]
    Y_f, tau_f, taken = np.full_like(Y, np.nan), np.full_like(tau, np.nan), np.zeros(len(used), dtype=bool)
    for part in true_segments(used):
        if part.stop - part.start <= 2 * low.settling:
            continue
        inner = slice(part.start + low.settling, part.stop - low.settling)
        kept = slice(low.settling, part.stop - part.start - low.settling)
        Y_f[inner], tau_f[inner] = low.filter_series(Y[part])[kept], low.filter_series(tau[part])[kept]
        taken[inner.start : inner.stop : low.stride] = True
    text = f"of rows filtered at {low.cutoff:g} Hz, one in {low.stride} takes part, and none where the filter settles"
    return MotionEquations(Y_f, tau_f, taken, replace(motion, tau=tau_f), (*notes, text), q)


# --- validation -------------------------------------------------------------------------------------------------------


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
    studied: StudiedMechanism | None = None

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
    """Measured efforts over time beside those computed, and their differences, for names and units of actuators."""
    measured, out = np.asarray(motion.tau), []
    for i, (name, unit) in enumerate(efforts):
        curves = [Curve("measured", motion.t, measured[:, i])]
        left = []
        for title, x in (("before", before[:, i]), ("after", after[:, i])):
            curves.append(Curve(title, motion.t, x, dashed=True))
            left.append(Curve(title, motion.t, measured[:, i] - x))
        out.append(Panel("t [s]", f"effort of {name} [{unit}]", curves))
        out.append(Panel("t [s]", f"difference [{unit}]", left, f"{name}: measured - computed"))
    return out


def compare_efforts(
    model: Model, theta: Array, measured: Any, near: Any = None, cutoff: float | None = None
) -> Validation:
    """Efforts of a measured motion with the model's own parameters and with others, (n_theta,)."""
    found = MotionEquations.of(model, measured_motion(model, measured, cutoff), near)
    if not np.isfinite(found.Y).all(axis=(1, 2)).any():
        raise ArgumentError(f"no row of the motion can be reached by '{model.mechanism.name}'", name="measured")
    own, other = (found.efforts(x) for x in (model.regressor_parameters.values, theta))
    shown = studied_mechanism(model, found.q, found.motion.t)
    units = actuator_effort_units(model)
    return Validation(model.mechanism.name, model.actuated, units, found.motion, own, other, shown)


def actuator_effort_units(model: Model) -> tuple[str, ...]:
    """Units of the actuators' efforts."""
    return tuple(each.effort_unit for each in model.actuators)
