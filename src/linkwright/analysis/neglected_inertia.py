"""Error of a simpler model: efforts with the inertias of some bodies left out, against the full mechanism's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_finite_array, require_instance, require_mapping, require_real_array, require_texts
from linkwright.dataclass import dataclass
from linkwright.dynamics.actuation import exactly_actuated, require_enough
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.fallback import dense_efforts
from linkwright.errors import ArgumentError
from linkwright.functions import Kernels, setup
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import broadcast_parts
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Inertia
from linkwright.model import Model
from linkwright.readable_text import shared_unit
from linkwright.results.charts import Curve, Panel, axis_label
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray


_TITLES = {"share": "of the largest effort"}


@dataclass(frozen=True, eq=False)
class NeglectedInertia(StudyResult):
    """Efforts (n, na) of the full mechanism and of each simpler one, and the largest difference each makes.

    Attributes:
        mechanism: name. actuators, units: names and units of efforts, (na,).
        full: efforts with all inertias.
        without: name of the case to efforts with its bodies' inertias left out.
        largest: name of the case to the largest difference of any actuator at any state, [N or N m].
    """

    mechanism: str
    actuators: tuple[str, ...]
    units: tuple[str, ...]
    full: Array
    without: dict[str, Array]
    largest: dict[str, float]
    studied: StudiedMechanism | None = None

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        peak, unit = float(np.abs(self.full).max(initial=0.0)), shared_unit(self.units)
        rows = [[name, x, 100.0 * x / peak if peak else 0.0] for name, x in self.largest.items()]
        table = StudyTable(
            "differences", {"case": "", "largest": unit, "share": "%"}, rows, "Largest differences", _TITLES
        )
        state = np.arange(len(self.full))
        panels = [
            Panel(
                "state",
                axis_label(f"effort of {name}", self.units[i]),
                [
                    Curve("all inertias", state, self.full[:, i]),
                    *(Curve(case, state, tau[:, i], dashed=True) for case, tau in self.without.items()),
                ],
            )
            for i, name in enumerate(self.actuators)
        ]
        facts = {"mechanism": self.mechanism, "states": len(self.full), "peak_effort": peak}
        arrays = {"full": self.full, **{f"without({name})": tau for name, tau in self.without.items()}}
        units = {"peak_effort": unit}
        return StudyContent(f"Inertias left out of {self.mechanism}", facts, [table], panels, arrays, units=units)


def neglect_inertia(model: Model, cases: Mapping[str, Sequence[str]], q: Array, v: Array, a: Array) -> NeglectedInertia:
    """Efforts along a motion with and without the inertias of some bodies.

    Args:
        cases: name of a case to the bodies whose mass and inertia it leaves out.
        q, v, a: states and accelerations that keep the loops closed, (n, nq), (n, nv), (n, nv).

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> still = np.zeros((1, 3))
    >>> found = neglect_inertia(arm, {"no hand": ["link3"]}, still, still, still)
    >>> round(found.largest["no hand"], 3)
    1.942
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    _require_neglect_arguments(model.kinematics, cases)
    given = {"q": (q, model.nq), "v": (v, model.nv), "a": (a, model.nv)}
    q, v, a = (x.reshape(-1, size) for x, (_, size) in zip(broadcast_parts(given), given.values(), strict=True))
    full = _efforts_of_kernels(model.dynamics, model.kernels, q, v, a)
    without = {
        name: _efforts_of_kernels(model.dynamics, _kernels_without_mass(model.kinematics, bodies), q, v, a)
        for name, bodies in cases.items()
    }
    largest = {name: float(np.abs(tau - full).max(initial=0.0)) for name, tau in without.items()}
    units = tuple(each.effort_unit for each in model.actuators)
    shown = studied_mechanism(model, q)
    return NeglectedInertia(model.mechanism.name, tuple(model.actuated), units, full, without, largest, shown)


@dataclass(frozen=True)
class SpeedRow:
    """One speed of the study: how many times as fast, the largest effort, and the largest difference of each case."""

    factor: float
    largest_effort: float
    largest: dict[str, float]


@dataclass(frozen=True)
class SpeedStudy(StudyResult):
    """What inertias that are left out change at several speeds.

    Attributes:
        mechanism: name. rows: one for each speed. unit: of the efforts, "" where they have several.
    """

    mechanism: str
    rows: tuple[SpeedRow, ...]
    unit: str = ""

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        factor, effort = (np.array([getattr(row, name) for row in self.rows]) for name in ("factor", "largest_effort"))
        cases = {name: np.array([row.largest[name] for row in self.rows]) for name in self.rows[0].largest}
        columns = {"factor": "", "case": "", "largest_effort": self.unit, "largest_difference": self.unit}
        cells = [[row.factor, name, row.largest_effort, x] for row in self.rows for name, x in row.largest.items()]
        curves = [Curve("all inertias", factor, effort, dashed=True)]
        panel = Panel(
            "speed factor",
            axis_label("largest", self.unit),
            [*curves, *(Curve(name, factor, x) for name, x in cases.items())],
        )
        arrays = {"factor": factor, "largest_effort": effort} | {f"largest({name})": x for name, x in cases.items()}
        title, facts = f"Inertias left out of {self.mechanism}, by speed", {"mechanism": self.mechanism}
        return StudyContent(title, facts, [StudyTable("speeds", columns, cells)], [panel], arrays)


def speed_study(
    model: Model, cases: Mapping[str, Sequence[str]], q: Array, v: Array, a: Array, factors: Sequence[float]
) -> SpeedStudy:
    """The same path run faster or slower: velocities grow with the factor, accelerations with its square.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> one = np.ones((1, 3))
    >>> [row.factor for row in speed_study(arm, {"no hand": ["link3"]}, 0 * one, one, one, [1, 2]).rows]
    [1.0, 2.0]
    """
    rows = []
    speeds = require_finite_array("factors", factors).ravel().tolist()
    if not speeds:
        raise ArgumentError("factors is empty; give speeds as multiples of the given one", name="factors")
    for factor in speeds:
        found = neglect_inertia(
            model, cases, q, factor * require_real_array("v", v), factor * factor * require_real_array("a", a)
        )
        rows.append(SpeedRow(factor, float(np.abs(found.full).max(initial=0.0)), found.largest))
    return SpeedStudy(model.mechanism.name, tuple(rows), shared_unit(each.effort_unit for each in model.actuators))


def _require_neglect_arguments(kinematics: Kinematics, cases: Mapping[str, Sequence[str]]) -> None:
    mech = kinematics.setup.mech
    for name, bodies in require_mapping("cases", cases, "a dictionary of names and lists of bodies").items():
        for body in require_texts(f"cases[{name!r}]", bodies, "['link3']"):
            if body not in mech.names:
                raise ArgumentError(
                    f"case '{name}' leaves out '{body}', which is not a body{suggest_name(body, mech.names)}"
                )
    if not kinematics.setup.closure.n_all:
        return
    require_enough(kinematics)
    if not exactly_actuated(kinematics):
        raise ArgumentError(
            f"'{mech.name}' has {kinematics.mobility} freedoms and {len(kinematics.setup.drives)} actuators, so "
            "efforts are not unique; name as many actuators as freedoms"
        )


def _kernels_without_mass(kinematics: Kinematics, bodies: Sequence[str]) -> Kernels:
    """The tree's kernels with some bodies massless."""
    mech = kinematics.setup.mech
    parts = tuple(replace(body, inertia=Inertia()) if body.name in bodies else body for body in mech.bodies)
    return Kernels(setup(replace(mech, bodies=parts), kinematics.setup.actuated))


def _efforts_of_kernels(dynamics: Dynamics, kernels: Kernels, q: Array, v: Array, a: Array) -> Array:
    """Efforts from the tree forces of some kernels; the loops are the full mechanism's."""
    force = kernels.function(tree_functions.generalized_forces)(q, v, a)
    if not dynamics.setup.closure.n_all:
        return force[:, [d.speed for d in dynamics.setup.drives if d.speed is not None]]
    return np.array([dense_efforts(dynamics, *row) for row in zip(q, force, strict=True)])
