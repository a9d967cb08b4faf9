"""Exciting motions: sums of sines of the actuators, within limits, from which parameters are identified best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.algebra.jets import Jet
from linkwright.analysis.identification.base_parameters import (
    BaseParameters,
    base_parameters,
    checked_base,
    quiet_regressor,
)
from linkwright.analysis.identification.sine_search import (
    FINER,
    ActuatorLimits,
    SineSearch,
    improve_motion,
    motion_space,
    singularity_distances,
)
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import (
    require_choice,
    require_in_range,
    require_instance,
    require_integer,
    require_mapping,
    require_positive,
    require_real_array,
    require_seed,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.readable_text import shared_unit
from linkwright.results.charts import time_panels
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
Criterion = Literal["condition", "determinant"]


@dataclass(frozen=True, eq=False)
class Excitation(StudyResult):
    """A periodic motion of the actuators that excites the base parameters.

    Attributes:
        mechanism: name. actuated, units: names of the actuators and units of their positions. criterion: what was made
            least.
        center: positions about which it moves, (na,). period: [s].
        sines, cosines: coefficients of the positions, (harmonics, na).
        t: times over one period, (n,). q_act, v_act, a_act: motion, tau: its efforts, (n, na).
        condition: of the equations with columns of length 1. begun: the same of the first motion that was tried.
        margin: smallest distance to a singularity of type 2 or of the constraints along it; 1 without loops.
        limits: bounds that were kept. base: number of base parameters. interrupted: True if it ended at Ctrl-C.
    """

    mechanism: str
    actuated: tuple[str, ...]
    units: tuple[str, ...]
    criterion: str
    center: Array
    period: float
    sines: Array
    cosines: Array
    t: Array
    q_act: Array
    v_act: Array
    a_act: Array
    tau: Array
    condition: float
    begun: float
    margin: float
    limits: ActuatorLimits
    base: int
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    def positions(self, t: Any) -> list[Any]:
        """Positions of the actuators at times t, for `lw.motion(model, t, q_act=found.positions)`."""
        t = t if isinstance(t, Jet) else require_real_array("t", t)
        out = []
        for j in range(len(self.center)):
            x: Any = self.center[j]
            for k, (s, c) in enumerate(zip(self.sines[:, j], self.cosines[:, j], strict=True), start=1):
                angle = 2.0 * np.pi * k / self.period * t
                x = x + s * np.sin(angle) + c * np.cos(angle)
            out.append(x)
        return out

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        L = self.limits
        rows = []
        for j, name in enumerate(self.actuated):
            peaks = (self.q_act[:, j].min(), self.q_act[:, j].max())
            peaks += tuple(float(np.abs(x[:, j]).max()) for x in (self.v_act, self.a_act, self.tau))
            rows.append([name, *map(float, peaks)])
        efforts = ["N" if unit == "m" else "N m" for unit in self.units]
        units = (self.units, [f"{x}/s" for x in self.units], [f"{x}/s^2" for x in self.units], efforts)
        lengths = zip(("lowest", "highest", "speed", "acceleration", "effort"), (self.units, *units), strict=True)
        columns = {"actuator": "", **{name: shared_unit(each) for name, each in lengths}}
        bounds = [
            [name, *(float(x[j]) for x in (L.lower, L.upper, L.speed, L.acceleration, L.effort))]
            for j, name in enumerate(self.actuated)
        ]
        tables = [StudyTable("peaks", columns, rows), StudyTable("limits", columns, bounds)]
        titles, series = ("position", "speed", "acceleration", "effort"), (self.q_act, self.v_act, self.a_act, self.tau)
        drawn = zip(titles, units, series, strict=True)
        panels = [panel for title, own, x in drawn for panel in time_panels(title, own, self.actuated, self.t, x)]
        facts = {
            "mechanism": self.mechanism,
            "criterion": self.criterion,
            "period": self.period,
            "harmonics": len(self.sines),
            "base_parameter_count": self.base,
            "condition": self.condition,
            "first_condition": self.begun,
            "singularity_distance": self.margin,
        }
        arrays = {"t": self.t, "q_act": self.q_act, "v_act": self.v_act, "a_act": self.a_act, "tau": self.tau}
        arrays |= {"center": self.center, "sines": self.sines, "cosines": self.cosines}
        return StudyContent(
            f"Exciting motion of {self.mechanism}", facts, tables, panels, arrays, self.notes, {"period": "s"}
        )


def excite(
    model: Model,
    *,
    parameters: Sequence[str] | None = None,
    period: float = 5.0,
    harmonics: int = 5,
    limits: Mapping[str, ArrayLike] | None = None,
    center: ArrayLike | None = None,
    margin: float = 0.2,
    criterion: Criterion = "condition",
    samples: int = 60,
    iterations: int = 30,
    starts: int = 2,
    seed: int = 0,
    base: BaseParameters | None = None,
    max_seconds: float | None = None,
) -> Excitation:
    """A periodic motion of the actuators that determines the base parameters as well as limits allow.

    Positions are a center and sums of sines; their coefficients are optimized by sequential quadratic programming with
    derivatives of the singular values, from random starts. At the end amplitudes are reduced, if need be, until all
    limits hold: positions, speeds and accelerations of the actuators at all times, efforts and passive joints on a
    finer grid of times and on parabolas between them.

    Args:
        parameters: as for `base_parameters`; offsets of efforts are found by any motion.
        period, harmonics: base period [s] and number of sines per actuator.
        limits: "range" (na, 2), "speed", "acceleration", "effort" (na,) or numbers; what is left out is taken from the
            mechanism's file, else there is none. An actuator without a range stays within 0.5 rad, or a quarter of the
            mechanism's length, of the center.
        center: positions (na,) about which it moves; None for the middle of the ranges, or home without them.
        margin: smallest distance to singularities of type 2 and of the constraints, as a share of that at the center.
        criterion: "condition" of the equations, or "determinant" of the information (D-optimality).
        samples: times per period in the search. iterations: of each start. starts, seed: random beginnings.
        max_seconds: end after this time, or after Ctrl-C, with the best motion so far; None for no limit.
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_choice("criterion", criterion, ("condition", "determinant"))
    period = require_positive("period", period)
    n, count = require_integer("harmonics", harmonics, 1, 100), require_integer("samples", samples, 4, 100_000)
    margin = require_in_range("margin", margin, 0.0, 1.0, "[)")
    require_integer("starts", starts, 1, 1000)
    require_integer("iterations", iterations, 0, 10_000)
    base = base_parameters(model, parameters=parameters) if base is None else checked_base(model, base)
    if not base.base:
        raise ArgumentError("parameters has none that a motion determines; see linkwright.analysis.base_parameters")
    given = {} if limits is None else require_mapping("limits", limits, "limits by name, such as {'speed': 2.0}")
    space = motion_space(model, given, center)
    search = SineSearch.of(model, base, space, period, n, count, margin, criterion)
    rng, begun = np.random.default_rng(require_seed("seed", seed)), []
    tried: list[Array] = []
    stages = tuple(dict.fromkeys(("determinant", criterion))) if iterations else ()  # the smooth one first
    budget = StudyBudget("searching motions", max_seconds)
    with budget.ending_early():
        for _ in budget.steps(range(starts)):
            tried.append(search.scale_to_limits(search.random(rng)))
            begun.append(search.condition(tried[-1]))
            for stage in stages:
                budget.require_time()
                better = improve_motion(replace(search, criterion=stage), tried[-1], iterations)
                tried.append(search.scale_to_limits(better))
    if not begun:
        raise KeyboardInterrupt
    best = min(tried, key=search.objective)
    notes = (*space.notes, *budget.notes(f"{len(begun)} of {starts} starts were begun"))
    return replace(_excitation_record(model, search, best, float(begun[0]), notes), interrupted=budget.interrupted)


def _excitation_record(model: Model, search: SineSearch, x: Array, begun: float, notes: tuple[str, ...]) -> Excitation:
    states, (q, v, a) = search.states(x, FINER)
    center, s, c = search.coefficients(x)
    tau = quiet_regressor(model, states.q, states.v, states.a) @ model.regressor_parameters.values
    t = np.arange(len(q)) * (search.period / len(q))
    return Excitation(
        model.mechanism.name, model.actuated, tuple(each.unit for each in model.actuators), search.criterion,
        center, search.period, s, c, t, q, v, a, tau,
        search.condition(x), begun, float(np.min(singularity_distances(model, states.q))), search.limits,
        len(search.base), notes, studied=studied_mechanism(model, states.q, t if len(t) == len(states.q) else None),
    )  # fmt: skip
