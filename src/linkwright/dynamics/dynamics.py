"""Dynamics of a mechanism: elimination orders for accelerations and efforts, planned on sampled values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.dynamics.massless_motions import require_mass
from linkwright.errors import MechanismError
from linkwright.functions.memo import Cache
from linkwright.functions.setup import Setup
from linkwright.functions.stages import (
    HybridDynamicsPlan,
    InverseDynamicsPlan,
    KKTPlan,
    MinimalEquations,
    ReducedEffortPlan,
    Units,
    VelocityPartitionPlan,
)
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import all_motions
from linkwright.kinematics.undriven_freedoms import freedoms
from linkwright.plans.elimination_plans import (
    Side,
    cheapest,
    cheapest_efforts,
    cheapest_hybrid,
    closure_record,
    partition_sizes,
    read_closure,
    read_record,
)
from linkwright.plans.nominal import here, planned
from linkwright.plans.plan_archive import read_plan, read_square, remembered, written


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Kernels of a mechanism with loops that depend on its masses; each is planned when first needed.

    Accelerations (`kernels`, `minimal`) need a mass in every motion; efforts (`actuated`) need none.

    Attributes:
        kinematics: what its geometry decides.
        nominal: the dynamics at the nominal values of the mechanism's inputs, where these are others.
    """

    kinematics: Kinematics
    nominal: Dynamics | None = None

    def at(self, values: np.ndarray) -> Dynamics:
        """The dynamics at other values of the mechanism's inputs; nothing is planned or compiled again."""
        return Dynamics(self.kinematics.at(values), self.nominal or self)

    @property
    def setup(self) -> Setup:
        """The mechanism made ready for tracing, with all closure equations."""
        return self.kinematics.setup

    @property
    def cache(self) -> Cache:
        """Cache of other results about the mechanism."""
        return self.kinematics.cache

    @planned
    def units(self) -> Units:
        """Typical sizes of velocities, closure equations and inertias, to which rounding is relative."""
        scale, setup = self.kinematics.scales, self.kinematics.setup
        masses = remembered(setup, "inertia sizes", self._inertia_sizes, lambda x: [float(m) for m in x])
        return Units(scale.length, tuple(scale.speeds.tolist()), tuple(scale.rows.tolist()), tuple(masses))

    def _inertia_sizes(self) -> list[float]:
        """The root of the typical inertia along each velocity."""
        inertia = evaluate(self.kinematics.all_rows.program(tree_functions.mass_matrix), self.kinematics.samples)
        return np.sqrt(np.median(np.abs(np.diagonal(inertia, axis1=1, axis2=2)), axis=0)).tolist()

    @planned
    def kernels(self) -> Kernels[KKTPlan]:
        """Kernels with redundant rows left out and the elimination of the bordered matrix planned."""
        setup = self.kinematics.independent_rows
        chosen = remembered(setup, "elimination", self._planned, _read_elimination)
        plan, typical, legs = read_plan(chosen["plan"]), tuple(chosen["typical"]), tuple(chosen["legs"])
        kept = replace(setup, closure=read_closure(setup, chosen))
        return Kernels(KKTPlan(kept, plan, typical, self.units, legs))

    def _planned(self) -> dict[str, Any]:
        """Sides, order and typical pivots of the cheapest elimination."""
        require_mass(self.kinematics)
        found = cheapest(self.kinematics.all_rows, self.kinematics.row_variants, self.units)
        sizes = {"typical": list(found.typical), "legs": list(found.leg_sizes)}
        return closure_record(found.setup) | {"plan": written(found.plan)} | sizes

    @planned
    def minimal(self) -> Kernels[MinimalEquations]:
        """Kernels on the independent velocities, with the pivots to watch when their inertia is inverted."""
        return self._sized(self.kinematics.division)

    def minimal_on(self, speeds: tuple[int, ...]) -> Kernels[MinimalEquations]:
        """The same kernels with the given velocities as the independent ones."""
        if self.nominal is not None:
            return here(self, self.nominal.minimal_on(speeds))
        return self._sized(self.kinematics.division_on(speeds))

    def _sized(self, division: VelocityPartitionPlan) -> Kernels[MinimalEquations]:
        def made() -> list[float]:
            require_mass(self.kinematics)
            return list(partition_sizes(division, self.kinematics.regular_samples(Kernels(division))))

        sizes = remembered(division, "sizes of the partition", made, lambda x: [float(t) for t in x])
        return Kernels(MinimalEquations(division, tuple(sizes)))

    @planned
    def actuated(self) -> Kernels[InverseDynamicsPlan]:
        """Kernels with the order for the efforts of as many actuators as freedoms."""
        setup, mobility = self.kinematics.independent_rows, self.kinematics.mobility
        if len(setup.drives) != mobility:
            raise MechanismError(
                f"mechanism '{setup.mech.name}' has {mobility} degrees of freedom and {len(setup.drives)} actuators"
            )
        chosen = remembered(setup, "efforts", self._planned_efforts, _read_efforts)
        kept = replace(setup, closure=read_closure(setup, chosen))
        return Kernels(InverseDynamicsPlan(kept, read_square(chosen["plan"]), tuple(chosen["sizes"]), self.units))

    @planned
    def hybrid(self) -> Kernels[HybridDynamicsPlan]:
        """Kernels with the order for efforts that leave the freedoms free which no actuator drives.

        For actuators that do not repeat each other, in mechanisms with loops and without.
        """
        setup = self.kinematics.independent_rows if self.kinematics.setup.closure.n_all else self.kinematics.setup
        chosen = remembered(setup, "hybrid", self._planned_hybrid, _read_hybrid)
        undriven = replace(freedoms(self.kinematics).undriven, sizes=tuple(chosen["inertias"]))
        reduced = ReducedEffortPlan(replace(setup, closure=read_closure(setup, chosen)), undriven)
        return Kernels(HybridDynamicsPlan(reduced, read_square(chosen["plan"]), tuple(chosen["sizes"])))

    def _planned_hybrid(self) -> dict[str, Any]:
        kinematics = self.kinematics
        sides = (
            kinematics.row_variants
            if kinematics.setup.closure.n_all
            else (Side(kinematics.all_rows, *2 * (all_motions(kinematics).q,)),)
        )
        found = cheapest_hybrid(sides, freedoms(kinematics).undriven)
        sizes = {"sizes": list(found.pivots), "inertias": list(found.undriven.sizes)}
        return closure_record(found.setup) | {"plan": written(found.plan)} | sizes

    def _planned_efforts(self) -> dict[str, Any]:
        found = cheapest_efforts(self.kinematics.row_variants, self.units)
        return closure_record(found.setup) | {"plan": written(found.plan), "sizes": list(found.pivots)}


def _read_efforts(x: Any) -> dict[str, Any]:
    read_square(x["plan"])
    return read_record(x) | {"plan": x["plan"], "sizes": [float(t) for t in x["sizes"]]}


def _read_hybrid(x: Any) -> dict[str, Any]:
    return _read_efforts(x) | {"inertias": [float(t) for t in x["inertias"]]}


def _read_elimination(x: Any) -> dict[str, Any]:
    read_plan(x["plan"])
    sizes = {name: [float(t) for t in x[name]] for name in ("typical", "legs")}
    return read_record(x) | {"plan": x["plan"]} | sizes
