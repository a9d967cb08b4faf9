"""Measured motions of the actuators over time, filtered, as linear equations Y theta = tau, and their check."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.checks import require_finite_array, require_instance, require_path, require_positive, require_real_array
from linkwright.dataclass import dataclass
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.formats.tables import is_table, read_table
from linkwright.model import Model
from linkwright.plans.scales import random_coordinates
from linkwright.results.result import Result
from linkwright.results.result_reader import RUN, read_run
from linkwright.sweeps.points import read_points

# --- reachable states of a mechanism drawn at random, with velocities and accelerations that keep its loops closed ----

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class States:
    """Coordinates (n, nq), velocities and accelerations (n, nv)."""

    q: Array
    v: Array
    a: Array

    def __len__(self) -> int:
        return len(self.q)


def random_states(model: Model, n: int, rng: np.random.Generator) -> States:
    """States in the branch of the home configuration; rates of the independent velocities of about 1 rad/s.

    Accelerations are such that they, products of velocities, and gravity weigh alike.
    """
    kinematics = model.kinematics
    every = kinematics.branch_samples if model.has_loops else random_coordinates(model.mechanism, n, rng)
    q = every[rng.integers(len(every), size=n)]
    units = model.scales.speeds[list(model.independent_indices)]
    size = (n, len(units))
    v, a = complete_independent_motion(
        kinematics, q, 2.0 * rng.normal(size=size) * units, 4.0 * rng.normal(size=size) * units
    )
    return States(q, v, a)


# --- low-pass filter of measured series -------------------------------------------------------------------------------

_ORDER = 4
_MOST = 2**60  # rows that numbers of rows end at
_SETTLED = 2.0  # periods of the cutoff frequency after which a filter has forgotten where it began


@dataclass(frozen=True)
class LowPass:
    """A Butterworth filter of order 4, forward and backward, so that nothing is delayed.

    Attributes:
        cutoff: frequency [Hz] at which an amplitude is halved (each direction takes 3 dB).
        rate: samples per second.
    """

    cutoff: float
    rate: float

    def __post_init__(self) -> None:
        require_positive("cutoff", self.cutoff)
        require_positive("rate", self.rate)
        if not self.cutoff < 0.5 * self.rate:
            raise ArgumentError(
                f"cutoff is {self.cutoff:g} Hz, expected less than half the sampling rate, {0.5 * self.rate:g} Hz",
                name="cutoff",
            )

    @property
    def settling(self) -> int:
        """Rows at each end of a series that depend on how it went on."""
        return int(min(np.ceil(_SETTLED * self.rate / self.cutoff), _MOST))

    @property
    def stride(self) -> int:
        """Rows from one whose noise is independent of the last one's: two per period of the cutoff frequency."""
        return max(1, int(min(self.rate / (2.0 * self.cutoff), _MOST)))

    def filter_series(self, x: Array) -> Array:
        """A series (n, ...) of finite numbers without what is faster."""
        from scipy.signal import butter, sosfiltfilt  # a while to import

        x = np.atleast_1d(require_real_array("x", x).astype(float))
        if not np.isfinite(x).all():
            raise ArgumentError(
                "x: measurements with NaN cannot be filtered; leave them out or give no cutoff", name="cutoff"
            )
        if len(x) <= 2 * self.settling:
            raise ArgumentError(
                f"x has {len(x)} rows, too few for a filter of {self.cutoff:g} Hz at {self.rate:g} rows per second: it "
                f"settles in {self.settling} rows at each end; measure longer, or raise the cutoff",
                name="cutoff",
            )
        sections = butter(_ORDER, self.cutoff / (0.5 * self.rate), output="sos")
        return np.asarray(sosfiltfilt(sections, x, axis=0, padlen=self.settling))


def true_segments(rows: Array) -> list[slice]:
    """Slices of the rows (n,) of bool that are true one after the other."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rows, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


# --- measured motions -------------------------------------------------------------------------------------------------

_ROWS = ("q_act", "tau", "v_act", "a_act")
_OPTIONAL = ("v_act", "a_act", "near")
_RATES = ("velocity", "acceleration")
_UNIT_OF = {"velocity": "speed", "acceleration": "acceleration"}
_SLOW = 0.1  # step [s] from which on times look like milliseconds
_OF_WHITE_NOISE = 20.0  # variance of third differences of white noise with variance 1


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """Positions and efforts of the actuators at some times; rows with NaN are left out by what uses them.

    Attributes:
        t: times (n,) [s], equally spaced where rates are left out.
        q_act: positions (n, na) [rad or m]. tau: efforts at the joint, after the gear, (n, na) [N m or N].
        v_act, a_act: velocities and accelerations, (n, na); None differentiates the positions.
        cutoff: frequency [Hz] of a low-pass filter (Butterworth of order 4, forward and backward, so that nothing is
            delayed), which positions go through before they are differentiated, and both sides of the equations that
            efforts and regressors make; five times the fastest frequency of the motion is usual. None for none.
        near: coordinates (n, nq) next to which the configuration of each row lies, for motions that pass from one
            assembly mode to another; None for the mode of home.
        low_pass, differenced: the filter that positions have gone through, and whether accelerations are differences;
            set by `differentiated`.
    """

    t: ArrayLike
    q_act: ArrayLike
    tau: ArrayLike
    v_act: ArrayLike | None = None
    a_act: ArrayLike | None = None
    cutoff: float | None = None
    near: ArrayLike | None = None
    low_pass: LowPass | None = None
    differenced: bool = False

    def __post_init__(self) -> None:
        t = require_real_array("t", self.t).astype(float)
        if t.ndim != 1 or not len(t) or not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
            raise ArgumentError(f"t has shape {t.shape}, expected finite times (n,) that increase", name="t")
        object.__setattr__(self, "t", t)
        for name in (*_ROWS, "near"):
            given = getattr(self, name)
            if given is None and name in _OPTIONAL:
                continue
            rows = require_real_array(name, given).astype(float)
            if rows.ndim != 2 or len(rows) != len(t):
                wide = "nq" if name == "near" else "na"
                raise ArgumentError(f"{name} has shape {rows.shape}, expected ({len(t)}, {wide}) as t", name=name)
            object.__setattr__(self, name, rows)
        if self.cutoff is not None:
            object.__setattr__(self, "cutoff", require_positive("cutoff", self.cutoff))
        if self.low_pass is not None:
            require_instance("low_pass", self.low_pass, LowPass, "a LowPass, as differentiated() sets it")

    @staticmethod
    def of_run(model: Model, run: Result, tau: ArrayLike | None = None) -> MeasuredMotion:
        """The motion of a run, for example of `lw.motion`; `tau` replaces its efforts.

        Its rows stay in the run's own configurations, also behind singularities that it passed.
        """
        require_instance("model", model, Model, "a Model from linkwright.build")
        require_instance("run", run, Result, "a Result of lw.motion or lw.simulate")
        for title, found, size in (("coordinates", run.q, model.nq), ("efforts", run.tau, model.na)):
            if found.shape[-1] != size:
                raise ArgumentError(
                    f"run has {found.shape[-1]} {title} and '{model.mechanism.name}' has {size}; give one of its own"
                )
        q, v, a = run.q, run.v, run.a
        rates = model.actuator_velocities(v, q), model.actuator_accelerations(a, q, v)
        return MeasuredMotion(run.t, model.actuator_positions(q), run.tau if tau is None else tau, *rates, near=q)

    @staticmethod
    def read(model: Model, path: str | os.PathLike[str], cutoff: float | None = None) -> MeasuredMotion:
        """Measurements of a .csv or .npz with one column per name, or a saved run of the model.

        Columns: t [s], every actuator by its name (position, [rad or m]), NAME.effort [N m or N], and, where they are
        measured too, NAME.velocity and NAME.acceleration of all actuators. A title may name another unit, `t [ms]`,
        and is converted by it.
        """
        require_instance("model", model, Model, "a Model from linkwright.build")
        if RUN.wrote(require_path("path", path)):
            return replace(MeasuredMotion.of_run(model, read_run(path)), cutoff=cutoff)
        return _motion_of_table(model, read_points(path), cutoff)

    def with_rates(self) -> MeasuredMotion:
        """The motion with filtered positions, and with velocities and accelerations; efforts are filtered later."""
        t = np.asarray(self.t)
        if self.cutoff is None and self.v_act is not None and self.a_act is not None:
            return self
        step = np.diff(t)
        if len(t) < 6 or np.ptp(step) > 1e-3 * step.mean():
            raise ArgumentError(
                f"positions are differentiated at equally spaced times, at least six; t has {len(t)} with steps from "
                f"{step.min(initial=np.inf):.3g} to {step.max(initial=0.0):.3g} s; give v_act and a_act",
                name="t",
            )
        h = float(step.mean())
        low = None if self.cutoff is None else self._make_low_pass(self.cutoff, 1.0 / h)
        q = _apply_low_pass(low, self.q_act)
        v = _central_differences(q, h) if self.v_act is None else _apply_low_pass(low, self.v_act)
        a = _central_differences(v, h) if self.a_act is None else _apply_low_pass(low, self.a_act)
        return replace(self, q_act=q, v_act=v, a_act=a, cutoff=None, low_pass=low, differenced=self.a_act is None)

    def _make_low_pass(self, cutoff: float, rate: float) -> LowPass:
        try:
            return LowPass(cutoff, rate)
        except ArgumentError as error:
            raise ArgumentError("; ".join([str(error), *self.doubt_times()]), name="cutoff") from None

    def doubt_times(self) -> list[str]:
        """A message where the times look like milliseconds: rows that are differentiated, and far apart."""
        t = np.asarray(self.t)
        step = float((t[-1] - t[0]) / (len(t) - 1)) if len(t) > 1 else 0.0
        if step <= _SLOW or not (self.differenced or self.a_act is None):
            return []
        return [f"rows are {step:.3g} s apart, {t[-1] - t[0]:.4g} s in all: is t in ms? Title it 't [ms]'"]

    @property
    def noise(self) -> float:
        """Share of the accelerations that is noise, by their third differences: nearly 0 where they are smooth."""
        if self.a_act is None:
            return 0.0
        a = np.asarray(self.a_act)
        a = a[np.isfinite(a).all(axis=1)]
        size = float(np.sqrt(np.mean(a**2))) if len(a) > 3 else 0.0
        return float(np.sqrt(np.mean(np.diff(a, 3, axis=0) ** 2) / _OF_WHITE_NOISE)) / size if size > 0.0 else 0.0


def measured_motion(model: Model, given: Any, cutoff: float | None = None) -> MeasuredMotion:
    """Measurements from a record, a run, a file or a mapping of arrays, with rates, of the model's actuators.

    A cutoff replaces that of the measurements.
    """
    if isinstance(given, str | os.PathLike):
        found = MeasuredMotion.read(model, given)
    elif isinstance(given, Result):
        found = MeasuredMotion.of_run(model, given)
    elif is_table(given):
        found = _motion_of_table(model, given)
    elif isinstance(given, Mapping):
        known = ("t", "q_act", "tau", "v_act", "a_act", "cutoff")
        for name in given:
            if not isinstance(name, str) or name not in known:
                raise ArgumentError(f"measured has no part {name!r:.80}; it may have {known}")
        lacking = [name for name in ("t", "q_act", "tau") if name not in given]
        if lacking:
            raise ArgumentError(f"the measurements lack {lacking}")
        found = MeasuredMotion(**given)
    else:
        found = require_instance(
            "measured", given, MeasuredMotion, "a MeasuredMotion, a run, a file or a mapping of arrays"
        )
    for name in _ROWS:
        shape = np.shape(getattr(found, name))
        if shape and shape[1] != model.na:
            raise ArgumentError(
                f"{name} has {shape[1]} columns and '{model.mechanism.name}' has {model.na} actuators: "
                f"{', '.join(model.actuated)}",
                name=name,
            )
    return (found if cutoff is None else replace(found, cutoff=cutoff)).with_rates()


def _motion_of_table(model: Model, given: Any, cutoff: float | None = None) -> MeasuredMotion:
    """Measurements of a table or data frame with the columns that `MeasuredMotion.read` takes."""
    positions = {each.name: each.unit for each in model.actuators}
    efforts = {f"{each.name}.effort": each.effort_unit for each in model.actuators}
    table = read_table(given, "measurements", ["t", *positions, *efforts])
    rates: dict[str, Any] = {}
    for key, kind in zip(("v_act", "a_act"), _RATES, strict=True):
        units = {f"{each.name}.{kind}": getattr(each, f"{_UNIT_OF[kind]}_unit") for each in model.actuators}
        if all(title in table for title in units):
            rates[key] = table.stack(units)
    return MeasuredMotion(table.numbers("t", "s"), table.stack(positions), table.stack(efforts), **rates, cutoff=cutoff)


def states_of(model: Model, motion: MeasuredMotion, near: Any = None) -> States:
    """Motion of all joints, in the assembly mode of `near` or home; rows of NaN stay."""
    given = motion.near if near is None else near
    first = "previous" if given is None else require_finite_array("near", given)
    q_act, v_act, a_act = (np.asarray(x) for x in (motion.q_act, motion.v_act, motion.a_act))
    good = np.isfinite(np.concatenate([q_act, v_act, a_act], axis=1)).all(axis=1)
    found = (np.full((len(q_act), n), np.nan) for n in (model.nq, model.nv, model.nv))
    states = States(*found)
    if not isinstance(first, str) and first.shape not in ((model.nq,), (len(q_act), model.nq)):
        raise ArgumentError(f"near has shape {first.shape}, expected ({model.nq},) or ({len(q_act)}, {model.nq})")
    if not good.any():
        return states
    with withheld_warnings(BatchWarning):
        start = first if isinstance(first, str) or first.ndim == 1 else first[good]
        q, v, a = model.forward_kinematics(q_act[good], v_act[good], a_act[good], near=start)
    states.q[good], states.v[good], states.a[good] = q, v, a
    return states


def _central_differences(x: Array, h: float) -> Array:
    """Rates (n, k) by differences of fourth order; the first and last two rows are NaN."""
    out = np.full_like(x, np.nan)
    out[2:-2] = (8.0 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12.0 * h)
    return out


def _apply_low_pass(low: LowPass | None, x: Any) -> Array:
    return np.asarray(x) if low is None else low.filter_series(np.asarray(x))
